"""A whole model as one ONNX graph: encoding, probabilities or scores, decision."""

import json
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from softcost._version import __version__
from softcost.costs import class_indices
from softcost.onnx.graph import ML, Graph, refused
from softcost.onnx.graph_inputs import NOTES
from softcost.onnx.learner_graphs import (
    REDUCTIONS,
    decisions,
    one_vs_rest,
    probabilities,
    reduction_scores,
)
from softcost.onnx.table_graph import (
    COSTS,
    column_codes,
    dense_features,
    input_names,
    transformed,
)
from softcost.reductions import MinimumExpectedCost
from softcost.reductions.base import is_prefitted
from softcost.search import SoftCostClassifierCV
from softcost.tables import TableEncoder

# TreeEnsemble with double thresholds and outputs came with version 5 of ai.onnx.ml.
_OPSET, _ML_OPSET, _IR_VERSION = 18, 5, 9


def _class_probabilities(graph: Graph, model: MinimumExpectedCost, x: str) -> str:
    """``predict_proba`` of a `MinimumExpectedCost`."""
    n = len(model.classes_)
    if n == 1:
        return graph.repeated([1.0], x)
    learner = model.estimator_
    places = learner.classes_
    if is_prefitted(learner):  # to the user's labels
        places = class_indices(learner.classes_, model.classes_)
    calibration = model.calibration_
    if calibration is None:
        return graph.placed(probabilities(graph, learner, x), places, n)
    if not np.array_equal(calibration.present, places):
        raise refused(
            "A calibration of classes that the learner does not have",
            "Pass calibration=None, or more rows.",
        )
    p = _calibrated(graph, calibration, learner, x)
    return graph.placed(p, calibration.present, n)


def _calibrated(graph: Graph, calibration: Any, learner: Any, x: str) -> str:
    n, by_temperature = len(learner.classes_), calibration.method == "temperature"
    if hasattr(learner, "decision_function"):
        scores = decisions(graph, learner, x)
        scores = graph.negative_and(scores) if n == 2 else scores
    else:
        scores = probabilities(graph, learner, x)
        if by_temperature:
            scores = graph.op("Log", graph.op("Add", scores, 1e-12))
    if by_temperature:
        sharp = graph.op("Mul", scores, float(calibration.model.beta_))
        return graph.op("Softmax", sharp, axis=1)
    if calibration.method != "sigmoid":
        raise refused(
            f"calibration={calibration.method!r}",
            "Pass calibration='temperature' or 'sigmoid'.",
        )
    curves = calibration.model.calibrated_classifiers_[0].calibrators
    slopes = np.array([-curve.a_ for curve in curves])
    shifts = np.array([-curve.b_ for curve in curves])
    if n == 2:
        scores = graph.columns(scores, [1])
    raw = graph.op("Add", graph.op("Mul", scores, slopes), shifts)
    return one_vs_rest(graph, raw, n)


def _decision(
    graph: Graph, model: MinimumExpectedCost, p: str, x: str, require_costs: bool
) -> dict[str, str]:
    """Scores, and expected costs in the user's units."""
    by_row = model.decides_by_row_costs
    deciding = graph.repeated(model.prior_, x) if model.decide_by == "prior" else p
    mean_costs = model.cost_matrix is None and model.costs_by_example_
    if mean_costs and not by_row and model.softness > 0:
        # Softness mixes errors with costs in the unit of the training costs, which
        # other costs need not have: these are fixed.
        (soft,) = model.soft_matrices([model.softness])
        costs = graph.constant(model.cost_matrix_)
        return {
            "expected_costs": graph.op("MatMul", p, costs),
            "scores": graph.op("Neg", graph.op("MatMul", deciding, soft)),
        }
    shape = ["matrices", len(model.classes_), len(model.actions_)]
    costs = graph.input(COSTS, TensorProto.DOUBLE, shape)
    if not by_row and not require_costs:
        default = numpy_helper.from_array(model.cost_matrix_[None], COSTS)
        graph.constants[(COSTS,)] = default
    least = graph.op("ReduceMin", costs, np.array([2]), keepdims=1)
    above = graph.op("Sub", costs, least)
    if by_row:
        decision = model.soft_decision([model.softness], by_row=True)
        errors, unit = decision.errors, decision.scale
        assert errors is not None
        assert unit is not None
        soft = graph.op("Div", above, float(unit))
    else:
        (errors,) = model.soft_matrices([1.0])
        scale = graph.op("ReduceMax", above, np.array([1, 2]), keepdims=1)
        free = graph.op("Equal", scale, 0.0)
        scale = graph.op("Where", free, 1.0, scale)
        soft = graph.op("Div", above, scale)
    if model.softness > 0:
        soft = graph.op("Mul", soft, 1.0 - model.softness)
        soft = graph.op("Add", soft, float(model.softness) * errors)

    def expected(shares: str, matrices: str) -> str:
        product = graph.op("MatMul", graph.as_column(shares), matrices)
        return graph.op("Squeeze", product, np.array([1]))

    return {
        "expected_costs": expected(p, costs),
        "scores": graph.op("Neg", expected(deciding, soft)),
    }


# The whole model.


def exported(model: Any, require_costs: bool) -> Any:
    """The graph of a model, see `to_onnx`."""
    graph = Graph()
    steps, last = _steps(model)
    encoder = getattr(last, "encoder_", None)
    if encoder is None and steps and isinstance(steps[0], TableEncoder):
        encoder, *steps = steps
    notes: dict[str, Any] = {"version": __version__}
    if encoder is not None:
        names = input_names(encoder)
        x = column_codes(graph, encoder, names)
        if encoder.output == "features":
            x = dense_features(graph, encoder.features_, x)
        notes["columns"] = {
            names[name]: [name, kind] for name, kind in encoder.kinds_.items()
        }
        notes["missing"] = list(encoder.missing)
    else:
        width = getattr((*steps, last)[0], "n_features_in_", None)
        if width is None:
            raise refused("A model of texts, or of rows without columns")
        x = graph.input("X", TensorProto.DOUBLE, ["n", int(width)])
    x = transformed(graph, steps, x)
    outputs = _outputs(graph, last, x, require_costs)
    notes["classes"] = [str(label) for label in last.classes_.tolist()]
    notes["answers"] = [str(label) for label in last.actions_.tolist()]
    return _finished(graph, outputs, notes)


def _steps(model: Any) -> tuple[list[Any], Any]:
    """Transformers, and the reduction that decides."""
    steps = []
    if isinstance(model, Pipeline):
        steps = [step for _, step in model.steps[:-1]]
        model = model.steps[-1][1]
    if type(model) is SoftCostClassifierCV:
        check_is_fitted(model, "best_estimator_")
        model = model.best_estimator_
    if type(model) is not MinimumExpectedCost and type(model) not in REDUCTIONS:
        raise refused(f"A {type(model).__name__}")
    check_is_fitted(model, "classes_")
    return steps, model


def _outputs(graph: Graph, model: Any, x: str, require_costs: bool) -> list[Any]:
    """Name the outputs; return their descriptions."""
    n_answers, tensors = len(model.actions_), {}
    if type(model) is MinimumExpectedCost:
        p = _class_probabilities(graph, model, x)
        decided = _decision(graph, model, p, x, require_costs)
        scores = decided.pop("scores")
        tensors = {"probabilities": p, **decided}
    else:
        if len(model.classes_) == 1:
            scores = graph.repeated(np.zeros(n_answers), x)
        else:
            scores = reduction_scores(graph, model, x)
        tensors = {"scores": scores}
    answers = model.actions_
    if answers.dtype.kind not in "biuf":
        answers = np.array([str(answer) for answer in answers.tolist()], object)
    elif answers.dtype.kind in "iu":
        answers = answers.astype(np.int64)
    best = graph.op("ArgMax", scores, axis=1, keepdims=0)
    label = graph.op("Gather", answers, best, axis=0)
    of_type = {"O": TensorProto.STRING, "i": TensorProto.INT64, "b": TensorProto.BOOL}
    dtype = of_type.get(answers.dtype.kind, TensorProto.DOUBLE)
    infos = [helper.make_tensor_value_info("label", dtype, ["n"])]
    for name in tensors:
        width = len(model.classes_) if name == "probabilities" else n_answers
        shape: list[Any] = ["n", width]
        infos.append(helper.make_tensor_value_info(name, TensorProto.DOUBLE, shape))
    for name, tensor in {"label": label, **tensors}.items():
        graph.nodes.append(helper.make_node("Identity", [tensor], [name], name))
    return infos


def _finished(graph: Graph, outputs: list[Any], notes: dict[str, Any]) -> Any:
    proto = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "softcost",
            graph.inputs,
            outputs,
            initializer=list(graph.constants.values()),
        ),
        opset_imports=[
            helper.make_opsetid("", _OPSET),
            helper.make_opsetid(ML, _ML_OPSET),
        ],
        ir_version=_IR_VERSION,
        producer_name="softcost",
        producer_version=__version__,
    )
    helper.set_model_props(proto, {NOTES: json.dumps(notes)})
    onnx.checker.check_model(proto)
    return proto

"""Schemas of the reductions."""

from collections.abc import Callable, Iterator
from inspect import signature
from typing import Any

import numpy as np

from softcost.models._array_kinds import (
    Array,
    whole_numbers,
)
from softcost.models._common_kinds import (
    COUNT,
    ESTIMATOR,
    FLAG,
    JOBS,
    NUMBER,
    PLAIN,
    POSITIVE,
    SEED,
    require_fitted,
)
from softcost.models._errors import Refused
from softcost.models._kinds import (
    ListOf,
    Part,
    Real,
    Record,
    Text,
    Tuple,
    bind,
    maybe,
    one_of,
)
from softcost.models._machine_types import shape_of
from softcost.models._own_types import NAMED
from softcost.models._schema import FEATURES, Type, made
from softcost.models._values import Answers, Labels
from softcost.reductions import CATALOGUE, FlatReduction

_SOLUTIONS = Part(["Machines", "LinearMachines", "FittedModels"])
_PARAMS = {
    "learner": maybe(ESTIMATOR), "cost_matrix": PLAIN, "classes": PLAIN,
    "actions": PLAIN, "softness": PLAIN, "error_weight": PLAIN, "action_error": PLAIN,
    "n_jobs": JOBS, "random_state": SEED,
}  # fmt: skip
MATRIX = Array("f8", ("K", "A"))
_FITTED = FEATURES | {
    "classes_": Labels("K"), "cost_scale_": Real(0), "costs_by_example_": FLAG,
    "_extra": Answers("E"), "_raw_matrix": maybe(MATRIX),
}  # fmt: skip
# A row has a pair with every class, and every pair an indicator of every class.
_MOST_PAIRED = 4000
# With one class there is nothing to learn.
_LEARNT = frozenset({"n_features_in_", "solutions_", "estimator_", "_members"})

Check = Callable[[Record], None]


def _answering(check: Check) -> Check:
    """A check that knows how many answers there are: classes, and actions beyond."""

    def known(record: Record) -> None:
        if record.fitted is not None:
            bind(record.dims, "A", record.dims["K"] + record.dims["E"])
            if (record.get("_raw_matrix") is None) != record.get("costs_by_example_"):
                raise Refused("_raw_matrix: it goes with prices by class")
        check(record)

    return known


def check_solutions(
    solved: Any, record: Record, count: int, features: int | None
) -> None:
    """Refuse models of subproblems that do not fit: how many, and of what."""
    bind({}, count, solved.dims["m"])
    learner = record.params.get("learner")
    if solved.type == "FittedModels":
        for member in solved.fitted["members"]:
            require_fitted(member, features, "members")
        return
    shape = shape_of(solved)
    maker = "KernelSVC" if learner is None else learner.type
    if maker not in shape.makers:
        raise Refused("solutions_: machines that this learner does not make")
    if features is None:
        raise Refused("solutions_: machines, and no number of features")
    if shape.features is not None:
        bind({}, features, shape.features)
    kernel = "perceptron" if learner is None else learner.params.get("kernel")
    if kernel is not None and kernel != shape.kernel:
        raise Refused("solutions_: machines of another kernel")


def _flat(how_many: Callable[[int], int]) -> Check:
    def check(record: Record) -> None:
        if record.fitted is None or record.dims["K"] == 1:
            return
        solved = record.fitted.get("solutions_")
        if solved is None:
            raise Refused("solutions_: missing")
        check_solutions(
            solved, record, how_many(record.dims["A"]), record.dims.get("d")
        )

    return check


def _check_filter_tree(record: Record) -> None:
    """A tournament in which every answer plays, every winner plays once more."""
    if record.fitted is None or record.dims["K"] == 1:
        return
    nodes, solved = record.fitted.get("_nodes"), record.fitted.get("solutions_")
    if nodes is None or solved is None:
        raise Refused("solutions_: missing")
    sides = nodes[:, :2]
    wanted = [*range(-len(nodes) + 1, 0), *range(record.dims["A"])]
    if sorted(sides.ravel().tolist()) != wanted:
        raise Refused("_nodes: not a tournament of the answers")
    heights: list[int] = []
    for number, (left, right, height) in enumerate(nodes.tolist()):
        below = [heights[-1 - side] if side < 0 else 0 for side in (left, right)
                 if side >= -number]  # fmt: skip
        if len(below) < 2 or height != 1 + max(below):
            raise Refused("_nodes: a match before those that it needs")
        heights.append(height)
    counts = np.bincount(heights)[1:]
    if len(counts) != len(solved):
        raise Refused("solutions_: not one for each level")
    for count, level in zip(counts.tolist(), solved, strict=True):
        check_solutions(level, record, count, record.dims.get("d"))


def _take_filter_tree(value: Any) -> dict[str, Any] | None:
    found = _attributes(value, FILTER_TREE)
    if found is not None and "_nodes" in found:
        found["_nodes"] = np.array([tuple(node) for node in found["_nodes"]], np.int64)
    return found


def _make_filter_tree(kind: Any, params: dict, fitted: dict | None) -> Any:
    value = made(kind, params, fitted)
    if fitted is not None and "_nodes" in fitted:
        value.__dict__["_nodes"] = [_node(row) for row in fitted["_nodes"].tolist()]
    return value


def _node(row: list[int]) -> Any:
    from importlib import import_module

    return import_module("softcost.reductions._filter_tree").Node(*row)


def _attributes(value: Any, schema: Type) -> dict[str, Any] | None:
    own = vars(value)
    found = {name: own[name] for name in schema.fitted if name in own}
    return found or None


def _check_boosting(record: Record) -> None:
    """Models see pairs of a row and a class: features, indicators, perhaps products."""
    if record.fitted is None or record.dims["K"] == 1:
        return
    features, classes = record.dims["d"], record.dims["K"]
    if classes > _MOST_PAIRED:
        raise Refused(f"classes_: more than {_MOST_PAIRED}, in pairs with rows")
    how, learner = record.params.get("pair_features"), record.params.get("learner")
    width = features + classes
    for solved in record.fitted.get("solutions_", []):
        if solved.type == "FittedModels":
            check_solutions(solved, record, 1, None)
            continue
        linear = shape_of(solved).kernel == "linear"
        if how == "interact" or (how == "auto" and linear):
            width = features + classes + features * classes
        if learner is None:
            raise Refused("solutions_: machines that this learner does not make")
        check_solutions(solved, record, 1, width)


def _check_members(*names: str) -> Check:
    def check(record: Record) -> None:
        if record.fitted is None or record.dims["K"] == 1:
            return
        for name in names:
            if name not in record.fitted:
                raise Refused(f"{name}: missing")
            found = record.fitted[name]
            for member in found if isinstance(found, list) else [found]:
                require_fitted(member, record.dims.get("d"), name)
                _check_class_numbers(member, record)

    return check


def _check_class_numbers(member: Record, record: Record) -> None:
    """A learner of class numbers knows none beyond the classes."""
    columns = record.get("_columns")
    while member.type == "FrozenEstimator":
        member = member.params["estimator"]
    known = member.get("classes_")
    if columns is not None:
        if known is not None:
            bind({}, len(columns), len(known))
        if len(columns) and columns.max() >= record.dims["K"]:
            raise Refused("_columns: no class of this number")
    elif member.type == "OneClass":
        known = np.array([member.get("number")])
    if columns is None and known is not None:
        whole = known.dtype.kind in "iu"
        if not whole or known.min() < 0 or known.max() >= record.dims["K"]:
            raise Refused("classes_: not numbers of the classes")


def _check_expected(record: Record) -> None:
    """A calibration knows none but the classes; means go with costs by example."""
    _check_members("estimator_")(record)
    if record.fitted is None:
        return
    for name in ("_mean_costs", "_mean_scaled"):
        if (record.fitted[name] is None) == record.fitted["costs_by_example_"]:
            raise Refused(f"{name}: they go with costs by example")
    curves = record.get("_calibration")
    if curves is not None and curves.fitted["present"].max() >= record.dims["K"]:
        raise Refused("_calibration: no class of this number")


def _check_blend(record: Record) -> None:
    """Weights as `BlendedClassifier` learns them, and a model wherever one counts."""
    if record.fitted is None:
        return
    weights, doubt = record.fitted["weights_"], record.fitted["doubt_"]
    if (doubt < 0).any() or not doubt.sum() < 1:
        raise Refused("doubt_: it is negative, or one or more in all")
    if (weights < 0).any() or not np.isclose(weights.sum(), 1.0):
        raise Refused("weights_: they are negative, or their sum is not one")
    if record.fitted["power_"] <= 0:
        raise Refused("power_: it is not positive")
    counts = weights + doubt > 0
    for counted, member in zip(counts, record.fitted["estimators_"], strict=True):
        if (member is None) == counted:
            raise Refused("estimators_: not one for each weight")
        if member is not None:
            require_fitted(member, record.dims.get("d"), "estimators_")
            _check_class_numbers(member, record)


def _check_scores(record: Record) -> None:
    """A fitted classifier of the same classes, with no answer beyond them."""
    if record.fitted is None:
        return
    member = record.fitted["estimator_"]
    require_fitted(member, record.dims.get("d"), "estimator_")
    if not np.array_equal(member.get("classes_"), record.fitted["classes_"]):
        raise Refused("classes_: not those of the classifier")
    if member.dims.get("E"):
        raise Refused("estimator_: it has answers beyond the classes")


FILTER_TREE = Type(
    "softcost.reductions:FilterTree",
    _PARAMS | {"order": PLAIN},
    _FITTED | {
        "_nodes": Array("i8", ("matches", 3)), "solutions_": ListOf(_SOLUTIONS),
    },
    NAMED | _LEARNT | {"_nodes"},
    check=_answering(_check_filter_tree),
    take=_take_filter_tree,
    make=_make_filter_tree,
)  # fmt: skip


_TIES: dict[str, Any] = {"tie_break": one_of("margin", "first")}


def _flat_types() -> Iterator[Type]:
    """Flat reductions of the catalogue, which are all stored alike."""
    for entry in CATALOGUE.values():
        reduction = entry.load()
        if issubclass(reduction, FlatReduction):
            ties = _TIES if "tie_break" in signature(reduction).parameters else {}
            yield Type(
                f"softcost.reductions:{entry.class_name}",
                _PARAMS | ties,
                _FITTED | {"solutions_": _SOLUTIONS},
                NAMED | _LEARNT,
                check=_answering(_flat(reduction().n_subproblems)),
            )


_MEMBERS = ListOf(ESTIMATOR)

REDUCTION_TYPES = [
    *_flat_types(),
    FILTER_TREE,
    Type(
        "softcost.reductions:StochasticEnsembleBoosting",
        _PARAMS | {
            "n_rounds": COUNT, "pair_features": one_of("auto", "concat", "interact"),
        },
        _FITTED | {"solutions_": ListOf(_SOLUTIONS)},
        NAMED | _LEARNT,
        check=_answering(_check_boosting),
    ),
    Type(
        "softcost.reductions:MetaCost",
        _PARAMS | {"n_resamples": COUNT, "use": one_of("all", "out", "in")},
        _FITTED | {"relabelled_": PLAIN, "estimator_": ESTIMATOR},
        NAMED | _LEARNT | {"relabelled_"},
        check=_answering(_check_members("estimator_")),
    ),
    Type(
        "softcost.reductions:Costing",
        _PARAMS | {"n_draws": COUNT, "sampling": one_of("auto", "always")},
        _FITTED | {"_members": _MEMBERS},
        NAMED | _LEARNT,
        check=_answering(_check_members("_members")),
    ),
    Type(
        "softcost.reductions:MinimumExpectedCost",
        _PARAMS | {"calibration": maybe(one_of("temperature", "isotonic", "sigmoid"))},
        _FITTED | {
            "_error_weight": Array("f8", ("K",)), "_mean_costs": maybe(MATRIX),
            "_mean_scaled": maybe(MATRIX), "_columns": maybe(whole_numbers("known")),
            "estimator_": ESTIMATOR, "_calibration": maybe(Part(["Calibration"])),
        },
        NAMED | _LEARNT | {"_columns", "_calibration"},
        check=_answering(_check_expected),
    ),
    Type(
        "softcost.reductions:BlendedClassifier",
        {"estimators": ListOf(Tuple((Text(), ESTIMATOR))), "weights": PLAIN,
         "power": maybe(NUMBER), "doubt": PLAIN, "cv": PLAIN, "n_jobs": JOBS,
         "random_state": SEED},
        FEATURES | {
            "classes_": Labels("K"), "weights_": Array("f8", ("m",)), "power_": NUMBER,
            "doubt_": Array("f8", ("m",)),
            "estimators_": ListOf(maybe(ESTIMATOR), "m"),
        },
        NAMED | {"n_features_in_"},
        check=_check_blend,
    ),
    Type(
        "softcost.reductions:SoftmaxScores",
        {"classifier": ESTIMATOR, "sharpness": POSITIVE},
        FEATURES | {"estimator_": ESTIMATOR, "classes_": Labels("K")},
        NAMED | {"n_features_in_"},
        check=_check_scores,
    ),
]  # fmt: skip

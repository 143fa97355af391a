"""Learners and reductions: probabilities, decision functions, values and scores.

Conversion is by exact type: a subclass may predict otherwise, so it is refused.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import (
    ElasticNet,
    Lasso,
    LinearRegression,
    LogisticRegression,
    Ridge,
    RidgeClassifier,
    SGDClassifier,
    SGDRegressor,
)
from sklearn.pipeline import Pipeline
from sklearn.svm import LinearSVC
from sklearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)

from softcost.learners import BoostedTrees, Constant, FittedModels
from softcost.linear import (
    LinearClassifier,
    NystroemClassifier,
    OneSidedLinear,
    OneSidedNystroem,
)
from softcost.onnx.graph import Graph, refused
from softcost.onnx.table_graph import transformed
from softcost.onnx.tree_ensemble import hist_trees, lightgbm_trees, sklearn_trees
from softcost.reductions import (
    BlendedClassifier,
    ClippedTargetRegressor,
    CostSensitiveOneVsOne,
    OneSidedBoosting,
    OneSidedRegression,
    RegressionOneVsAll,
    SoftmaxScores,
    WeightedAllPairs,
    ZhouLiuRescaling,
)
from softcost.reductions.base import OneClass
from softcost.svm import KernelSVC, OneSidedSVR

Vector = NDArray[np.float64]
_TINY = float(np.finfo(np.float32).tiny)


# Kernels, see `softcost.solvers.kernels`.


def _manhattan(graph: Graph, x: str, vectors: Vector) -> str:
    """Sums of absolute differences, feature by feature: (n, m) at a time."""
    total = ""
    for k in range(vectors.shape[1]):
        column = graph.columns(x, [k])
        term = graph.op("Abs", graph.op("Sub", column, vectors[:, k]))
        total = term if not total else graph.op("Add", total, term)
    return total


def _kernel_values(
    graph: Graph, name: str, gamma: float, x: str, vectors: Vector
) -> str:
    """The distance form of a kernel between rows and vectors, shape (n, m)."""
    if name in ("stump", "laplacian"):
        distance = _manhattan(graph, x, vectors)
    else:
        squares = graph.total(graph.op("Mul", x, x))
        product = graph.op("MatMul", x, -2.0 * vectors.T)
        shifted = graph.op("Add", product, (vectors**2).sum(axis=1))
        distance = graph.op("Max", graph.op("Add", shifted, squares), 0.0)
        if name == "linear":
            return graph.op("Mul", distance, -0.5)
        if name in ("perceptron", "exponential"):
            distance = graph.op("Sqrt", distance)
    if name in ("perceptron", "stump"):
        return graph.op("Neg", distance)
    powers = graph.op("Exp", graph.op("Mul", distance, -gamma))
    return graph.op("Sub", powers, 1.0)


def _machine_outputs(graph: Graph, machines: Any, x: str) -> str:
    """Outputs of `Machines` of svm or `LinearMachines`, shape (n, n_machines)."""
    if hasattr(machines, "vectors"):
        if machines.vectors is None:
            raise refused("A precomputed kernel", "Choose a kernel of features.")
        spec, vectors, centre = (
            machines.kernel,
            machines.vectors,
            machines.kernel.centre,
        )
        coef, shift = machines.coef, machines.offset
    elif hasattr(machines.model, "space"):
        space = machines.model.space
        spec, vectors, centre = space.kernel, space.vectors, space.centre
        coef, shift = machines.model.coef[:-1], machines.model.coef[-1]
    else:
        return graph.affine(x, machines.model.coef, machines.model.intercept)
    centred = x if centre is None else graph.op("Sub", x, centre)
    single = graph.to_single(centred)
    values = _kernel_values(
        graph, spec.name, spec.gamma, single, vectors.astype(np.float64)
    )
    return graph.affine(values, coef, shift)


def _pair_scores(graph: Graph, outputs: str, n: int, margins: bool) -> str:
    """Votes of pairs, and margins that break ties; as `pair_votes`, `vote_margins`."""
    missing = graph.op("IsNaN", outputs)
    if n == 2:
        zero = graph.op("Equal", outputs, 0.0)
        margin = graph.op("Where", zero, -_TINY, outputs)
        margin = graph.op("Where", missing, 0.0, margin)
        half = graph.op("Mul", margin, -0.5)
        return graph.negative_and(half)
    first, second = np.triu_indices(n, 1)
    wins = graph.cast(graph.op("Greater", outputs, 0.0))
    wins = graph.op("Where", missing, 0.5, wins)
    difference = np.eye(n)[first] - np.eye(n)[second]
    votes = graph.affine(wins, difference, np.eye(n)[second].sum(axis=0))
    if not margins:
        return votes
    known = graph.op("Where", missing, 0.0, outputs)
    sums = graph.op("MatMul", known, difference)
    size = graph.op("Add", graph.op("Abs", sums), 1.0)
    ratio = graph.op("Div", graph.op("Mul", sums, 0.2), size)
    return graph.op("Add", votes, ratio)


def _unwrapped(graph: Graph, model: Any, x: str) -> tuple[Any, str]:
    """The model inside pipelines and frozen estimators, and its input."""
    while isinstance(model, Pipeline | FrozenEstimator):
        if isinstance(model, Pipeline):
            *steps, last = (step for _, step in model.steps)
            model, x = last, transformed(graph, steps, x)
        else:
            model = model.estimator
    return model, x


# Learners: probabilities, decision functions and values.


_FORESTS = (RandomForestClassifier, ExtraTreesClassifier)
_SINGLE_TREES = (DecisionTreeClassifier, ExtraTreeClassifier)
_MARGINS = (LinearClassifier, NystroemClassifier)
_LINEAR_CLASSIFIERS = (LogisticRegression, LinearSVC, SGDClassifier, RidgeClassifier)
_LINEAR_REGRESSORS = (LinearRegression, Ridge, Lasso, ElasticNet, SGDRegressor)
_REGRESSION_FORESTS = (RandomForestRegressor, ExtraTreesRegressor)
_REGRESSION_TREES = (DecisionTreeRegressor, ExtraTreeRegressor)


def _is_lightgbm(model: Any, name: str) -> bool:
    """Whether a model is LightGBM's class of this name, without importing it."""
    cls = type(model)
    return cls.__name__ == name and cls.__module__.split(".")[0] == "lightgbm"


def probabilities(graph: Graph, model: Any, x: str) -> str:
    """``predict_proba``, shape (n, n_classes of the model)."""
    model, x = _unwrapped(graph, model, x)
    kind, n = type(model), len(model.classes_)
    if kind is OneClass:
        return graph.repeated([1.0], x)
    if kind is BlendedClassifier:
        return _blended(graph, model, x)
    if kind is SoftmaxScores:
        return _softmax_scores(graph, model, x)
    if kind is BoostedTrees or _is_lightgbm(model, "LGBMClassifier"):
        return _boosted(graph, model, x)
    if kind in _FORESTS:
        return sklearn_trees(graph, model.estimators_, x)
    if kind in _SINGLE_TREES:
        return sklearn_trees(graph, [model], x)
    if kind is DummyClassifier and model.strategy == "prior":
        return graph.repeated(model.class_prior_, x)
    if kind is HistGradientBoostingClassifier:
        raw = hist_trees(graph, model, x)
        return graph.sigmoid_pair(raw) if n == 2 else graph.op("Softmax", raw, axis=1)
    if kind in _MARGINS and model.loss == "logistic":
        return one_vs_rest(graph, _machine_outputs(graph, model.machines_, x), n)
    if kind is LogisticRegression:
        raw = graph.affine(x, model.coef_.T, model.intercept_)
        by_class = getattr(model, "multi_class", "auto") == "ovr"
        if n == 2 or by_class or model.solver == "liblinear":
            return one_vs_rest(graph, raw, n)
        return graph.op("Softmax", raw, axis=1)
    raise refused(f"Probabilities of {kind.__name__}")


def one_vs_rest(graph: Graph, raw: str, n_classes: int) -> str:
    if n_classes == 2:
        return graph.sigmoid_pair(raw)
    return graph.normalised(graph.op("Sigmoid", raw), n_classes)


def _boosted(graph: Graph, model: Any, x: str) -> str:
    if type(model) is BoostedTrees:
        if model.fallback_ is not None:
            inner = probabilities(graph, model.fallback_, x)
            places = model.fallback_.classes_.astype(int)
            return graph.placed(inner, places, len(model.classes_))
        if model.booster_ is None:
            return graph.repeated(model.prior_, x)
    raw, objective = lightgbm_trees(graph, model.booster_, x)
    name, *settings = objective.split()
    if name == "binary":
        factors = dict(setting.split(":") for setting in settings if ":" in setting)
        factor = float(factors.get("sigmoid", 1.0))
        return graph.sigmoid_pair(graph.op("Mul", raw, factor))
    if name == "multiclass":
        return graph.op("Softmax", raw, axis=1)
    raise refused(f"LightGBM with the objective {name!r}", "Use binary or multiclass.")


def _blended(graph: Graph, blend: BlendedClassifier, x: str) -> str:
    """As `BlendedClassifier.predict_proba`."""
    n, average, smoothed = len(blend.classes_), "", ""

    def plus(total: str, share: float, p: str) -> str:
        part = graph.op("Mul", p, float(share))
        return part if not total else graph.op("Add", total, part)

    for weight, share, member in zip(
        blend.weights_, blend.smoothing_, blend.estimators_, strict=True
    ):
        if member is None:
            continue
        p = graph.placed(probabilities(graph, member, x), member.classes_, n)
        average = plus(average, weight, p)
        smoothed = plus(smoothed, share, p) if blend.smoothing_.any() else ""
    power = blend.inverse_temperature_
    if power != 1:
        largest = graph.op("ReduceMax", average, np.array([1]), keepdims=1)
        powers = graph.op("Pow", graph.op("Div", average, largest), power)
        average = graph.op("Div", powers, graph.total(powers))
    if not smoothed:
        return average
    rest = graph.op("Mul", average, float(1 - blend.smoothing_.sum()))
    return graph.op("Add", rest, smoothed)


def _softmax_scores(graph: Graph, model: SoftmaxScores, x: str) -> str:
    scores = decisions(graph, model.estimator_, x)
    if len(model.classes_) == 2:
        zero = graph.op("Mul", scores, 0.0)
        scores = graph.joined([zero, scores])
    sharp = graph.op("Mul", scores, float(model.sharpness))
    return graph.op("Softmax", sharp, axis=1)


def decisions(graph: Graph, model: Any, x: str) -> str:
    """``decision_function``, shape (n, 1) for two classes, else (n, n_classes)."""
    model, x = _unwrapped(graph, model, x)
    kind, n = type(model), len(model.classes_)
    if kind in REDUCTIONS:
        scores = reduction_scores(graph, model, x)
        if len(model.actions_) > 2:
            return scores
        return graph.op("Sub", graph.columns(scores, [1]), graph.columns(scores, [0]))
    if kind is KernelSVC:
        outputs = _machine_outputs(graph, model.machines_, x)
        if n == 2:
            return outputs
        return _pair_scores(graph, outputs, n, model.breaks_ties_)
    if kind in _MARGINS:
        return _machine_outputs(graph, model.machines_, x)
    if kind in _LINEAR_CLASSIFIERS:
        return graph.affine(x, model.coef_.T, model.intercept_)
    if kind is HistGradientBoostingClassifier:
        return hist_trees(graph, model, x)
    if _is_lightgbm(model, "LGBMClassifier"):
        return lightgbm_trees(graph, model.booster_, x)[0]
    raise refused(f"The decision function of {kind.__name__}")


def _values(graph: Graph, model: Any, x: str) -> str:
    """``predict`` of a regressor, shape (n, 1)."""
    model, x = _unwrapped(graph, model, x)
    kind = type(model)
    if kind is ClippedTargetRegressor:
        return _values(graph, model.regressor_, x)
    if kind in (OneSidedSVR, OneSidedLinear, OneSidedNystroem):
        return _machine_outputs(graph, model.machines_, x)
    if kind in _LINEAR_REGRESSORS and np.ndim(model.coef_) == 1:
        return graph.affine(x, model.coef_[:, None], np.ravel(model.intercept_))
    if kind in _REGRESSION_FORESTS:
        return sklearn_trees(graph, model.estimators_, x)
    if kind in _REGRESSION_TREES:
        return sklearn_trees(graph, [model], x)
    if kind is HistGradientBoostingRegressor and model.loss == "squared_error":
        return hist_trees(graph, model, x)
    if kind is OneSidedBoosting:
        if model.booster_ is None:
            return graph.repeated([model.start_], x)
        raw, _ = lightgbm_trees(graph, model.booster_, x)
        scaled = graph.op("Mul", raw, float(model.scale_))
        return graph.op("Add", scaled, float(model.start_))
    if _is_lightgbm(model, "LGBMRegressor") and model.objective_ == "regression":
        return lightgbm_trees(graph, model.booster_, x)[0]
    raise refused(f"The regressor {kind.__name__}")


def _signed(graph: Graph, member: Any, x: str) -> str:
    """As `softcost.learners.fitting.signed`, shape (n, 1)."""
    if isinstance(member, Constant):
        return graph.repeated([member.value], x)
    if not hasattr(member, "classes_"):
        return _values(graph, member, x)
    if hasattr(member, "decision_function"):
        return decisions(graph, member, x)
    p = probabilities(graph, member, x)
    higher = graph.op("Greater", graph.columns(p, [1]), graph.columns(p, [0]))
    return graph.op("Where", higher, 1.0, -1.0)


# Reductions: from features to scores and decisions.


_ONE_SIDED = (OneSidedRegression, RegressionOneVsAll)
_PAIRWISE = (CostSensitiveOneVsOne, WeightedAllPairs, ZhouLiuRescaling)
REDUCTIONS = (*_ONE_SIDED, *_PAIRWISE)


def reduction_scores(graph: Graph, model: Any, x: str) -> str:
    """Scores of a flat reduction, shape (n, A)."""
    solutions = model.solutions_
    if isinstance(solutions, FittedModels):
        outputs = graph.joined([_signed(graph, m, x) for m in solutions.members])
    else:
        outputs = _machine_outputs(graph, solutions, x)
    if type(model) in _ONE_SIDED:
        return graph.op("Neg", outputs)
    margins = model.tie_break == "margin"
    return _pair_scores(graph, outputs, len(model.actions_), margins)

"""From the words of a command line to a model: columns, reduction, learner."""

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder

from softcost.cli._names import REDUCTIONS
from softcost.cli._table import Kind
from softcost.reductions import (
    Costing,
    CostSensitiveOneVsOne,
    FilterTree,
    MetaCost,
    MinimumExpectedCost,
    OneSidedBoosting,
    OneSidedRegression,
    Reduction,
    RegressionOneVsAll,
    StochasticEnsembleBoosting,
    WeightedAllPairs,
    ZhouLiuRescaling,
)
from softcost.svm import KernelSVC, OneSidedSVR

MOST_ROWS_OF_SVM = 15_000  # beyond, "auto" is boosting
EMPTY = "(missing)"
_MOST_VALUES = 200  # of a nominal column; rarer ones share a feature

_CLASSES: dict[str, type[Reduction]] = {
    "osr": OneSidedRegression,
    "csovo": CostSensitiveOneVsOne,
    "wap": WeightedAllPairs,
    "csft": FilterTree,
    "cszl": ZhouLiuRescaling,
    "csovr": RegressionOneVsAll,
    "metacost": MetaCost,
    "gbse": StochasticEnsembleBoosting,
    "costing": Costing,
    "mec": MinimumExpectedCost,
}
assert set(_CLASSES) == set(REDUCTIONS)


def make_reduction(name: str, learner: str, n_rows: int) -> tuple[Reduction, str]:
    """A reduction with its learner, and the learner's name."""
    if learner == "auto":
        learner = "svm" if n_rows <= MOST_ROWS_OF_SVM else "boosting"
        if name == "mec" and learner == "svm":
            learner = "linear"  # it needs probabilities
    if name == "mec" and learner == "svm":
        raise ValueError(
            "--reduction mec needs probabilities, which --learner svm does not have; "
            "choose --learner linear or boosting."
        )
    return _CLASSES[name](_learner(name, learner)), learner


def _learner(reduction: str, name: str) -> BaseEstimator:
    values = reduction in ("osr", "csovr")
    if name == "svm":
        return OneSidedSVR() if values else KernelSVC()
    if name == "linear":
        return Ridge() if values else LogisticRegression(max_iter=1000)
    if reduction == "osr" and find_spec("lightgbm") is not None:
        return OneSidedBoosting()
    if values:
        return HistGradientBoostingRegressor()
    return HistGradientBoostingClassifier()


def make_encoder(kinds: Mapping[str, Kind]) -> ColumnTransformer:
    """Fill empty cells, one-hot encode words, scale numbers to [0, 1].

    An empty cell of words is a value of its own, an empty number the median. A value
    that was not there when the model was fitted has no feature.
    """
    numbers = [name for name, kind in kinds.items() if kind == "number"]
    words = [name for name, kind in kinds.items() if kind == "nominal"]
    steps: list[tuple[str, Any, list[str]]] = []
    if numbers:
        filled = SimpleImputer(strategy="median", keep_empty_features=True)
        scaled = Pipeline([("fill", filled), ("scale", MinMaxScaler())])
        steps.append(("numbers", scaled, numbers))
    if words:
        filled = SimpleImputer(
            strategy="constant", fill_value=EMPTY, keep_empty_features=True
        )
        encoded = OneHotEncoder(
            handle_unknown="ignore", sparse_output=False, max_categories=_MOST_VALUES
        )
        steps.append(
            ("words", Pipeline([("fill", filled), ("encode", encoded)]), words)
        )
    return ColumnTransformer(steps)

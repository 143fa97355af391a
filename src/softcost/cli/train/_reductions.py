"""From the names of a reduction and a learner to estimators."""

from importlib.util import find_spec

from sklearn.base import BaseEstimator
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.linear_model import LogisticRegression, Ridge

from softcost.cli.train._names import REDUCTIONS
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

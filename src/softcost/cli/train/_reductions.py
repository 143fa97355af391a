"""From the names of a reduction and a learner to estimators."""

from importlib.util import find_spec
from typing import Literal, NamedTuple

from sklearn.base import BaseEstimator
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.linear_model import LogisticRegression, Ridge

from softcost.cli.train._job import Job
from softcost.cli.train._names import COSTS_BY_CLASS_ONLY
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

LearnerKind = Literal["classifier", "regressor", "one-sided", "probabilities"]


class Entry(NamedTuple):
    """A reduction, and the kind of learner that it needs."""

    reduction: type[Reduction]
    learner: LearnerKind


def entries() -> dict[str, Entry]:
    """All reductions by name: the only place here that knows them."""
    return {
        "osr": Entry(OneSidedRegression, "one-sided"),
        "csovo": Entry(CostSensitiveOneVsOne, "classifier"),
        "wap": Entry(WeightedAllPairs, "classifier"),
        "csft": Entry(FilterTree, "classifier"),
        "cszl": Entry(ZhouLiuRescaling, "classifier"),
        "csovr": Entry(RegressionOneVsAll, "regressor"),
        "metacost": Entry(MetaCost, "classifier"),
        "gbse": Entry(StochasticEnsembleBoosting, "classifier"),
        "costing": Entry(Costing, "classifier"),
        "mec": Entry(MinimumExpectedCost, "probabilities"),
    }


def make_reduction(job: Job, n_rows: int) -> tuple[Reduction, str]:
    """The reduction with its learner, and the learner's name."""
    if job.cost_columns is not None and job.reduction in COSTS_BY_CLASS_ONLY:
        raise ValueError(
            f"--reduction {job.reduction} needs prices by class: give --costs FILE "
            "instead of --cost-columns, or choose another reduction."
        )
    entry = entries()[job.reduction]
    name = job.learner
    if name == "auto":
        name = default_learner(entry.learner, n_rows)
    if name == "svm" and entry.learner == "probabilities":
        raise ValueError(
            f"--reduction {job.reduction} needs probabilities, which --learner svm "
            "does not have; choose --learner linear or boosting."
        )
    return entry.reduction(make_learner(name, entry.learner)), name


def default_learner(kind: LearnerKind, n_rows: int) -> str:
    """What "auto" stands for."""
    if n_rows > MOST_ROWS_OF_SVM:
        return "boosting"
    return "linear" if kind == "probabilities" else "svm"


def make_learner(name: str, kind: LearnerKind) -> BaseEstimator:
    """A learner of a kind by its name."""
    values = kind in ("one-sided", "regressor")
    if name == "svm":
        return OneSidedSVR() if values else KernelSVC()
    if name == "linear":
        return Ridge() if values else LogisticRegression(max_iter=1000)
    if kind == "one-sided" and find_spec("lightgbm") is not None:
        return OneSidedBoosting()
    if values:
        return HistGradientBoostingRegressor()
    return HistGradientBoostingClassifier()

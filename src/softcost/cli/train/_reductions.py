"""From the names of a reduction and a learner to estimators."""

from importlib.util import find_spec

from sklearn.base import BaseEstimator
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.linear_model import LogisticRegression

from softcost.cli.train._job import Job
from softcost.linear import (
    LinearClassifier,
    NystroemClassifier,
    OneSidedLinear,
    OneSidedNystroem,
)
from softcost.reductions import CATALOGUE, OneSidedBoosting, Reduction
from softcost.svm import KernelSVC, OneSidedSVR

MOST_ROWS_OF_SVM = 15_000  # beyond, "auto" is boosting


def make_reduction(job: Job, n_rows: int) -> tuple[Reduction, str]:
    """The reduction with its learner, and the learner's name."""
    entry = CATALOGUE[job.reduction]
    if job.cost_columns is not None and entry.by_class_only:
        raise ValueError(
            f"--reduction {job.reduction} needs prices by class: give --costs FILE "
            "instead of --cost-columns, or choose another reduction."
        )
    name = job.learner
    if name == "auto":
        name = default_learner(entry.needs, n_rows)
    if name in ("svm", "nystroem") and entry.needs == "probabilities":
        raise ValueError(
            f"--reduction {job.reduction} needs probabilities, which --learner {name} "
            "does not have; choose --learner linear or boosting."
        )
    return entry.load()(make_learner(name, entry.needs)), name


def default_learner(kind: str, n_rows: int) -> str:
    """What "auto" stands for."""
    if n_rows > MOST_ROWS_OF_SVM:
        return "boosting"
    return "linear" if kind == "probabilities" else "svm"


def make_learner(name: str, kind: str) -> BaseEstimator:
    """A learner of a kind by its name."""
    values = kind in ("one-sided", "regressor")
    if name == "svm":
        return OneSidedSVR() if values else KernelSVC()
    if name == "linear":
        if kind == "probabilities":
            return LogisticRegression(max_iter=1000)
        return OneSidedLinear() if values else LinearClassifier()
    if name == "nystroem":
        return OneSidedNystroem() if values else NystroemClassifier()
    if kind == "one-sided" and find_spec("lightgbm") is not None:
        return OneSidedBoosting()
    if values:
        return HistGradientBoostingRegressor()
    return HistGradientBoostingClassifier()

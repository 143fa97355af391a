"""From the names of a reduction and a learner to estimators."""

from dataclasses import dataclass
from importlib.util import find_spec
from itertools import product
from typing import Any

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

MOST_ROWS_OF_SVM = 15_000  # beyond, "auto" is quicker and less exact


@dataclass(frozen=True)
class Family:
    """A reduction with its learner, under the names that the user gave them."""

    reduction: str
    learner: str
    model: Reduction

    @property
    def name(self) -> str:
        return f"{self.reduction}-{self.learner}"

    def grid(self, param: dict[str, list[Any]] | None) -> dict[str, list[Any]] | None:
        """Those of the parameters that this family has; None for its default."""
        known = {*self.model.get_params(deep=False)}
        known |= {*self.model.chosen_learner().get_params()}
        own = {
            name: values
            for name, values in (param or {}).items()
            if name.removeprefix("learner__") in known
        }
        return own or None


def make_families(job: Job, n_rows: int) -> list[Family]:
    """Every reduction with every learner that goes with it; none for auto."""
    if job.reduction == ("auto",):
        return []
    pairs = list(product(job.reduction, job.learner))
    if len(pairs) == 1:
        return [make_family(job, *pairs[0], n_rows)]
    found: dict[str, Family] = {}
    for pair in pairs:
        try:
            family = make_family(job, *pair, n_rows)
        except ValueError as error:  # these two do not go together
            reason = error
        else:
            found.setdefault(family.name, family)
    if not found:
        raise reason
    for name in job.param or {}:
        if not any(one.grid({name: []}) is not None for one in found.values()):
            raise ValueError(
                f"--param {name} is a parameter of none of {', '.join(found)}; leave "
                "it out."
            )
    return list(found.values())


def make_family(job: Job, reduction: str, name: str, n_rows: int) -> Family:
    """A reduction with its learner, both by name."""
    entry = CATALOGUE[reduction]
    if job.cost_columns is not None and entry.by_class_only:
        raise ValueError(
            f"--reduction {reduction} needs prices by class: give --costs FILE "
            "instead of --cost-columns, or choose another reduction."
        )
    if name == "auto":
        name = default_learner(entry.needs, n_rows)
    if name in ("svm", "nystroem") and entry.needs == "probabilities":
        raise ValueError(
            f"--reduction {reduction} needs probabilities, which --learner {name} "
            "does not have; choose --learner linear or boosting."
        )
    return Family(reduction, name, entry.load()(make_learner(name, entry.needs)))


def default_learner(kind: str, n_rows: int) -> str:
    """What "auto" stands for.

    With probabilities, one fit serves every softness: boosting is quick enough. All
    others need a fit for each, which machines with a path make together.
    """
    many = n_rows > MOST_ROWS_OF_SVM
    if kind == "probabilities":
        return "boosting" if many else "linear"
    return "nystroem" if many else "svm"


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

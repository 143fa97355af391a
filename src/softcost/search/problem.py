"""The problem of a search: candidates, checked data, folds and holdout rows."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softcost.costs import RowCosts
from softcost.reductions import Reduction, TrainingData
from softcost.search.progress import Progress, silent
from softcost.tables import TableEncoder

Rows = NDArray[np.intp]  # numbers of rows
Fold = tuple[Rows, Rows]  # training and held-out rows


@dataclass(frozen=True)
class Holdout:
    """Rows that take no part in training, on which a budget is tested.

    Attributes
    ----------
    everything : list of TrainingData
        All rows, as checked by each family.
    train, test : arrays of row numbers
        Rows to train with, and holdout rows.
    """

    everything: list[TrainingData]
    train: Rows
    test: Rows

    @property
    def rows(self) -> RowCosts:
        """Labels, costs and weights of all rows."""
        return self.everything[0].rows


@dataclass(frozen=True)
class Candidate:
    """One row of the trade-off: a softness and parameters of the learner.

    ``family`` is None in a search over one reduction.
    """

    softness: float
    params: dict[str, Any]
    family: str | None = None

    @property
    def settings(self) -> dict[str, Any]:
        """Its entry in ``cv_results_["params"]``."""
        family = {} if self.family is None else {"family": self.family}
        return {**family, "softness": self.softness, **self.params}


@dataclass(frozen=True)
class SearchProblem:
    """A search over one reduction: its candidates and its data.

    Attributes
    ----------
    reduction : Reduction
        With everything set but softness and the learner's parameters.
    data : TrainingData
        Checked once, for all folds.
    folds : list of (train, test)
    settings : list of dict
        Candidate parameters of the learner, increasing in C.
    softness : array
        Candidate values, increasing.
    n_jobs : int or None
        As in the search.
    progress : callable
        Called with the number of finished and of all pieces of work.
    family : str or None
        Its name; None in a search over one reduction.
    blends : tuple of str
        Families whose probabilities it averages, with weights fitted to their held-out
        predictions.
    """

    reduction: Reduction
    data: TrainingData
    folds: list[Fold]
    settings: list[dict[str, Any]]
    softness: NDArray[np.float64]
    n_jobs: int | None
    progress: Progress
    family: str | None = None
    blends: tuple[str, ...] = ()

    @cached_property
    def candidates(self) -> list[Candidate]:
        """One for each row of the trade-off: settings, then softness values."""
        return [
            Candidate(float(value), params, self.family)
            for params in self.settings
            for value in self.softness
        ]

    @property
    def tests(self) -> list[NDArray[np.intp]]:
        """Held-out rows of every fold."""
        return [test for _, test in self.folds]

    def model(self, candidate: Candidate) -> Reduction:
        """The unfitted model of a candidate."""
        return self.reduction.configured(candidate.softness, candidate.params)


@dataclass(frozen=True)
class JointProblem:
    """Searches over one or several families, on the same rows and the same folds.

    Attributes
    ----------
    members : list of SearchProblem
        One for each family. Each has checked X for itself; labels, costs, weights and
        folds are the same.
    groups : array of shape (n,)
        Rows with the same number are resampled together.
    holdout : Holdout or None
        Rows that take no part in training, if there are any.
    progress : callable
        Called with the number of finished and of all pieces of work.
    blend : str or None
        Name of the family that averages others, with "auto".
    blended : tuple of str
        Names of the families that it averages.
    encoder : TableEncoder or None
        Turned a raw table into the features of the families; None if X had features.
    columns : dict
        ``n_features_in_`` and ``feature_names_in_`` of X, if it has them.
    """

    members: list[SearchProblem]
    groups: NDArray[np.intp]
    holdout: Holdout | None = None
    progress: Progress = silent
    blend: str | None = None
    blended: tuple[str, ...] = ()
    encoder: TableEncoder | None = None
    columns: dict[str, Any] = field(default_factory=dict)

    @property
    def rows(self) -> RowCosts:
        """Labels, costs and weights."""
        return self.members[0].data.rows

    @property
    def folds(self) -> list[Fold]:
        return self.members[0].folds

    @property
    def tests(self) -> list[NDArray[np.intp]]:
        """Held-out rows of every fold."""
        return self.members[0].tests

    @property
    def weights_errors(self) -> bool:
        """Whether the error that counts is the weighted one."""
        return self.members[0].reduction.error_weight is not None

    @cached_property
    def candidates(self) -> list[Candidate]:
        """One for each row of the trade-off, family by family."""
        return [candidate for member in self.members for candidate in member.candidates]

    def with_families(self, numbers: Sequence[int]) -> "JointProblem":
        """Some of the families, by their number."""
        holdout = self.holdout
        if holdout is not None:
            everything = [holdout.everything[number] for number in numbers]
            holdout = replace(holdout, everything=everything)
        members = [self.members[number] for number in numbers]
        return replace(self, members=members, holdout=holdout)

    def family(self, name: str | None) -> SearchProblem:
        """A family by its name."""
        (member,) = [member for member in self.members if member.family == name]
        return member

    def fitted(self, row: int) -> Reduction:
        """The candidate of a row of the trade-off table, fitted to all rows."""
        candidate = self.candidates[row]
        family = self.family(candidate.family)
        model = family.model(candidate).fit_checked(family.data)
        return model if self.encoder is None else model.on_tables(self.encoder)

    def quiet(self) -> "JointProblem":
        """The same without listeners, so that it can be copied and pickled."""
        members = [replace(member, progress=silent) for member in self.members]
        return replace(self, members=members, progress=silent)

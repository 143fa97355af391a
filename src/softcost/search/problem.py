"""What a search has to do, and what came of it."""

from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softcost.costs import RowCosts
from softcost.reductions import Reduction, TrainingData
from softcost.search.progress import Progress, silent

Rows = NDArray[np.intp]  # numbers of rows
Fold = tuple[Rows, Rows]  # training and held-out rows


@dataclass(frozen=True)
class Calibration:
    """Which rows a search keeps from training.

    Attributes
    ----------
    everything : list of TrainingData
        All rows, as each family checks them.
    train, kept : arrays of row numbers
        Rows to train with, and rows to test on.
    """

    everything: list[TrainingData]
    train: Rows
    kept: Rows

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
        """All that tells it from other candidates, as in ``cv_results_["params"]``."""
        family = {} if self.family is None else {"family": self.family}
        return {**family, "softness": self.softness, **self.params}


@dataclass(frozen=True)
class SearchProblem:
    """A search over one reduction: which candidates are to be tried on which data.

    Attributes
    ----------
    reduction : Reduction
        With everything set but softness and the learner's parameters.
    data : TrainingData
        Checked once, for all folds.
    folds : list of (train, test)
    settings : list of dict
        The learner's parameters to try; those with the smallest C come first.
    softness : array
        The values to try, increasing.
    n_jobs : int or None
    progress : callable
        Told how many pieces of work are done, and how many there are.
    family : str or None
        Its name, where there are others.
    blends : tuple of str
        Families whose probabilities it averages; how, is learnt from their held-out
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
        Families check X each as it needs it; labels, costs, weights and folds are the
        same.
    groups : array of shape (n,)
        Rows with the same number belong together: they are drawn together, too.
    calibration : Calibration or None
        The rows that were kept from training, where some were.
    progress : callable
        Told how much of all families is done.
    blend : str or None
        The family that averages others, where families were chosen by the table.
    blended : tuple of str
        The families that it averages.
    """

    members: list[SearchProblem]
    groups: NDArray[np.intp]
    calibration: Calibration | None = None
    progress: Progress = silent
    blend: str | None = None
    blended: tuple[str, ...] = ()

    @property
    def rows(self) -> RowCosts:
        """Labels, costs and weights."""
        return self.members[0].data.rows

    @property
    def features(self) -> dict[str, Any]:
        """``n_features_in_`` and ``feature_names_in_``, where X has them."""
        return self.members[0].data.features

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
        return [one for member in self.members for one in member.candidates]

    def without_blend(self) -> "JointProblem":
        """The same families but the blend, which needs all the others."""
        members = [one for one in self.members if not one.blends]
        calibration = self.calibration
        if calibration is not None:
            everything = [
                data
                for one, data in zip(self.members, calibration.everything, strict=True)
                if not one.blends
            ]
            calibration = replace(calibration, everything=everything)
        return replace(
            self, members=members, calibration=calibration, blend=None, blended=()
        )

    def quiet(self) -> "JointProblem":
        """The same, telling nobody how far it is: it can be copied and pickled."""
        members = [replace(one, progress=silent) for one in self.members]
        return replace(self, members=members, progress=silent)

    def fitted(self, index: int) -> Reduction:
        """A candidate, fitted to all rows."""
        candidate = self.candidates[index]
        (member,) = [one for one in self.members if one.family == candidate.family]
        return member.model(candidate).fit_checked(member.data)

    def fitted_each(
        self, rows: Iterable[int], known: Mapping[int, Reduction]
    ) -> dict[int, Reduction]:
        """Candidates by row, fitted to all rows of the table.

        Those that differ in a softness which only decisions look at share one fit.

        Parameters
        ----------
        rows : iterable of int
            Of the trade-off.
        known : mapping of int and Reduction
            What is fitted already.
        """
        found = dict(known)
        for row in rows:
            if row in found:
                continue
            alike = [one for one in found if self._share_a_fit(one, row)]
            if not alike:
                found[row] = self.fitted(row)
                continue
            other = copy(found[alike[0]])
            found[row] = other.set_params(softness=self.candidates[row].softness)
        return {row: found[row] for row in rows}

    def _share_a_fit(self, first: int, second: int) -> bool:
        one, other = self.candidates[first], self.candidates[second]
        (member,) = [each for each in self.members if each.family == one.family]
        return (
            member.reduction.softness_at_predict
            and one.family == other.family
            and one.params is other.params
        )

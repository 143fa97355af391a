"""What a search has to do, and what came of it."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softcost.reductions import Reduction, TrainingData
from softcost.soft._progress import Progress

Fold = tuple[NDArray[np.intp], NDArray[np.intp]]  # training and held-out rows


@dataclass(frozen=True)
class Candidate:
    """One row of the trade-off: a softness and parameters of the learner."""

    softness: float
    params: dict[str, Any]


@dataclass(frozen=True)
class SearchProblem:
    """A search: which candidates are to be tried on which data.

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
    """

    reduction: Reduction
    data: TrainingData
    folds: list[Fold]
    settings: list[dict[str, Any]]
    softness: NDArray[np.float64]
    n_jobs: int | None
    progress: Progress

    @cached_property
    def candidates(self) -> list[Candidate]:
        """One for each row of the trade-off: settings, then softness values."""
        return [
            Candidate(float(value), params)
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

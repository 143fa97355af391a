"""One path through the candidates of a search, and the folds that it is walked on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softcost.costs import RowCosts
from softcost.learners import Path, PathFold
from softcost.reductions import FlatReduction, Reduction


@dataclass(frozen=True)
class Walk:
    """What is walked along.

    Attributes
    ----------
    reduction : Reduction
    learner : WalksPath
        With everything set but its path parameter.
    values : array of shape (n_values,)
        Of the path parameter.
    softness : array of shape (n_softness,)
        Increasing.
    """

    reduction: Reduction
    learner: Any
    values: NDArray[np.float64]
    softness: NDArray[np.float64]

    def open(self, X: Any, tests: Sequence[NDArray[np.intp]], threads: int) -> Path:
        """Prepare the path over the rows of a search."""
        return self.learner.open_path(
            X, tests, self.values, self.softness, threads=threads
        )


class WalkedFold:
    """A fold of a path: what it learns from, and for which rows it answers.

    Rows that are equal to the learner are posed once and answered once.

    Attributes
    ----------
    rows : RowCosts
        The merged training rows.
    path_fold : PathFold
    expand : array of shape (n_test,)
        For every held-out row the number of its distinct row.
    """

    def __init__(
        self,
        path: Path,
        rows: RowCosts,
        train: NDArray[np.intp],
        test: NDArray[np.intp],
    ):
        groups = path.groups
        self.rows, kept = rows.part(train).merged(groups[train])
        _, first, self.expand = np.unique(
            groups[test], return_index=True, return_inverse=True
        )
        self.path_fold: PathFold = path.fold(train, train[kept], test[first])

    def for_every_row(self, by_distinct: NDArray[Any]) -> NDArray[Any]:
        """Values for distinct held-out rows (last axis), for every held-out row."""
        return by_distinct[..., self.expand]


def combined(
    reduction: FlatReduction, outputs: Sequence[NDArray[Any]], n_actions: int
) -> NDArray[np.intp]:
    """Predicted classes from the outputs of all subproblems, of the same shape."""
    stacked = np.stack([one.ravel() for one in outputs], axis=-1)
    chosen = reduction.combine(stacked, n_actions).argmax(axis=1)
    return chosen.reshape(outputs[0].shape)

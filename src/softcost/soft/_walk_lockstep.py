"""Walk a path on which many subproblems are solved together.

With costs by class, rows of one class pose the same problem up to their weight. So
subproblems are posed over the classes, a few numbers, and not over the rows.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softcost.costs import RowCosts
from softcost.learners import (
    HeldOutSolutions,
    LockstepFold,
    Subproblem,
    WalksInLockstep,
)
from softcost.parallel import in_threads
from softcost.reductions import FlatReduction
from softcost.soft._progress import Progress
from softcost.soft._walk import Walk, WalkedFold

_BLOCK = 1024  # held-out rows predicted at once


def goes_in_lockstep(walk: Walk, rows: RowCosts) -> bool:
    """Whether subproblems can be posed by class and solved together."""
    reduction = walk.reduction
    return (
        isinstance(walk.learner, WalksInLockstep)
        and isinstance(reduction, FlatReduction)
        and reduction.row_by_row
        and not rows.by_example
    )


def walk_in_lockstep(
    walk: Walk,
    folds: Sequence[Callable[[], WalkedFold]],
    n_actions: int,
    threads: int = 1,
    progress: Progress = lambda done, total: None,
) -> list[NDArray[Any]]:
    """Predictions for every fold, shape (n_values, n_softness, n_test).

    The unit of work is a group of subproblems of a fold, of the same size whatever the
    number of threads, so that the bits are the same. A fold is opened, by calling it,
    when its turn comes, and closed when it is predicted: few are open at a time.
    """
    assert isinstance(walk.reduction, FlatReduction)
    size = walk.learner.at_once(len(walk.softness))
    n_subproblems = walk.reduction.n_subproblems(n_actions)
    groups = np.array_split(range(n_subproblems), -(-n_subproblems // size))
    turns = [_Turn(walk, fold, len(groups)) for fold in folds]
    units = [(turn, number) for turn in turns for number in range(len(groups))]
    finished: list[int] = []

    def work(
        unit: tuple[_Turn, int], proceed: Callable[[], None]
    ) -> NDArray[Any] | None:
        turn, number = unit
        fold, subproblems = turn.open()
        path_fold: LockstepFold = fold.path_fold  # type: ignore[assignment]
        solutions = path_fold.solve_many(
            [subproblems[k] for k in groups[number]],
            fold.rows.y,
            fold.rows.weight,
            proceed=proceed,
        )
        every = turn.put(number, solutions)
        finished.append(number)
        progress(len(finished), len(units))
        if every is None:
            return None
        fold.path_fold.release()
        return fold.for_every_row(_predicted(walk, fold, every, proceed))

    found = in_threads(work, units, threads)
    return [one for one in found if one is not None]


class _Turn:
    """A fold from its first group of subproblems to its last."""

    def __init__(self, walk: Walk, fold: Callable[[], WalkedFold], n_groups: int):
        self._walk, self._fold, self._lock = walk, fold, Lock()
        self._opened: tuple[WalkedFold, list[Subproblem]] | None = None
        self._solved: dict[int, HeldOutSolutions] = {}
        self._n_groups = n_groups

    def open(self) -> tuple[WalkedFold, list[Subproblem]]:
        """The fold and its subproblems."""
        with self._lock:
            if self._opened is None:
                fold = self._fold()
                self._opened = fold, _by_class(self._walk, fold.rows)
            return self._opened

    def put(
        self, number: int, solutions: HeldOutSolutions
    ) -> list[HeldOutSolutions] | None:
        """Keep solutions; all of them are returned where these were the last."""
        with self._lock:
            self._solved[number] = solutions
            if len(self._solved) < self._n_groups:
                return None
            self._opened = None
            return [self._solved.pop(k) for k in range(self._n_groups)]


def _by_class(walk: Walk, rows: RowCosts) -> list[Subproblem]:
    """Every subproblem over the classes, at all softness values."""
    assert isinstance(walk.reduction, FlatReduction)
    n_classes = rows.n_classes
    classes = replace(
        rows,
        y=np.arange(n_classes),
        weight=np.ones(n_classes),
        error_weight=rows.weight_of_errors,
    )
    return list(walk.reduction.path_subproblems(classes, walk.softness.tolist()))


def _predicted(
    walk: Walk,
    fold: WalkedFold,
    solved: Sequence[HeldOutSolutions],
    proceed: Callable[[], None],
) -> NDArray[Any]:
    """Predicted classes for distinct held-out rows, one block after the other."""
    assert isinstance(walk.reduction, FlatReduction)
    n_out, n_actions = int(fold.expand.max(initial=-1)) + 1, fold.rows.n_actions
    shape = (len(walk.values), len(walk.softness))
    out = np.empty((*shape, n_out), np.min_scalar_type(n_actions))
    for start in range(0, n_out, _BLOCK):
        proceed()
        part = slice(start, min(start + _BLOCK, n_out))
        outputs = np.concatenate([one.outputs(part) for one in solved], axis=2)
        by_problem = outputs.swapaxes(2, 3).reshape(-1, outputs.shape[2])
        chosen = walk.reduction.combine(by_problem, n_actions).argmax(axis=1)
        out[..., part] = np.moveaxis(chosen.reshape(-1, *shape), 0, -1)
    return out

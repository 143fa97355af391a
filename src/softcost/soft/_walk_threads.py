"""Walk a path in threads of this process, which share it."""

from collections.abc import Callable
from functools import partial
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softcost.learners import Subproblem
from softcost.parallel import in_threads
from softcost.reductions import FlatReduction
from softcost.soft._problem import SearchProblem
from softcost.soft._progress import Progress
from softcost.soft._walk import Walk, WalkedFold, combined
from softcost.soft._walk_lockstep import goes_in_lockstep, walk_in_lockstep


def walk_in_threads(
    walk: Walk, problem: SearchProblem, threads: int, progress: Progress
) -> list[NDArray[np.intp]]:
    """Predictions for every fold, shape (n_values, n_softness, n_test)."""
    path = walk.open(problem.data.X, problem.tests, threads)
    rows = problem.data.rows
    if goes_in_lockstep(walk, rows):
        later = [partial(WalkedFold, path, rows, *fold) for fold in problem.folds]
        return walk_in_lockstep(walk, later, rows.n_actions, threads, progress)
    folds = [WalkedFold(path, rows, train, test) for train, test in problem.folds]
    if isinstance(walk.reduction, FlatReduction):
        return _flat(walk, walk.reduction, folds, threads, progress)
    return _fold_by_fold(walk, folds, threads, progress)


def _flat(
    walk: Walk,
    reduction: FlatReduction,
    folds: list[WalkedFold],
    threads: int,
    progress: Progress,
) -> list[NDArray[np.intp]]:
    """Subproblems side by side; the last one of a fold combines them all.

    They are taken fold by fold, so that at most as many folds are open as there are
    threads; the next one is opened while others still work on the last.
    """
    n_actions = folds[0].rows.n_actions
    n_subproblems = reduction.n_subproblems(n_actions)
    n_jobs = n_subproblems * len(folds)
    finished: list[int] = []

    def solve_next(
        queue: _SubproblemQueue, proceed: Callable[[], None]
    ) -> NDArray[np.intp] | None:
        number, subproblem = queue.take()
        outputs = queue.fold.path_fold.solve(subproblem, proceed=proceed).outputs
        every = queue.put(number, outputs)
        finished.append(number)
        progress(len(finished), n_jobs)
        if every is None:
            return None
        return queue.fold.for_every_row(combined(reduction, every, n_actions))

    queues = [
        _SubproblemQueue(
            fold, reduction.path_subproblems(fold.rows, walk.softness.tolist()),
            n_subproblems,
        )
        for fold in folds
    ]  # fmt: skip
    turns = [queue for queue in queues for _ in range(n_subproblems)]
    results = in_threads(solve_next, turns, threads)
    return [one for one in results if one is not None]


class _SubproblemQueue:
    """The subproblems of a fold: made, handed out and collected one by one."""

    def __init__(self, fold: WalkedFold, subproblems: Any, n_subproblems: int):
        self.fold, self._subproblems, self._lock = fold, subproblems, Lock()
        self._outputs: list[NDArray[Any] | None] = [None] * n_subproblems
        self._taken = self._solved = 0

    def take(self) -> tuple[int, Subproblem]:
        """The next subproblem, and its number."""
        with self._lock:
            self._taken += 1
            return self._taken - 1, next(self._subproblems)

    def put(self, number: int, outputs: NDArray[Any]) -> list[NDArray[Any]] | None:
        """Keep outputs; all of them are returned where these were the last."""
        with self._lock:
            self._outputs[number] = outputs
            self._solved += 1
            if self._solved < len(self._outputs):
                return None
            self.fold.path_fold.release()
            self._subproblems.close()
            every, self._outputs = self._outputs, []
            return every  # type: ignore[return-value]


def _fold_by_fold(
    walk: Walk, folds: list[WalkedFold], threads: int, progress: Progress
) -> list[NDArray[np.intp]]:
    """Folds side by side, for a reduction that walks a fold by itself."""
    finished: list[WalkedFold] = []

    def work(fold: WalkedFold, proceed: Callable[[], None]) -> NDArray[np.intp]:
        predicted = walk_whole_fold(walk, fold, proceed)
        finished.append(fold)
        progress(len(finished), len(folds))
        return predicted

    return in_threads(work, folds, threads)


def walk_whole_fold(
    walk: Walk, fold: WalkedFold, proceed: Callable[[], None] = lambda: None
) -> NDArray[np.intp]:
    """Predictions of a reduction that walks a fold by itself."""
    predicted = walk.reduction.walk_fold(
        fold.path_fold, fold.rows, len(walk.values), walk.softness.tolist(), proceed
    )
    fold.path_fold.release()
    return fold.for_every_row(predicted)

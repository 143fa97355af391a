"""Walk a path on workers of a joblib backend: loky, multiprocessing, dask and others.

The unit of work is a pure function of a fold and a block of its subproblems, which
opens the path for itself: a fold needs the whole path anyway, and nothing has to stay
on a worker. What they all need is sent once to each worker.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray

from softcost.costs import RowCosts
from softcost.parallel import run_jobs
from softcost.reductions import FlatReduction
from softcost.soft._problem import Fold, SearchProblem
from softcost.soft._progress import Progress
from softcost.soft._walk import Walk, WalkedFold, combined
from softcost.soft._walk_lockstep import goes_in_lockstep, walk_in_lockstep
from softcost.soft._walk_threads import walk_whole_fold


def walk_on_workers(
    walk: Walk, problem: SearchProblem, progress: Progress
) -> list[NDArray[np.intp]]:
    """Predictions for every fold, shape (n_values, n_softness, n_test)."""
    data = problem.data
    options: Any = {
        "shared": (data.X, data.rows, problem.tests, walk),
        "n_jobs": problem.n_jobs,
        "progress": progress,
    }
    reduction = walk.reduction
    if goes_in_lockstep(walk, data.rows) or not isinstance(reduction, FlatReduction):
        return run_jobs(walk_fold, [(fold,) for fold in problem.folds], **options)
    n_actions = data.rows.n_actions
    wanted = -(-effective_n_jobs(problem.n_jobs) // len(problem.folds))
    blocks = list(_blocks(reduction.n_subproblems(n_actions), wanted))
    jobs = [(fold, block) for fold in problem.folds for block in blocks]
    done = run_jobs(solve_block, jobs, **options)
    predicted = []
    for start in range(0, len(done), len(blocks)):
        of_fold = done[start : start + len(blocks)]
        outputs = [one for outputs, _ in of_fold for one in outputs]
        expand = of_fold[0][1]
        predicted.append(combined(reduction, outputs, n_actions)[..., expand])
    return predicted


def _blocks(n_subproblems: int, n_blocks: int) -> Iterator[tuple[int, int]]:
    """Ranges of subproblems of about the same size.

    Examples
    --------
    >>> list(_blocks(7, 3))
    [(0, 3), (3, 6), (6, 7)]
    """
    size = -(-n_subproblems // max(min(n_blocks, n_subproblems), 1))
    for start in range(0, n_subproblems, size):
        yield start, min(start + size, n_subproblems)


def solve_block(
    X: Any,
    rows: RowCosts,
    tests: Sequence[NDArray[np.intp]],
    walk: Walk,
    fold: Fold,
    block: tuple[int, int],
) -> tuple[list[NDArray[Any]], NDArray[np.intp]]:
    """Outputs of some subproblems of a fold: the unit of work of flat reductions.

    Returns
    -------
    outputs : list of arrays of shape (n_values, n_softness, n_distinct)
        For distinct held-out rows.
    expand : array of shape (n_test,)
        Which of them each held-out row is.
    """
    opened = WalkedFold(walk.open(X, tests, 1), rows, *fold)
    assert isinstance(walk.reduction, FlatReduction)
    subproblems = walk.reduction.path_subproblems(opened.rows, walk.softness.tolist())
    chosen = islice(subproblems, *block)
    outputs = [opened.path_fold.solve(one).outputs for one in chosen]
    return outputs, opened.expand


def walk_fold(
    X: Any,
    rows: RowCosts,
    tests: Sequence[NDArray[np.intp]],
    walk: Walk,
    fold: Fold,
) -> NDArray[np.intp]:
    """Predictions of a fold: the unit of work where a fold is walked as a whole."""
    opened = WalkedFold(walk.open(X, tests, 1), rows, *fold)
    if goes_in_lockstep(walk, rows):
        return walk_in_lockstep(walk, [lambda: opened], rows.n_actions)[0]
    return walk_whole_fold(walk, opened)

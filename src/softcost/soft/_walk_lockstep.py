"""Walk a path on which many subproblems are solved together.

With costs by class, rows of one class pose the same problem up to their weight. So
subproblems are posed over the classes, a few numbers, and not over the rows.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
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
    folds: Sequence[WalkedFold],
    threads: int = 1,
    progress: Progress = lambda done, total: None,
) -> list[NDArray[Any]]:
    """Predictions for every fold, shape (n_values, n_softness, n_test).

    The unit of work is a group of subproblems of a fold, of the same size whatever the
    number of threads, so that the bits are the same.
    """
    size = walk.learner.at_once(len(walk.softness))
    posed = [_by_class(walk, fold.rows) for fold in folds]
    groups = [
        (fold, [subproblems[number] for number in numbers])
        for fold, subproblems in zip(folds, posed, strict=True)
        for numbers in np.array_split(
            range(len(subproblems)), -(-len(subproblems) // size)
        )
    ]
    finished: list[WalkedFold] = []

    def solve(
        group: tuple[WalkedFold, list[Subproblem]], proceed: Callable[[], None]
    ) -> HeldOutSolutions:
        fold, subproblems = group
        path_fold: LockstepFold = fold.path_fold  # type: ignore[assignment]
        solutions = path_fold.solve_many(
            subproblems, fold.rows.y, fold.rows.weight, proceed=proceed
        )
        finished.append(fold)
        progress(len(finished), len(groups))
        return solutions

    def predict(fold: WalkedFold, proceed: Callable[[], None]) -> NDArray[Any]:
        own = [
            solutions
            for (of, _), solutions in zip(groups, solved, strict=True)
            if of is fold
        ]
        fold.path_fold.release()
        return fold.for_every_row(_predicted(walk, fold, own, proceed))

    solved = in_threads(solve, groups, threads)
    return in_threads(predict, folds, threads)


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

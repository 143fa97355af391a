"""A family of problems along softness and C, each started from its neighbours.

A family is one subproblem of a reduction on one training set: for every softness value
its targets and unit boxes, which C multiplies. Consecutive problems are close, and more
is known than that:

* Between two solved softness values the interpolated coefficients are feasible where
  the boxes are affine in softness, and the interpolated gradient is theirs exactly, but
  for the change of targets. So softness is walked by bisection, ends first.
* Where boxes vanish (softness 1 asks a pair for its own two classes only) coefficients
  jump, and nothing lies between. So each run of softness values with about the same
  rows is walked by itself.
* A solution for a smaller C is feasible for a larger one where the boxes grow with C,
  and often near another one: ``C (1 - softness)`` is what most boxes depend on.
* A solution that touches no bound but zero solves every problem with the same targets
  and the same signs of the boxes in which it is feasible: larger C, other softness.

Every start is checked for feasibility; the one with the lowest objective is taken.
Nothing depends on what else runs at the same time.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from softcost.solvers.kernels import aligned, aligned_zeros, padded
from softcost.solvers.large import LargePath, is_large, products_of
from softcost.solvers.row_store import Rows
from softcost.solvers.smo import EXACT_BELOW, ROUGH
from softcost.solvers.walk import Table, walk
from softcost.solvers.warm_start import Memory

_WORK_PER_CALL = 2e8
_SAME_ROWS = 0.1  # share of the rows that may lose their box from one to the next


class Family(NamedTuple):
    """Problems on one training set, one for each softness value.

    Attributes
    ----------
    targets, lower, upper : arrays of shape (n_softness, n) or (n_C, n_softness, n)
        Boxes are for C = 1. The longer form is for problems that change with C in
        other ways than by its factor.
    """

    targets: np.ndarray
    lower: np.ndarray
    upper: np.ndarray


@dataclass(frozen=True)
class PathResult:
    """Outputs and certificates, for every C (rows) and softness (columns).

    Attributes
    ----------
    outputs : array of shape (n_C, n_softness, n_out), float32
        Outputs for held-out rows; NaN where a problem has no row to learn from.
    fitted : array of shape (n_C, n_softness, n) or None
        Outputs for the training rows.
    violation, dual_gap : arrays of shape (n_C, n_softness)
    steps : array of shape (n_C, n_softness)
        Zero where a neighbour's solution was known to hold.
    converged : array of shape (n_C, n_softness), bool
    """

    outputs: np.ndarray
    fitted: np.ndarray | None
    violation: np.ndarray
    dual_gap: np.ndarray
    steps: np.ndarray
    converged: np.ndarray


def bisection(place: np.ndarray) -> np.ndarray:
    """Both ends of increasing places, the last first, then the middle of the gaps.

    Examples
    --------
    >>> bisection(np.array([0.0, 1.0, 2.0, 3.0, 4.0]))
    array([4, 0, 2, 1, 3])
    """
    n = len(place)
    order = [n - 1] if n == 1 else [n - 1, 0]
    gaps = [(0, n - 1)]
    while gaps:
        left, right = gaps.pop(0)
        if right - left > 1:
            inside = place[left + 1 : right]
            middle = np.abs(inside - (place[left] + place[right]) / 2).argmin()
            middle = left + 1 + int(middle)
            order.append(middle)
            gaps += [(left, middle), (middle, right)]
    return np.array(order)


def _places(softness: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    """How far from the first each softness value is, for solutions.

    Coefficients change with softness, and most where boxes shrink by a large factor:
    those of a pair of classes are near ``C (1 - softness)``.

    Parameters
    ----------
    softness : array of shape (n_softness,)
    boxes : array of shape (n_softness,)
        Their sizes in all.
    """
    shrinking = np.abs(np.diff(np.log(np.maximum(boxes, np.finfo(float).tiny))))
    return np.concatenate([[0.0], np.cumsum(np.diff(softness) + shrinking)])


def _runs(with_box: np.ndarray, n: int) -> np.ndarray:
    """Numbers of the runs of softness values, between which many boxes vanish.

    Parameters
    ----------
    with_box : array of shape (n_softness,)
        How many of the n rows have a box.

    Examples
    --------
    >>> _runs(np.array([99, 100, 20]), 100)
    array([0, 0, 1])
    """
    run = np.zeros(len(with_box), np.int64)
    np.cumsum(np.abs(np.diff(with_box)) > _SAME_ROWS * n, out=run[1:])
    return run


def _order(run: np.ndarray, place: np.ndarray) -> np.ndarray:
    """Each run by bisection, one after the other."""
    members = (np.flatnonzero(run == number) for number in range(run[-1] + 1))
    return np.concatenate([those[bisection(place[those])] for those in members])


def _describe(
    targets: np.ndarray, lower: np.ndarray, upper: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Half the range of the targets, a number that is equal for same problems, and how
    many rows have a box at each softness value, for that C with most of them.

    Problems are the same where they have the same targets and signs of the boxes.
    """
    rises, falls = upper > 0, lower < 0
    boxed = rises | falls
    extent = np.where(boxed, targets, -np.inf).max(axis=2)
    extent = (extent - np.where(boxed, targets, np.inf).min(axis=2)) / 2
    kept = np.where(boxed, targets, 0.0) + 0.0  # never -0.0
    numbers: dict[bytes, int] = {}
    group = [
        numbers.setdefault(b"".join(part.tobytes() for part in problem), len(numbers))
        for problem in zip(
            *(part.reshape(-1, part.shape[2]) for part in (rises, falls, kept)),
            strict=True,
        )
    ]
    return (
        np.where(extent > 0, extent, 1.0),
        np.array(group).reshape(targets.shape[:2]),
        boxed.sum(axis=2).max(axis=0),
    )


def _memory_for(n_softness: int, n: int, n_groups: int) -> Memory:
    width = padded(n)
    return Memory(
        beta=np.zeros((n_softness, n)),
        gradient=aligned_zeros(n_softness, width),
        shift=np.zeros(n_softness),
        drift=np.zeros(n_softness),
        target=np.zeros((n_softness, n)),
        objective=np.zeros(n_softness),
        held=np.full(n_softness, -1),
        known=np.zeros(n_softness, np.bool_),
        done=np.zeros(n_softness, np.bool_),
        free_at=np.full(n_groups, -1),
        free_in=np.full(n_groups, -1),
        lower=np.empty(n),
        upper=np.empty(n),
        trial_beta=np.empty(n),
        trial_gradient=aligned_zeros(width),
        exact=np.empty(n),
        flags=aligned(2, width, kind=np.int8),
        signs=np.empty((2, n), np.int64),
        chosen=np.empty(n, np.int64),
        weights=np.empty(n, np.float32),
        at=np.zeros(2, np.int64),
        aim=np.zeros(2),
        rounds=np.zeros(2, np.int64),
    )


def _nothing_to_learn_from(
    shape: tuple[int, int], n_out: int, fitted: bool
) -> PathResult:
    """What is known without a single row."""
    return PathResult(
        outputs=np.full((*shape, n_out), np.nan, np.float32),
        fitted=np.empty((*shape, 0)) if fitted else None,
        violation=np.zeros(shape),
        dual_gap=np.zeros(shape),
        steps=np.zeros(shape, np.int64),
        converged=np.ones(shape, np.bool_),
    )


def solve_path(
    rows: Rows,
    cross: np.ndarray | None,
    n_out: int,
    family: Family,
    C: np.ndarray,
    softness: np.ndarray,
    *,
    total: int = 0,
    tol: float = 1e-3,
    max_steps: int = -1,
    fitted: bool = False,
    proceed: Callable[[], None] = lambda: None,
) -> PathResult:
    """Solve a family for every C and every softness value.

    Parameters
    ----------
    rows : Rows
        The Gram matrix of the n training rows.
    cross : array of shape (n, padded(n_out)), float32
        The Gram matrix of training rows and held-out rows, in distance form; None
        for a `Part`, which has it in its rows.
    n_out : int
        Number of held-out rows.
    family : Family
    C : array of shape (n_C,)
        In any order.
    softness : array of shape (n_softness,)
        Increasing; where the problems of the family lie on the path.
    total : int
        Number of distinct points of which the rows are a part, see `large.is_large`.
    tol, max_steps, proceed
        As in `smo.solve`.
    fitted : bool
        Whether to give the outputs for the training rows, too.
    """
    C = np.asarray(C, np.float64)
    n_softness, n = np.shape(family.targets)[-2:]
    if n == 0:
        return _nothing_to_learn_from((len(C), n_softness), n_out, fitted)
    targets, lower, upper = (
        np.ascontiguousarray(part, np.float64).reshape(-1, *np.shape(part)[-2:])
        for part in (family.targets, family.lower, family.upper)
    )
    up_C = np.argsort(C, kind="stable")
    if len(targets) > 1:
        targets, lower, upper = targets[up_C], lower[up_C], upper[up_C]
    scale, group, with_box = _describe(targets, lower, upper)
    run = _runs(with_box, n)
    shape = (len(C), n_softness)
    table = Table(
        outputs=aligned(*shape, padded(n_out)),
        fitted=np.empty((*shape, n) if fitted else (0, 0, 0)),
        violation=np.zeros(shape),
        dual_gap=np.zeros(shape),
        steps=np.zeros(shape, np.int64),
    )
    if cross is None:
        cross = np.empty((0, 0), np.float32)
    limit = max_steps if max_steps >= 0 else np.iinfo(np.int64).max
    goal, along = tol * scale, np.asarray(softness, float)
    order = _order(run, _places(along, (upper - lower).sum(axis=(0, 2))))
    if is_large(n, total):
        products = products_of(rows, cross, n_out)
        LargePath(products, along, order, run, group, goal, limit, table, proceed).walk(
            targets, lower, upper, C[up_C]
        )
    else:
        memory = _memory_for(n_softness, n, group.max() + 1)
        budget = int(max(_WORK_PER_CALL / n, 100))
        finished = False
        while not finished:
            finished = walk(
                rows, cross, targets, lower, upper, C[up_C], along, order, run, group,
                goal, ROUGH * scale, tol < EXACT_BELOW, limit, budget, memory, table,
            )  # fmt: skip
            proceed()
    back = np.argsort(up_C, kind="stable")
    allowed = (tol * scale)[back] if len(scale) > 1 else tol * scale
    return PathResult(
        outputs=table.outputs[back, :, :n_out],
        fitted=table.fitted[back] if fitted else None,
        violation=table.violation[back],
        dual_gap=table.dual_gap[back],
        steps=table.steps[back],
        converged=table.violation[back] <= allowed * (1 + 1e-6),
    )

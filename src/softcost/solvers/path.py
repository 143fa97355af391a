"""A family of problems along softness and C, each started from its neighbours.

A family is one subproblem of a reduction on one training set: for every softness value
its targets and unit boxes, which C multiplies. The order in which the problems are
solved gives each a good start (`softcost.solvers.warm_start`):

* If boxes are affine in softness, coefficients interpolated between two solved softness
  values are feasible, and their gradient is the interpolated one, but for the change of
  targets. So softness is walked by bisection, ends first. It saves more than half of
  the steps, a chain of neighbours less.
* If boxes vanish (softness 1 asks a pair for its own two classes only), coefficients
  jump, and interpolation does not help. So each run of softness values with about the
  same rows is walked by itself.
* A solution for a smaller C is feasible for a larger one if the boxes grow with C, and
  often near the solution for another softness: most boxes are near
  ``C (1 - softness)``. So C increases.

Results do not depend on other problems that are solved at the same time.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from softcost.solvers.compilation import inline, internal, jit
from softcost.solvers.kernels import aligned, padded
from softcost.solvers.large import Products, Rounds, is_large, products_of
from softcost.solvers.row_store import Rows, add_held_out
from softcost.solvers.simd import copy
from softcost.solvers.smo import (
    EXACT_BELOW,
    NO_LIMIT,
    ROUGH,
    begin,
    certify,
    refine,
    steps_per_call,
)
from softcost.solvers.warm_start import (
    Point,
    PointStarts,
    empty_memory,
    objective_of,
    reuse,
    start,
    touches_bound,
)

# Share of the rows that may lose their box from one softness value to the next within
# a run. Interpolation gives the other rows a start as good as before; a pair of classes
# among many loses nearly all of them at softness 1.
_SAME_ROWS = 0.1


class Family(NamedTuple):
    """Problems on one training set, one for each softness value.

    Attributes
    ----------
    targets, lower, upper : arrays of shape (n_softness, n) or (n_C, n_softness, n)
        Boxes are for C = 1. The longer form is for problems in which C is not only
        the factor of the boxes.
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
        Outputs for held-out rows; NaN if a problem has no training row.
    fitted : array of shape (n_C, n_softness, n) or None
        Outputs for the training rows.
    violation, dual_gap : arrays of shape (n_C, n_softness)
    steps : array of shape (n_C, n_softness)
        Zero if a neighbour's solution holds.
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
    """Distances of softness values from the first, in terms of their solutions.

    Coefficients change with softness, and most if boxes shrink by a large factor: those
    of a pair of classes are near ``C (1 - softness)``.

    Parameters
    ----------
    softness : array of shape (n_softness,)
    boxes : array of shape (n_softness,)
        The sum of the boxes at each softness value.
    """
    shrinking = np.abs(np.diff(np.log(np.maximum(boxes, np.finfo(float).tiny))))
    return np.concatenate([[0.0], np.cumsum(np.diff(softness) + shrinking)])


def _runs(with_box: np.ndarray, n: int) -> np.ndarray:
    """Numbers of the runs of softness values, between which many boxes vanish.

    Parameters
    ----------
    with_box : array of shape (n_softness,)
        The number of rows, of n, that have a box.

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
    runs = (np.flatnonzero(run == number) for number in range(run[-1] + 1))
    return np.concatenate([members[bisection(place[members])] for members in runs])


def _describe(
    targets: np.ndarray, lower: np.ndarray, upper: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Half the range of the targets, a number for each group of problems, and the
    number of rows with a box at each softness value, the largest for any C.

    Problems of a group have the same targets and signs of the boxes.
    """
    rises, falls = upper > 0, lower < 0
    boxed = rises | falls
    extent = np.where(boxed, targets, -np.inf).max(axis=2)
    extent = (extent - np.where(boxed, targets, np.inf).min(axis=2)) / 2
    active = np.where(boxed, targets, 0.0) + 0.0  # never -0.0
    numbers: dict[bytes, int] = {}
    group = [
        numbers.setdefault(b"".join(part.tobytes() for part in problem), len(numbers))
        for problem in zip(
            *(part.reshape(-1, part.shape[2]) for part in (rises, falls, active)),
            strict=True,
        )
    ]
    return (
        np.where(extent > 0, extent, 1.0),
        np.array(group).reshape(targets.shape[:2]),
        boxed.sum(axis=2).max(axis=0),
    )


class Table(NamedTuple):
    """Results for every C and softness."""

    outputs: np.ndarray
    fitted: np.ndarray
    violation: np.ndarray
    dual_gap: np.ndarray
    steps: np.ndarray


@internal
def _balance(beta, signs, chosen, weights):
    """List the nonzero coefficients so that partial sums stay small; their number.

    They sum to zero. Alternating positive and negative ones keeps the partial sums of
    outputs near the outputs, where single precision is finest.
    """
    n_positive = n_negative = positive = negative = 0
    for t in range(beta.size):
        signs[0, n_positive] = signs[1, n_negative] = t
        n_positive += beta[t] > 0.0
        n_negative += beta[t] < 0.0
    total = 0.0
    for count in range(n_positive + n_negative):
        left = (positive < n_positive) & (total <= 0.0)
        rise = int((negative == n_negative) | left)
        t = signs[1 - rise, positive if rise else negative]
        chosen[count] = t
        weights[count] = np.float32(beta[t])
        total += beta[t]
        positive += rise
        negative += 1 - rise
    return n_positive + n_negative


@inline
def _evaluate(rows, cross, memory, table, c, a, intercept):
    """Outputs for held-out and training rows, ``intercept + sum_n b_n K(n, .)``."""
    beta, target, gradient = memory.beta[a], memory.target[a], memory.gradient[a]
    chosen, weights = memory.chosen, memory.weights
    count = _balance(beta, memory.signs, chosen, weights)
    outputs = table.outputs[c, a]
    for t in range(outputs.size):
        outputs[t] = np.float32(intercept)
    add_held_out(rows, cross, chosen, weights, count, outputs)
    if table.fitted.size > 0:
        offset = intercept - memory.state[a].shift
        for t in range(beta.size):
            table.fitted[c, a, t] = gradient[t] + target[t] + offset


@jit
def walk(
    rows, cross, targets, lower, upper, C, softness, order, run, group, goal, rough,
    always_sum, limit, budget, memory, table,
):  # fmt: skip
    """Solve problem after problem; False when the budget was spent before the end."""
    n_softness, n = memory.beta.shape
    cursor = memory.cursor[0]
    while cursor.cell < C.size * n_softness:
        c, a = cursor.cell // n_softness, order[cursor.cell % n_softness]
        f = c if targets.shape[0] > 1 else 0
        g, state = group[f, a], memory.state[a]
        for t in range(n):
            memory.lower[t] = C[c] * lower[f, a, t]
            memory.upper[t] = C[c] * upper[f, a, t]
        if cursor.started == 0 and cursor.cell % n_softness == 0:
            for k in range(n_softness):
                memory.done[k] = False
        reused = cursor.started == 0 and reuse(memory, a, g)
        if not reused and cursor.started == 0:
            start(memory, a, softness, run, g, targets[f, a])
            aim = goal[f, a]
            if always_sum and rough[f, a] > aim:
                aim = rough[f, a]
            begin(state, goal[f, a], aim, np.inf, always_sum)
            cursor.started = 1
        finished = reused
        while not finished:
            steps = state.steps
            finished = refine(
                rows, memory.target[a], memory.lower, memory.upper, memory.beta[a],
                memory.gradient[a], memory.exact, memory.flags, state, limit, budget,
            )  # fmt: skip
            budget -= state.steps - steps
            if budget <= 0 and not finished:
                return False
        for t in range(n):
            memory.exact[t] = memory.gradient[a, t]
        intercept, violation, dual_gap = certify(
            memory.lower, memory.upper, memory.beta[a], memory.exact
        )
        if reused:
            was, source = memory.free_in[g], memory.free_at[g]
            violation = table.violation[was, source]
            copy(table.outputs[was, source], table.outputs[c, a])
            if table.fitted.size > 0:
                copy(table.fitted[was, source], table.fitted[c, a])
        else:
            if state.summed == 1:
                violation, dual_gap = state.violation, state.dual_gap
            table.steps[c, a] = state.steps
            _evaluate(rows, cross, memory, table, c, a, intercept + state.shift)
            free = not touches_bound(memory.beta[a], memory.lower, memory.upper)
            if free and memory.free_at[g] < 0:
                memory.free_at[g] = a
                memory.free_in[g] = c
        table.violation[c, a], table.dual_gap[c, a] = violation, dual_gap
        memory.solved[a] = memory.done[a] = True
        memory.group[a] = g
        state.objective = objective_of(
            memory.beta[a], memory.gradient[a], memory.target[a]
        )
        cursor.cell += 1
        cursor.started = 0
    return True


def _walk_large(
    products: Products,
    targets: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    C: np.ndarray,
    softness: np.ndarray,
    order: np.ndarray,
    run: np.ndarray,
    group: np.ndarray,
    goal: np.ndarray,
    limit: int,
    table: Table,
    proceed: Callable[[], None],
) -> None:
    """What `walk` does, for large problems."""
    n, n_out = targets.shape[2], products.n_out
    rounds = Rounds(products, n, proceed)
    starts = PointStarts(softness, run, n_out)
    for c in range(len(C)):
        f = c if len(targets) > 1 else 0
        ratio = C[c] / C[c - 1] if c > 0 else 1.0
        starts.next_C()
        for a in order.tolist():
            box, g = (C[c] * lower[f, a], C[c] * upper[f, a]), group[f, a]
            source = starts.reuse(a, g, *box)
            if source is not None:
                for part in (table.outputs, table.violation, table.dual_gap):
                    part[c, a] = part[source]
                if table.fitted.size:
                    table.fitted[c, a] = table.fitted[source]
                continue
            first = starts.start(a, group[f], ratio, targets[f, a], *box)
            solution, table.steps[c, a] = rounds.solve(
                first, targets[f, a], *box, goal[f, a], limit
            )
            starts.note(c, a, g, solution, *box)
            _note_large(table, c, a, solution, targets[f, a], *box)


def _note_large(
    table: Table,
    c: int,
    a: int,
    solution: Point,
    targets: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
) -> None:
    """Certificate and outputs of a solution."""
    n, product = len(targets), solution.product
    intercept, table.violation[c, a], table.dual_gap[c, a] = certify(
        lower, upper, solution.beta, product[:n] - targets
    )
    table.outputs[c, a, : len(product) - n] = product[n:] + intercept
    if table.fitted.size:
        table.fitted[c, a] = product[:n] + intercept


def _nothing_to_learn_from(
    shape: tuple[int, int], n_out: int, fitted: bool
) -> PathResult:
    """The result for a training set without rows."""
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
        Increasing; one for each problem of the family.
    total : int
        Number of distinct points; the rows are some of them. See `large.is_large`.
    tol, max_steps, proceed
        As in `smo.solve`.
    fitted : bool
        Whether to return also the outputs for the training rows.
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
    limit = max_steps if max_steps >= 0 else NO_LIMIT
    goal, along = tol * scale, np.asarray(softness, float)
    order = _order(run, _places(along, (upper - lower).sum(axis=(0, 2))))
    if is_large(n, total):
        _walk_large(
            products_of(rows, cross, n_out), targets, lower, upper, C[up_C], along,
            order, run, group, goal, limit, table, proceed,
        )  # fmt: skip
    else:
        memory = empty_memory(n_softness, n, group.max() + 1)
        budget, finished = steps_per_call(n), False
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

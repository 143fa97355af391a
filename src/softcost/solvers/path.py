"""A family of problems along softness and C, each started from its neighbours.

A family is one subproblem of a reduction on one training set: for every softness value
its targets and unit boxes, which C multiplies. Consecutive problems are close, and more
is known than that:

* Between two solved softness values the interpolated coefficients are feasible where
  the boxes are affine in softness, and the interpolated gradient is theirs exactly, but
  for the change of targets. So softness is walked by bisection, ends first.
* A solution for a smaller C is feasible for a larger one where the boxes grow with C.
* A solution that touches no bound but zero solves every problem with the same targets
  and the same signs of the boxes in which it is feasible: larger C, other softness.

Every start is checked for feasibility; the one with the lowest objective is taken.
Nothing depends on what else runs at the same time.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from softcost.solvers._jit import jit
from softcost.solvers._scan import add_rows
from softcost.solvers.rows import Rows
from softcost.solvers.smo import (
    FINER,
    PATIENCE,
    ROUGH,
    certify,
    exact_gradient,
    improve,
    spread,
    steps_per_round,
)

_WORK_PER_CALL = 2e8
_SLACK = 1e-9  # of a box: rounding that an interpolated start may need clipped
_EXACT_BELOW = 5e-4  # tolerances from which on the gradient is summed anew always
_DRIFT = 0.05  # of the tolerance: rounding from which on it is summed anew, too
_EPS = 2.0**-24  # half the distance of 1 to the next number in single precision


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


class _Memory(NamedTuple):
    """What is known of the problems of one C value, one for each softness value.

    ``gradient`` is ``K beta - target + shift``: a constant changes no step, and around
    the intercept rounding is smallest.
    """

    beta: np.ndarray  # (n_softness, n)
    gradient: np.ndarray  # (n_softness, padded(n)) float32
    shift: np.ndarray  # (n_softness,)
    drift: np.ndarray  # (n_softness,) expected square of the gradient's rounding error
    target: np.ndarray  # (n_softness, n) the targets that the gradient belongs to
    known: np.ndarray  # (n_softness,) solved for this or a smaller C
    done: np.ndarray  # (n_softness,) solved for this C
    free_at: np.ndarray  # (n_groups,) where a solution touches no bound, or -1
    free_in: np.ndarray  # (n_groups,) and for which C
    lower: np.ndarray  # (n,) the box of the current problem
    upper: np.ndarray
    trial_beta: np.ndarray  # (n,) scratch
    trial_gradient: np.ndarray  # (padded(n),)
    at: np.ndarray  # (2,) position in the walk, and whether it has been started
    aim: np.ndarray  # (2,) what violation the current round aims at, the best so far
    rounds: np.ndarray  # (2,) steps in the current round, rounds without progress


class _Table(NamedTuple):
    """Results for every C and softness."""

    outputs: np.ndarray
    fitted: np.ndarray
    violation: np.ndarray
    dual_gap: np.ndarray
    steps: np.ndarray


@jit
def _objective(beta, gradient, targets):
    """``1/2 b'Kb - t'b``; a shift of the gradient drops out since sum(b) = 0."""
    total = 0.0
    for t in range(beta.size):
        total += beta[t] * (gradient[t] - targets[t])
    return total / 2


@jit
def _make_feasible(beta, lower, upper):
    """Clip what rounding left outside the box; False where it is more than that."""
    for t in range(beta.size):
        slack = _SLACK * (upper[t] - lower[t])
        if beta[t] > upper[t] + slack or beta[t] < lower[t] - slack:
            return False
    for t in range(beta.size):
        beta[t] = min(max(beta[t], lower[t]), upper[t])
    return True


@jit
def _touches_bound(beta, lower, upper):
    for t in range(beta.size):
        if upper[t] > 0.0 and beta[t] >= upper[t]:
            return True
        if lower[t] < 0.0 and beta[t] <= lower[t]:
            return True
    return False


@jit
def _neighbours(done, a):
    """The nearest solved problems on both sides; the same twice at an end."""
    left, right = -1, -1
    for k in range(a - 1, -1, -1):
        if done[k]:
            left = k
            break
    for k in range(a + 1, done.size):
        if done[k]:
            right = k
            break
    if left < 0 or right < 0:
        left = right = max(left, right)
    return left, right


@jit
def _blend(memory, left, right, share, target):
    """Put the point between two solved problems, and its gradient, on trial."""
    keep = 1.0 - share
    for t in range(target.size):
        memory.trial_beta[t] = (
            keep * memory.beta[left, t] + share * memory.beta[right, t]
        )
        gradient = keep * memory.gradient[left, t] + share * memory.gradient[right, t]
        belongs = keep * memory.target[left, t] + share * memory.target[right, t]
        memory.trial_gradient[t] = np.float32(gradient + belongs - target[t])


@jit
def _start(memory, a, softness, target):
    """Start problem ``a`` from the best feasible point at hand, at worst from zero."""
    beta, gradient = memory.beta[a], memory.gradient[a]
    lower, upper = memory.lower, memory.upper
    best = 0.0
    if memory.known[a]:
        for t in range(beta.size):
            gradient[t] += np.float32(memory.target[a, t] - target[t])
        if _make_feasible(beta, lower, upper):
            best = _objective(beta, gradient, target)
    left, right = _neighbours(memory.done, a)
    if left >= 0:
        share = 0.0
        if left != right:
            share = (softness[a] - softness[left]) / (softness[right] - softness[left])
        _blend(memory, left, right, share, target)
        if _make_feasible(memory.trial_beta, lower, upper):
            objective = _objective(memory.trial_beta, memory.trial_gradient, target)
            if objective < best:
                best = objective
                beta[:] = memory.trial_beta
                gradient[:] = memory.trial_gradient
                keep = 1.0 - share
                memory.shift[a] = (
                    keep * memory.shift[left] + share * memory.shift[right]
                )
                memory.drift[a] = max(memory.drift[left], memory.drift[right])
    if best >= 0.0:
        beta[:] = 0.0
        for t in range(beta.size):
            gradient[t] = np.float32(-target[t])
        memory.shift[a] = memory.drift[a] = 0.0
    memory.target[a] = target


@jit
def _sum_anew(rows, memory, a):
    """Sum the gradient in double precision around its intercept; violation and gap."""
    beta, gradient = memory.beta[a], memory.gradient[a]
    exact = np.empty(beta.size)
    exact_gradient(rows, memory.target[a], beta, exact)
    intercept, violation, gap = certify(memory.lower, memory.upper, beta, exact)
    if np.isnan(intercept):  # no row has a box: nothing to centre, nothing to spoil
        intercept = 0.0
    for t in range(beta.size):
        gradient[t] = np.float32(exact[t] + intercept)
    memory.shift[a] = intercept
    memory.drift[a] = 0.0
    return violation, gap


@jit
def _note_drift(memory, a, count):
    """Every step rounds every gradient once; roundings add up like a random walk."""
    gradient = memory.gradient[a]
    largest = 0.0
    for t in range(gradient.size):
        largest = max(largest, abs(gradient[t]))
    memory.drift[a] += count * (_EPS * largest) ** 2


@jit
def _solve_one(rows, memory, a, goal, exact, limit):
    """Improve problem ``a`` for at most ``limit`` steps.

    In rounds: aim at a violation, sum the gradient anew, aim lower, as `smo.solve`. A
    single round without a sum is enough for a rough goal and little rounding.

    Returns steps, whether there is nothing more to do, and violation and gap, which
    are NaN where the last gradient is not summed anew.
    """
    beta, gradient = memory.beta[a], memory.gradient[a]
    aim, rounds = memory.aim, memory.rounds
    length = steps_per_round(beta.size)
    steps = 0
    while True:
        most = min(limit - steps, length - rounds[0])
        count, violation = improve(
            rows, memory.lower, memory.upper, beta, gradient, aim[0], most
        )
        steps += count
        rounds[0] += count
        _note_drift(memory, a, count)
        if violation > aim[0] and rounds[0] < length:
            return steps, False, np.nan, np.nan
        little = not exact and memory.drift[a] <= (_DRIFT * goal) ** 2
        if violation <= goal and little:
            return steps, True, np.nan, np.nan
        violation, gap = _sum_anew(rows, memory, a)
        rounds[1] = rounds[1] + 1 if violation > 0.9 * aim[1] else 0
        aim[1] = min(aim[1], violation)
        stuck = rounds[1] >= PATIENCE or (count == 0 and aim[0] <= goal)
        if violation <= goal or stuck:
            return steps, True, violation, gap
        aim[0] = max(goal, FINER * violation)
        rounds[0] = 0


@jit
def _forget(memory, a):
    """Offer the coefficients of problem ``a`` no longer: another will have them."""
    for g in range(memory.free_at.size):
        if memory.free_at[g] == a:
            memory.free_at[g] = -1


@jit
def _reuse(memory, table, c, a, g):
    """Take over a solution that touches no bound where it is feasible here."""
    source, was = memory.free_at[g], memory.free_in[g]
    if source < 0:
        return False
    memory.trial_beta[:] = memory.beta[source]
    if not _make_feasible(memory.trial_beta, memory.lower, memory.upper):
        return False
    if source != a:
        _forget(memory, a)
        memory.beta[a] = memory.trial_beta
        memory.gradient[a] = memory.gradient[source]
        memory.shift[a] = memory.shift[source]
        memory.drift[a] = memory.drift[source]
        memory.target[a] = memory.target[source]  # may differ in rows without a box
    table.outputs[c, a] = table.outputs[was, source]
    if table.fitted.size > 0:
        table.fitted[c, a] = table.fitted[was, source]
    return True


@jit
def _balance(beta, chosen, weights):
    """List the nonzero coefficients so that partial sums stay small; how many.

    They sum to zero. Positive ones and negative ones in turn keep the partial sums of
    outputs near the outputs, where single precision is finest.
    """
    positive = negative = count = 0
    total = 0.0
    while True:
        while positive < beta.size and beta[positive] <= 0.0:
            positive += 1
        while negative < beta.size and beta[negative] >= 0.0:
            negative += 1
        if positive == beta.size and negative == beta.size:
            return count
        rise = negative == beta.size or (positive < beta.size and total <= 0.0)
        t = positive if rise else negative
        chosen[count] = t
        weights[count] = np.float32(beta[t])
        total += beta[t]
        count += 1
        if rise:
            positive += 1
        else:
            negative += 1


@jit
def _evaluate(cross, memory, table, c, a, intercept):
    """Outputs for held-out rows, ``intercept + sum_n b_n cross[n]``, and for fitted."""
    beta, target, gradient = memory.beta[a], memory.target[a], memory.gradient[a]
    chosen = np.empty(beta.size, np.int64)
    weights = np.empty(beta.size, np.float32)
    count = _balance(beta, chosen, weights)
    table.outputs[c, a] = np.float32(intercept)
    add_rows(cross, chosen, weights, count, table.outputs[c, a])
    if table.fitted.size > 0:
        offset = intercept - memory.shift[a]
        for t in range(beta.size):
            table.fitted[c, a, t] = gradient[t] + target[t] + offset


@jit
def _walk(
    rows, cross, targets, lower, upper, C, softness, order, group, goal, rough,
    exact, max_steps, budget, memory, table,
):  # fmt: skip
    """Solve problem after problem; False when the budget was spent before the end."""
    n_softness, n = memory.beta.shape
    at = memory.at
    while at[0] < C.size * n_softness:
        c, a = at[0] // n_softness, order[at[0] % n_softness]
        f = c if targets.shape[0] > 1 else 0
        g = group[f, a]
        for t in range(n):
            memory.lower[t] = C[c] * lower[f, a, t]
            memory.upper[t] = C[c] * upper[f, a, t]
        started = at[1] == 1
        if at[0] % n_softness == 0 and not started:
            memory.done[:] = False
        reused = not started and _reuse(memory, table, c, a, g)
        if not reused:
            if not started:
                _forget(memory, a)
                _start(memory, a, softness, targets[f, a])
                memory.aim[0] = max(goal[f, a], rough[f, a]) if exact else goal[f, a]
                memory.aim[1] = np.inf
                memory.rounds[:] = 0
            left = max_steps - table.steps[c, a]
            count, finished, violation, gap = _solve_one(
                rows, memory, a, goal[f, a], exact, min(budget, left)
            )
            table.steps[c, a] += count
            budget -= count
            if not finished:
                if count < left:
                    at[1] = 1
                    return False
                violation, gap = _sum_anew(rows, memory, a)
        intercept, rounded_violation, rounded_gap = certify(
            memory.lower, memory.upper, memory.beta[a], memory.gradient[a, :n]
        )
        if reused:
            violation, gap = (
                table.violation[memory.free_in[g], memory.free_at[g]],
                rounded_gap,
            )
        elif np.isnan(violation):
            violation, gap = rounded_violation, rounded_gap
        table.violation[c, a], table.dual_gap[c, a] = violation, gap
        memory.known[a] = memory.done[a] = True
        if not reused:
            _evaluate(cross, memory, table, c, a, intercept + memory.shift[a])
            free = not _touches_bound(memory.beta[a], memory.lower, memory.upper)
            if free and memory.free_at[g] < 0:
                memory.free_at[g] = a
                memory.free_in[g] = c
        at[0] += 1
        at[1] = 0
    return True


def bisection(n: int) -> np.ndarray:
    """Both ends of 0..n-1, the last first, then the middle of the widest gaps.

    Examples
    --------
    >>> bisection(5)
    array([4, 0, 2, 1, 3])
    """
    order = [n - 1] if n == 1 else [n - 1, 0]
    gaps = [(0, n - 1)]
    while gaps:
        left, right = gaps.pop(0)
        if right - left > 1:
            middle = (left + right) // 2
            order.append(middle)
            gaps += [(left, middle), (middle, right)]
    return np.array(order)


@jit
def _same_problem(targets, lower, upper, f, a, e, b):
    """Whether two problems have the same targets and the same signs of the boxes."""
    for t in range(targets.shape[2]):
        rises, falls = upper[f, a, t] > 0.0, lower[f, a, t] < 0.0
        if rises != (upper[e, b, t] > 0.0) or falls != (lower[e, b, t] < 0.0):
            return False
        if (rises or falls) and targets[f, a, t] != targets[e, b, t]:
            return False
    return True


@jit
def _describe(targets, lower, upper):
    """Half the range of the targets, and a number that is equal for same problems."""
    shape = targets.shape[:2]
    scale = np.empty(shape)
    group = np.empty(shape, np.int64)
    first = np.empty((shape[0] * shape[1], 2), np.int64)
    count = 0
    for f in range(shape[0]):
        for a in range(shape[1]):
            scale[f, a] = spread(targets[f, a], lower[f, a], upper[f, a])
            group[f, a] = count
            for g in range(count):
                if _same_problem(targets, lower, upper, f, a, first[g, 0], first[g, 1]):
                    group[f, a] = g
                    break
            if group[f, a] == count:
                first[count, 0], first[count, 1] = f, a
                count += 1
    return scale, group


def solve_path(
    rows: Rows,
    cross: np.ndarray,
    n_out: int,
    family: Family,
    C: np.ndarray,
    softness: np.ndarray,
    *,
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
        The Gram matrix of training rows and held-out rows, in distance form.
    n_out : int
        Number of held-out rows.
    family : Family
    C : array of shape (n_C,)
        In any order.
    softness : array of shape (n_softness,)
        Increasing; where the problems of the family lie on the path.
    tol, max_steps, proceed
        As in `smo.solve`.
    fitted : bool
        Whether to give the outputs for the training rows, too.
    """
    targets, lower, upper = (
        np.ascontiguousarray(part, np.float64).reshape(-1, *np.shape(part)[-2:])
        for part in (family.targets, family.lower, family.upper)
    )
    C = np.asarray(C, np.float64)
    up_C = np.argsort(C, kind="stable")
    if len(targets) > 1:
        targets, lower, upper = targets[up_C], lower[up_C], upper[up_C]
    n_softness, n = targets.shape[1:]
    scale, group = _describe(targets, lower, upper)
    width, shape = rows.values.shape[1], (len(C), n_softness)
    memory = _Memory(
        beta=np.zeros((n_softness, n)),
        gradient=np.zeros((n_softness, width), np.float32),
        shift=np.zeros(n_softness),
        drift=np.zeros(n_softness),
        target=np.zeros((n_softness, n)),
        known=np.zeros(n_softness, np.bool_),
        done=np.zeros(n_softness, np.bool_),
        free_at=np.full(group.max() + 1, -1),
        free_in=np.full(group.max() + 1, -1),
        lower=np.empty(n),
        upper=np.empty(n),
        trial_beta=np.empty(n),
        trial_gradient=np.zeros(width, np.float32),
        at=np.zeros(2, np.int64),
        aim=np.zeros(2),
        rounds=np.zeros(2, np.int64),
    )
    table = _Table(
        outputs=np.empty((*shape, cross.shape[1]), np.float32),
        fitted=np.empty((*shape, n) if fitted else (0, 0, 0)),
        violation=np.zeros(shape),
        dual_gap=np.zeros(shape),
        steps=np.zeros(shape, np.int64),
    )
    limit = max_steps if max_steps >= 0 else np.iinfo(np.int64).max
    budget = int(max(_WORK_PER_CALL / max(n, 1), 100))
    finished = False
    while not finished:
        finished = _walk(
            rows, cross, targets, lower, upper, C[up_C], np.asarray(softness, float),
            bisection(n_softness), group, tol * scale, ROUGH * scale,
            tol < _EXACT_BELOW, limit, budget, memory, table,
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

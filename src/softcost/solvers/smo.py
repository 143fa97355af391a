"""Sequential minimal optimisation of the one problem that every machine here poses.

With coefficients ``b`` (the signed dual variables ``z * a``), targets ``t`` and boxes
``lower <= 0 <= upper``,

    minimise    1/2 b'Kb - t'b
    subject to  sum(b) = 0,   lower <= b <= upper

The fitted function is ``f(x) = sum_n b_n K(x_n, x) + intercept``. A row with a positive
upper bound asks for ``f(x_n) >= t_n`` at that price, a row with a negative lower bound
for ``f(x_n) <= t_n``; a classifier has targets +1 and -1, a one-sided regressor any,
and absolute loss has both bounds. In the form ``min 1/2 a'Qa + p'a, z'a = 0,
0 <= a <= u``: ``b = z a``, ``Q = zz' K``, ``p = -z t``, the bounds are 0 and ``z u``.

The gradient is ``g = Kb - t``. A pair (i, j) with ``b_i`` able to rise, ``b_j`` able to
fall and ``g_i < g_j`` can be improved; ``max g_j - min g_i`` is the violation of the
optimality conditions, and the solution is reached when it is small.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from softcost.solvers.compilation import inline, jit
from softcost.solvers.kernels import aligned, aligned_zeros, padded
from softcost.solvers.passes import (
    largest_of,
    largest_rise,
    lowest_of,
    unit_of,
    update_and_pick,
)
from softcost.solvers.row_store import AnyRows, fetch, work_of_step
from softcost.solvers.simd import fma_scalar

_WORK_PER_CALL = 2e8  # entries touched before Python is asked whether to go on
ROUGH = 1e-3  # what single precision reaches before the gradient is summed anew
FINER = 1e-2  # by how much a refinement tightens it
PATIENCE = 20  # refinements without progress before giving up
EXACT_BELOW = 5e-4  # tolerances from which on the gradient is summed anew always
DRIFT = 0.05  # of the tolerance: rounding from which on it is summed anew
_EPS = 2.0**-24  # half the distance of 1 to the next number in single precision
_NO_LIMIT = np.iinfo(np.int64).max
_LEAST_CURVATURE = np.float64(1e-12)
_FAR = np.float32(3e38)  # what nobody's gradient is below
_BARRED = np.array([np.inf, 0.0])  # what is added to who may not move, and who may
_AT_BOUND = 1e-9  # of a box: nearer to a bound than this is at it, but for rounding


@inline
def _mark(barred, falling, t, b, lower, upper):
    """Note in the flags whether coefficient t may rise and may fall."""
    barred[t] = 0 if b < upper else -1
    falling[t] = -1 if b > lower else 0


@inline
def _mark_all(barred, falling, beta, lower, upper):
    """Flags of all coefficients; nobody else may move."""
    for t in range(beta.size):
        _mark(barred, falling, t, beta[t], lower[t], upper[t])
    for t in range(beta.size, barred.size):
        _mark(barred, falling, t, 0.0, 0.0, 0.0)


@jit
def improve(rows, lower, upper, beta, gradient, flags, tol, budget):
    """Improve pairs until the violation is at most ``tol`` or the budget is spent.

    ``beta`` (float64) and ``gradient`` (float32, padded) are changed in place;
    ``flags`` (2, padded) int8 is scratch.
    Returns the number of steps and the violation.

    A step is added to the gradient while the next one is looked for. Row i, which is
    to rise, was the lowest but one in the pass before; where nobody is above it, it
    makes no step, and the lowest follows. Where nobody is above that either, although
    somebody should be, there are numbers that overflowed: the budget is spent.
    """
    barred, falling = flags[0], flags[1]
    _mark_all(barred, falling, beta, lower, upper)
    i, lowest = lowest_of(gradient, barred)
    unit = unit_of(gradient)
    values = rows.values
    place = place_i = place_j = fetch(rows, i)
    step = np.float32(0)
    steps, idle = 0, False
    while True:
        was, barred[i] = barred[i], -1
        after, least, j = update_and_pick(
            gradient, values, place_i, place_j, step, place, lowest, barred, falling,
            unit,
        )  # fmt: skip
        barred[i] = was
        if least == _FAR:  # nobody else
            after = i
        least = least if least < lowest else lowest
        if gradient[j] - least <= tol or falling[j] == 0 or steps >= budget:
            violation = largest_rise(gradient, least, falling, unit)
            if violation <= tol or steps >= budget:
                return steps, violation
        place_i, size = place, 0.0
        if not (falling[j] != 0 and gradient[j] > lowest):
            if idle:
                return budget, np.inf
            idle = True
        else:
            idle = False
            place_j = fetch(rows, j)
            curvature = np.float64(-2.0) * values[place_i, j]
            if curvature < _LEAST_CURVATURE:
                curvature = _LEAST_CURVATURE
            size = (np.float64(gradient[j]) - np.float64(lowest)) / curvature
            room_i = upper[i] - beta[i]
            room_j = beta[j] - lower[j]
            if size < room_i and size < room_j:
                beta[i] += size
                beta[j] -= size
            elif room_i <= room_j:
                size = room_i
                beta[i] = upper[i]
                beta[j] -= size
                if beta[j] < lower[j]:
                    beta[j] = lower[j]
            else:
                size = room_j
                beta[i] += size
                if beta[i] > upper[i]:
                    beta[i] = upper[i]
                beta[j] = lower[j]
            _mark(barred, falling, i, beta[i], lower[i], upper[i])
            _mark(barred, falling, j, beta[j], lower[j], upper[j])
            steps += 1
        step, i = np.float32(size), after
        place = fetch(rows, i)
        change = values[place_i, i] - values[place_j, i]
        lowest = fma_scalar(step, change, gradient[i]) if barred[i] == 0 else _FAR


@jit
def exact_gradient(rows, targets, beta, gradient):
    """``Kb - t`` summed in double precision, four rows at a time."""
    n = beta.size
    for t in range(n):
        gradient[t] = -targets[t]
    at_a = at_b = at_c = at_d = count = 0
    wa = wb = wc = wd = 0.0
    for i in range(n + 1):
        if i < n and beta[i] != 0.0:
            at_a, at_b, at_c, at_d = at_b, at_c, at_d, fetch(rows, i)
            wa, wb, wc, wd = wb, wc, wd, beta[i]
            count += 1
        if count == 4 or (i == n and count > 0):
            a, b = rows.values[at_a], rows.values[at_b]
            c, d = rows.values[at_c], rows.values[at_d]
            for t in range(n):
                gradient[t] += (wa * a[t] + wb * b[t]) + (wc * c[t] + wd * d[t])
            wa = wb = wc = wd = 0.0
            count = 0


@jit
def certify(lower, upper, beta, gradient):
    """Intercept, violation and duality gap of coefficients with their gradient.

    The intercept is the mean of ``-g`` over coefficients strictly inside their box;
    without any, the middle of the interval that the optimality conditions allow, or
    its finite end; NaN without any row to learn from. What rounding kept from a bound
    is at it, or the intercept would depend on the way to the solution. The gap is that
    of the primal

        1/2 |f|^2 + sum_n upper_n max(t_n - f(x_n), 0) - lower_n max(f(x_n) - t_n, 0)

    and the dual: ``b'g`` plus the losses.
    """
    lowest = np.inf
    highest = -np.inf
    inside = 0.0
    count = 0
    product = 0.0
    for t in range(beta.size):  # sums instead of choices: nobody could foresee these
        g = np.float64(gradient[t])
        slack = _AT_BOUND * (upper[t] - lower[t])
        rises = np.uintp(beta[t] < upper[t] - slack)
        falls = np.uintp(beta[t] > lower[t] + slack)
        product += beta[t] * g
        low, high = g + _BARRED[rises], g - _BARRED[falls]
        lowest = low if low < lowest else lowest
        highest = high if high > highest else highest
        inside += g * np.float64(rises & falls)
        count += int(rises & falls)
    if count > 0:
        intercept = -inside / count
    elif lowest < np.inf and highest > -np.inf:
        intercept = -(lowest + highest) / 2
    elif lowest < np.inf:
        intercept = -lowest
    elif highest > -np.inf:
        intercept = -highest
    else:
        return np.nan, 0.0, 0.0
    over = under = 0.0
    for t in range(beta.size):
        residual = np.float64(gradient[t]) + intercept
        over += (residual if residual > 0.0 else 0.0) * lower[t]
        under += (residual if residual < 0.0 else 0.0) * upper[t]
    violation, gap = highest - lowest, product - (over + under)
    # what is not a number stays so
    return intercept, 0.0 if violation < 0.0 else violation, 0.0 if gap < 0.0 else gap


@jit
def rounding(gradient, steps):
    """Expected square of what rounding did to a gradient in so many steps.

    Every step rounds every gradient once; roundings add up like a random walk.
    """
    error = _EPS * np.float64(largest_of(gradient))
    return steps * error * error


@inline
def steps_per_round(n):
    """Steps after which the gradient is summed anew, whatever was reached."""
    return 50 * n + 10_000


@jit
def spread(targets, lower, upper):
    """Half the range of the targets that count: what a tolerance is relative to."""
    least, most = np.inf, -np.inf
    for t in range(targets.size):
        boxed = (lower[t] < 0.0) | (upper[t] > 0.0)
        least = targets[t] if boxed & (targets[t] < least) else least
        most = targets[t] if boxed & (targets[t] > most) else most
    return (most - least) / 2 if most > least else 1.0


class Progress(NamedTuple):
    """What `_advance` knows of a problem: the certificate of its last round, and more.

    ``found`` has intercept, violation, gap, objective, half the range of the targets,
    the least violation so far, what the round aims at, and its gradient's rounding;
    ``counts`` has all steps, those of the round and one more or 0 between rounds, and
    rounds without progress.
    """

    beta: np.ndarray  # (n,)
    exact: np.ndarray  # (n,) the gradient at the end of a round
    gradient: np.ndarray  # (padded(n),) float32, that of the steps, near the intercept
    flags: np.ndarray  # (2, padded(n)) for `improve`
    found: np.ndarray  # (8,)
    counts: np.ndarray  # (3,)


def _no_progress(n: int) -> Progress:
    return Progress(
        beta=np.zeros(n),
        exact=np.empty(n),
        gradient=aligned_zeros(padded(n)),
        flags=aligned(2, padded(n), kind=np.int8),
        found=np.zeros(8),
        counts=np.array([-1, 0, 0]),
    )


@jit
def _advance(rows, targets, lower, upper, tol, limit, budget, progress):
    """A round of steps, as far as the budget allows; whether nothing is left to do.

    It aims at a violation; then the gradient is summed anew, unless rounding cannot
    have changed it much.
    """
    beta, exact, gradient, flags, found, counts = progress
    n = beta.size
    if counts[0] < 0:
        for t in range(n):
            exact[t] = -targets[t]
        found[0], found[1], found[2] = certify(lower, upper, beta, exact)
        found[4], found[5], counts[0] = spread(targets, lower, upper), np.inf, 0
    goal, reached = tol * found[4], False
    if counts[1] == 0 and found[1] > goal and limit > 0:
        # Around -intercept the gradients that matter are small, and so is rounding.
        for t in range(n):
            gradient[t] = np.float32(exact[t] + found[0])
        aim = FINER * found[1]
        aim = aim if aim < ROUGH * found[4] else ROUGH * found[4]
        found[6], found[7], counts[1] = aim if aim > goal else goal, 0.0, 1
    if counts[1] > 0:
        most = steps_per_round(n) + 1 - counts[1]
        most = most if most < limit - counts[0] else limit - counts[0]
        now = most if most < budget else budget
        count, rough = improve(rows, lower, upper, beta, gradient, flags, found[6], now)
        counts[0] += count
        counts[1] += count
        found[7] += rounding(gradient, count)
        if rough > found[6] and count < most:
            return False
        counts[1] = 0
        reached = tol >= EXACT_BELOW and rough <= goal
        reached = reached and found[7] <= DRIFT * goal * DRIFT * goal
        if reached:
            for t in range(n):
                exact[t] = gradient[t] - found[0]
        else:
            exact_gradient(rows, targets, beta, exact)
        found[0], found[1], found[2] = certify(lower, upper, beta, exact)
        # Also when both are infinite, as with numbers that overflow.
        counts[2] = 0 if found[1] < 0.9 * found[5] else counts[2] + 1
        found[5] = found[1] if found[1] < found[5] else found[5]
        more = counts[0] < limit and counts[2] < PATIENCE
        if found[1] > goal and more and not reached:
            return False
    found[3] = 0.0
    for t in range(n):
        found[3] += beta[t] * (exact[t] - targets[t]) / 2
    return True


@dataclass(frozen=True)
class Solution:
    """Coefficients and the certificate that they are optimal.

    Attributes
    ----------
    beta : array of shape (n,)
    intercept : float
        Of the kernel's distance form; NaN where no row has a box.
    violation : float
        Largest violation of the optimality conditions, from a gradient that is summed
        in double precision, or whose rounding is known to be far below a tolerance of
        at least `EXACT_BELOW`.
    dual_gap : float
        Primal minus dual objective, from the same gradient.
    objective : float
        ``1/2 b'Kb - t'b``.
    steps : int
    converged : bool
        Whether the violation is at most the tolerance.
    """

    beta: np.ndarray
    intercept: float
    violation: float
    dual_gap: float
    objective: float
    steps: int
    converged: bool


def solve(
    rows: AnyRows,
    targets: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    *,
    tol: float = 1e-3,
    max_steps: int = -1,
    proceed: Callable[[], None] = lambda: None,
) -> Solution:
    """Solve one problem from scratch.

    Parameters
    ----------
    rows : AnyRows
        The Gram matrix, or a way to its rows.
    targets, lower, upper : arrays of shape (n,)
        With ``lower <= 0 <= upper``.
    tol : float
        Largest violation, relative to half the range of the targets.
    max_steps : int
        Give up after so many steps; -1 for no limit.
    proceed : callable
        Called several times a second; it raises to stop the work.
    """
    targets = np.asarray(targets, np.float64)
    lower = np.asarray(lower, np.float64)
    upper = np.asarray(upper, np.float64)
    limit = max_steps if max_steps >= 0 else _NO_LIMIT
    budget = int(max(_WORK_PER_CALL / max(work_of_step(rows), 1), 100))
    tol, progress, finished = float(tol), _no_progress(len(targets)), False
    while not finished:
        finished = _advance(rows, targets, lower, upper, tol, limit, budget, progress)
        proceed()
    intercept, violation, gap, objective, scale = progress.found[:5].tolist()
    small = violation <= tol * scale * (1 + 1e-6)
    return Solution(
        beta=progress.beta,
        intercept=intercept,
        violation=violation,
        dual_gap=gap,
        objective=objective,
        steps=int(progress.counts[0]),
        converged=small and gap < np.inf,  # not where numbers overflowed
    )

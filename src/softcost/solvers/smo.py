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

import numpy as np

from softcost.solvers._jit import inline, jit
from softcost.solvers._scan import pick_partner, unit_of, update_and_scan
from softcost.solvers.kernels import padded
from softcost.solvers.rows import Rows, fetch, work_of_step

_WORK_PER_CALL = 2e8  # entries touched before Python is asked whether to go on
ROUGH = 1e-3  # what single precision reaches before the gradient is summed anew
FINER = 1e-2  # by how much a refinement tightens it
PATIENCE = 20  # refinements without progress before giving up
_LEAST_CURVATURE = np.float64(1e-12)
_AT_BOUND = 1e-9  # of a box: nearer to a bound than this is at it, but for rounding


@inline
def _mark(barred, falling, t, b, lower, upper):
    """Note in the flags whether coefficient t may rise and may fall."""
    barred[t] = 0 if b < upper else -1
    falling[t] = -1 if b > lower else 0


@jit
def improve(rows, lower, upper, beta, gradient, flags, tol, budget):
    """Improve pairs until the violation is at most ``tol`` or the budget is spent.

    ``beta`` (float64) and ``gradient`` (float32, padded) are changed in place;
    ``flags`` (2, padded) int8 is scratch.
    Returns the number of steps and the violation.
    """
    n = beta.size
    barred, falling = flags[0], flags[1]
    for t in range(n):
        _mark(barred, falling, t, beta[t], lower[t], upper[t])
    for t in range(n, gradient.size):
        _mark(barred, falling, t, 0.0, 0.0, 0.0)
    unit = unit_of(gradient[:n])
    values = rows.values
    place_i = place_j = 0
    step = np.float32(0)
    steps = 0
    while True:
        i, lowest = update_and_scan(gradient, values, place_i, place_j, step, barred)
        place_i = fetch(rows, i)
        j, violation = pick_partner(gradient, values, place_i, lowest, falling, unit)
        if violation <= tol or steps >= budget:
            return steps, violation
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
        step = np.float32(size)
        steps += 1


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
    for t in range(beta.size):
        g = np.float64(gradient[t])
        slack = _AT_BOUND * (upper[t] - lower[t])
        rises = beta[t] < upper[t] - slack
        falls = beta[t] > lower[t] + slack
        product += beta[t] * g
        if rises and g < lowest:
            lowest = g
        if falls and g > highest:
            highest = g
        if rises and falls:
            inside += g
            count += 1
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
    loss = 0.0
    for t in range(beta.size):
        residual = np.float64(gradient[t]) + intercept
        loss -= residual * (lower[t] if residual > 0.0 else upper[t])
    violation, gap = highest - lowest, product + loss
    # what is not a number stays so
    return intercept, 0.0 if violation < 0.0 else violation, 0.0 if gap < 0.0 else gap


@inline
def steps_per_round(n):
    """Steps after which the gradient is summed anew, whatever was reached."""
    return 50 * n + 10_000


@jit
def spread(targets, lower, upper):
    """Half the range of the targets that count: what a tolerance is relative to."""
    least, most = np.inf, -np.inf
    for t in range(targets.size):
        if lower[t] < 0.0 or upper[t] > 0.0:
            if targets[t] < least:
                least = targets[t]
            if targets[t] > most:
                most = targets[t]
    return (most - least) / 2 if most > least else 1.0


@dataclass(frozen=True)
class Solution:
    """Coefficients and the certificate that they are optimal.

    Attributes
    ----------
    beta : array of shape (n,)
    intercept : float
        Of the kernel's distance form; NaN where no row has a box.
    violation : float
        Largest violation of the optimality conditions, from an exact gradient.
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
    rows: Rows,
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
    rows : Rows
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
    n = len(targets)
    beta = np.zeros(n)
    exact = -targets
    gradient = np.zeros(padded(n), np.float32)
    flags = np.empty((2, padded(n)), np.int8)
    scale = spread(targets, lower, upper)
    goal = tol * scale
    limit = max_steps if max_steps >= 0 else np.iinfo(np.int64).max
    per_step = work_of_step(rows)
    round_length = steps_per_round(n)
    steps, stalled, best = 0, 0, np.inf
    intercept, violation, gap = certify(lower, upper, beta, exact)
    while violation > goal and steps < limit and stalled < PATIENCE:
        # Around -intercept the gradients that matter are small, and so is rounding.
        gradient[:n] = exact + intercept
        aim = max(goal, min(ROUGH * scale, FINER * violation))
        rough, until = violation, min(steps + round_length, limit)
        while rough > aim and steps < until:
            budget = int(min(max(_WORK_PER_CALL / per_step, 100), until - steps))
            done, rough = improve(
                rows, lower, upper, beta, gradient, flags, aim, budget
            )
            steps += done
            proceed()
        exact_gradient(rows, targets, beta, exact)
        intercept, violation, gap = certify(lower, upper, beta, exact)
        # Also when both are infinite, as with numbers that overflow.
        stalled = 0 if violation < 0.9 * best else stalled + 1
        best = min(best, violation)
    objective = float(beta @ (exact - targets)) / 2
    converged = bool(violation <= goal)
    return Solution(
        beta,
        float(intercept),
        float(violation),
        float(gap),
        objective,
        steps,
        converged,
    )

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
optimality conditions, and the solution is reached when it is small [1]_ [2]_.

`improve` is the inner loop: it takes steps on pairs and keeps the gradient in single
precision. `refine` is the outer loop around it: iterative refinement [5]_, in which a
round of steps ends with a gradient summed in double precision. Single fits (`solve`),
paths (`softcost.solvers.path`) and large problems (`softcost.solvers.large`) all run
these rounds; they differ in where a problem starts and how its gradient is summed.

References
----------
.. [1] J. Platt, "Fast training of support vector machines using sequential minimal
   optimization", in Advances in Kernel Methods, MIT Press, 1998.
.. [2] S. S. Keerthi, S. K. Shevade, C. Bhattacharyya, K. R. K. Murthy, "Improvements
   to Platt's SMO algorithm for SVM classifier design", Neural Computation 13, 2001.
.. [3] R.-E. Fan, P.-H. Chen, C.-J. Lin, "Working set selection using second order
   information for training support vector machines", JMLR 6, 2005.
.. [4] S. S. Keerthi, E. G. Gilbert, "Convergence of a generalized SMO algorithm for
   SVM classifier design", Machine Learning 46, 2002.
.. [5] C. B. Moler, "Iterative refinement in floating point", Journal of the ACM 14,
   1967.
.. [6] N. J. Higham, T. Mary, "A new approach to probabilistic rounding error
   analysis", SIAM Journal on Scientific Computing 41, 2019.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from softcost.solvers.compilation import inline, internal, jit
from softcost.solvers.dual_problem import Solution
from softcost.solvers.kernels import aligned, aligned_zeros, padded
from softcost.solvers.passes import (
    FAR,
    largest_of,
    largest_rise,
    lowest_of,
    unit_of,
    update_and_pick,
)
from softcost.solvers.row_store import AnyRows, fetch, work_of_step
from softcost.solvers.simd import fma_scalar

# Kernel entries that one call of compiled code may touch: some tenths of a second, so
# that Python can handle a keyboard interrupt or a time limit in between.
_WORK_PER_CALL = 2e8
# The violation, relative to half the range of the targets, that a first round aims at
# if the tolerance is smaller. Single precision reaches it safely: it is LIBSVM's
# default tolerance, and LIBSVM too keeps kernel values in single precision.
ROUGH = 1e-3
# How much a round lowers the violation before the gradient is summed again. A sum reads
# the row of every support vector once. A smaller factor would save sums, but a round
# could end in the rounding error of its own gradient: that has about seven digits, of
# which large coefficients cancel some.
FINER = 1e-2
# Rounds without progress, a violation lower by a tenth, before the solver gives up.
# Near the limits of precision rounds lower the violation irregularly, so a few bad ones
# prove nothing.
PATIENCE = 20
_PROGRESS = 0.9
# The smallest tolerance for which a gradient in single precision may end the search.
# Half of the default tolerance: a smaller one is a request for precision.
EXACT_BELOW = 5e-4
# Expected rounding error, relative to the tolerance, that needs no new sum: small
# enough for the violation to be true to its first digit.
DRIFT = 0.05
_EPS = 2.0**-24  # unit roundoff of single precision
NO_LIMIT = np.iinfo(np.int64).max
# LIBSVM's tau [3]_: pairs of equal rows have no curvature, and their step is bounded
# by the boxes alone.
_LEAST_CURVATURE = np.float64(1e-12)
# Added to a gradient so that it loses every comparison if its row may not move
# (index 0), or takes part (index 1).
_BARRED = np.array([np.inf, 0.0])
# A coefficient nearer to a bound than this share of its box is at the bound. Rounding
# of some thousand steps in double precision is far smaller, any step is far larger.
AT_BOUND = 1e-9


@inline
def _mark(barred, falling, t, b, lower, upper):
    """Note in the flags whether coefficient t may rise and may fall."""
    barred[t] = 0 if b < upper else -1
    falling[t] = -1 if b > lower else 0


@inline
def _mark_all(barred, falling, beta, lower, upper):
    """Flags of all coefficients; the padding may not move."""
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

    The working set is that of Fan, Chen and Lin [3]_ (WSS 2): row i has the lowest
    gradient among the rows that may rise, row j gains most with it among those that
    may fall, by the second-order estimate ``(g_j - g_i)**2 / -K_ij`` of the decrease.
    Two shortcuts make a step one pass over the rows. Row i is the lowest one but i of
    the previous step, found while that step was added to the gradient; it nearly
    always is the lowest again. And gains are compared by approximate logarithms, see
    `softcost.solvers.passes.update_and_pick`.

    Every step lowers the objective, and while the violation exceeds ``tol`` a pair of
    at least that violation comes up again: if row i has no partner above it, the
    lowest of all rows follows. Such algorithms terminate [4]_. If the lowest row has no
    partner either, although the violation says that it has, numbers have overflowed,
    and the budget is reported as spent.
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
        if least == FAR:  # no other row may rise
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
            # K_ii + K_jj - 2 K_ij; the diagonal is zero in distance form.
            curvature = np.float64(-2.0) * values[place_i, j]
            if curvature < _LEAST_CURVATURE:
                curvature = _LEAST_CURVATURE
            size = (np.float64(gradient[j]) - np.float64(lowest)) / curvature
            room_i = upper[i] - beta[i]
            room_j = beta[j] - lower[j]
            # Bounds are assigned, not added up to: `_mark` compares for equality.
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
        lowest = fma_scalar(step, change, gradient[i]) if barred[i] == 0 else FAR


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
    without any, the middle of the interval that the optimality conditions allow [2]_,
    or its finite end; NaN if no row has a box. A coefficient that rounding kept from
    its bound counts as at it, or the intercept would depend on the way to the
    solution. The gap is that of the primal

        1/2 |f|^2 + sum_n upper_n max(t_n - f(x_n), 0) - lower_n max(f(x_n) - t_n, 0)

    and the dual: ``b'g`` plus the losses.
    """
    lowest = np.inf
    highest = -np.inf
    inside = 0.0
    count = 0
    product = 0.0
    for t in range(beta.size):  # branch-free: these branches are unpredictable
        g = np.float64(gradient[t])
        slack = AT_BOUND * (upper[t] - lower[t])
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
    # NaN stays NaN
    return intercept, 0.0 if violation < 0.0 else violation, 0.0 if gap < 0.0 else gap


@jit
def rounding(gradient, steps):
    """Expected square of the rounding error that ``steps`` add to a gradient.

    Every step rounds every gradient once. Rounding errors are nearly independent, so
    they add up like a random walk [6]_: the squares add up.
    """
    error = _EPS * np.float64(largest_of(gradient))
    return steps * error * error


@inline
def steps_per_round(n):
    """Steps after which the gradient is summed again, whatever was reached.

    Most problems need fewer than ten steps per row; this bounds the rounding error and
    the cost of sums (n rows at most) to a few percent of the steps' own.
    """
    return 50 * n + 10_000


@jit
def spread(targets, lower, upper):
    """Half the range of the targets of rows with a box; tolerances are relative to it.

    For a classifier it is 1, so its tolerance is that of LIBSVM.
    """
    least, most = np.inf, -np.inf
    for t in range(targets.size):
        boxed = (lower[t] < 0.0) | (upper[t] > 0.0)
        least = targets[t] if boxed & (targets[t] < least) else least
        most = targets[t] if boxed & (targets[t] > most) else most
    return (most - least) / 2 if most > least else 1.0


# How far the refinement of one problem has come. A record: numba reads and writes its
# fields in place, as it does not for tuples, and caches it, as it does not for classes.
REFINEMENT = np.dtype(
    [
        ("goal", np.float64),  # violation at which the problem is solved
        ("aim", np.float64),  # violation at which the current round ends
        ("coarsest", np.float64),  # largest aim of a round, unless the goal is larger
        ("best", np.float64),  # least violation at the end of a round
        ("tolerated", np.float64),  # drift that needs no new sum; -1: always sum
        ("drift", np.float64),  # expected square of the gradient's rounding error
        ("shift", np.float64),  # constant that the gradient contains
        ("intercept", np.float64),  # certificate of the last summed gradient
        ("violation", np.float64),
        ("dual_gap", np.float64),
        ("objective", np.float64),
        ("steps", np.int64),  # in all rounds, -1 before the first
        ("round_steps", np.int64),  # in the current round
        ("stalled", np.int64),  # rounds without progress
        ("summed", np.int64),  # 1: the gradient is a sum, to which no step was added
    ],
    align=True,
)

_FIELDS = REFINEMENT.names or ()


@inline
def begin(state, goal, aim, coarsest, always_sum):
    """Begin to refine a problem whose gradient, drift and shift are there."""
    state.goal, state.aim, state.coarsest = goal, aim, coarsest
    state.tolerated = -1.0 if always_sum else DRIFT * goal * DRIFT * goal
    state.best = np.inf
    state.steps = state.round_steps = state.stalled = state.summed = 0


@inline
def lower_aim(state, violation, finer):
    """Aim at a fraction of the violation, but not below the goal."""
    aim = finer * violation
    aim = aim if aim < state.coarsest else state.coarsest
    state.aim = aim if aim > state.goal else state.goal


@inline
def run_round(rows, lower, upper, beta, gradient, flags, state, length, limit, budget):
    """Take steps towards the aim of a round.

    At most ``length`` steps in the round, ``limit`` steps for the problem and
    ``budget`` steps now. Returns whether the round is over, and the violation
    according to the gradient in single precision.
    """
    most = length - state.round_steps
    left = limit - state.steps
    most = most if most < left else left
    now = most if most < budget else budget
    count, violation = improve(
        rows, lower, upper, beta, gradient, flags, state.aim, now
    )
    state.steps += count
    state.round_steps += count
    state.drift += rounding(gradient, count)
    if count > 0:
        state.summed = 0
    return not (violation > state.aim and count < most), violation


@inline
def end_round(state, violation, limit, finer, patience):
    """Whether a problem is finished, from a newly summed violation; else aim lower.

    A round without a single step has nothing left but rounding, if it aimed at the goal
    or began with a summed gradient.
    """
    # Infinite violations, from numbers that overflowed, are no progress either.
    state.stalled = 0 if violation < _PROGRESS * state.best else state.stalled + 1
    state.best = violation if violation < state.best else state.best
    idle = state.round_steps == 0 and (state.aim <= state.goal or state.summed == 1)
    state.summed = 1
    if not violation > state.goal or state.steps >= limit:
        return True
    if idle or state.stalled >= patience:
        return True
    lower_aim(state, violation, finer)
    state.round_steps = 0
    return False


@internal
def centre(lower, upper, beta, exact, gradient, state):
    """Certify a gradient in double precision; round it around minus its intercept.

    There the gradients that matter are small, and so are their rounding errors.
    """
    intercept, violation, dual_gap = certify(lower, upper, beta, exact)
    state.intercept, state.violation, state.dual_gap = intercept, violation, dual_gap
    shift = 0.0 if np.isnan(intercept) else intercept  # NaN: no row has a box
    for t in range(beta.size):
        gradient[t] = np.float32(exact[t] + shift)
    state.shift, state.drift = shift, 0.0


@inline
def refine(
    rows, targets, lower, upper, beta, gradient, exact, flags, state, limit, budget
):  # fmt: skip
    """Run a round as far as the budget allows; whether the problem is finished.

    A round aims at a violation; then the gradient is summed in double precision, unless
    the goal is reached and rounding is known to be far below it. In that case
    ``state.summed`` is 0, and the certificate is left to the caller.
    """
    length = steps_per_round(beta.size)
    over, violation = run_round(
        rows, lower, upper, beta, gradient, flags, state, length, limit, budget
    )
    if not over:
        return False
    if violation <= state.goal and state.drift <= state.tolerated:
        state.summed = 0
        return True
    exact_gradient(rows, targets, beta, exact)
    centre(lower, upper, beta, exact, gradient, state)
    return end_round(state, state.violation, limit, FINER, PATIENCE)


class _Problem(NamedTuple):
    """The memory of a problem that is being solved on its own."""

    beta: np.ndarray  # (n,)
    gradient: np.ndarray  # (padded(n),) float32
    exact: np.ndarray  # (n,) a gradient in double precision
    flags: np.ndarray  # (2, padded(n)) for `improve`
    state: np.ndarray  # (1,) of REFINEMENT


_NOT_BEGUN = np.zeros(1, REFINEMENT)
_NOT_BEGUN["steps"] = -1


def _unsolved(n: int) -> _Problem:
    return _Problem(
        beta=np.zeros(n),
        gradient=aligned_zeros(padded(n)),
        exact=np.empty(n),
        flags=aligned(2, padded(n), kind=np.int8),
        state=_NOT_BEGUN.copy(),
    )


@jit
def advance(rows, targets, lower, upper, tol, limit, budget, problem):
    """Refine a problem that starts from zero, for one round at most; see `refine`.

    At the end the certificate is in its state.
    """
    beta, gradient, exact, flags = (
        problem.beta, problem.gradient, problem.exact, problem.flags,
    )  # fmt: skip
    state, finished = problem.state[0], False
    if state.steps < 0:
        for t in range(beta.size):
            exact[t] = -targets[t]
        centre(lower, upper, beta, exact, gradient, state)
        scale = spread(targets, lower, upper)
        begin(state, tol * scale, np.inf, ROUGH * scale, tol < EXACT_BELOW)
        lower_aim(state, state.violation, FINER)
        state.summed = 1
        finished = not (state.violation > state.goal and limit > 0)
    if not finished:
        finished = refine(
            rows, targets, lower, upper, beta, gradient, exact, flags, state, limit,
            budget,
        )  # fmt: skip
    if finished:
        if state.summed == 0:
            shift = state.shift
            for t in range(beta.size):
                exact[t] = gradient[t] - shift
            intercept, violation, dual_gap = certify(lower, upper, beta, exact)
            state.intercept, state.violation = intercept, violation
            state.dual_gap = dual_gap
        objective = 0.0
        for t in range(beta.size):
            objective += beta[t] * (exact[t] - targets[t]) / 2
        state.objective = objective
    return finished


def steps_per_call(work: float) -> int:
    """Steps between two calls of ``proceed``, for steps that touch ``work`` entries."""
    return int(max(_WORK_PER_CALL / max(work, 1), 100))


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
    limit = max_steps if max_steps >= 0 else NO_LIMIT
    budget = steps_per_call(work_of_step(rows))
    tol, problem, finished = float(tol), _unsolved(len(targets)), False
    while not finished:
        finished = advance(rows, targets, lower, upper, tol, limit, budget, problem)
        proceed()
    state = dict(zip(_FIELDS, problem.state[0].item(), strict=True))
    within_tol = state["violation"] <= state["goal"] * (1 + 1e-6)
    return Solution(
        beta=problem.beta,
        intercept=state["intercept"],
        violation=state["violation"],
        dual_gap=state["dual_gap"],
        objective=state["objective"],
        steps=state["steps"],
        # An infinite gap means that numbers overflowed.
        converged=within_tol and state["dual_gap"] < np.inf,
    )

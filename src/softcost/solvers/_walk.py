"""The compiled walk of `softcost.solvers.path`: starts, solutions, outputs."""

from typing import NamedTuple

import numpy as np

from softcost.solvers._jit import inline, internal, jit
from softcost.solvers._vector import copy
from softcost.solvers.rows import add_held_out
from softcost.solvers.smo import (
    DRIFT,
    FINER,
    PATIENCE,
    certify,
    exact_gradient,
    improve,
    rounding,
    steps_per_round,
)

_SLACK = 1e-9  # of a box: rounding that an interpolated start may need clipped
_LOOK = 128  # rows between two looks whether all are feasible so far


class Memory(NamedTuple):
    """What is known of the problems of one C value, one for each softness value.

    ``gradient`` is ``K beta - target + shift``: a constant changes no step, and around
    the intercept rounding is smallest.
    """

    beta: np.ndarray  # (n_softness, n)
    gradient: np.ndarray  # (n_softness, padded(n)) float32
    shift: np.ndarray  # (n_softness,)
    drift: np.ndarray  # (n_softness,) expected square of the gradient's rounding error
    target: np.ndarray  # (n_softness, n) the targets that the gradient belongs to
    objective: np.ndarray  # (n_softness,) 1/2 b'Kb - t'b
    held: np.ndarray  # (n_softness,) the group of the problem that is solved
    known: np.ndarray  # (n_softness,) solved for this or a smaller C
    done: np.ndarray  # (n_softness,) solved for this C
    free_at: np.ndarray  # (n_groups,) where a solution touches no bound, or -1
    free_in: np.ndarray  # (n_groups,) and for which C
    lower: np.ndarray  # (n,) the box of the current problem
    upper: np.ndarray
    trial_beta: np.ndarray  # (n,) scratch
    trial_gradient: np.ndarray  # (padded(n),)
    exact: np.ndarray  # (n,) a gradient in double precision
    flags: np.ndarray  # (2, padded(n)) for `smo.improve`
    signs: np.ndarray  # (2, n) rows with a positive coefficient, with a negative one
    chosen: np.ndarray  # (n,) rows with a coefficient
    weights: np.ndarray  # (n,) and these coefficients
    at: np.ndarray  # (2,) position in the walk, and whether it has been started
    aim: np.ndarray  # (2,) what violation the current round aims at, the best so far
    rounds: np.ndarray  # (2,) steps in the current round, rounds without progress


class Table(NamedTuple):
    """Results for every C and softness."""

    outputs: np.ndarray
    fitted: np.ndarray
    violation: np.ndarray
    dual_gap: np.ndarray
    steps: np.ndarray


@internal
def _is_feasible(beta, lower, upper):
    """Whether nothing lies further outside its box than rounding explains."""
    outside, n = False, beta.size
    for start in range(0, n, _LOOK):
        for t in range(start, start + _LOOK if start + _LOOK < n else n):
            slack = _SLACK * (upper[t] - lower[t])
            outside |= (beta[t] > upper[t] + slack) | (beta[t] < lower[t] - slack)
        if outside:
            return False
    return True


@internal
def _put_on_bounds(beta, lower, upper):
    """Put what rounding left near a bound, or beyond it, on it.

    A coefficient that rounding kept from its bound would cost a step of its own.
    """
    for t in range(beta.size):
        b, low, high = beta[t], lower[t], upper[t]
        slack = _SLACK * (high - low)
        b = high if b > high - slack else b
        beta[t] = low if b < low + slack else b


@inline
def _touches_bound(beta, lower, upper):
    for t in range(beta.size):
        if upper[t] > 0.0 and beta[t] >= upper[t]:
            return True
        if lower[t] < 0.0 and beta[t] <= lower[t]:
            return True
    return False


@inline
def _neighbours(done, run, a):
    """The nearest solved problems of a run on both sides; the same twice at an end."""
    left, right = -1, -1
    for k in range(a - 1, -1, -1):
        if done[k] and run[k] == run[a]:
            left = k
            break
    for k in range(a + 1, done.size):
        if done[k] and run[k] == run[a]:
            right = k
            break
    if left < 0:
        left = right
    if right < 0:
        right = left
    return left, right


@inline
def _blend(one, other, share, out):
    """The point at a share of the way between two."""
    keep = 1.0 - share
    for t in range(out.size):
        out[t] = keep * one[t] + share * other[t]


@inline
def _blend_gradient(memory, left, right, share, target, out):
    """The gradient of the point between two solved problems, for a target."""
    keep = 1.0 - share
    one, other = memory.gradient[left], memory.gradient[right]
    was, became = memory.target[left], memory.target[right]
    for t in range(target.size):
        blend = keep * one[t] + share * other[t]
        out[t] = np.float32(blend + keep * was[t] + share * became[t] - target[t])


@internal
def _objective(beta, gradient, target):
    """``1/2 b'Kb - t'b``: a shift of the gradient drops out, since sum(b) = 0."""
    # two sums, which do not wait for each other
    total = rest = 0.0
    for t in range(0, target.size - 1, 2):
        total += beta[t] * (gradient[t] - target[t])
        rest += beta[t + 1] * (gradient[t + 1] - target[t + 1])
    if target.size % 2 == 1:
        total += beta[-1] * (gradient[target.size - 1] - target[-1])
    return (total + rest) / 2


@inline
def _take_over(memory, a, source):
    """Problem ``a`` begins where another, with the same targets, was solved."""
    if source != a:
        copy(memory.beta[source], memory.beta[a])
        copy(memory.gradient[source], memory.gradient[a])
        # may differ in rows without a box
        copy(memory.target[source], memory.target[a])
        memory.shift[a] = memory.shift[source]
        memory.drift[a] = memory.drift[source]


@inline
def _start(memory, a, softness, run, g, target):
    """Start problem ``a`` from the best feasible point at hand, at worst from zero.

    At hand are solutions of the same problem in other boxes, for the last C, whose
    objectives are known; the point between the neighbours for this C, or the only
    neighbour; and what this softness had for the last C, with other targets.
    """
    n_softness, lower, upper = memory.known.size, memory.lower, memory.upper
    best, source = 0.0, -1
    for k in range(n_softness):
        same = memory.known[k] and not memory.done[k] and memory.held[k] == g
        better = same and memory.objective[k] < best
        if better and _is_feasible(memory.beta[k], lower, upper):
            best, source = memory.objective[k], k
    trial, gradient, shift, drift = (
        memory.trial_beta, memory.trial_gradient, memory.shift, memory.drift,
    )  # fmt: skip
    for attempt in range(2):
        left = right = a
        if attempt == 1:
            left, right = _neighbours(memory.done, run, a)
        if left < 0 or not memory.known[left] or (left == a and memory.held[a] == g):
            continue
        share = 0.0
        if left != right:
            share = (softness[a] - softness[left]) / (softness[right] - softness[left])
        _blend(memory.beta[left], memory.beta[right], share, trial)
        if not _is_feasible(trial, lower, upper):
            continue
        _blend_gradient(memory, left, right, share, target, gradient)
        objective = _objective(trial, gradient, target)
        if objective < best:
            shift[a] = (1.0 - share) * shift[left] + share * shift[right]
            drift[a] = drift[left] if drift[left] > drift[right] else drift[right]
            copy(trial, memory.beta[a])
            copy(gradient, memory.gradient[a])
            copy(target, memory.target[a])
            best, source = objective, a
    if source >= 0:
        _take_over(memory, a, source)
        _put_on_bounds(memory.beta[a], lower, upper)
        return
    for t in range(target.size):
        memory.beta[a, t] = 0.0
        memory.gradient[a, t] = np.float32(-target[t])
    memory.shift[a] = memory.drift[a] = 0.0
    copy(target, memory.target[a])


@inline
def _sum_anew(rows, memory, a):
    """Sum the gradient in double precision around its intercept; violation and gap."""
    beta, gradient, exact = memory.beta[a], memory.gradient[a], memory.exact
    exact_gradient(rows, memory.target[a], beta, exact)
    intercept, violation, gap = certify(memory.lower, memory.upper, beta, exact)
    if np.isnan(intercept):  # no row has a box: nothing to centre, nothing to spoil
        intercept = 0.0
    for t in range(beta.size):
        gradient[t] = np.float32(exact[t] + intercept)
    memory.shift[a] = intercept
    memory.drift[a] = 0.0
    return violation, gap


@inline
def _solve_one(rows, memory, a, goal, exact, limit, allowed):
    """Improve problem ``a`` for at most ``limit`` steps now, ``allowed`` in all.

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
        most = limit - steps
        if most > length - rounds[0]:
            most = length - rounds[0]
        count, violation = improve(
            rows, memory.lower, memory.upper, beta, gradient, memory.flags, aim[0], most
        )
        steps += count
        rounds[0] += count
        memory.drift[a] += rounding(gradient, count)
        ended = steps >= allowed
        if violation > aim[0] and rounds[0] < length and not ended:
            return steps, False, np.nan, np.nan
        little = not exact and memory.drift[a] <= DRIFT * goal * DRIFT * goal
        if violation <= goal and little:
            return steps, True, np.nan, np.nan
        violation, gap = _sum_anew(rows, memory, a)
        rounds[1] = 0 if violation < 0.9 * aim[1] else rounds[1] + 1
        if violation < aim[1]:
            aim[1] = violation
        stuck = rounds[1] >= PATIENCE or (count == 0 and aim[0] <= goal)
        if violation <= goal or stuck or ended:
            return steps, True, violation, gap
        aim[0] = FINER * violation if FINER * violation > goal else goal
        rounds[0] = 0


@inline
def _forget(free_at, a):
    """Offer the coefficients of problem ``a`` no longer: another will have them."""
    for g in range(free_at.size):
        if free_at[g] == a:
            free_at[g] = -1


@inline
def _reuse(memory, table, c, a, g):
    """Take over a solution that touches no bound where it is feasible here."""
    source, was = memory.free_at[g], memory.free_in[g]
    if source < 0:
        return False
    if not _is_feasible(memory.beta[source], memory.lower, memory.upper):
        return False
    if source != a:
        _forget(memory.free_at, a)
    _take_over(memory, a, source)
    _put_on_bounds(memory.beta[a], memory.lower, memory.upper)
    copy(table.outputs[was, source], table.outputs[c, a])
    if table.fitted.size > 0:
        copy(table.fitted[was, source], table.fitted[c, a])
    return True


@internal
def _balance(beta, signs, chosen, weights):
    """List the nonzero coefficients so that partial sums stay small; how many.

    They sum to zero. Positive ones and negative ones in turn keep the partial sums of
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
    """Outputs for held-out rows, ``intercept + sum_n b_n K(n, .)``, and for fitted."""
    beta, target, gradient = memory.beta[a], memory.target[a], memory.gradient[a]
    chosen, weights = memory.chosen, memory.weights
    count = _balance(beta, memory.signs, chosen, weights)
    outputs = table.outputs[c, a]
    for t in range(outputs.size):
        outputs[t] = np.float32(intercept)
    add_held_out(rows, cross, chosen, weights, count, outputs)
    if table.fitted.size > 0:
        offset = intercept - memory.shift[a]
        for t in range(beta.size):
            table.fitted[c, a, t] = gradient[t] + target[t] + offset


@jit
def walk(
    rows, cross, targets, lower, upper, C, softness, order, run, group, goal, rough,
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
            for k in range(n_softness):
                memory.done[k] = False
        reused = not started and _reuse(memory, table, c, a, g)
        if not reused:
            if not started:
                _forget(memory.free_at, a)
                _start(memory, a, softness, run, g, targets[f, a])
                memory.aim[0] = goal[f, a]
                if exact and rough[f, a] > goal[f, a]:
                    memory.aim[0] = rough[f, a]
                memory.aim[1] = np.inf
                memory.rounds[0] = memory.rounds[1] = 0
            left = max_steps - table.steps[c, a]
            most = left if left < budget else budget
            count, finished, violation, gap = _solve_one(
                rows, memory, a, goal[f, a], exact, most, left
            )
            table.steps[c, a] += count
            budget -= count
            if not finished:
                at[1] = 1
                return False
        for t in range(n):
            memory.exact[t] = memory.gradient[a, t]
        intercept, rounded_violation, rounded_gap = certify(
            memory.lower, memory.upper, memory.beta[a], memory.exact
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
        memory.held[a] = g
        memory.objective[a] = _objective(
            memory.beta[a], memory.gradient[a], memory.target[a]
        )
        if not reused:
            _evaluate(rows, cross, memory, table, c, a, intercept + memory.shift[a])
            free = not _touches_bound(memory.beta[a], memory.lower, memory.upper)
            if free and memory.free_at[g] < 0:
                memory.free_at[g] = a
                memory.free_in[g] = c
        at[0] += 1
        at[1] = 0
    return True

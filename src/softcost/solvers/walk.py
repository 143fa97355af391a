"""The compiled walk of `softcost.solvers.path`: solutions and outputs."""

from typing import NamedTuple

import numpy as np

from softcost.solvers.compilation import inline, internal, jit
from softcost.solvers.row_store import add_held_out
from softcost.solvers.simd import copy
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
from softcost.solvers.warm_start import (
    is_feasible,
    objective_of,
    put_on_bounds,
    start,
    take_over,
)


class Table(NamedTuple):
    """Results for every C and softness."""

    outputs: np.ndarray
    fitted: np.ndarray
    violation: np.ndarray
    dual_gap: np.ndarray
    steps: np.ndarray


@inline
def _touches_bound(beta, lower, upper):
    for t in range(beta.size):
        if upper[t] > 0.0 and beta[t] >= upper[t]:
            return True
        if lower[t] < 0.0 and beta[t] <= lower[t]:
            return True
    return False


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
    if not is_feasible(memory.beta[source], memory.lower, memory.upper):
        return False
    if source != a:
        _forget(memory.free_at, a)
    take_over(memory, a, source)
    put_on_bounds(memory.beta[a], memory.lower, memory.upper)
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
                start(memory, a, softness, run, g, targets[f, a])
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
        memory.objective[a] = objective_of(
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

"""Where a problem of `softcost.solvers.path` starts: near solutions that are known."""

from typing import NamedTuple

import numpy as np

from softcost.solvers.compilation import inline, internal
from softcost.solvers.simd import copy

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


@internal
def is_feasible(beta, lower, upper):
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
def put_on_bounds(beta, lower, upper):
    """Put what rounding left near a bound, or beyond it, on it.

    A coefficient that rounding kept from its bound would cost a step of its own.
    """
    for t in range(beta.size):
        b, low, high = beta[t], lower[t], upper[t]
        slack = _SLACK * (high - low)
        b = high if b > high - slack else b
        beta[t] = low if b < low + slack else b


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
def objective_of(beta, gradient, target):
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
def take_over(memory, a, source):
    """Problem ``a`` begins where another, with the same targets, was solved."""
    if source != a:
        copy(memory.beta[source], memory.beta[a])
        copy(memory.gradient[source], memory.gradient[a])
        # may differ in rows without a box
        copy(memory.target[source], memory.target[a])
        memory.shift[a] = memory.shift[source]
        memory.drift[a] = memory.drift[source]


@inline
def start(memory, a, softness, run, g, target):
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
        if better and is_feasible(memory.beta[k], lower, upper):
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
        if not is_feasible(trial, lower, upper):
            continue
        _blend_gradient(memory, left, right, share, target, gradient)
        objective = objective_of(trial, gradient, target)
        if objective < best:
            shift[a] = (1.0 - share) * shift[left] + share * shift[right]
            drift[a] = drift[left] if drift[left] > drift[right] else drift[right]
            copy(trial, memory.beta[a])
            copy(gradient, memory.gradient[a])
            copy(target, memory.target[a])
            best, source = objective, a
    if source >= 0:
        take_over(memory, a, source)
        put_on_bounds(memory.beta[a], lower, upper)
        return
    for t in range(target.size):
        memory.beta[a, t] = 0.0
        memory.gradient[a, t] = np.float32(-target[t])
    memory.shift[a] = memory.drift[a] = 0.0
    copy(target, memory.target[a])

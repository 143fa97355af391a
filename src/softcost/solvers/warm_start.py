"""Warm starts: a problem on a path begins near solutions of its neighbours.

The problems of a path (`softcost.solvers.path`) differ in C and softness. Feasible
points at hand for a problem are

* zero;
* the solution for the same softness and the previous C, and solutions for that C of
  problems with the same targets and signs of the boxes;
* between two solved softness values of a run, their interpolation; at the end of a run
  the only neighbour;
* for large problems, the solution for the previous C times the ratio of the C values:
  if all coefficients are at their bounds, that often is the next solution.

The problem starts from the feasible one with the lowest objective. A solution that
touches no bound but zero is not only a start: it solves every problem with the same
targets and signs of the boxes in which it is feasible (its optimality conditions do
not mention the bounds).

Small problems keep gradients in single precision and start in compiled code, from
`Memory`. Large ones keep products with the Gram matrix, held-out points included, in
double precision (`Point`), and `PointStarts` looks for their starts.
"""

from typing import NamedTuple

import numpy as np

from softcost.solvers.compilation import inline, internal
from softcost.solvers.kernels import aligned, aligned_zeros, padded
from softcost.solvers.simd import copy
from softcost.solvers.smo import AT_BOUND, REFINEMENT

# Rows between two checks whether all have been feasible so far: long enough for vector
# instructions, short enough to end early.
_CHECKED_AT_ONCE = 128
# Neighbours differ in support if one has this many times as many coefficients as the
# other, and this many more. Interpolating them would give every coefficient that only
# one has half its value, which a step of its own must take back.
_SUPPORT_RATIO, _SUPPORT_EXCESS = 4, 100

# Where a walk along a path is: the cell in the order of the walk, and whether
# its problem has been started.
CURSOR = np.dtype([("cell", np.int64), ("started", np.int64)], align=True)


class Memory(NamedTuple):
    """Solutions of the problems of one C value, one for each softness value.

    ``gradient`` is ``K beta - target + shift``: a constant changes no step, and around
    the intercept rounding is smallest.
    """

    beta: np.ndarray  # (n_softness, n)
    gradient: np.ndarray  # (n_softness, padded(n)) float32
    target: np.ndarray  # (n_softness, n) the targets that the gradient belongs to
    state: np.ndarray  # (n_softness,) of REFINEMENT
    group: np.ndarray  # (n_softness,) the group of the problem that is solved
    solved: np.ndarray  # (n_softness,) for this or a smaller C
    done: np.ndarray  # (n_softness,) for this C
    free_at: np.ndarray  # (n_groups,) softness where a solution touches no bound, or -1
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
    cursor: np.ndarray  # (1,) of CURSOR


def empty_memory(n_softness: int, n: int, n_groups: int) -> Memory:
    """Memory without any solution."""
    width = padded(n)
    return Memory(
        beta=np.zeros((n_softness, n)),
        gradient=aligned_zeros(n_softness, width),
        target=np.zeros((n_softness, n)),
        state=np.zeros(n_softness, REFINEMENT),
        group=np.full(n_softness, -1),
        solved=np.zeros(n_softness, np.bool_),
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
        cursor=np.zeros(1, CURSOR),
    )


@internal
def is_feasible(beta, lower, upper):
    """Whether no coefficient lies further outside its box than rounding explains."""
    outside, n = False, beta.size
    for start in range(0, n, _CHECKED_AT_ONCE):
        stop = start + _CHECKED_AT_ONCE
        for t in range(start, stop if stop < n else n):
            slack = AT_BOUND * (upper[t] - lower[t])
            outside |= (beta[t] > upper[t] + slack) | (beta[t] < lower[t] - slack)
        if outside:
            return False
    return True


@internal
def put_on_bounds(beta, lower, upper):
    """Move coefficients that rounding left near a bound, or beyond it, onto it.

    A coefficient that rounding kept from its bound would cost a step of its own.
    """
    for t in range(beta.size):
        b, low, high = beta[t], lower[t], upper[t]
        slack = AT_BOUND * (high - low)
        b = high if b > high - slack else b
        beta[t] = low if b < low + slack else b


@internal
def objective_of(beta, gradient, target):
    """``1/2 b'Kb - t'b``: a shift of the gradient drops out, since sum(b) = 0."""
    # Two sums that do not wait for each other.
    total = rest = 0.0
    for t in range(0, target.size - 1, 2):
        total += beta[t] * (gradient[t] - target[t])
        rest += beta[t + 1] * (gradient[t + 1] - target[t + 1])
    if target.size % 2 == 1:
        total += beta[-1] * (gradient[target.size - 1] - target[-1])
    return (total + rest) / 2


@inline
def touches_bound(beta, lower, upper):
    """Whether a coefficient is at a bound other than zero."""
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
def _interpolate(left, right, share, out):
    """The point at a share of the way between two."""
    rest = 1.0 - share
    for t in range(out.size):
        out[t] = rest * left[t] + share * right[t]


@inline
def _interpolate_gradient(memory, left, right, share, target, out):
    """The gradient of the point between two solved problems, for a target.

    It is linear in the coefficients, so this is exact but for rounding.
    """
    rest = 1.0 - share
    left_gradient, right_gradient = memory.gradient[left], memory.gradient[right]
    left_target, right_target = memory.target[left], memory.target[right]
    for t in range(target.size):
        between = rest * left_gradient[t] + share * right_gradient[t]
        out[t] = np.float32(
            between + rest * left_target[t] + share * right_target[t] - target[t]
        )


@inline
def _forget(free_at, a):
    """Offer the coefficients of problem ``a`` no longer: they will be overwritten."""
    for g in range(free_at.size):
        if free_at[g] == a:
            free_at[g] = -1


@inline
def _copy_solution(memory, a, source):
    """Copy coefficients and gradient of another problem with the same targets."""
    if source != a:
        copy(memory.beta[source], memory.beta[a])
        copy(memory.gradient[source], memory.gradient[a])
        # Targets may differ in rows without a box.
        copy(memory.target[source], memory.target[a])
        memory.state[a].shift = memory.state[source].shift
        memory.state[a].drift = memory.state[source].drift


@inline
def reuse(memory, a, g):
    """Adopt the solution of a group that touches no bound, if it is feasible here."""
    source = memory.free_at[g]
    if source < 0:
        return False
    if not is_feasible(memory.beta[source], memory.lower, memory.upper):
        return False
    if source != a:
        _forget(memory.free_at, a)
    _copy_solution(memory, a, source)
    put_on_bounds(memory.beta[a], memory.lower, memory.upper)
    return True


@inline
def start(memory, a, softness, run, g, target):
    """Start problem ``a`` from the best feasible point at hand, see the module."""
    n_softness, lower, upper = memory.solved.size, memory.lower, memory.upper
    _forget(memory.free_at, a)
    best, source = 0.0, -1
    for k in range(n_softness):
        same = memory.solved[k] and not memory.done[k] and memory.group[k] == g
        better = same and memory.state[k].objective < best
        if better and is_feasible(memory.beta[k], lower, upper):
            best, source = memory.state[k].objective, k
    trial, gradient, state = memory.trial_beta, memory.trial_gradient, memory.state
    for attempt in range(2):
        left = right = a
        if attempt == 1:
            left, right = _neighbours(memory.done, run, a)
        if left < 0 or not memory.solved[left]:
            continue
        if left == a and memory.group[a] == g:  # among those above
            continue
        share = 0.0
        if left != right:
            share = (softness[a] - softness[left]) / (softness[right] - softness[left])
        _interpolate(memory.beta[left], memory.beta[right], share, trial)
        if not is_feasible(trial, lower, upper):
            continue
        _interpolate_gradient(memory, left, right, share, target, gradient)
        objective = objective_of(trial, gradient, target)
        if objective < best:
            drift, other = state[left].drift, state[right].drift
            state[a].shift = (1.0 - share) * state[left].shift
            state[a].shift += share * state[right].shift
            state[a].drift = drift if drift > other else other
            copy(trial, memory.beta[a])
            copy(gradient, memory.gradient[a])
            copy(target, memory.target[a])
            best, source = objective, a
    if source >= 0:
        _copy_solution(memory, a, source)
        put_on_bounds(memory.beta[a], lower, upper)
        return
    for t in range(target.size):
        memory.beta[a, t] = 0.0
        memory.gradient[a, t] = np.float32(-target[t])
    state[a].shift = state[a].drift = 0.0
    copy(target, memory.target[a])


class Point(NamedTuple):
    """Coefficients and ``K b``, followed by its values for held-out points."""

    beta: np.ndarray
    product: np.ndarray

    def objective(self, targets: np.ndarray) -> float:
        """``1/2 b'Kb - t'b``."""
        return float(self.beta @ (self.product[: len(targets)] / 2 - targets))

    @staticmethod
    def zero(n: int, n_out: int) -> "Point":
        return Point(np.zeros(n), np.zeros(n + n_out))

    def times(self, ratio: float) -> "Point":
        return Point(ratio * self.beta, ratio * self.product)

    def interpolate(self, other: "Point", share: float) -> "Point":
        """The point at a share of the way to another."""
        rest = 1.0 - share
        return Point(
            rest * self.beta + share * other.beta,
            rest * self.product + share * other.product,
        )

    def within(self, lower: np.ndarray, upper: np.ndarray) -> "Point | None":
        """The point with coefficients clipped to the box, None if not for rounding."""
        slack = AT_BOUND * (upper - lower)
        if (self.beta > upper + slack).any() or (self.beta < lower - slack).any():
            return None
        return Point(np.clip(self.beta, lower, upper), self.product)


class PointStarts:
    """Solutions of large problems along a path, and the starts that they give.

    Parameters
    ----------
    softness, run : arrays of shape (n_softness,)
        As for `start`.
    n_out : int
        Number of held-out points.
    """

    def __init__(self, softness: np.ndarray, run: np.ndarray, n_out: int):
        self._softness, self._run, self._n_out = softness, run, n_out
        self._solved: dict[int, Point] = {}  # by softness: for this or a smaller C
        self._done: set[int] = set()  # softness values that are solved for this C
        # By group: a solution that touches no bound, its C and softness.
        self._free: dict[int, tuple[int, int, Point]] = {}

    def next_C(self) -> None:
        """From now on solutions are for the next C value."""
        self._done.clear()

    def note(
        self,
        c: int,
        a: int,
        group: int,
        solution: Point,
        lower: np.ndarray,
        upper: np.ndarray,
    ) -> None:
        """Keep the solution for a C and a softness value."""
        beta = solution.beta
        self._solved[a] = solution
        self._done.add(a)
        at_bound = ((upper > 0) & (beta >= upper)) | ((lower < 0) & (beta <= lower))
        if group not in self._free and not at_bound.any():
            self._free[group] = c, a, solution

    def reuse(
        self, a: int, group: int, lower: np.ndarray, upper: np.ndarray
    ) -> tuple[int, int] | None:
        """As the function `reuse`; returns the C and softness of the solution."""
        if group not in self._free:
            return None
        c, source, solution = self._free[group]
        clipped = solution.within(lower, upper)
        if clipped is None:
            return None
        self._solved[a] = clipped
        self._done.add(a)
        return c, source

    def start(
        self,
        a: int,
        groups: np.ndarray,
        ratio: float,
        targets: np.ndarray,
        lower: np.ndarray,
        upper: np.ndarray,
    ) -> Point:
        """The best feasible point at hand, see the module.

        Parameters
        ----------
        groups : array of shape (n_softness,)
            Groups of the problems for this C.
        ratio : float
            This C over the previous one.
        """
        candidates = [Point.zero(len(targets), self._n_out)]
        if a in self._solved:
            candidates += [self._solved[a], self._solved[a].times(ratio)]
        candidates += self._between(a)
        candidates += [
            point
            for k, point in self._solved.items()
            if k != a and k not in self._done and groups[k] == groups[a]
        ]
        clipped = [candidate.within(lower, upper) for candidate in candidates]
        return min(
            (point for point in clipped if point is not None),
            key=lambda point: point.objective(targets),
        )

    def _between(self, a: int) -> list[Point]:
        """The point between the neighbours, or the only neighbour, if there is any."""
        run = [k for k in self._done if self._run[k] == self._run[a]]
        left = max((k for k in run if k < a), default=None)
        right = min((k for k in run if k > a), default=None)
        if left is None or right is None:
            return [self._solved[k] for k in (left, right) if k is not None]
        ends = self._solved[left], self._solved[right]
        fewest, most = sorted(int(np.count_nonzero(point.beta)) for point in ends)
        if most > _SUPPORT_RATIO * fewest + _SUPPORT_EXCESS:
            return []
        at = self._softness
        share = (at[a] - at[left]) / (at[right] - at[left])
        return [ends[0].interpolate(ends[1], share)]

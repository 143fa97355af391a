"""Problems of many rows, solved on a working set of them.

Of tens of thousands of rows few have a coefficient at all, or change it from one
problem to the next. So steps are made within a working set W; the gradient of all rows
follows from the coefficients that changed:

1. find the violation over all rows; stop where it is small;
2. bring those rows into W that violate most, on both sides;
3. improve pairs within W until the violation there is a tenth of that, or small;
4. add what the changed coefficients do to the gradient, in double precision.

W always has the two rows that violate most, so that each round lowers the objective,
and the violation that is reached is that of the whole problem. W goes on from one
problem of a path to the next.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from softcost.solvers._products import Products, block_bytes, products_of
from softcost.solvers._walk import Table
from softcost.solvers._working_set import WorkingSet, working_bytes
from softcost.solvers.rows import AnyRows, Given
from softcost.solvers.smo import Solution, certify, spread
from softcost.solvers.smo import solve as solve_at_once

LARGE = 10_000  # rows of a large problem,
MANY = 22_000  # where there are more than so many points in all
_ROUND = 0.1  # of the violation: what a round leaves of it within the working set
_ROUNDS = 2000  # rounds for one problem before giving up
_SLACK = 1e-9  # of a box: rounding that a start may need clipped
_TIMES, _MORE = 4, 100  # many more coefficients: so many times as many, and so many


def is_large(n: int, total: int) -> bool:
    """Whether a problem of n rows is solved on a working set.

    ``total`` is the number of distinct points, of which its rows may be a part. Where
    there are few, their matrix fits into memory, and steps over all rows are faster.
    How much memory there is does not count: results do not depend on it.
    """
    return n > LARGE and total > MANY


def large_bytes(m: int, total: int, n_out: int, d: int) -> int:
    """Memory for kernel values of a large problem of m rows, 0 for others.

    The rows that it keeps are not counted.
    """
    if not is_large(m, total):
        return 0
    return working_bytes() + block_bytes(m + n_out, d)


class Point(NamedTuple):
    """Coefficients and ``K b``, which goes on with values for held-out points."""

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

    def blend(self, other: "Point", share: float) -> "Point":
        """The point at a share of the way to another."""
        keep = 1.0 - share
        return Point(
            keep * self.beta + share * other.beta,
            keep * self.product + share * other.product,
        )

    def within(self, lower: np.ndarray, upper: np.ndarray) -> "Point | None":
        """Itself with what rounding left outside the box clipped, or None."""
        slack = _SLACK * (upper - lower)
        if (self.beta > upper + slack).any() or (self.beta < lower - slack).any():
            return None
        return Point(np.clip(self.beta, lower, upper), self.product)


class Rounds:
    """Problems over the same rows, one after the other.

    Parameters
    ----------
    products : Products
    n : int
    proceed : callable
        As in `smo.solve`.
    """

    def __init__(self, products: Products, n: int, proceed: Callable[[], None]):
        self._products = products
        self._working = WorkingSet(self._products, n)
        self._proceed = proceed

    def solve(
        self,
        start: Point,
        targets: np.ndarray,
        lower: np.ndarray,
        upper: np.ndarray,
        goal: float,
        limit: int,
    ) -> tuple[Point, int]:
        """Lower the violation to the goal, in at most ``limit`` steps."""
        beta, product = start.beta.copy(), start.product.copy()
        working, steps = self._working, 0
        for _ in range(_ROUNDS):
            gradient = product[: len(targets)] - targets
            rises, falls = beta < upper, beta > lower
            lowest = gradient[rises].min(initial=np.inf)
            highest = gradient[falls].max(initial=-np.inf)
            violation = highest - lowest
            if not violation > goal or steps >= limit:
                break
            support = int(np.count_nonzero(beta))
            working.grow(rises, falls, gradient, lowest, highest, support)
            gradient -= (lowest + highest) / 2
            aim = max(goal, _ROUND * violation)
            count, new = working.improve(
                lower, upper, beta, gradient, aim, limit - steps
            )
            if count == 0:  # what is left is rounding
                break
            steps += count
            order = np.argsort(working.members)
            chosen, change = working.members[order], new[order]
            change = change - beta[chosen]
            moved = change != 0.0
            beta[working.members] = new
            self._products.add(chosen[moved], change[moved], product)
            self._proceed()
        return Point(beta, product), steps


def solve(
    rows: AnyRows,
    targets: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    *,
    total: int,
    tol: float = 1e-3,
    max_steps: int = -1,
    proceed: Callable[[], None] = lambda: None,
) -> Solution:
    """Solve one problem from scratch, as `smo.solve`, whatever its size.

    ``total`` is the number of distinct points, see `is_large`.
    """
    n = len(targets)
    if not is_large(n, total):
        return solve_at_once(
            rows, targets, lower, upper, tol=tol, max_steps=max_steps, proceed=proceed
        )
    assert not isinstance(rows, Given)
    targets, lower, upper = (
        np.asarray(part, np.float64) for part in (targets, lower, upper)
    )
    limit = max_steps if max_steps >= 0 else np.iinfo(np.int64).max
    goal = tol * spread(targets, lower, upper)
    products = products_of(rows, np.empty((n, 0), np.float32), 0)
    problem, start = Rounds(products, n, proceed), Point.zero(n, 0)
    found, steps = problem.solve(start, targets, lower, upper, goal, limit)
    gradient = found.product - targets
    intercept, violation, gap = certify(lower, upper, found.beta, gradient)
    return Solution(
        found.beta,
        float(intercept),
        float(violation),
        float(gap),
        found.objective(targets),
        steps,
        bool(violation <= goal),
    )


class LargePath:
    """The walk of `path.solve_path` over a family of large problems.

    Parameters
    ----------
    products : Products
    softness, proceed
        As for `path.solve_path`.
    order, run, group : arrays
        In which order softness values are walked, which of them have about the same
        rows, and which problems are the same but for their boxes.
    goal : array of shape (1 or n_C, n_softness)
        Largest violation.
    limit : int
        Of steps.
    table : Table
        What is filled.
    """

    def __init__(
        self,
        products: Products,
        softness: np.ndarray,
        order: np.ndarray,
        run: np.ndarray,
        group: np.ndarray,
        goal: np.ndarray,
        limit: int,
        table: Table,
        proceed: Callable[[], None],
    ):
        self._products, self._softness = products, softness
        self._order, self._run, self._group = order, run, group
        self._goal, self._limit, self._table = goal, limit, table
        self._proceed = proceed
        self._known: dict[int, Point] = {}  # by softness: for this or a smaller C
        self._free: dict[int, tuple[int, int, Point]] = {}  # by group: C, softness

    def walk(
        self, targets: np.ndarray, lower: np.ndarray, upper: np.ndarray, C: np.ndarray
    ) -> None:
        """Solve for every C, increasing, and softness."""
        problem = Rounds(self._products, targets.shape[2], self._proceed)
        for c in range(len(C)):
            f = c if len(targets) > 1 else 0
            done: list[int] = []
            for a in self._order.tolist():
                box = C[c] * lower[f, a], C[c] * upper[f, a]
                if not self._reuse(c, a, self._group[f, a], *box):
                    ratio = C[c] / C[c - 1] if c > 0 else 1.0
                    start = self._start(a, done, ratio, f, targets[f, a], *box)
                    found, self._table.steps[c, a] = problem.solve(
                        start, targets[f, a], *box, self._goal[f, a], self._limit
                    )
                    self._note(c, a, self._group[f, a], found, targets[f, a], *box)
                done.append(a)

    def _start(
        self,
        a: int,
        done: list[int],
        ratio: float,
        f: int,
        targets: np.ndarray,
        lower: np.ndarray,
        upper: np.ndarray,
    ) -> Point:
        """The best feasible point at hand; see `path`, and the last solution scaled.

        Where all coefficients are at their bounds, that is often the next solution.
        """
        trials = [Point.zero(len(targets), self._products.n_out)]
        if a in self._known:
            trials += [self._known[a], self._known[a].times(ratio)]
        trials += self._between(a, done)
        trials += [
            point
            for k, point in self._known.items()
            if k != a and k not in done and self._group[f, k] == self._group[f, a]
        ]
        feasible = [trial.within(lower, upper) for trial in trials]
        return min(
            (point for point in feasible if point is not None),
            key=lambda point: point.objective(targets),
        )

    def _between(self, a: int, done: list[int]) -> list[Point]:
        """The point between the neighbours, where they have about as many coefficients.

        Else each of those that only one has would be taken back by a step of its own.
        """
        same = [k for k in done if self._run[k] == self._run[a]]
        left = max((k for k in same if k < a), default=None)
        right = min((k for k in same if k > a), default=None)
        if left is None or right is None:
            return [self._known[k] for k in (left, right) if k is not None]
        one, other = self._known[left], self._known[right]
        least, most = sorted(int((p.beta != 0).sum()) for p in (one, other))
        if most > _TIMES * least + _MORE:
            return []
        at = self._softness
        return [one.blend(other, (at[a] - at[left]) / (at[right] - at[left]))]

    def _reuse(
        self, c: int, a: int, group: int, lower: np.ndarray, upper: np.ndarray
    ) -> bool:
        """Take over a solution that touches no bound where it is feasible here."""
        if group not in self._free:
            return False
        was, source, point = self._free[group]
        clipped = point.within(lower, upper)
        if clipped is None:
            return False
        table = self._table
        self._known[a] = clipped
        for part in (table.outputs, table.violation, table.dual_gap):
            part[c, a] = part[was, source]
        if table.fitted.size:
            table.fitted[c, a] = table.fitted[was, source]
        return True

    def _note(
        self,
        c: int,
        a: int,
        group: int,
        found: Point,
        targets: np.ndarray,
        lower: np.ndarray,
        upper: np.ndarray,
    ) -> None:
        """Certificate and outputs of a solution."""
        table, beta, n = self._table, found.beta, len(targets)
        intercept, table.violation[c, a], table.dual_gap[c, a] = certify(
            lower, upper, beta, found.product[:n] - targets
        )
        table.outputs[c, a, : self._products.n_out] = found.product[n:] + intercept
        if table.fitted.size:
            table.fitted[c, a] = found.product[:n] + intercept
        self._known[a] = found
        touches = ((upper > 0) & (beta >= upper)) | ((lower < 0) & (beta <= lower))
        if group not in self._free and not touches.any():
            self._free[group] = c, a, found

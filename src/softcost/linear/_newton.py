"""Newton's method for many problems at once.

Problem m has coefficients v, penalties p (0 for the intercept) and minimises

    F(v) = 1/2 sum_f p_f v_f^2 + C sum_n loss_nm(x_n' v)

Gradients are those of all rows. Curvatures may be those of a sample of the rows: a
step then leaves a fraction of about ``sqrt(width / sample)`` of the gradient, and
costs little more than the gradient. Where a step leaves more, the sample grows.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from softcost.linear._columns import Columns
from softcost.linear._rows import Rows

_OVERSHOT = 0.5  # how far the slope along a step may turn, relative to its start
_SLOW = 0.3  # fraction of the gradient that a step may leave
_GROWTH = 4  # of the sample of rows for curvatures
_NOISE = 100  # units of rounding below which steps may make no progress
_STALLED = 3  # of such steps, after which a problem is given up
_FACTORED = 1024  # largest width at which the preconditioner is a factored matrix
_STRAIGHT = 0.2  # how far from flat a line may end, relative to its start
_BRACKETS = 40  # evaluations of a line's derivative, at most
_BLOCK = 1024  # rows at once
_INEXACT = 0.03  # least tolerance of a direction, where curvatures are of a sample
_INNER = 100  # conjugate gradient steps for one direction, at most


class Point(NamedTuple):
    """Coefficients of m problems, and what one pass over the rows says of them.

    Attributes
    ----------
    coef : array of shape (width, m)
    slope : array of shape (width, m)
        Gradient of the sum of losses.
    size : array of shape (m,)
        Sum of the sizes of the losses' derivatives.
    """

    coef: NDArray[np.float64]
    slope: NDArray[np.float64]
    size: NDArray[np.float64]

    def some(self, chosen: NDArray) -> "Point":
        return Point(self.coef[:, chosen], self.slope[:, chosen], self.size[chosen])

    def put(self, chosen: NDArray, other: "Point") -> None:
        """Replace some of the problems."""
        self.coef[:, chosen], self.slope[:, chosen] = other.coef, other.slope
        self.size[chosen] = other.size


class Gradient(NamedTuple):
    """Gradients of ``F / C``, and the certificate.

    ``relative`` is the norm of the gradient divided by the sum of the norms of its
    terms, that of the penalty and those of the rows.
    """

    values: NDArray[np.float64]
    relative: NDArray[np.float64]


def gradient(point: Point, ridge: NDArray[np.float64]) -> Gradient:
    """Gradient of F / C at a point, with ``ridge = p / C``."""
    pull = ridge[:, None] * point.coef
    values = pull + point.slope
    terms = np.linalg.norm(pull, axis=0) + point.size
    relative = np.linalg.norm(values, axis=0) / np.where(terms > 0, terms, 1.0)
    return Gradient(values, relative)


def evaluated(
    rows: Rows,
    columns: Columns,
    coef: NDArray[np.float64],
    proceed: Callable[[], None] = lambda: None,
) -> Point:
    """One pass over the rows."""
    raw = rows.spread(coef)
    slope, size = np.zeros(raw.shape), np.zeros(coef.shape[1])
    for part, block in rows.blocks():
        proceed()
        values = block @ raw
        sizes = np.zeros(coef.shape[1], rows.dtype)
        columns.to_slopes(values, part, sizes)
        slope += block.T @ values
        size += sizes
    return Point(coef, rows.gathered(slope), size)


@dataclass
class Sample:
    """Rows whose curvatures stand for those of all ``n`` rows."""

    rows: Rows
    columns: Columns
    times: float

    @classmethod
    def of(cls, rows: Rows, columns: Columns, size: int) -> "Sample":
        if size >= rows.n:
            return cls(rows, columns, 1.0)
        index = sample_of(rows.n, size)
        return cls(rows.take(index), columns.of_rows(index), rows.n / size)

    @property
    def whole(self) -> bool:
        return self.times == 1.0


def sample_of(n: int, size: int) -> NDArray[np.intp]:
    """So many of n rows, increasing; smaller samples are parts of larger ones."""
    return np.sort(np.random.default_rng(0).permutation(n)[:size])


class Quadratic:
    """The second derivatives of F / C at a point, as a linear map.

    ``H v = p / C * v + sum over rows of curvature x (x' v)``
    """

    def __init__(
        self, sample: Sample, coef: NDArray[np.float64], ridge: NDArray[np.float64]
    ):
        self._rows, self._ridge = sample.rows, ridge
        curvature = sample.rows.outputs(coef)
        sample.columns.to_curvatures(curvature)
        curvature *= sample.rows.dtype.type(sample.times)
        self._curvature = curvature
        self._factor = self._factored()

    def times(self, coef: NDArray[np.float64]) -> NDArray[np.float64]:
        raw = self._rows.spread(coef)
        total = np.zeros(raw.shape)
        for part, block in self._rows.blocks():
            values = block @ raw
            values *= self._curvature[part]
            total += block.T @ values
        return self._ridge[:, None] * coef + self._rows.gathered(total)

    def _factored(self) -> Callable[[NDArray], NDArray]:
        """The inverse of the mean over all problems, or of its diagonal."""
        mean = self._curvature.mean(axis=1)
        if self._rows.width > _FACTORED:
            diagonal = self._rows.weighted_squares(mean) + self._ridge
            diagonal[diagonal <= 0] = 1.0
            return lambda values: values / diagonal[:, None]
        matrix = self._rows.weighted_gram(mean) + np.diag(self._ridge)
        diagonal = matrix.diagonal().copy()
        usable = diagonal > 0
        root = np.sqrt(np.where(usable, diagonal, 1.0))
        matrix /= root * root[:, None]
        matrix[np.diag_indices_from(matrix)] = 1.0 + 10 * np.finfo(self._rows.dtype).eps
        try:
            factor = cho_factor(matrix, lower=True, check_finite=False)
        except LinAlgError:
            return lambda values: values / (root * root)[:, None]
        return lambda values: (
            cho_solve(factor, values / root[:, None], check_finite=False)
            / root[:, None]
        )

    def solved(
        self, right: NDArray[np.float64], tol: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """``H v = right`` by preconditioned conjugate gradients, up to ``tol``."""
        solution, rest = np.zeros_like(right), right.copy()
        near = self._factor(rest)
        direction = near.copy()
        product = (rest * near).sum(axis=0)
        goal = tol**2 * product
        for _ in range(_INNER):
            going = product > goal
            if not going.any():
                break
            image = self.times(direction)
            bend = (direction * image).sum(axis=0)
            going &= bend > 0
            step = np.where(going, product, 0.0) / np.where(going, bend, 1.0)
            solution += step * direction
            rest -= step * image
            near = self._factor(rest)
            fresh = (rest * near).sum(axis=0)
            turn = np.where(going, fresh, 0.0) / np.where(product > 0, product, 1.0)
            direction = near + turn * direction
            product = np.where(going, fresh, 0.0)
        return solution


class Line:
    """The derivative of F / C along a line, for each problem.

    The losses of a sample stand for those of all rows, and are corrected so that the
    derivative at the start is the one that all rows give.
    """

    def __init__(
        self,
        sample: Sample,
        coef: NDArray[np.float64],
        direction: NDArray[np.float64],
        ridge: NDArray[np.float64],
        slope: NDArray[np.float64],
    ):
        self._sample = sample
        self._start, self._ahead = (
            sample.rows.outputs(one) for one in (coef, direction)
        )
        self._bend = (ridge[:, None] * direction**2).sum(axis=0)
        every = np.arange(len(slope))
        self._constant = slope - self._of_sample(np.zeros(len(slope)), every)

    def slope(
        self, step: NDArray[np.float64], chosen: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """Derivative by the step, for some of the problems."""
        sampled = self._of_sample(step, chosen)
        return sampled + self._constant[chosen] + step * self._bend[chosen]

    def _of_sample(
        self, step: NDArray[np.float64], chosen: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        start, ahead = self._start, self._ahead
        columns = self._sample.columns
        if len(chosen) < columns.m:
            start, ahead = (np.take(one, chosen, axis=1) for one in (start, ahead))
            columns = columns.some(chosen)
        total = np.zeros(len(chosen))
        for begin in range(0, len(start), _BLOCK):
            part = slice(begin, begin + _BLOCK)
            outputs = start[part] + ahead[part] * step.astype(ahead.dtype)
            columns.to_slopes(outputs, part, np.zeros(len(chosen), ahead.dtype))
            outputs *= ahead[part]
            total += outputs.sum(axis=0)
        return self._sample.times * total


def best_steps(line: Line, slope: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where the derivative along each line is close to zero, up to a step of 1.

    False position with halving (the Illinois method), as the derivative increases.
    """
    m = len(slope)
    low, high = np.zeros(m), np.ones(m)
    at_low, at_high = slope.copy(), line.slope(high, np.arange(m))
    goal = _STRAIGHT * np.abs(slope)
    best = np.ones(m)
    left = np.flatnonzero(at_high > goal)
    for _ in range(_BRACKETS):
        if len(left) == 0:
            break
        share = -at_low[left] / np.maximum(at_high[left] - at_low[left], 1e-300)
        middle = low[left] + (high[left] - low[left]) * np.clip(share, 1e-3, 0.999)
        found = line.slope(middle, left)
        best[left] = middle
        above = found > 0
        up, down = left[above], left[~above]
        at_low[up], at_high[down] = at_low[up] / 2, at_high[down] / 2
        high[up], at_high[up] = middle[above], found[above]
        low[down], at_low[down] = middle[~above], found[~above]
        left = left[np.abs(found) > goal[left]]
    return best


@dataclass
class _Search:
    """Where every problem stands on its current line."""

    origin: NDArray[np.float64]
    direction: NDArray[np.float64]
    slope: NDArray[np.float64]
    step: NDArray[np.float64]

    def some(self, kept: NDArray) -> "_Search":
        return replace(
            self,
            origin=self.origin[:, kept],
            direction=self.direction[:, kept],
            slope=self.slope[kept],
            step=self.step[kept],
        )


def minimise(
    rows: Rows,
    columns: Columns,
    ridge: NDArray[np.float64],
    point: Point,
    *,
    tol: float,
    sample_size: int,
    max_steps: int,
    proceed: Callable[[], None] = lambda: None,
) -> tuple[Point, NDArray[np.intp]]:
    """Take steps until every problem's certificate is at most ``tol``.

    Parameters
    ----------
    rows, columns
        With m problems.
    ridge : array of shape (width,)
        ``p / C``.
    point : Point
        Where to start, evaluated.
    sample_size : int
        Rows for curvatures, to start with.

    Returns
    -------
    point : Point
    steps : array of shape (m,)
        Passes over the rows that each problem took part in.
    """
    best = Point(*(part.copy() for part in point))
    steps = np.zeros(columns.m, np.intp)
    found = gradient(best, ridge)
    active = np.flatnonzero(found.relative > tol)
    now, here, values = best.some(active), columns.some(active), found.values[:, active]
    least, idle = found.relative[active], np.zeros(len(active), int)
    fresh, search = np.ones(len(active), bool), None
    noise = _NOISE * np.finfo(rows.dtype).eps
    sample = Sample.of(rows, here, sample_size)
    for _ in range(max_steps):
        if len(active) == 0:
            break
        search = _directed(search, fresh, sample, now, values, ridge, least)
        trial = search.origin + search.step * search.direction
        now = evaluated(rows, here, trial, proceed)
        found = gradient(now, ridge)
        values, steps[active] = found.values, steps[active] + 1
        along = (values * search.direction).sum(axis=0)
        fresh = along <= _OVERSHOT * np.abs(search.slope)
        shorter = np.abs(search.slope) / (np.abs(search.slope) + np.abs(along))
        search.step = np.where(fresh, 1.0, search.step * np.clip(shorter, 0.1, 0.9))
        better = found.relative < least
        best.put(active[better], now.some(better))
        slow = fresh & (found.relative > _SLOW * least)
        least = np.minimum(least, found.relative)
        idle += (least < noise) & ~better
        going = (least > tol) & (idle < _STALLED)
        if (slow & going).any() and not sample.whole:
            sample_size *= _GROWTH
        if not going.all():
            active, now, values = active[going], now.some(going), values[:, going]
            here, search = here.some(going), search.some(going)
            least, idle, fresh = least[going], idle[going], fresh[going]
        sample = Sample.of(rows, here, sample_size)
    return best, steps


def _directed(
    search: _Search | None,
    fresh: NDArray[np.bool_],
    sample: Sample,
    now: Point,
    values: NDArray[np.float64],
    ridge: NDArray[np.float64],
    relative: NDArray[np.float64],
) -> _Search:
    """New directions for problems whose last step was good."""
    m = len(fresh)
    if search is None:
        shape = now.coef.shape
        search = _Search(np.empty(shape), np.empty(shape), np.empty(m), np.ones(m))
    if fresh.any():
        some = replace(sample, columns=sample.columns.some(fresh))
        exact = np.minimum(0.1, np.sqrt(relative[fresh]))
        quadratic = Quadratic(some, now.coef[:, fresh], ridge)
        right = values[:, fresh]
        if not sample.whole:
            exact = np.maximum(exact, _INEXACT)
        direction = -quadratic.solved(right, exact)
        slope = (right * direction).sum(axis=0)
        line = Line(some, now.coef[:, fresh], direction, ridge, slope)
        search.origin[:, fresh] = now.coef[:, fresh]
        search.direction[:, fresh] = direction
        search.slope[fresh] = slope
        search.step[fresh] = best_steps(line, slope)
    return search

"""Subsampled Newton's method for many problems at once.

Problem m has coefficients v, penalties p (0 for the intercept) and minimises

    F(v) = 1/2 sum_f p_f v_f^2 + C sum_n loss_nm(x_n' v)

All problems are columns of one matrix of coefficients, so one pass over the rows serves
all of them. A step consists of

1. the gradient, from all rows, and the certificate of convergence that follows from it;
2. a Newton direction by conjugate gradients, preconditioned with the mean Hessian of
   all problems (`Quadratic`), as in truncated Newton methods (Lin, Weng and Keerthi
   2008);
3. a line search on sampled rows (`Line`), and a shorter step if the next gradient shows
   that the step was too long.

The Hessian may come from a sample of the rows (Byrd, Chin, Neveitt and Nocedal 2011;
Roosta-Khorasani and Mahoney 2019). A step then leaves a fraction of about
``sqrt(width / sample)`` of the gradient, and costs little more than the gradient. The
sample grows for problems whose steps leave more. Gradients always come from all rows,
so samples change the time and not the solution.

`solve` walks along C with warm starts. On many rows the first solution comes from
samples of growing size, since a rough solution is cheap there.

The constants below decide only how fast a solution is found: ``tol`` decides when it is
good enough. They were chosen on development data, unless a comment says otherwise.

References
----------
Byrd, Chin, Neveitt and Nocedal (2011), "On the use of stochastic Hessian information in
optimization methods for machine learning", SIAM Journal on Optimization 21.

Dowell and Jarratt (1971), "A modified regula falsi method for computing the root of an
equation", BIT 11.

Lin, Weng and Keerthi (2008), "Trust region Newton method for logistic regression",
Journal of Machine Learning Research 9.

Roosta-Khorasani and Mahoney (2019), "Sub-sampled Newton methods", Mathematical
Programming 174.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from softcost.linear.features import Rows
from softcost.linear.losses import Columns
from softcost.parallel import one_thread

# Line search
_BLOCK = 1024  # rows at once, so that their outputs for all problems stay in cache
# A line search ends when the slope has fallen to this fraction of its start: an exact
# minimum would cost more evaluations than it saves Newton steps.
_FLAT_SLOPE = 0.2
# The Illinois method (Dowell and Jarratt 1971) needs few evaluations. The limit only
# guards against slopes that rounding keeps from reaching the goal.
_MAX_EVALUATIONS = 40

# Newton directions
# Up to this width the preconditioner is the factored mean Hessian, O(width^3) once for
# all problems. Above it, only the diagonal.
_MAX_FACTORED_WIDTH = 1024
# A bound for ill-conditioned problems: directions that are not exact by then still
# descend, and a new gradient is worth more than their last digits.
_MAX_CG_STEPS = 100
# Problems unlike the mean of all converge slowly with its preconditioner: nearly
# separable rows took four times as long. Up to this width they get a factored Hessian
# of their own ...
_MAX_SEPARATE_WIDTH = 160
# ... after about as many steps of conjugate gradients as a factorisation costs: one for
# every 8 coefficients, and at least 6.
_MIN_CG_STEPS = 6
_COEFFICIENTS_PER_STEP = 8
# Solved problems are dropped when at most this share is left: dropping copies arrays,
# so it has to pay.
_SHARE_LEFT = 0.75

# Newton steps
# A step is too long if the slope along it turns from -1 to more than 0.5 (in units of
# the initial slope): the minimum then lies well before the end of the step.
_OVERSHOOT = 0.5
# A step on sampled curvature should at least halve the gradient. If it does not, the
# sample is too small and grows.
_SLOW_STEP = 0.5
# Sampled rows with curvature per coefficient. The relative error of a sampled Hessian
# is about sqrt(width / rows), so 16 leave an error of about a quarter. Rows on the free
# side of a one-sided loss have no curvature and do not count.
_ROWS_PER_COEFFICIENT = 16
_MAX_OUTPUTS = 2**22  # outputs of sampled rows at once: 16 to 32 MB
_CURVATURE_GROWTH = 4  # halves the error of the sampled Hessian
# Near the rounding error of the gradient, steps no longer make progress. Below 100
# units of rounding, a problem that has not improved for 3 steps is given up: its
# certificate says how far it got.
_ROUNDING_UNITS = 100
_MAX_STALLED_STEPS = 3
# Close to the solution the quadratic model is good, so the full step is taken and no
# line search on sampled rows is needed.
_NEAR_SOLUTION = 0.05
# Solving more exactly than this is wasted if the Hessian itself is sampled.
_SAMPLED_CG_TOL = 0.1

# Samples of rows for a first, rough solution
_FIRST_SAMPLE = 4096  # rows; below about four times as many, samples do not pay
# With this factor all samples together have a seventh of the rows, so they cost little
# beside the solution for all.
_SAMPLE_GROWTH = 8
# At least as many rows per coefficient, or the solution for a sample would overfit and
# be a worse start than zero.
_SAMPLE_PER_COEFFICIENT = 32
_MIN_CURVATURE_ROWS = 8192  # sampled rows for the Hessian to start with
# Tolerance on the first sample. It falls with the square root of the size, as does the
# difference between the solutions for a sample and for all rows.
_SAMPLE_TOL = 0.02
# A warm start with a larger certificate is far away: solving on samples first is
# cheaper than starting on all rows.
_FAR_START = 0.1


class Sampled(NamedTuple):
    """A sample of rows, which represents ``times`` as many rows.

    Attributes
    ----------
    rows : Rows
        The sampled rows.
    chosen : array of int or slice
        Their indices.
    times : float
        Number of all rows divided by that of the sample.
    """

    rows: Rows
    chosen: NDArray[np.intp] | slice
    times: float

    @property
    def whole(self) -> bool:
        return self.times == 1.0


class Samples:
    """Nested samples of the same rows; each size is drawn once.

    The seed is fixed, so results do not depend on the order of the calls.
    """

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self._order: NDArray[np.intp] | None = None
        self._by_size: dict[int, Sampled] = {}

    def of(self, size: int) -> Sampled:
        """A sample of this size, or all rows if there are not more."""
        if size >= self.rows.n:
            return Sampled(self.rows, slice(None), 1.0)
        if self._order is None:
            self._order = np.random.default_rng(0).permutation(self.rows.n)
        if size not in self._by_size:
            index = np.sort(self._order[:size])
            sample = Sampled(self.rows.take(index), index, self.rows.n / size)
            self._by_size[size] = sample
        return self._by_size[size]


class Line:
    """The derivative of F / C along a line, for each problem.

    It comes from the losses of a sample, plus a constant that makes the derivative at
    the start exact: that one is known from all rows.

    Parameters
    ----------
    sample : Sampled
        The rows.
    columns : Columns
        The problems over these rows.
    outputs : array of shape (n_sampled, m)
        At the start of the line.
    direction : array of shape (width, m)
    ridge : array of shape (width,)
        ``p / C``.
    slope : array of shape (m,)
        Derivative at the start, from all rows.
    """

    def __init__(
        self,
        sample: Sampled,
        columns: Columns,
        outputs: NDArray[Any],
        direction: NDArray[np.float64],
        ridge: NDArray[np.float64],
        slope: NDArray[np.float64],
    ) -> None:
        self._times, self._columns = sample.times, columns
        self._start, self._ahead = outputs, sample.rows.outputs(direction)
        self._penalty_curvature = (ridge[:, None] * direction**2).sum(axis=0)
        every = np.arange(len(slope))
        self._constant = slope - self._of_sample(np.zeros(len(slope)), every)

    def slope(
        self, step: NDArray[np.float64], chosen: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """Derivative at a step, for some of the problems."""
        sampled = self._of_sample(step, chosen)
        return sampled + self._constant[chosen] + step * self._penalty_curvature[chosen]

    def _of_sample(
        self, step: NDArray[np.float64], chosen: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        start, ahead = self._start, self._ahead
        columns = self._columns
        if len(chosen) < columns.m:
            start = np.take(start, chosen, axis=1)
            ahead = np.take(ahead, chosen, axis=1)
            columns = columns.some(chosen)
        total = np.zeros(len(chosen))
        for begin in range(0, len(start), _BLOCK):
            part = slice(begin, begin + _BLOCK)
            outputs = start[part] + ahead[part] * step.astype(ahead.dtype)
            columns.to_slopes(outputs, part, np.zeros(len(chosen), ahead.dtype))
            outputs *= ahead[part]
            total += outputs.sum(axis=0)
        return self._times * total


def best_steps(line: Line, slope: NDArray[np.float64]) -> NDArray[np.float64]:
    """Steps of at most 1 at which the derivative along each line is close to zero.

    The derivative increases, as F is convex, so regula falsi applies. The Illinois
    variant halves the value at an end that stays, which makes it superlinear.
    """
    m = len(slope)
    low, high = np.zeros(m), np.ones(m)
    at_low, at_high = slope.copy(), line.slope(high, np.arange(m))
    goal = _FLAT_SLOPE * np.abs(slope)
    best = np.ones(m)
    left = np.flatnonzero(at_high > goal)
    for _ in range(_MAX_EVALUATIONS):
        if len(left) == 0:
            break
        share = -at_low[left] / np.maximum(at_high[left] - at_low[left], 1e-300)
        middle = low[left] + (high[left] - low[left]) * np.clip(share, 1e-3, 0.999)
        at_middle = line.slope(middle, left)
        best[left] = middle
        above = at_middle > 0
        up, down = left[above], left[~above]
        at_low[up], at_high[down] = at_low[up] / 2, at_high[down] / 2
        high[up], at_high[up] = middle[above], at_middle[above]
        low[down], at_low[down] = middle[~above], at_middle[~above]
        left = left[np.abs(at_middle) > goal[left]]
    return best


class Quadratic:
    """The Hessians of F / C at a point, as linear maps.

    ``H v = p / C * v + sum over rows of curvature x (x' v)``

    Parameters
    ----------
    sample : Sampled
        The rows.
    curvature : array of shape (n, m)
        Second derivatives of the losses of the sampled rows; changed in place.
    ridge : array of shape (width,)
        ``p / C``.
    """

    def __init__(
        self, sample: Sampled, curvature: NDArray[Any], ridge: NDArray[np.float64]
    ) -> None:
        self._rows, self._ridge = sample.rows, ridge
        self._curvature = curvature
        self._curvature *= sample.rows.dtype.type(sample.times)
        self._factor = self._factored()

    def times(
        self, coef: NDArray[np.float64], curvature: NDArray[Any]
    ) -> NDArray[np.float64]:
        """H v for some problems: columns v, and their curvatures."""
        raw = self._rows.spread(coef)
        total = np.zeros(raw.shape)
        for part, block in self._rows.blocks():
            values = block @ raw
            values *= curvature[part]
            total += block.T @ values
        return self._ridge[:, None] * coef + self._rows.gathered(total)

    def _factored(self) -> Callable[[NDArray], NDArray]:
        """The preconditioner: inverse of the mean Hessian, or of its diagonal."""
        mean = self._curvature.mean(axis=1)
        if self._rows.width > _MAX_FACTORED_WIDTH and not self._rows.has_basis:
            diagonal = self._rows.weighted_squares(mean) + self._ridge
            diagonal[diagonal <= 0] = 1.0
            return lambda values: values / diagonal[:, None]
        return self._inverse_of(mean)

    def _inverse_of(self, curvature: NDArray[Any]) -> Callable[[NDArray], NDArray]:
        """A function that multiplies by the inverse of H for one curvature per row.

        The matrix is scaled to a unit diagonal first. A few units of rounding are added
        to it, since a singular matrix could not be factored.
        """
        matrix = self._rows.weighted_gram(curvature) + np.diag(self._ridge)
        diagonal = matrix.diagonal()
        root = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
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
        """Solve ``H v = right`` by preconditioned conjugate gradients, up to ``tol``.

        Solved problems are dropped once there are many. Slow problems, which differ
        from the mean of all, get a factored Hessian of their own.
        """
        solution = np.zeros_like(right)
        some, curvature = np.arange(right.shape[1]), self._curvature
        residual = right.copy()
        preconditioned = self._factor(residual)
        direction = preconditioned.copy()
        product = (residual * preconditioned).sum(axis=0)
        goal = tol**2 * product
        width = self._rows.width
        patience = _MAX_CG_STEPS
        if width <= _MAX_SEPARATE_WIDTH:
            patience = max(_MIN_CG_STEPS, width // _COEFFICIENTS_PER_STEP)
        for number in range(_MAX_CG_STEPS):
            going = product > goal
            if not going.any():
                break
            if number >= patience:
                for k in np.flatnonzero(going):
                    column = some[[k]]
                    inverse = self._inverse_of(curvature[:, k])
                    solution[:, column] = inverse(right[:, column])
                break
            if going.sum() <= _SHARE_LEFT * len(some):
                some, product, goal = some[going], product[going], goal[going]
                residual, direction = residual[:, going], direction[:, going]
                curvature = np.compress(going, curvature, axis=1)
                going = np.ones(len(some), bool)
            image = self.times(direction, curvature)
            along = (direction * image).sum(axis=0)
            going &= along > 0
            step = np.where(going, product, 0.0) / np.where(going, along, 1.0)
            solution[:, some] += step * direction
            residual -= step * image
            preconditioned = self._factor(residual)
            fresh = (residual * preconditioned).sum(axis=0)
            beta = np.where(going, fresh, 0.0) / np.where(product > 0, product, 1.0)
            direction = preconditioned + beta * direction
            product = np.where(going, fresh, 0.0)
        return solution


class Point(NamedTuple):
    """Coefficients of m problems, evaluated in one pass over the rows.

    Attributes
    ----------
    coef : array of shape (width, m)
        The coefficients.
    slope : array of shape (width, m)
        Gradient of the sum of losses.
    size : array of shape (m,)
        Sum of the losses' absolute derivatives.
    """

    coef: NDArray[np.float64]
    slope: NDArray[np.float64]
    size: NDArray[np.float64]

    def some(self, chosen: NDArray[Any]) -> "Point":
        return Point(self.coef[:, chosen], self.slope[:, chosen], self.size[chosen])

    def put(self, chosen: NDArray[Any], other: "Point") -> None:
        """Replace some of the problems."""
        self.coef[:, chosen], self.slope[:, chosen] = other.coef, other.slope
        self.size[chosen] = other.size


class Gradient(NamedTuple):
    """Gradients of ``F / C``, and the certificate of convergence.

    ``relative`` is the norm of the gradient divided by the sum of the norms of its
    terms: of the penalty and of each row. It does not depend on the unit of the targets
    or on the number of rows.
    """

    values: NDArray[np.float64]
    relative: NDArray[np.float64]


def gradient(point: Point, ridge: NDArray[np.float64]) -> Gradient:
    """Gradient of F / C at a point, with ``ridge = p / C``."""
    penalty = ridge[:, None] * point.coef
    values = penalty + point.slope
    terms = np.linalg.norm(penalty, axis=0) + point.size
    relative = np.linalg.norm(values, axis=0) / np.where(terms > 0, terms, 1.0)
    return Gradient(values, relative)


def evaluated(
    rows: Rows,
    columns: Columns,
    coef: NDArray[np.float64],
    proceed: Callable[[], None] = lambda: None,
) -> Point:
    """Evaluate coefficients of shape (width, m) in one pass over the rows."""
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
class _Search:
    """The current line of every problem.

    Attributes
    ----------
    origin, direction : arrays of shape (width, m)
        The line.
    slope : array of shape (m,)
        Derivative along the line at its origin.
    step : array of shape (m,)
        Next step along the line.
    size : array of shape (m,)
        Number of sampled rows for each problem's Hessian.
    """

    origin: NDArray[np.float64]
    direction: NDArray[np.float64]
    slope: NDArray[np.float64]
    step: NDArray[np.float64]
    size: NDArray[np.intp]

    @classmethod
    def start(cls, coef: NDArray[np.float64], size: int) -> "_Search":
        m = coef.shape[1]
        zeros, sizes = np.zeros_like(coef), np.full(m, size)
        return cls(coef.copy(), zeros, np.zeros(m), np.ones(m), sizes)

    def some(self, chosen: NDArray) -> "_Search":
        """The lines of some problems."""
        return replace(
            self,
            origin=self.origin[:, chosen],
            direction=self.direction[:, chosen],
            slope=self.slope[chosen],
            step=self.step[chosen],
            size=self.size[chosen],
        )


def minimise(
    samples: Samples,
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

    A step that overshoots is shortened on the same line; otherwise the next step gets a
    new direction. The best point of each problem is returned, so a problem that stalls
    never ends worse than it was.

    Parameters
    ----------
    samples : Samples
        Samples of the rows.
    columns : Columns
        m problems over the rows.
    ridge : array of shape (width,)
        ``p / C``.
    point : Point
        The starting point.
    tol : float
        Largest certificate.
    sample_size : int
        Initial number of sampled rows for Hessians.
    max_steps : int
        Limit on the number of steps.
    proceed : callable
        Called once per block of rows; raises to cancel the work.

    Returns
    -------
    point : Point
        The best point of each problem.
    steps : array of shape (m,)
        Passes over the rows that each problem took part in.
    """
    rows = samples.rows
    best = Point(*(part.copy() for part in point))
    steps = np.zeros(columns.m, np.intp)
    current = gradient(best, ridge)
    active = np.flatnonzero(current.relative > tol)
    now, here = best.some(active), columns.some(active)
    values, least = current.values[:, active], current.relative[active]
    stalled = np.zeros(len(active), int)
    fresh, search = np.ones(len(active), bool), _Search.start(now.coef, sample_size)
    noise = _ROUNDING_UNITS * np.finfo(rows.dtype).eps
    for _ in range(max_steps):
        if len(active) == 0:
            break
        _direct(search, fresh, samples, here, now, values, ridge, least)
        trial = search.origin + search.step * search.direction
        now = evaluated(rows, here, trial, proceed)
        current = gradient(now, ridge)
        values, steps[active] = current.values, steps[active] + 1
        along = (values * search.direction).sum(axis=0)
        fresh = along <= _OVERSHOOT * np.abs(search.slope)
        # The secant through both slopes is zero at this fraction of the step.
        shorter = np.abs(search.slope) / (np.abs(search.slope) + np.abs(along))
        search.step = np.where(fresh, 1.0, search.step * np.clip(shorter, 0.1, 0.9))
        better = current.relative < least
        best.put(active[better], now.some(better))
        slow = fresh & (current.relative > _SLOW_STEP * least)
        least = np.minimum(least, current.relative)
        stalled += (least < noise) & ~better
        going = (least > tol) & (stalled < _MAX_STALLED_STEPS)
        search.size[slow] *= _CURVATURE_GROWTH
        if not going.all():
            active, now, values = active[going], now.some(going), values[:, going]
            here, search = here.some(going), search.some(going)
            least, stalled, fresh = least[going], stalled[going], fresh[going]
    return best, steps


def _direct(
    search: _Search,
    fresh: NDArray[np.bool_],
    samples: Samples,
    columns: Columns,
    now: Point,
    values: NDArray[np.float64],
    ridge: NDArray[np.float64],
    relative: NDArray[np.float64],
) -> None:
    """Set new directions for problems whose last step did not overshoot.

    Problems with samples of the same size are solved together. If too few rows of a
    sample have curvature, the problem moves on to a larger sample.
    """
    left = np.flatnonzero(fresh)
    search.size = np.minimum(search.size, samples.rows.n)
    while len(left) > 0:
        size = search.size[left].min()
        some = left[search.size[left] == size][: max(1, _MAX_OUTPUTS // int(size))]
        sample = samples.of(int(size))
        problems = columns.some(some).of_rows(sample.chosen)
        outputs = sample.rows.outputs(now.coef[:, some])
        curvature = outputs.copy()
        problems.to_curvatures(curvature)
        if not sample.whole:
            few = (
                _effective_rows(curvature) < _ROWS_PER_COEFFICIENT * samples.rows.width
            )
            if few.any():
                larger = search.size[some[few]] * _CURVATURE_GROWTH
                search.size[some[few]] = np.minimum(larger, samples.rows.n)
                some, problems = some[~few], problems.some(~few)
                outputs = np.compress(~few, outputs, axis=1)
                curvature = np.compress(~few, curvature, axis=1)
        if len(some) > 0:
            quadratic = Quadratic(sample, curvature, ridge)
            # The usual forcing sequence of inexact Newton methods: superlinear, without
            # exact directions far from the solution.
            tol = np.minimum(0.1, np.sqrt(relative[some]))
            if not sample.whole:
                tol = np.maximum(tol, _SAMPLED_CG_TOL)
            right = values[:, some]
            direction = -quadratic.solved(right, tol)
            slope = (right * direction).sum(axis=0)
            step = np.ones(len(slope))
            if sample.whole or relative[some].max() > _NEAR_SOLUTION:
                line = Line(sample, problems, outputs, direction, ridge, slope)
                step = best_steps(line, slope)
            search.origin[:, some] = now.coef[:, some]
            search.direction[:, some] = direction
            search.slope[some], search.step[some] = slope, step
        left = np.setdiff1d(left, some)


def _effective_rows(curvature: NDArray[Any]) -> NDArray[np.float64]:
    """Effective sample size of each problem's curvature (Kish), shape (m,)."""
    total = curvature.sum(axis=0, dtype=np.float64)
    squares = np.einsum("ij,ij->j", curvature, curvature).astype(np.float64)
    return total**2 / np.where(squares > 0, squares, 1.0)


@dataclass(frozen=True)
class Solved:
    """Solutions for all values of C.

    Attributes
    ----------
    coef : array of shape (n_values, width, m)
        The coefficients.
    certificate : array of shape (n_values, m)
        Norm of the gradient, relative to the sum of the norms of its terms.
    gap : array of shape (n_values, m)
        Half the squared norm of the gradient with respect to the penalised
        coefficients: the duality gap if the derivative for the intercept is zero.
    steps : array of shape (n_values, m)
        Passes over all rows.
    """

    coef: NDArray[np.float64]
    certificate: NDArray[np.float64]
    gap: NDArray[np.float64]
    steps: NDArray[np.intp]


def solve(
    rows: Rows,
    columns: Columns,
    penalty: NDArray[np.float64],
    values: NDArray[np.float64],
    *,
    tol: float,
    max_steps: int,
    proceed: Callable[[], None] = lambda: None,
) -> Solved:
    """Solve m problems for every value of C, each from the previous solution.

    The gradient of the losses shows without another pass whether a solution is good
    enough for the next value of C. If so, it is kept.

    Parameters
    ----------
    rows : Rows
        The rows.
    columns : Columns
        The problems.
    penalty : array of shape (width,)
        Factors of the squared coefficients; 0 for the intercept.
    values : array of shape (n_values,)
        Values of C.
    tol : float
        Largest certificate.
    max_steps : int
        Limit on the passes over the rows, for each value of C.
    proceed : callable
        Called once per block of rows; raises to cancel the work.

    Returns
    -------
    Solved
    """
    solutions, point = [], None
    samples = Samples(rows)
    with one_thread():
        for C in values:
            walk = _Walk(samples, columns, penalty, float(C), tol, max_steps, proceed)
            point, steps = walk.from_point(point)
            solutions.append((*walk.certified(point), steps))
    return Solved(*(np.stack(parts) for parts in zip(*solutions, strict=True)))


@dataclass(frozen=True)
class _Walk:
    """How the problems are solved for one value of C."""

    samples: Samples
    columns: Columns
    penalty: NDArray[np.float64]
    C: float
    tol: float
    max_steps: int
    proceed: Callable[[], None]

    @property
    def rows(self) -> Rows:
        return self.samples.rows

    @property
    def ridge(self) -> NDArray[np.float64]:
        return self.penalty / self.C

    def from_point(self, point: Point | None) -> tuple[Point, NDArray[np.intp]]:
        """Solve from the solutions for another value of C, or from zero."""
        if point is None:
            coef = np.zeros((self.rows.width, self.columns.m))
            point = self._evaluated(self._from_samples(coef, self.columns))
        else:
            point = Point(*(part.copy() for part in point))
            far = gradient(point, self.ridge).relative > _FAR_START
            if far.any() and len(self._sizes()) > 0:
                some = self.columns.some(far)
                coef = self._from_samples(point.coef[:, far], some)
                point.put(far, evaluated(self.rows, some, coef, self.proceed))
        return minimise(
            self.samples,
            self.columns,
            self.ridge,
            point,
            tol=self.tol,
            sample_size=self._curvature_rows,
            max_steps=self.max_steps,
            proceed=self.proceed,
        )

    def _evaluated(self, coef: NDArray[np.float64]) -> Point:
        return evaluated(self.rows, self.columns, coef, self.proceed)

    @property
    def _curvature_rows(self) -> int:
        """Initial number of sampled rows for Hessians."""
        return max(_MIN_CURVATURE_ROWS, _SAMPLE_PER_COEFFICIENT * self.rows.width)

    def _sizes(self) -> list[int]:
        """Sizes of the nested samples; none if a sample would save little."""
        size = max(_FIRST_SAMPLE, _SAMPLE_PER_COEFFICIENT * self.rows.width)
        sizes = []
        while 4 * size <= self.rows.n:
            sizes.append(size)
            size *= _SAMPLE_GROWTH
        return sizes

    def _from_samples(
        self, coef: NDArray[np.float64], columns: Columns
    ) -> NDArray[np.float64]:
        """Rough solutions from samples of the rows, with C scaled to their size."""
        for size in self._sizes():
            sample = self.samples.of(size)
            problems = columns.of_rows(sample.chosen)
            point, _ = minimise(
                Samples(sample.rows),
                problems,
                self.ridge * (size / self.rows.n),
                evaluated(sample.rows, problems, coef, self.proceed),
                tol=max(_SAMPLE_TOL * (_FIRST_SAMPLE / size) ** 0.5, self.tol),
                sample_size=self._curvature_rows,
                max_steps=self.max_steps,
                proceed=self.proceed,
            )
            coef = point.coef
        return coef

    def certified(
        self, point: Point
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Coefficients, certificate and gap."""
        final = gradient(point, self.ridge)
        penalised = self.penalty > 0
        root = np.sqrt(self.penalty[penalised])[:, None]
        scaled = self.C * final.values[penalised] / root
        return point.coef, final.relative, (scaled**2).sum(axis=0) / 2

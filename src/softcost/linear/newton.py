"""Newton's method for many problems at once.

Problem m has coefficients v, penalties p (0 for the intercept) and minimises

    F(v) = 1/2 sum_f p_f v_f^2 + C sum_n loss_nm(x_n' v)

Gradients are those of all rows. Curvatures may be those of a sample of the rows: a
step then leaves a fraction of about ``sqrt(width / sample)`` of the gradient, and
costs little more than the gradient. Where a step leaves more, the sample grows.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

import numba
import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from softcost.learners import Labels, OneSidedValues, Subproblem
from softcost.linear.features import Rows
from softcost.parallel import one_thread

# Samples of rows, which stand for all of them.


class Sampled(NamedTuple):
    """Rows that stand for all ``times`` as many rows, and their numbers."""

    rows: Rows
    chosen: NDArray[np.intp] | slice
    times: float

    @property
    def whole(self) -> bool:
        return self.times == 1.0


class Samples:
    """Samples of the same rows, each a part of larger ones, taken once."""

    def __init__(self, rows: Rows):
        self.rows = rows
        self._order: NDArray[np.intp] | None = None
        self._taken: dict[int, Sampled] = {}

    def of(self, size: int) -> Sampled:
        """So many of the rows, or all of them."""
        if size >= self.rows.n:
            return Sampled(self.rows, slice(None), 1.0)
        if self._order is None:
            self._order = np.random.default_rng(0).permutation(self.rows.n)
        if size not in self._taken:
            index = np.sort(self._order[:size])
            taken = Sampled(self.rows.take(index), index, self.rows.n / size)
            self._taken[size] = taken
        return self._taken[size]


# What is done to every entry of a block of outputs, in one pass over it.


Function = TypeVar("Function", bound=Callable[..., Any])

_OPTIONS = {"nogil": True, "error_model": "numpy", "boundscheck": False}


def jit(function: Function) -> Function:
    """Compile for plain arrays, cached on disk where there is a place for it."""
    try:
        return numba.njit(cache=True, **_OPTIONS)(function)
    except RuntimeError:  # numba: "no locator available", nowhere to cache
        return numba.njit(**_OPTIONS)(function)


@jit
def squared_slopes(outputs, kind, weight, sign, shift, scale, one_sided, sizes):
    """Derivatives of ``scale / 2 * u^2`` by the outputs, in their place.

    ``u = sign * output - shift``, and where one-sided its positive part. The sizes of
    the derivatives are added to ``sizes`` (m,).

    Parameters
    ----------
    outputs : array of shape (n, m)
    kind, weight : arrays of shape (n,)
    sign, shift, scale : arrays of shape (n_kinds, m)
    """
    zero = outputs.dtype.type(0)
    for i in range(outputs.shape[0]):
        row, signs, shifts = outputs[i], sign[kind[i]], shift[kind[i]]
        scales, own = scale[kind[i]], weight[i]
        for j in range(outputs.shape[1]):
            u = signs[j] * row[j] - shifts[j]
            if one_sided:
                u = u if u > zero else zero
            slope = own * scales[j] * u
            sizes[j] += abs(slope)
            row[j] = signs[j] * slope


@jit
def squared_curvatures(outputs, kind, weight, sign, shift, scale, one_sided):
    """Second derivatives of the same, in the place of the outputs."""
    zero = outputs.dtype.type(0)
    for i in range(outputs.shape[0]):
        row, signs, shifts = outputs[i], sign[kind[i]], shift[kind[i]]
        scales, own = scale[kind[i]], weight[i]
        for j in range(outputs.shape[1]):
            u = signs[j] * row[j] - shifts[j]
            inside = one_sided and not u > zero
            row[j] = zero if inside else own * scales[j]


@jit
def logistic_slopes(outputs, kind, weight, sign, scale, sizes):
    """Derivatives of ``scale * log(1 + exp(sign * output))``, in their place."""
    one = outputs.dtype.type(1)
    for i in range(outputs.shape[0]):
        row, signs, scales = outputs[i], sign[kind[i]], scale[kind[i]]
        own = weight[i]
        for j in range(outputs.shape[1]):
            slope = own * scales[j] * (one / (one + math.exp(-signs[j] * row[j])))
            sizes[j] += slope
            row[j] = signs[j] * slope


@jit
def logistic_curvatures(outputs, kind, weight, sign, scale):
    """Second derivatives of the same, in the place of the outputs."""
    one = outputs.dtype.type(1)
    for i in range(outputs.shape[0]):
        row, signs, scales = outputs[i], sign[kind[i]], scale[kind[i]]
        own = weight[i]
        for j in range(outputs.shape[1]):
            chance = one / (one + math.exp(-signs[j] * row[j]))
            row[j] = own * scales[j] * chance * (one - chance)


# Many problems over the same rows, one in each column.
#
# Every problem is posed by *kinds* of rows: rows of one kind have the same target, side
# and weight in all problems, up to a weight of their own. With costs by class the kinds
# are the classes; in general every row is a kind of its own.


SQUARED, ONE_SIDED, LOGISTIC = "squared", "one-sided", "logistic"


@dataclass(frozen=True)
class Columns:
    """Losses of m problems over n rows.

    With output r, the loss of row n in problem m is, by table entries of the row's
    kind and times the row's weight,

    - squared: ``scale / 2 * (sign r - shift)^2``;
    - one-sided: the same of the positive part of ``sign r - shift``;
    - logistic: ``scale * log(1 + exp(sign r))``.

    Attributes
    ----------
    loss : str
    kind : array of shape (n,)
    weight : array of shape (n,)
    sign, shift, scale : arrays of shape (n_kinds, m)
    """

    loss: str
    kind: NDArray[np.intp]
    weight: NDArray[Any]
    sign: NDArray[Any]
    shift: NDArray[Any]
    scale: NDArray[Any]

    @property
    def m(self) -> int:
        return self.sign.shape[1]

    def of_rows(self, index: NDArray[np.intp] | slice) -> "Columns":
        """The same problems over some of the rows."""
        return replace(self, kind=self.kind[index], weight=self.weight[index])

    def some(self, chosen: NDArray[Any]) -> "Columns":
        """Some of the problems."""
        tables = (self.sign, self.shift, self.scale)
        sign, shift, scale = (np.ascontiguousarray(one[:, chosen]) for one in tables)
        return replace(self, sign=sign, shift=shift, scale=scale)

    def to_slopes(self, outputs: NDArray[Any], part: slice, sizes: NDArray) -> None:
        """Put derivatives in the place of outputs, add their sizes up."""
        rows = (self.kind[part], self.weight[part])
        if self.loss == LOGISTIC:
            logistic_slopes(outputs, *rows, self.sign, self.scale, sizes)
            return
        tables = (self.sign, self.shift, self.scale)
        squared_slopes(outputs, *rows, *tables, self.loss == ONE_SIDED, sizes)

    def to_curvatures(self, outputs: NDArray[Any]) -> None:
        """Put second derivatives in the place of outputs for all rows."""
        rows = (self.kind, self.weight)
        if self.loss == LOGISTIC:
            logistic_curvatures(outputs, *rows, self.sign, self.scale)
            return
        tables = (self.sign, self.shift, self.scale)
        squared_curvatures(outputs, *rows, *tables, self.loss == ONE_SIDED)


@dataclass(frozen=True)
class Posed:
    """Subproblems as columns, and what stands for those without a choice.

    The output of problem m is ``centre + spread * (output of its column)``.

    Attributes
    ----------
    constant : array of shape (m,)
        The output where there is nothing to learn, NaN for no row at all.
    solved : array of shape (m,)
        Whether there is something to learn: `columns` has these problems only.
    centre, spread : arrays of shape (m,)
    columns : Columns
    """

    constant: NDArray[np.float64]
    solved: NDArray[np.bool_]
    centre: NDArray[np.float64]
    spread: NDArray[np.float64]
    columns: Columns


def pose(
    subproblems: Sequence[Subproblem],
    kind: NDArray[np.intp],
    weight: NDArray[np.float64],
    dtype: Any,
    *,
    logistic: bool = False,
) -> Posed:
    """Pose subproblems of one sort, whose arrays have the shape (..., n_kinds).

    Columns are the subproblems, and inside each of them its leading axes. Targets are
    shifted and divided so that they lie between -1 and 1, which changes neither the
    meaning of C (the loss and the penalty are both quadratic) nor labels.
    """
    target, load = (_table(subproblems, name) for name in ("target", "weight"))
    present = np.bincount(kind, weight, len(target)) > 0
    taken = (load > 0) & present[:, None]
    side = _sides(subproblems)
    low = np.where(taken, target, np.inf).min(axis=0)
    high = np.where(taken, target, -np.inf).max(axis=0)
    constant, solved = _without_choice(taken, target, side, low, high)
    low, high = (np.where(solved, one, 0.0) for one in (low, high))
    centre, spread = (low + high) / 2, np.where(solved, (high - low) / 2, 1.0)
    sign = np.ones_like(target) if side is None else side
    loss = SQUARED if side is None else ONE_SIDED
    scale = load * taken
    if logistic:
        loss, shift = LOGISTIC, np.zeros_like(target)
        centre, spread = np.zeros_like(centre), np.ones_like(spread)
    else:
        shift, scale = sign * (target - centre) / spread, 2.0 * scale
    tables = (one[:, solved].astype(dtype) for one in (sign, shift, scale))
    columns = Columns(loss, kind, weight.astype(dtype), *tables)
    return Posed(constant, solved, centre, spread, columns)


def _table(subproblems: Sequence[Subproblem], name: str) -> NDArray[np.float64]:
    """An attribute of all subproblems, shape (n_kinds, m)."""
    parts = [getattr(one, name) for one in subproblems]
    return np.concatenate([part.reshape(-1, part.shape[-1]) for part in parts]).T


def _sides(subproblems: Sequence[Subproblem]) -> NDArray[np.float64] | None:
    """Labels are one-sided, too: +1 asks for at least 1, -1 for at most -1."""
    if isinstance(subproblems[0], OneSidedValues):
        return _table(subproblems, "side")
    if isinstance(subproblems[0], Labels):
        return -_table(subproblems, "target")
    return None


def _without_choice(
    taken: NDArray[np.bool_],
    target: NDArray[np.float64],
    side: NDArray[np.float64] | None,
    low: NDArray[np.float64],
    high: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Constants for problems with one side or one target only, and the others."""
    constant = np.where(taken.any(axis=0), low, np.nan)
    solved = low < high
    if side is not None:
        below, above = ((taken & (side * z > 0)).any(axis=0) for z in (1, -1))
        constant = np.where(above & ~below, high, constant)
        solved &= above & below
    return constant, solved


# How far to go along a direction, for many problems at once.


_BLOCK = 1024  # rows at once
_STRAIGHT = 0.2  # how far from flat a line may end, relative to its start
_BRACKETS = 40  # evaluations of a line's derivative, at most


class Line:
    """The derivative of F / C along a line, for each problem.

    The losses of a sample stand for those of all rows, and are corrected so that the
    derivative at the start is the one that all rows give.
    """

    def __init__(
        self,
        sample: Sampled,
        columns: Columns,
        outputs: NDArray[Any],
        direction: NDArray[np.float64],
        ridge: NDArray[np.float64],
        slope: NDArray[np.float64],
    ):
        self._times, self._columns = sample.times, columns
        self._start, self._ahead = outputs, sample.rows.outputs(direction)
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
        columns = self._columns
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
        return self._times * total


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


# Newton directions for many problems at once, by conjugate gradients.


_FACTORED = 1024  # largest width at which the preconditioner is a factored matrix
_STEPS = 100  # for one direction, at most
_DIRECT = 160  # largest width at which a problem may get a matrix of its own
_PATIENCE = 6  # steps before that, at least
_TURNS = 8  # or one for so many coefficients
_LEFT = 0.75  # share of the problems: where fewer go on, they go on alone


class Quadratic:
    """The second derivatives of F / C at a point, as a linear map.

    ``H v = p / C * v + sum over rows of curvature x (x' v)``

    Parameters
    ----------
    sample : Sampled
    curvature : array of shape (n, m)
        Of the sampled rows; it is changed.
    ridge : array of shape (width,)
        ``p / C``.
    """

    def __init__(
        self, sample: Sampled, curvature: NDArray[Any], ridge: NDArray[np.float64]
    ):
        self._rows, self._ridge = sample.rows, ridge
        self._curvature = curvature
        self._curvature *= sample.rows.dtype.type(sample.times)
        self._factor = self._factored()

    def times(
        self, coef: NDArray[np.float64], curvature: NDArray[Any]
    ) -> NDArray[np.float64]:
        """H v for columns v of some problems, which have these curvatures."""
        raw = self._rows.spread(coef)
        total = np.zeros(raw.shape)
        for part, block in self._rows.blocks():
            values = block @ raw
            values *= curvature[part]
            total += block.T @ values
        return self._ridge[:, None] * coef + self._rows.gathered(total)

    def _factored(self) -> Callable[[NDArray], NDArray]:
        """The inverse of the mean over all problems, or of its diagonal."""
        mean = self._curvature.mean(axis=1)
        if self._rows.width > _FACTORED and not self._rows.has_basis:
            diagonal = self._rows.weighted_squares(mean) + self._ridge
            diagonal[diagonal <= 0] = 1.0
            return lambda values: values / diagonal[:, None]
        return self._inverse_of(mean)

    def _inverse_of(self, curvature: NDArray[Any]) -> Callable[[NDArray], NDArray]:
        """What multiplies by the inverse of H for one curvature of every row."""
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
        """``H v = right`` by preconditioned conjugate gradients, up to ``tol``.

        Problems that are solved are left out as soon as they are many. Those that take
        long, since they are unlike the mean of all, get a factored matrix of their own.
        """
        solution = np.zeros_like(right)
        some, curvature, rest = np.arange(right.shape[1]), self._curvature, right.copy()
        near = self._factor(rest)
        direction = near.copy()
        product = (rest * near).sum(axis=0)
        goal = tol**2 * product
        width = self._rows.width
        patience = max(_PATIENCE, width // _TURNS) if width <= _DIRECT else _STEPS
        for number in range(_STEPS):
            going = product > goal
            if not going.any():
                break
            if number >= patience:
                for k in np.flatnonzero(going):
                    own = some[[k]]
                    solution[:, own] = self._inverse_of(curvature[:, k])(right[:, own])
                break
            if going.sum() <= _LEFT * len(some):
                some, product, goal = some[going], product[going], goal[going]
                rest, direction = rest[:, going], direction[:, going]
                curvature = np.compress(going, curvature, axis=1)
                going = np.ones(len(some), bool)
            image = self.times(direction, curvature)
            bend = (direction * image).sum(axis=0)
            going &= bend > 0
            step = np.where(going, product, 0.0) / np.where(going, bend, 1.0)
            solution[:, some] += step * direction
            rest -= step * image
            near = self._factor(rest)
            fresh = (rest * near).sum(axis=0)
            turn = np.where(going, fresh, 0.0) / np.where(product > 0, product, 1.0)
            direction = near + turn * direction
            product = np.where(going, fresh, 0.0)
        return solution


# Where many problems stand: coefficients, gradients and certificates.


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


_OVERSHOT = 0.5  # how far the slope along a step may turn, relative to its start
_SLOW = 0.5  # fraction of the gradient that a step may leave
_ENOUGH = 16  # rows of a sample with a curvature, for each coefficient
_ENTRIES = 2**22  # outputs of sampled rows that are held at once, at most
_GROWTH = 4  # of the sample of rows for curvatures
_NOISE = 100  # units of rounding below which steps may make no progress
_STALLED = 3  # of such steps, after which a problem is given up
_CLOSE = 0.05  # certificate below which a sample is not asked how far to go
_INEXACT = 0.1  # least tolerance of a direction, where curvatures are of a sample


@dataclass
class _Search:
    """Where every problem stands on its current line.

    Attributes
    ----------
    origin, direction : arrays of shape (width, m)
    slope : array of shape (m,)
        Along the line, at its origin.
    step : array of shape (m,)
        How far to go.
    size : array of shape (m,)
        How many rows each problem takes its curvatures of.
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

    def some(self, kept: NDArray) -> "_Search":
        return replace(
            self,
            origin=self.origin[:, kept],
            direction=self.direction[:, kept],
            slope=self.slope[kept],
            step=self.step[kept],
            size=self.size[kept],
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

    Parameters
    ----------
    samples : Samples
        Of the rows.
    columns : Columns
        m problems over the rows.
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
    rows = samples.rows
    best = Point(*(part.copy() for part in point))
    steps = np.zeros(columns.m, np.intp)
    found = gradient(best, ridge)
    active = np.flatnonzero(found.relative > tol)
    now, here, values = best.some(active), columns.some(active), found.values[:, active]
    least, idle = found.relative[active], np.zeros(len(active), int)
    fresh, search = np.ones(len(active), bool), _Search.start(now.coef, sample_size)
    noise = _NOISE * np.finfo(rows.dtype).eps
    for _ in range(max_steps):
        if len(active) == 0:
            break
        _direct(search, fresh, samples, here, now, values, ridge, least)
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
        search.size[slow] *= _GROWTH
        if not going.all():
            active, now, values = active[going], now.some(going), values[:, going]
            here, search = here.some(going), search.some(going)
            least, idle, fresh = least[going], idle[going], fresh[going]
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
    """New directions for problems whose last step was good.

    Problems with samples of the same size go together. Where too few rows of a sample
    have a curvature, the problem goes on to a larger one.
    """
    left = np.flatnonzero(fresh)
    search.size = np.minimum(search.size, samples.rows.n)
    while len(left) > 0:
        size = search.size[left].min()
        some = left[search.size[left] == size][: max(1, _ENTRIES // int(size))]
        sample = samples.of(int(size))
        problems = columns.some(some).of_rows(sample.chosen)
        outputs = sample.rows.outputs(now.coef[:, some])
        curvature = outputs.copy()
        problems.to_curvatures(curvature)
        if not sample.whole:
            few = _effective(curvature) < _ENOUGH * samples.rows.width
            if few.any():
                larger = search.size[some[few]] * _GROWTH
                search.size[some[few]] = np.minimum(larger, samples.rows.n)
                some, problems = some[~few], problems.some(~few)
                outputs = np.compress(~few, outputs, axis=1)
                curvature = np.compress(~few, curvature, axis=1)
        if len(some) > 0:
            quadratic = Quadratic(sample, curvature, ridge)
            tol = np.minimum(0.1, np.sqrt(relative[some]))
            if not sample.whole:
                tol = np.maximum(tol, _INEXACT)
            right = values[:, some]
            direction = -quadratic.solved(right, tol)
            slope = (right * direction).sum(axis=0)
            step = np.ones(len(slope))
            if sample.whole or relative[some].max() > _CLOSE:
                line = Line(sample, problems, outputs, direction, ridge, slope)
                step = best_steps(line, slope)
            search.origin[:, some] = now.coef[:, some]
            search.direction[:, some] = direction
            search.slope[some], search.step[some] = slope, step
        left = np.setdiff1d(left, some)


def _effective(curvature: NDArray[Any]) -> NDArray[np.float64]:
    """How many equal rows would say as much of each problem's curvature."""
    total = curvature.sum(axis=0, dtype=np.float64)
    squares = np.einsum("ij,ij->j", curvature, curvature).astype(np.float64)
    return total**2 / np.where(squares > 0, squares, 1.0)


# All problems of a set of rows, along C: samples first, then all rows.


_FIRST = 4096  # rows of the first sample, at least
_SAMPLE_GROWTH = 8  # from one sample to the next
_PER_COEFFICIENT = 32  # rows of a sample for each coefficient, at least
_CURVED = 8192  # rows for curvatures, at least
_ROUGH = 0.02  # certificate at which a sample has said what it can
_FAR = 0.1  # certificate from which on samples are worth another look


@dataclass(frozen=True)
class Solved:
    """Solutions for all values of C.

    Attributes
    ----------
    coef : array of shape (n_values, width, m)
    certificate : array of shape (n_values, m)
        Norm of the gradient, relative to the sum of the norms of its terms.
    gap : array of shape (n_values, m)
        Half the squared norm of the gradient by the penalised coefficients: the
        duality gap, where the derivative by the intercept is zero.
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
    """Solve m problems for every value of C, each from the solution before.

    A solution that is good enough for the next value, which the gradient of the losses
    says without looking at the rows, is kept.

    Parameters
    ----------
    rows : Rows
    columns : Columns
    penalty : array of shape (width,)
        Of squared coefficients; 0 for the intercept.
    values : array of shape (n_values,)
    """
    found, point = [], None
    samples = Samples(rows)
    with one_thread():
        for C in values:
            walk = _Walk(samples, columns, penalty, float(C), tol, max_steps, proceed)
            point, steps = walk.from_point(point)
            found.append((*walk.certified(point), steps))
    return Solved(*(np.stack(parts) for parts in zip(*found, strict=True)))


@dataclass(frozen=True)
class _Walk:
    """The way to the solutions for one value of C."""

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
        """Solutions, from those of another value of C or from nothing."""
        if point is None:
            coef = np.zeros((self.rows.width, self.columns.m))
            point = self._evaluated(self._from_samples(coef, self.columns))
        else:
            point = Point(*(part.copy() for part in point))
            far = gradient(point, self.ridge).relative > _FAR
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
            sample_size=self._curved,
            max_steps=self.max_steps,
            proceed=self.proceed,
        )

    def _evaluated(self, coef: NDArray[np.float64]) -> Point:
        return evaluated(self.rows, self.columns, coef, self.proceed)

    @property
    def _curved(self) -> int:
        """How many rows curvatures are taken of, to start with."""
        return max(_CURVED, _PER_COEFFICIENT * self.rows.width)

    def _sizes(self) -> list[int]:
        """Sizes of the samples, each a part of the next."""
        size = max(_FIRST, _PER_COEFFICIENT * self.rows.width)
        sizes = []
        while 4 * size <= self.rows.n:
            sizes.append(size)
            size *= _SAMPLE_GROWTH
        return sizes

    def _from_samples(
        self, coef: NDArray[np.float64], columns: Columns
    ) -> NDArray[np.float64]:
        """Solve on samples of the rows, roughly."""
        for size in self._sizes():
            sample = self.samples.of(size)
            problems = columns.of_rows(sample.chosen)
            point, _ = minimise(
                Samples(sample.rows),
                problems,
                self.ridge * (size / self.rows.n),
                evaluated(sample.rows, problems, coef, self.proceed),
                tol=max(_ROUGH * (_FIRST / size) ** 0.5, self.tol),
                sample_size=self._curved,
                max_steps=self.max_steps,
                proceed=self.proceed,
            )
            coef = point.coef
        return coef

    def certified(
        self, point: Point
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Coefficients, certificate and gap."""
        found = gradient(point, self.ridge)
        kept = self.penalty > 0
        own = self.C * found.values[kept] / np.sqrt(self.penalty[kept])[:, None]
        return point.coef, found.relative, (own**2).sum(axis=0) / 2

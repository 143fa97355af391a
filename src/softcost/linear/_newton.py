"""Newton's method for many problems at once.

Problem m has coefficients v, penalties p (0 for the intercept) and minimises

    F(v) = 1/2 sum_f p_f v_f^2 + C sum_n loss_nm(x_n' v)

Gradients are those of all rows. Curvatures may be those of a sample of the rows: a
step then leaves a fraction of about ``sqrt(width / sample)`` of the gradient, and
costs little more than the gradient. Where a step leaves more, the sample grows.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softcost.linear._columns import Columns
from softcost.linear._line import Line, best_steps
from softcost.linear._point import Point, evaluated, gradient
from softcost.linear._quadratic import Quadratic
from softcost.linear._samples import Samples

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

"""Newton's method for many problems at once.

Problem m has coefficients v, penalties p (0 for the intercept) and minimises

    F(v) = 1/2 sum_f p_f v_f^2 + C sum_n loss_nm(x_n' v)

Gradients are those of all rows. Curvatures may be those of a sample of the rows: a
step then leaves a fraction of about ``sqrt(width / sample)`` of the gradient, and
costs little more than the gradient. Where a step leaves more, the sample grows.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from softcost.linear._columns import Columns
from softcost.linear._line import Line, best_steps
from softcost.linear._point import Point, evaluated, gradient
from softcost.linear._quadratic import Quadratic
from softcost.linear._samples import Sampled, Samples

_OVERSHOT = 0.5  # how far the slope along a step may turn, relative to its start
_SLOW = 0.3  # fraction of the gradient that a step may leave
_GROWTH = 4  # of the sample of rows for curvatures
_NOISE = 100  # units of rounding below which steps may make no progress
_STALLED = 3  # of such steps, after which a problem is given up
_CLOSE = 0.05  # certificate below which a sample is not asked how far to go
_INEXACT = 0.05  # least tolerance of a direction, where curvatures are of a sample


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
    fresh, search = np.ones(len(active), bool), None
    noise = _NOISE * np.finfo(rows.dtype).eps
    sample = samples.of(sample_size)
    for _ in range(max_steps):
        if len(active) == 0:
            break
        search = _directed(search, fresh, sample, here, now, values, ridge, least)
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
            sample = samples.of(sample_size)
        if not going.all():
            active, now, values = active[going], now.some(going), values[:, going]
            here, search = here.some(going), search.some(going)
            least, idle, fresh = least[going], idle[going], fresh[going]
    return best, steps


def _directed(
    search: _Search | None,
    fresh: NDArray[np.bool_],
    sample: Sampled,
    columns: Columns,
    now: Point,
    values: NDArray[np.float64],
    ridge: NDArray[np.float64],
    relative: NDArray[np.float64],
) -> _Search:
    """New directions for problems whose last step was good."""
    if search is None:
        shape, m = now.coef.shape, len(fresh)
        search = _Search(np.empty(shape), np.empty(shape), np.empty(m), np.ones(m))
    if not fresh.any():
        return search
    problems = columns if fresh.all() else columns.some(fresh)
    problems = problems.of_rows(sample.chosen)
    coef, right = now.coef[:, fresh], values[:, fresh]
    outputs = sample.rows.outputs(coef)
    tol = np.minimum(0.1, np.sqrt(relative[fresh]))
    if not sample.whole:
        tol = np.maximum(tol, _INEXACT)
    direction = -Quadratic(sample, problems, outputs, ridge).solved(right, tol)
    slope = (right * direction).sum(axis=0)
    step = np.ones(len(slope))
    if sample.whole or relative[fresh].max() > _CLOSE:
        line = Line(sample, problems, outputs, direction, ridge, slope)
        step = best_steps(line, slope)
    search.origin[:, fresh], search.direction[:, fresh] = coef, direction
    search.slope[fresh], search.step[fresh] = slope, step
    return search

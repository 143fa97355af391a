"""All problems of a set of rows, along C: samples first, then all rows."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softcost.linear._columns import Columns
from softcost.linear._newton import minimise
from softcost.linear._point import Point, evaluated, gradient
from softcost.linear._rows import Rows
from softcost.linear._samples import Samples
from softcost.parallel import one_thread

_FIRST = 4096  # rows of the first sample, at least
_GROWTH = 8  # from one sample to the next
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
            size *= _GROWTH
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

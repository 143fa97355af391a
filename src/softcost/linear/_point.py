"""Where many problems stand: coefficients, gradients and certificates."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from softcost.linear._columns import Columns
from softcost.linear._rows import Rows


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

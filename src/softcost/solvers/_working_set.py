"""A working set of the rows of a large problem.

Steps are made among its members only, whose kernel values are together in memory.
"""

import numpy as np

from softcost.solvers._products import Products
from softcost.solvers.kernels import aligned, aligned_zeros, padded, submatrix
from softcost.solvers.rows import Gram
from softcost.solvers.smo import improve

CAPACITY = 4096
_LEAST_NEW = 64  # rows that come in at once, on each side
_SHARE_NEW = 8  # or one for so many that have a coefficient
_WORK_PER_CALL = 2e8
_BLOCK = 64  # columns that are mirrored at once


def _width() -> int:
    """Of a row: no power of two, or entries of a column share places in a cache."""
    return padded(CAPACITY + 1)


def working_bytes() -> int:
    """Memory for kernel values among members, and for some of them to be moved."""
    return 2 * 4 * CAPACITY * _width()


def _lowest(values: np.ndarray, count: int) -> np.ndarray:
    """Which are the lowest ``count`` values; of equal ones the first."""
    if len(values) <= count:
        return np.arange(len(values))
    most = np.partition(values, count - 1)[count - 1]
    below = np.flatnonzero(values < most)
    ties = np.flatnonzero(values == most)[: count - len(below)]
    return np.sort(np.concatenate([below, ties]))


class WorkingSet:
    """Rows among which steps are made.

    Parameters
    ----------
    products : Products
    n : int
        Rows of the problem.
    """

    def __init__(self, products: Products, n: int):
        self._products = products
        self._gram = aligned_zeros(CAPACITY, _width())
        self.members = np.empty(0, np.intp)
        self._inside = np.zeros(n, np.bool_)

    def grow(
        self,
        rises: np.ndarray,
        falls: np.ndarray,
        gradient: np.ndarray,
        lowest: float,
        highest: float,
        support: int,
    ) -> None:
        """Bring in the rows that violate most: the lowest that may rise, and so on.

        So many more, the more rows have a coefficient.
        """
        count = min(max(_LEAST_NEW, support // _SHARE_NEW), CAPACITY // 8)
        if len(self.members) + 2 * count > CAPACITY:
            self._make_room(rises, falls, gradient, lowest, highest)
        up = np.flatnonzero(rises & ~self._inside & (gradient < highest))
        up = up[_lowest(gradient[up], count)]
        self._inside[up] = True
        down = np.flatnonzero(falls & ~self._inside & (gradient > lowest))
        down = down[_lowest(-gradient[down], count)]
        self._inside[down] = True
        new = np.concatenate([up, down])
        if len(new) == 0:
            return
        before, self.members = len(self.members), np.concatenate([self.members, new])
        after = len(self.members)
        self._products.among(new, self.members, self._gram[before:after])
        for start in range(0, before, _BLOCK):
            some = slice(start, min(start + _BLOCK, before))
            self._gram[some, before:after] = self._gram[before:after, some].T

    def _make_room(
        self,
        rises: np.ndarray,
        falls: np.ndarray,
        gradient: np.ndarray,
        lowest: float,
        highest: float,
    ) -> None:
        """Keep the half of the members that are nearest to moving.

        Those inside their boxes count as if they violated most.
        """
        g, up, down = (part[self.members] for part in (gradient, rises, falls))
        distance = np.where(up, g - highest, np.inf)
        distance = np.minimum(distance, np.where(down, lowest - g, np.inf))
        distance -= np.where(up & down, highest - lowest, 0.0)
        kept = _lowest(distance, CAPACITY // 2)
        self._inside[self.members] = False
        self.members = self.members[kept]
        self._inside[self.members] = True
        size = len(kept)
        self._gram[:size, :size] = submatrix(self._gram, kept, kept)[:, :size]

    def improve(
        self,
        lower: np.ndarray,
        upper: np.ndarray,
        beta: np.ndarray,
        gradient: np.ndarray,
        tol: float,
        budget: int,
    ) -> tuple[int, np.ndarray]:
        """Improve pairs of members; how many steps, and their new coefficients.

        ``gradient`` is best given around its middle: it is rounded to single precision.
        """
        members = self.members
        own = aligned_zeros(padded(len(members)))
        own[: len(members)] = gradient[members]
        flags = aligned(2, len(own), kind=np.int8)
        new, below, above = beta[members], lower[members], upper[members]
        steps, violation = 0, np.inf
        most = int(_WORK_PER_CALL / len(own))
        while violation > tol and steps < budget:
            now = min(most, budget - steps)
            count, violation = improve(
                Gram(self._gram), below, above, new, own, flags, tol, now
            )
            steps += count
        return steps, new

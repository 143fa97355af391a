"""Samples of rows, which stand for all of them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from softcost.linear._rows import Rows


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

"""Products of the Gram matrix of a large problem with sparse coefficients.

They have an entry for every row, and then one for every held-out point.

Rows that are not in memory are computed in blocks, which costs a third of what single
rows do. Products are summed in double precision, in the order of the rows and in fours,
so that they have the same bits wherever rows come from.
"""

from typing import Protocol

import numpy as np

from softcost.solvers._jit import jit
from softcost.solvers.kernels import kernel_rows, pack, padded, submatrix
from softcost.solvers.rows import Gram, Part, Store

_BLOCK = 64  # rows at once, a multiple of four
_COLUMNS = 2048  # columns at once


def block_bytes(n: int, d: int) -> int:
    """Memory for a block of rows over n points with d features, and for the points."""
    return 4 * (3 * _BLOCK * padded(n) + 2 * n * d)


@jit
def _add_block(values, rows, weights, out):
    """Add ``weights[r] * values[rows[r]]``, four at a time.

    Some columns at a time, so that their sums stay in cache.
    """
    last = rows.size - 1
    for start in range(0, out.size, _COLUMNS):
        stop = min(start + _COLUMNS, out.size)
        for r in range(0, rows.size, 4):
            b, c, d = min(r + 1, last), min(r + 2, last), min(r + 3, last)
            one, two = values[rows[r]], values[rows[b]]
            three, four = values[rows[c]], values[rows[d]]
            wa = weights[r]
            wb = weights[b] if r + 1 <= last else 0.0
            wc = weights[c] if r + 2 <= last else 0.0
            wd = weights[d] if r + 3 <= last else 0.0
            for t in range(start, stop):
                out[t] += (wa * one[t] + wb * two[t]) + (wc * three[t] + wd * four[t])


class Products(Protocol):
    """Where kernel values come from."""

    n_out: int  # held-out points

    def add(self, chosen: np.ndarray, weights: np.ndarray, out: np.ndarray) -> None:
        """Add the sum of ``weights[r]`` times row ``chosen[r]``, increasing.

        ``out`` has values for the n points, then for those held out.
        """

    def among(self, new: np.ndarray, members: np.ndarray, out: np.ndarray) -> None:
        """Write kernel values of new rows (first axis) with members."""


def _write_among(
    matrix: np.ndarray, new: np.ndarray, members: np.ndarray, out: np.ndarray
) -> None:
    out[:, : len(members)] = submatrix(matrix, new, members)[:, : len(members)]


class FromMatrix:
    """Rows of the matrix of a problem, and of the one with held-out points.

    Parameters
    ----------
    matrix : array of shape (n, padded(n)), float32
    cross : array of shape (n, padded(n_out)), float32
    n_out : int
    """

    def __init__(self, matrix: np.ndarray, cross: np.ndarray, n_out: int):
        self._matrix, self._cross, self.n_out = matrix, cross, n_out

    def add(self, chosen: np.ndarray, weights: np.ndarray, out: np.ndarray) -> None:
        n = len(self._matrix)
        _add_block(self._matrix, chosen, weights, out[:n])
        if self.n_out:
            _add_block(self._cross, chosen, weights, out[n:])

    def among(self, new: np.ndarray, members: np.ndarray, out: np.ndarray) -> None:
        _write_among(self._matrix, new, members, out)


class FromPart:
    """Rows of a larger matrix, of which a problem sees a part.

    Parameters
    ----------
    matrix : array of shape (N, padded(N)), float32
    places : array of shape (n,)
        The rows and columns that the problem sees.
    out : array of shape (n_out,)
        The held-out columns.
    """

    def __init__(self, matrix: np.ndarray, places: np.ndarray, out: np.ndarray):
        self._matrix, self._places, self.n_out = matrix, places, len(out)
        self._columns = np.concatenate([places, out])

    def add(self, chosen: np.ndarray, weights: np.ndarray, out: np.ndarray) -> None:
        # Sums over all columns cost less than copies of those that count.
        every = np.zeros(len(self._matrix))
        every[self._columns] = out
        _add_block(self._matrix, self._places[chosen], weights, every)
        out[:] = every[self._columns]

    def among(self, new: np.ndarray, members: np.ndarray, out: np.ndarray) -> None:
        _write_among(self._matrix, self._places[new], self._places[members], out)


class Computed:
    """Rows computed when they are needed, recent ones kept.

    Parameters
    ----------
    x, out : arrays of shape (n, d) and (n_out, d), float32
        Points, and those held out.
    kernel, gamma
        As in `rows.Store`.
    room : array, float32
        Where rows are kept.
    """

    def __init__(
        self,
        x: np.ndarray,
        out: np.ndarray,
        kernel: int,
        gamma: float,
        room: np.ndarray,
    ):
        self._x, self._panels, self.n_out = x, pack(np.concatenate([x, out])), len(out)
        self._kernel, self._gamma = kernel, gamma
        width = padded(len(x) + len(out))
        self._kept = room.reshape(-1)[: room.size // width * width].reshape(-1, width)
        self._slot = np.full(len(x), -1)
        self._owner = np.full(len(self._kept), -1)
        self._next = 0

    def add(self, chosen: np.ndarray, weights: np.ndarray, out: np.ndarray) -> None:
        missing = int((self._slot[chosen] < 0).sum())
        # More than half would push out all others.
        keep = 0 < missing <= len(self._kept) // 2
        for start in range(0, len(chosen), _BLOCK):
            some = chosen[start : start + _BLOCK]
            values = self._rows(some, keep)
            _add_block(
                values, np.arange(len(some)), weights[start : start + _BLOCK], out
            )

    def _rows(self, chosen: np.ndarray, keep: bool) -> np.ndarray:
        slot = self._slot[chosen]
        new = slot < 0
        if not new.any():
            return self._kept[slot]
        fresh = self._compute(chosen[new], self._panels)
        if new.all():
            values = fresh
        else:
            values = np.empty((len(chosen), fresh.shape[1]), np.float32)
            values[new], values[~new] = fresh, self._kept[slot[~new]]
        if keep:
            self._keep(chosen[new], fresh)
        return values

    def _compute(self, chosen: np.ndarray, panels: np.ndarray) -> np.ndarray:
        values = np.empty((len(chosen), panels.shape[0] * panels.shape[2]), np.float32)
        kernel_rows(self._x[chosen], panels, self._kernel, self._gamma, values, 0)
        return values

    def _keep(self, chosen: np.ndarray, values: np.ndarray) -> None:
        """Keep rows in the place of those that came first."""
        places = (self._next + np.arange(len(chosen))) % len(self._kept)
        self._next = int(places[-1] + 1)
        dropped = self._owner[places]
        self._slot[dropped[dropped >= 0]] = -1
        self._owner[places], self._slot[chosen] = chosen, places
        self._kept[places] = values

    def among(self, new: np.ndarray, members: np.ndarray, out: np.ndarray) -> None:
        values = self._compute(new, pack(self._x[members]))
        out[:, : len(members)] = values[:, : len(members)]


def products_of(rows: Gram | Store | Part, cross: np.ndarray, n_out: int) -> Products:
    """Products with rows, and what they have for held-out points.

    Parameters
    ----------
    rows : Gram, Store or Part
    cross : array of shape (n, padded(n_out)), float32
        Kernel values with held-out points, for a `Gram`.
    n_out : int
    """
    if isinstance(rows, Gram):
        return FromMatrix(rows.values, cross, n_out)
    if isinstance(rows, Store):
        if rows.panels.size == 0:
            return FromMatrix(rows.values, cross, 0)
        nobody = rows.x[:0]
        return Computed(rows.x, nobody, rows.kernel, rows.gamma, rows.values)
    store, out = rows.store, _columns(rows.out_runs)
    if store.panels.size == 0:
        return FromPart(store.values, rows.places, out)
    x = store.x[rows.places]
    return Computed(x, store.x[out], store.kernel, store.gamma, rows.values)


def _columns(runs: np.ndarray) -> np.ndarray:
    """What the runs of `rows.Part` stand for: the points in their order."""
    parts = [np.arange(there, there + length) for _, there, length in runs]
    return np.concatenate([np.empty(0, np.int64), *parts])

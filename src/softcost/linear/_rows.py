"""Rows that many problems are solved over: matrix products, one block at a time."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

_BLOCK = 1024  # rows at once: their outputs stay in cache
_FEW = 2  # rows without a weight are left out where one of so many has one
_COPIED = 8  # one of so many rows is copied, at most; larger samples are looked up


class Rows:
    """Some rows of a matrix, dense or sparse, with a last column of ones.

    Coefficients of a problem are a column of an array (width, m). Rows may have a
    basis: the matrix has ``basis`` (raw width, width) times more columns than there
    are coefficients, and is never multiplied by it; the coefficients are.

    Parameters
    ----------
    matrix : array or sparse matrix of shape (n_all, any)
    places : array of shape (n,) or None for all
        Neighbours in the matrix are not copied.
    features : callable or None
        What makes the columns out of a block of the matrix, when it is asked for.
    basis : array of shape (raw width, width) or None
    dtype : dtype or None
        Of the features, by default that of the matrix.
    width : int or None
        Columns that ``features`` makes, where there is no basis.
    """

    def __init__(
        self,
        matrix: Any,
        places: NDArray[np.intp] | None = None,
        features: Callable[[Any], NDArray[Any]] | None = None,
        basis: NDArray[np.float64] | None = None,
        dtype: Any = None,
        width: int | None = None,
    ):
        self._matrix, self._places = matrix, places
        self._width = matrix.shape[1] if width is None else width
        self._features, self._basis = features, basis
        self.n = matrix.shape[0] if places is None else len(places)
        self.dtype = matrix.dtype if dtype is None else np.dtype(dtype)

    @property
    def width(self) -> int:
        """How many coefficients a problem has, with the intercept as the last."""
        if self._basis is not None:
            return self._basis.shape[1]
        return self._width

    def take(self, index: NDArray[np.intp]) -> "Rows":
        """Some of these rows: copied where they are few, or dear to make again."""
        places = index if self._places is None else self._places[index]
        if self._basis is None and _COPIED * len(index) > self.n:
            return Rows(
                self._matrix,
                places,
                self._features,
                dtype=self.dtype,
                width=self._width,
            )
        matrix = self._matrix[places]
        if self._features is not None:
            matrix = self._features(matrix)
        return Rows(matrix, basis=self._basis)

    def kept(self, megabytes: float) -> "Rows":
        """The same, with features that are kept where there is memory for them."""
        if self._features is None or self._basis is None:
            return self
        needed = self.n * self._basis.shape[0] * self.dtype.itemsize
        if needed > megabytes * 2**20:
            return self
        matrix = np.empty((self.n, self._basis.shape[0]), self.dtype)
        for part, block in self.blocks():
            matrix[part] = block
        return Rows(matrix, basis=self._basis)

    @property
    def has_basis(self) -> bool:
        return self._basis is not None

    def blocks(self) -> Iterator[tuple[slice, Any]]:
        """Blocks of rows, with their numbers."""
        for start in range(0, self.n, _BLOCK):
            part = slice(start, min(start + _BLOCK, self.n))
            yield part, self.block(part)

    def block(self, part: slice) -> Any:
        """The columns of some neighbouring rows."""
        chosen: Any = part
        if self._places is not None:
            chosen = self._places[part]
            if np.all(chosen[1:] - chosen[:-1] == 1):  # no copy of neighbours
                chosen = slice(int(chosen[0]), int(chosen[-1]) + 1)
        block = self._matrix[chosen]
        return block if self._features is None else self._features(block)

    def spread(self, coef: NDArray[np.float64]) -> NDArray[Any]:
        """Coefficients (width, m) as those of the matrix, in its precision."""
        raw = coef if self._basis is None else self._basis @ coef
        return np.ascontiguousarray(raw, dtype=self.dtype)

    def gathered(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """The transpose of `spread`: sums by column of the matrix, by coefficient."""
        return sums if self._basis is None else self._basis.T @ sums

    def outputs(self, coef: NDArray[np.float64]) -> NDArray[Any]:
        """Outputs of all problems for all rows, shape (n, m)."""
        raw = self.spread(coef)
        out = np.empty((self.n, raw.shape[1]), self.dtype)
        for part, block in self.blocks():
            out[part] = block @ raw
        return out

    def weighted_gram(self, weight: NDArray[Any]) -> NDArray[np.float64]:
        """``sum of weight_n x_n x_n'``, shape (width, width)."""
        total: Any = 0.0
        for part, block in self.blocks():
            if sparse.issparse(block):
                scaled = block.multiply(weight[part, None]).tocsr()
                total = total + (block.T @ scaled).toarray()
            else:
                some = np.flatnonzero(weight[part])
                if _FEW * len(some) < len(block):
                    block, scale = block[some], weight[part][some, None]
                else:
                    scale = weight[part, None]
                total = total + (block.T @ (block * scale))
        total = total.astype(np.float64)
        return total if self._basis is None else self._basis.T @ total @ self._basis

    def weighted_squares(self, weight: NDArray[Any]) -> NDArray[np.float64]:
        """``sum of weight_n x_n^2``, shape (width,); for rows without a basis."""
        total: Any = 0.0
        for part, block in self.blocks():
            squares = block.multiply(block) if sparse.issparse(block) else block * block
            total = total + squares.T @ weight[part]
        return np.asarray(total, np.float64)

"""Rows for the solver: blocks of standardised features, with a column of ones.

`Rows` computes matrix products over blocks of rows. The rows may be a matrix in memory,
a memory-mapped file or kernel features that are computed on demand. `Standardised`
scales features, so that the Newton solver does not depend on their units.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

_BLOCK = 1024  # rows at once, so that their outputs stay in cache
# Rows of weight zero are left out of a Gram matrix if fewer than one in two has a
# positive weight. Otherwise copying the others costs more than it saves.
_GRAM_COPY_RATIO = 2
# Samples of at most one in eight rows are copied. Larger samples are indexed block by
# block, so that they do not need memory of their own.
_SAMPLE_COPY_RATIO = 8
# Rows standardised or predicted at once: a copy of them in double precision stays small
# beside the table, and calls of NumPy cost little beside the arithmetic.
_STANDARDISE_BLOCK = 4096
# Number of entries from which single precision is used: below, it saves little.
_SINGLE_ENTRIES = 2**17
_SINGLE_TOL = 1e-5  # the smallest tolerance that single precision can reach
_JOBLIB_FOLDER = "joblib_memmapping_folder"
_LARGEST = 1e300  # outputs up to this size can be subtracted without overflow
_TOO_LARGE = (
    "X has values too large for a linear machine: scale the features, for instance "
    "with StandardScaler(), or correct what is out of range."
)


class Rows:
    """Some rows of a matrix, dense or sparse, with a last column of ones.

    The coefficients of m problems are the columns of an array (width, m). With a basis
    (raw width, width), the features are ``matrix @ basis``. That product is never
    computed: the coefficients are multiplied by the basis instead.

    Parameters
    ----------
    matrix : array or sparse matrix of shape (n_all, any)
        All rows.
    places : array of shape (n,) or None
        Indices of the rows; None for all. Runs of neighbours are not copied.
    features : callable or None
        Computes the columns from a block of the matrix, on demand.
    basis : array of shape (raw width, width) or None
        Transforms the columns.
    dtype : dtype or None
        Type of the features; that of the matrix by default.
    width : int or None
        Number of columns from ``features``, if there is no basis.
    """

    n: Any
    dtype: Any

    def __init__(
        self,
        matrix: Any,
        places: NDArray[np.intp] | None = None,
        features: Callable[[Any], NDArray[Any]] | None = None,
        basis: NDArray[np.float64] | None = None,
        dtype: Any = None,
        width: int | None = None,
    ) -> None:
        self._matrix, self._places = matrix, places
        self._width = matrix.shape[1] if width is None else width
        self._features, self._basis = features, basis
        self.n = matrix.shape[0] if places is None else len(places)
        self.dtype = matrix.dtype if dtype is None else np.dtype(dtype)

    @property
    def width(self) -> int:
        """Number of coefficients of a problem; the last one is the intercept."""
        if self._basis is not None:
            return self._basis.shape[1]
        return self._width

    def take(self, index: NDArray[np.intp]) -> "Rows":
        """Some of these rows, copied if they are few or expensive to compute again."""
        places = index if self._places is None else self._places[index]
        if self._basis is None and _SAMPLE_COPY_RATIO * len(index) > self.n:
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

    def cached(self, megabytes: float) -> "Rows":
        """The same rows, with features held in memory if they fit."""
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
        """Yield blocks of rows, with their slices."""
        for start in range(0, self.n, _BLOCK):
            part = slice(start, min(start + _BLOCK, self.n))
            yield part, self.block(part)

    def block(self, part: slice) -> Any:
        """The columns of some neighbouring rows."""
        chosen: Any = part
        if self._places is not None:
            chosen = self._places[part]
            if np.all(chosen[1:] - chosen[:-1] == 1):  # a slice avoids a copy
                chosen = slice(int(chosen[0]), int(chosen[-1]) + 1)
        block = self._matrix[chosen]
        return block if self._features is None else self._features(block)

    def spread(self, coef: NDArray[np.float64]) -> NDArray[Any]:
        """Coefficients (width, m) for the columns of the matrix, in its precision."""
        raw = coef if self._basis is None else self._basis @ coef
        return np.ascontiguousarray(raw, dtype=self.dtype)

    def gathered(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """The transpose of `spread`: from sums per column to sums per coefficient."""
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
                if _GRAM_COPY_RATIO * len(some) < len(block):
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


def precision(shape: tuple[int, int], tol: float) -> Any:
    """Single precision for large tables, if the tolerance allows it."""
    large = shape[0] * shape[1] >= _SINGLE_ENTRIES and tol >= _SINGLE_TOL
    return np.dtype(np.float32 if large else np.float64)


def on_disk(X: Any) -> bool:
    """Whether an array is memory-mapped and should not be loaded into memory.

    Arrays that joblib maps for its workers do not count: they fit into memory.

    Examples
    --------
    >>> on_disk(np.zeros((2, 3)))
    False
    """
    while isinstance(X, np.ndarray):
        if isinstance(X, np.memmap):
            return _JOBLIB_FOLDER not in str(X.filename)
        X = X.base
    return False


@dataclass(frozen=True)
class Standardised:
    """Standardised features ``(x - centre) / scale``.

    They only condition the problem: the penalty is still that of the coefficients w of
    x. The coefficients of the standardised features are ``v = scale * w``, so
    ``1/2 |w|^2 = 1/2 sum_f (v_f / scale_f)^2``. Sparse rows are not centred.

    Attributes
    ----------
    centre, scale : arrays of shape (n_features,)
        Means and standard deviations.
    """

    centre: NDArray[np.float64]
    scale: NDArray[np.float64]

    @classmethod
    def of(cls, X: Any, weight: NDArray[np.float64] | None = None) -> "Standardised":
        """Use the weighted means and standard deviations of the features."""
        n, d = X.shape
        weight = np.full(n, 1.0) if weight is None else weight
        total = weight.sum()
        if total <= 0:
            return cls(np.zeros(d), np.ones(d))
        with np.errstate(over="ignore", invalid="ignore"):  # raises below
            centre, squares = _moments(X, weight, total)
        if not np.isfinite(squares).all():
            raise ValueError(_TOO_LARGE)
        scale = np.sqrt(squares / total)
        negligible = scale <= 1e-12 * np.abs(centre)  # constant up to rounding
        return cls(centre, np.where((scale > 0) & ~negligible, scale, 1.0))

    @property
    def penalty(self) -> NDArray[np.float64]:
        """Factors of the squared coefficients; 0 for the intercept, the last one."""
        return np.append(1.0 / self.scale**2, 0.0)

    def matrix(self, X: Any, dtype: Any, order: NDArray[np.intp] | None = None) -> Any:
        """Standardised rows, in the given order, with a last column of ones."""
        n = X.shape[0]
        if sparse.issparse(X):
            scaled = sparse.csr_array(X if order is None else X[order])
            scaled = scaled.multiply(1.0 / self.scale).astype(dtype)
            return sparse.hstack([scaled, np.ones((n, 1), dtype)], format="csr")
        out = np.empty((n, X.shape[1] + 1), dtype)
        for part in _parts(n):
            self._fill(out[part], X[part] if order is None else X[order[part]])
        return out

    def _fill(self, out: NDArray[Any], rows: NDArray[Any]) -> None:
        out[:, :-1] = (rows - self.centre) / self.scale
        out[:, -1] = 1.0

    def rows(self, X: Any, dtype: Any) -> Rows:
        if on_disk(X):
            return self.rows_on_disk(X, dtype)
        return Rows(self.matrix(X, dtype))

    def rows_on_disk(
        self, X: NDArray[Any], dtype: Any, places: NDArray[np.intp] | None = None
    ) -> Rows:
        """Rows of a file, which every pass reads and standardises block by block."""

        def features(block: NDArray[Any]) -> NDArray[Any]:
            out = np.empty((len(block), X.shape[1] + 1), dtype)
            self._fill(out, block)
            return out

        return Rows(X, places, features, dtype=dtype, width=X.shape[1] + 1)

    def model(self, coef: NDArray[np.float64]) -> "LinearModels":
        """Models for X itself, from coefficients of shape (width, m)."""
        original = coef[:-1] / self.scale[:, None]
        return LinearModels(original, coef[-1] - self.centre @ original)


def _moments(
    X: Any, weight: NDArray[np.float64], total: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Means (zeros for sparse rows), and sums of squared deviations from them."""
    n, d = X.shape
    centre, squares = np.zeros(d), np.zeros(d)
    if not sparse.issparse(X):
        for part in _parts(n):
            centre += weight[part] @ X[part].astype(np.float64)
        centre /= total
    for part in _parts(n):
        if sparse.issparse(X):
            block = X[part].astype(np.float64)
            squares += np.asarray(weight[part] @ block.multiply(block)).ravel()
        else:
            squares += weight[part] @ (X[part] - centre) ** 2
    return centre, squares


def _parts(n: int) -> list[slice]:
    return [
        slice(start, min(start + _STANDARDISE_BLOCK, n))
        for start in range(0, n, _STANDARDISE_BLOCK)
    ]


@dataclass(frozen=True)
class LinearModels:
    """Linear models: ``X @ coef + intercept``.

    Attributes
    ----------
    coef : array of shape (n_features, m)
    intercept : array of shape (m,)
    """

    coef: NDArray[np.float64]
    intercept: NDArray[np.float64]

    def outputs(self, X: Any) -> NDArray[np.float64]:
        """Outputs of shape (n, m); NaN for a machine that had no rows."""
        from softcost.solvers.scoring import linear_outputs

        out = np.empty((X.shape[0], len(self.intercept)))
        with np.errstate(over="ignore", invalid="ignore"):  # raises below
            if sparse.issparse(X):
                out[:] = X @ self.coef
                out += self.intercept
            else:
                coef = np.require(self.coef, np.float64, ["C", "W"])
                for part in _parts(X.shape[0]):
                    rows = np.require(X[part], np.float64, ["C", "A", "W"])
                    linear_outputs(rows, coef, self.intercept, out[part])
        largest = np.maximum(out.max(axis=0, initial=0.0), -out.min(axis=0, initial=0))
        if not (largest[~np.isnan(self.intercept)] <= _LARGEST).all():
            raise ValueError(_TOO_LARGE)
        return out

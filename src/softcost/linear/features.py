"""The space that problems are solved in: standardised features and an intercept."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

# Rows that many problems are solved over: matrix products, one block at a time.


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


_STANDARDISE_BLOCK = 4096  # rows standardised or predicted at once
_SINGLE_FROM = 2**17  # entries from which on single precision is enough of a gain
_FOR_WORKERS = "joblib_memmapping_folder"
_SINGLE_TOL = 1e-5  # least tolerance that single precision can meet
_LARGEST = 1e300  # of an output: those of two machines can still be subtracted
_TOO_LARGE = (
    "X has values too large for a linear machine: scale the features, for instance "
    "with StandardScaler(), or correct what is out of range."
)


def precision(shape: tuple[int, int], tol: float) -> Any:
    """Single precision for large tables, where the tolerance allows it."""
    large = shape[0] * shape[1] >= _SINGLE_FROM and tol >= _SINGLE_TOL
    return np.dtype(np.float32 if large else np.float64)


def on_disk(X: Any) -> bool:
    """Whether the numbers of an array are in a file, and are not to fill memory.

    What joblib maps for its workers has been in memory before, and may be again.

    Examples
    --------
    >>> on_disk(np.zeros((2, 3)))
    False
    """
    while isinstance(X, np.ndarray):
        if isinstance(X, np.memmap):
            return _FOR_WORKERS not in str(X.filename)
        X = X.base
    return False


@dataclass(frozen=True)
class Standardised:
    """Features ``(x - centre) / scale``, in which all are alike to the solver.

    The penalty stays that of the coefficients w of x itself: those of the standardised
    features are ``v = scale * w``, so ``1/2 |w|^2 = 1/2 sum_f (v_f / scale_f)^2``.
    Sparse rows are not centred.

    Attributes
    ----------
    centre, scale : arrays of shape (n_features,)
    """

    centre: NDArray[np.float64]
    scale: NDArray[np.float64]

    @classmethod
    def of(cls, X: Any, weight: NDArray[np.float64] | None = None) -> "Standardised":
        """Weighted means and standard deviations of the features."""
        n, d = X.shape
        weight = np.full(n, 1.0) if weight is None else weight
        total = weight.sum()
        if total <= 0:
            return cls(np.zeros(d), np.ones(d))
        with np.errstate(over="ignore", invalid="ignore"):  # which is refused below
            centre, squares = _moments(X, weight, total)
        if not np.isfinite(squares).all():
            raise ValueError(_TOO_LARGE)
        scale = np.sqrt(squares / total)
        negligible = scale <= 1e-12 * np.abs(centre)  # constant, but for rounding
        return cls(centre, np.where((scale > 0) & ~negligible, scale, 1.0))

    @property
    def penalty(self) -> NDArray[np.float64]:
        """Of squared coefficients, the intercept's last."""
        return np.append(1.0 / self.scale**2, 0.0)

    def matrix(self, X: Any, dtype: Any, order: NDArray[np.intp] | None = None) -> Any:
        """Standardised rows, in an order, with a last column of ones."""
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
        """Rows of a file, read and standardised block by block in every pass."""

        def features(block: NDArray[Any]) -> NDArray[Any]:
            out = np.empty((len(block), X.shape[1] + 1), dtype)
            self._fill(out, block)
            return out

        return Rows(X, places, features, dtype=dtype, width=X.shape[1] + 1)

    def model(self, coef: NDArray[np.float64]) -> "LinearModels":
        """What predicts from X itself, for coefficients of shape (width, m)."""
        own = coef[:-1] / self.scale[:, None]
        return LinearModels(own, coef[-1] - self.centre @ own)


def _moments(
    X: Any, weight: NDArray[np.float64], total: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Means, zeros for sparse rows, and sums of squared deviations from them."""
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
    """Outputs ``X @ coef + intercept``.

    Attributes
    ----------
    coef : array of shape (n_features, m)
    intercept : array of shape (m,)
    """

    coef: NDArray[np.float64]
    intercept: NDArray[np.float64]

    def outputs(self, X: Any) -> NDArray[np.float64]:
        """Shape (n, m); NaN for a machine that no row had a weight for."""
        out = np.empty((X.shape[0], len(self.intercept)))
        with np.errstate(over="ignore", invalid="ignore"):  # which is refused below
            for part in _parts(X.shape[0]):
                out[part] = X[part] @ self.coef
            out += self.intercept
        largest = np.maximum(out.max(axis=0, initial=0.0), -out.min(axis=0, initial=0))
        if not (largest[~np.isnan(self.intercept)] <= _LARGEST).all():
            raise ValueError(_TOO_LARGE)
        return out

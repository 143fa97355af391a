"""The space that problems are solved in: standardised features and an intercept."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from softcost.linear._rows import Rows

_BLOCK = 4096  # rows standardised or predicted at once
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
    return [slice(start, min(start + _BLOCK, n)) for start in range(0, n, _BLOCK)]


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

"""Nystroem features: a kernel by its values at a few landmarks.

With landmarks z and ``f(x) = sum_l b_l K(x, z_l) + intercept``, where the b_l sum to
zero, the penalty is ``1/2 b'Kb`` over the landmarks. Kernels are those of
`softcost.solvers.kernels`, in their distance form. With the eigenvectors U and the
eigenvalues E of the centred matrix of the landmarks, ``b = U E^(-1/2) w`` makes it
``1/2 |w|^2``: a linear machine on the features ``K(x, z) U E^(-1/2)``. With all rows as
landmarks it is the kernel machine itself.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from softcost.linear._rows import Rows
from softcost.solvers.kernels import (
    KERNELS,
    check_single,
    kernel_rows,
    pack,
    padded,
)

_POOL = 4096  # rows that landmarks are chosen from, at least
_PER_LANDMARK = 16  # the same for each landmark
_NEGLIGIBLE = 1e-6  # eigenvalues relative to the largest, in single precision
_BLOCK = 1024  # rows predicted at once


@dataclass(frozen=True)
class Kernel:
    """A kernel with its width."""

    name: str
    gamma: float

    def values(self, X: Any, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Distance form of rows against vectors, shape (n, n_vectors)."""
        rows = X.toarray() if sparse.issparse(X) else np.ascontiguousarray(X)
        out = np.empty((len(vectors), padded(len(rows))), np.float32)
        kernel_rows(vectors, pack(rows), KERNELS[self.name], self.gamma, out, 0)
        return np.ascontiguousarray(out[:, : len(rows)].T)


def choose_landmarks(
    X: Any, places: NDArray[np.intp], n_landmarks: int, kernel: Kernel, seed: int
) -> NDArray[np.float32]:
    """Landmarks among distinct rows at some places, as a rule far from each other.

    As k-means++ starts: each is drawn with a chance proportional to the squared
    distance, in the space of the kernel, to the nearest one before. They are drawn
    from a sample of the rows, in an order that their repetition does not change.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, n_features), float32
    places : array
    """
    rng = np.random.default_rng(seed)
    n, size = len(places), max(_POOL, _PER_LANDMARK * n_landmarks)
    if n > size:
        places = places[np.sort(rng.permutation(n)[:size])]
    pool = X[places]
    pool = pool.toarray() if sparse.issparse(pool) else pool
    pool = np.unique(pool + np.float32(0), axis=0)  # -0.0 is 0.0
    if len(pool) <= n_landmarks:
        return pool
    chosen = [int(rng.integers(len(pool)))]
    distance = np.full(len(pool), np.inf)
    while len(chosen) < n_landmarks:
        last = kernel.values(pool, pool[chosen[-1:]])[:, 0]
        distance = np.minimum(distance, -2.0 * last)
        total = np.cumsum(distance)
        if total[-1] <= 0:
            break
        chosen.append(int(np.searchsorted(total, rng.random() * total[-1], "right")))
    return pool[np.unique(chosen)]


@dataclass(frozen=True)
class Landmarks:
    """The space of Nystroem features.

    Attributes
    ----------
    kernel : Kernel
    centre : array of shape (n_features,)
        Taken off dense rows before they become single precision.
    vectors : array of shape (n_landmarks, n_features), float32
    basis : array of shape (n_landmarks + 1, width)
        From the kernel's values, and a last column of ones, to features.
    """

    kernel: Kernel
    centre: NDArray[np.float64]
    vectors: NDArray[np.float32]
    basis: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        matrix: Any,
        places: NDArray[np.intp],
        centre: NDArray[np.float64],
        kernel: Kernel,
        n_landmarks: int,
        seed: int,
    ) -> "Landmarks":
        """Choose landmarks among some of centred rows of single precision."""
        vectors = choose_landmarks(matrix, places, n_landmarks, kernel, seed)
        gram = kernel.values(vectors, vectors).astype(np.float64)
        gram = (gram + gram.T) / 2
        gram -= gram.mean(axis=0)
        gram -= gram.mean(axis=1, keepdims=True)
        size, directions = np.linalg.eigh(gram)
        kept = size > _NEGLIGIBLE * max(size[-1], 0.0)
        basis = np.zeros((len(vectors) + 1, int(kept.sum()) + 1))
        basis[:-1, :-1] = directions[:, kept] / np.sqrt(size[kept])
        basis[-1, -1] = 1.0
        return cls(kernel, centre, vectors, basis)

    @property
    def penalty(self) -> NDArray[np.float64]:
        """Of squared coefficients, the intercept's last."""
        return np.append(np.ones(self.basis.shape[1] - 1), 0.0)

    def features(self, block: Any, dtype: Any = np.float32) -> NDArray[Any]:
        """Kernel values of centred rows without their mean, and ones.

        The mean does not matter, as coefficients of landmarks sum to zero.
        """
        values = np.ones((block.shape[0], len(self.vectors) + 1), dtype)
        by_landmark = self.kernel.values(block, self.vectors)
        values[:, :-1] = by_landmark - by_landmark.mean(axis=1, keepdims=True)
        return values

    def rows(
        self, matrix: Any, dtype: Any, places: NDArray[np.intp] | None = None
    ) -> Rows:
        """Centred rows in this space; features are made when they are asked for."""
        make = partial(self.features, dtype=dtype)
        return Rows(matrix, places, make, self.basis, dtype)

    def model(self, coef: NDArray[np.float64]) -> "LandmarkModels":
        """What predicts from X itself, for coefficients of shape (width, m)."""
        return LandmarkModels(self, self.basis @ coef)


@dataclass(frozen=True)
class LandmarkModels:
    """Outputs ``K(X, landmarks) @ coef + intercept``.

    Attributes
    ----------
    space : Landmarks
    coef : array of shape (n_landmarks + 1, m)
        The last row has the intercepts.
    """

    space: Landmarks
    coef: NDArray[np.float64]

    def outputs(self, X: Any) -> NDArray[np.float64]:
        """Shape (n, m)."""
        out = np.empty((X.shape[0], self.coef.shape[1]))
        for start in range(0, X.shape[0], _BLOCK):
            part = slice(start, start + _BLOCK)
            rows = centred(X[part], self.space.centre)
            out[part] = self.space.features(rows, np.float64) @ self.coef
        return out


def centre_of(X: Any) -> NDArray[np.float64]:
    """Round numbers near the middle of each dense feature, zeros for sparse rows.

    Single precision would lose differences of numbers like 100000.1 and 100000.2. The
    numbers are round so that they do not move with every row.
    """
    if sparse.issparse(X) or X.shape[0] == 0:
        return np.zeros(X.shape[1])
    least, most = X.min(axis=0).astype(np.float64), X.max(axis=0).astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):  # `centred` refuses such rows
        extent = most - least
        unit = 2.0 ** np.ceil(np.log2(np.where(extent > 0, extent, 1.0)))
        return np.round((least + most) / 2 / unit) * unit


def centred(
    X: Any, centre: NDArray[np.float64], order: NDArray[np.intp] | None = None
) -> Any:
    """Rows as single precision, in an order, with the centre taken off dense ones.

    Numbers that are too large for it are refused.
    """
    if sparse.issparse(X):
        check_single(X.data)
        return sparse.csr_array(X if order is None else X[order]).astype(np.float32)
    out = np.empty(X.shape, np.float32)
    for start in range(0, len(X), _BLOCK):
        part = slice(start, start + _BLOCK)
        block = (X[part] if order is None else X[order[part]]) - centre
        check_single(block)
        out[part] = block
    return out


def width_for(gamma: Any, X: Any, weight: NDArray[np.float64] | None = None) -> float:
    """The kernel's gamma, by its name or value, for weighted rows."""
    n, n_features = X.shape
    if gamma == "auto":
        return 1.0 / n_features
    if gamma != "scale":
        return float(gamma)
    weight = np.ones(n) if weight is None else weight
    total = squares = 0.0
    for start in range(0, n, _BLOCK):
        part = slice(start, start + _BLOCK)
        block = X[part].astype(np.float64)
        total += weight[part] @ np.asarray(block.sum(axis=1)).ravel()
        block = block.multiply(block) if sparse.issparse(block) else block**2
        squares += weight[part] @ np.asarray(block.sum(axis=1)).ravel()
    size = n_features * weight.sum()
    variance = squares / size - (total / size) ** 2
    return 1.0 / (n_features * variance) if variance > 0 else 1.0

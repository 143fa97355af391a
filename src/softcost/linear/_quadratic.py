"""Newton directions for many problems at once, by conjugate gradients."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from softcost.linear._samples import Sampled

_FACTORED = 1024  # largest width at which the preconditioner is a factored matrix
_STEPS = 100  # for one direction, at most
_DIRECT = 160  # largest width at which a problem may get a matrix of its own
_PATIENCE = 6  # steps before that, at least
_TURNS = 8  # or one for so many coefficients
_LEFT = 0.75  # share of the problems: where fewer go on, they go on alone


class Quadratic:
    """The second derivatives of F / C at a point, as a linear map.

    ``H v = p / C * v + sum over rows of curvature x (x' v)``

    Parameters
    ----------
    sample : Sampled
    curvature : array of shape (n, m)
        Of the sampled rows; it is changed.
    ridge : array of shape (width,)
        ``p / C``.
    """

    def __init__(
        self, sample: Sampled, curvature: NDArray[Any], ridge: NDArray[np.float64]
    ):
        self._rows, self._ridge = sample.rows, ridge
        self._curvature = curvature
        self._curvature *= sample.rows.dtype.type(sample.times)
        self._factor = self._factored()

    def times(
        self, coef: NDArray[np.float64], curvature: NDArray[Any]
    ) -> NDArray[np.float64]:
        """H v for columns v of some problems, which have these curvatures."""
        raw = self._rows.spread(coef)
        total = np.zeros(raw.shape)
        for part, block in self._rows.blocks():
            values = block @ raw
            values *= curvature[part]
            total += block.T @ values
        return self._ridge[:, None] * coef + self._rows.gathered(total)

    def _factored(self) -> Callable[[NDArray], NDArray]:
        """The inverse of the mean over all problems, or of its diagonal."""
        mean = self._curvature.mean(axis=1)
        if self._rows.width > _FACTORED and not self._rows.has_basis:
            diagonal = self._rows.weighted_squares(mean) + self._ridge
            diagonal[diagonal <= 0] = 1.0
            return lambda values: values / diagonal[:, None]
        return self._inverse_of(mean)

    def _inverse_of(self, curvature: NDArray[Any]) -> Callable[[NDArray], NDArray]:
        """What multiplies by the inverse of H for one curvature of every row."""
        matrix = self._rows.weighted_gram(curvature) + np.diag(self._ridge)
        diagonal = matrix.diagonal()
        root = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
        matrix /= root * root[:, None]
        matrix[np.diag_indices_from(matrix)] = 1.0 + 10 * np.finfo(self._rows.dtype).eps
        try:
            factor = cho_factor(matrix, lower=True, check_finite=False)
        except LinAlgError:
            return lambda values: values / (root * root)[:, None]
        return lambda values: (
            cho_solve(factor, values / root[:, None], check_finite=False)
            / root[:, None]
        )

    def solved(
        self, right: NDArray[np.float64], tol: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """``H v = right`` by preconditioned conjugate gradients, up to ``tol``.

        Problems that are solved are left out as soon as they are many. Those that take
        long, since they are unlike the mean of all, get a factored matrix of their own.
        """
        solution = np.zeros_like(right)
        some, curvature, rest = np.arange(right.shape[1]), self._curvature, right.copy()
        near = self._factor(rest)
        direction = near.copy()
        product = (rest * near).sum(axis=0)
        goal = tol**2 * product
        width = self._rows.width
        patience = max(_PATIENCE, width // _TURNS) if width <= _DIRECT else _STEPS
        for number in range(_STEPS):
            going = product > goal
            if not going.any():
                break
            if number >= patience:
                for k in np.flatnonzero(going):
                    own = some[[k]]
                    solution[:, own] = self._inverse_of(curvature[:, k])(right[:, own])
                break
            if going.sum() <= _LEFT * len(some):
                some, product, goal = some[going], product[going], goal[going]
                rest, direction = rest[:, going], direction[:, going]
                curvature = np.compress(going, curvature, axis=1)
                going = np.ones(len(some), bool)
            image = self.times(direction, curvature)
            bend = (direction * image).sum(axis=0)
            going &= bend > 0
            step = np.where(going, product, 0.0) / np.where(going, bend, 1.0)
            solution[:, some] += step * direction
            rest -= step * image
            near = self._factor(rest)
            fresh = (rest * near).sum(axis=0)
            turn = np.where(going, fresh, 0.0) / np.where(product > 0, product, 1.0)
            direction = near + turn * direction
            product = np.where(going, fresh, 0.0)
        return solution

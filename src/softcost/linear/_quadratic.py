"""Newton directions for many problems at once, by conjugate gradients."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from softcost.linear._samples import Sampled

_FACTORED = 1024  # largest width at which the preconditioner is a factored matrix
_STEPS = 100  # for one direction, at most


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

    def times(self, coef: NDArray[np.float64]) -> NDArray[np.float64]:
        raw = self._rows.spread(coef)
        total = np.zeros(raw.shape)
        for part, block in self._rows.blocks():
            values = block @ raw
            values *= self._curvature[part]
            total += block.T @ values
        return self._ridge[:, None] * coef + self._rows.gathered(total)

    def _factored(self) -> Callable[[NDArray], NDArray]:
        """The inverse of the mean over all problems, or of its diagonal."""
        mean = self._curvature.mean(axis=1)
        if self._rows.width > _FACTORED and not self._rows.has_basis:
            diagonal = self._rows.weighted_squares(mean) + self._ridge
            diagonal[diagonal <= 0] = 1.0
            return lambda values: values / diagonal[:, None]
        matrix = self._rows.weighted_gram(mean) + np.diag(self._ridge)
        diagonal = matrix.diagonal().copy()
        usable = diagonal > 0
        root = np.sqrt(np.where(usable, diagonal, 1.0))
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
        """``H v = right`` by preconditioned conjugate gradients, up to ``tol``."""
        solution, rest = np.zeros_like(right), right.copy()
        near = self._factor(rest)
        direction = near.copy()
        product = (rest * near).sum(axis=0)
        goal = tol**2 * product
        for _ in range(_STEPS):
            going = product > goal
            if not going.any():
                break
            image = self.times(direction)
            bend = (direction * image).sum(axis=0)
            going &= bend > 0
            step = np.where(going, product, 0.0) / np.where(going, bend, 1.0)
            solution += step * direction
            rest -= step * image
            near = self._factor(rest)
            fresh = (rest * near).sum(axis=0)
            turn = np.where(going, fresh, 0.0) / np.where(product > 0, product, 1.0)
            direction = near + turn * direction
            product = np.where(going, fresh, 0.0)
        return solution

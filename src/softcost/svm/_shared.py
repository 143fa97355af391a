"""Kernel values over distinct points, shared by all problems on them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from softcost.solvers.kernels import gram_matrix, submatrix
from softcost.solvers.rows import Part, part_of, store_of
from softcost.svm._memory import Plan, copy_bytes, row_bytes

Matrix = NDArray[np.float32]
Places = NDArray[np.intp]

_NOWHERE = np.empty(0, np.intp)


class SharedRows:
    """The Gram matrix, or as many of its rows as the plan has room for.

    Parameters
    ----------
    plan : Plan
    matrix : array of shape (n, padded(n)), default=None
        The Gram matrix of a precomputed kernel.
    x : array of shape (n, d), default=None
        The points.
    kernel, gamma
        As for `softcost.solvers.kernels.gram_matrix`.
    threads : int
        For computing the matrix.
    """

    def __init__(
        self,
        plan: Plan,
        matrix: Matrix | None = None,
        *,
        x: Any = None,
        kernel: str = "perceptron",
        gamma: float = 1.0,
        threads: int = 1,
    ):
        self._plan, self.matrix = plan, matrix
        if matrix is None and plan.whole:
            self.matrix = gram_matrix(x, kernel, gamma=gamma, threads=threads)
        if x is not None:
            self._store = store_of(
                x, kernel, gamma=gamma, capacity=plan.capacity, gram=self.matrix
            )

    def copies(
        self, places: Places, out: Places = _NOWHERE
    ) -> tuple[Matrix, Matrix] | None:
        """Matrix among places, and of these with held-out ones; None without room."""
        needed = copy_bytes(len(places), len(out))
        if self.matrix is None or needed > self._plan.copy_bytes:
            return None
        inside = submatrix(self.matrix, places, places)
        return inside, submatrix(self.matrix, places, out)

    def has_room_for(self, m: int, n_out: int) -> bool:
        """Whether a problem may copy more than its fold did."""
        return copy_bytes(m, n_out) <= self._plan.problem_bytes

    def part(self, places: Places, out: Places = _NOWHERE) -> Part:
        """What `copies` gives, row by row, when they are needed."""
        capacity = self._plan.problem_bytes // row_bytes(len(places))
        return part_of(self._store, places, out, capacity=capacity)

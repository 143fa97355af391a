"""Kernel values over distinct points, shared by all problems on them."""

from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from softcost.solvers.kernels import aligned, gram_matrix, padded, submatrix
from softcost.solvers.rows import Part, part_of, store_of
from softcost.svm._memory import NUMBER, Plan, copy_bytes, row_bytes

Matrix = NDArray[np.float32]
Places = NDArray[np.intp]

_NOWHERE = np.empty(0, np.intp)
_MARGIN = 64  # one of so many numbers is spare: folds are not of one size


class Copies(NamedTuple):
    """Parts of the matrix, and the memory that they are in.

    Attributes
    ----------
    inside : array of shape (m, padded(m))
        Of a fold's own places.
    cross : array of shape (m, padded(n_out))
        Of these with held-out ones.
    memory : array
        Both.
    """

    inside: Matrix
    cross: Matrix
    memory: Matrix


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
        self._lock, self._spare = Lock(), list[Matrix]()
        if matrix is None and plan.whole:
            self.matrix = gram_matrix(x, kernel, gamma=gamma, threads=threads)
        if x is not None:
            self._store = store_of(
                x, kernel, gamma=gamma, capacity=plan.capacity, gram=self.matrix
            )

    def copies(self, places: Places, out: Places = _NOWHERE) -> Copies | None:
        """Matrix among places, and of these with held-out ones; None without room."""
        needed = copy_bytes(len(places), len(out))
        if self.matrix is None or needed > self._plan.copy_bytes:
            return None
        memory, m = self._memory(needed // NUMBER), len(places)
        parts: list[Matrix] = []
        for columns in (places, out):
            shape = m, padded(len(columns))
            here = sum(part.size for part in parts)
            part = memory[here : here + shape[0] * shape[1]].reshape(shape)
            parts.append(submatrix(self.matrix, places, columns, part))
        return Copies(parts[0], parts[1], memory)

    def _memory(self, size: int) -> Matrix:
        """Memory that a fold has given back, or new one."""
        with self._lock:
            if self._spare and len(self._spare[-1]) >= size:
                return self._spare.pop()
        return aligned(size + size // _MARGIN)

    def give_back(self, copies: Copies) -> None:
        """Let another fold have the memory: nobody reads these copies any more."""
        with self._lock:
            self._spare.append(copies.memory)

    def has_room_for(self, m: int, n_out: int) -> bool:
        """Whether a problem may copy more than its fold did."""
        return copy_bytes(m, n_out) <= self._plan.problem_bytes

    def part(self, places: Places, out: Places = _NOWHERE) -> Part:
        """What `copies` gives, row by row, when they are needed."""
        capacity = self._plan.problem_bytes // row_bytes(len(places))
        return part_of(self._store, places, out, capacity=capacity)

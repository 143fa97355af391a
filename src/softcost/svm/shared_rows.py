"""Memory for the kernel values of many machines on the same rows.

Kernel values take most of the memory, and `make_plan` decides how to use it before any
is allocated. Of n points a problem has m, and its outputs are needed for n_out held-out
ones.

1. If the Gram matrix (4 n^2 bytes) and the parts that folds copy from it fit into the
   memory, they are computed as a whole: nothing is faster.
2. Otherwise problems copy single rows from it when they need them, and cache recent
   ones in a quarter of the memory.
3. If the matrix does not fit into the other three quarters, these cache recent rows,
   and rows are computed when they are needed.

Results are the same to the bit.
"""

from dataclasses import dataclass
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from softcost.solvers.kernels import aligned, gram_matrix, padded, submatrix
from softcost.solvers.large import is_large, large_bytes
from softcost.solvers.row_store import BLOCK, LEAST, Part, part_of, store_of

# Share of the memory for rows over all points. Computing a row takes about d times as
# long as copying it, so most of the memory is for the rows that all problems share.
_SHARED = 0.75
# The same if there are large problems, which cache the rows that they use again
# themselves (`softcost.solvers.large`).
_SHARED_BY_LARGE = 0.25
NUMBER = 4  # bytes of a number in single precision


def row_bytes(n: int) -> int:
    """Bytes of a row over n points."""
    return NUMBER * padded(n)


def copy_bytes(m: int, n_out: int) -> int:
    """Bytes of the matrices among m points, and of them with held-out ones."""
    return m * (row_bytes(m) + row_bytes(n_out))


@dataclass(frozen=True)
class Needs:
    """Sizes of the problems that need kernel values.

    Attributes
    ----------
    n, d : int
        Points and their features.
    m, n_out : int
        Points of the largest problem, and held-out ones.
    copied : int
        Parts of the matrix that are needed at the same time.
    threads : int
        Problems that are solved at the same time.
    matrices : int
        Matrices that exist at the same time: more than one if each fold has a kernel
        width of its own.
    """

    n: int
    d: int
    m: int
    n_out: int
    copied: int
    threads: int
    matrices: int = 1


@dataclass(frozen=True)
class Plan:
    """How the memory for kernel values is used.

    Attributes
    ----------
    whole : bool
        Whether the matrix is computed as a whole.
    capacity : int
        Otherwise the number of rows over all points to cache.
    copy_bytes : int
        Memory of a fold for its part of the matrix; 0 if folds copy single rows.
    problem_bytes : int
        Memory of a problem for values of its own while it is solved.
    n_bytes : int
        All of it together, and the points.
    """

    whole: bool
    capacity: int
    copy_bytes: int
    problem_bytes: int
    n_bytes: int


def _shared(needs: Needs) -> float:
    """Share of the memory for rows over all points."""
    return _SHARED_BY_LARGE if is_large(needs.m, needs.n) else _SHARED


def make_plan(needs: Needs, megabytes: float, remedy: str) -> Plan:
    """Plan the memory for kernel values; MemoryError if not even the least fits.

    Parameters
    ----------
    needs : Needs
    megabytes : float
        The memory for all of it, possibly infinite.
    remedy : str
        The end of the error message: what to do.
    """
    row = row_bytes(needs.n)
    whole = needs.matrices * needs.n * row
    points = 2 * NUMBER * needs.n * needs.d  # as rows and as panels
    bound = int(min(megabytes * 2**20, 2**60)) - points
    large = large_bytes(needs.m, needs.n, needs.n_out, needs.d)
    copies = needs.copied * copy_bytes(needs.m, needs.n_out) + needs.threads * large
    if whole + copies <= bound:
        return Plan(
            whole=True,
            capacity=needs.n,
            copy_bytes=(bound - whole - needs.threads * large) // max(needs.copied, 1),
            problem_bytes=(bound - whole - copies) // needs.threads,
            n_bytes=points + whole + copies,
        )
    # A problem also needs room to compute a row, and values for held-out points.
    of_part = row_bytes(needs.m)
    scratch = row + BLOCK * row_bytes(needs.n_out) + NUMBER * needs.n_out * needs.d
    scratch += large
    least_parts = needs.threads * (LEAST * of_part + scratch)
    least = needs.matrices * LEAST * row + least_parts
    if least > bound:
        raise MemoryError(
            f"X has n = {needs.n} distinct rows, for which the kernel needs at least "
            f"{(points + least) / 2**20:.3g} MB, more than cache_size={megabytes:g} of "
            f"the learner: {remedy}"
        )
    most = max(int(_shared(needs) * bound), least - least_parts)
    if is_large(needs.m, needs.n) and whole <= bound - least_parts:
        most = whole
    most = min(most, bound - least_parts)
    capacity = min(most // (needs.matrices * row), needs.n)
    stored = needs.matrices * capacity * row
    part = min((bound - stored) // needs.threads, needs.m * of_part + scratch)
    return Plan(
        whole=capacity == needs.n,
        capacity=capacity,
        copy_bytes=0,
        problem_bytes=part - scratch,
        n_bytes=points + stored + needs.threads * part,
    )


Matrix = NDArray[np.float32]
Places = NDArray[np.intp]

_NOWHERE = np.empty(0, np.intp)
# One number in 64 is spare, so folds of about the same size can reuse the memory.
_MARGIN = 64


class Copies(NamedTuple):
    """Parts of the matrix, and the memory that they are in.

    Attributes
    ----------
    inside : array of shape (m, padded(m))
        Kernel values among a fold's points.
    cross : array of shape (m, padded(n_out))
        Kernel values of these points with held-out ones.
    memory : array
        Both.
    """

    inside: Matrix
    cross: Matrix
    memory: Matrix


class SharedRows:
    """The Gram matrix over distinct points, or a cache of its rows, for all problems.

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

    matrix: Matrix | None

    def __init__(
        self,
        plan: Plan,
        matrix: Matrix | None = None,
        *,
        x: Any = None,
        kernel: str = "perceptron",
        gamma: float = 1.0,
        threads: int = 1,
    ) -> None:
        self._plan, self.matrix = plan, matrix
        self._lock, self._spare = Lock(), list[Matrix]()
        if matrix is None and plan.whole:
            self.matrix = gram_matrix(x, kernel, gamma=gamma, threads=threads)
        if x is not None:
            self._store = store_of(
                x, kernel, gamma=gamma, capacity=plan.capacity, gram=self.matrix
            )

    def copies(self, places: Places, out: Places = _NOWHERE) -> Copies | None:
        """Matrices among places, and of them with held-out ones; None without room."""
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
        """Memory that a fold has released, or new memory."""
        with self._lock:
            if self._spare and len(self._spare[-1]) >= size:
                return self._spare.pop()
        return aligned(size + size // _MARGIN)

    def give_back(self, copies: Copies) -> None:
        """Release the memory of copies that are no longer read, for another fold."""
        with self._lock:
            self._spare.append(copies.memory)

    def has_room_for(self, m: int, n_out: int) -> bool:
        """Whether a problem may copy more than its fold did."""
        return copy_bytes(m, n_out) <= self._plan.problem_bytes

    def part(self, places: Places, out: Places = _NOWHERE) -> Part:
        """What `copies` returns, row by row, when they are needed."""
        capacity = self._plan.problem_bytes // row_bytes(len(places))
        return part_of(self._store, places, out, capacity=capacity)

"""Many support vector machines on the same rows, fitted and evaluated together.

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

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from softcost.parallel import in_threads
from softcost.solvers.duplicates import Merged, distinct_rows, merge
from softcost.solvers.kernels import (
    KERNELS,
    LARGEST,
    aligned,
    centred,
    check_single,
    code_of,
    gram_matrix,
    kernel_rows,
    pack,
    padded,
    submatrix,
    sum_rows,
)
from softcost.solvers.large import is_large, large_bytes, solve
from softcost.solvers.row_store import (
    BLOCK,
    LEAST,
    AnyRows,
    Gram,
    Part,
    given_rows,
    part_of,
    store_of,
)
from softcost.solvers.smo import Solution

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


_ALWAYS_WHOLE = 512  # rows up to which the whole Gram matrix is computed (1 MB)
_BLOCK = 256  # rows predicted at once: their kernel values stay in cache
_MOST_VALUES = 2**24  # kernel values at once (64 MB), however many vectors there are
# A feature is centred if its middle is further from zero than this many times its
# range: then single precision would lose three bits or more of its differences.
_FAR = 8.0


class Problem(NamedTuple):
    """The problem of one machine at C = 1, see `softcost.solvers.smo`."""

    targets: np.ndarray
    lower: np.ndarray
    upper: np.ndarray


def pose(target: np.ndarray, weight: np.ndarray, side: np.ndarray | None) -> Problem:
    """Side +1 asks for an output of at most the target, -1 of at least, None for both.

    A classifier asks rows labelled +1 for at least 1, rows labelled -1 for at most -1:
    its side is minus the label.
    """
    target = np.asarray(target, np.float64)
    if side is None:
        return Problem(target, -weight, weight)
    return Problem(
        target, np.where(side > 0, -weight, 0.0), np.where(side > 0, 0.0, weight)
    )


def centre_of(X) -> np.ndarray | None:
    """The centre of features that lie far from zero, or None if none does.

    Kernels are functions of differences, and single precision would lose those of
    numbers like 100000.1 and 100000.2. The centre is a round number, so it does not
    change with every row.
    """
    if X.shape[0] == 0:
        return None
    least, most = X.min(axis=0), X.max(axis=0)
    if sparse.issparse(X):
        least, most = least.toarray().ravel(), most.toarray().ravel()
    middle, extent = (least + most) / 2, most - least
    if 0 < extent.max() < 1 / LARGEST:
        raise ValueError(
            f"X varies by {extent.max():.1g} at most, too little for kernels in single "
            "precision: scale the features, for instance with StandardScaler()."
        )
    far = np.abs(middle) > _FAR * extent
    if not far.any():
        return None
    unit = 2.0 ** np.ceil(np.log2(np.where(extent > 0, extent, 1.0)))
    return np.where(far, np.round(middle / unit) * unit, 0.0)


@dataclass(frozen=True)
class KernelSpec:
    """A kernel with its width, and the memory for its rows.

    ``centre`` is subtracted before rows are converted to single precision.
    """

    name: str
    gamma: float
    megabytes: float
    centre: np.ndarray | None = None

    def dense(self, X) -> np.ndarray:
        """``X`` as a dense array of single precision; an error if it is too large."""
        if sparse.issparse(X):
            self._check_size(X)
            X = X.astype(np.float32).toarray() if self.centre is None else X.toarray()
        if self.centre is not None:
            X = X - self.centre
        check_single(X)
        return np.ascontiguousarray(X, dtype=np.float32)

    def _check_size(self, X) -> None:
        """Refuse a sparse matrix that would be too large as a dense one."""
        needed = X.shape[0] * X.shape[1] * 4 / 2**20
        if needed > self.megabytes:
            raise MemoryError(
                f"X has {X.shape[0]} x {X.shape[1]} entries, which take "
                f"{needed:.0f} MB as a dense array for this kernel, more than "
                f"cache_size={self.megabytes:g}: raise cache_size, reduce the "
                "features (TruncatedSVD), or use a linear learner."
            )

    def original(self, x: np.ndarray) -> np.ndarray:
        """The inverse of `dense`, up to rounding."""
        return x.astype(np.float64) + (0.0 if self.centre is None else self.centre)


# Outputs of a machine that vary by less than this share of the targets' range carry no
# information: all rows are at their bounds.
_LEAST_SHARE = 1e-3
_LARGEST_C = 1024.0  # of the default grid; a smaller C may underfit on purpose


def largest_distance(X: Any, spec: KernelSpec) -> float:
    """Upper bound of the kernel's distance form between rows of X."""
    if spec.name == "precomputed" or X.shape[0] == 0:
        return math.inf
    least, most = X.min(axis=0), X.max(axis=0)
    if sparse.issparse(X):
        least, most = least.toarray().ravel(), most.toarray().ravel()
    with np.errstate(over="ignore"):
        corner = np.asarray(most - least, np.float32)[None]
    if not corner.any():
        return math.inf  # all rows are equal: the machine is a constant
    out = np.empty((1, padded(1)), np.float32)
    origin = pack(np.zeros_like(corner))
    kernel_rows(corner, origin, code_of(spec.name), spec.gamma, out, 0)
    return float(-out[0, 0])


def check_reach(distance: float, C: float, n_rows: int, problem: Any) -> None:
    """Raise an error if no machine can fit its targets, because features are too small.

    Coefficients are at most C times the weight of a row, so outputs differ by at most
    twice their sum times the largest kernel distance.

    Parameters
    ----------
    distance : float
        From `largest_distance`.
    C : float
        The largest value.
    n_rows : int
        Number of rows.
    problem : Problem or Family
        Targets, and boxes for C = 1.
    """
    boxes = (problem.upper - problem.lower).sum(axis=-1).max(initial=0.0)
    extent = float(np.ptp(problem.targets)) if problem.targets.size else 0.0
    C = max(C, _LARGEST_C)
    if 2 * C * max(n_rows, boxes) * distance < _LEAST_SHARE * extent:
        raise ValueError(
            f"X varies too little for this kernel and C={C:g}: no machine can reach "
            "its targets. Scale the features, for instance with StandardScaler()."
        )


@dataclass(frozen=True)
class Machines:
    """Fitted machines that share their support vectors.

    Attributes
    ----------
    support : array of shape (n_support,)
        Training rows with a coefficient in some machine.
    vectors : array of shape (n_support, n_features), float32, or None
        None for a precomputed kernel.
    coef : array of shape (n_support, n_machines)
    intercept : array of shape (n_machines,)
        Intercepts with the kernel itself.
    offset : array of shape (n_machines,)
        Intercepts with its distance form, in which outputs are computed.
    """

    kernel: KernelSpec
    support: np.ndarray
    vectors: np.ndarray | None
    coef: np.ndarray
    intercept: np.ndarray
    offset: np.ndarray
    solutions: tuple[Solution, ...]

    def outputs(self, X) -> np.ndarray:
        """Outputs of all machines, shape (n_rows, n_machines), one block at a time."""
        if self.vectors is None:
            return np.asarray(X)[:, self.support] @ self.coef + self.intercept
        out = np.empty((X.shape[0], self.coef.shape[1]))
        code, gamma = code_of(self.kernel.name), self.kernel.gamma
        by_machine = sparse.csr_array(self.coef.T)
        size = min(_BLOCK, padded(_MOST_VALUES // max(len(self.coef), 1)))
        for start in range(0, X.shape[0], size):
            block = self.kernel.dense(X[start : start + size])
            panels = pack(block)
            values = np.empty((len(self.coef), padded(len(block))), np.float32)
            kernel_rows(self.vectors, panels, code, gamma, values, 0)
            sums = np.zeros((self.coef.shape[1], values.shape[1]))
            sum_rows(
                values, by_machine.indptr, by_machine.indices, by_machine.data, sums
            )
            out[start : start + size] = sums[:, : len(block)].T
        return out + self.offset


def fit_machines(
    X,
    problems: Sequence[Problem],
    C: float,
    kernel: KernelSpec,
    *,
    tol: float = 1e-3,
    max_steps: int = -1,
    threads: int = 1,
) -> Machines:
    """Solve all problems over the rows of ``X``, sharing one Gram matrix.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, n_features), or a kernel matrix (n, n)
    problems : sequence of Problem
    C : float
        Factor of the boxes.
    kernel : KernelSpec
        If the Gram matrix of the distinct rows does not fit into its memory, rows are
        computed when they are needed.
    """
    x: np.ndarray | None = None
    if kernel.name == "precomputed":
        first = group = np.arange(X.shape[0])
    else:
        dense = kernel.dense(X)
        first, group = distinct_rows(dense)
        x = dense[first]
    order = np.argsort(group, kind="stable")
    # Before the first is solved, which evicts everything from the processor's caches.
    merged = [merge(group, *problem, order, C) for problem in problems]
    source = _source_of(X, x, problems, kernel, threads)

    def fit_one(problem: Merged, proceed) -> Solution:
        return solve(
            source(group[problem.rows]),
            problem.targets,
            problem.lower,
            problem.upper,
            total=len(first),
            tol=tol,
            max_steps=max_steps,
            proceed=proceed,
        )

    fitted = in_threads(fit_one, merged, threads)
    coef = np.column_stack(
        [
            np.bincount(group[problem.rows], solution.beta, len(first))
            for problem, solution in zip(merged, fitted, strict=True)
        ]
    )
    # Certificates without coefficients: these are in `coef`.
    solutions = tuple(replace(solution, beta=np.empty(0)) for solution in fitted)
    offset = np.array([solution.intercept for solution in solutions])
    support = np.flatnonzero(coef.any(axis=1))
    return Machines(
        kernel=kernel,
        support=first[support],
        vectors=None if x is None else x[support],
        coef=coef[support],
        intercept=offset - _half_diagonal(X, x, kernel) @ coef,
        offset=offset,
        solutions=solutions,
    )


def _source_of(
    X, x, problems: Sequence[Problem], kernel: KernelSpec, threads: int
) -> Callable[[np.ndarray], AnyRows]:
    """A function that returns the rows of the Gram matrix for a problem's places."""
    n = X.shape[0] if x is None else len(x)
    sizes = [_n_active(problem, n) for problem in problems]
    at_once = min(threads, len(problems))
    needs = Needs(
        n=n,
        d=0 if x is None else x.shape[1],
        m=max(sizes),
        n_out=0,
        copied=at_once if min(sizes) < n else 0,
        threads=at_once,
    )
    if x is None:  # the user's matrix is in memory, and twice as large
        alone = len(problems) == 1 and min(sizes) == n and not is_large(n, n)
        if alone and X.dtype == np.float64:
            return lambda places: given_rows(np.asarray(X))
        plan = make_plan(needs, np.inf, remedy="")
        shared = SharedRows(plan, centred(np.asarray(X)))
    else:
        plan = make_plan(
            needs, kernel.megabytes, "raise cache_size, or use a linear learner."
        )
        # In a block a row costs half as much. Many machines share all rows; a single
        # machine needs a fifth to two thirds of them, unless they are few.
        if len(problems) == 1 and not (plan.whole and n <= _ALWAYS_WHOLE):
            return lambda places: _alone(x[places], kernel, 1)
        if is_large(max(sizes), n):  # a problem needs few of its many rows
            return lambda places: _alone(x[places], kernel, at_once)
        shared = SharedRows(
            plan, x=x, kernel=kernel.name, gamma=kernel.gamma, threads=threads
        )

    everywhere = np.arange(n)

    def rows_for(places: np.ndarray) -> AnyRows:
        if shared.matrix is not None and np.array_equal(places, everywhere):
            return Gram(shared.matrix)
        copies = shared.copies(places)
        return shared.part(places) if copies is None else Gram(copies[0])

    return rows_for


def _alone(x: np.ndarray, kernel: KernelSpec, at_once: int) -> AnyRows:
    """Rows over these points for one of ``at_once`` problems that share the memory."""
    room = kernel.megabytes * 2**20 / at_once - 2 * x.nbytes
    capacity = int(min(room // (4 * padded(len(x))), len(x)))
    return store_of(x, kernel.name, gamma=kernel.gamma, capacity=capacity)


def _n_active(problem: Problem, n: int) -> int:
    """An upper bound of the number of distinct rows, of n, that have a box."""
    return min(int(((problem.lower < 0) | (problem.upper > 0)).sum()), n)


def _half_diagonal(X, x, kernel: KernelSpec) -> np.ndarray:
    """``K(x, x) / 2``, or zeros if it is constant; see the distance form."""
    if kernel.name == "precomputed":
        return np.diagonal(np.asarray(X)) / 2
    diagonal = KERNELS[kernel.name].diagonal
    if diagonal is None:
        return np.zeros(len(x))
    return diagonal(kernel.original(x)) / 2

"""Many support vector machines on the same rows, fitted and evaluated together."""

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

# How the memory for kernel values is used: decided before any of it is taken.
#
# Of n points a problem sees m, and it is asked for n_out held-out ones.
#
# 1. Where the Gram matrix (4 n^2 bytes) and the parts that folds copy from it fit into
# the memory, they are taken: nothing is faster.
# 2. Otherwise problems copy single rows from it when they need them, and keep recent
# ones in a quarter of the memory.
# 3. Where the matrix does not fit into the other three quarters, these keep recent
# rows, and rows are computed when they are needed.
#
# Computing a row takes about d times as long as copying it, so that most of the memory
# is for what all problems share. Large problems (see `softcost.solvers.large`) compute
# rows in blocks and keep those that they use again: where the matrix does not fit, they
# have three quarters of the memory. Results are the same to the bit.


_SHARED = 0.75  # share of the memory for rows over all points
_SHARED_BY_LARGE = 0.25  # the same where there are large problems
NUMBER = 4  # bytes of a number in single precision


def row_bytes(n: int) -> int:
    """Bytes of a row over n points."""
    return NUMBER * padded(n)


def copy_bytes(m: int, n_out: int) -> int:
    """Bytes of the matrix among m points, and of these with held-out ones."""
    return m * (row_bytes(m) + row_bytes(n_out))


@dataclass(frozen=True)
class Needs:
    """What kernel values are for.

    Attributes
    ----------
    n, d : int
        Points and their features.
    m, n_out : int
        Points that the largest problem is posed over, and held-out ones.
    copied : int
        How many parts of the matrix are wanted at the same time.
    threads : int
        How many problems are solved at the same time.
    matrices : int
        How many matrices there are at the same time: more than one where folds have
        kernels of their own.
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
    """What is kept.

    Attributes
    ----------
    whole : bool
        Whether the matrix is computed as a whole.
    capacity : int
        Otherwise: how many rows over all points are kept.
    copy_bytes : int
        Memory of a fold for its part of the matrix, copied as a whole; 0 where none is.
    problem_bytes : int
        Memory of a problem that is being solved for values of its own.
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
    """Decide what is kept, or refuse where not even the least fits.

    Parameters
    ----------
    needs : Needs
    megabytes : float
        The memory for all of it, infinite where it does not matter.
    remedy : str
        What to do where that is too little.
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


# Kernel values over distinct points, shared by all problems on them.


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


_ALWAYS_WHOLE = 512  # rows up to which the whole Gram matrix is computed
_BLOCK = 256  # rows predicted at once: their kernel values stay in cache
_MOST_VALUES = 2**24  # kernel values at once, however many vectors there are
_FAR = 8.0  # how many times its range a feature may lie from zero


class Problem(NamedTuple):
    """What one machine is asked for, at C = 1: see `softcost.solvers.smo`."""

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
    """What to take off features that lie far from zero, or None where none does.

    Kernels are functions of differences, and single precision would lose those of
    numbers like 100000.1 and 100000.2. The centre is a round number, so that it does
    not move with every row.
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
    """A kernel with its width, and the memory that its rows may take.

    ``centre`` is taken off dense rows before they become single precision.
    """

    name: str
    gamma: float
    megabytes: float
    centre: np.ndarray | None = None

    def dense(self, X) -> np.ndarray:
        """``X`` as a dense array of single precision, or a clear refusal."""
        if sparse.issparse(X):
            self._check_size(X)
            X = X.astype(np.float32).toarray() if self.centre is None else X.toarray()
        if self.centre is not None:
            X = X - self.centre
        check_single(X)
        return np.ascontiguousarray(X, dtype=np.float32)

    def _check_size(self, X) -> None:
        """Refuse a sparse matrix that is too large when it is dense."""
        needed = X.shape[0] * X.shape[1] * 4 / 2**20
        if needed > self.megabytes:
            raise MemoryError(
                f"X has {X.shape[0]} x {X.shape[1]} entries, which take "
                f"{needed:.0f} MB as a dense array for this kernel, more than "
                f"cache_size={self.megabytes:g}: raise cache_size, reduce the "
                "features (TruncatedSVD), or use a linear learner."
            )

    def original(self, x: np.ndarray) -> np.ndarray:
        """What `dense` was made from, up to rounding."""
        return x.astype(np.float64) + (0.0 if self.centre is None else self.centre)


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
        Of the kernel itself.
    offset : array of shape (n_machines,)
        Of the kernel's distance form, in which outputs are computed.
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
        What the boxes are multiplied by.
    kernel : KernelSpec
        Where the Gram matrix of the distinct rows does not fit into its memory, rows
        are computed when they are needed.
    """
    x: np.ndarray | None = None
    if kernel.name == "precomputed":
        first = group = np.arange(X.shape[0])
    else:
        dense = kernel.dense(X)
        first, group = distinct_rows(dense)
        x = dense[first]
    order = np.argsort(group, kind="stable")
    # All of them before the first is solved: that sweeps everything out of the caches.
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
    # The certificates without the coefficients, which `coef` has.
    solutions = tuple(replace(solution, beta=np.empty(0)) for solution in fitted)
    offset = np.array([solution.intercept for solution in solutions])
    kept = np.flatnonzero(coef.any(axis=1))
    return Machines(
        kernel=kernel,
        support=first[kept],
        vectors=None if x is None else x[kept],
        coef=coef[kept],
        intercept=offset - _half_diagonal(X, x, kernel) @ coef,
        offset=offset,
        solutions=solutions,
    )


def _source_of(
    X, x, problems: Sequence[Problem], kernel: KernelSpec, threads: int
) -> Callable[[np.ndarray], AnyRows]:
    """What gives the rows of the Gram matrix for a problem over some places."""
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
    if x is None:  # a given matrix is in memory, twice as large
        alone = len(problems) == 1 and min(sizes) == n and not is_large(n, n)
        if alone and X.dtype == np.float64:
            return lambda places: given_rows(np.asarray(X))
        plan = make_plan(needs, np.inf, remedy="")
        shared = SharedRows(plan, centred(np.asarray(X)))
    else:
        plan = make_plan(
            needs, kernel.megabytes, "raise cache_size, or use a linear learner."
        )
        # A row costs half in a block. Many machines share all of them; a single one
        # asks for a fifth to two thirds of them, unless they are few.
        if len(problems) == 1 and not (plan.whole and n <= _ALWAYS_WHOLE):
            return lambda places: _alone(x[places], kernel, 1)
        if is_large(max(sizes), n):  # of many rows a problem asks for few
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
    """Rows over these points for one of so many problems that share the memory."""
    room = kernel.megabytes * 2**20 / at_once - 2 * x.nbytes
    capacity = int(min(room // (4 * padded(len(x))), len(x)))
    return store_of(x, kernel.name, gamma=kernel.gamma, capacity=capacity)


def _n_active(problem: Problem, n: int) -> int:
    """At most so many of n distinct rows have a box."""
    return min(int(((problem.lower < 0) | (problem.upper > 0)).sum()), n)


def _half_diagonal(X, x, kernel: KernelSpec) -> np.ndarray:
    """``K(x, x) / 2``, what the distance form takes off, where it varies with x."""
    if kernel.name == "precomputed":
        return np.diagonal(np.asarray(X)) / 2
    diagonal = KERNELS[kernel.name].diagonal
    if diagonal is None:
        return np.zeros(len(x))
    return diagonal(kernel.original(x)) / 2

"""Many support vector machines on the same rows, fitted and evaluated together."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy import sparse

from softcost.parallel import in_threads
from softcost.solvers.kernels import (
    KERNELS,
    LARGEST,
    centred,
    check_single,
    kernel_rows,
    pack,
    padded,
    sum_rows,
)
from softcost.solvers.large import is_large, solve
from softcost.solvers.merge import Merged, distinct_rows, merge
from softcost.solvers.rows import AnyRows, Gram, given_rows, store_of
from softcost.solvers.smo import Solution
from softcost.svm._memory import Needs, make_plan
from softcost.svm._shared import SharedRows

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
        code, gamma = KERNELS[self.kernel.name], self.kernel.gamma
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
    if kernel.name == "linear":
        return (kernel.original(x) ** 2).sum(axis=1) / 2
    return np.zeros(len(x))

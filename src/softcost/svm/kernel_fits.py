"""Kernel machines fitted together on shared kernel values: single fits and paths.

`fit_machines` solves many problems over the same rows. A `KernelPath` solves all
problems of a search. `KernelMachine` imports this module when it is fitted: it needs
numba.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from softcost.learners import PathOutputs, Subproblem, warn_not_converged
from softcost.parallel import available_threads, in_threads
from softcost.solvers.dual_problem import Problem, Solution
from softcost.solvers.duplicates import distinct_rows, merge
from softcost.solvers.kernel_functions import KERNELS, code_of
from softcost.solvers.kernels import centred, kernel_rows, pack, padded, submatrix
from softcost.solvers.large import LARGE, Chain, is_large, working_bytes
from softcost.solvers.path import Family, solve_path
from softcost.solvers.row_store import AnyRows, Gram, Rows, given_rows, store_of
from softcost.svm.machines import KernelSpec, Machines
from softcost.svm.shared_rows import (
    Copies,
    Matrix,
    Needs,
    Plan,
    SharedRows,
    make_plan,
)

_ALWAYS_WHOLE = 512  # rows up to which the whole Gram matrix is computed (1 MB)
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


def fit_machines(
    X: Any,
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

    chains = _chains([group[problem.rows] for problem in merged], len(first))
    threads_each = max(available_threads() // min(threads, len(chains)), 1)

    def fit_chain(members: list[int], proceed) -> list[Solution]:
        chain = Chain(
            source(group[merged[members[0]].rows]),
            total=len(first),
            threads=threads_each,
            proceed=proceed,
        )
        return [
            chain.solve(p.targets, p.lower, p.upper, tol=tol, max_steps=max_steps)
            for p in (merged[number] for number in members)
        ]

    by_chain = in_threads(fit_chain, chains, threads)
    numbers = [number for members in chains for number in members]
    solved = [solution for chain in by_chain for solution in chain]
    fitted = [solved[at] for at in np.argsort(numbers)]
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


def _chains(places: Sequence[np.ndarray], total: int) -> list[list[int]]:
    """Numbers of the problems to solve in a chain: large ones over the same points.

    Others are chains of their own, which may run in threads. The division does not
    depend on the number of threads, so neither do results.
    """
    chains: dict[Any, list[int]] = {}
    for number, points in enumerate(places):
        large = is_large(len(points), total)
        chains.setdefault(points.tobytes() if large else number, []).append(number)
    return list(chains.values())


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
    if len(x) > LARGE:
        # The rest is for the working set and for vectors over all rows, so with the
        # default cache_size a fit of 100,000 rows stays within 1.5 GB.
        room = room / 2 - working_bytes()
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


# Share of rows with a box below which a subproblem gets a matrix of its own: then every
# pass of the solver over its shorter rows saves at least a quarter.
_SEPARATE_MATRIX_BELOW = 0.75


class KernelPath:
    """Kernel values over the distinct rows of a search, from which folds take parts.

    They are computed when the first fold needs them. Rows that are held out together
    are neighbours, so parts are copied in long runs.

    Attributes
    ----------
    groups : array of shape (n,)
        For every row the number of its distinct row.
    n_points : int
        Number of distinct rows.
    n_bytes : int
        Kernel values, the parts that folds copy, and what solvers need.
    """

    machine: Any
    values: NDArray[np.float64]
    softness: NDArray[np.float64]
    distance: float
    groups: Any
    n_points: int
    n_bytes: int

    def __init__(
        self,
        machine: Any,
        X: Any,
        tests: Sequence[NDArray[np.intp]],
        values: NDArray[np.float64],
        softness: NDArray[np.float64],
        threads: int,
    ) -> None:
        self.machine, self.values, self.softness = machine, values, softness
        self._X, self._threads, self._lock = X, threads, Lock()
        self._shared: SharedRows | None = None
        self._spec = machine.kernel_spec(X)
        self.distance = largest_distance(X, self._spec)
        has_gamma = KERNELS[machine.kernel].has_gamma
        self.width_per_fold = has_gamma and machine.gamma == "scale"
        if machine.kernel == "precomputed":
            self.groups = np.arange(X.shape[0])
        else:
            self._distinct, self.groups = self._arranged(X, tests)
        needs = self._needs(tests)
        self.n_points = needs.n
        self._plan = self._planned(needs)
        self.n_bytes = self._plan.n_bytes + threads * self._solver_bytes(needs)

    def _arranged(self, X: Any, tests: Sequence[Any]) -> tuple[Any, Any]:
        """Distinct rows, ordered by fold, and for every row its distinct row."""
        dense = self._spec.dense(X)
        first, member = distinct_rows(dense)
        held_out_in = np.full(len(dense), len(tests))
        for number, test in enumerate(tests):
            held_out_in[test] = number
        order = np.argsort(held_out_in[first], kind="stable")
        return dense[first[order]], np.argsort(order)[member]

    def _needs(self, tests: Sequence[NDArray[np.intp]]) -> Needs:
        groups, n = self.groups, int(self.groups.max()) + 1
        total = np.bincount(groups, minlength=n)
        held_out = [np.bincount(groups[test], minlength=n) for test in tests]
        at_once = min(self._threads, len(tests))
        return Needs(
            n=n,
            d=0 if self._spec.name == "precomputed" else self._X.shape[1],
            m=int(max((out < total).sum() for out in held_out)),
            n_out=int(max((out > 0).sum() for out in held_out)),
            copied=at_once,
            threads=self._threads,
            matrices=at_once if self.width_per_fold else 1,
        )

    def _planned(self, needs: Needs) -> Plan:
        if self.machine.kernel == "precomputed":  # in memory, and twice as large
            return make_plan(needs, np.inf, remedy="")
        return make_plan(
            needs,
            self._spec.megabytes,
            f"raise it, {type(self.machine).__name__}(cache_size=...), search on a "
            "sample of the rows, or use another learner.",
        )

    def _solver_bytes(self, needs: Needs) -> int:
        """Memory of a family while it is solved: problems, solutions, outputs."""
        at_softness = 8 * 8 * needs.m + 4 * needs.m + 4 * len(self.values) * needs.n_out
        return len(self.softness) * at_softness

    def shared(self, train: NDArray[np.intp]) -> SharedRows:
        """Kernel values for machines with these training rows.

        They are shared by all folds, unless the kernel's width depends on the rows.
        """
        if self.width_per_fold:
            return self._computed(self.machine.kernel_spec(self._X[train]).gamma)
        with self._lock:
            if self._shared is None:
                if self.machine.kernel == "precomputed":
                    matrix = centred(np.asarray(self._X))
                    self._shared = SharedRows(self._plan, matrix)
                else:
                    self._shared = self._computed(self._spec.gamma)
            return self._shared

    def _computed(self, gamma: float) -> SharedRows:
        return SharedRows(
            self._plan,
            x=self._distinct,
            kernel=self.machine.kernel,
            gamma=gamma,
            threads=self._threads,
        )

    def fold(
        self, train: NDArray[np.intp], rows: NDArray[np.intp], out: NDArray[np.intp]
    ) -> "KernelFold":
        return KernelFold(self, train, self.groups[rows], self.groups[out])


class KernelFold:
    """The kernel values of one fold, copied when they are needed.

    Parameters
    ----------
    path : KernelPath
    train : array
        All training rows.
    places, out : arrays
        Numbers of the distinct training rows and of the held-out ones.
    """

    def __init__(
        self,
        path: KernelPath,
        train: NDArray[np.intp],
        places: NDArray[np.intp],
        out: NDArray[np.intp],
    ):
        self._path, self._train, self._places, self._out = path, train, places, out
        self._lock = Lock()
        self._opened: tuple[SharedRows, Copies | None] | None = None

    def _open(self) -> tuple[SharedRows, Copies | None]:
        """All kernel values, and a copy of this fold's part if there is room."""
        with self._lock:
            if self._opened is None:
                shared = self._path.shared(self._train)
                self._opened = shared, shared.copies(self._places, self._out)
            return self._opened

    def _rows(self, active: NDArray[np.intp] | None) -> tuple[Rows, Matrix | None]:
        """Rows for a problem over some of the places, and their held-out values."""
        shared, copies = self._open()
        if active is None:
            if copies is not None:
                return Gram(copies.inside), copies.cross
            return shared.part(self._places, self._out), None
        if copies is not None and shared.has_room_for(len(active), len(self._out)):
            inside = submatrix(copies.inside, active, active)
            return Gram(inside), np.ascontiguousarray(copies.cross[active])
        return shared.part(self._places[active], self._out), None

    def solve(
        self,
        subproblem: Subproblem,
        *,
        fitted: bool = False,
        proceed: Callable[[], None] = lambda: None,
    ) -> PathOutputs:
        """Solve a subproblem for all values of C and softness."""
        path = self._path
        family = Family(*path.machine.posed(subproblem))
        check_reach(path.distance, path.values.max(), len(self._train), family)
        has_box = ((family.lower < 0) | (family.upper > 0)).any(
            axis=tuple(range(family.lower.ndim - 1))
        )
        # Rows without a box cost as much per step as others: leave out many of them.
        active = None
        if not fitted and has_box.mean() < _SEPARATE_MATRIX_BELOW:
            active = np.flatnonzero(has_box)
            family = Family(*(part[..., active] for part in family))
        rows, cross = self._rows(active)
        result = solve_path(
            rows,
            cross,
            len(self._out),
            family,
            path.values,
            path.softness,
            total=path.n_points,
            tol=path.machine.tol,
            max_steps=path.machine.max_iter,
            fitted=fitted,
            proceed=proceed,
        )
        warn_not_converged(path.machine, result.converged)
        return PathOutputs(result.outputs, result.fitted)

    def release(self) -> None:
        """Release the memory."""
        opened, self._opened = self._opened, None
        if opened is not None and opened[1] is not None:
            opened[0].give_back(opened[1])

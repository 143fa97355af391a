"""The base class of `KernelSVC` and `OneSidedSVR`, and their paths.

A path solves all problems of a search on shared kernel values.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from numbers import Integral, Real
from threading import Lock
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from softcost.learners import PathOutputs, Subproblem, warn_not_converged
from softcost.learners.sklearn_types import BaseEstimator
from softcost.solvers.duplicates import distinct_rows
from softcost.solvers.kernels import KERNELS, centred, submatrix
from softcost.solvers.path import Family, solve_path
from softcost.solvers.row_store import Gram, Rows
from softcost.svm.machines import (
    Copies,
    KernelSpec,
    Machines,
    Matrix,
    Needs,
    Plan,
    Problem,
    SharedRows,
    centre_of,
    check_reach,
    fit_machines,
    largest_distance,
    make_plan,
)

# Share of rows with a box below which a subproblem gets a matrix of its own: then every
# pass of the solver over its shorter rows saves at least a quarter.
_OWN_MATRIX_BELOW = 0.75


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

    def __init__(
        self,
        machine: Any,
        X: Any,
        tests: Sequence[NDArray[np.intp]],
        values: NDArray[np.float64],
        softness: NDArray[np.float64],
        threads: int,
    ):
        self.machine, self.values, self.softness = machine, values, softness
        self._X, self._threads, self._lock = X, threads, Lock()
        self._shared: SharedRows | None = None
        self._spec = machine.kernel_spec(X)
        self.distance = largest_distance(X, self._spec)
        has_gamma = KERNELS[machine.kernel].has_gamma
        self.own_widths = has_gamma and machine.gamma == "scale"
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
            matrices=at_once if self.own_widths else 1,
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
        if self.own_widths:
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
        if not fitted and has_box.mean() < _OWN_MATRIX_BELOW:
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


class KernelMachine(BaseEstimator):
    """Parameters, kernel and fitted attributes of a kernel machine.

    As a learner it shares work between many subproblems
    (`softcost.learners.SupportsMultiFit`) and between all candidates of a search
    (`softcost.learners.SupportsPath`, along C): all of them use one Gram matrix.
    """

    path_parameter: ClassVar[str] = "C"
    # Grids for a search, by name.
    param_grids: ClassVar[dict[str, dict[str, list[float]]]] = {
        "default": {"C": [2.0**power for power in (-2, 1, 4, 7, 10)]},
        "inverse": {"C": [2.0**power for power in (-10, -7, -4, -1, 2)]},
    }

    _parameter_constraints: ClassVar = {
        "kernel": [StrOptions(set(KERNELS))],
        "C": [Interval(Real, 0, None, closed="neither")],
        "gamma": [
            StrOptions({"scale", "auto"}),
            Interval(Real, 0, None, closed="neither"),
        ],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "cache_size": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, -1, None, closed="left")],
    }

    def __init__(
        self,
        kernel: str = "perceptron",
        C: float = 1.0,
        *,
        gamma: float | str = "scale",
        tol: float = 1e-3,
        cache_size: float = 2000,
        max_iter: int = -1,
    ):
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.tol = tol
        self.cache_size = cache_size
        self.max_iter = max_iter

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.kernel != "precomputed"
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def input_checks(self) -> dict[str, Any]:
        """Arguments of `sklearn.utils.validation.validate_data` for X.

        Returns
        -------
        dict
            Keyword arguments.
        """
        return {
            "accept_sparse": "csr" if self.kernel != "precomputed" else False,
            "dtype": [np.float64, np.float32],
        }

    def _check_square(self, X: Any) -> None:
        if self.kernel == "precomputed" and X.shape[0] != X.shape[1]:
            raise ValueError(
                f"X should be a square kernel matrix for kernel='precomputed', but it "
                f"has shape {X.shape}: pass K(X, X), or choose another kernel."
            )

    def kernel_spec(self, X: Any) -> KernelSpec:
        """The kernel with its width, if it has one, for these rows.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            Training rows; the width may depend on them.

        Returns
        -------
        KernelSpec
            Name, width and memory.
        """
        if self.kernel == "precomputed":
            return KernelSpec(self.kernel, 1.0, self.cache_size)
        if not KERNELS[self.kernel].has_gamma:
            gamma = 1.0
        elif self.gamma == "auto":
            gamma = 1.0 / X.shape[1]
        elif self.gamma == "scale":
            if sparse.issparse(X):
                variance = X.multiply(X).mean() - X.mean() ** 2
            else:
                variance = X.var()
            gamma = 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0
        else:
            gamma = float(self.gamma)
        return KernelSpec(self.kernel, gamma, self.cache_size, centre_of(X))

    def posed(self, subproblem: Subproblem) -> Problem:
        """A subproblem in the form of the solver; an error for unsupported kinds."""
        raise NotImplementedError

    def fit_many(
        self, X: Any, subproblems: Sequence[Subproblem], *, threads: int = 1
    ) -> Machines:
        """Fit one machine to every subproblem over the same rows.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            Checked with `input_checks`.
        subproblems : sequence of Subproblem
            All over the rows of X.
        threads : int, default=1
            Results do not depend on it.

        Returns
        -------
        Machines
            Their outputs are those of all subproblems.
        """
        spec = self.kernel_spec(X)
        problems = [self.posed(subproblem) for subproblem in subproblems]
        distance = largest_distance(X, spec)
        for problem in problems:
            check_reach(distance, float(self.C), X.shape[0], problem)
        machines = fit_machines(
            X,
            problems,
            float(self.C),
            spec,
            tol=self.tol,
            max_steps=self.max_iter,
            threads=threads,
        )
        warn_not_converged(self, np.array([s.converged for s in machines.solutions]))
        return machines

    def open_path(
        self,
        X: Any,
        tests: Sequence[NDArray[np.intp]],
        values: NDArray[np.float64],
        softness: NDArray[np.float64],
        *,
        threads: int = 1,
    ) -> KernelPath:
        """Prepare a search over C and softness, see `softcost.learners.SupportsPath`.

        Parameters
        ----------
        X, tests, values, softness, threads
            As in `softcost.learners.SupportsPath.open_path`.

        Returns
        -------
        Path
            With a method that opens its folds.
        """
        return KernelPath(self, X, tests, values, softness, threads)

    def _fit_weighted(
        self,
        X: Any,
        subproblems: Sequence[Subproblem],
        weight: NDArray[np.float64],
    ) -> Machines:
        """Fit to the rows of positive weight: no other row affects the kernel's width.

        All columns of a kernel matrix are needed to predict, so its rows are kept.
        """
        rows = np.flatnonzero(weight > 0)
        if len(rows) == X.shape[0] or self.kernel == "precomputed":
            return self.fit_many(X, subproblems)
        parts = [subproblem.part(rows) for subproblem in subproblems]
        machines = self.fit_many(X[rows], parts)
        return replace(machines, support=rows[machines.support])

    def _keep(self, machines: Machines) -> None:
        """Store fitted machines under scikit-learn's names."""
        self._machines = machines
        self.support_ = machines.support
        vectors = machines.vectors
        if vectors is not None and machines.kernel.centre is not None:
            vectors = machines.kernel.original(vectors)
        self.support_vectors_ = vectors
        self.dual_coef_ = machines.coef.T
        self.intercept_ = machines.intercept
        self.dual_gap_ = np.array([s.dual_gap for s in machines.solutions])
        self.violation_ = np.array([s.violation for s in machines.solutions])
        self.n_iter_ = np.array([s.steps for s in machines.solutions])
        self.converged_ = np.array([s.converged for s in machines.solutions])

    def _outputs(self, X: Any) -> NDArray[np.float64]:
        """Outputs of all machines, shape (n, n_machines)."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, **self.input_checks())
        return self._machines.outputs(X)

"""The base class of `KernelSVC` and `OneSidedSVR`.

Fits import compiled code, and numba with it; importing an estimator does not.
"""

from collections.abc import Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from softcost._sklearn_types import BaseEstimator
from softcost.learners import Subproblem, warn_not_converged
from softcost.solvers.dual_problem import Problem
from softcost.solvers.kernel_functions import KERNELS
from softcost.svm.machines import KernelSpec, Machines, centre_of

if TYPE_CHECKING:
    from softcost.svm.kernel_fits import KernelPath


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
    support_: NDArray[Any]
    dual_coef_: NDArray[Any]
    intercept_: NDArray[Any]
    dual_gap_: NDArray[Any]
    violation_: NDArray[Any]
    n_iter_: NDArray[Any]
    converged_: NDArray[Any]

    def __init__(
        self,
        kernel: str = "perceptron",
        C: float = 1.0,
        *,
        gamma: float | str = "scale",
        tol: float = 1e-3,
        cache_size: float = 2000,
        max_iter: int = -1,
    ) -> None:
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
        from softcost.svm.kernel_fits import (
            check_reach,
            fit_machines,
            largest_distance,
        )

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
    ) -> "KernelPath":
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
        from softcost.svm.kernel_fits import KernelPath

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

    @property
    def machines_(self) -> Machines:
        """The fitted machines, with kernel, vectors and coefficients."""
        return self._machines

    def _outputs(self, X: Any) -> NDArray[np.float64]:
        """Outputs of all machines, shape (n, n_machines)."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, **self.input_checks())
        return self._machines.outputs(X)

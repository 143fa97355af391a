"""Base class of the linear machines."""

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    check_is_fitted,
    validate_data,
)

from softcost.learners import (
    Labels,
    OneSidedValues,
    Subproblem,
    Values,
    check_sides,
    warn_not_converged,
)
from softcost.linear.features import Rows, Standardised, precision
from softcost.linear.linear_path import (
    LinearMachines,
    LinearPath,
    Settings,
    solve_posed,
)
from softcost.linear.losses import pose

_MAX_COLUMNS = 128  # problems at once, so that their outputs for a block stay in cache


class LinearMachine(BaseEstimator):
    """Parameters and fitted attributes of a machine that is linear in its features.

    As a learner it shares work between many subproblems
    (`softcost.learners.SupportsMultiFit`) and between all candidates of a search
    (`softcost.learners.SupportsBatchedPath`, along C): their coefficients are the
    columns of one matrix, and one step for all of them is a matrix product.
    """

    path_parameter: ClassVar[str] = "C"
    # Default grids for a search, by name.
    param_grids: ClassVar[dict[str, dict[str, list[float]]]] = {
        "default": {"C": [2.0**power for power in (-10, -5, 0, 5)]},
    }
    loss: str = "squared_hinge"
    C: float
    tol: float
    max_iter: int

    _parameter_constraints: ClassVar = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def input_checks(self) -> dict[str, Any]:
        """Arguments of `sklearn.utils.validation.validate_data` for X.

        Returns
        -------
        dict
            Keyword arguments.
        """
        return {"accept_sparse": "csr", "dtype": [np.float64, np.float32]}

    def settings(self) -> Settings:
        """Settings of the solver.

        Returns
        -------
        Settings
            Loss, tolerance and limit on the number of steps.
        """
        return Settings(self.loss == "logistic", self.tol, self.max_iter)

    def check_kind(self, subproblem: Subproblem) -> None:
        """Raise TypeError for a type of subproblem that is not supported.

        Parameters
        ----------
        subproblem : Subproblem
            One of the subproblems to fit.
        """

    def opened(self, X: Any, weight: NDArray[np.float64]) -> tuple[Any, Rows]:
        """The feature space for weighted rows, and the rows in it.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            Rows that passed `input_checks`.
        weight : array of shape (n,)
            Sample weights.

        Returns
        -------
        space, rows : tuple
            The scaling of the features, and the scaled rows.
        """
        space = Standardised.of(X, weight)
        return space, space.rows(X, precision(X.shape, self.tol))

    def fit_many(
        self, X: Any, subproblems: Sequence[Subproblem], *, threads: int = 1
    ) -> LinearMachines:
        """Fit one machine to every subproblem over the same rows, with this C.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            Rows that passed `input_checks`.
        subproblems : sequence of Subproblem
            All over the rows of X.
        threads : int, default=1
            Not used: all machines are fitted at once.

        Returns
        -------
        LinearMachines
            One machine for each subproblem.
        """
        n = X.shape[0]
        return self.fit_kinds(X, subproblems, np.arange(n), np.ones(n))

    def fit_kinds(
        self,
        X: Any,
        subproblems: Sequence[Subproblem],
        kind: NDArray[np.intp],
        weight: NDArray[np.float64],
        *,
        threads: int = 1,
    ) -> LinearMachines:
        """Fit one machine to every subproblem posed over kinds of rows.

        Parameters
        ----------
        X, subproblems, threads
            As for `fit_many`; arrays of subproblems have the shape (n_kinds,).
        kind, weight : arrays of shape (n,)
            The kind of each row, and its factor for the weight of the kind.

        Returns
        -------
        LinearMachines
            One machine for each subproblem.
        """
        self.check_kind(subproblems[0])
        by_kind = np.sum([subproblem.weight for subproblem in subproblems], axis=0)
        space, rows = self.opened(X, by_kind[kind] * weight)
        settings = self.settings()
        logistic = settings.logistic
        posed = pose(subproblems, kind, weight, rows.dtype, logistic=logistic)
        solved = solve_posed(
            rows, space.penalty, [posed], np.array([float(self.C)]), settings
        )
        warn_not_converged(self, solved.certificate <= self.tol)
        return LinearMachines(
            space.model(solved.coef[0]),
            solved.certificate[0],
            solved.gap[0],
            solved.steps[0],
        )

    def open_path(
        self,
        X: Any,
        tests: Sequence[NDArray[np.intp]],
        values: NDArray[np.float64],
        softness: NDArray[np.float64],
        *,
        threads: int = 1,
    ) -> Any:
        """Prepare a search over C and softness, see `softcost.learners.SupportsPath`.

        Parameters
        ----------
        X, tests, values, softness, threads
            As in `softcost.learners.SupportsPath.open_path`.

        Returns
        -------
        Path
            Opens the folds.
        """
        return LinearPath(self, X, tests, values, softness)

    def at_once(self, n_softness: int) -> int:
        """Number of subproblems to solve together.

        Parameters
        ----------
        n_softness : int
            Number of softness values of each subproblem.

        Returns
        -------
        int
            At least 1.
        """
        return max(1, _MAX_COLUMNS // n_softness)

    def _keep(self, machines: LinearMachines) -> None:
        """Set the fitted attributes; `softcost.persistence` calls it by this name."""
        self._machines = machines
        self.certificate_ = machines.certificate
        self.dual_gap_ = machines.gap
        self.n_iter_ = machines.steps
        self.converged_ = machines.certificate <= self.tol

    def _outputs(self, X: Any) -> NDArray[np.float64]:
        """Outputs of all machines, shape (n, n_machines)."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, **self.input_checks())
        return self._machines.outputs(X)

    def _one_sided(
        self, X: Any, y: Any, side: Any, sample_weight: Any
    ) -> tuple[Any, Subproblem]:
        """Check the arguments of a one-sided regressor's ``fit``."""
        X, target = validate_data(self, X, y, y_numeric=True, **self.input_checks())
        target = np.asarray(target, np.float64)
        weight = self._checked_weight(X, sample_weight)
        if side is None:
            return X, Values(target, weight)
        return X, OneSidedValues(target, weight, check_sides(side, len(target)))

    def _one_vs_rest(
        self, X: Any, y: ArrayLike, sample_weight: Any
    ) -> tuple[Any, NDArray[Any], list[Subproblem]]:
        """Check the arguments of a classifier's ``fit``, and pose its subproblems.

        There is one machine for two classes, otherwise one per class.
        """
        X, y = validate_data(self, X, y, **self.input_checks())
        check_classification_targets(y)
        weight = self._checked_weight(X, sample_weight)
        classes, codes = np.unique(y, return_inverse=True)
        if len(np.unique(codes[weight > 0])) < 2:
            raise ValueError(
                f"y has one class only among rows of positive weight: "
                f"{type(self).__name__} needs at least 2 classes."
            )
        machines = range(1, 2) if len(classes) == 2 else range(len(classes))
        problems: list[Subproblem] = [
            Labels(np.where(codes == k, 1.0, -1.0), weight) for k in machines
        ]
        return X, classes, problems

    def _checked_weight(self, X: Any, sample_weight: Any) -> NDArray[np.float64]:
        weight = _check_sample_weight(
            sample_weight, X, dtype=np.float64, ensure_non_negative=True
        )
        if not weight.any():
            raise ValueError(
                "sample_weight is zero for every row: give some row a positive weight."
            )
        return weight

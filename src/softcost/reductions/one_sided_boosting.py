"""Gradient-boosted trees for one-sided regression, with LightGBM."""

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import (
    _check_sample_weight,
    check_is_fitted,
    validate_data,
)

from softcost._sklearn_types import BaseEstimator, RegressorMixin, fit_context
from softcost.learners import check_sides
from softcost.learners.boosted_trees import readable


class OneSidedBoosting(RegressorMixin, BaseEstimator):
    """Gradient-boosted trees for one-sided regression.

    With sides z of +1 (at most y) and -1 (at least y) and weights w, LightGBM minimises

        sum_n w_n max(z_n (r(x_n) - y_n), 0)^2

    with the gradient ``2 w z max(z (r - y), 0)``. In place of the second derivative,
    which is zero for satisfied rows, it gets the upper bound ``2 w``: a leaf of
    satisfied rows then stays at zero instead of dividing zero by zero. Without sides
    the loss is ordinary least squares. Use it as the learner of `OneSidedRegression`.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    learning_rate : float, default=0.1
        Shrinkage of each tree.
    num_leaves : int, default=31
        Maximum number of leaves of a tree.
    min_child_samples : int, default=20
        Minimum number of rows in a leaf.
    reg_lambda : float, default=0.0
        L2 penalty on leaf values. Weights are scaled to mean 1.
    n_jobs : int, default=None
        Number of threads; None means 1. Results do not depend on it.

    Attributes
    ----------
    booster_ : lightgbm.Booster or None
        The trees. Predictions are ``start_ + scale_ *`` its output. None if no feature
        can be split.
    start_ : float
        The best constant, from which boosting starts.
    scale_ : float
        The largest distance of a target from ``start_``.
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)

    See Also
    --------
    OneSidedRegression : The reduction that uses it.
    softcost.svm.OneSidedSVR : A kernel machine for the same problem.

    Notes
    -----
    Missing values (NaN) are supported. Only the order of a feature's values matters,
    not their scale. The fit is deterministic.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softcost import OneSidedBoosting, OneSidedRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> prices = [[0, 1, 5], [1, 0, 5], [9, 9, 0]]
    >>> model = OneSidedRegression(OneSidedBoosting(), cost_matrix=prices)
    >>> model.fit(X, y).predict(X[:3])
    array([0, 0, 0])
    """

    _parameter_constraints: ClassVar = {
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "num_leaves": [Interval(Integral, 2, None, closed="left")],
        "min_child_samples": [Interval(Integral, 1, None, closed="left")],
        "reg_lambda": [Interval(Real, 0, None, closed="left")],
        "n_jobs": [Integral, None],
    }
    # Sides are part of the targets, so metadata routing passes them on by default.
    __metadata_request__fit: ClassVar = {"side": True}
    start_: float
    scale_: float
    booster_: Any

    def __init__(
        self,
        *,
        n_estimators: int = 100,
        learning_rate: float = 0.1,
        num_leaves: int = 31,
        min_child_samples: int = 20,
        reg_lambda: float = 0.0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.num_leaves = num_leaves
        self.min_child_samples = min_child_samples
        self.reg_lambda = reg_lambda
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags

    def _accepts(self):
        return {
            "accept_sparse": "csr",
            "dtype": [np.float64, np.float32],
            "ensure_all_finite": "allow-nan",
        }

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: Any,
        y: Any,
        *,
        side: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Fit to one-sided targets.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            Training rows.
        y : array of shape (n,)
            Targets.
        side : array of shape (n,) of +1 and -1, default=None
            +1 requires a prediction of at most y, -1 of at least y; None for ordinary
            least squares.
        sample_weight : array of shape (n,), default=None
            Sample weights; rows of weight zero are ignored.

        Returns
        -------
        self
        """
        lightgbm = load_lightgbm()
        X, y = validate_data(self, X, y, y_numeric=True, **self._accepts())
        y = y.astype(np.float64)
        weight = _check_sample_weight(
            sample_weight, X, dtype=np.float64, ensure_non_negative=True
        )
        if side is not None:
            side = check_sides(side, len(y))
        if not weight.any():
            raise ValueError(
                "sample_weight is zero for every row: give some row a positive weight."
            )
        positive = weight > 0
        X, y = X[positive], y[positive]
        weight = weight[positive] / weight[positive].mean()
        side = None if side is None else side[positive]
        self.start_ = best_constant(y, side, weight)
        self.scale_ = float(np.abs(y - self.start_).max()) or 1.0
        target = (y - self.start_) / self.scale_

        def objective(raw, _):
            return slopes(raw, target, side, weight), 2.0 * weight

        params = self._lightgbm_params()
        table = lightgbm.Dataset(readable(X), label=target, params=params).construct()
        self.booster_ = None
        if any(table.feature_num_bin(j) > 0 for j in range(X.shape[1])):
            params["objective"] = objective
            self.booster_ = lightgbm.train(params, table, self.n_estimators)
        return self

    def _lightgbm_params(self):
        return {
            "learning_rate": self.learning_rate,
            "num_leaves": self.num_leaves,
            "min_data_in_leaf": self.min_child_samples,
            "min_sum_hessian_in_leaf": 0.0,  # the Hessian is only an upper bound
            "lambda_l2": self.reg_lambda,
            "num_threads": 1 if self.n_jobs is None else self.n_jobs,
            "deterministic": True,
            "force_row_wise": True,
            "seed": 0,
            "verbosity": -1,
        }

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predicted values, shape (n,).

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Rows to predict.

        Returns
        -------
        array of shape (n,)
            Predicted values.
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, **self._accepts())
        if self.booster_ is None:
            return np.full(X.shape[0], self.start_)
        threads = 1 if self.n_jobs is None else self.n_jobs
        raw = self.booster_.predict(readable(X), num_threads=threads)
        return self.start_ + self.scale_ * raw


def load_lightgbm() -> Any:
    """Import LightGBM, or explain what is missing."""
    try:
        import lightgbm
    except (ImportError, OSError) as error:
        raise ImportError(
            f"OneSidedBoosting needs LightGBM, which cannot be imported: {error}. Its "
            "OpenMP runtime may be missing: 'apt install libgomp1' on Debian and "
            "Ubuntu, 'brew install libomp' on macOS."
        ) from error
    return lightgbm


def slopes(r: Any, y: Any, side: Any, weight: Any) -> Any:
    """Derivatives of the one-sided squared loss, or of the squared loss."""
    if side is None:
        return 2.0 * weight * (r - y)
    return 2.0 * weight * side * np.maximum(side * (r - y), 0.0)


def best_constant(y: Any, side: Any, weight: Any) -> float:
    """The constant with the lowest loss; an extreme target if all sides are equal."""
    if side is None:
        return float(np.average(y, weights=weight))
    low, high = float(y.min()), float(y.max())

    def slope(r):
        return slopes(r, y, side, weight).sum()

    if slope(low) >= 0:
        return low
    if slope(high) <= 0:
        return high
    return float(brentq(slope, low, high))

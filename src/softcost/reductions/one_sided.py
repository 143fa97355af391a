"""One-sided regression (Tu and Lin 2010), and plain regression of costs.

Both fit one regressor per class to its cost and predict the class with the lowest
estimate. They differ in the loss: a prediction is right if the estimate of the cheapest
class is low enough and the other estimates are high enough, so errors on the other side
do no harm. One-sided regression does not penalise them.

References
----------
Tu and Lin (2010), "One-sided support vector regression for multiclass cost-sensitive
classification", ICML.
"""

from collections.abc import Iterator
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone, is_regressor
from sklearn.linear_model import Ridge
from sklearn.utils._param_validation import HasMethods, Interval
from sklearn.utils.validation import (
    _check_sample_weight,
    _check_y,
    check_consistent_length,
    check_is_fitted,
    has_fit_parameter,
)

from softcost._sklearn_types import (
    BaseEstimator,
    RegressorMixin,
    available,
    fit_context,
)
from softcost.costs import CostProblem
from softcost.learners import (
    OneSidedValues,
    Subproblem,
    Values,
    fit_rows,
    takes_block_weights,
    takes_weights,
    weight_params,
)
from softcost.reductions.base import FlatReduction, check_rows, documented
from softcost.svm import OneSidedSVR


def _has_partial_fit(wrapper: Any) -> bool:
    return hasattr(wrapper.regressor, "partial_fit")


class ClippedTargetRegressor(RegressorMixin, BaseEstimator):
    """One-sided squared loss for any regressor, by clipping targets.

    It minimises ``sum_n w_n max(z_n (r(x_n) - y_n), 0)^2`` by refitting the regressor
    to targets without loss for satisfied rows:

        t_n = y_n if z_n (r(x_n) - y_n) > 0, otherwise r(x_n)

    This is a majorise-minimise algorithm: ``(r - t)^2`` is an upper bound of the loss
    and touches it at the current r. So the penalised loss never increases for learners
    that minimise penalised least squares exactly (ridge, kernel ridge). For other
    learners the best iterate is kept.

    Parameters
    ----------
    regressor : regressor, default=None
        By default ridge regression.
    n_refits : int, default=10
        Number of fits after the first one.

    Attributes
    ----------
    regressor_ : the fitted regressor
    losses_ : list of float
        Mean one-sided loss after every fit.

    See Also
    --------
    OneSidedRegression : One-sided regression (OSR); one-vs-all (OVA) at softness 1.
    softcost.linear.OneSidedLinear : A linear machine for one-sided values.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.reductions import ClippedTargetRegressor
    >>> X, y = np.arange(6.0)[:, None], np.array([0, 2, 1, 3, 2, 4.0])
    >>> model = ClippedTargetRegressor(n_refits=200).fit(X, y, side=-np.ones(6))
    >>> bool(np.all(model.predict(X) > y - 0.1))
    True
    """

    _parameter_constraints: ClassVar = {
        "regressor": [None, HasMethods(["fit", "predict"])],
        "n_refits": [Interval(Integral, 0, None, closed="left")],
    }
    __metadata_request__fit: ClassVar = {"side": True}
    __metadata_request__partial_fit: ClassVar = {"side": True}
    regressor_: Any

    def __init__(self, regressor: Any = None, *, n_refits: int = 10) -> None:
        self.regressor = regressor
        self.n_refits = n_refits

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = Ridge() if self.regressor is None else self.regressor
        inputs = inner.__sklearn_tags__().input_tags
        tags.input_tags.sparse = inputs.sparse
        tags.input_tags.allow_nan = inputs.allow_nan
        return tags

    def _checked(
        self, X: Any, y: Any, sample_weight: Any, *, reset: bool
    ) -> tuple[Any, NDArray[np.float64], NDArray[np.float64]]:
        """Checked arguments of ``fit``; the regressor checks the values of X."""
        X = check_rows(self, X, reset=reset)
        y = np.asarray(_check_y(y, y_numeric=True, estimator=self), np.float64)
        check_consistent_length(X, y)
        weight = _check_sample_weight(
            sample_weight, np.empty((len(y), 1)), dtype=np.float64
        )
        return X, y, weight

    @fit_context(prefer_skip_nested_validation=False)
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
            +1 requires a prediction of at most y, -1 of at least y; None for an
            ordinary fit.
        sample_weight : array of shape (n,), default=None
            Sample weights; ones by default.

        Returns
        -------
        self
        """
        X, y, weight = self._checked(X, y, sample_weight, reset=True)
        base = Ridge() if self.regressor is None else self.regressor
        if not takes_weights(base) and np.any(weight != weight[0]):
            raise ValueError(
                f"regressor {type(base).__name__} does not support sample weights, but "
                "sample_weight varies. Choose a regressor that does."
            )
        every = np.arange(len(y))

        def fitted(target):
            model = clone(base)
            return fit_rows(model, X, every, target, weight_params(model, weight))

        model = fitted(y)
        self.regressor_ = model
        self.losses_: list[float] = []
        if side is None:
            return self
        side = np.asarray(side, np.float64)
        for step in range(self.n_refits + 1):
            current = model.predict(X)
            violation = np.maximum(side * (current - y), 0.0)
            loss = float(np.average(violation**2, weights=weight))
            if not self.losses_ or loss < min(self.losses_):
                self.regressor_ = model
            self.losses_.append(loss)
            if loss == 0 or step == self.n_refits:
                break
            model = fitted(np.where(violation > 0, y, current))
        return self

    @available(_has_partial_fit)
    def partial_fit(
        self,
        X: Any,
        y: Any,
        *,
        side: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Update the regressor with a block of rows.

        The regressor takes one step towards targets that are clipped at its predictions
        for the block. The first block is also fitted without clipping, since there are
        no predictions before.

        Parameters
        ----------
        X, y, side, sample_weight
            As for `fit`.

        Returns
        -------
        self
            The same estimator.
        """
        first = not hasattr(self, "regressor_")
        X, y, weight = self._checked(X, y, sample_weight, reset=first)
        if first:
            base = Ridge() if self.regressor is None else self.regressor
            self.regressor_, self.losses_ = clone(base), []
        model, params = self.regressor_, {}
        if np.any(weight != 1.0):
            if not takes_block_weights(model):
                raise ValueError(
                    f"regressor {type(model).__name__} does not support sample weights "
                    "in partial_fit. Choose another, such as SGDRegressor()."
                )
            params["sample_weight"] = weight
        if first or side is None:
            model.partial_fit(X, y, **params)
        if side is not None:
            current = model.predict(X)
            violated = np.asarray(side, np.float64) * (current - y) > 0
            model.partial_fit(X, np.where(violated, y, current), **params)
        return self

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
        X = check_rows(self, X, reset=False)
        if not hasattr(self.regressor_, "feature_names_in_") and hasattr(X, "columns"):
            X = np.asarray(X)  # models of earlier versions were fitted to arrays
        return self.regressor_.predict(X)


@documented
class OneSidedRegression(FlatReduction):
    """One-sided regression (OSR); one-vs-all (OVA) at softness 1.

    For each class k a regressor estimates its cost from one side: at most the cost if
    class k is the cheapest, at least the cost otherwise. With ``z = +1`` in the first
    case and -1 in the second, it minimises

        xi_nk = max(z_nk (r_k(x_n) - c_n[k]), 0)

    and the class with the lowest ``r_k(x)`` is predicted. For any regressors, the
    excess cost of a prediction is at most the sum of its xi [1]_.

    The regressors are fitted to ``2 c - 1``. Without costs they are then exactly the
    machines of one-vs-all at the same C, and a score is the negative output.

    Parameters
    ----------
    learner : estimator, default=None
        A one-sided learner, whose ``fit`` accepts ``side``, such as
        `softcost.svm.OneSidedSVR` (the default, with the perceptron kernel) or
        `OneSidedBoosting`. Any other regressor is wrapped in `ClippedTargetRegressor`.
    {common}

    See Also
    --------
    CostSensitiveOneVsOne : One classifier for each pair of classes.
    RegressionOneVsAll : The same with an ordinary, two-sided loss.

    References
    ----------
    .. [1] Tu and Lin (2010), "One-sided support vector regression for multiclass
       cost-sensitive classification", ICML.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softcost import OneSidedRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> prices = [[0, 1, 5], [1, 0, 5], [9, 9, 0]]
    >>> model = OneSidedRegression(cost_matrix=prices, softness=0.5).fit(X, y)
    >>> model.predict(X[:3])
    array([0, 0, 0])
    """

    def default_learner(self) -> Any:
        return OneSidedSVR()

    def working_learner(self) -> Any:
        learner = self.chosen_learner()
        if has_fit_parameter(learner, "side"):
            return learner
        if is_regressor(learner):
            return ClippedTargetRegressor(learner)
        raise TypeError(
            f"learner {type(learner).__name__} is not a regressor: "
            "OneSidedRegression needs one, or a one-sided learner such as OneSidedSVR."
        )

    def subproblems(self, problem: CostProblem) -> Iterator[Subproblem]:
        side = np.where(problem.costs == 0, 1.0, -1.0)
        for k in range(problem.n_actions):
            target = 2 * problem.costs[:, k] - 1
            yield OneSidedValues(target, problem.weight, side[:, k])

    def n_subproblems(self, n_actions: int) -> int:
        return n_actions

    def combine(
        self, outputs: NDArray[np.float64], n_actions: int
    ) -> NDArray[np.float64]:
        return -outputs


@documented
class RegressionOneVsAll(FlatReduction):
    """Plain regression of the costs (CSOVR), one regressor for each class.

    Each ``r_k`` is fitted to ``c_n[k]``, and the class with the lowest ``r_k(x)`` is
    predicted. With a linear learner it is often far worse than at softness 1. Compare
    it with softness 1 and with other reductions.

    Parameters
    ----------
    learner : regressor, default=None
        By default ridge regression.
    {common}

    See Also
    --------
    OneSidedRegression : Uses a one-sided loss, which is often better.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> from softcost import RegressionOneVsAll
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestRegressor(n_estimators=10, random_state=0)
    >>> prices = [[0, 1, 5], [1, 0, 5], [9, 9, 0]]
    >>> model = RegressionOneVsAll(forest, cost_matrix=prices)
    >>> model.fit(X, y).predict(X[:3])
    array([0, 0, 0])
    """

    learner_kind: ClassVar[str] = "regressor"

    def default_learner(self) -> Any:
        return Ridge()

    def subproblems(self, problem: CostProblem) -> Iterator[Subproblem]:
        for k in range(problem.n_actions):
            yield Values(problem.costs[:, k], problem.weight)

    def n_subproblems(self, n_actions: int) -> int:
        return n_actions

    def combine(
        self, outputs: NDArray[np.float64], n_actions: int
    ) -> NDArray[np.float64]:
        return -outputs

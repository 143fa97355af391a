"""One-vs-all reductions to regression: one-sided and plain."""

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor
from sklearn.linear_model import Ridge
from sklearn.utils.validation import has_fit_parameter

from softcost.costs import CostProblem
from softcost.learners import OneSidedValues, Subproblem, Values
from softcost.reductions._clipped import ClippedTargetRegressor
from softcost.reductions._docs import documented
from softcost.reductions._flat import FlatReduction
from softcost.svm import OneSidedSVR


@documented
class OneSidedRegression(FlatReduction):
    """One-sided regression (OSR); one-vs-all (OVA) at softness 1.

    For each class k a regressor learns its cost from one side: at most the cost where
    class k is the cheapest, at least the cost elsewhere. With ``z = +1`` for the
    former and -1 for the latter it makes

        xi_nk = max(z_nk (r_k(x_n) - c_n[k]), 0)

    small, and the class with the least ``r_k(x)`` is predicted. Whatever the
    regressors, the excess cost of a prediction is at most the sum of its xi.

    The regressors are fitted to ``2 c - 1``, so that without costs the machines are
    exactly those of one-vs-all at the same C, and a score is minus the output.

    Parameters
    ----------
    learner : estimator, default=None
        A one-sided learner, whose ``fit`` takes ``side``, such as
        `softcost.svm.OneSidedSVR` (the default, with the perceptron kernel) or
        `OneSidedBoosting`; any other regressor is wrapped in
        `ClippedTargetRegressor`.
    {common}

    See Also
    --------
    CostSensitiveOneVsOne : One classifier for each pair of classes.
    RegressionOneVsAll : The same without sides.

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

    Each ``r_k`` is fitted to ``c_n[k]``, and the class with the least ``r_k(x)`` is
    predicted. With a linear learner it is often far worse than its regular sibling:
    compare with softness 1 and with other reductions.

    Parameters
    ----------
    learner : regressor, default=None
        By default ridge regression.
    {common}

    See Also
    --------
    OneSidedRegression : Costs learnt from one side, which is often better.

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

"""Minimum expected cost: probabilities first, prices afterwards."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import _num_samples

from softcost.costs import (
    CostProblem,
    RowCosts,
    check_softness,
    class_indices,
    softened,
)
from softcost.learners import draw_seeds
from softcost.reductions._docs import documented
from softcost.reductions._multiclass import (
    ProbabilityReduction,
    class_probabilities,
    fit_classes,
    is_prefitted,
)


@documented
class MinimumExpectedCost(ProbabilityReduction):
    """The class of least expected cost; the most probable class at softness 1.

    From the probabilities p of a classifier,

        g(x) = argmin_k sum_y p(y | x) C[y, k]

    For two classes this is Elkan's rule: predict 1 where p(1 | x) exceeds
    ``a / (a + b)``, with ``a = C[0, 1] - C[0, 0]`` and ``b = C[1, 0] - C[1, 1]``.

    Training does not look at prices, so ``softness`` may change afterwards: set
    ``model.softness = 0.3`` and predict, without another fit. How good the decisions
    are depends on how well the probabilities are calibrated.

    Parameters
    ----------
    learner : classifier, default=None
        One with ``predict_proba``; by default logistic regression on standardised
        features. Wrap others in `sklearn.calibration.CalibratedClassifierCV`, and one
        that is fitted already in `sklearn.frozen.FrozenEstimator`.
    {common}

    Attributes
    ----------
    estimator_ : the classifier, fitted to numbers of classes
    cost_matrix_ : array of shape (K, K)
        Prices by true and predicted class, in the user's units. Where costs were
        given by example it is their mean for each true class, since those of new
        examples are unknown; zero for a class without examples.
    {attributes}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softcost import MinimumExpectedCost
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MinimumExpectedCost(cost_matrix=[[0, 1, 5], [1, 0, 5], [9, 9, 0]])
    >>> model.fit(X, y).predict(X[72:73])
    array([2])
    >>> model.softness = 1.0
    >>> model.predict(X[72:73])
    array([1])
    """

    softness_at_predict: ClassVar[bool] = True

    def _learn_costs(self, rows: RowCosts) -> None:
        self._error_matrix = rows.error_matrix
        by_class = rows.matrix
        if by_class is None:
            by_class = rows.class_means(rows.costs)
        self._matrix = by_class
        right = rows.class_means(rows.in_users_units.min(axis=1, keepdims=True))
        self.cost_matrix_ = rows.scale * by_class + right

    def _fit(self, X: Any, problem: CostProblem) -> None:
        learner = self.working_learner()
        if not hasattr(learner, "predict_proba"):
            raise TypeError(
                f"learner {type(learner).__name__} has no predict_proba, which "
                "MinimumExpectedCost needs: wrap it, CalibratedClassifierCV(learner), "
                "or choose another."
            )
        self._columns: NDArray[np.intp] | None = None
        if is_prefitted(learner):  # to the user's labels, not to numbers of classes
            self.estimator_ = learner
            known = learner.classes_
            self._columns = class_indices(known, self.classes_, argument="learner")
            return
        (seed,) = draw_seeds(self._rng(), 1)
        every = np.arange(len(problem.y))
        self.estimator_ = fit_classes(
            learner, X, every, problem.y, problem.weight, seed
        )

    def _probabilities(self, X: Any) -> NDArray[np.float64]:
        return class_probabilities(
            self.estimator_, X, len(self.classes_), self._columns
        )

    def _decide(self, X: Any) -> NDArray[np.float64]:
        """Minus the expected soft cost."""
        softness = check_softness(self.softness)
        matrix = softened(self._matrix, self._error_matrix, softness)
        return -expected_costs(self._probabilities(X), matrix)

    def decide_each(self, X: Any, softness: Sequence[float]) -> NDArray[np.intp]:
        """Numbers of the predicted classes at each softness, shape (n_softness, n).

        For rows that have been checked; probabilities are asked for once.
        """
        if len(self.classes_) == 1:
            return np.zeros((len(softness), _num_samples(X)), np.intp)
        probabilities = self._probabilities(X)
        matrices = [softened(self._matrix, self._error_matrix, a) for a in softness]
        return np.array(
            [(-expected_costs(probabilities, one)).argmax(axis=1) for one in matrices]
        )

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The learner's probabilities, whatever the prices.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)

        Returns
        -------
        array of shape (n, K)
        """
        X = self._check_rows(X)
        if len(self.classes_) == 1:
            return np.ones((_num_samples(X), 1))
        return self._probabilities(X)

    def expected_costs(self, X: Any) -> NDArray[np.float64]:
        """What predicting each class is expected to cost, in the user's units.

        Softness is left out: these are the prices themselves.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)

        Returns
        -------
        array of shape (n, K)
        """
        return expected_costs(self.predict_proba(X), self.cost_matrix_)


def expected_costs(
    probabilities: NDArray[np.float64], matrix: NDArray[np.float64]
) -> NDArray[np.float64]:
    """``sum_y p(y | x) C[y, k]``, shape (n, K).

    Examples
    --------
    >>> expected_costs(np.array([[0.25, 0.75]]), np.array([[0.0, 4.0], [8.0, 0.0]]))
    array([[6., 1.]])
    """
    return probabilities @ matrix

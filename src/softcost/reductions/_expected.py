"""Minimum expected cost: probabilities first, prices afterwards."""

from typing import ClassVar

import numpy as np
from sklearn.utils.validation import _num_samples, check_is_fitted

from softcost.costs import check_softness, raw_cost_vectors
from softcost.reductions._docs import documented
from softcost.reductions._multiclass import (
    ProbabilityReduction,
    class_probabilities,
    fit_classes,
)
from softcost.reductions.learners import draw_seeds


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
        features. Wrap others in `sklearn.calibration.CalibratedClassifierCV`.
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

    def _enter(self, X, y, costs, sample_weight):
        X, prices = super()._enter(X, y, costs, sample_weight)
        n_classes = len(prices.classes)
        self._error_matrix = prices.error_weight[:, None] * (1.0 - np.eye(n_classes))
        by_class = prices.matrix
        if by_class is None:
            by_class = class_means(prices.costs, prices)
        self._matrix = by_class
        labels = prices.classes[prices.y]
        raw = raw_cost_vectors(
            labels, cost_matrix=self.cost_matrix, costs=costs, classes=self.classes
        )
        right = class_means(raw.min(axis=1, keepdims=True), prices)
        self.cost_matrix_ = prices.scale * by_class + right
        return X, prices

    def _fit(self, X, task):
        learner = self._learner()
        if not hasattr(learner, "predict_proba"):
            raise TypeError(
                f"learner {type(learner).__name__} has no predict_proba, which "
                "MinimumExpectedCost needs: wrap it, CalibratedClassifierCV(learner), "
                "or choose another."
            )
        (seed,) = draw_seeds(self._rng(), 1)
        every = np.arange(len(task.y))
        self.estimator_ = fit_classes(learner, X, every, task.y, task.weight, seed)

    def _probabilities(self, X):
        return class_probabilities(self.estimator_, X, len(self.classes_))

    def _decide(self, X):
        """Minus the expected soft cost."""
        softness = check_softness(self.softness)
        matrix = (1.0 - softness) * self._matrix + softness * self._error_matrix
        return -expected_costs(self._probabilities(X), matrix)

    def predict_proba(self, X):
        """The learner's probabilities, whatever the prices.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)

        Returns
        -------
        array of shape (n, K)
        """
        check_is_fitted(self, "classes_")
        X = self._check_X(X, reset=False)
        if len(self.classes_) == 1:
            return np.ones((_num_samples(X), 1))
        return self._probabilities(X)

    def expected_costs(self, X):
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


def expected_costs(probabilities, matrix):
    """``sum_y p(y | x) C[y, k]``, shape (n, K).

    Examples
    --------
    >>> expected_costs(np.array([[0.25, 0.75]]), np.array([[0.0, 4.0], [8.0, 0.0]]))
    array([[6., 1.]])
    """
    return probabilities @ matrix


def class_means(values, prices):
    """Weighted means of rows by true class; zero for a class without rows.

    Parameters
    ----------
    values : array of shape (n, m)
    prices : Prices

    Returns
    -------
    array of shape (K, m)
    """
    weights = np.zeros((len(prices.classes), len(values)))
    weights[prices.y, np.arange(len(values))] = prices.weight
    totals = weights.sum(axis=1, keepdims=True)
    return (weights @ values) / np.where(totals > 0, totals, 1.0)

"""The checks of `softcost.testing` notice an estimator that ignores costs."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from softcost.testing import check_cost_estimator, cost_estimator_checks


def test_there_are_many_checks():
    assert len(cost_estimator_checks()) >= 30
    assert len(cost_estimator_checks(example_costs=False)) >= 30
    names = [check.__name__ for check in cost_estimator_checks()]
    assert len(set(names)) == len(names)
    assert all(name.startswith("check_") for name in names)


class Careless(ClassifierMixin, BaseEstimator):
    """A nearest-mean classifier that ignores all costs."""

    def __init__(self, cost_matrix=None, classes=None, softness=0.0):
        self.cost_matrix = cost_matrix
        self.classes = classes
        self.softness = softness

    def fit(self, X, y, *, costs=None, sample_weight=None):
        self.classes_ = np.unique(y)
        self.means_ = np.array([X[y == label].mean(axis=0) for label in self.classes_])
        return self

    def decision_function(self, X):
        return -((X[:, None] - self.means_) ** 2).sum(axis=2)

    def predict(self, X):
        return self.classes_[self.decision_function(X).argmax(axis=1)]


def test_an_estimator_that_ignores_costs_fails():
    with pytest.raises((AssertionError, TypeError)):
        check_cost_estimator(Careless())


@pytest.mark.parametrize(
    "check",
    [
        check
        for check in cost_estimator_checks()
        if "refused" in check.__name__
        or "matters" in check.__name__
        or "decide" in check.__name__
        or "score_is" in check.__name__
    ],
)
def test_checks_of_costs_notice_an_estimator_that_ignores_them(check):
    with pytest.raises((AssertionError, TypeError)):
        check(Careless())

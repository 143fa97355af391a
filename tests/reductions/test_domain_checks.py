"""Our own checks of prices, for every public reduction."""

from unittest import SkipTest

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression, Ridge

from softcost.reductions import CATALOGUE
from softcost.testing import check_cost_estimator, cost_estimator_checks

# A learner besides the default one, by what a reduction needs; the ones that are None
# have a default that no other adds to.
OTHER_LEARNER = {
    "classifier": LogisticRegression(),
    "probabilities": LogisticRegression(),
    "one-sided": Ridge(),
    "regressor": None,
}
# As many learners as a check needs, where the default is many.
FEW = {"metacost": {"n_resamples": 10}, "gbse": {"n_rounds": 10}}


def cases():
    for name, entry in CATALOGUE.items():
        other = None if name == "gbse" else OTHER_LEARNER[entry.needs]
        for learner in (None, other) if other else (None,):
            estimator = entry.load()(learner, **FEW.get(name, {}))
            what = type(learner).__name__ if learner else "default"
            for check in cost_estimator_checks(
                example_costs=not entry.by_class_only, actions=estimator.takes_actions
            ):
                case_id = f"{entry.class_name}-{what}-{check.__name__}"
                yield pytest.param(estimator, check, id=case_id)


@pytest.mark.parametrize(("estimator", "check"), list(cases()))
def test_prices(estimator, check):
    try:
        check(estimator)
    except SkipTest as reason:
        pytest.skip(str(reason))


def test_there_are_many_checks():
    assert len(cost_estimator_checks()) >= 30
    assert len(cost_estimator_checks(example_costs=False)) >= 30
    names = [check.__name__ for check in cost_estimator_checks()]
    assert len(set(names)) == len(names)
    assert all(name.startswith("check_") for name in names)


class Careless(ClassifierMixin, BaseEstimator):
    """Looks at labels only: a nearest-mean classifier that ignores every price."""

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


def test_an_estimator_that_ignores_prices_fails():
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
def test_checks_of_prices_catch_one_that_ignores_them(check):
    with pytest.raises((AssertionError, TypeError)):
        check(Careless())

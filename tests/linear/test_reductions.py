"""Reductions with these learners keep to scikit-learn's conventions and to ours."""

from unittest import SkipTest

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from softcost import (
    CostSensitiveOneVsOne,
    FilterTree,
    LinearClassifier,
    NystroemClassifier,
    OneSidedLinear,
    OneSidedNystroem,
    OneSidedRegression,
    RegressionOneVsAll,
    SoftCostClassifierCV,
    WeightedAllPairs,
    ZhouLiuRescaling,
)
from softcost.testing import cost_estimator_checks

ESTIMATORS = [
    OneSidedRegression(OneSidedLinear()),
    OneSidedRegression(OneSidedNystroem()),
    CostSensitiveOneVsOne(LinearClassifier()),
    CostSensitiveOneVsOne(NystroemClassifier()),
    WeightedAllPairs(LinearClassifier(loss="logistic")),
    FilterTree(LinearClassifier()),
    ZhouLiuRescaling(LinearClassifier()),
    RegressionOneVsAll(OneSidedLinear()),
]
SEARCH = SoftCostClassifierCV(
    OneSidedRegression(OneSidedLinear()), softness=3, param_grid={"C": [0.1, 1]}, cv=3
)


@parametrize_with_checks([*ESTIMATORS[:4], SEARCH])
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


def cases():
    for estimator in ESTIMATORS:
        by_class = isinstance(estimator, ZhouLiuRescaling)
        for check in cost_estimator_checks(
            example_costs=not by_class, actions=estimator.takes_actions
        ):
            name = f"{type(estimator).__name__}-{estimator.learner}-{check.__name__}"
            yield pytest.param(estimator, check, id=name)


@pytest.mark.parametrize(("estimator", "check"), list(cases()))
def test_prices(estimator, check):
    try:
        check(estimator)
    except SkipTest as reason:
        pytest.skip(str(reason))

"""Attributes and arguments that scikit-learn's users expect of an estimator."""

import logging

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import LogisticRegression, Ridge, SGDClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from softcost import (
    CostSensitiveOneVsOne,
    MinimumExpectedCost,
    OneSidedRegression,
    RegressionOneVsAll,
    SoftCostClassifierCV,
)

X, Y = load_iris(return_X_y=True)
PRICES = np.array([[0, 1, 5], [1, 0, 5], [9, 9, 0]])
LOGISTIC = LogisticRegression(max_iter=1000)


def searched(reduction):
    return SoftCostClassifierCV(reduction, cost_matrix=PRICES, softness=2, cv=2)


@pytest.mark.parametrize("make", [lambda model: model, searched])
def test_log_probabilities(make):
    model = make(MinimumExpectedCost(LOGISTIC)).fit(X, Y)
    expected = np.log(model.predict_proba(X))
    np.testing.assert_allclose(model.predict_log_proba(X), expected)
    assert not hasattr(make(OneSidedRegression(Ridge())), "predict_log_proba")


@pytest.mark.parametrize("make", [lambda model: model, searched])
def test_coefficients_are_those_of_the_learners(make):
    model = make(MinimumExpectedCost(LOGISTIC)).fit(X, Y)
    reduction = getattr(model, "best_estimator_", model)
    np.testing.assert_array_equal(model.coef_, reduction.estimators_[0].coef_)
    pairs = make(CostSensitiveOneVsOne(LOGISTIC)).fit(X, Y)
    assert pairs.coef_.shape == (3, 4)
    selector = SelectFromModel(pairs, prefit=True, max_features=2, threshold=-np.inf)
    kept = np.argsort(-np.abs(pairs.coef_).sum(axis=0))[:2]
    np.testing.assert_array_equal(np.flatnonzero(selector.get_support()), np.sort(kept))


@pytest.mark.parametrize("make", [lambda model: model, searched])
def test_importances_are_means_over_the_learners(make):
    forest = RandomForestClassifier(5, random_state=0)
    model = make(CostSensitiveOneVsOne(forest)).fit(X, Y)
    learners = getattr(model, "best_estimator_", model).estimators_
    expected = np.mean([learner.feature_importances_ for learner in learners], axis=0)
    np.testing.assert_allclose(model.feature_importances_, expected)
    assert not hasattr(model, "coef_")


def test_models_without_coefficients_of_the_columns_have_none():
    learners = [
        KNeighborsClassifier(),
        make_pipeline(PolynomialFeatures(), LogisticRegression(max_iter=5000)),
    ]
    for learner in learners:
        model = MinimumExpectedCost(learner)
        assert not hasattr(model, "coef_")
        assert not hasattr(model.fit(X, Y), "coef_")
    assert not hasattr(SoftCostClassifierCV(), "feature_importances_")


@pytest.mark.parametrize("make", [lambda model: model, searched])
def test_weights_may_be_positional(make):
    weight = np.random.default_rng(0).uniform(0.5, 2, len(Y))
    model = make(MinimumExpectedCost(LOGISTIC))
    named = model.fit(X, Y, sample_weight=weight).score(X, Y, sample_weight=weight)
    assert model.fit(X, Y, weight).score(X, Y, weight) == named


def test_classes_and_weights_of_a_block_may_be_positional():
    weight = np.random.default_rng(0).uniform(0.5, 2, len(Y))
    named, positional = (
        CostSensitiveOneVsOne(SGDClassifier(random_state=0)) for _ in range(2)
    )
    named.partial_fit(X, Y, classes=[0, 1, 2], sample_weight=weight)
    positional.partial_fit(X, Y, [0, 1, 2], weight)
    np.testing.assert_array_equal(named.coef_, positional.coef_)


def test_the_logger_reports_size_and_choice(caplog):
    with caplog.at_level(logging.INFO, logger="softcost.search"):
        searched(RegressionOneVsAll(Ridge())).fit(X, Y)
    texts = [record.getMessage() for record in caplog.records]
    assert "10 candidates on 2 folds of 150 rows" in texts[0]
    assert "chose candidate" in texts[-1]

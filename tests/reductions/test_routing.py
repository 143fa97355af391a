"""Costs by example on their way through scikit-learn's searches and pipelines."""

import numpy as np
import pytest
import sklearn
from sklearn import config_context
from sklearn.ensemble import BaggingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.fixes import parse_version

from softcost import CostSensitiveOneVsOne
from softcost.metrics import cost_scorer

GRID = {"model__softness": [0.0, 1.0]}


@pytest.fixture
def claims():
    """Rows of class 1 are rare and dear: the hard model is cheaper, the soft one right.

    What a missed row of class 1 costs is known by example only.
    """
    rng = np.random.default_rng(0)
    y = rng.choice(3, size=240, p=[0.6, 0.2, 0.2])
    X = np.c_[1.5 * y, y % 2] + rng.normal(size=(240, 2))
    costs = 1.0 - np.eye(3)[y]
    costs[y == 1] *= rng.uniform(10, 30, (np.sum(y == 1), 1))
    return X, y, costs


@pytest.fixture
def pipeline():
    model = CostSensitiveOneVsOne(LogisticRegression())
    return Pipeline([("scale", StandardScaler()), ("model", model)])


def test_a_search_chooses_by_cost(claims, pipeline):
    X, y, costs = claims
    with config_context(enable_metadata_routing=True):
        by_cost = GridSearchCV(
            pipeline, GRID, scoring=cost_scorer(), error_score="raise"
        )
        by_cost.fit(X, y, costs=costs)
        by_accuracy = GridSearchCV(pipeline, GRID, scoring="accuracy")
        by_accuracy.fit(X, y, costs=costs)
    assert by_cost.best_params_ == {"model__softness": 0.0}
    assert by_accuracy.best_params_ == {"model__softness": 1.0}


def test_a_search_chooses_by_cost_without_being_told(claims, pipeline):
    X, y, costs = claims
    with config_context(enable_metadata_routing=True):
        search = GridSearchCV(pipeline, GRID, error_score="raise")
        if parse_version(sklearn.__version__) < parse_version("1.8"):
            # Before, metadata did not reach a pipeline's own score: then it refuses.
            with pytest.raises(ValueError, match="costs is missing"):
                search.fit(X, y, costs=costs)
            return
        search.fit(X, y, costs=costs)
        found = search.score(X, y, costs=costs)
        scorer = GridSearchCV(pipeline, GRID, scoring=cost_scorer())
        scorer.fit(X, y, costs=costs)
    assert search.best_params_ == {"model__softness": 0.0}
    for name in ("mean_test_score", "split0_test_score"):
        np.testing.assert_allclose(search.cv_results_[name], scorer.cv_results_[name])
    paid = costs[np.arange(len(y)), search.predict(X)]
    assert found == pytest.approx(-paid.mean())


def test_without_routing_a_search_refuses(claims, pipeline):
    X, y, costs = claims
    search = GridSearchCV(pipeline, GRID, error_score="raise")
    with pytest.raises(ValueError, match=r"costs is missing.*metadata routing"):
        search.fit(X, y, model__costs=costs)


@pytest.mark.filterwarnings("ignore:One or more of the test scores")
def test_without_routing_a_search_that_goes_on_warns_and_has_no_scores(
    claims, pipeline
):
    X, y, costs = claims
    search = GridSearchCV(pipeline, GRID)
    with pytest.warns(UserWarning, match="costs is missing"):
        search.fit(X, y, model__costs=costs)
    assert np.isnan(search.cv_results_["mean_test_score"]).all()


def test_without_routing_cross_validation_refuses(claims):
    X, y, costs = claims
    model = CostSensitiveOneVsOne(LogisticRegression())
    with pytest.raises(ValueError, match="costs is missing"):
        cross_validate(model, X, y, params={"costs": costs}, error_score="raise")


def test_a_matrix_needs_no_routing(claims):
    X, y, _ = claims
    prices = np.where(np.eye(3), 0, [[1], [20], [1]])
    model = CostSensitiveOneVsOne(LogisticRegression(), cost_matrix=prices)
    search = GridSearchCV(model, {"softness": [0.0, 1.0]}, error_score="raise")
    assert search.fit(X, y).best_params_ == {"softness": 0.0}
    by_scorer = GridSearchCV(
        model,
        {"softness": [0.0, 1.0]},
        scoring=cost_scorer(prices),
        error_score="raise",
    ).fit(X, y)
    np.testing.assert_allclose(
        search.cv_results_["mean_test_score"], by_scorer.cv_results_["mean_test_score"]
    )


def test_nothing_has_to_be_requested(claims):
    """Costs and sample weights go together, to fit and to score."""
    X, y, costs = claims
    weight = np.linspace(0.1, 1, len(y))
    folds = [(np.arange(0, 160), np.arange(160, 240))]
    model = CostSensitiveOneVsOne(LogisticRegression())
    with config_context(enable_metadata_routing=True):
        params = {"costs": costs, "sample_weight": weight}
        found = cross_validate(model, X, y, cv=folds, params=params)["test_score"]
    train, test = folds[0]
    model.fit(X[train], y[train], costs=costs[train], sample_weight=weight[train])
    paid = costs[test, model.predict(X[test])]
    assert found[0] == pytest.approx(-np.average(paid, weights=weight[test]))


def test_bagging_keeps_costs_with_their_rows(claims):
    """Each member is what it would be on its own rows with their own costs."""
    X, y, costs = claims
    model = CostSensitiveOneVsOne(LogisticRegression(), classes=range(3))
    with config_context(enable_metadata_routing=True):
        bag = BaggingClassifier(model, n_estimators=3, random_state=0)
        bag.fit(X, y, costs=costs)
    for member, rows in zip(bag.estimators_, bag.estimators_samples_, strict=True):
        own = CostSensitiveOneVsOne(LogisticRegression(), classes=range(3))
        own.fit(X[rows], y[rows], costs=costs[rows])
        assert np.mean(member.predict(X) == own.predict(X)) > 0.99

"""What learners are given: weights by the right names, seeds, nothing else."""

import numpy as np
import pytest
import sklearn
from sklearn.datasets import load_iris
from sklearn.ensemble import VotingClassifier
from sklearn.linear_model import LogisticRegression, Ridge, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, StandardScaler

from softcost import CostSensitiveOneVsOne, RegressionOneVsAll
from softcost.learners import seeded_clone, takes_weights, weight_params

PRICES = [[0, 1, 5], [2, 0, 5], [9, 7, 0]]


def test_in_pipelines_a_weighted_row_counts_as_often_as_a_repeated_one():
    X, y = load_iris(return_X_y=True)
    times = np.random.RandomState(0).randint(0, 4, len(y))
    learner = make_pipeline(StandardScaler(), LogisticRegression(tol=1e-8))
    model = CostSensitiveOneVsOne(learner, cost_matrix=PRICES)
    scores = model.fit(X, y, sample_weight=times).solutions_.outputs(X)
    model.fit(X.repeat(times, axis=0), y.repeat(times))
    np.testing.assert_allclose(
        model.solutions_.outputs(X), scores, rtol=1e-4, atol=1e-5
    )


def test_pipelines_get_the_same_weights_with_metadata_routing():
    X, y = load_iris(return_X_y=True)
    bins = KBinsDiscretizer(strategy="uniform")  # has sample_weight, but refuses it
    learner = make_pipeline(StandardScaler(), bins, "passthrough", LogisticRegression())
    model = CostSensitiveOneVsOne(learner, cost_matrix=PRICES)
    without = model.fit(X, y).solutions_.outputs(X)
    with sklearn.config_context(enable_metadata_routing=True):
        np.testing.assert_array_equal(model.fit(X, y).solutions_.outputs(X), without)


def test_weights_that_vary_need_a_learner_that_takes_them():
    learner = make_pipeline(StandardScaler(), KNeighborsClassifier())
    assert not takes_weights(learner)
    assert weight_params(learner, np.ones(3)) == {}
    with pytest.raises(
        ValueError, match=r"Pipeline does not support sample weights.*Wrap"
    ):
        weight_params(learner, np.array([1.0, 2.0]))


def test_a_seed_reaches_inner_random_states():
    learner = make_pipeline(StandardScaler(), SGDClassifier(random_state=5))
    assert seeded_clone(learner, 3)[-1].random_state == 3
    assert seeded_clone(learner)[-1].random_state == 5
    assert learner[-1].random_state == 5


def weighted_scores(learner, X, y, times):
    model = CostSensitiveOneVsOne(learner)
    scores = model.fit(X, y, sample_weight=times).decision_function(X)
    repeated = model.fit(X.repeat(times, axis=0), y.repeat(times))
    return scores, repeated.decision_function(X)


@pytest.mark.parametrize("routing", [False, True])
@pytest.mark.parametrize(
    "make",
    [
        OneVsRestClassifier,
        OneVsOneClassifier,
        lambda inner: VotingClassifier([("a", inner)], voting="soft"),
        lambda inner: GridSearchCV(inner, {}, cv=2),
        lambda inner: make_pipeline(StandardScaler(), OneVsRestClassifier(inner)),
        lambda inner: make_pipeline(StandardScaler(), GridSearchCV(inner, {}, cv=2)),
    ],
)
def test_weights_reach_the_estimators_inside(make, routing):
    X, y = load_iris(return_X_y=True)
    times = np.random.RandomState(0).randint(1, 4, len(y))
    inner = LogisticRegression(tol=1e-8, max_iter=1000)
    for one in (inner, make_pipeline(StandardScaler(), inner)):
        with sklearn.config_context(enable_metadata_routing=routing):
            weighted, repeated = weighted_scores(make(one), X, y, times)
        np.testing.assert_allclose(weighted, repeated, rtol=1e-3, atol=1e-4)


class Overflowing(Ridge):
    """Ridge regression with an output that is no number."""

    def predict(self, X):
        outputs = super().predict(X)
        outputs[-1] = np.nan
        return outputs


def test_outputs_of_a_learner_that_are_no_numbers_do_not_decide():
    X, y = load_iris(return_X_y=True)
    model = RegressionOneVsAll(Overflowing()).fit(X, y)
    with pytest.raises(ValueError, match="Overflowing gave outputs that are not fin"):
        model.predict(X)

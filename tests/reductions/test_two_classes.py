"""Two classes: one weighted learner, and Elkan's threshold."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from softcost import (
    CostSensitiveOneVsOne,
    FilterTree,
    KernelSVC,
    OneSidedRegression,
    OneSidedSVR,
    WeightedAllPairs,
    ZhouLiuRescaling,
)

TIGHT = 1e-7
BINARY = [CostSensitiveOneVsOne, WeightedAllPairs, FilterTree]


@pytest.mark.parametrize("learner", [KernelSVC(tol=TIGHT), LogisticRegression()])
@pytest.mark.parametrize("reduction", BINARY)
def test_one_weighted_learner(reduction, learner, blobs, example_costs):
    X, y, X_new, rng = blobs(2)
    costs = example_costs(y, rng)
    model = reduction(learner).fit(X, y, costs=costs)
    weight = np.abs(costs[:, 0] - costs[:, 1])
    expected = learner.fit(X, y, sample_weight=weight).predict(X_new)
    np.testing.assert_array_equal(model.predict(X_new), expected)


@pytest.mark.parametrize("prices", [(1.0, 0.25), (0.25, 1.0)])
def test_rescaling_is_the_same_learner(prices, blobs):
    X, y, X_new, _ = blobs(2)
    matrix = 7 * np.array([[0, prices[0]], [prices[1], 0]])
    learner = KernelSVC(tol=TIGHT).fit(X, y, sample_weight=np.array(prices)[y])
    for reduction in (ZhouLiuRescaling, CostSensitiveOneVsOne):
        model = reduction(KernelSVC(tol=TIGHT), cost_matrix=matrix).fit(X, y)
        np.testing.assert_array_equal(model.predict(X_new), learner.predict(X_new))


def test_one_sided_regression_is_so_only_for_one_price(blobs):
    X, y, X_new, _ = blobs(2)
    y[y == 1] = np.where(X[y == 1, 0] > np.median(X[y == 1, 0]), 0, 1)
    model = OneSidedRegression(OneSidedSVR(tol=TIGHT))

    def agreement(prices):
        matrix = np.array([[0, prices[0]], [prices[1], 0]])
        chosen = model.set_params(cost_matrix=matrix).fit(X, y).predict(X_new)
        weight = np.array(prices)[y] / max(prices)
        svc = KernelSVC(tol=TIGHT).fit(X, y, sample_weight=weight)
        return np.mean(svc.predict(X_new) == chosen)

    assert agreement((3.0, 3.0)) == 1
    assert agreement((1.0, 9.0)) < 0.99


@pytest.mark.parametrize("prices", [(1.0, 8.0), (3.0, 2.0), (16.0, 1.0)])
@pytest.mark.parametrize("reduction", [*BINARY, ZhouLiuRescaling])
def test_elkan(reduction, prices, blobs):
    """Reweighting moves the threshold of 1/2 to p*, exactly so for a Bayes classifier.

    Class weights change nothing of a Gaussian naive Bayes classifier but its priors.
    """
    X, y, X_new, _ = blobs(2)
    false_positive, false_negative = prices
    matrix = [[0, false_positive], [false_negative, 0]]
    threshold = false_positive / (false_positive + false_negative)
    plain = GaussianNB().fit(X, y)
    expected = plain.predict_proba(X_new)[:, 1] >= threshold
    model = reduction(GaussianNB(), cost_matrix=matrix).fit(X, y)
    np.testing.assert_array_equal(model.predict(X_new), expected.astype(int))
    assert np.any(expected != plain.predict(X_new))
    # the recipe: weigh class 0 by p* / (1 - p*), class 1 by 1
    recipe = np.where(y == 0, threshold / (1 - threshold), 1.0)
    weighed = GaussianNB().fit(X, y, sample_weight=recipe).predict(X_new)
    np.testing.assert_array_equal(weighed, expected.astype(int))

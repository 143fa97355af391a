"""Softness 1, naive and weighted costs: the regular algorithms, exactly."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.multiclass import OneVsOneClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from softcost import (
    CostSensitiveOneVsOne,
    FilterTree,
    KernelSVC,
    OneSidedRegression,
    OneSidedSVR,
    RegressionOneVsAll,
    WeightedAllPairs,
    ZhouLiuRescaling,
)
from softcost.costs import naive, soften

TIGHT = 1e-7
PAIRWISE = [CostSensitiveOneVsOne, WeightedAllPairs, ZhouLiuRescaling]
LEARNERS = [
    KernelSVC(tol=TIGHT),
    LogisticRegression(),
    DecisionTreeClassifier(max_depth=3, random_state=0),
]


@pytest.mark.parametrize(
    "learner", LEARNERS, ids=lambda learner: type(learner).__name__
)
@pytest.mark.parametrize("reduction", PAIRWISE)
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_pairs_without_costs_are_one_versus_one(
    reduction, learner, n_classes, blobs, one_vs_one, votes_of
):
    X, y, X_new, _ = blobs(n_classes)
    model = reduction(learner, tie_break="first").fit(X, y)
    votes = one_vs_one(learner, X, y, X_new)
    if n_classes == 2:
        np.testing.assert_array_equal(
            model.decision_function(X_new) > 0, votes[:, 1] > 0
        )
    else:
        np.testing.assert_array_equal(votes_of(model, X_new), votes)
    np.testing.assert_array_equal(model.predict(X_new), votes.argmax(axis=1))


@pytest.mark.parametrize("C", [0.25, 16.0])
def test_one_versus_one_is_scikit_learns(C, blobs, votes_of):
    X, y, X_new, _ = blobs(5)
    gram, gram_new = -euclidean_distances(X), -euclidean_distances(X_new, X)
    svc = SVC(kernel="precomputed", C=C, tol=1e-8, decision_function_shape="ovo")
    outputs = svc.fit(gram, y).decision_function(gram_new)
    pairs = [(i, j) for i in range(5) for j in range(i + 1, 5)]
    votes = np.zeros((len(X_new), 5))
    for (i, j), output in zip(pairs, outputs.T, strict=True):
        votes[:, i] += output > 0
        votes[:, j] += output <= 0
    learner = KernelSVC(C=C, tol=TIGHT)
    model = CostSensitiveOneVsOne(learner, tie_break="first").fit(X, y)
    np.testing.assert_array_equal(votes_of(model, X_new), votes)
    # LIBSVM gives ties to the first of the classes
    np.testing.assert_array_equal(model.predict(X_new), svc.predict(gram_new))
    # OneVsOneClassifier breaks ties by confidence: compare where there are none
    clear = np.sort(votes, axis=1)[:, -1] > np.sort(votes, axis=1)[:, -2]
    theirs = OneVsOneClassifier(KernelSVC(C=C, tol=TIGHT)).fit(X, y).predict(X_new)
    assert clear.mean() > 0.5
    np.testing.assert_array_equal(model.predict(X_new)[clear], theirs[clear])


@pytest.mark.parametrize("C", [0.25, 16.0])
def test_one_sided_regression_without_costs_is_one_versus_all(C, blobs):
    X, y, X_new, _ = blobs(4)
    scores = OneSidedRegression(OneSidedSVR(C=C, tol=TIGHT)).fit(X, y)
    scores = scores.decision_function(X_new)
    gram, gram_new = -euclidean_distances(X), -euclidean_distances(X_new, X)
    for k in range(4):
        svc = SVC(kernel="precomputed", C=C, tol=1e-8).fit(gram, y == k)
        expected = svc.decision_function(gram_new)
        np.testing.assert_allclose(scores[:, k], expected, rtol=0, atol=1e-4)


SOFT = [
    CostSensitiveOneVsOne(KernelSVC(tol=TIGHT)),
    WeightedAllPairs(KernelSVC(tol=TIGHT)),
    FilterTree(KernelSVC(tol=TIGHT)),
    FilterTree(LogisticRegression()),
    OneSidedRegression(OneSidedSVR(tol=TIGHT)),
    RegressionOneVsAll(),
]


@pytest.mark.parametrize("model", SOFT, ids=lambda model: type(model).__name__)
def test_softness_mixes_costs_and_nothing_else(model, blobs, example_costs):
    X, y, X_new, rng = blobs(4)
    costs = example_costs(y, rng)

    def scores(softness, prices):
        fitted = model.set_params(softness=softness).fit(X, y, costs=prices)
        return fitted.decision_function(X_new)

    hard, regular = scores(0.0, costs), scores(1.0, costs)
    np.testing.assert_array_equal(regular, scores(0.0, naive(y)))
    np.testing.assert_array_equal(regular, scores(0.0, None))
    np.testing.assert_array_equal(scores(0.0, costs * 8), hard)
    assert not np.array_equal(hard, regular)
    mixed = soften(costs, y, 0.25)
    np.testing.assert_allclose(mixed, 0.75 * costs + 0.25 * naive(y), atol=1e-15)
    np.testing.assert_allclose(
        scores(0.25, costs), scores(0.0, mixed), rtol=1e-9, atol=1e-9
    )


@pytest.mark.parametrize(
    "learner", LEARNERS, ids=lambda learner: type(learner).__name__
)
@pytest.mark.parametrize("reduction", PAIRWISE)
def test_pairs_with_weighted_costs_are_weighted_one_versus_one(
    reduction, learner, blobs, one_vs_one, votes_of
):
    X, y, X_new, _ = blobs(4)
    weight = np.array([0.25, 1.0, 0.5, 0.125])
    prices = weight[:, None] * (1 - np.eye(4))
    expected = one_vs_one(learner, X, y, X_new, class_weight=weight)
    by_costs = reduction(learner, cost_matrix=prices).fit(X, y)
    np.testing.assert_array_equal(votes_of(by_costs, X_new), expected)
    # the same without costs, by sample weights
    by_weight = reduction(learner).fit(X, y, sample_weight=weight[y])
    np.testing.assert_array_equal(votes_of(by_weight, X_new), expected)
    # ... or by the weighted error that softness 1 asks for
    soft = reduction(learner, softness=1.0, error_weight=dict(enumerate(weight)))
    soft.fit(X, y)
    np.testing.assert_array_equal(votes_of(soft, X_new), expected)
    assert not np.array_equal(expected, one_vs_one(learner, X, y, X_new))


def weighted_one_versus_all(X, y, X_new, weight):
    scores = [
        KernelSVC(tol=TIGHT).fit(X, y == k, sample_weight=weight[y])
        for k in range(len(weight))
    ]
    return np.column_stack([svc.decision_function(X_new) for svc in scores])


def test_weighted_one_versus_all_comes_from_sample_weights(blobs):
    X, y, X_new, _ = blobs(4)
    weight = np.array([0.25, 1.0, 0.5, 0.125])
    expected = weighted_one_versus_all(X, y, X_new, weight)
    model = OneSidedRegression(OneSidedSVR(tol=TIGHT))
    model.fit(X, y, sample_weight=weight[y])
    scores = model.decision_function(X_new)
    np.testing.assert_allclose(scores, expected, rtol=0, atol=2e-5)


def test_one_sided_regression_on_weighted_costs_is_something_else(blobs):
    X, y, X_new, _ = blobs(4)
    weight = np.array([0.25, 1.0, 0.5, 0.125])
    expected = weighted_one_versus_all(X, y, X_new, weight).argmax(axis=1)
    model = OneSidedRegression(OneSidedSVR(tol=TIGHT))
    model.set_params(cost_matrix=weight[:, None] * (1 - np.eye(4)))
    assert np.mean(model.fit(X, y).predict(X_new) == expected) < 0.99
    # unless all weights are equal
    model.set_params(cost_matrix=0.25 * (1 - np.eye(4)))
    even = weighted_one_versus_all(X, y, X_new, np.ones(4))
    scores = model.fit(X, y).decision_function(X_new)
    np.testing.assert_allclose(scores, even, rtol=0, atol=2e-5)


@pytest.mark.parametrize("reduction", PAIRWISE)
def test_pairs_with_classes_that_are_absent(reduction, blobs, one_vs_one, votes_of):
    X, y, X_new, _ = blobs(3)
    y = 2 * y  # classes 1 and 3 have no rows
    learner = LogisticRegression()
    model = reduction(learner, classes=range(5)).fit(X, y)
    expected = one_vs_one(learner, X, y, X_new, n_classes=5)
    assert 0.5 in expected % 1
    np.testing.assert_array_equal(votes_of(model, X_new), expected)


def test_one_versus_all_with_a_class_that_is_absent(blobs):
    X, y, X_new, _ = blobs(3)
    learner = OneSidedSVR(tol=TIGHT)
    full = OneSidedRegression(learner, classes=range(4)).fit(X, y)
    scores = full.decision_function(X_new)
    np.testing.assert_array_equal(scores[:, 3], -1.0)
    known = OneSidedRegression(learner).fit(X, y).decision_function(X_new)
    np.testing.assert_allclose(scores[:, :3], known, rtol=0, atol=1e-9)


@pytest.mark.parametrize("learner", [OneSidedSVR(), Ridge()])
def test_columns_with_one_side_are_constant(learner, blobs):
    """Class 3 is nobody's cheapest, class 0 costs nobody anything."""
    X, y, X_new, _ = blobs(3)
    prices = np.array([[0, 1, 1, 0.25], [0, 0, 1, 0.5], [0, 1, 0, 0.5], [1, 1, 1, 0]])
    model = OneSidedRegression(learner, cost_matrix=prices, classes=range(4)).fit(X, y)
    scores = model.decision_function(X_new)
    np.testing.assert_array_equal(scores[:, 0], 1.0)  # r = 0, the least cost
    np.testing.assert_array_equal(scores[:, 3], 0.0)  # r = 1/2, the largest one

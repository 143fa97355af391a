"""Weights, duplicates, and other names for the classes."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

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

TIGHT = 1e-7
SVM = KernelSVC(tol=TIGHT)
ALL = [
    CostSensitiveOneVsOne(SVM),
    WeightedAllPairs(SVM),
    FilterTree(SVM),
    OneSidedRegression(OneSidedSVR(tol=TIGHT)),
    RegressionOneVsAll(),
    CostSensitiveOneVsOne(LogisticRegression(tol=1e-10, max_iter=10000)),
]


def name(model):
    return f"{type(model).__name__}-{type(model.learner).__name__}"


@pytest.mark.parametrize("model", ALL, ids=name)
def test_an_example_twice_is_an_example_of_weight_two(model, blobs, example_costs):
    X, y, X_new, rng = blobs(4)
    costs = example_costs(y, rng)
    times = rng.integers(0, 4, len(y))  # weight 0 is absence
    rows = np.repeat(np.arange(len(y)), times)
    model.set_params(classes=range(4))
    weighted = model.fit(X, y, costs=costs, sample_weight=times)
    weighted = weighted.decision_function(X_new)
    repeated = model.fit(X[rows], y[rows], costs=costs[rows]).decision_function(X_new)
    np.testing.assert_allclose(weighted, repeated, rtol=0, atol=2e-5)
    unweighted = model.fit(X, y, costs=costs).decision_function(X_new)
    assert not np.allclose(weighted, unweighted, atol=1e-3)


def test_an_example_twice_for_rescaling(blobs):
    X, y, X_new, rng = blobs(4)
    times = rng.integers(1, 4, len(y))
    rows = np.repeat(np.arange(len(y)), times)
    model = ZhouLiuRescaling(
        SVM, cost_matrix=rng.uniform(size=(4, 4)) * (1 - np.eye(4))
    )
    weighted = model.fit(X, y, sample_weight=times).decision_function(X_new)
    repeated = model.fit(X[rows], y[rows]).decision_function(X_new)
    np.testing.assert_array_equal(weighted, repeated)


@pytest.mark.parametrize(
    "reduction", [CostSensitiveOneVsOne, WeightedAllPairs, FilterTree]
)
def test_a_weight_scales_the_costs_of_its_example(reduction, blobs, example_costs):
    X, y, X_new, rng = blobs(4)
    costs = example_costs(y, rng)
    weight = np.r_[
        1.0, 2.0 ** -rng.integers(0, 5, len(y) - 1)
    ]  # the largest cost stays
    weighted = reduction(SVM).fit(X, y, costs=costs, sample_weight=weight)
    scaled = reduction(SVM).fit(X, y, costs=weight[:, None] * costs)
    np.testing.assert_array_equal(
        weighted.decision_function(X_new), scaled.decision_function(X_new)
    )


def test_not_so_for_one_sided_regression(blobs, example_costs):
    X, y, X_new, rng = blobs(4)
    costs = example_costs(y, rng)
    weight = np.r_[1.0, 2.0 ** -rng.integers(0, 5, len(y) - 1)]
    model = OneSidedRegression(OneSidedSVR(tol=TIGHT))
    weighted = model.fit(X, y, costs=costs, sample_weight=weight).predict(X_new)
    scaled = model.fit(X, y, costs=weight[:, None] * costs).predict(X_new)
    assert np.mean(weighted == scaled) < 0.99


@pytest.mark.parametrize(
    "model", [model for model in ALL if not isinstance(model, FilterTree)], ids=name
)
def test_other_names_permute_scores(model, blobs, example_costs):
    X, y, X_new, rng = blobs(4)
    costs = example_costs(y, rng)
    new = np.array([2, 0, 3, 1])  # new names of the old classes
    model.set_params(classes=None)
    before = model.fit(X, y, costs=costs).decision_function(X_new)
    after = model.fit(X, new[y], costs=costs[:, np.argsort(new)])
    after = after.decision_function(X_new)[:, new]
    np.testing.assert_allclose(after, before, rtol=0, atol=2e-5)


@pytest.mark.parametrize("consistent", [True, False])
def test_other_names_permute_scores_of_rescaling(consistent, blobs, votes_of):
    X, y, X_new, rng = blobs(4)
    prices = rng.uniform(0.1, 1, (4, 4)) * (1 - np.eye(4))
    if consistent:
        prices = rng.uniform(0.1, 1, (4, 1)) * (prices + prices.T)
    new = np.array([2, 0, 3, 1])
    old = np.argsort(new)
    before = ZhouLiuRescaling(SVM, cost_matrix=prices).fit(X, y)
    after = ZhouLiuRescaling(SVM, cost_matrix=prices[np.ix_(old, old)]).fit(X, new[y])
    np.testing.assert_array_equal(
        votes_of(after, X_new)[:, new], votes_of(before, X_new)
    )


def test_a_filter_tree_needs_the_same_tree(blobs, example_costs):
    X, y, X_new, rng = blobs(4, n=80)
    costs = example_costs(y, rng)
    new = np.array([2, 0, 3, 1])
    before = FilterTree(SVM).fit(X, y, costs=costs).predict(X_new)
    renamed = new[y], costs[:, np.argsort(new)]
    same_tree = FilterTree(SVM, order=new).fit(X, renamed[0], costs=renamed[1])
    np.testing.assert_array_equal(same_tree.predict(X_new), new[before])
    other_tree = FilterTree(SVM).fit(X, renamed[0], costs=renamed[1])
    assert np.mean(other_tree.predict(X_new) == new[before]) < 0.99


def test_rows_of_weight_zero_do_not_count_as_examples_of_a_class(blobs):
    """Balanced error weights are by the sizes of classes that take part."""
    X, y, X_new, _ = blobs(3)
    kept = (y != 0) | (np.cumsum(y == 0) <= 3)
    model = CostSensitiveOneVsOne(SVM, softness=1.0, error_weight="balanced")
    weighted = model.fit(X, y, sample_weight=kept.astype(float))
    weighted = weighted.decision_function(X_new)
    without = model.fit(X[kept], y[kept]).decision_function(X_new)
    np.testing.assert_array_equal(weighted, without)

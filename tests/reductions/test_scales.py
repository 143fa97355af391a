"""Shifts and scales of costs, kernels and C: what they change and what they do not."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import euclidean_distances
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
from softcost.costs import soften

TIGHT = 1e-7
BINARY = [CostSensitiveOneVsOne, WeightedAllPairs, FilterTree]


def eighths(y, rng, n_classes):
    """Costs in eighths, so that sums with integers are exact; 1 is the largest."""
    costs = rng.integers(0, 9, (len(y), n_classes)) / 8  # some mistakes are free
    costs[0] = 1
    costs[np.arange(len(y)), y] = 0
    return costs


def one_sided(X, costs, X_new, C=1.0):
    """Outputs of one-sided regression on costs as they are, one column at a time."""
    cheapest = costs == costs.min(axis=1, keepdims=True)
    columns = [
        OneSidedSVR(C=C, tol=TIGHT).fit(X, column, side=np.where(low, 1, -1))
        for column, low in zip(costs.T, cheapest.T, strict=True)
    ]
    return np.column_stack([column.predict(X_new) for column in columns])


@pytest.mark.parametrize(
    "model",
    [
        CostSensitiveOneVsOne(DecisionTreeClassifier(max_depth=2, random_state=0)),
        WeightedAllPairs(KernelSVC()),
        FilterTree(KernelSVC()),
        OneSidedRegression(),
        RegressionOneVsAll(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_what_being_right_costs_does_not_matter(model, blobs):
    X, y, X_new, rng = blobs(4)
    costs = eighths(y, rng, 4)
    before = model.fit(X, y, costs=costs).decision_function(X_new)
    dearer = costs + rng.integers(0, 5, len(y))[:, None]
    after = model.fit(X, y, costs=dearer).decision_function(X_new)
    np.testing.assert_array_equal(before, after)


def test_one_sided_regression_itself_is_not_blind_to_shifts(blobs):
    """Why costs are made canonical first."""
    X, y, X_new, rng = blobs(4)
    costs = eighths(y, rng, 4)
    one = one_sided(X, costs, X_new)
    shifted = one_sided(X, costs + rng.integers(0, 3, len(y))[:, None], X_new)
    assert np.mean(one.argmin(axis=1) == shifted.argmin(axis=1)) < 0.99
    # one constant for all moves the intercepts only
    np.testing.assert_allclose(one_sided(X, costs + 3, X_new), one + 3, atol=2e-5)


def test_one_sided_regression_is_the_plain_one(blobs):
    X, y, X_new, rng = blobs(4)
    costs = eighths(y, rng, 4)
    model = OneSidedRegression(OneSidedSVR(tol=TIGHT)).fit(X, y, costs=costs)
    expected = one_sided(X, 2 * costs - 1, X_new)
    np.testing.assert_allclose(
        model.decision_function(X_new), -expected, rtol=0, atol=2e-5
    )
    # in terms of the costs themselves it is the regression at C / 2
    halved = one_sided(X, costs, X_new, C=0.5)
    np.testing.assert_allclose((1 + expected) / 2, halved, rtol=0, atol=2e-5)


@pytest.mark.parametrize("reduction", BINARY)
def test_scale_of_weights_against_C(reduction, blobs, example_costs):
    """Costs are normalised, so a scale reaches a learner as a weight of all rows."""
    X, y, X_new, rng = blobs(4)
    costs = example_costs(y, rng)

    def scores(C, scale):
        model = reduction(KernelSVC(C=C, tol=TIGHT))
        model.fit(X, y, costs=costs, sample_weight=np.full(len(y), scale))
        return model.decision_function(X_new)

    np.testing.assert_array_equal(scores(1.0, 30.0), scores(30.0, 1.0))
    changed = scores(1.0, 30.0).argmax(axis=1) != scores(1.0, 1.0).argmax(axis=1)
    assert changed.mean() > 0.01


def test_scale_of_targets_against_C(blobs):
    """The other way round than for weights: costs times s ask for C times s."""
    X, y, X_new, rng = blobs(4)
    costs = eighths(y, rng, 4)
    one = one_sided(X, costs, X_new, C=0.5)
    np.testing.assert_allclose(
        one_sided(X, 8 * costs, X_new, C=4.0), 8 * one, rtol=0, atol=2e-4
    )
    fixed = one_sided(X, 8 * costs, X_new, C=0.5)
    assert np.mean(one.argmin(axis=1) == fixed.argmin(axis=1)) < 0.99


def test_consistent_rescaling_sees_no_scale(blobs, votes_of):
    """Rows times a constant by class pair leave the weights; others do not."""
    X, y, X_new, _ = blobs(3)
    weights = np.array([1.0, 0.5, 0.25])
    symmetric = np.array([[0, 1, 0.1], [1, 0, 0.3], [0.1, 0.3, 0]])
    model = ZhouLiuRescaling(KernelSVC(tol=TIGHT))
    scores = [
        votes_of(
            model.set_params(cost_matrix=weights[:, None] * shape).fit(X, y), X_new
        )
        for shape in (symmetric, 1 - np.eye(3))
    ]
    np.testing.assert_array_equal(*scores)
    csovo = CostSensitiveOneVsOne(KernelSVC(tol=TIGHT))
    others = [
        csovo.set_params(cost_matrix=weights[:, None] * shape)
        .fit(X, y)
        .decision_function(X_new)
        for shape in (symmetric, 1 - np.eye(3))
    ]
    assert not np.array_equal(*others)


@pytest.mark.parametrize("scale", [0.1, 7.0])
@pytest.mark.parametrize("softness", [0.2, 0.7])
def test_softness_and_the_scale_of_costs_are_one_thing(scale, softness, example_costs):
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=20)
    costs = example_costs(y, rng, 3)
    total = (1 - softness) * scale + softness
    same = total * soften(costs, y, softness / total)
    np.testing.assert_allclose(soften(scale * costs, y, softness), same, rtol=1e-12)


@pytest.mark.parametrize(
    ("reduction", "learner"),
    [(CostSensitiveOneVsOne, KernelSVC), (OneSidedRegression, OneSidedSVR)],
)
def test_kernels_shifted_and_scaled(reduction, learner, blobs, example_costs):
    X, y, X_new, rng = blobs(3)
    costs = example_costs(y, rng)
    gram, gram_new = -euclidean_distances(X), -euclidean_distances(X_new, X)

    def scores(shift=0.0, scale=1.0, C=1.0):
        machine = learner(kernel="precomputed", C=C, tol=TIGHT)
        model = reduction(machine).fit(scale * gram + shift, y, costs=costs)
        return model.decision_function(scale * gram_new + shift)

    for changed in (scores(shift=3.0), scores(scale=4.0, C=0.25)):
        np.testing.assert_allclose(changed, scores(), rtol=0, atol=2e-5)
    assert not np.allclose(scores(scale=4.0), scores(), atol=1e-3)
    by_rows = reduction(learner(tol=TIGHT)).fit(X, y, costs=costs)
    np.testing.assert_allclose(
        by_rows.decision_function(X_new), scores(), rtol=0, atol=2e-5
    )

"""Which subproblems learners are given, against formulas and another package."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB

from softcost import CostSensitiveOneVsOne, WeightedAllPairs

FITS = []


class Recorder(ClassifierMixin, BaseEstimator):
    """Learns nothing, but tells what it was given."""

    def fit(self, X, y, sample_weight=None):
        FITS.append((X, y, sample_weight))
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.zeros(len(X), int)


@pytest.fixture
def given_to():
    def record(fit, *args, **params):
        FITS.clear()
        fit(*args, **params)
        return list(FITS)

    return record


def values_of(costs):
    """Weighted all-pairs' costs, row by row and step by step."""
    out = np.zeros_like(costs)
    for row, own in zip(out, costs, strict=True):
        order = np.argsort(own)
        level = 0.0
        for m in range(1, len(own)):
            level += (own[order[m]] - own[order[m - 1]]) / m
            row[order[m]] = level
    return out


@pytest.mark.parametrize(
    ("reduction", "compared"),
    [(CostSensitiveOneVsOne, lambda costs: costs), (WeightedAllPairs, values_of)],
    ids=["CSOVO", "WAP"],
)
def test_pairs_are_those_of_the_formula(
    reduction, compared, blobs, example_costs, given_to
):
    X, y, _, rng = blobs(4)
    costs = example_costs(y, rng)
    costs[5] = 0  # takes no part
    seen = given_to(reduction(Recorder()).fit, X, y, costs=costs)
    values = compared(costs)
    pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    assert len(seen) == len(pairs)
    for (i, j), (rows, labels, weight) in zip(pairs, seen, strict=True):
        difference = values[:, j] - values[:, i]
        kept = difference != 0
        assert not kept[5]
        np.testing.assert_array_equal(rows, X[kept])
        np.testing.assert_array_equal(labels, difference[kept] > 0)
        np.testing.assert_allclose(weight, np.abs(difference[kept]), rtol=1e-12)


@pytest.mark.parametrize(
    ("reduction", "by_difference"),
    [(CostSensitiveOneVsOne, True), (WeightedAllPairs, False)],
)
def test_pairs_are_those_of_costsensitive(
    reduction, by_difference, blobs, example_costs, given_to
):
    """Sound there: pairs, labels, weights up to a factor; where no pair is empty."""
    peer = pytest.importorskip("costsensitive").WeightedAllPairs
    X, y, X_new, rng = blobs(5)
    costs = example_costs(y, rng)
    theirs = peer(Recorder(), weigh_by_cost_diff=by_difference, njobs=1)
    ours = given_to(reduction(Recorder()).fit, X, y, costs=costs)
    others = given_to(theirs.fit, X, costs)
    for (rows, labels, weight), (rows_2, labels_2, weight_2) in zip(
        ours, others, strict=True
    ):
        np.testing.assert_array_equal(rows, rows_2)
        np.testing.assert_array_equal(labels, labels_2)
        np.testing.assert_allclose(weight / weight.mean(), weight_2, rtol=1e-9)
    # a learner that sees no scale decides the same
    learner = GaussianNB(var_smoothing=0)
    theirs = peer(learner, weigh_by_cost_diff=by_difference, njobs=1).fit(X, costs)
    model = reduction(learner).fit(X, y, costs=costs)
    np.testing.assert_array_equal(model.predict(X_new), theirs.predict(X_new))

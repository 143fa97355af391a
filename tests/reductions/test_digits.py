"""The default learner on digits: accurate where regular, as cheap as a reference."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.model_selection import train_test_split
from sklearn.svm import SVR

from softcost import CostSensitiveOneVsOne, OneSidedRegression
from softcost.costs import inconsistent


def split(seed):
    """Training and test parts of digits, and benchmark prices for them."""
    X, y = load_digits(return_X_y=True)
    parts = train_test_split(X / 16, y, test_size=0.25, stratify=y, random_state=seed)
    return *parts, inconsistent(np.bincount(parts[2]), seed)


def by_shifted_tubes(X, costs, X_new, C=1.0):
    """One-sided regression by ordinary ones, whose tubes have one edge at the target.

    A tube of half-width E around ``t - z E`` has an edge at t, the other 2 E away; it
    is as good as one-sided where no training row comes near the other edge.
    """
    gram, gram_new = -euclidean_distances(X), -euclidean_distances(X_new, X)
    outputs = np.empty((len(X_new), costs.shape[1]))
    for k in range(costs.shape[1]):
        size = costs[:, k].max()  # the solver's tolerance is absolute
        target = 2 * costs[:, k] / size - 1
        side = np.where(costs[:, k] == 0, 1.0, -1.0)
        half = 10.0
        while True:
            svr = SVR(kernel="precomputed", C=C / size, epsilon=half)
            svr.fit(gram, target - side * half)
            if np.all(side * (svr.predict(gram) - target) > -2 * half):
                break
            half *= 2
        outputs[:, k] = size * (svr.predict(gram_new) + 1)
    return outputs


@pytest.mark.parametrize("reduction", [OneSidedRegression, CostSensitiveOneVsOne])
def test_regular_siblings_are_accurate(reduction):
    errors = []
    for seed in range(5):
        X, X_new, y, y_new, prices = split(seed)
        model = reduction(cost_matrix=prices, softness=1.0).fit(X, y)
        errors.append(np.mean(model.predict(X_new) != y_new))
    assert np.mean(errors) <= 0.015


def test_hard_one_sided_regression_costs_what_a_reference_does():
    ours, reference = [], []
    for seed in range(10):
        X, X_new, y, y_new, prices = split(seed)
        model = OneSidedRegression(cost_matrix=prices).fit(X, y)
        ours.append(-model.score(X_new, y_new))
        chosen = by_shifted_tubes(X, prices[y], X_new).argmin(axis=1)
        reference.append(prices[y_new, chosen].mean())
        assert np.mean(chosen == model.predict(X_new)) > 0.98
    assert np.mean(ours) == pytest.approx(np.mean(reference), rel=0.05)

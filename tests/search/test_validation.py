"""Labels and costs are checked once per search, not once per family and fold."""

import sys
from collections import Counter

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from softcost import (
    CostSensitiveOneVsOne,
    MinimumExpectedCost,
    SoftCostClassifierCV,
)
from softcost.costs import matrix
from softcost.reductions import Reduction

X, Y = load_iris(return_X_y=True)
PRICES = np.array([[0.0, 1, 5], [1, 0, 5], [9, 9, 0]])


@pytest.fixture
def calls(monkeypatch):
    """Counts calls of the two validation functions, wherever they are imported."""
    counts = Counter()

    def counted(name, function):
        def call(*args, **params):
            counts[name] += 1
            return function(*args, **params)

        return call

    original = matrix.check_cost_matrix
    counter = counted("cost_matrix", original)
    for name, module in list(sys.modules.items()):
        if name.startswith("softcost") and (
            getattr(module, "check_cost_matrix", None) is original
        ):
            monkeypatch.setattr(module, "check_cost_matrix", counter)
    monkeypatch.setattr(Reduction, "check_data", counted("data", Reduction.check_data))
    return counts


def test_a_default_fit_checks_labels_and_costs_once(calls):
    SoftCostClassifierCV(cost_matrix=PRICES, random_state=0).fit(X, Y)
    # One for the search. The learner of "kernel-margin" is a reduction itself, which
    # checks the data of its six fits: five folds, and the refit as part of the blend.
    assert calls["data"] <= 8
    assert calls["cost_matrix"] <= 20


@pytest.mark.parametrize("n_folds", [2, 5])
def test_the_number_of_checks_does_not_grow_with_the_folds(calls, n_folds):
    families = [
        ("pairs", CostSensitiveOneVsOne(GaussianNB())),
        ("bayes", MinimumExpectedCost(GaussianNB())),
        ("tree", MinimumExpectedCost(DecisionTreeClassifier(max_depth=3))),
    ]
    search = SoftCostClassifierCV(families, cost_matrix=PRICES, cv=n_folds, softness=3)
    search.fit(X, Y)
    assert calls["data"] == 1
    assert calls["cost_matrix"] <= 4


def test_families_with_costs_of_their_own_are_checked_separately(calls):
    families = [
        ("first", MinimumExpectedCost(GaussianNB(), cost_matrix=PRICES)),
        ("second", MinimumExpectedCost(GaussianNB(), cost_matrix=2 * PRICES)),
    ]
    with pytest.raises(ValueError, match="different cost_matrix"):
        SoftCostClassifierCV(families, softness=2).fit(X, Y)
    assert calls["data"] == 2


def test_actions_are_refused_for_every_family_that_does_not_support_them():
    from softcost import ZhouLiuRescaling

    families = [
        ("bayes", MinimumExpectedCost(GaussianNB())),
        ("rescaled", ZhouLiuRescaling(GaussianNB())),
    ]
    costs = np.column_stack([PRICES, [0.5, 0.5, 0.5]])
    search = SoftCostClassifierCV(families, cost_matrix=costs, actions=["ask"])
    with pytest.raises(ValueError, match="ZhouLiuRescaling"):
        search.fit(X, Y)

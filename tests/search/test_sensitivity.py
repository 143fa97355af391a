"""How sure the choice of a search is."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB

from softcost import (
    Budget,
    MinimumExpectedCost,
    OneSidedRegression,
    SoftCostClassifierCV,
    load,
    save,
)

PRICES = np.array([[0, 1, 4.0], [2, 0, 3], [9, 7, 0]])


def problem(n_classes=3, n=240):
    X, y = make_classification(
        n, 5, n_informative=4, n_redundant=0, n_classes=n_classes,
        n_clusters_per_class=1, class_sep=0.7, random_state=1,
    )  # fmt: skip
    return X, np.array(["ham", "spam", "tea"])[y]


def fitted(n_classes=3, costs=None, **settings):
    X, y = problem(n_classes)
    told = {
        "cost_matrix": None if costs is not None else PRICES[:n_classes, :n_classes],
        "softness": 7, "param_grid": {"var_smoothing": [1e-9, 0.3]}, "cv": 3,
    }  # fmt: skip
    search = SoftCostClassifierCV(
        MinimumExpectedCost(GaussianNB()), **(told | settings)
    )
    return search.fit(X, y, costs=costs)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_at_the_end_of_an_interval_both_cost_the_same(n_classes):
    search = fitted(n_classes)
    sure = search.sensitivity(n_bootstrap=50)
    assert sure.chosen == search.best_index_
    assert len(sure.prices) == n_classes**2
    shares = search.confusion_.sum(axis=1) / search.confusion_[0].sum()
    names, turns = search.classes_.tolist(), 0
    for _, one in sure.prices.iterrows():
        cell = names.index(one["true"]), names.index(one["predicted"])
        for end, row in ((one["low"], one["below"]), (one["high"], one["above"])):
            if not pd.isna(row):
                prices = search.cost_matrix_.copy()
                prices[cell] = end
                costs = (shares * prices).sum(axis=(1, 2))
                assert costs[row] == pytest.approx(costs.min())
                assert costs[sure.chosen] == pytest.approx(costs.min())
                turns += 1
    assert turns
    first = sure.first
    assert (
        first["change"]
        == sure.prices[sure.prices["true"] != sure.prices["predicted"]]["change"].min()
    )
    assert f"for a true {first['true']}" in sure.describe()


def test_differences_are_those_of_the_table():
    search = fitted(cv=RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0))
    found = search.sensitivity().differences.set_index(["first", "second"])
    rows, cost = search.reference_rows(), search.tradeoff_["cost"]
    for (first, second), one in found.iterrows():
        assert one["difference"] == pytest.approx(
            cost[rows[first]] - cost[rows[second]]
        )
        assert one["low"] <= one["difference"] <= one["high"]
    assert found.index[0][0] == "chosen"


def test_rows_of_a_group_are_drawn_together():
    """Every row four times over tells as much as once."""
    X, y = problem()
    folds = list(StratifiedKFold(3).split(X, y))
    told = {"cv": folds, "softness": 3}
    once = fitted(**told).sensitivity(n_bootstrap=2000).differences
    every = np.tile(np.arange(len(y)), 4)
    many = [
        (np.flatnonzero(np.isin(every, train)), np.flatnonzero(np.isin(every, test)))
        for train, test in folds
    ]
    search = fitted(cv=3, softness=3).set_params(cv=many)
    search.fit(X[every], y[every], groups=every)
    grouped = search.sensitivity(n_bootstrap=2000).differences
    alone = search.fit(X[every], y[every]).sensitivity(n_bootstrap=2000).differences
    width = [(one["high"] - one["low"]).to_numpy() for one in (once, grouped, alone)]
    np.testing.assert_allclose(grouped["difference"], once["difference"], atol=1e-9)
    np.testing.assert_allclose(width[1], width[0], rtol=0.15)
    assert (width[2] < 0.7 * width[0])[width[0] > 0].all()


def test_weights_count_in_differences():
    X, y = problem()
    weight = np.random.default_rng(0).uniform(0.5, 3, len(y))
    search = fitted()
    search.fit(X, y, sample_weight=weight)
    rows, cost = search.reference_rows(), search.tradeoff_["cost"]
    for _, one in search.sensitivity(n_bootstrap=20).differences.iterrows():
        expected = cost[rows[one["first"]]] - cost[rows[one["second"]]]
        assert one["difference"] == pytest.approx(expected)


def test_scenarios_and_ranges():
    search = fitted()
    other = {"dear ham": PRICES * [[5], [1], [1]], "as it is": PRICES}
    sure = search.sensitivity(other, price_range=(0.5 * PRICES, 2 * PRICES))
    assert sure.scenarios.choices["as it is"] == search.best_index_
    np.testing.assert_allclose(
        sure.scenarios.costs["as it is"], search.tradeoff_["cost"]
    )
    assert sure.scenarios.worst[sure.scenarios.row] == sure.scenarios.worst.min()
    # A range that holds the scenarios is worse than these.
    wide = search.sensitivity(price_range=(PRICES, 5 * PRICES)).price_range
    assert (wide.worst >= sure.scenarios.worst - 1e-12).all()


def test_within_a_budget_regrets_are_those_of_what_is_within_it():
    search = fitted()
    limit = float(search.tradeoff_["error"].median())
    search.choose(Budget(error=limit))
    worst = search.sensitivity([PRICES]).scenarios.worst
    np.testing.assert_array_equal(np.isinf(worst), search.tradeoff_["error"] > limit)


def test_costs_by_example_have_intervals_of_their_means():
    _, y = problem()
    rng = np.random.default_rng(0)
    numbers = np.unique(y, return_inverse=True)[1]
    costs = PRICES[numbers] * rng.uniform(0.5, 2, (len(y), 1))
    search = fitted(costs=costs)
    sure = search.sensitivity(n_bootstrap=20)
    np.testing.assert_allclose(sure.prices["price"], search.cost_matrix_.ravel())
    turning = sure.prices[sure.prices["above"].notna()]
    assert len(turning)
    one = turning.iloc[0]
    names = search.classes_.tolist()
    moved = costs.copy()
    true, predicted = names.index(one["true"]), names.index(one["predicted"])
    moved[numbers == true, predicted] += one["high"] - one["price"]
    answers = np.empty((2, len(y)), int)
    rows = [search.best_index_, int(one["above"])]
    for fold, test in enumerate(search._problem.tests):
        answers[:, test] = search._predicted[fold][rows]
    same = moved[np.arange(len(y)), answers].mean(axis=1)
    assert same[0] == pytest.approx(same[1])
    for settings in ({"scenarios": [PRICES]}, {"price_range": (PRICES, PRICES)}):
        with pytest.raises(ValueError, match="were given by example"):
            search.sensitivity(**settings)


def test_a_saved_search_says_what_it_lacks(tmp_path):
    save(fitted(), tmp_path / "model")
    with pytest.raises(ValueError, match="sensitivity needs the held-out predictions"):
        load(tmp_path / "model").sensitivity()


def test_before_a_fit_there_is_nothing_to_say():
    with pytest.raises(NotFittedError):
        SoftCostClassifierCV(OneSidedRegression()).sensitivity()


def test_a_function_cannot_be_followed():
    search = fitted(criterion=lambda table: table["error"])
    with pytest.raises(ValueError, match="ByFunction"):
        search.sensitivity()

"""Regrets and differences of cost, against plain ways to compute them."""

from itertools import product

import numpy as np
import pytest
from random_tables import Case, random_prices

from softcost.search import LeastCost, box_regret, cost_differences, scenario_regret


def all_of(case):
    return np.ones(len(case.counts), bool)


def test_scenarios_are_tables_made_anew():
    for seed in range(20):
        case = Case(seed)
        n_classes = len(case.classes)
        scenarios = {name: random_prices(case.rng, n_classes) for name in "abc"}
        eligible = case.rng.random(len(case.counts)) < 0.6
        eligible[0] = True
        regret = scenario_regret(case.priced(LeastCost()), scenarios, eligible)
        costs = np.column_stack(
            [case.table(prices)["cost"] for prices in scenarios.values()]
        )
        np.testing.assert_allclose(regret.costs, costs)
        worst = (costs - costs[eligible].min(axis=0)).max(axis=1)
        np.testing.assert_allclose(regret.worst[eligible], worst[eligible])
        assert np.isinf(regret.worst[~eligible]).all()
        assert eligible[regret.row]
        assert worst[regret.row] == pytest.approx(worst[eligible].min())
        for name, prices in scenarios.items():
            row = regret.choices[name]
            assert case.table(prices)["cost"][row] == case.table(prices)["cost"].min()


def test_the_regret_over_a_range_is_that_of_its_worst_corner():
    for seed in range(10):
        case = Case(seed, n_classes=2)
        low = case.prices
        high = low + (1 - np.eye(2)) * case.rng.uniform(0, 3, (2, 2))
        regret = box_regret(case.priced(LeastCost()), (low, high), all_of(case))
        corners = [
            np.where(np.reshape(ends, (2, 2)), high, low)
            for ends in product([False, True], repeat=4)
        ]
        costs = np.column_stack([case.table(prices)["cost"] for prices in corners])
        worst = (costs - costs.min(axis=0)).max(axis=1)
        np.testing.assert_allclose(regret.worst, worst, atol=1e-12)
        assert worst[regret.row] == pytest.approx(worst.min())


def test_names_of_labelled_scenarios_may_be_in_any_order():
    case = Case(5, n_classes=3)
    prices = random_prices(np.random.default_rng(7), 3)
    named = {
        str(true): {str(guess): prices[k, j] for j, guess in enumerate(case.classes)}
        for k, true in reversed(list(enumerate(case.classes)))
    }
    regret = scenario_regret(case.priced(LeastCost()), [named], all_of(case))
    np.testing.assert_allclose(regret.costs[0], case.table(prices)["cost"])


def test_differences_are_paired_and_cover_the_truth():
    """Intervals of 90 % hold the true difference in about 90 % of 200 samples."""
    rng = np.random.default_rng(3)
    covered = 0
    for _ in range(200):
        common = rng.exponential(5, 150)  # what both pay does not widen the interval
        paid = {"a": common + rng.binomial(1, 0.3, 150), "b": common}
        found = cost_differences(
            paid, np.ones(150), n_bootstrap=200, confidence=0.9, random_state=rng
        ).iloc[0]
        assert found["difference"] == pytest.approx((paid["a"] - paid["b"]).mean())
        assert found["high"] - found["low"] < 0.2
        covered += found["low"] <= 0.3 <= found["high"]
    assert 0.8 <= covered / 200 <= 0.98


def test_weights_count_in_differences():
    paid = {"a": np.array([2.0, 0.0, 9.0]), "b": np.zeros(3)}
    found = cost_differences(paid, np.array([2.0, 1.0, 3.0]))
    assert found["difference"][0] == pytest.approx(11 / 6)


@pytest.mark.parametrize(
    ("scenarios", "kind", "message"),
    [
        ([], ValueError, "scenarios is empty"),
        ("cheap", TypeError, "scenarios must be a list"),
        ([[[0, 1], [1, 0]]], ValueError, "scenarios, 0: cost_matrix has shape"),
        ({"x": -np.ones((3, 3))}, ValueError, "scenarios, 'x': .*negative cost"),
        ([np.full((3, 3), np.nan)], ValueError, "missing cost"),
    ],
)
def test_bad_scenarios(scenarios, kind, message):
    case = Case(0, n_classes=3)
    with pytest.raises(kind, match=message):
        scenario_regret(case.priced(LeastCost()), scenarios, all_of(case))


@pytest.mark.parametrize(
    ("price_range", "message"),
    [
        (np.zeros((3, 3)), "price_range must be a pair"),
        ((np.zeros((3, 3)),), "price_range must be a pair"),
        ((2 - 2 * np.eye(3), 1 - np.eye(3)), "lowest price above the highest"),
        ((np.zeros((3, 3)), np.ones((2, 2))), "price_range, high,: cost_matrix has"),
    ],
)
def test_bad_ranges(price_range, message):
    case = Case(0, n_classes=3)
    with pytest.raises(ValueError, match=message):
        box_regret(case.priced(LeastCost()), price_range, all_of(case))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_bootstrap": 1}, "n_bootstrap"),
        ({"n_bootstrap": 2.5}, "n_bootstrap"),
        ({"confidence": 95}, "confidence must be between 0 and 1"),
        ({"confidence": "high"}, "confidence must be between 0 and 1"),
    ],
)
def test_bad_bootstraps(settings, message):
    with pytest.raises(ValueError, match=message):
        cost_differences({"a": np.ones(3), "b": np.zeros(3)}, np.ones(3), **settings)

"""Intervals of prices, against choosing again on a fine grid."""

import warnings
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pytest
from random_tables import Case

from softcost.search import (
    Budget,
    ByFunction,
    LeastCost,
    LeastError,
    MaxOfBoth,
    Rule,
    Tolerance,
    decide,
    least_row,
    price_intervals,
)


@dataclass(frozen=True)
class WeightedSum(Rule):
    """A rule that is not part of softcost."""

    weight: float

    def choose(self, table, *, error="error"):
        return least_row(table, table["cost"] + self.weight * table[error])

    def describe(self):
        return "the least weighted sum"

    def turning_points(self, lines):
        total = lines.cost + self.weight * lines.errors
        return [total.crossings(total[lines.chosen])]


def rules(case):
    """Every rule, with limits that some candidates keep."""
    table = case.table()
    middle = table.median()
    label = case.classes[-1]
    recalls = case.evidence.recalls(label)
    return {
        "cost": LeastCost(),
        "error": LeastError(),
        "max": MaxOfBoth(),
        "tolerance": Tolerance(0.2),
        "no tolerance": Tolerance(0.0),
        "1se": Tolerance("1se"),
        "error budget": Budget(error=min(1, middle["error"])),
        "no such error": Budget(error=0.0),
        "weighted budget": Budget(weighted_error=middle["weighted_error"]),
        "cost budget": Budget(cost=middle["cost"]),
        "no such cost": Budget(cost=0.0),
        "normalised budget": Budget(normalized_cost=middle["normalized_cost"]),
        "G-mean budget": Budget(g_mean=middle["g_mean"]),
        "recall budget": Budget(recall={label: float(np.median(recalls))}),
        "two limits": Budget(
            error=min(1, table["error"].quantile(0.7)),
            cost=table["cost"].quantile(0.7),
        ),
        "three limits": Budget(
            error=min(1, middle["error"]),
            normalized_cost=0.8 * middle["normalized_cost"],
            recall={label: float(np.median(recalls))},
        ),
        "another rule": WeightedSum(2.0),
        "confident": Budget(error=min(1, 1.2 * middle["error"]), confidence=0.8),
        "confident recall": Budget(recall={label: 0.3}, confidence=0.8),
        "confident G-mean": Budget(g_mean=0.8 * middle["g_mean"], confidence=0.6),
    }


def choice(case, rule, error, cell, price):
    """What the rule chooses on a table that is made anew."""
    prices = case.prices.copy()
    prices[cell] = price
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return decide(case.table(prices), rule, case.evidence, error=error).row


def check_interval(case, rule, error, cell, found):
    """The choice is the same on a grid inside, and another just outside."""
    chosen = choice(case, rule, error, cell, found["price"])
    scale = max(1.0, found["price"])
    far = 4 * scale + found["price"]
    inside = np.linspace(found["low"], min(found["high"], far), 11)
    margin = 1e-7 * scale
    inside = inside[
        (inside > found["low"] + margin) & (inside < found["high"] - margin)
    ]
    for price in inside:
        assert choice(case, rule, error, cell, price) == chosen, price
    for end, row, step in (("low", "below", -margin), ("high", "above", margin)):
        if not pd.isna(found[row]):
            assert found[row] != chosen
            beyond = choice(case, rule, error, cell, found[end] + step)
            assert beyond == found[row], end
    assert found["low"] <= found["price"] <= found["high"]


@pytest.mark.parametrize(
    "seed",
    [
        *range(8),
        *(pytest.param(seed, marks=pytest.mark.product) for seed in range(8, 50)),
    ],
)
def test_intervals_agree_with_choosing_again(seed):
    case = Case(seed)
    shape = case.prices.shape
    error = ("error", "weighted_error")[seed % 2]
    for name, rule in rules(case).items():
        table = price_intervals(case.priced(rule, error))
        assert table["true"].tolist() == np.repeat(case.classes, shape[1]).tolist()
        assert table["predicted"].tolist() == [*case.classes] * shape[0]
        np.testing.assert_array_equal(table["price"], case.prices.ravel())
        # One price for every rule: the tables together have enough of them.
        for price in case.rng.choice(len(table), 1):
            cell = np.unravel_index(price, shape)
            try:
                check_interval(case, rule, error, cell, table.iloc[price])
            except AssertionError as problem:
                raise AssertionError(f"{name}, {error}, {cell}") from problem


def test_the_change_is_the_way_to_the_nearer_turn():
    for seed in range(10):
        case = Case(seed)
        table = price_intervals(case.priced(LeastCost()))
        above = case.prices - np.diagonal(case.prices)[:, None]
        n_classes = len(case.classes)
        unit = above.sum() / (n_classes * (n_classes - 1))
        for _, one in table.iterrows():
            down = np.inf if pd.isna(one["below"]) else one["price"] - one["low"]
            up = np.inf if pd.isna(one["above"]) else one["high"] - one["price"]
            part = one["price"] if one["price"] > 0 else unit
            assert one["change"] == pytest.approx(min(down, up) / part)


def test_the_least_error_never_turns():
    table = price_intervals(Case(3).priced(LeastError()))
    assert table[["below", "above"]].isna().all(axis=None)
    assert np.isinf(table["change"]).all()


def test_prices_by_example_move_together():
    """Adding to the price of a kind is adding to that of all its examples."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 400)
    costs = rng.uniform(0, 5, (400, 3))
    answers = np.where(rng.random((6, 400)) < 0.6, y, rng.integers(0, 3, (6, 400)))
    case = Case(0, n_classes=3, n_candidates=6)
    case.counts = np.zeros((6, 2, 3, 3))
    for row, answer in enumerate(answers):
        np.add.at(case.counts[row], (np.arange(400) % 2, y, answer), 1)

    def cost(extra, cell):
        priced = costs.copy()
        priced[y == cell[0], cell[1]] += extra
        return priced[np.arange(400), answers].mean(axis=1)

    means = np.array([costs[y == k].mean(axis=0) for k in range(3)])
    measured = cost(0.0, (0, 0))
    case.prices = means
    priced = replace(
        case.priced(LeastCost()),
        table=case.table().assign(cost=measured),
        fold_costs=np.column_stack([measured, measured]),
        by_example=True,
    )
    assert priced.chosen == measured.argmin()
    for _, one in price_intervals(priced).iterrows():
        cell = (case.classes.tolist().index(one["true"]),
                case.classes.tolist().index(one["predicted"]))  # fmt: skip
        for end, row in ((one["low"], one["below"]), (one["high"], one["above"])):
            if pd.isna(row):
                continue
            step = np.sign(end - one["price"]) * 1e-6
            inside = cost(end - one["price"] - step, cell)
            beyond = cost(end - one["price"] + step, cell)
            assert inside.argmin() == priced.chosen
            assert beyond.argmin() == row


@pytest.mark.parametrize(
    ("rule", "by_example", "message"),
    [
        (ByFunction(lambda table: 0), False, "ByFunction"),
        (MaxOfBoth(), True, "costs by class"),
        (Budget(normalized_cost=1.0), True, "costs by class"),
        (Budget(cost=1.0, confidence=0.9), False, "confidence"),
        (Budget(cost=1.0, normalized_cost=1.0), False, "not of both"),
    ],
)
def test_what_cannot_be_followed_is_refused(rule, by_example, message):
    priced = replace(Case(1).priced(rule), by_example=by_example)
    with pytest.raises(ValueError, match=message):
        price_intervals(priced)

"""Answers beyond the classes: a price list with more columns than classes."""

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import trapezoid
from scipy.stats import norm
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import cross_val_score

from softcost import (
    CostSensitiveOneVsOne,
    FilterTree,
    MinimumExpectedCost,
    OneSidedRegression,
    RegressionOneVsAll,
    SoftCostClassifierCV,
    WeightedAllPairs,
)
from softcost.metrics import MEASURES, cost_scorer, mean_cost, measure
from softcost.reductions import CATALOGUE

TAKES = {"osr", "csovo", "wap", "csft", "csovr", "mec"}
PRICES = np.array([[0.0, 4.0, 7.0, 1.0], [2.0, 0.0, 3.0, 1.5], [9.0, 4.0, 0.0, 1.0]])
COLUMNS = [0, 1, 2, "ask"]
NAMES = np.array(["bee", "cat", "ant"])


def table(prices=PRICES, names=NAMES, actions=("ask",)):
    return pd.DataFrame(prices, index=names, columns=[*names, *actions])


def learner_of(name):
    needs = CATALOGUE[name].needs
    return Ridge() if needs in ("one-sided", "regressor") else LogisticRegression()


def made(name, **params):
    return CATALOGUE[name].load()(learner_of(name), **params)


class Told(ClassifierMixin, BaseEstimator):
    """Knows the probabilities: two Gaussian classes on a line."""

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        second = posterior(np.asarray(X)[:, 0])
        return np.column_stack([1 - second, second])


SHIFT, SHARE = 2.0, 0.4


def posterior(x):
    """p(1 | x) of classes at 0 and SHIFT, the second with a share of SHARE."""
    first, second = (1 - SHARE) * norm.pdf(x), SHARE * norm.pdf(x, SHIFT)
    return second / (first + second)


def gaussians(n, seed):
    rng = np.random.default_rng(seed)
    y = (rng.uniform(size=n) < SHARE).astype(int)
    return (rng.normal(size=n) + SHIFT * y)[:, None], y


def asking(false_alarm, miss, ask):
    return np.array([[0.0, false_alarm, ask], [miss, 0.0, ask]])


@pytest.mark.parametrize(
    ("false_alarm", "miss", "ask"), [(1, 1, 0.2), (5, 9, 1), (3, 1, 0.1), (1, 1, 0.6)]
)
def test_minimum_expected_cost_is_chows_rule(false_alarm, miss, ask):
    """Ask where both risks, p * miss and (1 - p) * false_alarm, exceed its price."""
    X, y = gaussians(2000, 0)
    model = MinimumExpectedCost(
        Told(), cost_matrix=asking(false_alarm, miss, ask), actions=["ask"]
    ).fit(X, y)
    p = posterior(X[:, 0])
    as_first, as_second = miss * p, false_alarm * (1 - p)
    chow = np.where(as_first <= as_second, 0, 1).astype(object)
    chow[np.minimum(as_first, as_second) > ask] = "ask"
    np.testing.assert_array_equal(model.predict(X), chow)
    if false_alarm == miss:  # Chow's own: reject where the larger posterior is small
        rejected = np.maximum(p, 1 - p) < 1 - ask / miss
        np.testing.assert_array_equal(model.predict(X) == "ask", rejected)
        assert rejected.any() == (ask < 0.5)


def bayes_cost(prices):
    x = np.linspace(-8, 8 + SHIFT, 200_001)
    density = (1 - SHARE) * norm.pdf(x) + SHARE * norm.pdf(x, SHIFT)
    p = posterior(x)
    risk = np.column_stack([1 - p, p]) @ prices
    return float(trapezoid(density * risk.min(axis=1), x))


@pytest.mark.parametrize(
    "make",
    [
        lambda **costs: CostSensitiveOneVsOne(LogisticRegression(), **costs),
        lambda **costs: WeightedAllPairs(LogisticRegression(), **costs),
        lambda **costs: FilterTree(LogisticRegression(), **costs),
        lambda **costs: MinimumExpectedCost(LogisticRegression(), **costs),
        lambda **costs: RegressionOneVsAll(
            HistGradientBoostingRegressor(max_iter=30, max_leaf_nodes=8), **costs
        ),
    ],
    ids=["csovo", "wap", "csft", "mec", "csovr"],
)
def test_close_to_the_bayes_cost(make):
    prices = asking(5, 9, 1)
    X, y = gaussians(4000, 1)
    X_new, y_new = gaussians(20_000, 2)
    model = make(cost_matrix=prices, actions=["ask"]).fit(X, y)
    assert -model.score(X_new, y_new) <= 1.1 * bayes_cost(prices)
    assert 0.05 < np.mean(model.predict(X_new) == "ask") < 0.95


@pytest.mark.parametrize("name", sorted(TAKES))
def test_tables_arrays_dicts_and_rows_say_the_same(blobs, name):
    X, y, X_new, _ = blobs(3)
    shuffled = table().iloc[[2, 0, 1], [3, 1, 0, 2]]
    nested = {row: dict(table().loc[row]) for row in NAMES}
    by_array = made(name, cost_matrix=PRICES, classes=NAMES, actions=["ask"])
    expected = by_array.fit(X, NAMES[y]).decision_function(X_new)
    for prices in (shuffled, nested):
        model = made(name, cost_matrix=prices).fit(X, NAMES[y])
        np.testing.assert_array_equal(model.decision_function(X_new), expected)
        assert model.classes_.tolist() == ["ant", "bee", "cat"]
        assert model.actions_.tolist() == ["ant", "bee", "cat", "ask"]
        found = model.predict(X_new)
        assert set(found) <= set(model.actions_)
        np.testing.assert_array_equal(found, model.actions_[expected.argmax(axis=1)])
    rows = made(name, classes=NAMES, actions=["ask"])
    rows.fit(X, NAMES[y], costs=PRICES[y])
    np.testing.assert_allclose(rows.decision_function(X_new), expected, atol=1e-6)
    named = made(name, actions=["ask"]).fit(X, NAMES[y], costs=pd.DataFrame(
        PRICES[y], columns=[*NAMES, "ask"]).iloc[:, ::-1])  # fmt: skip
    np.testing.assert_array_equal(
        named.decision_function(X_new), rows.decision_function(X_new)
    )


@pytest.mark.parametrize("name", sorted(TAKES))
def test_a_prohibitive_action_is_as_none(blobs, name):
    """Nobody asks at the price of the worst mistake, and the rest stays as it was."""
    X, y, X_new, _ = blobs(3)
    dear = PRICES.copy()
    dear[:, 3] = 9.0
    model = made(name, cost_matrix=dear, actions=["ask"], softness=0.5).fit(X, y)
    square = made(name, cost_matrix=PRICES[:, :3], softness=0.5).fit(X, y)
    if name == "csft":  # the last leaf plays the winner of the last match, not all
        assert np.mean(model.predict(X_new) == "ask") < 0.5
        return
    np.testing.assert_array_equal(model.predict(X_new), square.predict(X_new))


@pytest.mark.parametrize("name", sorted(set(CATALOGUE) - TAKES))
def test_others_refuse(blobs, name):
    X, y, _, _ = blobs(3)
    for params in (
        {"cost_matrix": PRICES, "actions": ["ask"]},
        {"cost_matrix": table(names=[0, 1, 2])},
    ):
        with pytest.raises(ValueError, match=r"'ask'.*not for.*drop their columns"):
            made(name, **params).fit(X, y)


@pytest.mark.parametrize("name", sorted(TAKES))
def test_softness_counts_actions_by_action_error(blobs, name):
    """At softness 1 prices are forgotten: asking costs ``action_error`` errors."""
    X, y, X_new, _ = blobs(3)
    for counted in (0.3, {"ask": 0.3}):
        soft = made(
            name,
            cost_matrix=PRICES,
            actions=["ask"],
            softness=1.0,
            action_error=counted,
        ).fit(X, y)
        naive = np.column_stack([1 - np.eye(3), np.full(3, 0.3)])
        hard = made(name, cost_matrix=naive, actions=["ask"]).fit(X, y)
        np.testing.assert_array_equal(
            soft.decision_function(X_new), hard.decision_function(X_new)
        )


def test_prices_and_actions_may_change_after_training(blobs):
    X, y, X_new, _ = blobs(3)
    model = MinimumExpectedCost(cost_matrix=PRICES[:, :3]).fit(X, y)
    model.set_params(cost_matrix=PRICES, actions=["ask"], softness=0.2)
    again = MinimumExpectedCost(cost_matrix=PRICES, actions=["ask"], softness=0.2)
    for method in ("predict", "decision_function", "expected_costs"):
        np.testing.assert_array_equal(
            getattr(model, method)(X_new), getattr(again.fit(X, y), method)(X_new)
        )
    assert model.actions_.tolist() == [0, 1, 2, "ask"]
    each = np.repeat(PRICES[None], len(X_new), axis=0)
    np.testing.assert_array_equal(
        model.predict(X_new, costs=each), model.predict(X_new)
    )
    other = CostSensitiveOneVsOne(
        LogisticRegression(), cost_matrix=PRICES, actions=["ask"]
    ).fit(X, y)
    other.cost_matrix = PRICES + np.array([0, 0, 0, 1.0])
    with pytest.raises(ValueError, match="changed after fit"):
        other.predict(X_new)


@pytest.mark.parametrize(
    "reduction",
    [
        OneSidedRegression(),
        FilterTree(),
        CostSensitiveOneVsOne(LogisticRegression()),
        MinimumExpectedCost(),
        OneSidedRegression(Ridge()),
    ],
    ids=["osr", "csft", "csovo", "mec", "ridge"],
)
def test_a_search_measures_what_its_candidates_answer(blobs, reduction):
    X, y, X_new, _ = blobs(3)
    labels = NAMES[y]
    folds = [(np.arange(30), np.arange(30, 60)), (np.arange(30, 60), np.arange(30))]
    search = SoftCostClassifierCV(
        reduction, cost_matrix=table(), cv=folds, softness=[0, 0.3, 1]
    ).fit(X, labels)
    assert search.actions_.tolist() == ["ant", "bee", "cat", "ask"]
    assert search.confusion_.shape[1:] == (2, 3, 4)
    row = search.reference_rows()["hard"]
    predicted = np.empty(60, dtype=object)
    model = clone(search.candidate(row))
    for train, test in folds:
        model.fit(X[train], labels[train])
        predicted[test] = model.predict(X[test])
    found = measure(labels, predicted, cost_matrix=table())
    for name in MEASURES:
        np.testing.assert_allclose(search.tradeoff_[name][row], found[name])
    assert set(search.predict(X_new)) <= set(search.actions_)
    assert search.constant_["label"] in search.actions_
    np.testing.assert_allclose(
        search.score(X, labels),
        -mean_cost(labels, search.predict(X), cost_matrix=table()),
    )


def test_scorers_know_actions(blobs):
    X, y, _, _ = blobs(3)
    for labels, names in ((NAMES[y], NAMES), (y, [0, 1, 2])):
        prices = table(names=names)
        model = MinimumExpectedCost(LogisticRegression(), cost_matrix=prices)
        np.testing.assert_allclose(
            cross_val_score(model, X, labels, scoring=cost_scorer(prices), cv=3),
            cross_val_score(model, X, labels, cv=3),
        )


BAD = {
    "an array without names": ({"cost_matrix": PRICES}, "actions="),
    "too many names": (
        {"cost_matrix": PRICES, "actions": ["a", "b"]},
        "one per action",
    ),
    "a name too many for a square": (
        {"cost_matrix": PRICES[:, :3], "actions": ["ask"]},
        "one per action",
    ),
    "a name twice": ({"cost_matrix": PRICES, "actions": ["ask", "ask"]}, "once"),
    "a class as an action": ({"cost_matrix": PRICES, "actions": [2]}, "other than"),
    "actions as text": ({"cost_matrix": PRICES, "actions": "ask"}, "list or array"),
    "a missing name": ({"cost_matrix": PRICES, "actions": [None]}, "missing"),
    "other names than the table": (
        {"cost_matrix": table(names=[0, 1, 2]), "actions": ["test"]},
        "exactly",
    ),
    "actions without prices": ({"actions": ["ask"]}, "pass cost_matrix or costs"),
    "a negative price": (
        {"cost_matrix": PRICES - [0, 0, 0, 5], "actions": ["ask"]},
        "from_benefits",
    ),
    "a missing price": (
        {"cost_matrix": PRICES * [1, 1, 1, np.nan], "actions": ["ask"]},
        "column 'ask'",
    ),
    "cheaper than being right": (
        {"cost_matrix": PRICES + np.eye(3, 4), "actions": ["ask"]}
        | {"cost_matrix": np.where(PRICES == 1, 0.5, PRICES) + np.eye(3, 4)},
        "predicting 'ask'",
    ),
    "errors below zero": (
        {"cost_matrix": PRICES, "actions": ["ask"], "action_error": -1},
        "not negative",
    ),
    "errors of another action": (
        {"cost_matrix": PRICES, "actions": ["ask"], "action_error": {"test": 1}},
        "each action",
    ),
    "errors as text": (
        {"cost_matrix": PRICES, "actions": ["ask"], "action_error": "half"},
        "a number or a dict",
    ),
    "errors that are missing": (
        {"cost_matrix": PRICES, "actions": ["ask"], "action_error": np.nan},
        "finite",
    ),
}


@pytest.mark.bad_input
@pytest.mark.parametrize("case", BAD)
def test_bad_actions_get_one_sentence(blobs, case):
    X, y, _, _ = blobs(3)
    params, remedy = BAD[case]
    with pytest.raises((ValueError, TypeError)) as caught:
        CostSensitiveOneVsOne(LogisticRegression(), **params).fit(X, y)
    message = str(caught.value)
    assert remedy in message
    assert message.endswith(".")
    assert "\n" not in message
    assert message.split()[0] in ("cost_matrix", "actions", "action_error")


@pytest.mark.bad_input
@pytest.mark.parametrize(
    ("costs", "actions", "remedy"),
    [
        (lambda y: PRICES[y], None, "actions="),
        (lambda y: PRICES[y][:, :3], ["ask"], "actions="),
        (
            lambda y: table(names=[0, 1, 2]).iloc[y].reset_index(drop=True),
            None,
            "actions=",
        ),
        (
            lambda y: pd.DataFrame(PRICES[y], columns=[0, 1, 2, "ask"]),
            ["test"],
            "'ask'",
        ),
        (lambda y: PRICES[y] + [0, 0, 0, np.inf], ["ask"], "'ask'"),
    ],
)
def test_bad_costs_by_example_get_one_sentence(blobs, costs, actions, remedy):
    X, y, _, _ = blobs(3)
    with pytest.raises(ValueError, match=remedy) as caught:
        MinimumExpectedCost(actions=actions).fit(X, y, costs=costs(y))
    assert str(caught.value).startswith("costs")


def test_an_order_of_leaves_names_the_actions(blobs):
    X, y, _, _ = blobs(3)
    tree = FilterTree(LogisticRegression(), cost_matrix=PRICES, actions=["ask"])
    with pytest.raises(ValueError, match=r"4 classes and actions once"):
        tree.set_params(order=[0, 1, 2]).fit(X, y)
    tree.set_params(order=["ask", 2, 0, 1]).fit(X, y).predict(X)

"""Answers that are no classes: what they cost, and what they leave."""

import numpy as np
import pandas as pd
import pytest

from softcost import metrics

TRUE = np.array([0, 1, 1, 2, 2, 2])
ANSWERS = np.array([0, "ask", 2, 2, "ask", 1], dtype=object)
PRICES = pd.DataFrame(
    [[0.5, 4, 7, 1], [2, 0, 3, 1.5], [9, 4, 0, 1]], columns=[0, 1, 2, "ask"]
)
WEIGHT = np.array([1.0, 2.0, 3.0, 1.0, 0.5, 2.5])


def by_hand(weight, counted):
    """All measures in loops."""
    rows = list(zip(TRUE.tolist(), ANSWERS.tolist(), weight, strict=True))
    answered = sum(w for _, answer, w in rows if answer != "ask")
    wrong = sum(w for y, answer, w in rows if answer not in ("ask", y))
    asked = sum(w for _, answer, w in rows if answer == "ask")
    total = sum(weight)
    return {
        "cost": sum(w * PRICES.loc[y, answer] for y, answer, w in rows) / total,
        "error": (wrong + counted * asked) / total,
        "coverage": answered / total,
        "error_answered": wrong / answered,
    }


@pytest.mark.parametrize("counted", [1.0, 0.25])
@pytest.mark.parametrize("weight", [np.ones(6), WEIGHT])
def test_all_measures(weight, counted):
    expected = by_hand(weight, counted)
    forms = [
        {"cost_matrix": PRICES},
        {"cost_matrix": PRICES.to_numpy(), "actions": ["ask"]},
        {"costs": PRICES.iloc[TRUE].reset_index(drop=True), "actions": ["ask"]},
    ]
    for form in forms:
        found = metrics.measure(
            TRUE, ANSWERS, sample_weight=weight, action_error=counted, **form
        )
        for name, value in expected.items():
            np.testing.assert_allclose(found[name], value, err_msg=name)
    for name in ("coverage", "error_answered"):
        one = getattr(metrics, name)
        found = one(TRUE, ANSWERS, actions=["ask"], sample_weight=weight)
        np.testing.assert_allclose(found, expected[name])
    found = metrics.measure(TRUE, ANSWERS, cost_matrix=PRICES, sample_weight=weight)
    np.testing.assert_allclose(found["error"], by_hand(weight, 1.0)["error"])
    paid = metrics.mean_cost(TRUE, ANSWERS, cost_matrix=PRICES, sample_weight=weight)
    np.testing.assert_allclose(paid, expected["cost"])
    wrong = metrics.error_rate(TRUE, ANSWERS, actions=["ask"], sample_weight=weight)
    np.testing.assert_allclose(wrong, by_hand(weight, 1.0)["error"])


def test_nothing_but_actions():
    found = metrics.measure(TRUE, ["ask"] * 6, cost_matrix=PRICES)
    assert found["coverage"] == 0
    assert np.isnan(found["error_answered"])
    assert found["g_mean"] == 0


def test_without_actions_there_is_nothing_more():
    found = metrics.measure(TRUE, TRUE, cost_matrix=PRICES[[0, 1, 2]])
    plain = {name for name, one in metrics.MEASURES.items() if not one.needs_actions}
    assert set(found) == plain
    with pytest.raises(ValueError, match=r"neither classes nor actions, 'phone'"):
        metrics.measure(TRUE, ["ask", "phone", *TRUE[2:]], cost_matrix=PRICES)
    with pytest.raises(ValueError, match=r"actions names 2, which is a class"):
        metrics.coverage(TRUE, ANSWERS, actions=[2])


@pytest.mark.parametrize("with_names", [True, False])
def test_tables_of_numbered_classes_with_actions(with_names):
    """A first column of names, or a pandas table of classes 0, 1, ... without one."""
    table = PRICES.copy()
    if with_names:
        table.insert(0, "true", [0, 1, 2])
        table.columns = list(map(str, table.columns))
    found = metrics.mean_cost(TRUE, ANSWERS, cost_matrix=table)
    np.testing.assert_allclose(found, by_hand(np.ones(6), 1.0)["cost"])

"""What columns are worth: by hand, by what is known of made-up rows, by refusal."""

import numpy as np
import pandas as pd
import pytest

from softcost.metrics import column_importance, mean_cost, paired_saving

PRICES = pd.DataFrame([[0.0, 1.0], [7.0, 0.0]], index=["a", "b"], columns=["a", "b"])


def rows(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"tells": rng.normal(size=n), "idle": rng.normal(size=n)})
    X["word"] = pd.Series(rng.choice(["x", "y"], n), dtype=object)
    flip = rng.random(n) < 0.05
    return X, np.where((X["tells"] > 0) ^ flip, "b", "a")


def rule(X):
    return np.where(X["tells"] > 0, "b", "a")


def test_columns_are_worth_what_their_loss_costs():
    X, y = rows()
    found = column_importance(rule, X, y, cost_matrix=PRICES, n_repeats=3)
    assert found["column"].tolist() == ["tells", "idle", "word"]
    assert found["shown"].tolist() == [True, False, False]
    assert (found["saving"][1:] == 0).all()
    rng = np.random.default_rng(0)  # the same by hand
    without = []
    for _ in range(3):
        answers = rule(X.iloc[rng.permutation(len(X))])
        without.append([PRICES.loc[t, a] for t, a in zip(y, answers, strict=True)])
    own = [PRICES.loc[t, a] for t, a in zip(y, rule(X), strict=True)]
    by_hand = paired_saving(np.mean(without, axis=0), own)
    first = found.iloc[0]
    assert first["saving"] == pytest.approx(by_hand.saving)
    assert (first["low"], first["high"]) == pytest.approx((by_hand.low, by_hand.high))


def test_prices_count_and_inputs_stay_as_they_are():
    X, y = rows()
    before = X.copy()
    cheap = column_importance(rule, X, y, cost_matrix=PRICES)
    dear = column_importance(rule, X, y, cost_matrix=10 * PRICES)
    assert dear["saving"][0] == pytest.approx(10 * cheap["saving"][0])
    pd.testing.assert_frame_equal(X, before)
    by_row = np.where(
        y[:, None] == ["a", "b"], 0.0, np.where(y == "a", 1.0, 7.0)[:, None]
    )
    same = column_importance(rule, X, y, costs=by_row, classes=["a", "b"])
    pd.testing.assert_frame_equal(same, cheap)
    errors = column_importance(rule, X, y)
    assert errors["saving"][0] < cheap["saving"][0]


def test_some_columns_are_shuffled_together():
    """Two columns of which the rule takes the difference, which stays if both move."""
    X, y = rows()
    X["shifted"] = X["tells"] - 1
    together = {"both": ["tells", "shifted"], "idle": ["idle"]}

    def difference(X):
        return np.where(X["tells"] - X["shifted"] > 0.5, "a", "b")

    joint = column_importance(
        difference, X, y, cost_matrix=PRICES, columns=together
    ).set_index("column")
    alone = column_importance(difference, X, y, cost_matrix=PRICES)
    assert joint["saving"]["both"] == 0
    assert (alone["saving"] != 0).any()


def test_arrays_actions_and_single_classes():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 2))
    y = (X[:, 1] > 0).astype(int)
    prices = pd.DataFrame([[0, 4, 1], [9, 0, 1]], index=[0, 1], columns=[0, 1, "ask"])

    def asks(X):
        sure = np.abs(X[:, 1]) > 0.5
        return np.where(sure, (X[:, 1] > 0).astype(int).astype(object), "ask")

    found = column_importance(asks, X, y, cost_matrix=prices)
    assert found["column"].tolist() == ["1", "0"]
    own = mean_cost(y, asks(X), cost_matrix=prices)
    assert found["saving"][0] + own <= 9
    with pytest.raises(ValueError, match="n_repeats must be 1 or more"):
        column_importance(asks, X, y, cost_matrix=prices, n_repeats=0)

"""Searches within a time limit."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from softcost import (
    CostSensitiveOneVsOne,
    MinimumExpectedCost,
    SoftCostClassifierCV,
    load,
    save,
)
from softcost.search import Budget

PRICES = [[0, 1, 7], [2, 0, 3], [11, 5, 0]]


class Clock:
    """A clock that goes on by itself: each look at it takes a second."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        self.now += 1.0
        return self.now


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr("softcost.search.time_limit.monotonic", made)
    return made


def families():
    tree = MinimumExpectedCost(DecisionTreeClassifier(random_state=0))
    linear = MinimumExpectedCost(LogisticRegression(max_iter=500))
    return [("tree", tree), ("kernel", CostSensitiveOneVsOne()), ("linear", linear)]


GRIDS = {"tree": {"max_depth": [1, 3]}, "kernel": {"C": [1, 8]},
         "linear": {"C": [0.1, 1, 10]}}  # fmt: skip


def searched(**settings):
    X, y = load_iris(return_X_y=True)
    y = np.array(["a", "b", "c"])[y]
    told = {"cost_matrix": PRICES, "softness": [0, 0.5, 1], "cv": 3, "random_state": 0,
            "param_grid": GRIDS}  # fmt: skip
    return SoftCostClassifierCV(families(), **(told | settings)).fit(X, y)


@pytest.fixture(scope="module")
def whole():
    return searched()


def same_rows(part, whole):
    """Rows of a search that are rows of another one, number for number."""
    keys = ["family", "softness", "C", "max_depth"]
    keys = [name for name in keys if name in part.tradeoff_]
    joined = part.tradeoff_.merge(whole.tradeoff_, on=keys, suffixes=("", "_whole"))
    assert len(joined) == len(part.tradeoff_)
    for name in ("cost", "error", "g_mean", "cost_se"):
        np.testing.assert_array_equal(joined[name], joined[f"{name}_whole"])


def test_with_enough_time_nothing_is_skipped(whole):
    raced = searched(time_limit=1e6)
    pd.testing.assert_frame_equal(raced.tradeoff_, whole.tradeoff_)
    np.testing.assert_array_equal(raced.confusion_, whole.confusion_)
    assert raced.best_index_ == whole.best_index_
    assert raced.skipped_.empty
    assert list(raced.skipped_.columns) == ["family", "params", "why"]
    assert not hasattr(whole, "skipped_")


@pytest.mark.parametrize("limit", [1, 8, 25])
def test_what_is_done_in_time_is_kept_and_the_rest_is_told(clock, whole, limit):
    raced = searched(time_limit=limit)
    same_rows(raced, whole)
    assert len(raced.tradeoff_) + 3 * len(raced.skipped_) == len(whole.tradeoff_)
    assert raced.skipped_["why"].str.len().min() > 5 or raced.skipped_.empty
    assert raced.best_index_ == int(raced.tradeoff_["cost"].argmin()) or (
        raced.tradeoff_["cost"].min() == raced.tradeoff_["cost"][raced.best_index_]
    )
    X, y = load_iris(return_X_y=True)
    assert (raced.predict(X) == np.array(["a", "b", "c"])[y]).mean() > 0.5
    assert len(raced.confusion_) == len(raced.tradeoff_)
    assert np.isfinite(raced.saving().saving)


def test_the_first_setting_is_done_whatever_it_takes(clock):
    clock.now = 0
    raced = searched(time_limit=1e-9)
    assert raced.tradeoff_["family"].unique().tolist() == ["tree"]
    assert raced.tradeoff_["max_depth"].unique().tolist() == [1]
    assert set(raced.skipped_["why"]) == {"no time was left"}


def test_every_family_has_a_turn_before_any_has_a_second(clock):
    for limit in (6, 20, 34):
        raced = searched(time_limit=limit)
        settings = raced.tradeoff_.groupby("family").size() // 3
        if settings.get("tree", 0) > 1 or settings.get("linear", 0) > 1:
            tried = set(raced.tradeoff_["family"]) | set(raced.skipped_["family"])
            assert tried == {"tree", "kernel", "linear"}


def test_a_calibrated_budget_within_a_time(clock):
    raced = searched(
        time_limit=6, holdout=0.3, criterion=Budget(error=0.9, confidence=0.8)
    )
    assert len(raced.holdout_confusion_) == len(raced.tradeoff_)
    assert raced.guarantee_["met"] in (True, False)


def test_what_was_skipped_is_saved(clock, tmp_path):
    raced = searched(time_limit=8)
    save(raced, tmp_path / "raced.softcost")
    again = load(tmp_path / "raced.softcost")
    pd.testing.assert_frame_equal(again.skipped_, raced.skipped_)
    assert again.time_limit == 8


@pytest.mark.parametrize("limit", [0, -1, "5"])
def test_a_limit_is_a_number_of_seconds(limit):
    with pytest.raises(ValueError, match="time_limit"):
        searched(time_limit=limit)


def test_auto_tries_the_quickest_families_first(clock):
    X, y = load_iris(return_X_y=True)
    raced = SoftCostClassifierCV(
        "auto", cost_matrix=PRICES, softness=[0, 1], cv=3, time_limit=1e-9,
        random_state=0,
    ).fit(X, y)  # fmt: skip
    assert raced.tradeoff_["family"].unique().tolist() == ["linear"]
    used = raced.portfolio_["family"][raced.portfolio_["used"]]
    assert set(raced.skipped_["family"]) == set(used)

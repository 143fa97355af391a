"""Searches within a time limit."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
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
    assert raced.tradeoff_["family"].unique().tolist() == ["linear", "blend"]
    used = raced.portfolio_["family"][raced.portfolio_["used"]]
    assert set(raced.skipped_["family"]) == set(used) - {"blend"}


@pytest.mark.parametrize("limit", [1e-9, 60, 1e6])
def test_the_blend_of_what_finished_is_preferred(clock, limit):
    X, y = load_iris(return_X_y=True)
    raced = SoftCostClassifierCV(
        "auto", cost_matrix=PRICES, softness=[0, 1], cv=3, time_limit=limit,
        random_state=0,
    ).fit(X, y)  # fmt: skip
    table = raced.tradeoff_
    blend = (table["family"] == "blend").to_numpy()
    assert raced.selection_penalty_[blend].min() == 0
    assert raced.best_params_["family"] == "blend"
    members = [name for name, _ in raced.best_estimator_.learner.estimators]
    finished = {name.split(" ")[0] for name in members}
    assert finished <= set(table["family"])
    assert "linear" in finished
    assert raced.predict_proba(X).shape == (150, 3)


def test_with_enough_time_auto_is_the_same():
    X, y = load_iris(return_X_y=True)
    search = SoftCostClassifierCV(
        "auto", cost_matrix=PRICES, softness=[0, 1], cv=3, random_state=0
    )
    whole = clone(search).fit(X, y)
    raced = search.set_params(time_limit=1e6).fit(X, y)
    pd.testing.assert_frame_equal(raced.tradeoff_, whole.tradeoff_)
    np.testing.assert_array_equal(raced.predict_proba(X), whole.predict_proba(X))


class Worker(ClassifierMixin, BaseEstimator):
    """A learner whose fits take time by a clock that only they move."""

    now = 0.0

    def __init__(self, seconds=1.0, power=1.0, setting=0):
        self.seconds, self.power, self.setting = seconds, power, setting

    def fit(self, X, y, sample_weight=None):
        Worker.now += self.seconds * (len(y) / 3000) ** self.power
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.full((len(X), len(self.classes_)), 1 / len(self.classes_))


@pytest.mark.parametrize("seed", range(12))
def test_the_whole_fit_is_within_the_limit(monkeypatch, seed):
    """The cross-validation and the refit, on small and large tables."""
    rng = np.random.default_rng(seed)
    monkeypatch.setattr(Worker, "now", 0.0)
    for name in ("monotonic", "perf_counter", "process_time"):
        monkeypatch.setattr(f"softcost.search.time_limit.{name}", lambda: Worker.now)
    n = int(rng.choice([1200, 2000, 6000]))
    X, y = rng.normal(size=(n, 2)), np.arange(n) % 3
    workers = [
        Worker(10 ** rng.uniform(0, 1.3), rng.choice([1.0, 1.3])) for _ in range(4)
    ]
    # As with "auto", the fastest come first.
    workers.sort(key=lambda worker: worker.seconds)
    families = [(f"f{k}", MinimumExpectedCost(w)) for k, w in enumerate(workers)]
    first = workers[0].seconds * 6 * (n / 3000) ** workers[0].power
    limit = first * 10 ** rng.uniform(0.1, 1.5)
    grids = {name: {"setting": [1, 2]} for name, _ in families}
    SoftCostClassifierCV(
        families, cost_matrix=PRICES, softness=2, time_limit=limit, param_grid=grids
    ).fit(X, y)
    assert Worker.now <= 1.2 * limit

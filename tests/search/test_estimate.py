"""How long a search will take, before it begins."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import StratifiedShuffleSplit

from softcost.reductions import CostSensitiveOneVsOne, MinimumExpectedCost
from softcost.search import SoftCostClassifierCV, progress_to, time_limit
from softcost.search.time_limit import extrapolated

PRICES = np.array([[0, 1, 5], [2, 0, 4], [9, 7, 0.0]])


class Clock:
    """Time that passes only where somebody works."""

    now = 0.0


class Slow(ClassifierMixin, BaseEstimator):
    """Takes a time in proportion to a power of the rows, by that clock."""

    def __init__(self, power=1.5, setting=0):
        self.power, self.setting = power, setting

    def fit(self, X, y, sample_weight=None):
        Clock.now += (len(y) / 1000) ** self.power
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])

    def predict_proba(self, X):
        return np.tile([1 / len(self.classes_)], (len(X), len(self.classes_)))


@pytest.fixture
def rows(monkeypatch):
    monkeypatch.setattr(Clock, "now", 0.0)
    for name in ("perf_counter", "process_time"):
        monkeypatch.setattr(time_limit, name, lambda: Clock.now)
    rng = np.random.default_rng(0)
    return rng.normal(size=(8000, 2)), rng.permutation(np.arange(8000) % 3)


def told(search, X, y):
    """What was estimated and when, and when the search ended."""
    calls = []
    with progress_to(
        lambda done, total: None, estimate=lambda s: calls.append((s, Clock.now))
    ):
        search.fit(X, y)
    return calls, Clock.now


@pytest.mark.parametrize("power", [1.0, 1.5, 2.0])
@pytest.mark.parametrize(
    "reduction", [MinimumExpectedCost(Slow()), CostSensitiveOneVsOne(Slow())]
)
def test_the_estimate_is_the_time_that_follows(reduction, power, rows):
    reduction = reduction.set_params(learner__power=power)
    search = SoftCostClassifierCV(
        reduction, cost_matrix=PRICES, softness=3, param_grid={"setting": [1, 2]}, cv=4
    )
    ((seconds, begun),), ended = told(search, *rows)
    # Softness 1 takes less than others: some rows have no weight.
    assert seconds == pytest.approx(ended - begun, rel=0.3)


def test_the_last_fit_is_to_all_rows_where_folds_are_samples(rows):
    folds = StratifiedShuffleSplit(2, train_size=2000, test_size=500, random_state=0)
    search = SoftCostClassifierCV(
        MinimumExpectedCost(Slow(power=2.0)), cost_matrix=PRICES, param_grid={},
        cv=folds,
    )  # fmt: skip
    ((seconds, begun),), ended = told(search, *rows)
    assert seconds == pytest.approx(ended - begun, rel=0.25)


def test_nothing_is_measured_where_nobody_asks(rows, monkeypatch):
    monkeypatch.setattr(time_limit, "estimated_seconds", None)
    SoftCostClassifierCV(
        MinimumExpectedCost(Slow()), cost_matrix=PRICES, param_grid={}, softness=2
    ).fit(*rows)


def test_short_searches_are_not_worth_a_word(rows):
    search = SoftCostClassifierCV(
        MinimumExpectedCost(DummyClassifier()), cost_matrix=PRICES, param_grid={}
    )
    assert told(search, *rows)[0] == []


def test_verbose_tells_it(rows, capsys):
    SoftCostClassifierCV(
        MinimumExpectedCost(Slow()), cost_matrix=PRICES, param_grid={}, verbose=1
    ).fit(*rows)
    assert "s to go" in capsys.readouterr().err.splitlines()[0]


def test_a_search_finds_the_same_with_it(rows):
    X, y = rows[0][:2500], rows[1][:2500]

    def searched(verbose):
        return SoftCostClassifierCV(
            cost_matrix=PRICES, softness=3, cv=3, random_state=np.random.RandomState(1),
            reduction=MinimumExpectedCost(DummyClassifier(strategy="stratified")),
            param_grid={}, verbose=verbose,
        ).fit(X, y)  # fmt: skip

    loud, quiet = searched(1), searched(0)
    np.testing.assert_array_equal(loud.tradeoff_["cost"], quiet.tradeoff_["cost"])


def test_growth_is_believed_within_limits():
    assert extrapolated([100, 200], [1.0, 100.0], 400) == 400.0
    assert extrapolated([100, 200], [1.0, 0.5], 800) == 1.0

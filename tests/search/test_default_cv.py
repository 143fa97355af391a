"""How rows are held out if ``cv`` is not given: the same from Python and the CLI."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedShuffleSplit

from softcost import Budget, MinimumExpectedCost, SoftCostClassifierCV
from softcost.search import auto

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning", "ignore:the guarantee is approx"
)
PRICES = [[0, 1], [7, 0]]


@pytest.fixture
def small_limits(monkeypatch):
    """Call 150 rows many."""
    monkeypatch.setattr(auto, "MANY_ROWS", 150)
    monkeypatch.setattr(auto, "SAMPLE_ROWS", 90)
    monkeypatch.setattr(auto, "SAMPLE_TEST_ROWS", 45)


def rows(n):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    return (y + rng.normal(0, 0.5, n))[:, np.newaxis], y


def fitted(n, reduction=None, **options):
    options = {"softness": 2, "random_state": 0, "cost_matrix": PRICES} | options
    return SoftCostClassifierCV(reduction, **options).fit(*rows(n))


def held_out(search):
    return search.confusion_[0].sum(axis=(1, 2)).tolist()


def test_five_folds_up_to_the_limit(small_limits):
    assert held_out(fitted(150)) == [30] * 5


def test_auto_searches_many_rows_on_samples_and_refits_on_all(small_limits):
    search = fitted(200)
    assert held_out(search) == [45] * 3
    assert search.n_samples_ == 200
    samples = StratifiedShuffleSplit(3, train_size=90, test_size=45, random_state=0)
    same = fitted(200, cv=samples)
    assert same.tradeoff_.equals(search.tradeoff_)
    X = rows(200)[0]
    np.testing.assert_array_equal(same.predict(X), search.predict(X))


@pytest.mark.parametrize(
    ("options", "sizes"),
    [
        ({"cv": 4}, [50] * 4),
        ({"reduction": MinimumExpectedCost()}, [67, 67, 66]),
        ({"criterion": Budget(error=0.5, confidence=0.6)}, [67, 67, 66]),
    ],
)
def test_folds_of_many_rows(small_limits, options, sizes):
    assert sorted(held_out(fitted(200, **options)), reverse=True) == sizes


def test_a_class_with_a_single_row_cannot_be_sampled(small_limits):
    X, y = rows(200)
    y[0] = 2
    prices = np.ones((3, 3)) - np.eye(3)
    search = SoftCostClassifierCV(cost_matrix=prices, softness=2, random_state=0)
    assert sum(held_out(search.fit(X, y))) == 200

"""Everything that shows measures reads the registry."""

import json

import numpy as np
import pytest
from sklearn.datasets import load_iris

from softcost import OneSidedRegression, SoftCostClassifierCV
from softcost.metrics import MEASURES, Measure, measure, reported_measures
from softcost.report import ExplorerData, explorer_html
from softcost.search import Budget

COSTS = [[0, 1, 4], [2, 0, 1], [6, 3, 0]]


@pytest.fixture
def balanced_error(monkeypatch):
    """A measure that the library does not have."""

    def compute(outcome):
        sizes = outcome.confusion.sum(axis=-1)
        return (outcome.wrong / sizes).mean(axis=-1)

    added = Measure(
        "balanced_error",
        title="Balanced error rate",
        heading="balanced error",
        compute=compute,
        unit="rate",
        headline="always",
    )
    monkeypatch.setitem(MEASURES, added.name, added)
    return added


def test_a_new_measure_reaches_tables_and_pages(balanced_error):
    X, y = load_iris(return_X_y=True)
    search = SoftCostClassifierCV(
        OneSidedRegression(), cost_matrix=COSTS, softness=2, param_grid={"C": [1.0]}
    ).fit(X, y)
    recalls = search.confusion_.sum(axis=1)
    recalls = np.diagonal(recalls, axis1=1, axis2=2) / recalls.sum(axis=2)
    expected = 1 - recalls.mean(axis=1)
    name = balanced_error.name
    np.testing.assert_allclose(search.tradeoff_[name], expected)
    assert (search.tradeoff_[f"{name}_se"] >= 0).all()
    np.testing.assert_allclose(search.cv_results_[name], expected)
    assert 0 < search.constant_[name] < 1
    assert search.candidate_params(0) == {"C": 1.0}
    page = explorer_html(ExplorerData.from_search(search))
    assert json.dumps(balanced_error.title) in page


def test_a_new_measure_is_measured_and_reported(balanced_error):
    values = measure([0, 0, 0, 1], [0, 0, 1, 0], cost_matrix=[[0, 1], [5, 0]])
    assert values["balanced_error"] == pytest.approx((1 / 3 + 1) / 2)
    assert balanced_error in reported_measures(False)
    assert balanced_error in reported_measures(True, headline=True)
    assert balanced_error.format(0.125, 0.01) == "12.50% ± 1.00"


@pytest.mark.parametrize("name", Budget.limited_measures())
def test_a_budget_knows_the_direction_and_range_of_its_measures(name):
    (limit,) = Budget(**{name: 0.5}).limits()
    assert limit.at_least == MEASURES[name].larger_is_better
    assert MEASURES[name].heading in limit.describe()
    if MEASURES[name].upper_bound == 1:
        with pytest.raises(ValueError, match="from 0 to 1"):
            Budget(**{name: 1.5})
    else:
        assert Budget(**{name: 1.5}).limits()


def test_names_of_measures_are_their_keys():
    assert [one.name for one in MEASURES.values()] == list(MEASURES)

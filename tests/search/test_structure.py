"""One place for each idea: checked once, chosen alike, refitted by number."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

from softcost import costs
from softcost.reductions import (
    CATALOGUE,
    CostSensitiveOneVsOne,
    MinimumExpectedCost,
    OneSidedRegression,
    RegressionOneVsAll,
)
from softcost.report import ExplorerData, TradeoffDisplay
from softcost.search import (
    Budget,
    LeastCost,
    MaxOfBoth,
    SoftCostClassifierCV,
    Tolerance,
    reference_rows,
)
from softcost.svm import OneSidedSVR

MATRIX = np.array([[0, 1, 5], [1, 0, 5], [9, 9, 0.0]])


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return X, np.array(["s", "e", "v"])[y]


def search(**settings):
    given = {"cost_matrix": MATRIX, "classes": ["s", "e", "v"], "softness": 3, "cv": 3}
    return SoftCostClassifierCV(
        **({"reduction": OneSidedRegression()} | given | settings)
    )


def test_regression_of_costs_by_machines_is_regression(iris):
    X, y = iris
    model = RegressionOneVsAll(OneSidedSVR(C=16), cost_matrix=MATRIX)
    model.set_params(classes=["s", "e", "v"])
    assert np.mean(model.fit(X, y).predict(X) != y) < 0.1


@pytest.mark.parametrize("name", CATALOGUE)
@pytest.mark.parametrize("by_example", [False, True])
def test_costs_are_checked_once_a_fit(name, by_example, iris, monkeypatch):
    X, y = iris
    calls = []

    def counted(*args, **params):
        calls.append(args)
        return costs.row_costs(*args, **params)

    monkeypatch.setattr("softcost.reductions.base.row_costs", counted)
    given = {}
    if by_example:
        if CATALOGUE[name].by_class_only:
            pytest.skip("takes costs by class only")
        index = np.searchsorted(["e", "s", "v"], y)
        given["costs"] = MATRIX[index] * np.linspace(1, 2, len(y))[:, None]
    found = search(
        reduction=CATALOGUE[name].load()(random_state=0),
        cost_matrix=None if by_example else MATRIX,
        classes=["e", "s", "v"],
    )
    found.fit(X, y, **given)
    assert len(calls) == 1


def test_rows_are_refitted_by_number(iris):
    X, y = iris
    found = search().fit(X, y)
    for index in (0, 7, found.best_index_):
        model = found.candidate(index)
        assert model.softness == found.tradeoff_["softness"][index]
        assert found.candidate_params(index)["C"] == model.learner.C
        again = OneSidedRegression(
            OneSidedSVR(C=model.learner.C),
            cost_matrix=MATRIX,
            classes=["s", "e", "v"],
            softness=model.softness,
        ).fit(X, y)
        np.testing.assert_array_equal(
            model.decision_function(X), again.decision_function(X)
        )
    for index in (-1, len(found.tradeoff_)):
        with pytest.raises(ValueError, match="index must be a row"):
            found.candidate(index)


def test_reference_rows_are_the_same_wherever_they_are_shown(iris):
    X, y = iris
    found = search().fit(X, y)
    rows, table = found.reference_rows(), found.tradeoff_
    regular = table[table["softness"] == 1]
    assert rows["regular"] == regular["error"].idxmin()
    hard = table[table["softness"] == 0]
    assert rows["hard"] == hard["cost"].idxmin()
    page = ExplorerData.from_search(found)
    assert {"regular": page.regular, "hard": page.hard, "chosen": page.chosen} == rows
    pytest.importorskip("matplotlib").use("Agg")
    display = TradeoffDisplay.from_estimator(found)
    assert (display.regular, display.hard) == (rows["regular"], rows["hard"])
    alone = search(softness=[0.5]).fit(X, y)
    assert set(alone.reference_rows()) == {"chosen"}


def test_regular_never_looks_at_costs():
    """Ties in error go to the smallest C, not to the cheapest."""
    table = pd.DataFrame(
        {
            "softness": [0.0, 1.0, 0.0, 1.0],
            "C": [0.25, 0.25, 16.0, 16.0],
            "cost": [3.0, 4.0, 3.0, 2.0],
            "error": [0.3, 0.1, 0.2, 0.1],
            "weighted_error": [0.3, 0.2, 0.2, 0.1],
        }
    )
    assert reference_rows(table, 3) == {"regular": 1, "hard": 0, "chosen": 3}
    weighted = reference_rows(table, 3, error="weighted_error")
    assert weighted == {"regular": 3, "hard": 0, "chosen": 3}


@pytest.mark.parametrize("where", ["search", "reduction"])
def test_the_error_that_counts_is_shown(where, iris):
    X, y = iris
    weight = {"s": 1.0, "e": 0.2, "v": 0.3}
    if where == "search":
        found = search(error_weight=weight)
    else:
        found = search(reduction=CostSensitiveOneVsOne(error_weight=weight))
    found.fit(X, y)
    assert found.error_measure_ == "weighted_error"
    assert ExplorerData.from_search(found).error == "weighted_error"
    pytest.importorskip("matplotlib").use("Agg")
    assert TradeoffDisplay.from_estimator(found).error == "weighted_error"


@pytest.mark.parametrize("labels", [[0, 1, 2], [3, 1, 2], ["s", "e", "v"]])
def test_a_fitted_classifier_is_searched_as_it_is(labels, iris):
    X, y = load_iris(return_X_y=True)
    y = np.array(labels)[y]
    fitted = LogisticRegression(max_iter=1000).fit(X[::2], y[::2])
    order = np.argsort(labels)
    matrix = MATRIX[np.ix_(order, order)]
    found = SoftCostClassifierCV(
        MinimumExpectedCost(FrozenEstimator(fitted)), cost_matrix=matrix
    ).fit(X, y)
    chances = fitted.predict_proba(X)
    hard = found.candidate(0)
    assert hard.softness == 0
    np.testing.assert_array_equal(
        hard.predict(X), fitted.classes_[(chances @ matrix).argmin(axis=1)]
    )
    np.testing.assert_allclose(found.best_estimator_.predict_proba(X), chances)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (LeastCost(), {"criterion": "cost"}),
        (MaxOfBoth(), {"criterion": "max"}),
        (Budget(error=0.1), {"criterion": "constrained", "max_error": 0.1}),
        (Tolerance(cost=0.5), {"criterion": "tolerance", "tolerance": 0.5}),
        (Tolerance(cost="1se"), {"criterion": "tolerance", "tolerance": "1se"}),
    ],
)
def test_words_stand_for_rules(rule, words, iris):
    X, y = iris
    said = search(**words).fit(X, y)
    meant = search(criterion=rule).fit(X, y)
    assert said.best_index_ == meant.best_index_
    assert meant.choose().choose(rule).best_index_ == said.best_index_
    assert rule.describe()


def test_a_rule_takes_no_words_beside_it():
    with pytest.raises(ValueError, match="max_error"):
        search(criterion=LeastCost(), max_error=0.1).fit([[0.0], [1.0]], ["s", "e"])

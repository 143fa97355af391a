"""``costs`` as a function of X and y: the same as the array that it returns."""

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import cross_validate

from softcost import CostSensitiveOneVsOne, MinimumExpectedCost, SoftCostClassifierCV
from softcost.metrics import cost_scorer


def by_true_class(X, y):
    """A mistake costs more, the larger the first column and the class are."""
    amount = 1 + np.abs(np.asarray(X)[:, :1])
    return amount * (1 + np.asarray(y)[:, None]) * (1.0 - np.eye(3)[np.asarray(y)])


def by_matrix(X, y):
    """A matrix for every row, which does not depend on its label."""
    amount = 1 + np.abs(np.asarray(X)[:, 0])
    return amount[:, None, None] * np.array([[0, 1, 5], [1, 0, 5], [9, 9, 0]])


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=150)
    return rng.normal(size=(150, 3)) + np.eye(3)[y], y


@pytest.fixture
def pairs():
    return CostSensitiveOneVsOne(LogisticRegression())


def test_a_reduction(rows, pairs):
    X, y = rows
    expected = pairs.fit(X, y, costs=by_true_class(X, y)).decision_function(X)
    score = pairs.score(X, y, costs=by_true_class(X, y))
    pairs.fit(X, y, costs=by_true_class)
    np.testing.assert_array_equal(pairs.decision_function(X), expected)
    assert pairs.score(X, y, costs=by_true_class) == score


def test_a_block():
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1, 2], 20)
    X = rng.normal(size=(60, 2)) + y[:, None]
    models = [
        CostSensitiveOneVsOne(SGDClassifier(random_state=0)).partial_fit(
            X, y, [0, 1, 2], costs=costs
        )
        for costs in (by_true_class, by_true_class(X, y))
    ]
    outputs = [model.decision_function(X) for model in models]
    np.testing.assert_array_equal(*outputs)


@pytest.mark.parametrize("search", [False, True])
def test_matrices_of_rows_to_predict(search, rows):
    X, y = rows
    model = MinimumExpectedCost(LogisticRegression())
    if search:
        model = SoftCostClassifierCV(model, softness=[0.0, 0.5], cv=3)
    model.fit(X, y, costs=by_matrix)
    matrices = by_matrix(X, None)
    for method in (model.predict, model.expected_costs):
        np.testing.assert_array_equal(
            method(X, costs=by_matrix), method(X, costs=matrices)
        )
    assert model.score(X, y, costs=by_matrix) == model.score(X, y, costs=matrices)


def test_a_search_calls_it_once_with_the_rows_as_given(rows):
    X, y = rows
    table = pd.DataFrame(X, columns=["a", "b", "c"])
    calls = []

    def costs(X, y):
        calls.append((X, y))
        return by_true_class(X, y)

    family = [("a", MinimumExpectedCost()), ("b", CostSensitiveOneVsOne())]
    search = SoftCostClassifierCV(family, softness=[0.0], cv=3, param_grid={"b": {}})
    search.fit(table, y, costs=costs)
    assert len(calls) == 1
    assert calls[0][0] is table
    assert calls[0][1] is y
    again = SoftCostClassifierCV(family, softness=[0.0], cv=3, param_grid={"b": {}})
    again.fit(table, y, costs=by_true_class(X, y))
    pd.testing.assert_frame_equal(search.tradeoff_, again.tradeoff_)


def test_a_mix(rows):
    X, y = rows
    search = SoftCostClassifierCV(
        MinimumExpectedCost(LogisticRegression()), cv=3, random_state=0
    ).fit(X, y, costs=by_matrix)
    mix = search.mix(max_error=1.0)
    matrices = by_matrix(X, None)
    np.testing.assert_array_equal(
        mix.predict(X, costs=by_matrix), mix.predict(X, costs=matrices)
    )
    assert mix.score(X, y, costs=by_matrix) == mix.score(X, y, costs=matrices)


@pytest.mark.parametrize("scoring", [None, cost_scorer()])
def test_scikit_learn_hands_it_on(scoring, rows, pairs):
    """It is evaluated on the rows of each fold."""
    X, y = rows
    with config_context(enable_metadata_routing=True):
        scores = [
            cross_validate(
                *(pairs, X, y),
                params={"costs": costs},
                scoring=scoring,
                error_score="raise",
            )["test_score"]
            for costs in (by_true_class, by_true_class(X, y))
        ]
    np.testing.assert_array_equal(*scores)


@pytest.mark.parametrize("returned", [None, by_true_class])
def test_no_costs_are_refused(returned, rows, pairs):
    X, y = rows
    with pytest.raises(TypeError, match="return an array of shape"):
        pairs.fit(X, y, costs=lambda X, y: returned)


def test_costs_of_other_rows_are_refused(rows, pairs):
    X, y = rows
    with pytest.raises(ValueError, match="costs"):
        pairs.fit(X, y, costs=lambda X, y: by_true_class(X, y)[1:])

"""A price list that changes after training is noticed, not ignored."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression, Ridge

from softcost import MinimumExpectedCost, SoftCostClassifierCV
from softcost.reductions import CATALOGUE

PRICES = np.array([[0.0, 2.0, 7.0], [1.0, 0.0, 3.0], [9.0, 4.0, 0.0]])
LEARNT = [name for name in CATALOGUE if name != "mec"]


def made(name, **params):
    entry = CATALOGUE[name]
    learner = Ridge() if entry.needs in ("one-sided", "regressor") else None
    return entry.load()(learner or LogisticRegression(), **params)


@pytest.mark.parametrize("name", LEARNT)
def test_new_prices_are_refused_at_predict(blobs, name):
    X, y, X_new, _ = blobs(3)
    model = made(name, cost_matrix=PRICES.copy()).fit(X, y)
    before = model.predict(X_new)
    model.cost_matrix = pd.DataFrame(PRICES).iloc[[1, 2, 0]]  # the same, by name
    np.testing.assert_array_equal(model.predict(X_new), before)
    for prices in (PRICES.T, None, 2 * PRICES):
        model.set_params(cost_matrix=prices)
        for method in (model.predict, model.decision_function):
            with pytest.raises(ValueError, match=r"cost_matrix was changed.*Fit it"):
                method(X_new)
    model.cost_matrix = PRICES.copy()
    model.predict(X_new)
    model.cost_matrix[0, 1] += 1  # in place
    with pytest.raises(ValueError, match="changed after fit"):
        model.predict(X_new)


@pytest.mark.parametrize("name", [n for n in LEARNT if not CATALOGUE[n].by_class_only])
def test_a_matrix_after_costs_by_example_is_refused(blobs, example_costs, name):
    X, y, X_new, rng = blobs(3)
    model = made(name).fit(X, y, costs=example_costs(y, rng, 3))
    model.predict(X_new)
    model.cost_matrix = PRICES
    with pytest.raises(ValueError, match="changed after fit"):
        model.predict(X_new)


@pytest.mark.parametrize("where", ["search", "reduction"])
def test_a_search_refuses_new_prices(blobs, where):
    X, y, X_new, _ = blobs(3)
    prices = PRICES.copy()
    reduction = MinimumExpectedCost(cost_matrix=prices if where != "search" else None)
    search = SoftCostClassifierCV(
        reduction, cost_matrix=prices if where == "search" else None, cv=2, softness=3
    ).fit(X, y)
    search.predict(X_new)
    prices[0, 1] += 1
    with pytest.raises(ValueError, match=r"changed after fit.*best_estimator_"):
        search.predict(X_new)
    search.best_estimator_.set_params(cost_matrix=prices).predict(X_new)

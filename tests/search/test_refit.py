"""Candidates that are kept, and chosen without the training data."""

import copy

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from softcost import (
    MinimumExpectedCost,
    OneSidedRegression,
    SoftCostClassifierCV,
    load,
    save,
)
from softcost.metrics import pareto_mask
from softcost.search import Budget

NAMES = np.array(["a", "b", "c"])


@pytest.fixture(scope="module", params=["kernel", "families"])
def search(request):
    X, y = load_iris(return_X_y=True)
    X = X + np.random.default_rng(0).normal(0, 0.6, X.shape)
    grid = {"C": [1, 8]}
    reduction = OneSidedRegression()
    if request.param == "families":
        reduction = [("mec", MinimumExpectedCost(LogisticRegression(max_iter=500)))]
        grid = {"mec": {"C": [0.1, 1]}}
    prices = [[0, 1, 9], [2, 0, 3], [30, 5, 0]]
    made = SoftCostClassifierCV(
        reduction, cost_matrix=prices, softness=5, param_grid=grid, cv=3, random_state=0
    )
    return made.fit(X, NAMES[y]), X


def saved(search, folder):
    save(search, folder / "model.softcost")
    return load(folder / "model.softcost")


def test_a_saved_search_chooses_as_the_search_itself(search, tmp_path):
    search, X = search
    other = saved(search.keep_candidates(), tmp_path)
    points = search.tradeoff_[["error", "cost"]].to_numpy()
    assert set(other.candidates_) >= set(np.flatnonzero(pareto_mask(points)))
    budgets = search.tradeoff_["error"].to_numpy()[sorted(other.candidates_)]
    for asked in [
        {"criterion": "cost"},
        {"criterion": "tolerance", "tolerance": 0.2},
        *({"criterion": "constrained", "max_error": float(one)} for one in budgets),
    ]:
        expected = copy.copy(search)  # without its data
        expected._problem, expected._predicted = search._problem, search._predicted
        expected._error_weight = search._error_weight
        expected.choose(**asked)
        other.choose(**asked)
        for name in ("cost", "error"):
            assert (
                other.tradeoff_[name][other.best_index_]
                == search.tradeoff_[name][expected.best_index_]
            )
        np.testing.assert_array_equal(
            other.predict(X), search.candidate(other.best_index_).predict(X)
        )
        assert other.best_params_["softness"] == other.best_estimator_.softness
    again = saved(other, tmp_path)
    np.testing.assert_array_equal(again.predict(X), other.predict(X))
    assert again.best_index_ == other.best_index_


def test_a_recall_is_measured_among_the_kept(search, tmp_path):
    search, _ = search
    other = saved(search.keep_candidates(range(len(search.tradeoff_))), tmp_path)
    counts = search.confusion_.sum(axis=1)
    recall = counts[:, 2, 2] / counts[:, 2].sum(axis=1)
    limit = float(np.quantile(recall, 0.6))
    other.choose(Budget(recall={"c": limit}))
    cost = search.tradeoff_["cost"].to_numpy()
    assert recall[other.best_index_] >= limit
    assert cost[other.best_index_] == cost[recall >= limit].min()
    assert other.guarantee_["passed"] == np.flatnonzero(recall >= limit).tolist()


def test_what_was_not_kept_cannot_be_had(search, tmp_path):
    search, _ = search
    other = saved(search.keep_candidates([0]), tmp_path)
    assert set(other.candidates_) == {0, search.best_index_}
    assert other.candidate(0) is other.candidates_[0]
    missing = next(
        row for row in range(len(search.tradeoff_)) if row not in other.candidates_
    )
    with pytest.raises(ValueError, match="has no training data"):
        other.candidate(missing)
    with pytest.raises(ValueError, match="training rows"):
        other.choose(Budget(error=0.5, confidence=0.9))
    with pytest.raises(ValueError, match="rows must be rows of tradeoff_"):
        search.keep_candidates([999])
    with pytest.raises(ValueError, match="has no training data"):
        other.keep_candidates()


def test_a_new_fit_keeps_nothing_of_the_old(search):
    search, X = search
    made = copy.deepcopy(search.keep_candidates())
    y = NAMES[load_iris().target]
    made.fit(X, y)
    assert not hasattr(made, "candidates_")


def test_one_fit_serves_candidates_that_only_decide_otherwise(tmp_path):
    X, y = load_iris(return_X_y=True)
    X = X + np.random.default_rng(0).normal(0, 0.9, X.shape)
    learner = RandomForestClassifier(20, max_depth=4)
    prices = [[0, 1, 9], [2, 0, 3], [30, 5, 0]]
    search = SoftCostClassifierCV(
        [("forest", MinimumExpectedCost(learner)), ("osr", OneSidedRegression())],
        cost_matrix=prices, softness=5, param_grid={"osr": {"C": [1.0]}}, cv=3,
        random_state=0,
    ).fit(X, NAMES[y])  # fmt: skip
    alone = search.keep_candidates([0]).candidates_[0]
    save(search, tmp_path / "one")
    search.keep_candidates(range(len(search.tradeoff_)))
    for row, one in search.candidates_.items():
        fresh = search.candidate(row)
        assert one.softness == fresh.softness == search.tradeoff_["softness"][row]
        np.testing.assert_array_equal(one.predict(X), fresh.predict(X))
    other = saved(search, tmp_path)
    for model in (search, other):
        forests = {id(model.candidates_[row].estimator_) for row in range(5)}
        machines = {id(model.candidates_[row]) for row in range(5, 10)}
        assert (len(forests), len(machines)) == (1, 5)
        assert model.best_estimator_ is model.candidates_[model.best_index_]
    for row, one in search.candidates_.items():
        np.testing.assert_array_equal(other.candidates_[row].predict(X), one.predict(X))
    other.candidates_[0].set_params(softness=1.0)
    assert alone.softness == search.candidates_[0].softness == 0.0
    assert other.candidates_[1].softness == search.candidates_[1].softness
    search.keep_candidates(range(5))
    save(search, tmp_path / "five")
    sizes = [(tmp_path / name).stat().st_size for name in ("one", "five")]
    assert sizes[1] < 1.5 * sizes[0]

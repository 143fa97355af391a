"""How flattered the best of many is: the formula, and candidates that only guess."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GroupKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
)

import softcost
from softcost import CostSensitiveOneVsOne, MinimumExpectedCost, SoftCostClassifierCV
from softcost.metrics import mean_cost
from softcost.search import Budget, LeastCost, MaxOfBoth

PRICES = np.array([[0, 2, 1], [3, 0, 1], [9, 5, 0.0]])


def rows(n=90, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    return rng.normal(size=(n, 3)) + 0.7 * y[:, None], y


def pairs(**settings):
    given = {
        "cost_matrix": PRICES,
        "softness": 3,
        "param_grid": {"C": [0.01, 1.0]},
        "cv": 3,
    }
    learner = CostSensitiveOneVsOne(LogisticRegression())
    return SoftCostClassifierCV(learner, **(given | settings))


def held_out(search, X, y):
    """Predictions of every candidate for every row, refitted fold by fold."""
    predicted = np.empty((len(search.tradeoff_), len(y)), int)
    for train, test in search.cv:
        for i, params in enumerate(search.cv_results_["params"]):
            model = CostSensitiveOneVsOne(
                LogisticRegression(C=params["C"]),
                cost_matrix=PRICES,
                softness=params["softness"],
            )
            predicted[i, test] = model.fit(X[train], y[train]).predict(X[test])
    return predicted


@pytest.mark.parametrize("rule", [LeastCost(), Budget(error=0.45), MaxOfBoth()])
def test_it_is_the_formula_in_a_plain_loop(rule):
    X, y = rows()
    part = np.arange(len(y)) % 3
    cv = [(np.flatnonzero(part != k), np.flatnonzero(part == k)) for k in range(3)]
    weight = np.random.default_rng(3).integers(1, 4, len(y)).astype(float)
    search = pairs(cv=cv, criterion=rule)
    search.fit(X, y)
    predicted = held_out(search, X, y)
    found = search.optimism(20, random_state=5)
    rng, costs = np.random.RandomState(5), []
    scale = PRICES.sum() / 6  # the average price of a mistake
    for _ in range(20):
        drawn = rng.randint(len(y), size=len(y))
        left = np.setdiff1d(np.arange(len(y)), drawn)
        cost = [mean_cost(y[drawn], p[drawn], cost_matrix=PRICES) for p in predicted]
        table = pd.DataFrame(
            {
                "softness": search.tradeoff_["softness"],
                "cost": cost,
                "error": (predicted[:, drawn] != y[drawn]).mean(axis=1),
                "normalized_cost": np.array(cost) / scale,
            }
        )
        best = chosen(rule, table)
        costs.append(mean_cost(y[left], predicted[best][left], cost_matrix=PRICES))
    assert found.expected_cost == pytest.approx(np.mean(costs), rel=1e-12)
    assert found.low == pytest.approx(np.quantile(costs, 0.025))
    assert found.high == pytest.approx(np.quantile(costs, 0.975))
    assert found.cost == search.tradeoff_["cost"].iloc[search.best_index_]
    assert found.optimism == found.expected_cost - found.cost
    assert (found.n_candidates, found.n_resamples) == (6, 20)
    # Weights change it, and a second call does not.
    again = search.optimism(20, random_state=5)
    assert again == found
    weighted = search.fit(X, y, sample_weight=weight).optimism(20, random_state=5)
    assert weighted.expected_cost != found.expected_cost


def chosen(rule, table):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return rule.choose(table)


class Guess(ClassifierMixin, BaseEstimator):
    """Guesses by the content of a row and a seed: no seed is better than another."""

    def __init__(self, seed=0):
        self.seed = seed

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        bits = (np.abs(X[:, 0]) * 1e6).astype(np.int64)
        drawn = np.array([np.random.default_rng([self.seed, b]).random() for b in bits])
        return np.column_stack([drawn, 1 - drawn])


def test_the_best_of_many_guesses_is_flattered():
    expected, apparent = [], []
    for run in range(6):
        rng = np.random.default_rng(run)
        X, y = rng.normal(size=(80, 1)), np.arange(80) % 2
        search = SoftCostClassifierCV(
            MinimumExpectedCost(Guess()),
            softness=[1.0],
            param_grid={"seed": list(range(30))},
            cv=2,
        ).fit(X, y)
        found = search.optimism()
        expected.append(found.expected_cost)
        apparent.append(found.cost)
    # A guess is wrong half of the time.
    assert np.mean(apparent) < 0.42
    assert abs(np.mean(expected) - 0.5) < 0.03


def test_one_candidate_is_not_flattered():
    X, y = rows(300)
    found = pairs(softness=[0.0], param_grid={"C": [1.0]}).fit(X, y).optimism(400)
    assert abs(found.optimism) < 0.02 * found.cost
    assert found.low < found.cost < found.high


def test_groups_are_drawn_together():
    X, y = rows(60)
    # Every row four times: the spread is that of 60 rows, not of 240.
    X, y, groups = np.tile(X, (4, 1)), np.tile(y, 4), np.tile(np.arange(60), 4)
    settings = {"softness": [0.0], "param_grid": {"C": [1.0]}, "cv": GroupKFold(3)}
    together = pairs(**settings).fit(X, y, groups=groups)
    apart = clone(together).set_params(
        cv=list(GroupKFold(3).split(X, y, groups)),
    )
    wide, narrow = (one.optimism(300) for one in (together, apart.fit(X, y)))
    assert wide.high - wide.low > 1.5 * (narrow.high - narrow.low)


def test_one_group_cannot_be_drawn_from():
    X, y = rows(60)
    half = [(np.arange(30), np.arange(30, 60))]
    groups = np.arange(60) // 30
    search = pairs(cv=PredefinedGroups(half)).fit(X, y, groups=groups)
    with pytest.raises(ValueError, match="only one"):
        search.optimism()


class PredefinedGroups:
    """Given folds, as a splitter."""

    def __init__(self, folds):
        self.folds = folds

    def split(self, X, y=None, groups=None):
        return iter(self.folds)

    def get_n_splits(self, X=None, y=None, groups=None):
        return len(self.folds)


@pytest.mark.parametrize(
    "cv",
    [
        RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
        ShuffleSplit(3, test_size=0.2, random_state=0),
    ],
)
def test_rows_may_be_held_out_often_or_never(cv):
    found = pairs(cv=cv).fit(*rows()).optimism(50)
    assert np.isfinite([found.expected_cost, found.low, found.high]).all()


def test_it_needs_the_predictions(tmp_path):
    with pytest.raises(NotFittedError):
        pairs().optimism()
    found = pairs().fit(*rows())
    softcost.save(found, tmp_path / "model")
    with pytest.raises(ValueError, match="needs the held-out predictions"):
        softcost.load(tmp_path / "model").optimism()
    for wrong in (0, 1, -5, 2.5, "many"):
        with pytest.raises(ValueError, match="n_resamples must be a count"):
            found.optimism(wrong)
    with pytest.raises(ValueError, match="seed"):
        found.optimism(random_state="x")

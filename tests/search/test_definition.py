"""The search is what its definition says: a plain loop over clones."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, minmax_scale

from softcost import (
    CostSensitiveOneVsOne,
    FilterTree,
    OneSidedRegression,
    SoftCostClassifierCV,
    WeightedAllPairs,
    ZhouLiuRescaling,
)
from softcost.costs import inconsistent
from softcost.datasets import load
from softcost.metrics import (
    error_rate,
    g_mean,
    mean_cost,
    normalized_cost,
    pareto_mask,
    weighted_error,
)
from softcost.svm import KernelSVC, OneSidedSVR

C_VALUES = [0.25, 16.0, 1024.0]
SOFTNESS = [0.0, 0.3, 0.7, 1.0]
REDUCTIONS = {
    "osr": OneSidedRegression(OneSidedSVR(tol=1e-6)),
    "csovo": CostSensitiveOneVsOne(KernelSVC(tol=1e-6)),
    "wap": WeightedAllPairs(KernelSVC(tol=1e-6)),
    "cszl": ZhouLiuRescaling(KernelSVC(tol=1e-6)),
    "csft": FilterTree(KernelSVC(tol=1e-6)),
}


def table_of(name, data_dir):
    if name == "iris":
        X, y = load_iris(return_X_y=True)
        y = np.array(["setosa", "versicolor", "virginica"])[y]
    elif name == "wine":
        X, y = load_wine(return_X_y=True)
    else:
        X, y = load(name, data_home=data_dir, return_X_y=True)
    return minmax_scale(X), y


def held_out_predictions(reduction, X, y, folds, costs=None, **fixed):
    """Predictions by (C, softness) from clones that know nothing of each other."""
    for C in C_VALUES:
        for softness in SOFTNESS:
            predicted = np.empty(len(y), dtype=y.dtype)
            for train, test in folds:
                model = clone(reduction).set_params(
                    learner__C=C, softness=softness, classes=np.unique(y), **fixed
                )
                own = {} if costs is None else {"costs": costs[train]}
                predicted[test] = model.fit(X[train], y[train], **own).predict(X[test])
            yield C, softness, predicted


@pytest.mark.parametrize("data", ["iris", "wine", "glass"])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_same_table_and_choice_as_a_plain_loop(name, data, data_dir):
    X, y = table_of(data, data_dir)
    matrix = inconsistent(np.unique(y, return_counts=True)[1], 3) * 40
    cv = StratifiedKFold(3, shuffle=True, random_state=1)
    search = SoftCostClassifierCV(
        REDUCTIONS[name],
        cost_matrix=matrix,
        softness=SOFTNESS,
        param_grid={"C": C_VALUES},
        cv=cv,
    ).fit(X, y)
    expected = pd.DataFrame(
        {
            "softness": softness,
            "C": C,
            "cost": mean_cost(y, predicted, cost_matrix=matrix),
            "error": error_rate(y, predicted),
            "weighted_error": weighted_error(y, predicted),
            "g_mean": g_mean(y, predicted),
            "normalized_cost": normalized_cost(y, predicted, cost_matrix=matrix),
        }
        for C, softness, predicted in held_out_predictions(
            REDUCTIONS[name], X, y, list(cv.split(X, y)), cost_matrix=matrix
        )
    )
    found = search.tradeoff_
    pd.testing.assert_frame_equal(found[expected.columns], expected)
    front = pareto_mask(expected[["error", "cost"]].to_numpy())
    np.testing.assert_array_equal(found["on_front"], front)

    least = expected["cost"].min()
    ties = expected[expected["cost"] <= least * (1 + 1e-12)]
    ties = ties[ties["softness"] == ties["softness"].max()]
    softness = ties["softness"].iloc[0]
    assert search.best_softness_ == softness
    assert search.best_params_ == {"softness": softness, "C": ties["C"].min()}
    results = search.cv_results_
    assert search.best_score_ == results["mean_test_score"][search.best_index_]
    alone = clone(REDUCTIONS[name]).set_params(
        learner__C=search.best_params_["C"],
        softness=search.best_softness_,
        cost_matrix=matrix,
    )
    np.testing.assert_array_equal(search.predict(X), alone.fit(X, y).predict(X))


@pytest.mark.parametrize("name", ["osr", "csovo", "csft"])
def test_costs_by_example_are_cut_with_the_folds(name):
    X, y = table_of("wine", None)
    rng = np.random.default_rng(0)
    costs = rng.uniform(size=(len(y), 3)) ** 3
    costs[np.arange(len(y)), y] = 0
    cv = StratifiedKFold(3, shuffle=True, random_state=1)
    search = SoftCostClassifierCV(
        REDUCTIONS[name], softness=SOFTNESS, param_grid={"C": C_VALUES}, cv=cv
    ).fit(X, y, costs=costs)
    expected = [
        mean_cost(y, predicted, costs=costs)
        for *_, predicted in held_out_predictions(
            REDUCTIONS[name], X, y, list(cv.split(X, y)), costs=costs
        )
    ]
    np.testing.assert_allclose(search.tradeoff_["cost"], expected)


def test_both_engines_agree_on_the_same_learner(monkeypatch):
    X, y = table_of("iris", None)
    matrix = inconsistent([50, 50, 50], 0)
    rows = np.r_[0:150, 0:30]  # duplicates are merged on one side only
    weight = np.random.default_rng(0).uniform(0.5, 2, len(rows))
    search = SoftCostClassifierCV(
        CostSensitiveOneVsOne(KernelSVC(kernel="rbf", tol=1e-6)),
        cost_matrix=matrix,
        softness=3,
        param_grid={"C": [1.0, 16.0], "gamma": ["scale", 0.5]},
        error_weight="balanced",
    )
    shared = clone(search).fit(X[rows], y[rows], sample_weight=weight)
    monkeypatch.setattr("softcost.search.path_engine.can_walk", lambda *_: False)
    alone = clone(search).fit(X[rows], y[rows], sample_weight=weight)
    pd.testing.assert_frame_equal(shared.tradeoff_, alone.tradeoff_)
    assert shared.best_params_ == alone.best_params_


def test_standard_errors_are_those_of_the_folds():
    X, y = table_of("wine", None)
    matrix = inconsistent([59, 71, 48], 5)
    cv = StratifiedKFold(4, shuffle=True, random_state=0)
    search = SoftCostClassifierCV(
        REDUCTIONS["osr"], cost_matrix=matrix, softness=[0.5], param_grid={"C": [16]},
        cv=cv,
    ).fit(X, y)  # fmt: skip
    by_fold = []
    for train, test in cv.split(X, y):
        model = clone(REDUCTIONS["osr"]).set_params(
            learner__C=16, softness=0.5, cost_matrix=matrix
        )
        predicted = model.fit(X[train], y[train]).predict(X[test])
        by_fold.append(
            mean_cost(y[test], predicted, cost_matrix=matrix, classes=[0, 1, 2])
        )
    expected = np.std(by_fold, ddof=1) / np.sqrt(4)
    assert search.tradeoff_["cost_se"].iloc[0] == pytest.approx(expected)


def test_any_learner_with_its_own_parameters():
    X, y = load_wine(return_X_y=True)
    learner = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    search = SoftCostClassifierCV(
        CostSensitiveOneVsOne(learner),
        cost_matrix=inconsistent([59, 71, 48], 1),
        softness=3,
        param_grid={"logisticregression__C": [0.1, 10]},
    ).fit(X, y)
    assert len(search.tradeoff_) == 6
    assert search.tradeoff_["error"].min() < 0.1
    chosen = search.best_estimator_.learner.named_steps["logisticregression"].C
    assert chosen == search.best_params_["logisticregression__C"]

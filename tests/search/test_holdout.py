"""Holdout rows, and the budgets that are tested on them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from sklearn.naive_bayes import GaussianNB

from softcost import (
    Budget,
    CostSensitiveOneVsOne,
    MinimumExpectedCost,
    SoftCostClassifierCV,
    load,
    save,
)
from softcost.metrics import MEASURES
from softcost.search import Limit
from softcost.svm import KernelSVC

PRICES = {
    "ham": {"spam": 1, "fraud": 4},
    "spam": {"ham": 2, "fraud": 3},
    "fraud": {"ham": 9, "spam": 7},
}


@pytest.fixture(scope="module")
def data():
    X, y = make_classification(
        400, 6, n_informative=4, n_classes=3, class_sep=1.5, random_state=3
    )
    return X, np.array(["ham", "spam", "fraud"])[y]


def search(reduction=None, **settings):
    told = {
        "cost_matrix": PRICES, "softness": 3, "param_grid": {"C": [0.1, 1.0]},
        "cv": 3, "random_state": 0, "holdout": 0.25,
        "criterion": Budget(error=0.9, confidence=0.9),
    }  # fmt: skip
    if reduction is None:
        reduction = MinimumExpectedCost(LogisticRegression())
    return SoftCostClassifierCV(reduction, **(told | settings))


@pytest.mark.parametrize(
    "reduction",
    [
        MinimumExpectedCost(LogisticRegression()),
        CostSensitiveOneVsOne(KernelSVC(kernel="rbf")),  # walks a path
    ],
    ids=["clones", "path"],
)
def test_counts_are_those_of_the_candidates_fitted_to_all_other_rows(data, reduction):
    X, y = data
    kept = np.arange(0, 400, 4)
    model = search(reduction, holdout=kept).fit(X, y)
    assert model.n_samples_ == 300
    assert model.confusion_[0].sum() == 300
    names = model.classes_
    for row in range(len(model.tradeoff_)):
        predicted = model.candidate(row).predict(X[kept])
        expected = [[np.sum((y[kept] == a) & (predicted == b)) for b in names]
                    for a in names]  # fmt: skip
        np.testing.assert_array_equal(model.holdout_confusion_[row], expected)
    assert model.guarantee_["kind"] == "exact"
    assert model.guarantee_["rows"] == 100


def test_what_holdout_rows_hold_changes_nothing_but_the_test(data):
    X, y = data
    kept = np.arange(100)
    other_X, other_y = X.copy(), y.copy()
    other_X[kept] = 7.0
    other_y[kept] = "spam"
    first = search(holdout=kept, criterion="cost").fit(X, y)
    second = search(holdout=kept, criterion="cost").fit(other_X, other_y)
    np.testing.assert_array_equal(first.tradeoff_, second.tradeoff_)
    fits = [model.candidate(3).predict(X) for model in (first, second)]
    np.testing.assert_array_equal(*fits)
    assert (first.holdout_confusion_ != second.holdout_confusion_).any()


def test_a_mask_names_the_same_rows(data):
    kept = np.arange(5, 95)
    mask = np.isin(np.arange(400), kept)
    first, second = (search(holdout=one).fit(*data) for one in (kept, mask))
    np.testing.assert_array_equal(first.holdout_confusion_, second.holdout_confusion_)


def test_groups_stay_together(data):
    X, y = data
    groups = np.arange(400) // 8
    model = search(cv=GroupKFold(3)).fit(X, y, groups=groups)
    split = model._problem.holdout
    assert not set(groups[split.train]) & set(groups[split.test])
    assert len(np.unique(model._problem.groups)) == len(np.unique(groups[split.train]))


def test_rows_of_weight_zero_are_as_if_absent(data):
    X, y = data
    weight = np.ones(400)
    weight[::5] = 0.0
    kept = np.arange(100)
    model = search(holdout=kept).fit(X, y, sample_weight=weight)
    counted = np.flatnonzero(weight)
    part = np.flatnonzero(np.isin(counted, kept))
    same = search(holdout=part).fit(X[counted], y[counted])
    np.testing.assert_array_equal(model.holdout_confusion_, same.holdout_confusion_)
    np.testing.assert_allclose(model.tradeoff_["cost"], same.tradeoff_["cost"])


def test_equal_weights_are_counted_as_rows(data):
    X, y = data
    model = search().fit(X, y, sample_weight=np.full(400, 2.5))
    same = search().fit(X, y)
    assert model.guarantee_["rows"] == same.guarantee_["rows"] == 100
    values = (one.guarantee_["limits"][0]["p_value"] for one in (model, same))
    assert next(values) == pytest.approx(next(values))


def test_another_budget_needs_no_other_search(data):
    model = search().fit(*data)
    table = model.tradeoff_
    with pytest.warns(UserWarning, match="no candidate was shown"):
        model.choose(Budget(error=0.001, confidence=0.9))
    assert not model.guarantee_["met"]
    model.choose(Budget(recall={"fraud": 0.05}, confidence=0.9))
    assert model.guarantee_["met"]
    assert model.choose("cost").guarantee_ is None
    assert model.tradeoff_ is table


def test_the_optimism_is_that_of_the_best_that_passed(data):
    model = search(criterion=Budget(recall={"fraud": 0.3}, confidence=0.9)).fit(*data)
    passed = model.guarantee_["passed"]
    same = search(criterion=lambda table: table["cost"].where(table.index.isin(passed)))
    assert model.optimism(20) == same.fit(*data).optimism(20)


def test_several_families_are_tested_together(data):
    X, y = data
    kept = np.arange(0, 400, 4)
    families = [
        ("logistic", MinimumExpectedCost(LogisticRegression())),
        ("Bayes", MinimumExpectedCost(GaussianNB())),
    ]
    model = search(families, holdout=kept, param_grid=None).fit(X, y)
    for row in range(len(model.tradeoff_)):
        right = np.trace(model.holdout_confusion_[row])
        assert right == np.sum(model.candidate(row).predict(X[kept]) == y[kept])


@pytest.fixture(scope="module")
def with_an_action(data):
    prices = pd.DataFrame(PRICES).T.fillna(0.0).assign(ask=1.0)
    return search(
        cost_matrix=prices, action_error=0.5, softness=5,
        criterion=Budget(coverage=0.2, confidence=0.9),
    ).fit(*data)  # fmt: skip


def test_coverage_can_be_guaranteed(data, with_an_action):
    X, _ = data
    (limit,) = with_an_action.guarantee_["limits"]
    assert with_an_action.guarantee_["met"]
    kept = with_an_action._problem.holdout.test
    answered = np.mean(with_an_action.predict(X[kept]) != "ask")
    assert limit["tested"] == pytest.approx(answered)


def test_counts_measure_as_the_table_does(with_an_action):
    model = with_an_action
    held = model._evidence()
    for name in set(MEASURES) - {"error_answered"}:
        np.testing.assert_allclose(
            held.means(Limit(name, 0.1)), model.tradeoff_[name], atol=1e-12
        )


def test_sensitivity_knows_the_action(with_an_action):
    prices = with_an_action.choose("cost").sensitivity(n_bootstrap=20).prices
    assert set(prices["predicted"]) == {"ham", "spam", "fraud", "ask"}
    shares = with_an_action.confusion_.sum(axis=1) / with_an_action.n_samples_
    answers = with_an_action.actions_.tolist()
    asked = prices[(prices["predicted"] == "ask") & prices["above"].notna()]
    assert len(asked)
    for _, one in asked.iterrows():
        matrix = with_an_action.cost_matrix_.copy()
        matrix[answers.index(one["true"]), answers.index("ask")] = one["high"]
        costs = (shares * matrix).sum(axis=(1, 2))
        assert costs[one["above"]] == pytest.approx(costs.min())
        assert costs[with_an_action.best_index_] == pytest.approx(costs.min())


def test_a_guarantee_travels_with_the_model(data, tmp_path):
    model = search(criterion=Budget(recall={"fraud": 0.1}, confidence=0.9)).fit(*data)
    save(model, tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert loaded.guarantee_ == model.guarantee_
    assert loaded.criterion == model.criterion
    np.testing.assert_array_equal(loaded.holdout_confusion_, model.holdout_confusion_)


def test_a_later_fit_without_holdout_forgets_it(data):
    model = search(MinimumExpectedCost(GaussianNB()), param_grid={}).fit(*data)
    model.set_params(holdout=None, criterion="cost").fit(*data)
    assert not hasattr(model, "holdout_confusion_")
    assert model.n_samples_ == 400


@pytest.mark.parametrize(
    ("holdout", "message"),
    [
        (1.5, "a share of the rows between 0 and 1"),
        (0.0, "a share of the rows between 0 and 1"),
        (3, "a share of the rows between 0 and 1"),
        ("a fifth", "holdout must be a share"),
        ([400], "row numbers from 0 to 399"),
        ([-1], "row numbers from 0 to 399"),
        ([0.5, 1.5], "holdout must be a share"),
        ([True, False], "a mask of 400 truth values"),
        ([], "holdout has none of the 400 rows"),
        (np.ones(400, bool), "holdout has all of the 400 rows"),
    ],
)
def test_bad_holdouts_are_refused(data, holdout, message):
    with pytest.raises(ValueError, match=message):
        search(holdout=holdout).fit(*data)


def test_folds_that_name_rows_do_not_go_with_holdout(data):
    folds = [(np.arange(200), np.arange(200, 400))]
    with pytest.raises(ValueError, match="cv lists rows, and holdout"):
        search(cv=folds).fit(*data)


def test_weights_that_differ_do_not_go_with_confidence(data):
    weight = np.random.default_rng(0).uniform(1, 2, 400)
    with pytest.raises(ValueError, match="sample_weight differs"):
        search().fit(*data, sample_weight=weight)

"""A cost matrix for every row, known when the row is decided."""

import copy

import numpy as np
import pytest
from sklearn import config_context
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from softcost import (
    CostSensitiveOneVsOne,
    MinimumExpectedCost,
    OneSidedRegression,
    SoftCostClassifierCV,
)
from softcost.costs import row_costs
from softcost.metrics import mean_cost
from softcost.persistence import load, save
from softcost.reductions import BlendedClassifier
from softcost.reductions.expected_cost import SoftDecision
from softcost.search import Budget

NAMES = np.array(["a b", "c", "d'e"])


def table(n_classes=3, n_rows=240, extra=0, seed=0):
    """Features, labels, and costs that depend on an amount."""
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n_rows)
    X = rng.normal(size=(n_rows, 3)) + 1.2 * np.eye(n_classes, 3)[y]
    amount = rng.lognormal(2, 1, n_rows)
    costs = rng.uniform(1, 3, (n_rows, n_classes, n_classes + extra))
    costs[:, 0] *= amount[:, None]
    costs[:, range(n_classes), range(n_classes)] = 0
    return X, NAMES[y], costs


def families():
    """Families with probabilities, and reductions that train on costs."""
    logistic = make_pipeline(StandardScaler(), LogisticRegression())
    return [
        ("linear", MinimumExpectedCost(logistic)),
        ("tree", MinimumExpectedCost(DecisionTreeClassifier(max_depth=3))),
        ("pairs", CostSensitiveOneVsOne(LogisticRegression())),
        ("regression", OneSidedRegression(Ridge())),
    ]


def actions(extra):
    return ["ask", "wait"][:extra] or None


def searched(X, y, costs, reduction=None, extra=0, **options):
    defaults = {"softness": [0, 0.3, 1], "random_state": 0, "cv": 3, "param_grid": {}}
    search = SoftCostClassifierCV(
        families() if reduction is None else reduction,
        actions=actions(extra),
        **{**defaults, **options},
    )
    return search.fit(X, y, costs=costs)


@pytest.mark.parametrize(("n_classes", "extra"), [(2, 0), (3, 0), (3, 1)])
def test_equal_matrices_are_a_cost_matrix(n_classes, extra):
    X, y, costs = table(n_classes, extra=extra)
    matrix = 7 * costs[5]
    by_class = SoftCostClassifierCV(
        families(), cost_matrix=matrix, actions=actions(extra), softness=[0, 0.3, 1],
        random_state=0, cv=3, param_grid={},
    ).fit(X, y)  # fmt: skip
    each = np.repeat(matrix[None], len(y), axis=0)
    by_row = searched(X, y, each, extra=extra)
    np.testing.assert_array_equal(by_row.confusion_, by_class.confusion_)
    np.testing.assert_array_equal(by_row.tradeoff_.error, by_class.tradeoff_.error)
    np.testing.assert_allclose(
        by_row.tradeoff_.cost, by_class.tradeoff_.cost, rtol=1e-13
    )
    assert by_row.best_params_ == by_class.best_params_
    np.testing.assert_array_equal(by_row.predict(X, costs=each), by_class.predict(X))


def test_equal_matrices_give_the_same_blend():
    X, y, costs = table(n_rows=150)
    each = np.repeat(costs[:1], len(y), axis=0)
    options = {"softness": [0, 0.5], "random_state": 0, "cv": 3}
    by_class = SoftCostClassifierCV(cost_matrix=costs[0], **options).fit(X, y)
    by_row = SoftCostClassifierCV(**options).fit(X, y, costs=each)
    rows = [
        search.tradeoff_.query("family == 'blend'") for search in (by_class, by_row)
    ]
    np.testing.assert_allclose(rows[0].cost, rows[1].cost, rtol=1e-13)
    models = [
        search.candidate(int(part.index[0]))
        for search, part in zip((by_class, by_row), rows, strict=True)
    ]
    np.testing.assert_array_equal(
        models[0].estimator_.weights_, models[1].estimator_.weights_
    )
    np.testing.assert_array_equal(
        models[0].predict_proba(X), models[1].predict_proba(X)
    )


@pytest.mark.parametrize(("n_classes", "extra"), [(2, 0), (3, 1)])
@pytest.mark.parametrize("softness", [0.0, 0.3, 1.0])
def test_held_out_rows_are_decided_by_their_matrices(n_classes, extra, softness):
    """Against plain loops: fit to the other folds, and minimise over the answers."""
    X, y, costs = table(n_classes, extra=extra)
    learner = LogisticRegression()
    folds = list(StratifiedKFold(3).split(X, y))
    search = searched(
        X, y, costs, MinimumExpectedCost(learner), extra, cv=folds, softness=[softness]
    )
    names = NAMES[:n_classes].tolist()
    answers = names + (actions(extra) or [])
    paid = np.zeros((n_classes, n_classes + extra))
    for train, test in folds:
        probabilities = (
            LogisticRegression().fit(X[train], y[train]).predict_proba(X[test])
        )
        scale = costs[train].max(axis=(1, 2)).mean()  # correct answers cost nothing
        for row, share in zip(test, probabilities, strict=True):
            totals = []
            for k, answer in enumerate(answers):
                total = 0.0
                for true, p in enumerate(share):
                    mistake = answer != names[true]
                    total += p * (
                        (1 - softness) * costs[row, true, k] / scale
                        + softness * mistake
                    )
                totals.append(total)
            chosen = int(np.argmin(totals))
            true = names.index(y[row])
            paid[true, chosen] += costs[row, true, chosen]
    np.testing.assert_allclose(search.realised_cost_[0], paid)
    assert search.tradeoff_.cost[0] == pytest.approx(paid.sum() / len(y))


@pytest.mark.parametrize("name", [None, "blend"])
def test_predictions_minimise_the_expected_cost_of_each_row(name):
    X, y, costs = table()
    learner = LogisticRegression()
    if name == "blend":
        members = [("line", learner), ("trees", RandomForestClassifier(random_state=0))]
        learner = BlendedClassifier(members, random_state=0)
    search = searched(X, y, costs, MinimumExpectedCost(learner), softness=[0])
    expected = np.array(
        [p @ matrix for p, matrix in zip(search.predict_proba(X), costs, strict=True)]
    )
    np.testing.assert_allclose(search.expected_costs(X, costs=costs), expected)
    predicted = search.predict(X, costs=costs)
    np.testing.assert_array_equal(predicted, NAMES[expected.argmin(axis=1)])
    assert search.score(X, y, costs=costs) == pytest.approx(
        -mean_cost(y, predicted, costs=costs)
    )
    index = np.searchsorted(NAMES, y)
    own = costs[np.arange(len(y)), index]
    assert mean_cost(y, predicted, costs=costs) == mean_cost(y, predicted, costs=own)


def test_permuted_rows_are_decided_alike():
    X, y, costs = table()
    order = np.random.default_rng(1).permutation(len(y))
    search = searched(X, y, costs)
    for row in search.tradeoff_.index:
        model = search.candidate(row)
        told = {"costs": costs} if model.softness_at_predict else {}
        shuffled = {"costs": costs[order]} if model.softness_at_predict else {}
        np.testing.assert_array_equal(
            model.predict(X, **told)[order], model.predict(X[order], **shuffled)
        )


def test_the_scale_of_a_row_matters_only_beside_errors():
    X, y, costs = table()
    factor = np.where(np.arange(len(y)) % 2, 100.0, 0.01)[:, None, None]
    model = MinimumExpectedCost(LogisticRegression()).fit(X, y, costs=costs)
    np.testing.assert_array_equal(
        model.predict(X, costs=costs), model.predict(X, costs=factor * costs)
    )
    model.set_params(softness=0.5)
    likely = NAMES[model.predict_proba(X).argmax(axis=1)]
    scaled = model.predict(X, costs=factor * costs)
    cheap = factor.ravel() < 1
    assert np.mean(scaled[cheap] == likely[cheap]) > np.mean(
        scaled[~cheap] == likely[~cheap]
    )


def test_costs_in_another_unit_change_nothing():
    X, y, costs = table()
    search, in_cents = searched(X, y, costs), searched(X, y, 128 * costs)
    np.testing.assert_array_equal(search.confusion_, in_cents.confusion_)
    np.testing.assert_allclose(128 * search.tradeoff_.cost, in_cents.tradeoff_.cost)


def test_reductions_train_on_the_costs_of_the_true_class():
    X, y, costs = table()
    own = costs[np.arange(len(y)), np.searchsorted(NAMES, y)]
    for _, reduction in families()[2:]:
        reduction.set_params(softness=0.3)
        by_row = copy.deepcopy(reduction).fit(X, y, costs=costs)
        by_class = copy.deepcopy(reduction).fit(X, y, costs=own)
        np.testing.assert_array_equal(
            by_row.decision_function(X), by_class.decision_function(X)
        )
        assert by_row.score(X, y, costs=costs) == by_class.score(X, y, costs=own)


def test_row_costs_make_probabilities_compete_fairly():
    """Decided by its own costs, a row costs less than at the means of its class."""
    X, y, costs = table(2, n_rows=600)
    own = costs[np.arange(len(y)), np.searchsorted(NAMES, y)]
    learner = MinimumExpectedCost(LogisticRegression())
    by_row = searched(X, y, costs, learner, softness=[0])
    by_mean = searched(X, y, own, learner, softness=[0])
    assert by_row.tradeoff_.cost[0] < 0.9 * by_mean.tradeoff_.cost[0]


def test_constant_and_saving_use_the_costs_of_the_rows():
    X, y, costs = table()
    search = searched(X, y, costs)
    own = costs[np.arange(len(y)), np.searchsorted(NAMES, y)]
    same = searched(X, y, own)
    assert search.constant_ == same.constant_
    saved = search.constant_["cost"] - search.tradeoff_.cost[search.best_index_]
    assert search.saving().saving == pytest.approx(saved)


def test_a_fold_may_lack_a_class():
    X, y, costs = table(n_rows=60)
    y[y == NAMES[2]] = NAMES[0]
    y[[0, 30]] = NAMES[2]
    half = np.arange(60) < 20
    folds = [(np.flatnonzero(~half), np.flatnonzero(half))]
    folds.append(folds[0][::-1])
    folds = [(np.setdiff1d(train, [30]), test) for train, test in folds]
    search = searched(X, y, costs, cv=folds)
    assert search.n_splits_ == 2
    assert set(search.predict(X, costs=costs)) <= set(NAMES)


def test_a_holdout_is_decided_by_its_matrices():
    X, y, costs = table(n_rows=300)
    budget = Budget(error=0.9, confidence=0.9)
    search = searched(X, y, costs, families()[:1], criterion=budget, holdout=0.3)
    assert search.holdout_confusion_.sum(axis=(1, 2)).tolist() == [90.0] * 3
    assert search.guarantee_["passed"]


@pytest.mark.parametrize("method", ["predict", "expected_costs", "decision_function"])
def test_missing_costs_are_an_error(method):
    X, y, costs = table()
    search = searched(X, y, costs, MinimumExpectedCost(LogisticRegression()))
    assert search.costs_by_row_
    with pytest.raises(ValueError, match=r"costs is missing.*Pass costs="):
        getattr(search, method)(X)
    with pytest.raises(ValueError, match="costs is missing"):
        search.score(X, y, costs=costs[:, 0])
    # Costs by class may be set afterwards.
    model = search.best_estimator_.set_params(cost_matrix=costs[0])
    assert model.predict(X).shape == y.shape


def test_a_later_fit_without_matrices_forgets_them():
    X, y, costs = table()
    model = MinimumExpectedCost(LogisticRegression()).fit(X, y, costs=costs)
    assert model.decides_by_row_costs
    assert not model.fit(X, y).decides_by_row_costs
    model.predict(X)


def test_a_reduction_trained_on_costs_ignores_them_at_prediction():
    X, y, costs = table()
    search = searched(X, y, costs, CostSensitiveOneVsOne(LogisticRegression()))
    np.testing.assert_array_equal(
        search.predict(X, costs=costs[::-1]), search.predict(X)
    )
    assert not hasattr(search, "expected_costs")
    with pytest.raises(ValueError, match="costs has shape"):
        search.predict(X, costs=costs[:, :2])
    matrix = SoftCostClassifierCV(
        CostSensitiveOneVsOne(LogisticRegression()), cost_matrix=costs[0], softness=[0]
    ).fit(X, y)
    with pytest.raises(ValueError, match="costs has no effect"):
        matrix.predict(X, costs=costs)


def test_transposed_costs_are_an_error():
    X, y, costs = table(2)
    right_costs_more = costs + 9 * np.eye(2)
    with pytest.raises(ValueError, match="cheaper than being right, on average"):
        searched(X, y, right_costs_more)
    right_costs_more[: len(y) // 2] = costs[: len(y) // 2]
    few = costs.copy()
    few[3] += 9 * np.eye(2)  # an investigation that costs more than the fraud
    searched(X, y, few, families()[:3])


def test_matrices_follow_parts_and_merged_rows():
    _, y, costs = table(n_rows=12)
    rows = row_costs(y, costs=costs)
    some = np.array([7, 2, 4])
    np.testing.assert_array_equal(rows.part(some).raw_matrices, costs[some])
    groups = np.arange(12) % 3
    merged, order = rows.merged(groups)
    np.testing.assert_array_equal(merged.raw_matrices, costs[order])


def test_classes_in_another_order():
    X, y, costs = table()
    order = [2, 0, 1]
    shuffled = costs[:, order][:, :, order]
    search = searched(X, y, costs)
    other = searched(X, y, shuffled, classes=NAMES[order])
    np.testing.assert_array_equal(search.confusion_, other.confusion_)
    np.testing.assert_array_equal(
        search.predict(X, costs=costs), other.predict(X, costs=shuffled)
    )


def test_blocks_of_rows_are_decided_alike(monkeypatch):
    rng = np.random.default_rng(0)
    raw, errors = rng.uniform(0, 9, (50, 3, 3)), 1 - np.eye(3)
    probabilities = rng.dirichlet(np.ones(3), 50)
    decision = SoftDecision((0.0, 0.5), None, errors, 4.0)
    at_once = decision.answers(probabilities, raw)
    monkeypatch.setattr("softcost.reductions.expected_cost._BLOCK", 30)
    np.testing.assert_array_equal(decision.answers(probabilities, raw), at_once)


def test_saved_searches_decide_alike(tmp_path):
    X, y, costs = table()
    search = searched(X, y, costs, families()[:1], softness=[0, 0.4]).keep_candidates()
    save(search, tmp_path / "model.softcost")
    loaded = load(tmp_path / "model.softcost")
    assert loaded.costs_by_row_
    np.testing.assert_array_equal(
        loaded.predict(X, costs=costs), search.predict(X, costs=costs)
    )
    for row in search.candidates_:
        np.testing.assert_array_equal(
            loaded.candidates_[row].predict(X, costs=costs),
            search.candidates_[row].predict(X, costs=costs),
        )
    with pytest.raises(ValueError, match="costs is missing"):
        loaded.predict(X)


def test_a_mix_decides_by_the_matrices():
    X, y, costs = table()
    search = searched(X, y, costs, families()[:1], softness=[0, 1])
    error = search.tradeoff_.error
    pair = search.mix(float(error.mean()))
    answers = pair.predict(X, costs=costs)
    for member, drawn in ((pair.first, pair.draws(X)), (pair.second, ~pair.draws(X))):
        np.testing.assert_array_equal(
            answers[drawn], member.predict(X, costs=costs)[drawn]
        )
    assert pair.score(X, y, costs=costs) == pytest.approx(
        -mean_cost(y, answers, costs=costs)
    )


def test_costs_are_routed_to_predictions_and_scores():
    X, y, costs = table()
    model = make_pipeline(StandardScaler(), MinimumExpectedCost(LogisticRegression()))
    search = make_pipeline(
        StandardScaler(),
        SoftCostClassifierCV(families()[:1], softness=[0], cv=3, param_grid={}),
    )
    with config_context(enable_metadata_routing=True):
        scores = cross_val_score(model, X, y, params={"costs": costs})
        assert (scores < 0).all()
        search.fit(X, y, costs=costs)
        routed = search.predict(X, costs=costs)
    np.testing.assert_array_equal(
        routed, search[1].predict(search[0].transform(X), costs=costs)
    )


def test_the_blend_decides_held_out_rows_by_their_matrices():
    """Costs name the cheap answer of each row, so only mixed-up rows are expensive."""
    X, y, _ = table(2, n_rows=120)
    cheap = np.arange(len(y)) // 2 % 2
    costs = np.where(cheap[:, None, None] == np.arange(2), 0.0, 9.0)
    costs = costs + 0.1 * (1 - np.eye(2))
    search = SoftCostClassifierCV(softness=[0], cv=3, random_state=0)
    search.fit(X, y, costs=costs)
    blend = search.tradeoff_.query("family == 'blend'")
    assert blend.cost.max() < 0.2
    assert search.constant_["cost"] > 4
    np.testing.assert_array_equal(search.predict(X, costs=costs), NAMES[:2][cheap])

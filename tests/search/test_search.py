"""What users of the search rely on."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from softcost import (
    CostSensitiveOneVsOne,
    FilterTree,
    OneSidedRegression,
    SoftCostClassifierCV,
    ZhouLiuRescaling,
)
from softcost.costs import inconsistent
from softcost.metrics import mean_cost

PRICES = np.array([[0, 1, 5], [2, 0, 7], [9, 4, 0.0]])


@pytest.fixture(scope="module")
def noisy():
    X, y = make_classification(
        150, 6, n_informative=4, n_classes=3, flip_y=0.2, random_state=0
    )
    return X, y


def search(**params):
    defaults = {"cost_matrix": PRICES, "softness": 5, "param_grid": {"C": [0.25, 16]}}
    return SoftCostClassifierCV(
        **{"reduction": OneSidedRegression(), **defaults, **params}
    )


@pytest.mark.parametrize(
    "reduction",
    [OneSidedRegression(), CostSensitiveOneVsOne(), FilterTree(), ZhouLiuRescaling()],
)
def test_ends_of_the_grid_are_the_hard_and_the_regular_algorithm(reduction, noisy):
    X, y = noisy
    soft = search(reduction=reduction).fit(X, y)
    for end in (0.0, 1.0):
        alone = search(reduction=reduction, softness=[end]).fit(X, y)
        rows = soft.tradeoff_[soft.tradeoff_["softness"] == end].reset_index(drop=True)
        measured = ["C", "cost", "error", "g_mean"]
        pd.testing.assert_frame_equal(rows[measured], alone.tradeoff_[measured])
        assert alone.best_softness_ == end
        assert soft.best_score_ >= alone.best_score_
    regular = clone(reduction).set_params(learner=None)
    regular = search(reduction=regular, softness=[1.0]).fit(X, y).best_estimator_
    no_costs = clone(regular).set_params(cost_matrix=None, softness=0).fit(X, y)
    np.testing.assert_array_equal(regular.predict(X), no_costs.predict(X))


@pytest.mark.parametrize("seed", range(100))
def test_the_error_budget_is_kept_where_it_can_be(seed):
    rng = np.random.default_rng(seed)
    n_classes = int(rng.integers(2, 5))
    y = np.r_[np.arange(n_classes), rng.integers(n_classes, size=40)]
    X = rng.normal(size=(len(y), 3)) + y[:, None] * rng.uniform(0.3, 1)
    matrix = inconsistent(np.bincount(y), rng)
    model = search(cost_matrix=matrix, cv=3, random_state=0, refit=False).fit(X, y)
    errors = model.tradeoff_["error"]
    budget = float(rng.uniform(errors.min(), errors.max()))
    model.choose("constrained", max_error=budget)
    chosen = model.tradeoff_.iloc[model.best_index_]
    assert chosen["error"] <= budget
    least = model.tradeoff_["cost"][errors <= budget].min()
    assert chosen["cost"] == pytest.approx(least, rel=1e-12)


@pytest.mark.parametrize(
    "reduction",
    [
        OneSidedRegression(),
        CostSensitiveOneVsOne(),
        FilterTree(),
        CostSensitiveOneVsOne(LogisticRegression()),
    ],
)
def test_the_number_of_jobs_changes_no_bit(reduction, noisy):
    X, y = noisy
    one, two = (search(reduction=reduction, n_jobs=jobs).fit(X, y) for jobs in (1, 2))
    pd.testing.assert_frame_equal(one.tradeoff_, two.tradeoff_, check_exact=True)
    np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))


def test_choose_refits_without_another_cross_validation(noisy, monkeypatch):
    X, y = noisy
    model = search().fit(X, y)
    before = model.tradeoff_.copy()
    monkeypatch.setattr("softcost.search.estimator.held_out_predictions", None)
    model.choose("constrained", max_error=1.0)
    least = int(model.tradeoff_["error"].argmin())
    assert model.choose(lambda rows: rows["error"]) is model
    assert model.tradeoff_["error"][model.best_index_] == before["error"][least]
    alone = OneSidedRegression(
        clone(model.best_estimator_.learner),
        cost_matrix=PRICES,
        softness=model.best_softness_,
    )
    np.testing.assert_array_equal(model.predict(X), alone.fit(X, y).predict(X))
    pd.testing.assert_frame_equal(model.tradeoff_, before)


def test_a_saved_search_predicts_and_says_why_it_cannot_choose(noisy):
    X, y = noisy
    model = search().fit(X, y)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.predict(X), model.predict(X))
    assert not any(value is X for value in vars(copy).values())
    with pytest.raises(ValueError, match="fit it again"):
        copy.choose("max")


def test_mix_meets_the_budget_below_both_members(noisy):
    X, y = noisy
    model = search(random_state=0).fit(X, y)
    corners = model.tradeoff_.sort_values("error")
    budget = float(corners["error"].iloc[[0, -1]].mean())
    pair = model.mix(budget)
    assert pair is model.mix_
    predicted = pair.predict(X)
    members = {*pair.first.predict(X), *pair.second.predict(X)}
    assert set(predicted) <= members
    np.testing.assert_array_equal(predicted, pair.predict(X))
    with pytest.raises(ValueError, match="below the least"):
        model.mix(0.0)


def test_groups_stay_together_and_folds_may_overlap(noisy):
    X, y = noisy
    groups = np.arange(len(y)) // 10
    model = search(cv=GroupKFold(3)).fit(X, y, groups=groups)
    assert model.confusion_.sum(axis=(1, 2, 3)) == pytest.approx(len(y))
    model = search(cv=ShuffleSplit(4, test_size=0.3, random_state=0)).fit(X, y)
    assert model.confusion_.shape[1] == 4
    assert model.confusion_.sum(axis=(1, 2, 3)) == pytest.approx(4 * 45)


def test_a_fold_may_lack_a_class():
    X, y = load_iris(return_X_y=True)
    rows = np.r_[0:102]  # two of the third class
    model = search(cv=4).fit(X[rows], y[rows])
    assert model.confusion_.shape[-1] == 3
    missing = search(classes=[0, 1, 2], cv=4).fit(X[:100], y[:100])
    assert set(missing.predict(X)) <= {0, 1, 2}


def test_labelled_prices_unsorted_classes_and_users_units(noisy):
    X, y = noisy
    names = np.array(["low", "mid", "high"])
    frame = pd.DataFrame(PRICES, names, names)
    by_name = search(cost_matrix=frame).fit(X, names[y])
    by_order = search(cost_matrix=PRICES, classes=names).fit(X, names[y])
    shuffled = search(cost_matrix=frame.loc[["high", "low", "mid"]]).fit(X, names[y])
    for other in (by_order, shuffled):
        pd.testing.assert_frame_equal(by_name.tradeoff_, other.tradeoff_)
        np.testing.assert_array_equal(by_name.predict(X), other.predict(X))
    dearer = search(cost_matrix=frame * 100).fit(X, names[y])
    np.testing.assert_allclose(
        dearer.tradeoff_["cost"], by_name.tradeoff_["cost"] * 100
    )
    predicted = by_name.predict(X)
    paid = mean_cost(names[y], predicted, cost_matrix=frame)
    assert by_name.score(X, names[y]) == pytest.approx(-paid)


def test_costs_by_example_may_be_a_shuffled_table(noisy):
    X, y = noisy
    names = np.array(["low", "mid", "high"])
    costs = pd.DataFrame(PRICES[y], columns=names)
    plain = search().fit(X, y)
    by_example = search(cost_matrix=None).fit(
        X, names[y], costs=costs[["mid", "high", "low"]]
    )
    np.testing.assert_allclose(plain.tradeoff_["cost"], by_example.tradeoff_["cost"])
    with pytest.raises(ValueError, match="costs is missing"):
        by_example.score(X, names[y])


def test_inside_a_pipeline_and_with_boosting(noisy):
    X, y = noisy
    boosting = CostSensitiveOneVsOne(HistGradientBoostingClassifier(max_iter=20))
    model = make_pipeline(
        MinMaxScaler(), search(reduction=boosting, softness=2, param_grid=None, cv=2)
    ).fit(X, y)
    assert set(model[-1].tradeoff_["max_leaf_nodes"]) == {7, 31}
    assert model[-1].tradeoff_["error"].min() < 0.5


@pytest.mark.parametrize(
    ("params", "names"),
    [
        ({"softness": [0, 0]}, "softness"),
        ({"softness": [0, 1.5]}, "softness"),
        ({"softness": []}, "softness"),
        ({"param_grid": {"depth": [1]}}, "param_grid"),
        ({"param_grid": "other"}, "param_grid"),
        ({"param_grid": {"kernel": ["precomputed"]}}, "kernel matrix"),
        ({"param_grid": {"learner__kernel": ["rbf", "precomputed"]}}, "precomputed"),
        ({"criterion": "constrained"}, "max_error"),
        ({"reduction": LogisticRegression()}, "reduction"),
        ({"cost_matrix": np.eye(4)}, "cost_matrix"),
        ({"error_weight": {0: 1}}, "error_weight"),
    ],
)
def test_bad_parameters_are_refused_by_name(params, names, noisy):
    with pytest.raises((ValueError, TypeError), match=names):
        search(**params).fit(*noisy)


def test_too_little_memory_is_refused_with_a_remedy(noisy):
    from softcost.svm import OneSidedSVR

    small = search(reduction=OneSidedRegression(OneSidedSVR(cache_size=0.001)))
    with pytest.raises(MemoryError, match=r"n = 150 .*cache_size"):
        small.fit(*noisy)


def test_progress_goes_to_standard_error(noisy, capsys):
    search(verbose=1, refit=False).fit(*noisy)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "of 15 parts" in captured.err


@pytest.mark.parametrize("learner", [None, LogisticRegression()])
def test_callbacks_follow_every_piece_of_work(learner, noisy):
    pytest.importorskip("sklearn.callback", reason="scikit-learn 1.9 and newer")

    class Count:
        """Counts what a progress bar would show."""

        def __init__(self):
            self.calls = []

        def setup(self, estimator, context):
            self.calls.append("setup")

        def on_fit_task_begin(self, estimator, context):
            self.calls.append(("begin", context.task_name, context.max_subtasks))

        def on_fit_task_end(self, estimator, context):
            self.calls.append(("end", context.task_name, context.max_subtasks))

        def teardown(self, estimator, context):
            self.calls.append("teardown")

    count = Count()
    model = search(reduction=CostSensitiveOneVsOne(learner), softness=2, n_jobs=2)
    model.set_callbacks(count).fit(*noisy)
    total = 3 * 5 if learner is None else 2 * 2 * 5
    assert count.calls[:2] == ["setup", ("begin", "fit", total)]
    assert count.calls[-2:] == [("end", "fit", total), "teardown"]
    assert count.calls.count(("end", "piece", 0)) == total

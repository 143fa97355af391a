"""Several families in one search: the table of separate searches, and one choice."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import softcost
from softcost import (
    CostSensitiveOneVsOne,
    FilterTree,
    KernelSVC,
    MinimumExpectedCost,
    OneSidedRegression,
    OneSidedSVR,
    SoftCostClassifierCV,
)
from softcost.metrics import pareto_mask
from softcost.search import progress_to

MATRIX = np.array([[0, 1, 5], [1, 0, 5], [9, 9, 0.0]])


def boosting():
    return HistGradientBoostingClassifier(max_iter=3, early_stopping=False)


def families():
    """One of each kind: two paths, a tree, clones, and free softness."""
    return [
        ("soft-OSR", OneSidedRegression()),
        ("CSOVO", CostSensitiveOneVsOne(LogisticRegression())),
        ("tree", FilterTree(KernelSVC())),
        ("ridge", OneSidedRegression(Ridge())),
        ("trees", MinimumExpectedCost(boosting())),
    ]


GRIDS = {
    "soft-OSR": {"C": [1.0, 16.0]},
    "CSOVO": {"C": [0.1, 1.0]},
    "tree": {"C": [2.0]},
    "ridge": {},
    "trees": {"max_leaf_nodes": [3, 7]},
}
SETTINGS = {"softness": [0.0, 0.4, 1.0], "cv": 3, "random_state": 0}


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    return X + rng.normal(scale=0.4, size=X.shape), y  # classes overlap


def several(**changes):
    given = {"cost_matrix": MATRIX, "param_grid": GRIDS} | SETTINGS
    return SoftCostClassifierCV(families(), **(given | changes))


def string_labels(X, y):
    names = np.array(["setosa", "e", "v"])
    table = pd.DataFrame(MATRIX, index=names, columns=names)
    return (X, names[y]), {"cost_matrix": table}, {}


def two_classes(X, y):
    kept = y > 0
    return (X[kept], y[kept]), {"cost_matrix": [[0, 1], [7, 0]]}, {}


def a_missing_class(X, y):
    prices = np.pad(MATRIX, (0, 1), constant_values=3.0)
    np.fill_diagonal(prices, 0.0)
    return (X, y), {"cost_matrix": prices, "classes": [0, 1, 2, 3]}, {}


def a_class_missing_in_a_fold(X, y):
    rows = np.flatnonzero((y < 2) | (np.arange(len(y)) >= 148))
    return (X[rows], y[rows]), {}, {}


def costs_by_example(X, y):
    rng = np.random.default_rng(1)
    costs = MATRIX[y] * rng.uniform(0.5, 2, (len(y), 1))
    return (X, y), {"cost_matrix": None}, {"costs": costs}


def sample_weights(X, y):
    weight = np.arange(len(y)) % 4  # some are zero
    return (X, y), {"error_weight": "balanced"}, {"sample_weight": weight}


def grouped(X, y):
    groups = np.arange(len(y)) // 5
    cv = GroupKFold(3, shuffle=True, random_state=1)
    return (X, y), {"cv": cv}, {"groups": groups}


CASES = [
    string_labels, two_classes, a_missing_class, a_class_missing_in_a_fold,
    costs_by_example, sample_weights, grouped,
]  # fmt: skip


@pytest.fixture(scope="module", params=CASES, ids=lambda case: case.__name__)
def joint_search(request, iris):
    """A search over all families, and what it was made and fitted with."""
    rows, settings, fit = request.param(*iris)
    return several(**settings).fit(*rows, **fit), rows, settings, fit


def test_the_table_is_that_of_separate_searches(joint_search):
    joint, rows, settings, fit = joint_search
    table, start = joint.tradeoff_, 0
    assert table["family"].unique().tolist() == [name for name, _ in families()]
    for name, reduction in families():
        alone = several(**settings).set_params(
            reduction=reduction, param_grid=GRIDS[name]
        )
        alone.fit(*rows, **fit)
        stop = start + len(alone.tradeoff_)
        own = table.iloc[start:stop].reset_index(drop=True)
        shared = alone.tradeoff_.columns.drop("on_front")
        pd.testing.assert_frame_equal(
            own[shared], alone.tradeoff_[shared], check_dtype=False, rtol=1e-12
        )
        np.testing.assert_array_equal(joint.confusion_[start:stop], alone.confusion_)
        np.testing.assert_allclose(
            joint.cv_results_["split1_test_score"][start:stop],
            alone.cv_results_["split1_test_score"],
            rtol=1e-12,
        )
        best = start + alone.best_index_
        np.testing.assert_array_equal(
            joint.candidate(best).predict(rows[0]), alone.predict(rows[0])
        )
        assert joint.constant_ == alone.constant_
        start = stop
    assert start == len(table)


def test_the_choice_is_the_best_of_all(joint_search):
    found, *_ = joint_search
    table = found.tradeoff_
    assert table["cost"].iloc[found.best_index_] == table["cost"].min()
    np.testing.assert_array_equal(
        table["on_front"], pareto_mask(table[["error", "cost"]].to_numpy())
    )
    named = found.reference_rows()
    hard = table[table["softness"] == 0]
    assert table["cost"].iloc[named["hard"]] == hard["cost"].min()
    family = dict(families())[found.best_params_["family"]]
    assert type(found.best_estimator_) is type(family)
    assert found.best_params_ == found.cv_results_["params"][found.best_index_]


def test_results_say_the_family(iris):
    found = several().fit(*iris)
    table, results = found.tradeoff_, found.cv_results_
    assert results["param_family"].tolist() == table["family"].tolist()
    leaves = results["param_max_leaf_nodes"]
    assert leaves.mask.tolist() == (table["family"] != "trees").tolist()
    # Candidates of a path are not fitted one by one.
    walked = table["family"].isin(["soft-OSR", "tree"])
    assert np.isnan(results["mean_fit_time"]).tolist() == walked.tolist()
    row = int(np.flatnonzero(table["family"] == "trees")[0])
    params = found.candidate_params(row)
    assert params == {"max_leaf_nodes": table["max_leaf_nodes"].iloc[row]}
    found.choose(lambda table: row)
    assert found.best_params_["family"] == "trees"
    assert isinstance(found.best_estimator_, MinimumExpectedCost)
    assert found.predict_proba(iris[0]).shape == (150, 3)
    mixed = found.mix(float(table["error"].min()) + 0.01)
    assert mixed.predict(iris[0]).shape == (150,)


def test_one_reduction_has_no_family(iris):
    found = SoftCostClassifierCV(
        OneSidedRegression(), cost_matrix=MATRIX, **SETTINGS
    ).fit(*iris)
    assert "family" not in found.tradeoff_
    assert "family" not in found.best_params_
    assert not hasattr(found, "portfolio_")


def test_parameters_reach_into_families(iris):
    search = several(cv=2)
    params = search.get_params()
    assert params["soft-OSR"] is search.reduction[0][1]
    assert params["trees__learner__max_iter"] == 3
    copy = clone(search).set_params(
        **{"trees__learner__max_iter": 2, "CSOVO": CostSensitiveOneVsOne(KernelSVC())}
    )
    assert search.get_params()["trees__learner__max_iter"] == 3
    given = dict(copy.reduction)
    assert given["trees"].learner.max_iter == 2
    assert isinstance(given["CSOVO"].learner, KernelSVC)
    outer = GridSearchCV(
        SoftCostClassifierCV(
            [("csovo", CostSensitiveOneVsOne(LogisticRegression()))],
            softness=2,
            cv=2,
            param_grid={"csovo": {}},
        ),
        {"csovo__learner__C": [1e-4, 1.0]},
        cv=2,
    )
    assert outer.fit(*iris).best_params_ == {"csovo__learner__C": 1.0}


def test_progress_ends_when_all_families_are_done(iris):
    told = []
    with progress_to(lambda done, total: told.append((done, total))):
        several().fit(*iris)
    done = [one for one, _ in told]
    assert done == sorted(done)
    assert told[-1][0] == told[-1][1]
    assert {total for _, total in told} == {told[-1][1]}


def test_rows_can_be_what_all_families_take(iris):
    X, y = iris
    light = [
        ("osr", OneSidedRegression(OneSidedSVR())),
        ("linear", MinimumExpectedCost(LogisticRegression(max_iter=1000))),
    ]
    cv = KFold(3, shuffle=True, random_state=0)
    search = SoftCostClassifierCV(light, cost_matrix=MATRIX, softness=2, cv=cv)
    tables = [
        clone(search).fit(rows, y).tradeoff_
        for rows in (X, sparse.csr_matrix(X), pd.DataFrame(X).add_prefix("x"))
    ]
    for other in tables[1:]:
        np.testing.assert_allclose(other["cost"], tables[0]["cost"], atol=0.07)
    tags = search.__sklearn_tags__().input_tags
    assert (tags.sparse, tags.allow_nan) == (True, False)
    named = clone(search).fit(pd.DataFrame(X).add_prefix("x"), y)
    assert named.feature_names_in_.tolist() == ["x0", "x1", "x2", "x3"]


def test_families_are_saved(iris, tmp_path):
    found = several().fit(*iris)
    softcost.save(found, tmp_path / "model")
    loaded = softcost.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict(iris[0]), found.predict(iris[0]))
    assert [name for name, _ in loaded.reduction] == [name for name, _ in families()]
    pd.testing.assert_frame_equal(loaded.tradeoff_, found.tradeoff_)
    assert loaded.best_params_ == found.best_params_
    assert loaded.reference_rows() == found.reference_rows()


def plain(name="a"):
    return name, MinimumExpectedCost(LogisticRegression())


OTHER = MinimumExpectedCost(LogisticRegression(), cost_matrix=MATRIX.T)
BALANCED = MinimumExpectedCost(LogisticRegression(), error_weight="balanced")
LABELS = MinimumExpectedCost(LogisticRegression(), classes=[0, 1, 2, 3])
PAIRS = CostSensitiveOneVsOne(KernelSVC(kernel="precomputed"))


@pytest.mark.parametrize(
    ("reduction", "settings", "message"),
    [
        ("atuo", {}, "'auto', not 'atuo'"),
        ([], {}, "empty list"),
        ([OneSidedRegression()], {}, "give every family a name"),
        ([("a", OneSidedRegression(), 1)], {}, "pairs"),
        ([(1, OneSidedRegression())], {}, "name of a family must be some text"),
        ([("", OneSidedRegression())], {}, "name of a family must be some text"),
        ([plain(), plain()], {}, "two families called 'a'"),
        ([plain("a__b")], {}, "two underscores"),
        ([plain("cv")], {}, "like a parameter"),
        ([("a", LogisticRegression())], {}, "family 'a' must be one of"),
        ([("a", OneSidedRegression)], {}, "pass an instance"),
        ([("a", None)], {}, "family 'a' must be one of"),
        ([plain()], {"param_grid": "inverse"}, "dict by family"),
        ([plain()], {"param_grid": [{"C": [1]}]}, "dict by family"),
        ([plain()], {"param_grid": {"C": [1]}}, "'C', which is not a family"),
        ([plain()], {"param_grid": {"a": {"D": [1]}}}, "'D'"),
        ([plain(), ("b", OTHER)], {}, "different cost_matrix"),
        ([plain(), ("b", BALANCED)], {}, "different error_weight"),
        ([plain(), ("b", LABELS)], {}, "different classes"),
        ([plain(), ("b", MinimumExpectedCost(Ridge()))], {}, "not a classifier"),
        ("auto", {"param_grid": {"trees": {}}}, "'trees', which is not a family"),
        ("auto", {"param_grid": "inverse"}, "dict by family"),
    ],
)
def test_what_is_no_family_is_refused_in_a_sentence(reduction, settings, message, iris):
    with pytest.raises((TypeError, ValueError), match=message) as refused:
        SoftCostClassifierCV(reduction, softness=2, cv=2, **settings).fit(*iris)
    assert "\n" not in str(refused.value)


def test_features_and_a_kernel_matrix_do_not_go_together(iris):
    X, y = iris
    search = SoftCostClassifierCV([plain(), ("b", PAIRS)], softness=2, cv=2)
    with pytest.raises(ValueError, match="features or a kernel matrix"):
        search.fit(X @ X.T, y)


def test_what_only_some_families_have_is_known_after_the_fit(iris):
    search = several()
    assert not hasattr(search, "predict_proba")
    trees = [plain(), ("b", MinimumExpectedCost(boosting()))]
    assert hasattr(SoftCostClassifierCV(trees), "predict_proba")
    assert not hasattr(SoftCostClassifierCV("auto"), "predict_proba")
    wide = make_pipeline(StandardScaler(), LogisticRegression())
    extra = ExtraTreesClassifier(5, random_state=0)
    pair = [("a", MinimumExpectedCost(wide)), ("b", MinimumExpectedCost(extra))]
    assert hasattr(SoftCostClassifierCV(pair, cv=2).fit(*iris), "predict_proba")


@pytest.mark.parametrize("given", ["auto", families()[:2]])
def test_prices_changed_after_the_fit_are_refused(given, iris):
    grids = None if given == "auto" else {name: GRIDS[name] for name, _ in given}
    search = SoftCostClassifierCV(
        given, cost_matrix=MATRIX, param_grid=grids, softness=2, cv=2
    ).fit(*iris)
    assert len(search.predict(iris[0])) == 150
    search.cost_matrix = MATRIX.T
    with pytest.raises(ValueError, match="changed after fit"):
        search.predict(iris[0])

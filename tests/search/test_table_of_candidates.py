"""Every row of a search's table is what scikit-learn measures of its candidate."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.model_selection import (
    PredefinedSplit,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.preprocessing import minmax_scale

import softcost.linear
import softcost.svm
from softcost import FilterTree, SoftCostClassifierCV
from softcost.learners import kind_of
from softcost.reductions import CATALOGUE
from softcost.search.path_engine import can_walk

PRICES = np.array([[0, 1.13, 5.71], [2.37, 0, 4.19], [9.83, 7.57, 0.0]])


def path_learners():
    """Every learner of this package with a path, with and without a kernel width."""
    for package in (softcost.svm, softcost.linear):
        for name in package.__all__:
            cls = getattr(package, name)
            if not (isinstance(cls, type) and hasattr(cls, "open_path")):
                continue
            params = {"tol": 1e-8}
            if "n_landmarks" in cls._parameter_constraints:
                params["n_landmarks"] = 10
            yield pytest.param(cls(**params), id=name)
            if "kernel" in cls._parameter_constraints:
                yield pytest.param(cls(kernel="rbf", **params), id=f"{name}-rbf")


LEARNERS = list(path_learners())


def reductions_of(learner):
    """Reductions that search this learner along its path."""
    kinds = {"one-sided": "regressor", "regressor": "regressor"}
    for entry in CATALOGUE.values():
        reduction = entry.load()(learner, cost_matrix=PRICES)
        walks = hasattr(reduction, "walk_fold") or hasattr(reduction, "combine")
        if walks and kinds.get(entry.needs, "classifier") == kind_of(learner):
            yield reduction


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return minmax_scale(X[:, [0, 6, 9, 12]]), y


def weights(n):
    rng = np.random.default_rng(5)
    return rng.uniform(0.3, 2, n) * (rng.uniform(size=n) > 0.3)


@pytest.mark.parametrize("case", ["plain", "weights", "duplicates", "index pairs"])
@pytest.mark.parametrize("learner", LEARNERS)
def test_the_table_is_cross_val_score_of_the_candidates(learner, case, wine):
    X, y = wine
    params = {}
    cv = StratifiedKFold(3, shuffle=True, random_state=3)
    if case == "duplicates":
        rows = np.random.default_rng(1).integers(len(y), size=150)
        X, y = np.round(X[rows], 1), y[rows]
    if case in ("weights", "index pairs"):
        params["sample_weight"] = weights(len(y))
    if case == "index pairs":
        cv = list(cv.split(X, y))
    for reduction in reductions_of(learner):
        search = SoftCostClassifierCV(
            reduction, softness=[0.0, 0.5, 1.0], param_grid={"C": [0.5, 16.0]}, cv=cv
        ).fit(X, y, **params)
        for row in (0, 1, len(search.tradeoff_) - 1):
            expected = measured(search.candidate(row), X, y, cv, params)
            scores = [
                search.cv_results_[f"split{fold}_test_score"][row] for fold in range(3)
            ]
            np.testing.assert_allclose(
                scores, expected, err_msg=f"{reduction}, {search.tradeoff_.iloc[row]}"
            )
        assert can_walk(search._problem.members[0])


def measured(candidate, X, y, cv, params):
    with config_context(enable_metadata_routing=True):
        return cross_val_score(
            candidate, X, y, cv=cv, params=params, error_score="raise"
        )


def test_splitters_get_the_whole_table(wine):
    """PredefinedSplit names rows by number, so it must count rows of weight zero."""
    X, y = wine
    folds = np.arange(len(y)) % 4
    folds[y == 0] = -1  # always trained on
    params = {"sample_weight": weights(len(y))}
    cv = PredefinedSplit(folds)
    search = SoftCostClassifierCV(
        FilterTree(cost_matrix=PRICES), softness=[0.5], param_grid={"C": [4.0]}, cv=cv
    ).fit(X, y, **params)
    scores = [search.cv_results_[f"split{fold}_test_score"][0] for fold in range(4)]
    expected = measured(search.best_estimator_, X, y, cv, params)
    np.testing.assert_allclose(scores, expected)


def test_splitters_get_features_and_labels():
    class ByFeature:
        """Holds out rows above a threshold of the first column."""

        def split(self, X, y, groups=None):
            above = np.asarray(X)[:, 0] > 1.5
            assert set(y) == {"no", "yes"}
            yield np.flatnonzero(~above), np.flatnonzero(above)

        def get_n_splits(self, X=None, y=None, groups=None):
            return 1

    X = np.array([[0.0, 0], [1, 1], [2, 0], [1, 0], [2, 1], [0, 1]])
    y = np.where(X[:, 1] > 0, "yes", "no")
    search = SoftCostClassifierCV(
        FilterTree(), softness=[0.0], param_grid={"C": [4.0]}, cv=ByFeature()
    ).fit(X, y, sample_weight=[1, 1, 0, 1, 1, 1])
    assert search.n_splits_ == 1
    np.testing.assert_array_equal(search.confusion_.sum(axis=(0, 1, 3)), [0, 1])


@pytest.mark.parametrize("holdout", [None, [0, 1, 2]])
def test_rows_of_folds_stay_what_they_are_beside_a_holdout(holdout, wine):
    X, y = wine
    cv = PredefinedSplit(np.arange(len(y)) % 3)
    search = SoftCostClassifierCV(
        FilterTree(cost_matrix=PRICES), softness=[0.5], param_grid={"C": [4.0]}, cv=cv,
        holdout=holdout,
    ).fit(X, y)  # fmt: skip
    n_held_out = len(y) - len(holdout or [])
    assert search.confusion_.sum() == n_held_out


def test_folds_of_another_table_are_refused(wine):
    X, y = wine
    search = SoftCostClassifierCV(FilterTree(), cv=PredefinedSplit([0, 1] * 100))
    with pytest.raises(ValueError, match="178 rows"):
        search.fit(X, y)


def test_a_kernel_matrix_keeps_the_columns_of_rows_without_weight(wine):
    X, y = wine
    params = {"sample_weight": weights(len(y))}
    search = SoftCostClassifierCV(
        FilterTree(softcost.svm.KernelSVC("precomputed"), cost_matrix=PRICES),
        softness=[0.0, 1.0], param_grid={"C": [4.0]}, cv=3,
    )  # fmt: skip
    by_matrix = search.fit(X @ X.T, y, **params)
    linear = clone(search).set_params(reduction__learner__kernel="linear")
    by_features = linear.fit(X, y, **params)
    np.testing.assert_allclose(
        by_matrix.tradeoff_["cost"], by_features.tradeoff_["cost"]
    )
    np.testing.assert_array_equal(by_matrix.predict(X @ X.T), by_features.predict(X))


@pytest.mark.parametrize("learner", LEARNERS)
def test_rows_of_weight_zero_are_as_if_absent(learner, wine):
    X, y = wine
    weight = weights(len(y))
    some = weight > 0
    for reduction in reductions_of(learner):
        whole = clone(reduction).fit(X, y, sample_weight=weight)
        part = clone(reduction).fit(X[some], y[some], sample_weight=weight[some])
        np.testing.assert_array_equal(whole.predict(X), part.predict(X))
    target = np.where(y > 0, 1.0, -1.0)
    whole = clone(learner).fit(X, target, sample_weight=weight)
    part = clone(learner).fit(X[some], target[some], sample_weight=weight[some])
    np.testing.assert_allclose(whole.predict(X), part.predict(X), rtol=1e-9)
    if hasattr(whole, "support_"):
        np.testing.assert_array_equal(
            whole.support_, np.flatnonzero(some)[part.support_]
        )

"""`BoostedTrees`: LightGBM with early stopping, and scikit-learn's boosting without."""

import sys
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.metrics import log_loss
from sklearn.utils.estimator_checks import parametrize_with_checks

import softcost
from softcost.learners import BoostedTrees

X, Y = load_iris(return_X_y=True)


def categories(n=600, seed=0):
    """Rows whose class depends on a category, with missing and unseen codes."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, 40, n), rng.normal(size=n)]).astype(float)
    y = np.array(["a", "b", "c"])[(X[:, 0] % 3).astype(int)]
    X[rng.random(n) < 0.05, 0] = np.nan
    return X, y


def expected_failures(estimator):
    why = "leaves and bins count rows, not weights"
    names = ("dense", "sparse")
    return {f"check_sample_weight_equivalence_on_{name}_data": why for name in names}


@parametrize_with_checks(
    [BoostedTrees(n_estimators=5, min_child_samples=2)],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


@pytest.fixture(params=["lightgbm", "without"])
def backend(request, monkeypatch):
    """With LightGBM, and where importing it fails."""
    if request.param == "without":
        monkeypatch.setitem(sys.modules, "lightgbm", None)
    return request.param


def fitted(model, X, y, backend, **params):
    if backend == "lightgbm":
        return model.fit(X, y, **params)
    with pytest.warns(RuntimeWarning, match="libgomp1"):
        return model.fit(X, y, **params)


def test_categories_are_not_numbers(backend):
    X, y = categories()
    split = slice(0, 450), slice(450, None)
    losses = []
    for columns in (None, [0]):
        model = BoostedTrees(categorical_features=columns, num_leaves=4)
        fitted(model, X[split[0]], y[split[0]], backend)
        losses.append(log_loss(y[split[1]], model.predict_proba(X[split[1]])))
    assert losses[1] < 0.7 * losses[0]


def test_masks_and_column_numbers_are_the_same(backend):
    X, y = categories()
    by_number = BoostedTrees(categorical_features=[0])
    by_mask = BoostedTrees(categorical_features=np.array([True, False]))
    first = fitted(by_number, X, y, backend).predict_proba(X)
    assert np.array_equal(first, fitted(by_mask, X, y, backend).predict_proba(X))


def test_missing_and_unseen_categories_have_probabilities(backend):
    X, y = categories()
    model = fitted(BoostedTrees(categorical_features=[0]), X, y, backend)
    odd = np.array([[np.nan, 0.0], [-1.0, 0.0], [39.0, np.nan], [77.0, 0.0]])
    probabilities = model.predict_proba(odd)
    assert np.isfinite(probabilities).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    # A negative code is a missing value.
    assert np.array_equal(probabilities[0], probabilities[1])


def test_early_stopping_ends_before_the_log_loss_grows(backend):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(800, 5))
    y = (X[:, 0] + 2 * rng.normal(size=800) > 0).astype(int)  # mostly noise
    stopped = fitted(BoostedTrees(), X[:600], y[:600], backend)
    whole = fitted(BoostedTrees(early_stopping=None), X[:600], y[:600], backend)
    assert stopped.n_iter_ < whole.n_iter_ == 300
    losses = [log_loss(y[600:], m.predict_proba(X[600:])) for m in (stopped, whole)]
    assert losses[0] < losses[1]


def test_a_class_with_one_row_runs_all_rounds(backend):
    y = np.r_[Y, 7]
    rows = np.r_[X, X[:1]]
    model = fitted(BoostedTrees(n_estimators=4), rows, y, backend)
    assert model.n_iter_ == 4
    assert model.predict_proba(rows).shape == (151, 4)


def test_permuted_classes_have_permuted_probabilities():
    names = np.array(["c", "a", "b"])
    model = BoostedTrees(min_child_samples=5, n_estimators=20, early_stopping=None)
    first, second = clone(model).fit(X, Y), clone(model).fit(X, names[Y])
    order = np.argsort(names)
    np.testing.assert_allclose(
        first.predict_proba(X)[:, order], second.predict_proba(X), atol=1e-6
    )


def test_rows_without_weight_change_nothing():
    weight = np.r_[np.ones(len(X)), np.zeros(20)]
    more, labels = np.r_[X, X[:20] + 50], np.r_[Y, np.full(20, 2)]
    first = BoostedTrees(min_child_samples=5).fit(X, Y).predict_proba(X)
    second = BoostedTrees(min_child_samples=5).fit(more, labels, weight)
    np.testing.assert_allclose(first, second.predict_proba(X))


def test_constant_features_give_the_prior():
    model = BoostedTrees().fit(np.ones((20, 2)), [0] * 15 + [1] * 5)
    np.testing.assert_allclose(model.predict_proba(np.ones((1, 2))), [[0.75, 0.25]])


@pytest.mark.parametrize("n_jobs", [2])
def test_threads_do_not_change_bits(n_jobs):
    X, y = categories()
    one = BoostedTrees(categorical_features=[0]).fit(X, y)
    two = BoostedTrees(categorical_features=[0], n_jobs=n_jobs).fit(X, y)
    assert np.array_equal(one.predict_proba(X), two.predict_proba(X))


def test_importances_name_the_feature_that_counts():
    X, y = categories()
    model = BoostedTrees(categorical_features=[0]).fit(X, y)
    assert model.feature_importances_.argmax() == 0
    assert model.feature_importances_.sum() == pytest.approx(1)


@pytest.mark.parametrize("two_classes", [False, True])
def test_saved_models_predict_the_same(tmp_path, backend, two_classes):
    X, y = categories()
    y = y == "a" if two_classes else y
    model = fitted(BoostedTrees(categorical_features=[0]), X, y, backend)
    softcost.save(model, tmp_path / "trees.softcost")
    loaded = softcost.load(tmp_path / "trees.softcost")
    assert np.array_equal(model.predict_proba(X), loaded.predict_proba(X))


def test_with_lightgbm_there_is_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        BoostedTrees(n_estimators=3).fit(X, Y).predict_proba(X)

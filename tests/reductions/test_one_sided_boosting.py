"""Boosted trees with a one-sided loss."""

import pickle
import sys

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import approx_fprime

from softcost import OneSidedBoosting, OneSidedRegression
from softcost.reductions.one_sided_boosting import best_constant, slopes

lightgbm = pytest.importorskip("lightgbm")


def loss(r, y, side, weight):
    return np.sum(weight * np.maximum(side * (r - y), 0.0) ** 2)


@pytest.fixture
def table():
    rng = np.random.RandomState(0)
    X = rng.normal(size=(300, 4))
    y = np.sin(2 * X[:, 0]) + X[:, 1] * (X[:, 2] > 0) + 0.3 * rng.normal(size=300)
    side = rng.choice([-1.0, 1.0], 300)
    return X, y, side, rng.uniform(0.5, 2, 300)


def test_slopes_are_derivatives_and_the_curvature_bounds_the_loss(table):
    _, y, side, weight = table
    rng = np.random.RandomState(1)
    r = rng.normal(size=300)
    slope = slopes(r, y, side, weight)
    numerical = approx_fprime(r[:20], loss, 1e-7, y[:20], side[:20], weight[:20])
    np.testing.assert_allclose(slope[:20], numerical, atol=1e-5)
    for _ in range(20):
        step = rng.normal(size=300)
        bound = loss(r, y, side, weight) + slope @ step + np.sum(weight * step**2)
        assert loss(r + step, y, side, weight) <= bound + 1e-9


def test_the_start_is_the_best_constant(table):
    _, y, side, weight = table
    best = best_constant(y, side, weight)
    least = loss(best, y, side, weight)
    for other in np.linspace(y.min(), y.max(), 301):
        assert least <= loss(other, y, side, weight) + 1e-9
    assert best_constant(y, np.ones(300), weight) == y.min()
    assert best_constant(y, -np.ones(300), weight) == y.max()
    np.testing.assert_allclose(
        best_constant(y, None, weight), np.average(y, weights=weight)
    )


def test_trees_lessen_the_loss(table):
    X, y, side, weight = table
    losses = [loss(best_constant(y, side, weight), y, side, weight)]
    for n_estimators in (1, 10, 100):
        model = OneSidedBoosting(n_estimators=n_estimators)
        model.fit(X, y, side=side, sample_weight=weight)
        losses.append(loss(model.predict(X), y, side, weight))
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < losses[0] / 5


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_one_side_alone_is_satisfied_by_a_constant(table, side):
    X, y, _, _ = table
    model = OneSidedBoosting().fit(X, y, side=np.full(300, side))
    np.testing.assert_array_equal(model.predict(X), y.min() if side > 0 else y.max())


def test_without_sides_it_is_least_squares(table):
    X, y, _, weight = table
    model = OneSidedBoosting(n_estimators=30, reg_lambda=1.0)
    found = model.fit(X, y, sample_weight=weight).predict(X)
    params = {"objective": "regression", "lambda_l2": 0.5, "verbosity": -1}
    params |= {"num_threads": 1, "min_sum_hessian_in_leaf": 0.0}
    data = lightgbm.Dataset(X, label=y, weight=weight / weight.mean(), params=params)
    booster = lightgbm.train(params, data, 30)  # its curvature is half of ours
    np.testing.assert_allclose(found, booster.predict(X), atol=1e-4)


def test_both_sides_of_every_row_are_least_squares(table):
    X, y, _, _ = table
    X = np.clip(np.round(X), -2, 2)  # the same few bins, however often rows occur
    both = OneSidedBoosting(min_child_samples=40, n_estimators=20)
    sides = np.repeat([1.0, -1.0], 300)
    both.fit(np.r_[X, X], np.r_[y, y], side=sides)
    # Either copy of a row is violated, so slopes are those of half the weight.
    plain = OneSidedBoosting(n_estimators=20, learning_rate=0.05).fit(X, y)
    np.testing.assert_allclose(both.predict(X), plain.predict(X), atol=1e-4)


def test_excess_costs_are_bounded_by_what_the_regressors_violate(blobs, example_costs):
    X, y, _, rng = blobs(3, n=90)
    costs = example_costs(y, rng)
    model = OneSidedRegression(OneSidedBoosting(min_child_samples=5))
    model.fit(X, y, costs=costs)
    r = (1 - model.decision_function(X)) / 2
    side = np.where(costs == 0, 1.0, -1.0)
    violation = np.maximum(side * (r - costs), 0).sum(axis=1)
    paid = costs[np.arange(len(y)), model.predict(X)]
    assert np.all(paid <= violation + 1e-9)
    assert paid.mean() < 0.5 * costs.mean()


def test_units_of_targets_and_weights_do_not_matter(table):
    X, y, side, weight = table
    model = OneSidedBoosting(n_estimators=20)
    plain = model.fit(X, y, side=side, sample_weight=weight).predict(X)
    for factor in (1e-9, 1e9):
        model.fit(X, factor * (y + 2), side=side, sample_weight=factor * weight)
        np.testing.assert_allclose(model.predict(X) / factor - 2, plain, atol=1e-4)


def test_rows_without_weight_are_absent(table):
    X, y, side, weight = table
    weight[::3] = 0
    model = OneSidedBoosting(n_estimators=20)
    found = model.fit(X, y, side=side, sample_weight=weight).predict(X)
    kept = weight > 0
    model.fit(X[kept], y[kept], side=side[kept], sample_weight=weight[kept])
    np.testing.assert_array_equal(model.predict(X), found)
    with pytest.raises(ValueError, match="zero"):
        model.fit(X, y, sample_weight=np.zeros(300))


def test_same_trees_again_in_threads_and_after_pickling(table):
    X, y, side, _ = table
    found = OneSidedBoosting(n_estimators=20).fit(X, y, side=side).predict(X)
    for n_jobs in (1, 2):
        model = OneSidedBoosting(n_estimators=20, n_jobs=n_jobs).fit(X, y, side=side)
        np.testing.assert_array_equal(model.predict(X), found)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), found)
    thin = OneSidedBoosting(n_estimators=20).fit(sparse.csr_array(X), y, side=side)
    np.testing.assert_allclose(thin.predict(sparse.csr_array(X)), found, atol=1e-6)


def test_missing_values_may_tell_something(table):
    X, y, _, _ = table
    X, y = X.copy(), y.copy()
    X[::2, 3] = np.nan
    y[::2] += 5
    predictions = OneSidedBoosting().fit(X, y).predict(X)
    assert predictions[::2].mean() > predictions[1::2].mean() + 4


@pytest.mark.parametrize("n", [1, 5, 60])
def test_tables_without_anything_to_split(n, capfd):
    X, y = np.ones((n, 2)), np.arange(float(n))
    model = OneSidedBoosting().fit(X, y)
    np.testing.assert_allclose(model.predict(X), y.mean())
    assert model.booster_ is None
    assert capfd.readouterr() == ("", "")


def test_it_says_nothing(table, capfd):
    X, y, side, _ = table
    OneSidedBoosting(n_estimators=300).fit(X, np.round(y), side=side).predict(X)
    OneSidedBoosting().fit(X[:25], y[:25], side=side[:25]).predict(X)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("side", [np.zeros(300), np.ones(299), np.full(300, 2)])
def test_sides_are_plus_and_minus_one(table, side):
    X, y, _, _ = table
    with pytest.raises(ValueError, match="side must be"):
        OneSidedBoosting().fit(X, y, side=side)


def test_without_lightgbm_one_sentence_names_the_remedy(table, monkeypatch):
    X, y, _, _ = table
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    with pytest.raises(ImportError, match="libgomp1"):
        OneSidedBoosting().fit(X, y)

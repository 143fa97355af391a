"""Nystroem features: what they approximate, and how landmarks are chosen."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.optimize import minimize
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel

from softcost import OneSidedRegression, SoftCostClassifierCV
from softcost.linear import LinearClassifier, NystroemClassifier, OneSidedNystroem
from softcost.linear.nystroem import Kernel, choose_landmarks
from softcost.search import path_engine

KERNELS = {
    "perceptron": lambda A, B: -np.linalg.norm(A[:, None] - B, axis=2),
    "stump": lambda A, B: -np.abs(A[:, None] - B).sum(axis=2),
    "rbf": lambda A, B: rbf_kernel(A, B, gamma=0.3),
    "laplacian": lambda A, B: laplacian_kernel(A, B, gamma=0.3),
}


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 3))
    y = np.sin(2 * X[:, 0]) + X[:, 1] ** 2 + 5
    return X, y, rng.choice([-1, 1], 60), rng.uniform(0.3, 2, 60)


def kernel_machine(K, y, side, weight, C):
    """The stated problem over all rows as landmarks, by scipy.

    Coefficients sum to zero, so centring the kernel only moves the intercept. In the
    coordinates of its square root the penalty is ``w @ w / 2``: L-BFGS takes hundreds
    of times as many steps for the coefficients themselves.
    """
    n = len(y)
    centre = np.eye(n) - 1 / n
    values, vectors = np.linalg.eigh(centre @ K @ centre)
    Z = vectors * np.sqrt(np.maximum(values, 0))

    def fun(parts):
        w, intercept = parts[:-1], parts[-1]
        u = np.maximum(side * (Z @ w + intercept - y), 0)
        slope = C * 2 * weight * side * u
        value = w @ w / 2 + C * weight @ u**2
        return value, np.append(w + Z.T @ slope, slope.sum())

    options = {"maxiter": 20_000, "maxfun": 40_000, "ftol": 1e-15, "gtol": 1e-9}
    found = minimize(
        fun, np.append(np.zeros(n), y.mean()), jac=True, method="L-BFGS-B",
        options=options,
    )  # fmt: skip
    return found.fun, Z @ found.x[:-1] + found.x[-1]


@pytest.mark.parametrize("kernel", KERNELS)
def test_with_all_rows_as_landmarks_it_is_the_kernel_machine(table, kernel):
    X, y, side, weight = table
    model = OneSidedNystroem(kernel, 3.0, gamma=0.3, tol=1e-9)
    model.fit(X, y, side=side, sample_weight=weight)
    K = KERNELS[kernel](X, X)
    best, outputs = kernel_machine(K, y, side, weight, 3.0)
    ours = model.predict(X)
    coef = model.dual_coef_[0]
    own = KERNELS[kernel](model.landmarks_, model.landmarks_)
    loss = weight @ np.maximum(side * (ours - y), 0) ** 2
    np.testing.assert_allclose(coef.sum(), 0, atol=1e-6 * np.abs(coef).max())
    np.testing.assert_allclose(coef @ own @ coef / 2 + 3.0 * loss, best, rtol=2e-3)
    np.testing.assert_allclose(ours, outputs, atol=0.02)


def test_the_linear_kernel_is_the_linear_machine(table):
    X, y, _, weight = table
    label = np.where(y > 6, "high", "low")
    ours, linear = (
        one.fit(X, label, sample_weight=weight)
        for one in (
            NystroemClassifier("linear", 0.5, n_landmarks=20, tol=1e-9),
            LinearClassifier(0.5, tol=1e-9),
        )
    )
    np.testing.assert_allclose(
        ours.decision_function(X), linear.decision_function(X), atol=1e-4
    )


def test_landmarks_are_distinct_rows_whatever_their_repetition(table):
    X = table[0].astype(np.float32)
    kernel = Kernel("perceptron", 1.0)
    every = np.arange(60)
    one = choose_landmarks(X, every, 10, kernel, seed=4)
    twice = np.r_[X[::-1], X, X]
    many = choose_landmarks(twice, np.arange(180), 10, kernel, seed=4)
    np.testing.assert_array_equal(one, many)
    assert len(np.unique(one, axis=0)) == 10
    assert {tuple(row) for row in one} <= {tuple(row) for row in X}
    few = choose_landmarks(np.repeat(X[:3], 5, axis=0), np.arange(15), 10, kernel, 4)
    assert len(few) == 3


def test_landmarks_spread(table):
    """Two far clusters of very different size both get some."""
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(size=(2000, 2)), rng.normal(size=(20, 2)) + 200]
    chosen = choose_landmarks(
        X.astype(np.float32), np.arange(2020), 8, Kernel("perceptron", 1.0), seed=0
    )
    assert (chosen[:, 0] > 100).any()
    assert (chosen[:, 0] < 100).any()


def test_features_that_are_not_kept_give_the_same(table):
    X, y, side, _ = table
    kept, made = (
        OneSidedNystroem(n_landmarks=15, cache_size=size).fit(X, y, side=side)
        for size in (500, 0)
    )
    np.testing.assert_allclose(kept.predict(X), made.predict(X), rtol=1e-9)


def test_sparse_rows(table):
    X, y, side, _ = table
    X = np.where(X > 0.5, X, 0.0)
    dense, compressed = (
        OneSidedNystroem(n_landmarks=15).fit(form(X), y, side=side)
        for form in (np.asarray, sparse.csr_array)
    )
    np.testing.assert_allclose(
        dense.predict(X), compressed.predict(sparse.csr_array(X)), rtol=1e-4
    )


@pytest.mark.parametrize("kernel", ["perceptron", "rbf"])
def test_a_path_gives_what_clone_and_fit_gives(kernel, monkeypatch):
    rng = np.random.default_rng(3)
    y = rng.integers(3, size=150)
    X = np.column_stack([rng.normal(2 * y, 2), rng.normal(size=150)])
    prices = np.array([[0, 1.13, 5.71], [2.37, 0, 4.19], [9.83, 7.57, 0.0]])
    learner = OneSidedNystroem(kernel, n_landmarks=12, tol=1e-9)

    def searched():
        return SoftCostClassifierCV(
            OneSidedRegression(learner), cost_matrix=prices, softness=3, cv=3,
            param_grid={"C": [0.1, 10.0]},
        ).fit(X, y)  # fmt: skip

    walked = searched()
    monkeypatch.setattr(path_engine, "can_walk", lambda problem: False)
    pd.testing.assert_frame_equal(walked.tradeoff_, searched().tradeoff_)

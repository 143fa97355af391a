"""One-sided regression with any regressor (I38): losses fall, to the optimum."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeRegressor

from softcost.reductions import ClippedTargetRegressor


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = X @ [1.0, -2.0, 0.5] + rng.normal(size=60)
    return X, y, rng.choice([-1.0, 1.0], 60), rng.uniform(0.5, 2, 60)


def objective(w, X, y, side, weight, alpha):
    """Penalised one-sided squared loss of a linear function without intercept."""
    excess = np.maximum(side * (X @ w - y), 0)
    return weight @ excess**2 + alpha * w @ w


def test_ridge_reaches_the_penalised_optimum(problem):
    X, y, side, weight = problem
    ridge = Ridge(alpha=2.0, fit_intercept=False, tol=1e-12, solver="cholesky")
    found = []
    for n_refits in (0, 1, 5, 500):
        model = ClippedTargetRegressor(ridge, n_refits=n_refits)
        model.fit(X, y, side=side, sample_weight=weight)
        found.append(objective(model.regressor_.coef_, X, y, side, weight, 2.0))
    assert all(np.diff(found) <= 1e-9)
    best = minimize(objective, np.zeros(3), args=(X, y, side, weight, 2.0), tol=1e-12)
    assert found[-1] == pytest.approx(best.fun, rel=1e-6)
    assert found[0] > best.fun * 1.01


@pytest.mark.parametrize(
    "learner", [Ridge(), KernelRidge(), DecisionTreeRegressor(max_depth=2)]
)
def test_the_best_iterate_is_kept(learner, problem):
    X, y, side, _ = problem
    model = ClippedTargetRegressor(learner, n_refits=5).fit(X, y, side=side)
    violation = np.maximum(side * (model.predict(X) - y), 0)
    assert np.mean(violation**2) == pytest.approx(min(model.losses_))
    assert min(model.losses_) <= model.losses_[0]


def test_without_sides_it_is_the_regressor(problem):
    X, y, _, weight = problem
    plain = Ridge().fit(X, y, sample_weight=weight)
    model = ClippedTargetRegressor(Ridge()).fit(X, y, sample_weight=weight)
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))


def test_absolute_loss_by_reweighting_reaches_the_quadratic_program():
    """The other scheme, with a conditionally positive definite kernel: the machine."""
    from scipy.spatial.distance import cdist

    from softcost.svm import OneSidedSVR

    rng = np.random.default_rng(1)
    X = rng.normal(size=(25, 2))
    y = rng.normal(size=25)
    side, C = rng.choice([-1.0, 1.0], 25), 0.7
    K, ones = -cdist(X, X), np.ones((25, 1))
    output, losses = np.zeros(25), []
    for _ in range(3000):
        gap = np.maximum(np.abs(side * (output - y)), 1e-7)
        inverse = 2 * gap / C  # squared loss of weight C / (2 |u|), halved as |f|^2 / 2
        system = np.block([[K + np.diag(inverse), ones], [ones.T, np.zeros((1, 1))]])
        solved = np.linalg.solve(system, np.r_[y - side * gap, 0.0])
        output = K @ solved[:-1] + solved[-1]
        excess = np.maximum(side * (output - y), 0)
        losses.append(solved[:-1] @ K @ solved[:-1] / 2 + C * excess.sum())
    assert all(np.diff(losses) <= 1e-6)
    machine = OneSidedSVR(C=C, tol=1e-8).fit(X, y, side=side)
    np.testing.assert_allclose(output, machine.predict(X), atol=5e-3)

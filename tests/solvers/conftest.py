"""References that know nothing of the solvers: formulas, scikit-learn, a QP solver."""

import clarabel
import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.svm import SVC

from softcost.solvers.kernel_functions import FEATURE_KERNELS


def _distance_form(A, B, kernel, gamma=1.0):
    if kernel == "linear":
        return -cdist(A, B, "sqeuclidean") / 2
    metric = "cityblock" if kernel in ("stump", "laplacian") else "euclidean"
    distance = cdist(A, B, "sqeuclidean" if kernel == "rbf" else metric)
    if kernel in ("perceptron", "stump"):
        return -distance
    return np.expm1(-gamma * distance)


@pytest.fixture(scope="session")
def distance_form():
    """``f(A, B, kernel, gamma)``: the distance form in double precision."""
    return _distance_form


@pytest.fixture(scope="session")
def plain():
    """``f(gram)``: the values of a padded matrix, square and in double precision."""
    return lambda gram: gram[:, : len(gram)].astype(np.float64)


class Certificate:
    """What makes coefficients optimal, in plain double precision.

    Attributes
    ----------
    violation, objective, intercept : float
    primal : float
        The primal objective of the fitted function with its intercept.
    feasible : bool
    """

    def __init__(self, K, targets, lower, upper, beta, intercept=None):
        gradient = K @ beta - targets
        rising, falling = beta < upper, beta > lower
        lowest = gradient[rising].min(initial=np.inf)
        highest = gradient[falling].max(initial=-np.inf)
        self.violation = max(highest - lowest, 0.0)
        self.objective = beta @ K @ beta / 2 - targets @ beta
        if intercept is None:
            inside = rising & falling
            intercept = -gradient[inside].mean() if inside.any() else np.nan
        self.intercept = intercept
        short = gradient + intercept
        losses = upper * np.maximum(-short, 0) - lower * np.maximum(short, 0)
        self.primal = beta @ K @ beta / 2 + losses.sum()
        self.gap = self.primal + self.objective
        room = 1e-9 * (upper - lower).max(initial=0)
        self.feasible = bool(
            abs(beta.sum()) <= 1e-9 * np.abs(beta).sum() + 1e-300
            and (beta <= upper + room).all()
            and (beta >= lower - room).all()
        )


@pytest.fixture(scope="session")
def certificate():
    """``f(K, targets, lower, upper, beta)`` gives a `Certificate`."""
    return Certificate


def _quadratic_program(K, targets, lower, upper):
    n = len(targets)
    # sum(b) = 0 allows any constant for each row and column: the doubly centred
    # matrix is positive semidefinite where K is so only on that plane.
    centre = np.eye(n) - 1 / n
    P = centre @ K @ centre
    scale = np.abs(P).max()
    options = clarabel.DefaultSettings()
    options.verbose = False
    options.tol_gap_abs = options.tol_gap_rel = options.tol_feas = 1e-11
    options.static_regularization_constant = 1e-12
    A = np.vstack([np.ones(n), np.eye(n), -np.eye(n)])
    solver = clarabel.DefaultSolver(
        sparse.csc_matrix(np.triu(P / scale)),
        -targets,
        sparse.csc_matrix(A),
        np.concatenate([[0.0], upper * scale, -lower * scale]),
        [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(2 * n)],
        options,
    )
    solution = solver.solve()
    assert "Solved" in str(solution.status), solution.status
    return np.array(solution.x) / scale


@pytest.fixture(scope="session")
def quadratic_program():
    """``f(K, targets, lower, upper)``: coefficients by an interior-point method."""
    return _quadratic_program


def _svc(K, y, C, weights=None, tol=1e-6):
    machine = SVC(kernel="precomputed", C=C, tol=tol, cache_size=500)
    machine.fit(K, y, sample_weight=weights)
    beta = np.zeros(len(y))
    beta[machine.support_] = machine.dual_coef_[0]
    return beta, machine.intercept_[0]


@pytest.fixture(scope="session")
def svc():
    """``f(K, y, C, weights)``: coefficients and intercept by scikit-learn."""
    return _svc


@pytest.fixture(scope="session")
def noisy():
    """``f(n, d=3, noise=0.3, seed=0)``: rows in the unit cube and labels +1, -1."""

    def make(n, d=3, noise=0.3, seed=0):
        rng = np.random.default_rng(seed + 1000 * n)
        X = rng.random((n, d))
        score = X[:, 0] - 0.7 * X[:, -1] + noise * rng.standard_normal(n)
        return X, np.where(score > np.median(score), 1.0, -1.0)

    return make


@pytest.fixture(params=sorted(FEATURE_KERNELS))
def kernel(request):
    return request.param

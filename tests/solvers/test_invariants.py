"""Identities of support vector machines and one-sided regression, solver by solver.

Costs c and signs z: z = +1 asks for an output of at most c, z = -1 of at least c.
"""

import numpy as np
import pytest
from sklearn.svm import SVC, SVR

from softcost.solvers import kernels, smo
from softcost.solvers.path import Family, solve_path
from softcost.solvers.row_store import Gram

TIGHT = 1e-8


def fit(gram, targets, lower, upper, tol=TIGHT):
    """Outputs for the training rows, and the solution."""
    solution = smo.solve(Gram(gram), targets, lower, upper, tol=tol)
    assert solution.converged
    outputs = gram[:, : len(gram)].astype(float) @ solution.beta + solution.intercept
    return outputs, solution


def classify(gram, y, C, weights=1.0):
    box = C * y * weights
    return fit(gram, y, np.minimum(box, 0), np.maximum(box, 0))[0]


def regress(gram, z, costs, C, weights=1.0, tol=TIGHT):
    box = C * weights * np.ones(len(z))
    lower, upper = np.where(z > 0, -box, 0), np.where(z < 0, box, 0)
    return fit(gram, costs, lower, upper, tol)[0]


@pytest.fixture(scope="module")
def problem():
    """Rows, a sign, asymmetric costs and weights for each, labels of three classes."""
    rng = np.random.default_rng(17)
    n = 75
    # Exact in single precision, also the linear kernel: rounding would make a matrix of
    # rank 3 slightly indefinite, and outputs would agree only to that.
    X = rng.integers(0, 256, (n, 3)) / 256
    y = np.digitize(X[:, 0] + 0.3 * rng.standard_normal(n), [0.3, 0.7])
    z = np.where(y == 0, 1, -1)
    costs = np.where(z > 0, 0.0, 0.1 + rng.random(n))
    return X, y, z, costs, 0.2 + rng.random(n)


@pytest.fixture(params=[0.25, 4.0, 256.0])
def C(request):
    return request.param


def same(a, b, atol=1e-6):
    np.testing.assert_allclose(a, b, atol=atol)


@pytest.mark.parametrize("k", [0, 1, 2])
def test_naive_costs_are_one_versus_all(problem, kernel, C, k, plain):
    """I5: the outputs r' on targets 2c - 1 are minus the classifier's, at one C."""
    X, y, *_ = problem
    gram = kernels.gram_matrix(X, kernel, gamma=2.0)
    mine = np.where(y == k, 1.0, -1.0)
    naive = (y != k).astype(float)
    outputs = regress(gram, mine, 2 * naive - 1, C)
    same(-outputs, classify(gram, mine, C))
    machine = SVC(kernel="precomputed", C=C, tol=1e-8).fit(plain(gram), mine)
    same(-outputs, machine.decision_function(plain(gram)), 1e-5)
    same(regress(gram, mine, naive, C / 2), (1 + outputs) / 2)


def test_naive_costs_are_one_versus_all_along_the_path(problem, C):
    """I5 where the path arrives at softness 1 from hard costs."""
    X, y, *_ = problem
    gram = kernels.gram_matrix(X)
    naive = (y != 1).astype(float)
    prices = naive * np.array([0.3, 0.0, 0.9])[y]
    softness = np.array([0.0, 0.5, 1.0])
    soft = np.array([(1 - s) * prices + s * naive for s in softness])
    lower = np.tile(np.where(y == 1, -1.0, 0.0), (3, 1))
    family = Family(2 * soft - 1, lower, 1 + lower)
    result = solve_path(
        Gram(gram), gram, len(X), family, [C / 8, C], softness, tol=1e-6, fitted=True
    )
    same(-result.fitted[1, 2], classify(gram, np.where(y == 1, 1.0, -1.0), C), 2e-5)


@pytest.mark.parametrize("shift", [-0.4, 7.0])
def test_one_constant_for_all_costs_is_the_intercepts(problem, kernel, C, shift):
    """I12."""
    X, _, z, costs, _ = problem
    gram = kernels.gram_matrix(X, kernel)
    same(regress(gram, z, costs + shift, C), regress(gram, z, costs, C) + shift)


def test_a_constant_for_each_example_is_not(problem):
    """I11 does not hold for one-sided regression: the tests above can fail."""
    X, _, z, costs, weights = problem
    gram = kernels.gram_matrix(X)
    moved = regress(gram, z, costs + weights, 4.0) - weights
    assert np.abs(moved - regress(gram, z, costs, 4.0)).max() > 0.1


@pytest.mark.parametrize("scale", [1e-4, 30.0])
def test_costs_times_s_are_C_times_s(problem, kernel, C, scale):
    """I13 and I39: rescaling a column changes nothing, at C times the scale."""
    X, _, z, costs, weights = problem
    gram = kernels.gram_matrix(X, kernel)
    scaled = regress(gram, z, scale * costs, scale * C, weights)
    same(scaled / scale, regress(gram, z, costs, C, weights))


def test_column_rescaling_keeps_rough_solutions_useful(problem):
    """I39 at the default tolerance: tiny costs are not taken for solved at zero."""
    X, _, z, costs, _ = problem
    gram = kernels.gram_matrix(X)
    exact = regress(gram, z, costs, 100.0)
    rough = regress(gram, z, 1e-4 * costs, 100.0 * 1e-4, tol=1e-3) / 1e-4
    same(rough, exact, 3e-3)


def test_at_one_C_scaling_costs_is_not_nothing(problem):
    """I14."""
    X, _, z, costs, _ = problem
    gram = kernels.gram_matrix(X)
    assert (
        np.abs(
            regress(gram, z, 30 * costs, 1.0) / 30 - regress(gram, z, costs, 1.0)
        ).max()
        > 0.05
    )


@pytest.mark.parametrize("constant", [-0.7, 3.0])
def test_a_constant_in_the_kernel_changes_nothing(problem, kernel, C, constant, plain):
    """I16: the distance form takes it away before single precision sees it."""
    X, _, z, costs, weights = problem
    gram = kernels.gram_matrix(X, kernel)
    exact = kernels.centred(plain(gram) + constant)
    same(regress(exact, z, costs, C, weights), regress(gram, z, costs, C, weights))


def box(z, costs, C, weights):
    return costs, np.where(z > 0, -C * weights, 0), np.where(z < 0, C * weights, 0)


@pytest.mark.parametrize("factor", [0.125, 64.0])
def test_kernel_times_t_is_C_times_t(problem, kernel, C, factor):
    """I17, for one-sided regression and for classification."""
    X, _, z, costs, weights = problem
    gram = kernels.gram_matrix(X, kernel)
    scaled = gram * np.float32(factor)
    same(
        regress(scaled, z, costs, C / factor, weights),
        regress(gram, z, costs, C, weights),
    )
    y = z.astype(float)
    same(classify(scaled, y, C / factor, weights), classify(gram, y, C, weights))


@pytest.mark.parametrize("name", ["perceptron", "stump", "linear"])
def test_features_times_t_are_C_times_t(problem, name, C):
    """I17 through the kernels without a width."""
    X, _, z, costs, _ = problem
    power = 2 if name == "linear" else 1
    wide = kernels.gram_matrix(4 * X, name)
    same(
        regress(wide, z, costs, C / 4**power),
        regress(kernels.gram_matrix(X, name), z, costs, C),
    )


def test_twice_an_example_is_twice_its_weight(problem, kernel, C):
    """I18."""
    X, _, z, costs, weights = problem
    n = len(X)
    extra = np.arange(0, n, 3)
    twice = np.concatenate([np.arange(n), extra])
    doubled = weights.copy()
    doubled[extra] *= 2
    gram = kernels.gram_matrix(X, kernel)
    repeated = kernels.gram_matrix(X[twice], kernel)
    same(
        regress(repeated, z[twice], costs[twice], C, weights[twice])[:n],
        regress(gram, z, costs, C, doubled),
    )
    y = z.astype(float)
    same(
        classify(repeated, y[twice], C, weights[twice])[:n],
        classify(gram, y, C, doubled),
    )


def test_weight_zero_is_absence(problem, kernel, C):
    """I19, and a weight of next to nothing."""
    X, _, z, costs, weights = problem
    kept = np.flatnonzero(np.arange(len(X)) % 3)
    gram = kernels.gram_matrix(X, kernel)
    part = kernels.submatrix(gram, kept, kept)
    without = regress(part, z[kept], costs[kept], C, weights[kept])
    for little, atol in ((0.0, 1e-6), (1e-12, 1e-5)):
        light = weights.copy()
        light[np.arange(len(X)) % 3 == 0] = little
        same(regress(gram, z, costs, C, light)[kept], without, atol)
    y = z.astype(float)
    light = np.where(np.arange(len(X)) % 3, weights, 0)
    same(classify(gram, y, C, light)[kept], classify(part, y[kept], C, weights[kept]))


@pytest.mark.parametrize("price", [0.2, 1.0, 5.0])
def test_two_classes_with_one_price_are_a_classifier(problem, kernel, C, price):
    """I25: r' = a - 1 - a f with a classifier f at C / a."""
    X, _, z, _, weights = problem
    gram = kernels.gram_matrix(X, kernel)
    for sign in (1, -1):  # each of the two classes has its regressor
        mine = sign * z
        costs = np.where(mine > 0, 0.0, price)
        outputs = regress(gram, mine, 2 * costs - 1, C, weights)
        margin = classify(gram, mine.astype(float), C / price, weights)
        same(outputs, price - 1 - price * margin, 1e-6 * max(price, 1))


def test_primal_and_dual_meet(problem, kernel, C, certificate, plain):
    """I37: a relative gap below 1e-8, recomputed."""
    X, _, z, costs, weights = problem
    gram = kernels.gram_matrix(X, kernel)
    problem = box(z, costs, C, weights)
    _, solution = fit(gram, *problem, tol=1e-9)
    check = certificate(plain(gram), *problem, solution.beta, solution.intercept)
    assert abs(check.gap) <= 1e-8 * max(C, abs(check.primal))
    assert abs(solution.dual_gap) <= 1e-8 * max(C, abs(check.primal))


@pytest.mark.parametrize("name", ["perceptron", "rbf"])
def test_a_shifted_tube_is_one_sided(problem, name, C, plain):
    """I37: an ordinary epsilon-SVR whose other edge is out of reach."""
    X, _, z, costs, weights = problem
    gram = kernels.gram_matrix(X, name, gamma=2.0)
    edge = 5 * max(1, np.ptp(costs))
    machine = SVR(kernel="precomputed", epsilon=edge, C=C, tol=1e-8)
    machine.fit(plain(gram), costs - z * edge, sample_weight=weights)
    theirs = machine.predict(plain(gram))
    assert (z * (theirs - costs) > -2 * edge).all()
    same(regress(gram, z, costs, C, weights), theirs, 1e-5)


def test_both_sides_are_ordinary_support_vector_regression(problem, kernel, C, plain):
    X, _, _, costs, weights = problem
    gram = kernels.gram_matrix(X, kernel, gamma=2.0)
    machine = SVR(kernel="precomputed", epsilon=0.0, C=C, tol=1e-7)
    theirs = machine.fit(plain(gram), costs, sample_weight=weights)
    ours, _ = fit(gram, costs, -C * weights, C * weights)
    same(ours, theirs.predict(plain(gram)), 1e-5)


def test_order_of_rows_does_not_matter(problem, kernel, C):
    X, _, z, costs, weights = problem
    order = np.random.default_rng(0).permutation(len(X))
    gram = kernels.gram_matrix(X, kernel)
    mixed = kernels.gram_matrix(X[order], kernel)
    same(
        regress(mixed, z[order], costs[order], C, weights[order]),
        regress(gram, z, costs, C, weights)[order],
    )


def test_signs_mirror(problem, kernel, C):
    """At most c for outputs is at least -c for their negatives."""
    X, _, z, costs, weights = problem
    gram = kernels.gram_matrix(X, kernel)
    same(regress(gram, -z, -costs, C, weights), -regress(gram, z, costs, C, weights))

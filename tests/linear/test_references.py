"""Solutions agree with references for the stated objective."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.svm import LinearSVC

from softcost.learners import Labels, OneSidedValues
from softcost.linear import LinearClassifier, OneSidedLinear

STRICT = 1e-9


@pytest.fixture(scope="module")
def table():
    """Badly scaled features, far from zero; targets, sides, labels, weights."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(160, 5)) * [1, 1e-2, 30, 1, 1] + [0, 0, 1e3, 5, 0]
    z = (X - X.mean(axis=0)) / X.std(axis=0)
    y = 3 + z @ [1, -2, 0.5, 0, 1] + rng.normal(size=160)
    side = rng.choice([-1, 1], 160)
    label = np.where(y + rng.normal(size=160) > 3.5, "yes", "no")
    return X, y, side, label, rng.uniform(0.2, 3, 160)


def losses(name, X, y, side=None):
    """The loss of every row, and its derivative, as functions of the output."""
    if name == "squared":
        return lambda r: ((r - y) ** 2, 2 * (r - y))
    if name == "one-sided":
        part = lambda r: np.maximum(side * (r - y), 0)  # noqa: E731
        return lambda r: (part(r) ** 2, 2 * side * part(r))
    if name == "squared_hinge":
        part = lambda r: np.maximum(1 - y * r, 0)  # noqa: E731
        return lambda r: (part(r) ** 2, -2 * y * part(r))
    return lambda r: (np.logaddexp(0, -y * r), -y / (1 + np.exp(y * r)))


def objective(coef, intercept, C, X, weight, loss):
    value, slope = loss(X @ coef + intercept)
    gradient = coef + C * X.T @ (weight * slope)
    return coef @ coef / 2 + C * weight @ value, gradient, C * weight @ slope


def reference(C, X, weight, loss, scale):
    """The minimum by scipy, over standardised features with the penalty of X."""
    centre = X.mean(axis=0)

    def fun(v):
        w = v[:-1] / scale
        value, by_w, by_b = objective(w, v[-1] - centre @ w, C, X, weight, loss)
        return value, np.append((by_w - centre * by_b) / scale, by_b)

    options = {"maxiter": 5000, "ftol": 1e-15, "gtol": 1e-10, "maxfun": 10**5}
    found = minimize(
        fun, np.zeros(X.shape[1] + 1), jac=True, method="L-BFGS-B", options=options
    )
    return found.fun


def compare(model, X, weight, loss):
    coef, intercept = np.ravel(model.coef_), np.ravel(model.intercept_)[0]
    C = model.C
    value, by_w, by_b = objective(coef, intercept, C, X, weight, loss)
    best = reference(C, X, weight, loss, X.std(axis=0))
    assert value <= best * (1 + 1e-7)
    gap = by_w @ by_w / 2
    assert value - best <= gap + abs(by_b) + 1e-9 * best
    assert model.converged_.all()
    assert model.dual_gap_[0] <= 1e-4 * best


@pytest.mark.parametrize("C", [1e-4, 1.0, 300.0])
@pytest.mark.parametrize("sided", [True, False])
def test_regressor_minimises_what_it_says(table, C, sided):
    X, y, side, _, weight = table
    side = side if sided else None
    model = OneSidedLinear(C, tol=STRICT).fit(X, y, side=side, sample_weight=weight)
    name = "one-sided" if sided else "squared"
    compare(model, X, weight, losses(name, X, y, side))


@pytest.mark.parametrize("C", [1e-4, 1.0, 300.0])
@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
def test_classifier_minimises_what_it_says(table, C, loss):
    X, _, _, label, weight = table
    model = LinearClassifier(C, loss=loss, tol=STRICT)
    model.fit(X, label, sample_weight=weight)
    compare(model, X, weight, losses(loss, X, np.where(label == "yes", 1.0, -1.0)))


def test_without_sides_it_is_ridge_regression(table):
    X, y, _, _, weight = table
    for C in (0.01, 10.0):
        ours = OneSidedLinear(C, tol=STRICT).fit(X, y, sample_weight=weight)
        ridge = Ridge(alpha=1 / (2 * C)).fit(X, y, sample_weight=weight)
        np.testing.assert_allclose(ours.coef_, ridge.coef_, rtol=1e-6)
        np.testing.assert_allclose(ours.predict(X), ridge.predict(X), rtol=1e-7)


def test_logistic_is_scikit_learns(table):
    X, _, _, label, weight = table
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    theirs = LogisticRegression(C=0.7, tol=1e-10, max_iter=10_000)
    theirs.fit(X, label, sample_weight=weight)
    ours = LinearClassifier(0.7, loss="logistic", tol=STRICT)
    ours.fit(X, label, sample_weight=weight)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-5, atol=1e-8)
    assert (ours.predict(X) == theirs.predict(X)).all()


def test_squared_hinge_is_below_linear_svc(table):
    """Whose intercept is a little penalised, so that it cannot be better."""
    X, _, _, label, weight = table
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    theirs = LinearSVC(C=0.7, dual=False, tol=1e-10, intercept_scaling=1e3)
    theirs.fit(X, label, sample_weight=weight)
    ours = LinearClassifier(0.7, tol=STRICT).fit(X, label, sample_weight=weight)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-4, atol=1e-5)


def test_many_classes_are_one_against_the_rest(table):
    X, y, _, _, weight = table
    classes = np.array(["c", "a", "b"])[np.digitize(y, [2.0, 4.0])]
    many = LinearClassifier(2.0, tol=STRICT).fit(X, classes, sample_weight=weight)
    for number, name in enumerate(["a", "b", "c"]):
        one = LinearClassifier(2.0, tol=STRICT)
        one.fit(X, classes == name, sample_weight=weight)
        np.testing.assert_allclose(
            many.decision_function(X)[:, number], one.decision_function(X), atol=1e-6
        )
    assert set(many.predict(X)) <= {"a", "b", "c"}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_rows_give_what_dense_ones_give(dtype):
    rng = np.random.default_rng(2)
    X = sparse.csr_array(sparse.random(300, 40, 0.1, random_state=rng)).astype(dtype)
    X.data *= 7
    y = np.asarray(X.sum(axis=1)).ravel() + rng.normal(size=300)
    side, weight = rng.choice([-1, 1], 300), rng.uniform(size=300)
    models = [
        OneSidedLinear(0.5, tol=STRICT).fit(rows, y, side=side, sample_weight=weight)
        for rows in (X, X.toarray(), sparse.csr_matrix(X))
    ]
    for other in models[1:]:
        np.testing.assert_allclose(other.coef_, models[0].coef_, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(
        models[0].predict(X), models[0].predict(X.toarray()), rtol=1e-6, atol=1e-6
    )


def test_wide_sparse_rows():
    """Beyond the width at which the preconditioner is factored."""
    rng = np.random.default_rng(2)
    X = sparse.csr_array(sparse.random(200, 1500, 0.02, random_state=rng))
    label = rng.choice(["b", "a"], 200)
    model = LinearClassifier(5.0, tol=STRICT).fit(X, label)
    dense = X.toarray()
    signed = np.where(label == "b", 1.0, -1.0)
    loss = losses("squared_hinge", dense, signed)
    value, by_w, by_b = objective(
        model.coef_[0], model.intercept_[0], 5.0, dense, np.ones(200), loss
    )
    assert by_w @ by_w / 2 + abs(by_b) <= 1e-6 * value


def test_labels_are_one_sided_values(table):
    X, _, _, label, weight = table
    signed = np.where(label == "yes", 1.0, -1.0)
    one = OneSidedLinear(2.0, tol=STRICT).fit_many(X, [Labels(signed, weight)])
    two = OneSidedLinear(2.0, tol=STRICT)
    two.fit(X, signed, side=-signed, sample_weight=weight)
    np.testing.assert_array_equal(one.outputs(X)[:, 0], two.predict(X))


def test_nothing_to_choose_gives_constants(table):
    X, y, _, _, weight = table
    n, up = len(y), np.ones(len(y))
    none = OneSidedValues(y, 0 * weight, up)
    machines = OneSidedLinear().fit_many(
        X, [OneSidedValues(y, weight, up), OneSidedValues(y, weight, -up), none]
    )
    outputs = machines.outputs(X)
    np.testing.assert_allclose(outputs[:, 0], np.full(n, y.min()))
    np.testing.assert_allclose(outputs[:, 1], np.full(n, y.max()))
    assert np.isnan(outputs[:, 2]).all()


def test_values_are_refused_by_a_classifier(table):
    X, y, side, _, weight = table
    with pytest.raises(TypeError, match="LinearClassifier is a classifier"):
        LinearClassifier().fit_many(X, [OneSidedValues(y, weight, side)])


def test_too_few_passes_are_told(table):
    X, _, _, label, _ = table
    with pytest.warns(UserWarning, match="raise max_iter"):
        LinearClassifier(loss="logistic", tol=STRICT, max_iter=1).fit(X, label)

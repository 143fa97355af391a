"""The estimators against scikit-learn, and what they promise of weights and memory."""

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import minmax_scale
from sklearn.svm import SVC, SVR

from softcost.learners import Values
from softcost.svm import KernelSVC, OneSidedSVR, pair_votes


def perceptron(A, B):
    return -cdist(A, B)


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return minmax_scale(X), y


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({}, {"kernel": perceptron}),
        ({"kernel": "stump"}, {"kernel": lambda A, B: -cdist(A, B, "cityblock")}),
        ({"kernel": "rbf"}, {"kernel": "rbf"}),
        ({"kernel": "rbf", "gamma": "auto"}, {"kernel": "rbf", "gamma": "auto"}),
        ({"kernel": "linear"}, {"kernel": "linear"}),
        (
            {"kernel": "laplacian", "gamma": 0.3},
            {"kernel": lambda A, B: np.exp(-0.3 * cdist(A, B, "cityblock"))},
        ),
        (
            {"kernel": "exponential", "gamma": 0.3},
            {"kernel": lambda A, B: np.exp(-0.3 * cdist(A, B))},
        ),
    ],
)
@pytest.mark.parametrize("C", [0.25, 16])
def test_two_classes_as_scikit_learn(ours, theirs, C, wine):
    X, y = wine
    y, rows = y == 1, np.r_[0:178:2]
    weight = np.random.default_rng(0).uniform(0.1, 2, len(rows))
    mine = KernelSVC(C=C, tol=1e-7, **ours).fit(X[rows], y[rows], sample_weight=weight)
    peer = SVC(C=C, tol=1e-7, **theirs).fit(X[rows], y[rows], sample_weight=weight)
    np.testing.assert_allclose(
        mine.decision_function(X), peer.decision_function(X), atol=2e-4
    )
    np.testing.assert_allclose(mine.intercept_, peer.intercept_, atol=5e-4)
    coefficients = np.zeros(len(rows))
    coefficients[peer.support_] = peer.dual_coef_[0]
    np.testing.assert_allclose(
        mine.dual_coef_[0], coefficients[mine.support_], atol=1e-2 * C
    )


def test_more_classes_vote_as_libsvm(wine):
    X, y = load_digits(return_X_y=True)
    X, names = X[:500] / 16, np.array(list("abcdefghij"))[y[:500]]
    mine = KernelSVC(C=16, tol=1e-6).fit(X[:400], names[:400])
    peer = SVC(kernel=perceptron, C=16, tol=1e-6, break_ties=True)
    peer.fit(X[:400], names[:400])
    np.testing.assert_array_equal(mine.predict(X), peer.predict(X))
    peer.decision_function_shape = "ovo"
    margins = peer.decision_function(X)
    np.testing.assert_allclose(mine.pairwise_decision(X), margins, atol=1e-3)


def test_votes_of_untrained_pairs_are_shared():
    votes = pair_votes(np.array([[1.0, np.nan, -1.0]]), 3)
    np.testing.assert_array_equal(votes, [[1.5, 0.0, 1.5]])


def test_one_sided_without_costs_is_the_classifier(wine):
    X, y = wine
    label = np.where(y == 0, 1.0, -1.0)
    regressor = OneSidedSVR(C=2, tol=1e-7).fit(X, label, side=-label)
    classifier = KernelSVC(C=2, tol=1e-7).fit(X, label)
    np.testing.assert_allclose(
        regressor.predict(X), classifier.decision_function(X), atol=1e-5
    )


def test_without_sides_it_is_absolute_loss(wine):
    X, y = wine
    target = X[:, 0] * 3 + y
    mine = OneSidedSVR(C=1, tol=1e-6).fit(X, target)
    peer = SVR(kernel=perceptron, C=1, epsilon=0, tol=1e-6).fit(X, target)
    np.testing.assert_allclose(mine.predict(X), peer.predict(X), atol=1e-4)


def test_one_side_only_is_the_extreme_target(wine):
    X, y = wine
    least = OneSidedSVR().fit(X, y, side=np.ones(len(y)))
    most = OneSidedSVR().fit(X, y, side=-np.ones(len(y)))
    np.testing.assert_allclose(least.predict(X), 0)
    np.testing.assert_allclose(most.predict(X), 2)


def test_rows_in_any_order_and_number_give_the_same_bits():
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    weight = rng.integers(0, 4, len(y))
    repeated = rng.permutation(np.repeat(np.arange(len(y)), weight))
    one = KernelSVC(C=4).fit(X, y, sample_weight=weight)
    other = KernelSVC(C=4).fit(X[repeated], y[repeated])
    np.testing.assert_array_equal(one.pairwise_decision(X), other.pairwise_decision(X))


def test_few_rows_in_memory_give_the_same_machine(wine):
    X, y = wine
    tiny = KernelSVC(tol=1e-6, cache_size=0.03).fit(X, y > 0)
    whole = KernelSVC(tol=1e-6).fit(X, y > 0)
    np.testing.assert_allclose(
        tiny.decision_function(X), whole.decision_function(X), atol=1e-4
    )
    problems = [Values(np.where(y == k, 1.0, -1.0), np.ones(len(y))) for k in (0, 1)]
    shared = OneSidedSVR(tol=1e-6).fit_many(X, problems)
    lazy = OneSidedSVR(tol=1e-6, cache_size=0.03).fit_many(X, problems)
    np.testing.assert_allclose(shared.outputs(X), lazy.outputs(X), atol=1e-4)


def test_sparse_rows_are_the_same_rows_and_too_many_are_refused(wine):
    X, y = wine
    dense = KernelSVC().fit(X, y)
    for form in (sparse.csr_matrix, sparse.csr_array):
        thin = KernelSVC().fit(form(X), y)
        np.testing.assert_array_equal(
            thin.pairwise_decision(form(X)), dense.pairwise_decision(X)
        )
    with pytest.raises(MemoryError, match="cache_size"):
        KernelSVC(cache_size=0.001).fit(sparse.csr_matrix(X), y)


def test_certificates_tell_whether_the_tolerance_was_reached(wine):
    X, y = wine
    fitted = KernelSVC(C=16).fit(X, y)
    assert fitted.converged_.all()
    assert (fitted.violation_ <= 1e-3).all()
    assert fitted.dual_gap_.shape == fitted.n_iter_.shape == (3,)
    with pytest.warns(ConvergenceWarning, match="raise max_iter=2"):
        stopped = KernelSVC(C=16, max_iter=2).fit(X, y)
    assert not stopped.converged_.any()
    assert (stopped.n_iter_ <= 2).all()
    tight = KernelSVC(C=16, tol=1e-7).fit(X, y)
    assert (tight.dual_gap_ <= fitted.dual_gap_ + 1e-12).all()


@pytest.mark.parametrize(
    ("side", "weight", "names"),
    [
        ([1, 0, 1], None, "side"),
        ([1, 1], None, "side"),
        (None, [0, 0, 0], "(?i)sample.weight"),
        (None, [1, -1, 1], "(?i)sample.weight"),
    ],
)
def test_bad_input_is_refused_by_name(side, weight, names):
    with pytest.raises(ValueError, match=names):
        OneSidedSVR().fit(
            [[0.0], [1.0], [2.0]], [0, 1, 2], side=side, sample_weight=weight
        )


def test_a_kernel_matrix_must_be_square():
    with pytest.raises(ValueError, match="square"):
        KernelSVC(kernel="precomputed").fit(np.ones((3, 2)), [0, 1, 0])


@pytest.mark.parametrize("kernel", ["perceptron", "rbf", "linear"])
def test_features_far_from_zero_keep_their_differences(kernel, wine):
    X, y = wine
    far = X + np.array([1e6, -3e5] + [0.0] * 11)
    near = KernelSVC(kernel, C=4, gamma=0.5, tol=1e-6).fit(X, y > 0)
    moved = KernelSVC(kernel, C=4, gamma=0.5, tol=1e-6).fit(far, y > 0)
    expected = near.decision_function(X)
    np.testing.assert_allclose(moved.decision_function(far), expected, atol=1e-4)
    if kernel == "linear":
        weights = moved.dual_coef_ @ moved.support_vectors_
        plain = far @ weights[0] + moved.intercept_[0]
        np.testing.assert_allclose(plain, expected, atol=1e-2)


@pytest.mark.parametrize("factor", [1e19, 1e30, 1e-18, 1e-30])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_features_of_impossible_size_are_refused(factor, form, wine):
    X, y = wine
    with pytest.raises(ValueError, match="scale the features"):
        KernelSVC().fit(form(X * factor), y)


@pytest.mark.parametrize("factor", [1e12, 1e-6])
def test_features_of_other_sizes_are_taken(factor, wine):
    X, y = wine
    model = KernelSVC(C=1 / factor).fit(X * factor, y)
    np.testing.assert_array_equal(
        model.predict(X * factor), KernelSVC(C=1.0).fit(X, y).predict(X)
    )


def test_a_row_out_of_range_is_not_predicted_as_the_first_class(wine):
    X, y = wine
    model = KernelSVC().fit(X, y)
    with pytest.raises(ValueError, match="out of range"):
        model.predict(np.full((1, X.shape[1]), 1e25))


def test_a_time_stamp_is_the_same_dense_and_sparse(wine):
    X, y = wine
    X = np.column_stack([X, 1.7e9 + np.arange(len(y))])
    dense = KernelSVC().fit(X, y)
    thin = KernelSVC().fit(sparse.csr_matrix(X), y)
    np.testing.assert_array_equal(
        dense.pairwise_decision(X), thin.pairwise_decision(sparse.csr_matrix(X))
    )

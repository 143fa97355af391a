"""Zhou and Liu's rescaling: its two branches, and where each applies."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from softcost import CostSensitiveOneVsOne, KernelSVC, ZhouLiuRescaling
from softcost.costs import (
    consistency_weights,
    consistent,
    inconsistent,
    is_consistent,
    row_costs,
)

SVM = KernelSVC(tol=1e-7)


@pytest.fixture
def prices_of(blobs):
    def make(generator, seed=0, n_classes=4):
        y = blobs(n_classes)[1]
        return generator(np.bincount(y), seed)

    return make


def subproblems(reduction, y, matrix):
    return list(reduction().subproblems(row_costs(y, cost_matrix=matrix).problem(0.0)))


def by_pair(plain_votes, X, y, X_new, learner, weight):
    """Votes of pairs trained on their own classes with ``weight[true, other]``."""

    def pair(i, j):
        own = np.where(y == i, weight[i, j], weight[j, i])
        return (y == i) | (y == j), y == i, own

    return plain_votes(learner, X, X_new, len(weight), pair)


def test_inconsistent_prices_weigh_pairs_by_themselves(
    blobs, prices_of, plain_votes, votes_of
):
    X, y, X_new, _ = blobs(4)
    matrix = prices_of(inconsistent)
    model = ZhouLiuRescaling(SVM, cost_matrix=matrix).fit(X, y)
    expected = by_pair(plain_votes, X, y, X_new, SVM, matrix / matrix.max())
    np.testing.assert_array_equal(votes_of(model, X_new), expected)


def test_consistent_prices_weigh_classes(blobs, prices_of, one_vs_one, votes_of):
    X, y, X_new, _ = blobs(4)
    matrix = prices_of(consistent)
    weight = matrix[:, 0] / np.where(matrix[0] > 0, matrix[0], 1)
    weight[0] = 1
    model = ZhouLiuRescaling(SVM, cost_matrix=matrix).fit(X, y)
    expected = one_vs_one(SVM, X, y, X_new, class_weight=weight / weight.max())
    np.testing.assert_array_equal(votes_of(model, X_new), expected)


@pytest.mark.parametrize("seed", range(5))
def test_branches_agree_for_learners_that_see_no_scale(
    seed, blobs, prices_of, plain_votes, votes_of
):
    X, y, X_new, _ = blobs(4, n=100)
    matrix = prices_of(consistent, seed)
    learner = GaussianNB(var_smoothing=0)
    model = ZhouLiuRescaling(learner, cost_matrix=matrix).fit(X, y)
    expected = by_pair(plain_votes, X, y, X_new, learner, matrix)
    np.testing.assert_array_equal(votes_of(model, X_new), expected)
    # an SVM at fixed C does see the scale
    svm = ZhouLiuRescaling(SVM, cost_matrix=matrix).fit(X, y)
    other = by_pair(plain_votes, X, y, X_new, SVM, matrix)
    assert not np.array_equal(votes_of(svm, X_new), other)


def test_pairs_are_those_of_one_versus_one_on_their_own_classes(blobs, prices_of):
    _, y, _, _ = blobs(4)
    matrix = prices_of(inconsistent)
    ours = subproblems(ZhouLiuRescaling, y, matrix)
    full = subproblems(CostSensitiveOneVsOne, y, matrix)
    pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    for (i, j), own, every in zip(pairs, ours, full, strict=True):
        rows = (y == i) | (y == j)
        np.testing.assert_array_equal(own.weight[rows], every.weight[rows])
        np.testing.assert_array_equal(own.target[rows], every.target[rows])
        assert not own.weight[~rows].any()
        assert every.weight[~rows].any()


def test_soft_prices_of_three_classes_are_not_consistent(prices_of):
    matrix = prices_of(consistent)
    even = 1 - np.eye(4)
    assert is_consistent(matrix)
    for softness in (0.1, 0.5, 0.9):
        assert not is_consistent((1 - softness) * matrix + softness * even)
        # unless the error is weighted in the same proportions
        weight = consistency_weights(matrix)
        mixed = (1 - softness) * matrix + softness * weight[:, None] * even
        assert is_consistent(mixed)
        assert is_consistent((1 - softness) * weight[:, None] * even + softness * even)


def test_soft_prices_take_the_branch_of_the_mixture(
    blobs, prices_of, plain_votes, votes_of
):
    X, y, X_new, _ = blobs(4)
    matrix = prices_of(consistent)
    model = ZhouLiuRescaling(SVM, cost_matrix=matrix, softness=0.5).fit(X, y)
    mixed = 0.5 * matrix / matrix.max() + 0.5 * (1 - np.eye(4))
    expected = by_pair(plain_votes, X, y, X_new, SVM, mixed)
    np.testing.assert_array_equal(votes_of(model, X_new), expected)


def test_free_mistakes_make_constants_and_half_votes(blobs, votes_of):
    X, y, X_new, _ = blobs(3)
    matrix = np.array([[0, 0, 1], [0, 0, 1], [0, 1, 0.0]])
    model = ZhouLiuRescaling(SVM, cost_matrix=matrix).fit(X, y)
    votes = votes_of(model, X_new)
    # (0, 1) is free both ways: half a vote each; (0, 2) costs only where 0 is true
    assert set(votes[:, 0]) == {1.5}
    assert set(votes[:, 1]) == {0.5, 1.5}

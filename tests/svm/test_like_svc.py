"""`KernelSVC` beside scikit-learn's `SVC`."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import minmax_scale
from sklearn.svm import SVC

from softcost import OneSidedRegression, SoftCostClassifierCV
from softcost.svm import KernelSVC, OneSidedSVR


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_scores_of_several_classes_rank_rows_as_well(kernel):
    """Votes alone would give each row one of few scores, and an AUC far below."""
    X, y = load_digits(n_class=5, return_X_y=True)
    X = X / 16 + np.random.default_rng(0).normal(scale=0.8, size=X.shape)
    train, test = np.arange(0, 400), np.arange(400, len(y))
    ours, theirs = (
        model.fit(X[train], y[train]).decision_function(X[test])
        for model in (KernelSVC(kernel, gamma=0.02), SVC(kernel=kernel, gamma=0.02))
    )
    for k in range(5):
        auc = [roc_auc_score(y[test] == k, scores[:, k]) for scores in (ours, theirs)]
        assert auc[0] == pytest.approx(auc[1], abs=1e-3)


def test_ties_of_votes_are_broken_by_margins():
    X, y = load_iris(return_X_y=True)
    X = X + np.random.default_rng(0).normal(scale=2, size=X.shape)
    ours = KernelSVC("rbf", gamma=2.0).fit(X, y)
    theirs = SVC(gamma=2.0, break_ties=True).fit(X, y)
    new = np.random.default_rng(1).normal(X.mean(axis=0), 3, size=(2000, 4))
    votes = ours.decision_function(new).round()
    assert (votes == votes.max(axis=1, keepdims=True)).sum(axis=1).max() == 3
    assert (ours.predict(new) == theirs.predict(new)).mean() > 0.999


@pytest.mark.filterwarnings("ignore:Solver terminated early")
@pytest.mark.parametrize("C", [0.01, 100.0])
@pytest.mark.parametrize("load", [load_iris, load_wine])
@pytest.mark.parametrize("scaled", [False, True])
def test_linear_machines_are_nearer_the_optimum_where_they_differ(load, scaled, C):
    """Outputs differ from SVC's if the optimum is flat, as for unscaled features.

    SVC then stops at a larger objective. It stores kernel values as inner products in
    single precision; softcost centres rows and stores distances.
    """
    X, y = load(return_X_y=True)
    X = minmax_scale(X) if scaled else X
    ours = KernelSVC("linear", C, tol=1e-6).fit(X, y)
    theirs = SVC(
        kernel="linear", C=C, tol=1e-6, decision_function_shape="ovo",
        max_iter=2_000_000,
    ).fit(X, y)  # fmt: skip
    outputs = ours.pairwise_decision(X), theirs.decision_function(X)
    coef = ours.dual_coef_ @ ours.support_vectors_, theirs.coef_
    for pair, (i, j) in enumerate(combinations(range(3), 2)):
        rows = (y == i) | (y == j)
        sign = np.where(y[rows] == i, 1.0, -1.0)
        primal = [
            w[pair] @ w[pair] / 2 + C * np.maximum(0, 1 - sign * out[rows, pair]).sum()
            for out, w in zip(outputs, coef, strict=True)
        ]
        assert primal[0] <= primal[1] * (1 + 1e-4)
        if scaled:
            np.testing.assert_allclose(
                outputs[0][rows, pair], outputs[1][rows, pair], atol=2e-3
            )


@pytest.mark.parametrize("kernel", ["perceptron", "stump", "linear"])
def test_features_that_are_too_small_are_refused(kernel):
    """With their units in the penalty, no machine could fit them."""
    X, y = load_iris(return_X_y=True)
    for tiny in (1e-12, 1e-20):
        with pytest.raises(ValueError, match="too little"):
            KernelSVC(kernel).fit(tiny * X, y)
        search = SoftCostClassifierCV(
            OneSidedRegression(OneSidedSVR(kernel)), softness=2, cv=2
        )
        with pytest.raises(ValueError, match="too little"):
            search.fit(tiny * X, y)
    scaled_back = KernelSVC(kernel, C=1e15).fit(1e-6 * X, y)
    assert (scaled_back.predict(1e-6 * X) == y).mean() > 0.95


def test_small_features_of_a_kernel_with_a_width():
    X, y = load_iris(return_X_y=True)
    expected = KernelSVC("rbf").fit(X, y).predict(X)
    ours = KernelSVC("rbf").fit(1e-12 * X, y).predict(1e-12 * X)
    np.testing.assert_array_equal(ours, expected)


def test_small_targets_may_have_small_features():
    X = np.linspace(0, 1e-12, 20)[:, None]
    y = np.sin(5e12 * X).ravel() * 1e-12
    model = OneSidedSVR(C=1e3, tol=1e-4).fit(X, y)
    np.testing.assert_allclose(model.predict(X), y, atol=1e-13)

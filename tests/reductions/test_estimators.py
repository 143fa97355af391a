"""The fitted learners of a reduction are public."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.svm import SVC

from softcost.reductions import CATALOGUE, ClippedTargetRegressor

MATRIX = np.array([[0, 1, 5], [1, 0, 5], [9, 9, 0.0]])
LOGISTIC = LogisticRegression(max_iter=1000)
# How many estimators three classes need; None where the data decide.
COUNTS = {
    "csovo": 3, "wap": 3, "cszl": 3, "csft": 2, "osr": 3, "csovr": 3, "mec": 1,
    "metacost": 1, "costing": 1, "gbse": None,
}  # fmt: skip


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.mark.parametrize("name", sorted(CATALOGUE))
def test_one_estimator_for_each_subproblem(name, iris):
    cls = CATALOGUE[name].load()
    learner = Ridge() if name in ("osr", "csovr") else LOGISTIC
    model = cls(learner, cost_matrix=MATRIX)
    assert not hasattr(model, "estimators_")
    found = model.fit(*iris).estimators_
    kind = ClippedTargetRegressor if name == "osr" else type(learner)
    assert all(isinstance(one, kind) for one in found)
    assert len(found) == COUNTS[name] or COUNTS[name] is None
    assert found


def test_pairs_are_in_order(iris):
    X, y = iris
    cls = CATALOGUE["csovo"].load()
    found = cls(LOGISTIC).fit(X, y).estimators_
    for one, (i, j) in zip(found, [(0, 1), (0, 2), (1, 2)], strict=True):
        rows = (y == i) | (y == j)
        by_hand = LogisticRegression(max_iter=1000).fit(X[rows], y[rows] == i)
        np.testing.assert_allclose(one.coef_, by_hand.coef_, atol=1e-3)


def test_nodes_are_in_order(iris):
    X, y = iris
    model = CATALOGUE["csft"].load()(LOGISTIC, order=[2, 1, 0]).fit(X, y)
    first = model.estimators_[0]  # 2 against 1
    rows = y > 0
    assert np.mean((first.predict(X[rows]) == 1) == (y[rows] == 2)) > 0.9


def test_where_there_are_none(iris):
    X, y = iris
    with pytest.raises(AttributeError, match="solutions_"):
        _ = CATALOGUE["csovo"].load()().fit(X, y).estimators_
    cls = CATALOGUE["csovo"].load()
    assert cls(LOGISTIC).fit(X, np.zeros(len(y))).estimators_ == []
    weight = (y != 1).astype(float)
    half = cls(LOGISTIC, classes=[0, 1, 2]).fit(X, y, sample_weight=weight)
    assert [one is None for one in half.estimators_] == [True, False, True]


def test_of_a_kernel_matrix(iris):
    X, y = iris
    model = CATALOGUE["csovo"].load()(SVC(kernel="precomputed")).fit(X @ X.T, y)
    assert all(isinstance(one, SVC) for one in model.estimators_)

"""Rows of a memory-mapped file: the same machines, and no copy of the rows."""

import tracemalloc

import numpy as np
import pytest

from softcost.linear import LinearClassifier, OneSidedLinear
from softcost.linear.features import on_disk
from softcost.reductions import CostSensitiveOneVsOne, OneSidedRegression
from softcost.search import SoftCostClassifierCV

MATRIX = np.array([[0, 1.13, 5.71], [2.37, 0, 4.19], [9.83, 7.57, 0.0]])
MODELS = [
    OneSidedRegression(OneSidedLinear(tol=1e-6)),
    CostSensitiveOneVsOne(LinearClassifier(tol=1e-6)),
    CostSensitiveOneVsOne(LinearClassifier(tol=1e-6, loss="logistic")),
]


@pytest.fixture
def rows(tmp_path):
    """Rows in memory and the same in a file, of any size."""

    def make(n, d, dtype=np.float32):
        rng = np.random.default_rng(1)
        y = rng.integers(3, size=n)
        X = rng.normal(size=(n, d)).astype(dtype) * np.arange(1, d + 1, dtype=dtype) + 7
        X[:, 0] += y
        X[:, 1] -= 2 * (y == 1)
        file = np.memmap(tmp_path / f"{n}.rows", dtype, "w+", shape=X.shape)
        file[:] = X
        file.flush()
        return X, file, np.array(["c", "a", "b"])[y]

    return make


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_search_finds_the_same(model, dtype, rows):
    X, file, y = rows(2500, 6, dtype)

    def searched(X):
        return SoftCostClassifierCV(
            model, cost_matrix=MATRIX, softness=3, param_grid={"C": [0.01, 1.0]}, cv=3,
            random_state=0,
        ).fit(X, y)  # fmt: skip

    there, here = searched(file), searched(X)
    assert there.best_params_ == here.best_params_
    np.testing.assert_array_equal(there.tradeoff_["cost"], here.tradeoff_["cost"])
    np.testing.assert_allclose(
        there.decision_function(X), here.decision_function(X), atol=1e-4
    )


def test_a_part_of_a_file_counts_as_a_file(rows):
    X, file, y = rows(2500, 6)
    there = LinearClassifier(tol=1e-6).fit(file[500:, 1:], y[500:])
    here = LinearClassifier(tol=1e-6).fit(X[500:, 1:], y[500:])
    np.testing.assert_allclose(there.coef_, here.coef_, rtol=1e-3, atol=1e-6)


def test_rows_stay_in_the_file(rows):
    X, file, _ = rows(40_000, 30)

    def most_memory(X):
        weight = np.ones(len(X))
        tracemalloc.start()
        _, opened = OneSidedLinear().opened(X, weight)
        widths = {block.shape[1] for _, block in opened.blocks()}
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert widths == {opened.width} == {31}
        return peak

    assert most_memory(file) < 0.6 * X.nbytes
    assert most_memory(X) > X.nbytes  # the copy that rows in memory have


def test_a_file_of_joblib_is_memory(tmp_path):
    place = tmp_path / "joblib_memmapping_folder_1_2"
    place.mkdir()
    file = np.memmap(place / "rows", np.float32, "w+", shape=(3, 2))
    assert not on_disk(file)
    assert on_disk(np.asarray(np.memmap(tmp_path / "rows", np.float32, "w+", shape=3)))

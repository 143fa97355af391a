"""Rows, and samples of them: the same numbers, whether copied or looked up."""

import weakref

import numpy as np
import pytest

from softcost.linear import OneSidedLinear
from softcost.linear.features import Rows, Standardised
from softcost.reductions import OneSidedRegression
from softcost.search import SoftCostClassifierCV, path_engine


def some_rows():
    rng = np.random.default_rng(5)
    return rng.normal(size=(3000, 4)) * [1, 20, 3, 0.1], rng.permutation(3000)[:2500]


def of_matrix(tmp_path):
    X, places = some_rows()
    matrix = Standardised.of(X).matrix(X, np.float64)
    return Rows(matrix, np.sort(places)), matrix[np.sort(places)]


def of_file(tmp_path):
    X, places = some_rows()
    file = np.memmap(tmp_path / "rows", X.dtype, "w+", shape=X.shape)
    file[:] = X
    space = Standardised.of(X)
    rows = space.rows_on_disk(file, np.dtype(np.float64), np.sort(places))
    return rows, space.matrix(X, np.float64)[np.sort(places)]


@pytest.mark.parametrize("make", [of_matrix, of_file])
@pytest.mark.parametrize("size", [30, 2000])
def test_a_sample_has_the_rows_that_it_names(make, size, tmp_path):
    rows, matrix = make(tmp_path)
    index = np.sort(np.random.default_rng(1).permutation(rows.n)[:size])
    sample, coef = rows.take(index), np.random.default_rng(2).normal(size=(5, 3))
    assert (sample.n, sample.width, sample.dtype) == (size, 5, np.float64)
    np.testing.assert_allclose(sample.outputs(coef), matrix[index] @ coef)
    gram = matrix[index].T @ matrix[index]
    np.testing.assert_allclose(sample.weighted_gram(np.ones(size)), gram, atol=1e-9)


def test_a_large_sample_is_no_copy():
    rows, _ = of_matrix(None)
    assert rows.take(np.arange(2000))._matrix is rows._matrix
    assert rows.take(np.arange(30))._matrix is not rows._matrix


def test_folds_are_opened_one_after_the_other(monkeypatch):
    earlier = []

    class Watched(path_engine.WalkedFold):
        def __init__(self, *given):
            assert not any(one() for one in earlier)
            super().__init__(*given)
            earlier.append(weakref.ref(self))

    monkeypatch.setattr(path_engine, "WalkedFold", Watched)
    X, _ = some_rows()
    y = (X[:, 0] > 0).astype(int) + (X[:, 1] > 20)
    prices = [[0, 1, 5], [2, 0, 4], [9, 7, 0]]
    SoftCostClassifierCV(
        OneSidedRegression(OneSidedLinear()), cost_matrix=prices, cv=4, refit=False
    ).fit(X, y)
    assert len(earlier) == 4

"""Rows computed when needed: the solution of the full matrix, in little memory."""

import numpy as np
import pytest

from softcost.solvers import kernels, rows, smo


def classifier(y, C):
    return y, np.minimum(C * y, 0), np.maximum(C * y, 0)


@pytest.mark.parametrize("megabytes", [0, 0.01, 100])
def test_solution_is_that_of_the_full_matrix(kernel, megabytes, noisy, certificate):
    X, y = noisy(110)
    problem = classifier(y, 20.0)
    gram = kernels.gram_matrix(X, kernel, gamma=3.0)
    lazy = rows.on_demand(X, kernel, gamma=3.0, megabytes=megabytes)
    ours = smo.solve(lazy, *problem, tol=1e-6)
    full = smo.solve(rows.Gram(gram), *problem, tol=1e-6)
    check = certificate(gram[:, :110].astype(float), *problem, ours.beta)
    assert ours.converged
    assert check.feasible
    assert check.violation <= 1e-6 * (1 + 1e-3)
    assert ours.objective == pytest.approx(full.objective, rel=1e-9)
    assert ours.intercept == pytest.approx(full.intercept, abs=2e-6)


def test_memory_is_bounded_and_rows_are_counted(noisy):
    X, y = noisy(100)
    problem = classifier(y, 20.0)
    least = rows.on_demand(X, "perceptron", megabytes=0)
    some = rows.on_demand(X, "perceptron", megabytes=20 * 4 * 128 / 2**20)
    ample = rows.on_demand(X, "perceptron", megabytes=1000)
    assert least.values.shape == (4, 128)
    assert some.values.shape == (20, 128)
    assert ample.values.shape == (100, 128)
    for lazy in (least, some, ample):
        smo.solve(lazy, *problem, tol=1e-3)
    # with room for all of them no row is computed twice; the fewer are kept, the more
    assert ample.clock[1] == (ample.slot >= 0).sum() <= 100
    assert ample.clock[1] < some.clock[1] < least.clock[1]
    assert least.clock[1] <= least.clock[0]


def test_only_the_rows_needed_are_computed(noisy):
    X, y = noisy(400, noise=0.0)
    lazy = rows.on_demand(X, "perceptron", megabytes=100)
    smo.solve(lazy, *classifier(y, 1000.0), tol=1e-3)
    assert lazy.clock[1] < 300


@pytest.mark.parametrize("n", [1, 2, 33])
def test_every_row_is_the_matrix_row(kernel, n):
    X = np.random.default_rng(n).random((n, 3))
    gram = kernels.gram_matrix(X, kernel, gamma=0.5)
    lazy = rows.on_demand(X, kernel, gamma=0.5, megabytes=0)
    order = np.random.default_rng(1).integers(0, n, 50)
    for i in order:
        place = rows.fetch(lazy, int(i))
        assert lazy.owner[place] == i
        assert lazy.slot[i] == place
        assert lazy.values[place].tobytes() == gram[i].tobytes()
    assert (rows.fetch(rows.Gram(gram), n - 1)) == n - 1


def test_the_row_unused_for_longest_gives_way():
    lazy = rows.on_demand(np.arange(10.0)[:, None], "perceptron", megabytes=0)
    for i in (0, 1, 2, 3, 0, 4):
        rows.fetch(lazy, i)
    assert set(lazy.owner) == {0, 2, 3, 4}
    assert lazy.slot[1] == -1
    assert lazy.clock[1] == 5

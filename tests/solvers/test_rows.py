"""Rows computed when needed: the solution of the full matrix, in little memory."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numba import njit

from softcost.solvers import kernels, smo
from softcost.solvers import row_store as rows


def classifier(y, C):
    return y, np.minimum(C * y, 0), np.maximum(C * y, 0)


@pytest.mark.parametrize("capacity", [0, 20, 1000])
def test_solution_is_that_of_the_full_matrix(kernel, capacity, noisy, certificate):
    X, y = noisy(110)
    problem = classifier(y, 20.0)
    gram = kernels.gram_matrix(X, kernel, gamma=3.0)
    lazy = rows.store_of(X, kernel, gamma=3.0, capacity=capacity)
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
    least = rows.store_of(X, "perceptron", capacity=0)
    some = rows.store_of(X, "perceptron", capacity=20)
    ample = rows.store_of(X, "perceptron", capacity=1000)
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
    lazy = rows.store_of(X, "perceptron", capacity=400)
    smo.solve(lazy, *classifier(y, 1000.0), tol=1e-3)
    assert lazy.clock[1] < 300


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 2, 33, 65])
def test_rows_of_a_given_matrix_are_those_of_its_distance_form(n, dtype):
    X = np.random.default_rng(n).standard_normal((n, 3))
    K = np.asfortranarray((X @ X.T).astype(dtype))
    K.setflags(write=False)
    whole, given = kernels.centred(K), rows.given_rows(K)
    assert rows.work_of_step(given) == rows.work_of_step(rows.Gram(whole))
    for i in np.random.default_rng(1).integers(0, n, 50):
        place = rows.fetch(given, int(i))
        assert given.values[place].tobytes() == whole[i].tobytes()


def test_a_given_matrix_is_solved_as_its_distance_form_from_the_rows_needed(noisy):
    X, y = noisy(400, noise=0.0)
    K = np.exp(-((X[:, None] - X) ** 2).sum(axis=2))
    given, problem = rows.given_rows(K), classifier(y, 1000.0)
    given.values[1:] = np.nan  # what is not there yet may be anything
    assert np.isfinite(given.values[0]).all()
    ours = smo.solve(given, *problem)
    whole = smo.solve(rows.Gram(kernels.centred(K)), *problem)
    assert ours.beta.tobytes() == whole.beta.tobytes()
    assert ours.intercept == whole.intercept
    assert (ours.beta != 0).sum() <= given.there.sum() < 300


@pytest.mark.parametrize("n", [1, 2, 33])
def test_every_row_is_the_matrix_row(kernel, n):
    X = np.random.default_rng(n).random((n, 3))
    gram = kernels.gram_matrix(X, kernel, gamma=0.5)
    lazy = rows.store_of(X, kernel, gamma=0.5, capacity=0)
    order = np.random.default_rng(1).integers(0, n, 50)
    for i in order:
        place = rows.fetch(lazy, int(i))
        assert lazy.owner[place] == i
        assert lazy.slot[i] == place
        assert lazy.values[place].tobytes() == gram[i].tobytes()
    assert (rows.fetch(rows.Gram(gram), n - 1)) == n - 1


def test_the_row_unused_for_longest_gives_way():
    lazy = rows.store_of(np.arange(10.0)[:, None], "perceptron", capacity=0)
    for i in (0, 1, 2, 3, 0, 4):
        rows.fetch(lazy, i)
    assert set(lazy.owner) == {0, 2, 3, 4}
    assert lazy.slot[1] == -1
    assert lazy.clock[1] == 5


@pytest.fixture
def points():
    return np.random.default_rng(3).random((150, 4))


def selections(rng, n):
    """Places to learn from, one of them twice, and held-out ones: runs and singles."""
    out = np.arange(40, 75)
    places = np.setdiff1d(np.arange(n), out)
    places[rng.integers(len(places), size=20)] = 7
    return places, out


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("capacity", [4, 30])
def test_a_part_has_the_entries_of_its_points(kernel, points, whole, capacity):
    rng = np.random.default_rng(0)
    gram = kernels.gram_matrix(points, kernel, gamma=0.5)
    store = rows.store_of(
        points, kernel, gamma=0.5, capacity=9, gram=gram if whole else None
    )
    places, out = selections(rng, len(points))
    part = rows.part_of(store, places, out, capacity=capacity)
    expected = kernels.submatrix(gram, places, places)
    assert part.values.shape == (capacity, expected.shape[1])
    for i in rng.integers(0, len(places), 200):
        at = rows.fetch(part, int(i))
        assert part.values[at].tobytes() == expected[i].tobytes()
    assert (part.clock[1] > capacity) == (store.clock[1] > 9 or whole)


def test_what_one_part_computed_another_copies(points):
    store = rows.store_of(points, "perceptron", capacity=150)
    everyone, nobody = np.arange(150), np.arange(0)
    for _ in range(2):
        part = rows.part_of(store, everyone, nobody, capacity=4)
        for i in (3, 1, 4, 1, 5, 9, 2, 6):
            rows.fetch(part, i)
        assert store.clock[1] == 7


def test_held_out_sums_are_those_of_a_matrix_however_few_rows_are_kept(points):
    rng = np.random.default_rng(1)
    places, out = selections(rng, len(points))
    gram = kernels.gram_matrix(points)
    cross = kernels.submatrix(gram, places, out)
    chosen = rng.permutation(len(places))
    weights = rng.standard_normal(len(places)).astype(np.float32)
    sums = []
    some = rows.store_of(points, "perceptron", capacity=70)
    part = rows.part_of(some, places, out, capacity=5)
    for i in range(60):
        rows.fetch(part, i)
    for source in (rows.Gram(kernels.submatrix(gram, places, places)), part):
        total = np.ones(cross.shape[1], np.float32)
        rows.add_held_out(source, cross, chosen, weights, len(places), total)
        sums.append(total[: len(out)].tobytes())
    assert sums[0] == sums[1]


@njit(nogil=True)
def count_wrong(part, order, gram):
    """How many rows, fetched in this order, differ from the matrix."""
    wrong = 0
    for i in order:
        at = rows.fetch(part, i)
        for t in range(gram.shape[1]):
            if part.values[at, t] != gram[i, t]:
                wrong += 1
                break
    return wrong


def test_threads_share_a_store():
    n = 3000
    points = np.random.default_rng(3).random((n, 1))
    gram = kernels.gram_matrix(points)
    store = rows.store_of(points, "perceptron", capacity=8)

    def work(seed):
        order = np.random.default_rng(seed).integers(0, 12, 20_000)
        part = rows.part_of(store, np.arange(n), np.arange(0), capacity=4)
        return count_wrong(part, order, gram)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(4))) == [0, 0, 0, 0]
    there = np.flatnonzero(store.slot >= 0)
    assert len(there) == 8
    assert store.values[store.slot[there]].tobytes() == gram[there].tobytes()
    assert store.lock[0] == 0

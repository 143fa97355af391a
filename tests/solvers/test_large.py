"""Large problems: the solutions of small ones, on a working set of a few rows."""

import numpy as np
import pytest

from softcost.solvers import kernels, large, smo
from softcost.solvers.path import Family, solve_path
from softcost.solvers.row_store import Gram, part_of, store_of

C_GRID = np.array([1024.0, 0.25, 2.0, 128.0, 16.0])
SOFTNESS = np.linspace(0, 1, 6)


@pytest.fixture(autouse=True)
def few_rows_are_many(monkeypatch):
    """Every problem of more than twenty rows is large, and its working set small."""
    monkeypatch.setattr(large, "LARGE", 20)
    monkeypatch.setattr(large, "MANY", 99)
    monkeypatch.setattr(large, "CAPACITY", 48)
    monkeypatch.setattr(large, "_LEAST_NEW", 4)
    monkeypatch.setattr(large, "CACHED_FROM", 0)
    monkeypatch.setattr(large, "PATH_CACHED_FROM", 0)


def solve(rows, *problem, tol=1e-3, max_steps=-1, **chain):
    return large.Chain(rows, **chain).solve(*problem, tol=tol, max_steps=max_steps)


def classifier(y, C):
    return y, np.minimum(C * y, 0), np.maximum(C * y, 0)


@pytest.mark.parametrize("C", [0.01, 1.0, 1000.0])
@pytest.mark.parametrize("tol", [1e-3, 1e-7])
def test_a_solution_has_its_certificate(kernel, C, tol, noisy, certificate):
    X, y = noisy(150)
    problem = classifier(y, C * np.linspace(0.1, 2, 150))
    gram = kernels.gram_matrix(X, kernel, gamma=3.0)
    solution = solve(Gram(gram), *problem, total=150, tol=tol)
    once = smo.solve(Gram(gram), *problem, tol=1e-8)
    check = certificate(gram[:, :150].astype(float), *problem, solution.beta)
    assert solution.converged
    assert check.feasible
    assert check.violation <= tol * (1 + 1e-6)
    assert solution.violation == pytest.approx(check.violation, abs=1e-9 * C)
    slack = solution.dual_gap + 1e-7 * abs(once.objective)
    assert once.objective - slack <= solution.objective <= once.objective + slack


def test_rows_may_come_from_anywhere(kernel, noisy):
    X, y = noisy(120)
    rng = np.random.default_rng(0)
    places = np.sort(rng.integers(0, 120, 90))  # some points twice
    problem = classifier(y[places], 20.0 * rng.random(90))
    whole = kernels.gram_matrix(X, kernel, gamma=3.0)
    matrix = kernels.submatrix(whole, places, places)
    expected = solve(Gram(matrix), *problem, total=120, tol=1e-6)
    nothing = np.empty(0, np.intp)
    points = X[places]
    sources = [
        store_of(points, kernel, gamma=3.0, capacity=0),
        store_of(points, kernel, gamma=3.0, capacity=40),
        store_of(points, kernel, gamma=3.0, capacity=90),
    ]
    for gram in (None, whole):
        store = store_of(X, kernel, gamma=3.0, capacity=0, gram=gram)
        sources += [part_of(store, places, nothing, capacity=k) for k in (0, 30, 90)]
    for source in sources:
        solution = solve(source, *problem, total=120, tol=1e-6)
        assert solution.beta.tobytes() == expected.beta.tobytes()
        assert solution.intercept == expected.intercept


@pytest.mark.parametrize("cached_from", [0, 99])
def test_threads_do_not_change_a_bit(cached_from, noisy, monkeypatch):
    """Each thread sums the columns of some panels, whether rows are cached or not."""
    monkeypatch.setattr(large, "_WORTH_THREADS", 0)
    monkeypatch.setattr(large, "CACHED_FROM", cached_from)
    X, y = noisy(1700)
    problem = classifier(y, 20.0)
    solutions = []
    for threads in (1, 2, 5):
        rows = store_of(X, "rbf", gamma=3.0, capacity=300)
        solutions.append(solve(rows, *problem, total=1700, threads=threads))
    assert solutions[0].converged
    assert len({s.beta.tobytes() for s in solutions}) == 1
    assert len({s.intercept for s in solutions}) == 1


def test_a_chain_has_the_solutions_of_single_problems(noisy):
    """The next problem begins with the working set of the previous one."""
    X, y = noisy(150)
    chain = large.Chain(store_of(X, "rbf", gamma=3.0, capacity=50), total=150)
    for C in (1.0, 300.0, 20.0):
        problem = classifier(np.roll(y, int(C)), C)
        rows = store_of(X, "rbf", gamma=3.0, capacity=50)
        alone = solve(rows, *problem, tol=1e-7, total=150)
        chained = chain.solve(*problem, tol=1e-7)
        assert chained.converged
        assert chained.objective == pytest.approx(alone.objective, rel=1e-6)


def test_rows_computed_for_one_problem_make_it_large(noisy):
    X, y = noisy(60)
    problem = classifier(y, 20.0)
    gram = Gram(kernels.gram_matrix(X, "rbf", gamma=3.0))
    store = store_of(X, "rbf", gamma=3.0, capacity=60)
    expected = solve(gram, *problem, total=1000)
    solution = solve(store, *problem, total=60)
    assert solution.beta.tobytes() == expected.beta.tobytes()
    assert (store.slot < 0).all()  # of the cache for single rows
    assert solve(gram, *problem, total=60).steps != solution.steps


def family_of(y, rng):
    """A pair's family: prices and equal weights; half of the boxes vanish at 1."""
    prices = rng.random(len(y)) ** 3
    weight = (1 - SOFTNESS)[:, None] * prices + SOFTNESS[:, None] * 1e-2
    weight[-1, ::2] = 0.0
    signed = weight * y
    return Family(
        np.broadcast_to(y, signed.shape), np.minimum(signed, 0), np.maximum(signed, 0)
    )


def one_sided(y, rng):
    """A one-sided family, whose targets change with softness."""
    costs = rng.random(len(y))
    targets = (1 - SOFTNESS)[:, None] * costs + SOFTNESS[:, None] * (y > 0)
    below = np.broadcast_to(y > 0, targets.shape)
    return Family(targets, np.where(below, -1.0, 0.0), np.where(below, 0.0, 1.0))


@pytest.mark.parametrize("make", [family_of, one_sided])
def test_a_path_has_the_outputs_of_the_small_walk(make, noisy, monkeypatch):
    X, y = noisy(140)
    rng = np.random.default_rng(1)
    whole = kernels.gram_matrix(X, "perceptron")
    train, out = np.arange(100), np.arange(100, 140)
    gram, cross = (kernels.submatrix(whole, train, part) for part in (train, out))
    family = make(y[train], rng)
    options = {"tol": 1e-7, "fitted": True, "total": 140}
    path = solve_path(Gram(gram), cross, 40, family, C_GRID, SOFTNESS, **options)
    store = store_of(X, "perceptron", capacity=0)
    rows = part_of(store, train, out, capacity=9)
    lazy = solve_path(rows, None, 40, family, C_GRID, SOFTNESS, **options)
    monkeypatch.setattr(large, "LARGE", 1000)
    small = solve_path(Gram(gram), cross, 40, family, C_GRID, SOFTNESS, **options)
    assert path.converged.all()
    for name in ("outputs", "fitted", "violation", "dual_gap", "steps"):
        np.testing.assert_array_equal(getattr(path, name), getattr(lazy, name))
    np.testing.assert_allclose(path.outputs, small.outputs, atol=2e-4)
    np.testing.assert_allclose(path.fitted, small.fitted, atol=2e-4)
    assert ((path.steps == 0) == (small.steps == 0)).mean() > 0.8


def test_steps_are_limited(noisy):
    X, y = noisy(150)
    gram = Gram(kernels.gram_matrix(X, "perceptron"))
    problem, options = classifier(y, 1000.0), {"total": 150, "max_steps": 25}
    solution = solve(gram, *problem, tol=1e-6, **options)
    assert solution.steps == 25
    assert not solution.converged
    nothing = solve(gram, y, np.zeros(150), np.zeros(150), total=150)
    assert nothing.steps == 0
    assert np.isnan(nothing.intercept)


def test_few_points_are_solved_at_once(noisy):
    X, y = noisy(99)
    gram, problem = Gram(kernels.gram_matrix(X, "perceptron")), classifier(y, 9.0)
    once, solution = smo.solve(gram, *problem), solve(gram, *problem, total=99)
    other = solve(gram, *problem, total=100)
    assert solution.beta.tobytes() == once.beta.tobytes()
    assert solution.steps == once.steps != other.steps


def test_work_can_be_stopped(noisy):
    class Stop(Exception):
        pass

    def stop():
        raise Stop

    X, y = noisy(150)
    gram = Gram(kernels.gram_matrix(X, "perceptron"))
    with pytest.raises(Stop):
        solve(gram, *classifier(y, 1000.0), total=150, proceed=stop)

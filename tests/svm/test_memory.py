"""Searches and fits in little memory: the same bits, within what was promised."""

import re
import tracemalloc

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.model_selection import StratifiedKFold

from softcost import (
    CostSensitiveOneVsOne,
    FilterTree,
    OneSidedRegression,
    SoftCostClassifierCV,
    WeightedAllPairs,
    ZhouLiuRescaling,
)
from softcost.learners import Labels, OneSidedValues
from softcost.solvers import large
from softcost.solvers.kernels import gram_matrix
from softcost.solvers.row_store import LEAST
from softcost.svm import KernelSVC, OneSidedSVR
from softcost.svm.shared_rows import (
    Needs,
    SharedRows,
    copy_bytes,
    make_plan,
    row_bytes,
)

REDUCTIONS = {
    "osr": OneSidedRegression(OneSidedSVR()),
    "csovo": CostSensitiveOneVsOne(KernelSVC()),
    "wap": WeightedAllPairs(KernelSVC()),
    "cszl": ZhouLiuRescaling(KernelSVC()),
    "csft": FilterTree(KernelSVC()),
}
PRICES = np.array([[0, 1, 4, 2], [3, 0, 1, 0], [9, 2, 0, 1], [1, 5, 2, 0.0]])
# Room for the matrix of 100 distinct rows (50 kB) and the part of a fold (60 kB), but
# none for that of a pair; for the matrix; for some of its rows.
WITH_COPIES, WITH_MATRIX, ROWS_ONLY = 0.12, 0.085, 0.03


def digits(n_classes=4, n=100):
    """Some digits, a part of them twice, of these some under another class."""
    X, y = load_digits(return_X_y=True)
    X, y = X[:n, 10:14] / 16 + np.linspace(0, 1e-3, n)[:, None], y[:n] % n_classes
    again = np.arange(0, n, 5)
    other = np.where(again % 2, y[again], (y[again] + 1) % n_classes)
    return np.r_[X, X[again]], np.r_[y, other]


def search(reduction, X, y, cache_size, n_jobs=1, **learner):
    n_classes = len(np.unique(y))
    reduction = clone(reduction)
    reduction.learner.set_params(cache_size=cache_size, **learner)
    return SoftCostClassifierCV(
        reduction,
        cost_matrix=PRICES[:n_classes, :n_classes],
        softness=4,
        param_grid={"C": [0.5, 64.0]},
        cv=3,
        n_jobs=n_jobs,
        random_state=0,
    ).fit(X, y)


def assert_same(found, expected, X):
    assert found.tradeoff_.equals(expected.tradeoff_)
    assert found.best_index_ == expected.best_index_
    ours, whole = (one.decision_function(X) for one in (found, expected))
    np.testing.assert_array_equal(ours, whole)


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_search_in_little_memory_has_the_same_bits(name, n_classes):
    X, y = digits(n_classes)
    whole = search(REDUCTIONS[name], X, y, cache_size=100)
    for cache_size in (WITH_COPIES, WITH_MATRIX, ROWS_ONLY):
        for n_jobs in (1, 2):
            little = search(REDUCTIONS[name], X, y, cache_size, n_jobs)
            assert_same(little, whole, X)


@pytest.mark.parametrize("name", REDUCTIONS)
def test_so_it_has_with_working_sets(name, monkeypatch):
    monkeypatch.setattr(large, "LARGE", 30)
    monkeypatch.setattr(large, "MANY", 90)
    monkeypatch.setattr(large, "CAPACITY", 40)
    monkeypatch.setattr(large, "_LEAST_NEW", 4)
    X, y = digits()
    whole = search(REDUCTIONS[name], X, y, cache_size=100)
    for cache_size, n_jobs in ((0.2, 1), (0.14, 1), (0.32, 2), (0.26, 2)):
        little = search(REDUCTIONS[name], X, y, cache_size, n_jobs)
        assert_same(little, whole, X)


@pytest.mark.parametrize(
    "kernel",
    ["perceptron", "stump", "laplacian", "exponential", "rbf", "linear"],
)
@pytest.mark.parametrize("gamma", ["scale", 2.0])
def test_so_it_has_with_every_kernel(kernel, gamma):
    X, y = digits()
    options = {"kernel": kernel, "gamma": gamma}
    whole = search(REDUCTIONS["osr"], X, y, cache_size=100, **options)
    for n_jobs in (1, 2):
        little = search(REDUCTIONS["osr"], X, y, ROWS_ONLY, n_jobs, **options)
        assert_same(little, whole, X)


def test_examples_with_prices_of_their_own():
    X, y = digits()
    prices = np.random.default_rng(0).random((len(y), 4))
    prices[np.arange(len(y)), y] = 0
    fitted = [
        SoftCostClassifierCV(
            OneSidedRegression(OneSidedSVR(cache_size=size)),
            softness=3,
            param_grid={"C": [4.0]},
            random_state=0,
        ).fit(X, y, costs=prices)
        for size in (100, ROWS_ONLY)
    ]
    assert_same(*fitted, X)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("n_problems", [1, 4])
@pytest.mark.parametrize("kind", ["all rows", "pairs"])
def test_machines_in_little_memory_have_the_same_bits(threads, n_problems, kind):
    X, y = digits()
    if kind == "all rows":
        learner = OneSidedSVR(C=16)
        problems = [
            OneSidedValues(1.0 - sign, np.ones(len(y)), sign)
            for sign in (np.where(y == k, 1.0, -1.0) for k in range(n_problems))
        ]
    else:
        learner = KernelSVC(C=16)
        problems = [
            Labels(np.where(y == k, 1.0, -1.0), (y >= k).astype(float))
            for k in range(n_problems)
        ]
    whole = learner.fit_many(X, problems)
    for size in (WITH_MATRIX, ROWS_ONLY):
        little = clone(learner).set_params(cache_size=size)
        found = little.fit_many(X, problems, threads=threads)
        np.testing.assert_array_equal(found.coef, whole.coef)
        np.testing.assert_array_equal(found.support, whole.support)
        np.testing.assert_array_equal(found.outputs(X), whole.outputs(X))


@example(193, 0, 1.0, 0.0, 0, 1, 5, 1.0)
@given(
    st.integers(1, 10**6), st.integers(0, 1000), st.floats(0, 1), st.floats(0, 1),
    st.integers(0, 5), st.integers(1, 64), st.integers(1, 5), st.floats(1e-3, 1e5),
)  # fmt: skip
def test_a_plan_keeps_to_its_memory(n, d, m, n_out, copied, threads, matrices, size):
    needs = Needs(n, d, int(m * n), int(n_out * n), copied, threads, matrices)
    try:
        plan = make_plan(needs, size, remedy="")
    except MemoryError:
        return
    assert plan.n_bytes <= size * 2**20
    assert min(n, LEAST) <= plan.capacity <= n
    assert plan.whole == (plan.capacity == n)
    if plan.whole and not copied:
        return  # all problems read the matrix itself
    if plan.copy_bytes:
        assert plan.copy_bytes >= copy_bytes(needs.m, needs.n_out)
    else:
        assert plan.problem_bytes >= min(needs.m, LEAST) * row_bytes(needs.m)


def many(n, d=3):
    rng = np.random.default_rng(0)
    X = rng.random((n, d))
    return X, (X[:, 0] + 0.1 * rng.standard_normal(n) > 0.5).astype(int)


def opened(learner, X, y, threads=1):
    """A path over two folds, and these folds."""
    folds = list(StratifiedKFold(2).split(X, y))
    tests = [test for _, test in folds]
    values, softness = np.array([0.1, 1.0]), np.array([0.0, 1.0])
    return learner.open_path(X, tests, values, softness, threads=threads), folds


@pytest.mark.parametrize("cache_size", [100, 25, 12, 6])
@pytest.mark.parametrize("gamma", ["scale", 1.0])
def test_the_memory_of_a_search_is_known_before_it_is_taken(cache_size, gamma):
    X, y = many(2000)
    label = np.tile(np.where(y == 1, 1.0, -1.0), (2, 1))
    learner = KernelSVC("rbf", gamma=gamma, cache_size=cache_size)

    def work():
        path, folds = opened(learner, X, y)
        for train, test in folds:
            fold = path.fold(train, train, test)
            problem = Labels(label[:, train], np.ones((2, len(train))))
            fold.solve(problem)
            fold.release()
        return path.n_bytes

    work()  # what is compiled and loaded at first is not counted
    tracemalloc.start()
    try:
        estimate = work()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert estimate / 1.3 <= peak <= estimate * 1.3
    solvers = 2 * 8 * 20 * len(y)  # some numbers for each row and softness
    assert peak <= cache_size * 2**20 + solvers


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("gamma", ["scale", 1.0])
def test_the_least_memory_is_named_and_is_enough(threads, gamma):
    X, y = digits()
    learner = OneSidedSVR("rbf", gamma=gamma, cache_size=1e-3)
    message = r"n = 100 .* at least (\S+) MB.*cache_size=0.001.*OneSidedSVR\(cache_size"
    with pytest.raises(MemoryError, match=message) as refused:
        opened(learner, X, y, threads)
    least = float(re.search(message, str(refused.value))[1])
    learner.set_params(cache_size=0.98 * least)
    with pytest.raises(MemoryError, match=message.replace("0.001", ".*")):
        opened(learner, X, y, threads)
    learner.set_params(cache_size=1.02 * least)
    path, _ = opened(learner, X, y, threads)
    assert path.n_bytes > 0


def test_a_fit_without_room_is_refused():
    X, y = digits()
    with pytest.raises(MemoryError, match=r"n = 100 .*cache_size=0.001.*raise"):
        KernelSVC(cache_size=0.001).fit(X, y)


def test_folds_hand_their_memory_on():
    """What one has given back the next one fills, whatever was in it."""
    rng = np.random.default_rng(0)
    matrix = gram_matrix(rng.random((130, 2)))
    needs = Needs(n=130, d=2, m=105, n_out=26, copied=1, threads=1)
    shared = SharedRows(make_plan(needs, np.inf, remedy=""), matrix)
    first = shared.copies(np.arange(26, 130), np.arange(26))
    second = shared.copies(np.arange(104), np.arange(104, 130))
    assert not np.shares_memory(first.memory, second.memory)
    shared.give_back(first)
    places, out = np.r_[:52, 77:130], np.arange(52, 77)
    third = shared.copies(places, out)
    assert third.memory is first.memory
    np.testing.assert_array_equal(
        third.inside[:, : len(places)], matrix[np.ix_(places, places)]
    )
    np.testing.assert_array_equal(
        third.cross[:, : len(out)], matrix[np.ix_(places, out)]
    )
    assert (third.inside[:, len(places) :] == 0).all()
    shared.give_back(third)
    assert shared.copies(np.arange(129), np.arange(1)).memory is not first.memory

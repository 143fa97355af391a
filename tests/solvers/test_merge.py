"""Equal rows posed once give the problem of all rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softcost.solvers.duplicates import distinct_rows, merge
from softcost.solvers.kernels import gram_matrix
from softcost.solvers.row_store import Gram
from softcost.solvers.smo import solve

small_rows = st.lists(
    st.tuples(st.integers(-1, 1), st.integers(0, 1)), min_size=1, max_size=12
).map(lambda rows: np.array(rows, np.float32))


@given(small_rows)
def test_distinct_rows_are_distinct_and_complete(X):
    first, member = distinct_rows(X)
    np.testing.assert_array_equal(X[first][member], X)
    assert len(np.unique(X, axis=0)) == len(first)
    for number, row in enumerate(first):  # the first occurrence stands for all
        assert row == np.flatnonzero(member == number)[0]


@given(small_rows, st.randoms(use_true_random=False))
def test_order_and_repetition_of_rows_do_not_matter(X, random):
    order = list(range(len(X))) + [random.randrange(len(X)) for _ in range(3)]
    random.shuffle(order)
    one, other = distinct_rows(X)[0], distinct_rows(X[order])[0]
    np.testing.assert_array_equal(X[one], X[order][other])


def test_zero_and_minus_zero_are_equal():
    X = np.array([[0.0, 1.0], [-0.0, 1.0]], np.float32)
    assert len(distinct_rows(X)[0]) == 1


def test_colliding_hashes_are_told_apart(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (40, 2)).astype(np.float32)

    class NoHash:
        def integers(self, *args, size, **kwargs):
            return np.zeros(size, np.uint64) + 2**63 - 1

    monkeypatch.setattr(np.random, "default_rng", lambda seed: NoHash())
    first, member = distinct_rows(X)
    np.testing.assert_array_equal(X[first][member], X)
    assert len(first) == len(np.unique(X, axis=0))


@settings(max_examples=40)
@given(st.integers(0, 10_000))
def test_merged_problem_has_the_objective_of_the_whole(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (30, 2)).astype(np.float32)
    targets = rng.choice([-1.0, 0.25, 1.0], 30)
    weight = rng.choice([0.0, 0.5, 2.0], 30)
    up = rng.random(30) < 0.5
    lower, upper = np.where(up, 0, -weight), np.where(up, weight, 0)
    first, group = distinct_rows(X)
    merged = merge(group, targets, lower, upper)
    assert merged.lower.sum() == pytest.approx(lower.sum())
    assert merged.upper.sum() == pytest.approx(upper.sum())
    assert (weight[merged.rows] > 0).all()
    doubled = merge(group, targets, lower, upper, times=2.0)
    np.testing.assert_array_equal(doubled.rows, merged.rows)
    np.testing.assert_array_equal(doubled.targets, merged.targets)
    np.testing.assert_array_equal(doubled.lower, 2 * merged.lower)
    np.testing.assert_array_equal(doubled.upper, 2 * merged.upper)
    full = gram_matrix(X)
    whole = solve(Gram(full), targets, lower, upper, tol=1e-7)
    places = group[merged.rows]
    if len(places) == 0:
        return
    part = gram_matrix(X[first][places])
    less = solve(Gram(part), merged.targets, merged.lower, merged.upper, tol=1e-7)
    assert less.objective == pytest.approx(whole.objective, rel=1e-6, abs=1e-9)

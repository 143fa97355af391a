"""Consistent matrices, their weights, and the generators."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from softcost import costs as sc

positive = st.floats(1e-3, 1e3)
seeds = st.integers(0, 2**32)
counts = st.lists(st.integers(0, 500), min_size=2, max_size=6)


@st.composite
def consistent_matrices(draw, min_classes=2):
    """C[i, j] = w_i S[i, j] with S symmetric, and w."""
    n_classes = draw(st.integers(min_classes, 6))
    weights = draw(arrays(np.float64, n_classes, elements=positive))
    symmetric = draw(arrays(np.float64, (n_classes, n_classes), elements=positive))
    symmetric = np.tril(symmetric, -1)
    return weights[:, None] * (symmetric + symmetric.T), weights


@st.composite
def any_matrices(draw):
    n_classes = draw(st.integers(2, 5))
    shape = (n_classes, n_classes)
    matrix = draw(arrays(np.float64, shape, elements=st.integers(1, 9).map(float)))
    np.fill_diagonal(matrix, 0.0)
    return matrix


def triples_agree(matrix):
    """Kolmogorov's criterion, exact on small integers."""
    return all(
        matrix[i, j] * matrix[j, k] * matrix[k, i]
        == matrix[j, i] * matrix[k, j] * matrix[i, k]
        for i, j, k in permutations(range(len(matrix)), 3)
    )


@given(consistent_matrices())
def test_weights_are_recovered(case):
    matrix, weights = case
    assert sc.is_consistent(matrix)
    assert sc.is_consistent(matrix, 1e-9, method="rank")
    found = sc.consistency_weights(matrix)
    np.testing.assert_allclose(found, weights / weights.max(), rtol=1e-9)
    for i, j in permutations(range(len(matrix)), 2):
        ratio = matrix[i, j] / matrix[j, i]
        np.testing.assert_allclose(found[i] / found[j], ratio, rtol=1e-9)


@given(any_matrices())
def test_three_criteria_agree(matrix):
    expected = triples_agree(matrix)
    assert sc.is_consistent(matrix) == expected
    assert sc.is_consistent(matrix, 1e-9, method="rank") == expected


@given(consistent_matrices(min_classes=3), st.floats(1.01, 5.0), st.data())
def test_one_changed_price_breaks_it(case, factor, data):
    matrix, _ = case
    i, j = data.draw(st.permutations(range(len(matrix))))[:2]
    matrix[i, j] *= factor
    assert not sc.is_consistent(matrix)
    assert not sc.is_consistent(matrix, 1e-9, method="rank")
    assert sc.is_consistent(matrix, 10.0)
    with pytest.raises(ValueError, match="consistent"):
        sc.consistency_weights(matrix)


@given(st.lists(positive, min_size=2, max_size=5), st.floats(0.05, 0.95))
def test_soft_costs_of_weighted_naive_ones_stay_consistent(weights, amount):
    weights = np.array(weights)
    naive = 1.0 - np.eye(len(weights))
    matrix = weights[:, None] * naive
    assert sc.is_consistent((1 - amount) * matrix + amount * naive)


@given(seeds, st.integers(3, 5), st.floats(0.05, 0.95))
def test_soft_costs_of_consistent_ones_are_inconsistent(seed, n_classes, amount):
    rng = np.random.default_rng(seed)
    symmetric = np.tril(rng.uniform(0.1, 1.0, (n_classes, n_classes)), -1)
    symmetric += symmetric.T
    weights = rng.uniform(0.1, 1.0, n_classes)
    matrix = weights[:, None] * symmetric
    naive = 1.0 - np.eye(n_classes)
    assert sc.is_consistent(matrix)
    assert not sc.is_consistent((1 - amount) * matrix + amount * naive)
    basic = 3.0 * weights[:, None] * naive
    assert sc.is_consistent((1 - amount) * matrix + amount * basic)


@given(any_matrices())
def test_tolerance_bounds_the_deviation(matrix):
    """Both deviations, written out, are exactly what `tol` is compared with."""
    size = len(matrix)
    ratios = np.zeros((size, size))
    equations = []
    for i, j in permutations(range(size), 2):
        ratios[i, j] = np.log(matrix[i, j]) - np.log(matrix[j, i])
        row = np.zeros(size)
        row[i], row[j] = matrix[j, i], -matrix[i, j]
        equations.append(row / np.hypot(row[i], row[j]))
    level = ratios.mean(axis=1)
    log = np.abs(ratios - level[:, None] + level[None, :]).max()
    singular = np.linalg.svd(equations, compute_uv=False)
    for method, value in (("log", log), ("rank", singular[-1] / singular[0])):
        if value > 1e-6:
            assert sc.is_consistent(matrix, 1.0001 * value, method=method)
            assert not sc.is_consistent(matrix, 0.9999 * value, method=method)


def test_no_deviation_is_within_no_tolerance():
    for matrix in (1 - np.eye(3), [[0, 2], [2, 0]]):
        assert sc.is_consistent(matrix, 0.0)
        assert (sc.consistency_weights(matrix, 0.0) == 1.0).all()


def test_two_classes_are_consistent_unless_a_mistake_is_free():
    for method in ("log", "rank"):
        assert sc.is_consistent([[0, 5], [2, 0]], method=method)
        assert not sc.is_consistent([[0, 0], [2, 0]], method=method)
        assert not sc.is_consistent([[0, 0], [0, 0]], method=method)
    assert sc.consistency_weights([[0, 5], [2, 0]]) == pytest.approx([1.0, 0.4])


def test_the_price_of_being_right_is_subtracted():
    matrix = np.array([[5, 6, 7], [3, 1, 7], [11, 15, 3]])
    assert sc.is_consistent(matrix)
    assert sc.consistency_weights(matrix) == pytest.approx([0.25, 0.5, 1.0])


def test_labelled_weights_are_in_sorted_order():
    prices = {"b": {"a": 5}, "a": {"b": 2}}
    assert sc.consistency_weights(prices) == pytest.approx([0.4, 1.0])


@given(counts, seeds)
def test_generators_have_zero_diagonal_and_largest_one(class_counts, seed):
    for draw in (
        lambda: sc.plain(len(class_counts), seed),
        lambda: sc.inconsistent(class_counts, seed),
        lambda: sc.consistent(class_counts, seed),
        lambda: sc.consistent(class_counts, seed, ratio="printed"),
    ):
        matrix = draw()
        size = len(class_counts)
        assert matrix.shape == (size, size)
        assert (np.diag(matrix) == 0).all()
        assert (matrix[~np.eye(size, dtype=bool)] > 0).all()
        assert matrix.max() == 1.0
        assert (matrix == draw()).all()
        assert (sc.check_cost_matrix(matrix) == matrix).all()


@given(counts, seeds)
def test_inconsistent_is_uniform_up_to_the_ratio(class_counts, seed):
    """Dividing by the ratio of sizes gives back what `plain` draws, up to scale."""
    sizes = np.maximum(class_counts, 1)
    matrix = sc.inconsistent(class_counts, seed)
    drawn = matrix / (sizes[None, :] / sizes[:, None])
    np.testing.assert_allclose(drawn / drawn.max(), sc.plain(len(sizes), seed))


@given(seeds)
def test_inconsistent_is_inconsistent(seed):
    assert not sc.is_consistent(sc.inconsistent([40, 30, 20, 10], seed))
    assert not sc.is_consistent(sc.plain(3, seed))
    assert sc.is_consistent(sc.inconsistent([7, 3], seed))


@given(counts, seeds, st.sampled_from(["inverse", "printed"]))
def test_consistent_is_consistent_and_rare_classes_are_dear(class_counts, seed, ratio):
    matrix = sc.consistent(class_counts, seed, ratio)
    assert sc.is_consistent(matrix)
    weights = sc.consistency_weights(matrix)
    sizes = np.maximum(class_counts, 1)
    for i, j in permutations(range(len(sizes)), 2):
        rarer = sizes[i] < sizes[j] or (sizes[i] == sizes[j] and i > j)
        if rarer:
            assert weights[i] >= weights[j] * (1 - 1e-9)
            assert matrix[i, j] >= matrix[j, i]


def test_consistent_interval_follows_the_ratio():
    """The mean of the drawn entries tells which ratio bounds them."""
    for ratio, bound in (("inverse", 4.0), ("printed", 0.25)):
        quotients = []
        for seed in range(300):
            # classes by size: 1 (4), 0 (1), 2 (1); rank 2 over 1 and 1 over 0
            matrix = sc.consistent([4, 16, 4], seed, ratio)
            quotients.append(matrix[0, 1] / matrix[2, 0])
        # entries are uniform on (0, bound] and (0, 1], so the median is the bound
        assert np.median(quotients) == pytest.approx(bound, rel=0.35)


def test_weights_of_consistent_fill_the_interval():
    """Sorted uniform weights: the ratio of two is uniform on (0, 1]."""
    ratios = []
    for seed in range(300):
        weights = sc.consistency_weights(sc.consistent([9, 3], seed))
        ratios.append(weights[0] / weights[1])
    assert np.mean(ratios) == pytest.approx(0.5, abs=0.06)
    assert max(ratios) <= 1.0


def test_draws_are_uniform_and_differ():
    draws = np.array([sc.plain(2, seed)[0, 1] for seed in range(300)])
    # one of two entries is the largest half of the time, otherwise U(0, 1]
    assert np.mean(draws == 1.0) == pytest.approx(0.5, abs=0.1)
    assert np.mean(draws[draws < 1.0]) == pytest.approx(0.5, abs=0.1)


def test_generators_take_a_generator_and_move_it_on():
    rng = np.random.default_rng(3)
    first, second = sc.inconsistent([3, 2, 1], rng), sc.inconsistent([3, 2, 1], rng)
    assert (first == sc.inconsistent([3, 2, 1], 3)).all()
    assert (first != second).any()
    rng = np.random.default_rng(3)
    first, second = sc.consistent([3, 2, 1], rng), sc.consistent([3, 2, 1], rng)
    assert (first == sc.consistent([3, 2, 1], 3)).all()
    assert (first != second).any()


BASE = np.array([[0.0, 1.0, 2.0], [3.0, 0.0, 4.0], [5.0, 6.0, 0.0]])


@given(
    st.floats(0.01, 1e6),
    st.lists(st.integers(0, 2), max_size=3),
    st.lists(st.integers(0, 2), max_size=3),
)
def test_emphasized(u, rows, columns):
    result = sc.emphasized(BASE, u, rows=rows, columns=columns)
    for i, j in np.ndindex(3, 3):
        chosen = i in rows or j in columns
        assert result[i, j] == (BASE[i, j] if chosen else BASE[i, j] / u)


def test_emphasized_by_label():
    frame = pd.DataFrame(BASE, index=["z", "b", "a"], columns=["z", "b", "a"])
    result = sc.emphasized(frame, 10, columns="z")
    assert list(result.index) == ["z", "b", "a"]
    assert list(result.columns) == ["z", "b", "a"]
    expected = BASE / 10
    expected[:, 0] = BASE[:, 0]
    assert (result.to_numpy() == expected).all()
    result = sc.emphasized(frame, 10, rows=["b", "a"])
    expected = BASE.copy()
    expected[0] /= 10
    assert (result.to_numpy() == expected).all()
    naive = 1 - np.eye(3)
    assert sc.emphasized(naive, 1e4, columns=2).max() == 1.0


def test_balanced_divides_rows():
    expected = [[0, 0.5, 1], [0.75, 0, 1], [5, 6, 0]]
    assert sc.balanced(BASE, [2, 4, 0]).tolist() == expected
    frame = pd.DataFrame(BASE, index=["z", "b", "a"], columns=["z", "b", "a"])
    result = sc.balanced(frame, {"a": 1, "b": 4, "z": 2})
    assert list(result.index) == ["z", "b", "a"]
    assert result.to_numpy().tolist() == expected
    by_position = sc.balanced(frame, [2, 4, 1])
    assert by_position.equals(result)

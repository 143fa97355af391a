"""Canonical, normalised and soft costs: identities on asymmetric random prices."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from softcost import costs as sc

prices = st.floats(0.0, 1e6, allow_subnormal=False)
amounts = st.floats(0.0, 1.0)


@st.composite
def problems(draw, zero_at_y=False):
    """Class indices y (not all need to occur) and raw costs with y the cheapest."""
    n_classes = draw(st.integers(2, 5))
    n_samples = draw(st.integers(1, 8))
    y = draw(arrays(np.int64, n_samples, elements=st.integers(0, n_classes - 1)))
    costs = draw(arrays(np.float64, (n_samples, n_classes), elements=prices))
    rows = np.arange(n_samples)
    costs[rows, y] = 0.0 if zero_at_y else costs.min(axis=1)
    return y, costs, np.arange(n_classes)


@st.composite
def matrices(draw):
    """A raw matrix with the lowest price of each row on the diagonal."""
    n_classes = draw(st.integers(2, 5))
    matrix = draw(arrays(np.float64, (n_classes, n_classes), elements=prices))
    np.fill_diagonal(matrix, matrix.min(axis=1))
    return matrix


@given(problems())
def test_canonical_costs(problem):
    y, costs, classes = problem
    result = sc.as_cost_vectors(y, costs=costs, classes=classes)
    assert (result >= 0).all()
    assert (result[np.arange(len(y)), y] == 0).all()
    own = costs[np.arange(len(y)), y]
    for n, k in np.ndindex(*costs.shape):
        assert result[n, k] == costs[n, k] - own[n]
    assert (sc.as_cost_vectors(y, costs=result, classes=classes) == result).all()
    assert (sc.raw_cost_vectors(y, costs=costs, classes=classes) == costs).all()


@given(matrices(), st.data())
def test_matrix_is_expanded_by_y(matrix, data):
    n_classes = len(matrix)
    y = data.draw(st.lists(st.integers(0, n_classes - 1), min_size=1, max_size=6))
    classes = np.arange(n_classes)
    result = sc.as_cost_vectors(y, cost_matrix=matrix, classes=classes)
    raw = sc.raw_cost_vectors(y, cost_matrix=matrix, classes=classes)
    for n, true in enumerate(y):
        for predicted in range(n_classes):
            assert raw[n, predicted] == matrix[true, predicted]
            extra = matrix[true, predicted] - matrix[true, true]
            assert result[n, predicted] == extra
    by_example = sc.as_cost_vectors(y, costs=raw, classes=classes)
    assert (by_example == result).all()


@given(matrices(), st.data())
def test_order_of_classes_only_permutes(matrix, data):
    order = data.draw(st.permutations(range(len(matrix))))
    y = data.draw(st.lists(st.sampled_from(order), min_size=1, max_size=6))
    sorted_ = sc.as_cost_vectors(y, cost_matrix=matrix, classes=sorted(order))
    moved = matrix[np.ix_(order, order)]
    permuted = sc.as_cost_vectors(y, cost_matrix=moved, classes=order)
    assert (permuted == sorted_[:, order]).all()


def test_no_costs_are_naive_costs():
    y = ["b", "a", "c", "b"]
    expected = [[1, 0, 1], [0, 1, 1], [1, 1, 0], [1, 0, 1]]
    assert sc.as_cost_vectors(y).tolist() == expected
    assert sc.raw_cost_vectors(y).tolist() == expected
    assert sc.naive(y).tolist() == expected
    assert sc.naive(["b"], ["c", "b"]).tolist() == [[1, 0]]
    assert sc.naive(["b", "b"]).tolist() == [[0], [0]]


def test_ties_with_the_true_label_are_free_mistakes():
    assert sc.as_cost_vectors([0, 1], costs=[[2, 2], [3, 2]]).tolist() == [
        [0, 0],
        [1, 0],
    ]


@given(problems())
def test_normalize(problem):
    _, costs, _ = problem
    normal, scale = sc.normalize(costs)
    assert isinstance(scale, float)
    if costs.max() == 0:
        assert scale == 1.0
    else:
        assert scale == costs.max()
        assert normal.max() == 1.0
    assert (normal == costs / scale).all()
    again, one = sc.normalize(normal)
    assert one == 1.0
    assert (again == normal).all()


@given(problems(zero_at_y=True), amounts)
def test_soften_is_the_mixture(problem, amount):
    y, costs, classes = problem
    soft = sc.soften(costs, y, amount, classes=classes)
    for n, k in np.ndindex(*costs.shape):
        expected = (1 - amount) * costs[n, k] + (amount if k != y[n] else 0.0)
        assert soft[n, k] == expected
    assert (soft[np.arange(len(y)), y] == 0).all()


@given(problems(), st.sampled_from([None, "balanced"]))
def test_soften_is_exact_at_both_ends(problem, error_weight):
    y, costs, classes = problem
    given_ = {"error_weight": error_weight, "classes": classes}
    assert (sc.soften(costs, y, 0.0, **given_) == costs).all()
    assert (sc.soften(costs, y, 1, **given_) == sc.weighted(y, **given_)).all()
    naive = sc.naive(y, classes)
    assert (sc.soften(costs, y, 1.0, classes=classes) == naive).all()


@given(problems(zero_at_y=True), amounts, st.floats(1e-3, 1e3), st.data())
def test_softness_and_scale_are_confounded(problem, amount, scale, data):
    y, costs, classes = problem
    weights = None
    if data.draw(st.booleans()):
        weights = {int(k): data.draw(st.floats(0.1, 9.0)) for k in classes}
    given_ = {"error_weight": weights, "classes": classes}
    other = amount / (amount + (1 - amount) * scale)
    kappa = (1 - amount) * scale + amount
    left = sc.soften(scale * costs, y, amount, **given_)
    right = kappa * sc.soften(costs, y, other, **given_)
    np.testing.assert_allclose(left, right, rtol=1e-9, atol=1e-9)


@given(problems(zero_at_y=True), amounts, st.data())
def test_soften_with_weights(problem, amount, data):
    y, costs, classes = problem
    weights = {int(k): data.draw(st.floats(0.1, 9.0)) for k in classes}
    soft = sc.soften(costs, y, amount, error_weight=weights, classes=classes)
    flat = sc.weighted(y, weights, classes)
    for n, k in np.ndindex(*costs.shape):
        assert flat[n, k] == (weights[int(y[n])] if k != y[n] else 0.0)
        expected = (1 - amount) * costs[n, k] + amount * flat[n, k]
        assert soft[n, k] == expected


def test_soften_reads_named_costs():
    import pandas as pd

    costs = pd.DataFrame({"b": [4.0, 0.0], "a": [0.0, 2.0]})
    assert sc.soften(costs, ["a", "b"], 0.5).tolist() == [[0, 2.5], [1.5, 0]]


@given(st.lists(st.integers(0, 3), min_size=1, max_size=20))
def test_balanced_weights(y):
    classes = [0, 1, 2, 3]
    weights = sc.error_weights(y, "balanced", classes)
    counts = np.array([y.count(k) for k in classes])
    smallest = min(count for count in counts if count)
    for count, weight in zip(counts, weights, strict=True):
        assert weight == (smallest / count if count else 1.0)
    totals = (counts * weights)[counts > 0]
    np.testing.assert_allclose(totals, smallest)


def test_error_weights_by_label():
    weights = {"b": 2.0, "a": 0.0, "c": 5}
    assert sc.error_weights(["a"], weights, ["c", "a", "b"]).tolist() == [5, 0, 2]
    assert sc.error_weights([1], {"2": 7, "1": 3}, [1, 2]).tolist() == [3, 7]
    assert sc.error_weights(["a"], None, ["c", "a", "b"]).tolist() == [1, 1, 1]


@pytest.mark.parametrize("amount", [np.float32(0.5), np.int64(1), 0, 0.25])
def test_softness_may_be_any_number(amount):
    soft = sc.soften([[0.0, 4.0]], ["a"], amount, classes=["a", "b"])
    assert soft[0, 1] == (1 - float(amount)) * 4 + float(amount)

"""Fronts, hulls and volumes against brute force on small integers."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from softcost.metrics import hypervolume, lower_hull, pareto_mask

EXAMPLE = [[0, 10], [4, 7], [10, 0], [8, 8]]  # A, B, C, D


def tables(n_criteria, largest=6):
    elements = st.integers(0, largest).map(float)
    return st.integers(1, 8).flatmap(
        lambda n: arrays(np.float64, (n, n_criteria), elements=elements)
    )


def dominates(p, q):
    return all(a <= b for a, b in zip(p, q, strict=True)) and any(
        a < b for a, b in zip(p, q, strict=True)
    )


@given(st.one_of(tables(1), tables(2), tables(3)))
def test_front(F):
    mask = pareto_mask(F)
    expected = [not any(dominates(p, q) for p in F) for q in F]
    assert mask.dtype == bool
    assert mask.tolist() == expected
    assert mask.any()


@given(st.one_of(tables(1), tables(2), tables(3, 4), tables(4, 2)), st.data())
def test_hypervolume_counts_unit_cells(F, data):
    ref = data.draw(
        st.lists(st.integers(0, 5), min_size=F.shape[1], max_size=F.shape[1])
    )
    cells = product(*(range(-1, r) for r in ref))
    expected = sum(any(all(p <= c) for p in F) for c in map(np.array, cells))
    assert hypervolume(F, ref) == expected


@given(tables(3, 4))
def test_only_the_front_has_volume(F):
    ref = [5, 6, 7]
    assert hypervolume(F[pareto_mask(F)], ref) == hypervolume(F, ref)
    assert hypervolume(F[:, ::-1], ref[::-1]) == hypervolume(F, ref)


def reachable(p, q, target):
    """Whether a mixture of p and q is at most target in both criteria."""
    low, high = Fraction(0), Fraction(1)
    for a, b, t in zip(p, q, target, strict=True):
        a, b, t = Fraction(a), Fraction(b), Fraction(t)
        # share * a + (1 - share) * b <= t
        if a == b:
            if b > t:
                return False
        elif a > b:
            high = min(high, (t - b) / (a - b))
        else:
            low = max(low, (t - b) / (a - b))
    return low <= high


def check_hull(F):
    """The hull is what no mixture of other candidates reaches."""
    points = [tuple(map(int, point)) for point in F]
    distinct = set(points)
    expected = sorted(
        p
        for p in distinct
        if not any(reachable(a, b, p) for a in distinct - {p} for b in distinct - {p})
    )
    hull = lower_hull(F)
    assert [points[i] for i in hull] == expected
    assert [points.index(points[i]) for i in hull] == hull.tolist()


@given(tables(2, 9))
def test_hull(F):
    check_hull(F)


@pytest.mark.parametrize("seed", range(5))
def test_hull_of_many_fronts(seed):
    """Falling steps, so that most candidates are on the front and many on a line."""
    rng = np.random.default_rng(seed)
    for _ in range(40):
        right, down = rng.integers(1, 4, (2, 6))
        F = np.column_stack([np.cumsum(right), 30 - np.cumsum(down)])
        check_hull(rng.permutation(F).astype(float))


def test_points_on_a_segment_are_no_vertices():
    assert lower_hull([[1, 5], [2, 4], [3, 3], [5, 1]]).tolist() == [0, 3]


@given(tables(2, 9), st.floats(0.01, 0.99))
def test_weighted_sums_are_minimal_on_the_hull(F, weight):
    sums = weight * F[:, 0] + (1 - weight) * F[:, 1]
    assert sums[lower_hull(F)].min() == pytest.approx(sums.min())


@given(tables(2, 9), st.integers(-8, 8), st.integers(-3, 3))
def test_units_do_not_matter(F, power, shift):
    moved = F * 2.0**power + shift
    assert (lower_hull(moved) == lower_hull(F)).all()
    assert (pareto_mask(moved) == pareto_mask(F)).all()
    ref = np.array([8.0, 7.0])
    volume = hypervolume(moved, ref * 2.0**power + shift)
    assert volume == pytest.approx(hypervolume(F, ref) * 4.0**power)


def test_minimal_example():
    assert pareto_mask(EXAMPLE).tolist() == [True, True, True, False]
    assert lower_hull(EXAMPLE).tolist() == [0, 2]
    F = np.array(EXAMPLE, dtype=float)
    for weight in np.linspace(0.01, 0.99, 50):
        assert np.argmin(weight * F[:, 0] + (1 - weight) * F[:, 1]) in (0, 2)
    # at error 4 the mixture of A and C costs 6, B costs 7
    a, c = F[lower_hull(F)]
    share = (4 - a[0]) / (c[0] - a[0])
    assert a[1] + share * (c[1] - a[1]) == pytest.approx(6.0)


@pytest.mark.parametrize("size", range(1, 9))
def test_every_point_of_a_convex_curve_is_a_vertex(size):
    x = np.arange(size, dtype=float)
    F = np.column_stack([x, (size - x) ** 2])
    assert lower_hull(F).tolist() == list(range(size))
    assert lower_hull(F[::-1]).tolist() == list(range(size))[::-1]
    above = np.vstack([F + np.array([0.5, 0.0]), F])
    assert lower_hull(above).tolist() == [size + i for i in range(size)]


def test_equal_candidates_are_kept_once_on_the_hull():
    F = [[1, 1], [0, 3], [1, 1], [0, 3]]
    assert pareto_mask(F).all()
    assert lower_hull(F).tolist() == [1, 0]


def test_no_candidates():
    empty = np.empty((0, 2))
    assert pareto_mask(empty).tolist() == []
    assert hypervolume(empty, [1, 1]) == 0.0
    assert lower_hull(empty).tolist() == []


@pytest.mark.bad_input
@pytest.mark.parametrize(
    ("call", "exception", "argument"),
    [
        (lambda: pareto_mask([1, 2]), ValueError, "F"),
        (lambda: pareto_mask(np.empty((2, 0))), ValueError, "F"),
        (lambda: pareto_mask([[1, float("nan")]]), ValueError, "F"),
        (lambda: pareto_mask([["a", "b"]]), TypeError, "F"),
        (lambda: pareto_mask([[1, 2], [3]]), TypeError, "F"),
        (lambda: hypervolume(EXAMPLE, [1]), ValueError, "ref"),
        (lambda: hypervolume(EXAMPLE, [1, float("inf")]), ValueError, "ref"),
        (lambda: hypervolume(EXAMPLE, 3), ValueError, "ref"),
        (lambda: lower_hull([[1, 2, 3]]), ValueError, "F"),
        (lambda: lower_hull([[1, float("inf")]]), ValueError, "F"),
    ],
)
def test_one_sentence(call, exception, argument):
    with pytest.raises((ValueError, TypeError)) as caught:
        call()
    assert type(caught.value) is exception
    assert str(caught.value).startswith(argument)
    assert str(caught.value).endswith(".")

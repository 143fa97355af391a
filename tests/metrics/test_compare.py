"""t-tests against SciPy, and the cases where SciPy has no answer."""

import dataclasses

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from softcost.metrics import Comparison, compare

results = st.lists(st.floats(-100, 100, allow_subnormal=False), min_size=2, max_size=9)
ALTERNATIVE = {1: "less", 2: "two-sided"}


@given(results, st.data(), st.sampled_from([1, 2]), st.sampled_from([0.01, 0.05, 0.3]))
def test_paired_is_scipys(a, data, tail, level):
    size = {"min_size": len(a), "max_size": len(a)}
    b = data.draw(st.lists(st.floats(-100, 100, allow_subnormal=False), **size))
    differences = np.subtract(a, b)
    assume(np.std(differences) > 1e-3)
    found = compare(a, b, tail=tail, level=level)
    expected = stats.ttest_rel(a, b, alternative=ALTERNATIVE[tail])
    assert found.statistic == pytest.approx(expected.statistic, abs=1e-9)
    assert found.p_value == pytest.approx(expected.pvalue, abs=1e-9)
    assert found.df == expected.df
    assert found.difference == pytest.approx(differences.mean(), abs=1e-9)
    assert found.significant == (found.p_value < level)


@given(results, results, st.sampled_from([1, 2]))
def test_unpaired_is_scipys(a, b, tail):
    assume(min(np.std(a), np.std(b)) > 1e-3)
    found = compare(a, b, paired=False, tail=tail)
    expected = stats.ttest_ind(a, b, alternative=ALTERNATIVE[tail])
    assert found.statistic == pytest.approx(expected.statistic, abs=1e-9)
    assert found.p_value == pytest.approx(expected.pvalue, abs=1e-9)
    assert found.df == len(a) + len(b) - 2


@given(results, st.booleans())
def test_swapping_turns_the_answer_round(a, paired):
    b = [value + (-1) ** i * 0.5 + 0.25 for i, value in enumerate(a)]
    one, other = compare(a, b, paired), compare(b, a, paired)
    assert one.p_value + other.p_value == pytest.approx(1.0)
    assert (one.direction, other.direction) in (
        ("lower", "higher"),
        ("higher", "lower"),
        ("equal", "equal"),
    )
    two = compare(a, b, paired, tail=2)
    assert two.p_value == pytest.approx(2 * min(one.p_value, other.p_value))


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize(
    ("a", "b", "direction", "one_tail", "two_tails"),
    [
        (1.0, 2.0, "lower", 0.0, 0.0),
        (2.0, 1.0, "higher", 1.0, 0.0),
        (2.0, 2.0, "equal", 0.5, 1.0),
        (0.1 + 0.2, 0.3, "equal", 0.5, 1.0),
        (0.0, 0.0, "equal", 0.5, 1.0),
    ],
)
def test_samples_that_do_not_vary(paired, a, b, direction, one_tail, two_tails):
    one = compare([a] * 3, [b] * 3, paired)
    two = compare([a] * 3, [b] * 3, paired, tail=2)
    assert one.direction == two.direction == direction
    assert one.p_value == one_tail
    assert two.p_value == two_tails
    assert one.significant == (direction == "lower")
    assert two.significant == (direction != "equal")
    sign = {"lower": -np.inf, "higher": np.inf, "equal": 0.0}[direction]
    assert one.statistic == two.statistic == sign


def test_constant_difference_beside_rounding():
    a = np.array([0.1, 0.7, 1.3, 2.9])
    assert compare(a, a + 0.1).p_value == 0.0
    assert compare(a + 0.1, a).p_value == 1.0
    assert compare(a, a).p_value == 0.5
    # unpaired, the samples do vary
    assert 0.0 < compare(a, a + 0.1, paired=False).p_value < 0.5


def test_small_differences_are_not_rounding():
    a = np.array([1.0, 1.0, 1.0])
    found = compare(a, a + np.array([1e-9, 2e-9, 4e-9]))
    assert found.direction == "lower"
    assert 0.0 < found.p_value < 0.1


def test_level_is_a_strict_bound():
    base = compare([1.0, 2.0, 3.0], [2.0, 3.5, 4.0])
    assert not compare([1.0, 2.0, 3.0], [2.0, 3.5, 4.0], level=base.p_value).significant


def test_result_is_plain_and_frozen():
    found = compare([1.0, 2.0], [2.0, 4.0])
    assert isinstance(found, Comparison)
    kinds = {name: type(value) for name, value in dataclasses.asdict(found).items()}
    assert kinds == {
        "difference": float,
        "statistic": float,
        "df": int,
        "p_value": float,
        "significant": bool,
        "direction": str,
    }
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.p_value = 0.0


@pytest.mark.parametrize(
    ("arguments", "exception", "argument"),
    [
        (([1.0], [2.0]), ValueError, "a"),
        (([1.0, 2.0], [2.0], False), ValueError, "b"),
        (([1.0, 2.0], [1.0, 2.0, 3.0]), ValueError, "b"),
        (([1.0, 2.0], [[1.0, 2.0]]), ValueError, "b"),
        (([1.0, float("nan")], [1.0, 2.0]), ValueError, "a"),
        (([1.0, 2.0], [1.0, float("inf")]), ValueError, "b"),
        ((["x", "y"], [1.0, 2.0]), TypeError, "a"),
        (([1.0, 2.0], [1.0, 2.0], True, 3), ValueError, "tail"),
        (([1.0, 2.0], [1.0, 2.0], True, True), ValueError, "tail"),
        (([1.0, 2.0], [1.0, 2.0], True, 1, 0.0), ValueError, "level"),
        (([1.0, 2.0], [1.0, 2.0], True, 1, 1.0), ValueError, "level"),
    ],
)
def test_one_sentence(arguments, exception, argument):
    with pytest.raises((ValueError, TypeError)) as caught:
        compare(*arguments)
    assert type(caught.value) is exception
    assert str(caught.value).startswith(argument + " ")
    assert str(caught.value).endswith(".")

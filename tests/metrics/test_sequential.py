"""Sequential tests: agreement with slow references, and few false alarms."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from softcost.metrics import mean_interval, mean_rise, mix_change, start_weight
from softcost.metrics.sequential import _FRACTIONS


def rare(rng, n, rate=0.03, cost=20.0):
    """Rare, expensive mistakes: what Student's interval is worst at."""
    return np.where(rng.random(n) < rate, cost, 0.0)


@pytest.mark.parametrize(("rate", "n"), [(0.03, 60), (0.5, 40), (0.002, 200)])
def test_intervals_cover_the_mean(rate, n):
    rng = np.random.default_rng(0)
    inside = 0
    for _ in range(400):
        low, high = mean_interval(rare(rng, n, rate), 0.0, 20.0)
        inside += low <= 20.0 * rate <= high
    assert inside >= 0.95 * 400


def test_intervals_contain_the_sample_mean_and_shrink():
    rng = np.random.default_rng(1)
    values = rare(rng, 4000)
    widths = []
    for n in (50, 500, 4000):
        low, high = mean_interval(values[:n], 0.0, 20.0)
        assert 0 <= low <= values[:n].mean() <= high <= 20
        widths.append(high - low)
    assert widths[0] > widths[1] > widths[2]


def test_intervals_follow_shifts_and_scales():
    rng = np.random.default_rng(2)
    values = rng.random(80)
    low, high = mean_interval(values, 0.0, 1.0)
    moved = mean_interval(7.0 * values - 3.0, -3.0, 4.0)
    assert np.allclose(moved, (7 * low - 3, 7 * high - 3))
    # Mirrored: the upper end of a value is the lower end of its opposite.
    mirrored = mean_interval(1.0 - values, 0.0, 1.0)
    assert np.allclose(mirrored, (1 - high, 1 - low))


def test_no_mistakes_are_no_proof_of_no_cost():
    low, high = mean_interval(np.zeros(100), 0.0, 5.0)
    assert low == 0
    assert 0.1 < high < 0.5
    assert mean_interval([], 0.0, 5.0) == (0.0, 5.0)


def test_values_outside_their_bounds_are_refused():
    with pytest.raises(ValueError, match="between low=0 and high=1"):
        mean_interval([0.5, 2.0], 0.0, 1.0)
    with pytest.raises(ValueError, match="at least lowest=0"):
        mean_rise([-1.0], [0], 0.5)
    with pytest.raises(ValueError, match="must be above lowest=0"):
        mean_rise([1.0], [0], 0.0)


def wealth_by_definition(values, periods, limit, lowest):
    """A bet for every start and fraction, value by value."""
    total = np.zeros(len(values))
    for start, fraction in product(range(periods[-1] + 1), _FRACTIONS):
        stake = start_weight(start) / len(_FRACTIONS)
        for row, value in enumerate(values):
            if periods[row] < start:
                continue
            stake *= 1 + fraction * (value - limit) / (limit - lowest)
            total[row] += stake
    return total


@pytest.mark.parametrize("lowest", [0.0, -2.0])
def test_wealth_is_the_sum_of_all_bets(lowest):
    rng = np.random.default_rng(3)
    periods = np.sort(rng.integers(0, 5, 60))
    values = lowest + rng.exponential(1.0, 60) * (1 + (periods > 2))
    limit, level = lowest + 1.1, 0.2
    wealth = wealth_by_definition(values, periods, limit, lowest)
    change = mean_rise(values, periods, limit, lowest=lowest, level=level)
    shares = [
        max(np.log(wealth[periods == period].max()), 0) / np.log(1 / level)
        for period in range(5)
    ]
    assert np.allclose(change.evidence, shares)
    first = np.flatnonzero(np.array(shares) >= 1)
    assert change.alarm == (first[0] if len(first) else None)


def test_wealth_is_fair_at_the_limit():
    """All outcomes of a short stream, weighed by their probabilities: a mean of 1."""
    limit, cost, rate = 0.5, 5.0, 0.1
    periods = np.array([0, 0, 1, 2, 2])
    mean = 0.0
    for outcome in product((0, 1), repeat=5):
        chance = np.prod([rate if hit else 1 - rate for hit in outcome])
        wealth = wealth_by_definition(cost * np.array(outcome), periods, limit, 0.0)[-1]
        mean += chance * wealth
    assert mean == pytest.approx(start_weight(np.arange(3)).sum())


def test_false_alarms_of_costs_stay_below_the_level():
    """At the limit itself, the hardest case, over a long stream."""
    rng = np.random.default_rng(4)
    periods = np.repeat(np.arange(20), 50)
    alarms = sum(
        mean_rise(rare(rng, 1000), periods, 0.6, level=0.1).alarm is not None
        for _ in range(200)
    )
    assert alarms <= 0.1 * 200


def test_a_rise_is_found_with_its_beginning():
    rng = np.random.default_rng(5)
    periods = np.repeat(np.arange(20), 100)
    values = np.where(periods < 12, rare(rng, 2000, 0.03), rare(rng, 2000, 0.15))
    change = mean_rise(values, periods, 0.6)
    assert 12 <= change.alarm <= 14
    assert abs(change.since - 12) <= 1
    # Scaling costs and limit changes nothing; periods may be empty.
    scaled = mean_rise(100 * values, periods, 60.0)
    assert np.allclose(scaled.evidence, change.evidence)
    sparse = mean_rise(values, 2 * periods, 0.6)
    assert sparse.alarm // 2 - change.alarm in (0, 1)
    assert mean_rise([], [], 0.6).alarm is None


def test_a_mix_is_compared_as_a_chi_squared_test_does():
    before, now = np.array([300, 200, 100]), np.array([[20, 40, 40]])
    share = mix_change(before, now, level=0.05).evidence[0]
    p_value = chi2_contingency([before, now[0]], correction=False).pvalue
    assert share == pytest.approx(np.log(p_value) / np.log(0.05 / 2))


def test_rare_categories_are_pooled():
    """Two hundred categories with a row each are not two hundred surprises."""
    before = np.array([500, 500] + [1] * 200)
    now = np.zeros((1, 202))
    now[0, :2], now[0, 2:12] = 40, 1
    assert mix_change(before, now).alarm is None
    assert mix_change([100, 0], [[0, 3]]).alarm is None  # too few rows to say


def test_a_change_of_mix_is_found_with_its_beginning():
    rng = np.random.default_rng(6)
    counts = rng.multinomial(60, [0.5, 0.3, 0.2], size=20)
    counts[13:] = rng.multinomial(60, [0.3, 0.3, 0.4], size=7)
    change = mix_change([500, 300, 200], counts)
    assert 13 <= change.alarm <= 16
    assert abs(change.since - 13) <= 2
    assert mix_change([500, 300, 200], counts, least_shift=0.5).alarm is None


def test_false_alarms_of_mixes_stay_below_the_level():
    rng = np.random.default_rng(7)
    shares = np.full(10, 0.1)
    alarms = 0
    for _ in range(400):
        before = rng.multinomial(400, shares)
        counts = rng.multinomial(80, shares, size=16)
        alarms += mix_change(before, counts, level=0.1).alarm is not None
    assert alarms <= 0.1 * 400

"""The vector passes against their plain twins: the same bits, whatever the input."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softcost.solvers import _plain, _scan

LENGTHS = [64, 128, 192, 1088]
FILLS = {"none": 0.0, "few": 0.05, "half": 0.5, "all": 1.0}


def flags(members):
    """Truth values as flags of 0 and -1."""
    return -members.astype(np.int8)


def members(rng, fill, length, size):
    """A random set of the first ``size`` rows; the padding never belongs to it."""
    return (rng.random(length) < FILLS[fill]) & (np.arange(length) < size)


def numbers(rng, shape, ties):
    """Random float32, on a coarse grid, with zeros of both signs, where ``ties``."""
    drawn = rng.standard_normal(shape) * 10.0 ** rng.integers(-3, 4)
    return (np.round(drawn) if ties else drawn).astype(np.float32)


situations = st.tuples(
    st.sampled_from(LENGTHS),
    st.sampled_from(list(FILLS)),
    st.sampled_from(list(FILLS)),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)


def build(length, up, down, ties, seed):
    """Rows, gradient, who may rise, who may fall, and a step."""
    rng = np.random.default_rng(seed)
    size = length - int(rng.integers(0, 64))
    rows = -np.abs(numbers(rng, (3, length), ties))
    if rng.random() < 0.2:  # an indefinite kernel
        rows *= np.sign(rng.standard_normal(rows.shape)).astype(np.float32)
    rows[0, rng.integers(0, size, 3)] = 0  # duplicates: no curvature at all
    gradient = numbers(rng, length, ties)
    rows[:, size:] = gradient[size:] = 0
    rising, falling = (members(rng, fill, length, size) for fill in (up, down))
    step = np.float32(rng.integers(-1, 2) if ties else rng.standard_normal())
    return rows, gradient, rising, falling, step


def passes(module, situation):
    """What both passes of a module find, and the gradient between them."""
    rows, gradient, rising, falling, step = build(*situation)
    least = module.update_and_scan(gradient, rows, 0, 1, step, flags(~rising))
    unit = _scan.unit_of(gradient)
    most = module.pick_partner(
        gradient, rows, 0, np.float32(least[1]), flags(falling), unit
    )
    return least, most, gradient


def bits(found):
    at, value = found
    return int(at), np.float64(value).tobytes()


@given(situations)
def test_passes_are_their_twins(situation):
    least, most, gradient = passes(_scan, situation)
    twin_least, twin_most, twin_gradient = passes(_plain, situation)
    assert gradient.tobytes() == twin_gradient.tobytes()
    assert bits(least) == bits(twin_least)
    assert bits(most) == bits(twin_most)


@given(situations)
def test_update_and_scan_finds_the_least(situation):
    rows, before, rising, _, step = build(*situation)
    (at, lowest), _, gradient = passes(_scan, situation)
    expected = before + step * (rows[0].astype(float) - rows[1])
    scale = np.abs(before) + np.abs(step) * (np.abs(rows[0]) + np.abs(rows[1]))
    assert (np.abs(gradient - expected) <= 3e-7 * scale).all()
    if rising.any():
        assert lowest == gradient[rising].min()
        assert at == np.flatnonzero(rising & (gradient == lowest))[0]
    else:
        assert lowest > 1e38


def gains(kernel, gradient, lowest):
    rise = np.maximum(gradient.astype(float) - lowest, 0)
    return rise**2 / np.maximum(-2.0 * kernel, 1e-12)


@given(situations)
def test_pick_partner_finds_who_gains_and_the_violation(situation):
    rows, _, _, falling, _ = build(*situation)
    (_, lowest), (best, violation), gradient = passes(_scan, situation)
    highest = gradient[falling].max() if falling.any() else -np.inf
    if not highest > lowest:
        assert violation == 0
        return
    assert violation == np.float32(highest) - np.float32(lowest)
    assert falling[best]
    gain = gains(rows[0], gradient, lowest)
    assert gain[best] >= gain[falling].max() * 0.83


@given(st.integers(0, 2**32 - 1), st.integers(-35, 35))
def test_partners_at_any_scale(seed, power):
    """Targets of 1e-35 or 1e35, and duplicates without curvature."""
    rng = np.random.default_rng(seed)
    gradient = ((1 + rng.random(192)) * 10.0**power).astype(np.float32)
    rows = -rng.random((1, 192)).astype(np.float32) * np.float32(10.0 ** (power % 5))
    rows[0, rng.integers(0, 192, 5)] = 0
    lowest, falling = gradient.min(), rng.random(192) < 0.5
    found, twin = (
        module.pick_partner(
            gradient, rows, 0, lowest, flags(falling), _scan.unit_of(gradient)
        )
        for module in (_scan, _plain)
    )
    assert bits(found) == bits(twin)
    assert falling[found[0]]
    gain = gains(rows[0], gradient, lowest)
    assert gain[found[0]] >= gain[falling].max() * 0.83


@pytest.mark.parametrize("count", [0, 1, 3, 4, 5, 8])
@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("first", [0, 64])
def test_add_rows_is_its_twin_and_a_product(count, length, first):
    rng = np.random.default_rng(count * 10_000 + length)
    rows = numbers(rng, (6, first + length), ties=False)
    chosen = np.zeros(count + 3, np.int64)
    chosen[:count] = rng.integers(0, 6, count)
    weights = np.zeros(count + 3, np.float32)
    weights[:count] = rng.standard_normal(count)
    start = numbers(rng, length, ties=False)
    out, twin = start.copy(), start.copy()
    _scan.add_rows(rows, first, chosen, weights, count, out)
    _plain.add_rows(rows, first, chosen, weights, count, twin)
    assert out.tobytes() == twin.tobytes()
    taken = rows[chosen, first:].astype(float)
    scale = np.abs(start) + np.abs(weights) @ np.abs(taken)
    assert (np.abs(out - (start + weights @ taken)) <= 1e-6 * scale).all()

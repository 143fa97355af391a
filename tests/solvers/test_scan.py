"""The vector passes against their plain twins: the same bits, whatever the input."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softcost.solvers import passes, plain_passes

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


def run(module, situation):
    """What the pass of a module finds, the violation, and the gradient after it."""
    rows, gradient, rising, falling, step = build(*situation)
    unit, lowest = passes.unit_of(gradient), gradient[0]
    found = module.update_and_pick(
        gradient, rows, 0, 1, step, 2, lowest, flags(~rising), flags(falling), unit
    )
    violation = module.largest_rise(gradient, lowest, flags(falling), unit)
    return found, violation, lowest, gradient


@given(situations)
def test_passes_are_their_twins(situation):
    (at, least, partner), violation, _, gradient = run(passes, situation)
    twin, twin_violation, _, twin_gradient = run(plain_passes, situation)
    assert gradient.tobytes() == twin_gradient.tobytes()
    assert (at, partner) == (twin[0], twin[2])
    assert np.float32(least).tobytes() == np.float32(twin[1]).tobytes()
    assert violation == twin_violation


@given(situations)
def test_the_gradient_is_updated_and_its_least_found(situation):
    rows, before, rising, _, step = build(*situation)
    (at, least, _), _, _, gradient = run(passes, situation)
    expected = before + step * (rows[0].astype(float) - rows[1])
    scale = np.abs(before) + np.abs(step) * (np.abs(rows[0]) + np.abs(rows[1]))
    assert (np.abs(gradient - expected) <= 3e-7 * scale).all()
    if rising.any():
        assert least == gradient[rising].min()
        assert at == np.flatnonzero(rising & (gradient == least))[0]
    else:
        assert least > 1e38


def gains(kernel, gradient, lowest):
    rise = np.maximum(gradient.astype(float) - lowest, 0)
    return rise**2 / np.maximum(-2.0 * kernel, 1e-12)


@given(situations)
def test_who_gains_is_found_and_the_violation(situation):
    rows, _, _, falling, _ = build(*situation)
    (_, _, best), violation, lowest, gradient = run(passes, situation)
    highest = gradient[falling].max() if falling.any() else -np.inf
    if not highest > lowest:
        assert violation == 0
        return
    assert violation == np.float32(highest) - np.float32(lowest)
    assert falling[best]
    gain = gains(rows[2], gradient, lowest)
    assert gain[best] >= gain[falling].max() * 0.83


@given(st.integers(0, 2**32 - 1), st.integers(-35, 35))
def test_partners_at_any_scale(seed, power):
    """Targets of 1e-35 or 1e35, and duplicates without curvature."""
    rng = np.random.default_rng(seed)
    gradient = ((1 + rng.random(192)) * 10.0**power).astype(np.float32)
    rows = -rng.random((1, 192)).astype(np.float32) * np.float32(10.0 ** (power % 5))
    rows[0, rng.integers(0, 192, 5)] = 0
    lowest, falling = gradient.min(), rng.random(192) < 0.5
    nobody, unit, step = (
        flags(np.ones(192, bool)),
        passes.unit_of(gradient),
        np.float32(0),
    )
    found, twin = (
        module.update_and_pick(
            gradient, rows, 0, 0, step, 0, lowest, nobody, flags(falling), unit
        )[2]
        for module in (passes, plain_passes)
    )
    assert found == twin
    assert falling[found]
    gain = gains(rows[0], gradient, lowest)
    assert gain[found] >= gain[falling].max() * 0.83


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
    passes.add_rows(rows, first, chosen, weights, count, out)
    plain_passes.add_rows(rows, first, chosen, weights, count, twin)
    assert out.tobytes() == twin.tobytes()
    taken = rows[chosen, first:].astype(float)
    scale = np.abs(start) + np.abs(weights) @ np.abs(taken)
    assert (np.abs(out - (start + weights @ taken)) <= 1e-6 * scale).all()

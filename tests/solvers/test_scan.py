"""The vector passes against their plain twins: the same bits, whatever the input."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softcost.solvers import _plain, _scan

LENGTHS = [32, 64, 96, 1056]
FILLS = {"none": 0.0, "few": 0.05, "half": 0.5, "all": 1.0}


def bits(members):
    """Truth values as 16-bit words, lowest bit first."""
    return np.packbits(members, bitorder="little").view(np.uint16)


def members(rng, fill, length, size):
    """A random set of the first ``size`` rows; the padding never belongs to it."""
    return (rng.random(length) < FILLS[fill]) & (np.arange(length) < size)


def numbers(rng, shape, ties):
    """Random float32, on a coarse grid where ``ties`` are wanted."""
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
    size = length - int(rng.integers(0, 32))
    rows = -np.abs(numbers(rng, (3, length), ties))
    rows[0, rng.integers(0, size, 3)] = 0  # duplicates: no curvature at all
    gradient = numbers(rng, length, ties)
    rows[:, size:] = gradient[size:] = 0
    rising, falling = (members(rng, fill, length, size) for fill in (up, down))
    return rows, gradient, rising, falling, np.float32(rng.standard_normal())


def scan(module, situation):
    rows, gradient, rising, falling, step = build(*situation)
    found = module.update_and_scan(
        gradient, rows, 0, 1, step, bits(rising), bits(falling)
    )
    return found, gradient


@given(situations)
def test_update_and_scan_is_its_twin(situation):
    found, gradient = scan(_scan, situation)
    twin_found, twin_gradient = scan(_plain, situation)
    assert found == twin_found
    assert gradient.tobytes() == twin_gradient.tobytes()


@given(situations)
def test_update_and_scan_finds_the_extremes(situation):
    rows, before, rising, falling, step = build(*situation)
    (at, lowest, highest), gradient = scan(_scan, situation)
    expected = before + step * (rows[0].astype(float) - rows[1])
    scale = np.abs(before) + np.abs(step) * (np.abs(rows[0]) + np.abs(rows[1]))
    assert (np.abs(gradient - expected) <= 2e-7 * scale).all()
    if rising.any():
        assert lowest == gradient[rising].min() == gradient[at]
        assert rising[at]
    else:
        assert lowest > 1e38
    if falling.any():
        assert highest == gradient[falling].max()
    else:
        assert highest < -1e38


def gains(rows, gradient, lowest):
    rise = np.maximum(gradient.astype(float) - lowest, 0)
    return rise**2 / np.maximum(-2.0 * rows[0], 1e-12)


@given(situations)
def test_partners_are_those_of_the_twin(situation):
    rows, _, _, falling, _ = build(*situation)
    (_, lowest, highest), gradient = scan(_scan, situation)
    lowest = np.float32(lowest)
    if not highest > lowest:  # the solver asks only where something can be gained
        return
    words = bits(falling)
    best = _scan.pick_partner(gradient, rows, 0, lowest, words)
    assert best == _plain.pick_partner(gradient, rows, 0, lowest, words)
    gain = gains(rows, gradient, lowest)
    assert falling[best]
    assert gain[best] >= gain[falling].max() * (1 - 1e-6)


@given(st.integers(0, 2**32 - 1))
def test_partners_are_those_of_the_twin_when_gains_are_nearly_equal(seed):
    rng = np.random.default_rng(seed)
    gradient = (1 + rng.random(96)).astype(np.float32)
    rows = (-(gradient**2) / 2)[None]  # gains of one, but for rounding
    everyone = np.ones(96, bool)
    ours, twins = (
        module.pick_partner(gradient, rows, 0, np.float32(0), bits(everyone))
        for module in (_scan, _plain)
    )
    assert ours == twins


@pytest.mark.parametrize("count", [0, 1, 3, 4, 5, 8])
@pytest.mark.parametrize("length", LENGTHS)
def test_add_rows_is_its_twin_and_a_product(count, length):
    rng = np.random.default_rng(count * 10_000 + length)
    rows = numbers(rng, (6, length), ties=False)
    chosen = np.zeros(count + 3, np.int64)
    chosen[:count] = rng.integers(0, 6, count)
    weights = np.zeros(count + 3, np.float32)
    weights[:count] = rng.standard_normal(count)
    start = numbers(rng, length, ties=False)
    out, twin = start.copy(), start.copy()
    _scan.add_rows(rows, chosen, weights, count, out)
    _plain.add_rows(rows, chosen, weights, count, twin)
    assert out.tobytes() == twin.tobytes()
    taken = rows[chosen].astype(float)
    scale = np.abs(start) + np.abs(weights) @ np.abs(taken)
    assert (np.abs(out - (start + weights @ taken)) <= 1e-6 * scale).all()

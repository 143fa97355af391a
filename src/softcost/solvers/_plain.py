"""`softcost.solvers._scan` as plain loops: the same functions, the same bits.

It says what the vector code means, runs where LLVM has no vectors to offer, and lets a
test compare the two.
"""

import numpy as np

from softcost.solvers._jit import jit
from softcost.solvers._vector import LANES
from softcost.solvers._vector import fma_scalar as fma

WIDTH = 32

_FAR = np.float32(3e38)
_ZERO = np.float32(0)
_TINY = np.float32(1e-12)
_MINUS_TWO = np.float32(-2)


@jit
def _member(words, t):
    return (words[t // LANES] >> np.uint16(t % LANES)) & np.uint16(1) != 0


@jit
def update_and_scan(gradient, rows, i, j, step, rising, falling):
    """See `softcost.solvers._scan.update_and_scan`."""
    low = np.full(WIDTH, _FAR, np.float32)
    low_at = np.arange(WIDTH)
    highest = -_FAR
    for t in range(gradient.size):
        g = fma(step, rows[i, t] - rows[j, t], gradient[t])
        gradient[t] = g
        lane = t % WIDTH
        if _member(rising, t) and g < low[lane]:
            low[lane] = g
            low_at[lane] = t
        if _member(falling, t) and g > highest:
            highest = g
    best = 0
    for slot in range(1, WIDTH):
        # lanes 0 and 16 are compared first, then 1 and 17, as the vector code does
        lane = slot // 2 + LANES * (slot % 2)
        if low[lane] < low[best]:
            best = lane
    return low_at[best], low[best], highest


@jit
def _gain(high, lowest, kernel):
    """A fraction, as two numbers: comparing crosswise rounds unlike dividing."""
    rise = high - lowest
    rise = rise if rise > _ZERO else _ZERO
    curvature = _MINUS_TWO * kernel
    curvature = curvature if curvature > _TINY else _TINY
    return rise * rise, curvature


@jit
def _lane_of_largest(gain, curvature, at):
    """The number in ``at`` where the gain is largest, of lanes 0 and 16, 1 and 17..."""
    winner = 0
    largest = np.float32(-1)
    for first in range(LANES):
        second = first + LANES
        lane = first
        if gain[second] * curvature[first] > gain[first] * curvature[second]:
            lane = second
        if gain[lane] / curvature[lane] > largest:
            winner, largest = lane, gain[lane] / curvature[lane]
    return np.intp(at[winner])


@jit
def pick_partner(gradient, rows, i, lowest, falling):
    """See `softcost.solvers._scan.pick_partner`."""
    best = np.zeros(WIDTH, np.float32)
    over = np.ones(WIDTH, np.float32)
    best_at = np.arange(WIDTH)
    for t in range(gradient.size):
        lane = t % WIDTH
        gain, curvature = _gain(gradient[t], lowest, rows[i, t])
        if _member(falling, t) and gain * over[lane] > best[lane] * curvature:
            best[lane], over[lane], best_at[lane] = gain, curvature, t
    return _lane_of_largest(best, over, best_at)


@jit
def add_rows(rows, chosen, weights, count, out):
    """See `softcost.solvers._scan.add_rows`."""
    for t in range(out.size):
        for r in range(count):
            out[t] = fma(weights[r], rows[chosen[r], t], out[t])

"""The inner passes of the solver over one vector of gradients, sixteen lanes at a time.

Arrays of single precision have a length that is a multiple of `WIDTH`; sets of rows are
bit masks, one 16-bit word for sixteen rows. `softcost.solvers._plain` states the same
functions as plain loops.
"""

import numpy as np

from softcost.solvers import _vector as v
from softcost.solvers._jit import inline, jit

WIDTH = 32  # two vectors per step hide the latency of the comparisons

_IN_CACHE = 2048  # length of rows up to which they come from caches by themselves
_AHEAD = 768  # how far ahead longer ones are asked for
_FAR = np.float32(3e38)
_ZERO = np.float32(0)
_ONE = np.float32(1)
_TINY = np.float32(1e-12)
_MINUS_TWO = np.float32(-2)


@inline
def update_and_scan(gradient, rows, i, j, step, rising, falling):
    """Add ``step * (rows[i] - rows[j])`` to the gradient and scan the result.

    Returns
    -------
    lowest_at, lowest, highest
        Where the gradient is least among the ``rising`` rows and how low it is there,
        and the largest gradient among the ``falling`` rows.
    """
    far = v.splat(_FAR)
    near = v.splat(-_FAR)
    by = v.splat(step)
    at0 = v.count_from(np.int32(0))
    at1 = v.count_from(np.int32(v.LANES))
    low0, low1, high0, high1 = far, far, near, near
    low_at0, low_at1 = at0, at1
    word = 0
    far_rows = gradient.size > _IN_CACHE
    for t in range(0, gradient.size, WIDTH):
        s = t + v.LANES
        if far_rows:  # row i has just been read by `pick_partner`
            v.prefetch_row(rows, j, t + _AHEAD)
            v.prefetch_row(rows, j, s + _AHEAD)
        move0 = v.subtract(v.load_row(rows, i, t), v.load_row(rows, j, t))
        move1 = v.subtract(v.load_row(rows, i, s), v.load_row(rows, j, s))
        g0 = v.fma(by, move0, v.load(gradient, t))
        g1 = v.fma(by, move1, v.load(gradient, s))
        v.store(gradient, t, g0)
        v.store(gradient, s, g1)
        lower0 = v.both(v.load_mask(rising, word), v.less(g0, low0))
        lower1 = v.both(v.load_mask(rising, word + 1), v.less(g1, low1))
        low0 = v.where(lower0, g0, low0)
        low1 = v.where(lower1, g1, low1)
        low_at0 = v.where_int(lower0, at0, low_at0)
        low_at1 = v.where_int(lower1, at1, low_at1)
        high0 = v.maximum(high0, v.where(v.load_mask(falling, word), g0, near))
        high1 = v.maximum(high1, v.where(v.load_mask(falling, word + 1), g1, near))
        at0 = v.advance(at0, np.int32(WIDTH))
        at1 = v.advance(at1, np.int32(WIDTH))
        word += 2
    second = v.less(low1, low0)
    low0 = v.where(second, low1, low0)
    low_at0 = v.where_int(second, low_at1, low_at0)
    lowest = v.smallest(low0)
    lowest_at = v.lane(low_at0, v.first_true(v.equal(low0, v.splat(lowest))))
    return lowest_at, lowest, v.largest(v.maximum(high0, high1))


@inline
def _gain(high, lowest, kernel):
    """What a step between two rows gains, as a fraction: squared difference of their
    gradients over curvature. Fractions are compared crosswise: division is slow."""
    rise = v.maximum(v.subtract(high, lowest), v.splat(_ZERO))
    curvature = v.maximum(v.multiply(v.splat(_MINUS_TWO), kernel), v.splat(_TINY))
    return v.multiply(rise, rise), curvature


@inline
def pick_partner(gradient, rows, i, lowest, falling):
    """The falling row that gains most together with row i."""
    floor = v.splat(lowest)
    at0 = v.count_from(np.int32(0))
    at1 = v.count_from(np.int32(v.LANES))
    best0, best1, best_at0, best_at1 = v.splat(_ZERO), v.splat(_ZERO), at0, at1
    over0, over1 = v.splat(_ONE), v.splat(_ONE)
    word = 0
    far_rows = gradient.size > _IN_CACHE
    for t in range(0, gradient.size, WIDTH):
        s = t + v.LANES
        if far_rows:
            v.prefetch_row(rows, i, t + _AHEAD)
            v.prefetch_row(rows, i, s + _AHEAD)
        gain0, curvature0 = _gain(v.load(gradient, t), floor, v.load_row(rows, i, t))
        gain1, curvature1 = _gain(v.load(gradient, s), floor, v.load_row(rows, i, s))
        larger0 = v.greater(v.multiply(gain0, over0), v.multiply(best0, curvature0))
        larger1 = v.greater(v.multiply(gain1, over1), v.multiply(best1, curvature1))
        better0 = v.both(v.load_mask(falling, word), larger0)
        better1 = v.both(v.load_mask(falling, word + 1), larger1)
        best0 = v.where(better0, gain0, best0)
        best1 = v.where(better1, gain1, best1)
        over0 = v.where(better0, curvature0, over0)
        over1 = v.where(better1, curvature1, over1)
        best_at0 = v.where_int(better0, at0, best_at0)
        best_at1 = v.where_int(better1, at1, best_at1)
        at0 = v.advance(at0, np.int32(WIDTH))
        at1 = v.advance(at1, np.int32(WIDTH))
        word += 2
    second = v.greater(v.multiply(best1, over0), v.multiply(best0, over1))
    at = v.where_int(second, best_at1, best_at0)
    gain = v.divide(v.where(second, best1, best0), v.where(second, over1, over0))
    return v.lane(at, v.first_true(v.equal(gain, v.splat(v.largest(gain)))))


@jit
def add_rows(rows, chosen, weights, count, out):
    """Add ``weights[r] * rows[chosen[r]]`` for the first ``count`` r, in this order."""
    wide = out.size - out.size % (2 * WIDTH)
    for t in range(0, wide, 2 * WIDTH):
        a = v.load(out, t)
        b = v.load(out, t + v.LANES)
        c = v.load(out, t + 2 * v.LANES)
        d = v.load(out, t + 3 * v.LANES)
        for r in range(count):
            row, weight = chosen[r], v.splat(weights[r])
            a = v.fma(weight, v.load_row(rows, row, t), a)
            b = v.fma(weight, v.load_row(rows, row, t + v.LANES), b)
            c = v.fma(weight, v.load_row(rows, row, t + 2 * v.LANES), c)
            d = v.fma(weight, v.load_row(rows, row, t + 3 * v.LANES), d)
        v.store(out, t, a)
        v.store(out, t + v.LANES, b)
        v.store(out, t + 2 * v.LANES, c)
        v.store(out, t + 3 * v.LANES, d)
    for t in range(wide, out.size, v.LANES):
        a = v.load(out, t)
        for r in range(count):
            a = v.fma(v.splat(weights[r]), v.load_row(rows, chosen[r], t), a)
        v.store(out, t, a)

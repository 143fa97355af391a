"""The inner passes of the solver over one vector of gradients.

Arrays have a length that is a multiple of `WIDTH`; sets of rows are int8 flags, 0 or -1
for each row. A pass carries extreme values only, in sixteen lanes, and for each lane
the block of `WIDTH` rows in which the value was met. The row is looked up afterwards
among the rows of that block. It is the first row that attains the extreme, so a pass
means the same as a plain loop: see `softcost.solvers.plain_passes`.
"""

import math

import numpy as np

from softcost.solvers import simd as v
from softcost.solvers.compilation import inline, jit

# Rows of a block, four vectors: one comparison with the extreme for all of them.
WIDTH = 64

# Longer rows are prefetched, this many entries ahead (4 kB, some hundred nanoseconds).
# Shorter ones, 6 kB at most, are in the cache or come soon enough by themselves.
_IN_CACHE = 1536
_AHEAD = 1024
# Close to the largest finite float32, so a gradient never reaches it.
FAR = np.float32(3e38)
_ZERO = np.float32(0)
# The kernel value of least curvature: -2 K is 1e-12, as in `smo.improve`.
_FLAT = np.float32(-5e-13)
_LEAST = np.int32(-(2**31))
_MOST = np.int32(2**31 - 1)


@inline
def _prefetch_block(rows, row, t):
    for k in range(0, WIDTH, v.LANES):
        v.prefetch_row(rows, row, t + _AHEAD + k)


@inline
def _first_block(mask, at):
    """The first of the blocks in which the lanes of a mask were met."""
    return np.int64(v.smallest_int(v.where_int(mask, at, v.splat_int(_MOST))))


@inline
def _move(gradient, rows, i, j, by, t):
    """Update sixteen gradients."""
    change = v.subtract(v.load_row(rows, i, t), v.load_row(rows, j, t))
    moved = v.fma(by, change, v.load(gradient, t))
    v.store(gradient, t, moved)
    return moved


@inline
def _allowed(moved, barred, t):
    """Gradients; NaN, which is never less than a number, if a row is barred."""
    return v.spoil(moved, v.load_flags(barred, t))


@inline
def _where_least(gradient, barred, t, least):
    allowed = _allowed(v.load(gradient, t), barred, t)
    return v.word_of(v.equal(allowed, least))


@inline
def _rise(moved, unit, floor, falling, t):
    """Difference to a low gradient, in units; 0 if a row may not fall."""
    return v.keep(v.fma(moved, unit, floor), v.load_flags(falling, t))


@inline
def _gain(rise, rows, i, t):
    """The gain of a step, ``rise**2 / -K``, as a logarithm."""
    return v.log_ratio(rise, v.minimum(v.splat(_FLAT), v.load_row(rows, i, t)))


@inline
def _where_most(gradient, unit, floor, falling, rows, i, t, most):
    gain = _gain(_rise(v.load(gradient, t), unit, floor, falling, t), rows, i, t)
    return v.word_of(v.equal_int(gain, most))


@inline
def update_and_pick(
    gradient, rows, i, j, step, first, lowest, barred, falling, unit
):  # fmt: skip
    """Add ``step * (rows[i] - rows[j])`` to the gradient and choose the next rows.

    One pass for a whole step. While it adds the previous step, it looks for the partner
    of the row that has been chosen to rise next, and for the row that rises after it.
    That row is chosen a step early, which costs nearly nothing: the lowest of the
    other rows is nearly always the lowest again.

    Gains are compared by logarithms that are read off the bits of numbers, see
    `simd.log_ratio`: the gain of the chosen row is at least 0.83 of the largest. That
    costs one step in a hundred; dividing, or refining the logarithms, would cost a
    third of the time.

    Parameters
    ----------
    first : int
        The place of the row that rises next.
    lowest : float32
        Its gradient, after the update.
    barred, falling : arrays of int8
        Rows that may not rise after it, itself among them; rows that may fall.
    unit : float32
        Factor of differences of gradients, see `unit_of`.

    Returns
    -------
    at, least
        The first row with the least gradient among those not ``barred``, and this
        gradient; 0 and 3e38 if all are barred.
    partner
        The first ``falling`` row that gains most with row ``first``; any row if none
        is above ``lowest``.
    """
    by, units, floor = v.splat(step), v.splat(unit), v.splat(-lowest * unit)
    low, low_at = v.splat(FAR), v.splat_int(np.int32(0))
    best, best_at = v.splat_int(_LEAST), v.splat_int(np.int32(0))
    far_rows = gradient.size > _IN_CACHE
    for t in range(0, gradient.size, WIDTH):
        if far_rows:  # row i has been read: it was row `first` of the previous pass
            _prefetch_block(rows, j, t)
            _prefetch_block(rows, first, t)
        a = _move(gradient, rows, i, j, by, t)
        lower = v.minimum(_allowed(a, barred, t), low)
        rise = _rise(a, units, floor, falling, t)
        better = v.maximum_int(_gain(rise, rows, first, t), best)
        b = _move(gradient, rows, i, j, by, t + 16)
        lower = v.minimum(_allowed(b, barred, t + 16), lower)
        rise = _rise(b, units, floor, falling, t + 16)
        better = v.maximum_int(_gain(rise, rows, first, t + 16), better)
        c = _move(gradient, rows, i, j, by, t + 32)
        lower = v.minimum(_allowed(c, barred, t + 32), lower)
        rise = _rise(c, units, floor, falling, t + 32)
        better = v.maximum_int(_gain(rise, rows, first, t + 32), better)
        d = _move(gradient, rows, i, j, by, t + 48)
        lower = v.minimum(_allowed(d, barred, t + 48), lower)
        rise = _rise(d, units, floor, falling, t + 48)
        better = v.maximum_int(_gain(rise, rows, first, t + 48), better)
        here = v.splat_int(np.int32(t))
        low_at = v.where_int(v.less(lower, low), here, low_at)
        best_at = v.where_int(v.greater_int(better, best), here, best_at)
        low, best = lower, better
    least = v.smallest(low) + _ZERO  # never -0.0
    same = v.splat(least)
    t = _first_block(v.equal(low, same), low_at)
    word = _where_least(gradient, barred, t, same)
    word |= _where_least(gradient, barred, t + 16, same) << 16
    word |= _where_least(gradient, barred, t + 32, same) << 32
    word |= _where_least(gradient, barred, t + 48, same) << 48
    at = t + v.first_bit(word)
    most = v.splat_int(v.largest_int(best))
    t = _first_block(v.equal_int(best, most), best_at)
    word = _where_most(gradient, units, floor, falling, rows, first, t, most)
    word |= (
        _where_most(gradient, units, floor, falling, rows, first, t + 16, most) << 16
    )
    word |= (
        _where_most(gradient, units, floor, falling, rows, first, t + 32, most) << 32
    )
    word |= (
        _where_most(gradient, units, floor, falling, rows, first, t + 48, most) << 48
    )
    return at, least, t + v.first_bit(word)


@jit
def largest_rise(gradient, lowest, falling, unit):
    """The largest difference of a falling row's gradient to a low one, at least 0."""
    units, floor, highest = v.splat(unit), v.splat(-lowest * unit), v.splat(_ZERO)
    for t in range(0, gradient.size, v.LANES):
        rise = _rise(v.load(gradient, t), units, floor, falling, t)
        highest = v.maximum(rise, highest)
    return np.float64(v.largest(highest)) / np.float64(unit)


@jit
def lowest_of(gradient, barred):
    """The first row of least gradient among those not barred; 0 and 3e38 without any.

    NaN is never the least.
    """
    low = v.splat(FAR)
    for t in range(0, gradient.size, v.LANES):
        low = v.minimum(_allowed(v.load(gradient, t), barred, t), low)
    least = v.smallest(low)
    for t in range(gradient.size):
        if gradient[t] == least and barred[t] == 0:
            return t, least + _ZERO
    return 0, FAR


@jit
def largest_of(gradient):
    """The largest absolute value, NaN ignored."""
    low = high = v.splat(_ZERO)
    for t in range(0, gradient.size, v.LANES):
        low = v.minimum(v.load(gradient, t), low)
        high = v.maximum(v.load(gradient, t), high)
    largest, other = v.largest(high), -v.smallest(low)
    return other if other > largest else largest


@jit
def unit_of(gradient):
    """A power of two that brings differences of these gradients to about 2**-32.

    There neither their logarithms nor sums of these overflow, and differences that are
    too small for single precision are far below any tolerance.
    """
    exponent = -32 - math.frexp(np.float64(largest_of(gradient)))[1]
    if exponent < -126:
        exponent = -126
    elif exponent > 126:
        exponent = 126
    return np.float32(math.ldexp(1.0, exponent))


@inline
def _add_row(rows, row, at, weight, sums):
    return v.fma(v.splat(weight), v.load_row(rows, row, at), sums)


@jit
def add_rows(rows, first, chosen, weights, count, out):
    """Add ``weights[r] * rows[chosen[r], first:]`` for r < ``count``, in this order.

    Eight rows at a time, each from its beginning to its end, so that all of them are
    on their way from main memory at the same time.
    """
    r = 0
    while r + 8 <= count:
        # Local copies: the loop would read them again, since `out` might alias them.
        i, j, k, m = chosen[r], chosen[r + 1], chosen[r + 2], chosen[r + 3]
        p, q, x, y = chosen[r + 4], chosen[r + 5], chosen[r + 6], chosen[r + 7]
        wi, wj, wk, wm = weights[r], weights[r + 1], weights[r + 2], weights[r + 3]
        wp, wq, wx, wy = weights[r + 4], weights[r + 5], weights[r + 6], weights[r + 7]
        for t in range(0, out.size, v.LANES):
            at = first + t
            sums = _add_row(rows, i, at, wi, v.load(out, t))
            sums = _add_row(rows, j, at, wj, sums)
            sums = _add_row(rows, k, at, wk, sums)
            sums = _add_row(rows, m, at, wm, sums)
            sums = _add_row(rows, p, at, wp, sums)
            sums = _add_row(rows, q, at, wq, sums)
            sums = _add_row(rows, x, at, wx, sums)
            v.store(out, t, _add_row(rows, y, at, wy, sums))
        r += 8
    for rest in range(r, count):
        i, wi = chosen[rest], weights[rest]
        for t in range(0, out.size, v.LANES):
            v.store(out, t, _add_row(rows, i, first + t, wi, v.load(out, t)))

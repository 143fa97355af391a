"""Blocks of kernel values, computed in registers.

Columns come in panels of 32 rows of the data, feature by feature, so that one load
brings a feature of sixteen of them. Every sum runs over the features in their order,
whatever the block, so that all blocks give the same bits.
"""

import numpy as np

from softcost.solvers import _vector as v
from softcost.solvers._jit import inline, internal, jit
from softcost.solvers._target import WIDE

PERCEPTRON, STUMP, LAPLACIAN, EXPONENTIAL, RBF, LINEAR = range(6)

WIDTH = 32  # columns of a panel

_TILE_ROWS = 4
_ZERO = np.float32(0)
_ONE = np.float32(1)
_HALF = np.float32(0.5)
_LEAST = np.float32(-30)  # exp(-30) - 1 is -1
_ROUND = np.float32(1.5 * 2**23)  # adding it leaves an integer in the last bits
_PER_LOG2 = np.float32(1 / np.log(2))
_LOG2_HIGH = np.float32(-0.693359375)  # -log(2) in two parts, the first with few bits
_LOG2_LOW = np.float32(0.693359375 - np.log(2))
# (exp(r) - 1 - r) / r**2 for |r| <= log(2) / 2, within 2.4e-10 relative to exp(r) - 1
_P0 = np.float32(0.5)
_P1 = np.float32(0.16666666)
_P2 = np.float32(0.04166636)
_P3 = np.float32(0.00833339)
_P4 = np.float32(0.0013940721)
_P5 = np.float32(0.00019845886)


@inline
def expm1(x):
    """``exp(x) - 1`` for x <= 0, good to two units in the last place.

    With ``x = k log(2) + r``, k an integer, it is ``2**k (exp(r) - 1) + (2**k - 1)``.
    """
    x = v.maximum(x, v.splat(_LEAST))
    shifted = v.fma(x, v.splat(_PER_LOG2), v.splat(_ROUND))
    k = v.subtract(shifted, v.splat(_ROUND))
    r = v.fma(k, v.splat(_LOG2_HIGH), x)
    r = v.fma(k, v.splat(_LOG2_LOW), r)
    p = v.fma(r, v.splat(_P5), v.splat(_P4))
    p = v.fma(r, p, v.splat(_P3))
    p = v.fma(r, p, v.splat(_P2))
    p = v.fma(r, p, v.splat(_P1))
    p = v.fma(r, p, v.splat(_P0))
    p = v.fma(v.multiply(r, r), p, r)
    power = v.power_of_two(shifted)
    return v.fma(power, p, v.subtract(power, v.splat(_ONE)))


@inline
def _is_manhattan(kernel):
    return kernel in (STUMP, LAPLACIAN)


@inline
def _term(difference, total, manhattan):
    if manhattan:
        return v.add(total, v.absolute(difference))
    return v.fma(difference, difference, total)


@internal
def _tile(x, panel, manhattan, out, row, column):
    """Sums of four rows against a panel: eight registers of sixteen lanes."""
    a0 = a1 = b0 = b1 = c0 = c1 = d0 = d1 = v.splat(_ZERO)
    for k in range(x.shape[1]):
        features = panel[k]
        p0 = v.load(features, 0)
        p1 = v.load(features, 16)
        a = v.splat(x[row, k])
        b = v.splat(x[row + 1, k])
        c = v.splat(x[row + 2, k])
        d = v.splat(x[row + 3, k])
        a0 = _term(v.subtract(a, p0), a0, manhattan)
        a1 = _term(v.subtract(a, p1), a1, manhattan)
        b0 = _term(v.subtract(b, p0), b0, manhattan)
        b1 = _term(v.subtract(b, p1), b1, manhattan)
        c0 = _term(v.subtract(c, p0), c0, manhattan)
        c1 = _term(v.subtract(c, p1), c1, manhattan)
        d0 = _term(v.subtract(d, p0), d0, manhattan)
        d1 = _term(v.subtract(d, p1), d1, manhattan)
    v.store(out[row], column, a0)
    v.store(out[row], column + 16, a1)
    v.store(out[row + 1], column, b0)
    v.store(out[row + 1], column + 16, b1)
    v.store(out[row + 2], column, c0)
    v.store(out[row + 2], column + 16, c1)
    v.store(out[row + 3], column, d0)
    v.store(out[row + 3], column + 16, d1)


@internal
def _half_tile(x, panel, manhattan, out, row, column, half):
    """Sums of four rows against half a panel: eight registers of eight lanes."""
    a = b = c = d = v.splat(_ZERO)
    for k in range(x.shape[1]):
        p = v.load(panel[k], half)
        a = _term(v.subtract(v.splat(x[row, k]), p), a, manhattan)
        b = _term(v.subtract(v.splat(x[row + 1, k]), p), b, manhattan)
        c = _term(v.subtract(v.splat(x[row + 2, k]), p), c, manhattan)
        d = _term(v.subtract(v.splat(x[row + 3, k]), p), d, manhattan)
    v.store(out[row], column + half, a)
    v.store(out[row + 1], column + half, b)
    v.store(out[row + 2], column + half, c)
    v.store(out[row + 3], column + half, d)


@internal
def _single(x, panel, manhattan, out, row, column):
    """Sums of one row against one panel."""
    a0 = a1 = v.splat(_ZERO)
    for k in range(x.shape[1]):
        features = panel[k]
        a = v.splat(x[row, k])
        a0 = _term(v.subtract(a, v.load(features, 0)), a0, manhattan)
        a1 = _term(v.subtract(a, v.load(features, 16)), a1, manhattan)
    v.store(out[row], column, a0)
    v.store(out[row], column + 16, a1)


@internal
def _sums(x, panel, manhattan, out, column):
    """Sums over the features of all rows against one panel."""
    whole = x.shape[0] - x.shape[0] % _TILE_ROWS
    for row in range(0, whole, _TILE_ROWS):
        if WIDE:
            _tile(x, panel, manhattan, out, row, column)
        else:  # sixteen registers would not hold the whole tile
            _half_tile(x, panel, manhattan, out, row, column, 0)
            _half_tile(x, panel, manhattan, out, row, column, 16)
    for row in range(whole, x.shape[0]):
        _single(x, panel, manhattan, out, row, column)


@internal
def _finish(out, column, kernel, gamma):
    """Turn sums over the features, which are still in cache, into kernel values."""
    for row in range(out.shape[0]):
        for t in range(column, column + WIDTH, 16):
            total = v.load(out[row], t)
            if kernel in (PERCEPTRON, EXPONENTIAL):
                total = v.square_root(total)
            if kernel == LINEAR:
                total = v.multiply(total, v.splat(_HALF))
            if kernel in (LAPLACIAN, EXPONENTIAL, RBF):
                v.store(out[row], t, expm1(v.multiply(total, v.splat(-gamma))))
            else:
                v.store(out[row], t, v.subtract(v.splat(_ZERO), total))


@jit
def kernel_rows(x, panels, kernel, gamma, out, first_panel):
    """Distance form of rows ``x`` (m, d) against packed rows, from one panel on.

    Fills ``out[:, 32 * first_panel :]``, which is (m, 32 * len(panels)).
    """
    for p in range(first_panel, panels.shape[0]):
        _sums(x, panels[p], _is_manhattan(kernel), out, p * WIDTH)
        _finish(out, p * WIDTH, kernel, np.float32(gamma))


@jit
def mirror(gram, start, stop):
    """Copy the upper triangle's columns ``start..stop`` into rows ``start..stop``.

    Sixteen rows and four columns at a time: single columns of a matrix whose rows lie
    a power of two apart would share few lines of the cache. ``start`` is a multiple of
    four.
    """
    whole = stop - (stop - start) % 16
    for row in range(start, whole, 16):
        for column in range(0, start, 4):
            a = v.load_row(gram, column, row)
            b = v.load_row(gram, column + 1, row)
            c = v.load_row(gram, column + 2, row)
            d = v.load_row(gram, column + 3, row)
            v.store_columns(gram, row, column, a, b, c, d)
    for row in range(whole, stop):
        for column in range(start):
            gram[row, column] = gram[column, row]

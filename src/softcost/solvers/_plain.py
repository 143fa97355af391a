"""`softcost.solvers._scan` as plain loops: the same functions, the same bits.

It says what the vector code means, runs where LLVM has no vectors to offer, and lets a
test compare the two.
"""

import numpy as np

from softcost.solvers._jit import jit
from softcost.solvers._vector import fma_scalar as fma
from softcost.solvers._vector import log_ratio_scalar as log_ratio

_FAR = np.float32(3e38)
_ZERO = np.float32(0)
_FLAT = np.float32(-5e-13)


@jit
def update_and_scan(gradient, rows, i, j, step, barred):
    """See `softcost.solvers._scan.update_and_scan`."""
    at, lowest = 0, _FAR
    for t in range(gradient.size):
        gradient[t] = fma(step, rows[i, t] - rows[j, t], gradient[t])
        if barred[t] == 0 and gradient[t] < lowest:
            at, lowest = t, gradient[t]
    return at, lowest + _ZERO


@jit
def pick_partner(gradient, rows, i, lowest, falling, unit):
    """See `softcost.solvers._scan.pick_partner`."""
    at, best, highest = 0, np.int32(-(2**31)), _ZERO
    for t in range(gradient.size):
        rise = fma(gradient[t], unit, -lowest * unit) if falling[t] != 0 else _ZERO
        gain = log_ratio(rise, min(_FLAT, rows[i, t]))
        if gain > best:
            at, best = t, gain
        highest = max(rise, highest)
    return at, np.float64(highest) / np.float64(unit)


@jit
def add_rows(rows, first, chosen, weights, count, out):
    """See `softcost.solvers._scan.add_rows`."""
    for t in range(out.size):
        for r in range(count):
            out[t] = fma(weights[r], rows[chosen[r], first + t], out[t])

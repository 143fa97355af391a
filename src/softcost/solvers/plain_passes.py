"""`softcost.solvers.passes` as plain loops: the same functions, the same bits.

They specify the vector code. Tests compare the two to the bit, and
``benchmarks/solver.py`` compares their speed.
"""

from typing import Any

import numpy as np

from softcost.solvers.compilation import jit
from softcost.solvers.simd import fma_scalar as fma
from softcost.solvers.simd import log_ratio_scalar as log_ratio

_FAR = np.float32(3e38)
_ZERO = np.float32(0)
_FLAT = np.float32(-5e-13)


@jit
def update_and_pick(
    gradient: Any,
    rows: Any,
    i: Any,
    j: Any,
    step: Any,
    first: Any,
    lowest: Any,
    barred: Any,
    falling: Any,
    unit: Any,
) -> Any:
    """See `softcost.solvers.passes.update_and_pick`."""
    at, least, partner, most = 0, _FAR, 0, np.int32(-(2**31))
    for t in range(gradient.size):
        gradient[t] = fma(step, rows[i, t] - rows[j, t], gradient[t])
        if barred[t] == 0 and gradient[t] < least:
            at, least = t, gradient[t]
        rise = fma(gradient[t], unit, -lowest * unit) if falling[t] != 0 else _ZERO
        gain = log_ratio(rise, min(_FLAT, rows[first, t]))
        if gain > most:
            partner, most = t, gain
    return at, least + _ZERO, partner


@jit
def largest_rise(gradient: Any, lowest: Any, falling: Any, unit: Any) -> Any:
    """See `softcost.solvers.passes.largest_rise`."""
    highest = _ZERO
    for t in range(gradient.size):
        rise = fma(gradient[t], unit, -lowest * unit) if falling[t] != 0 else _ZERO
        highest = max(rise, highest)
    return np.float64(highest) / np.float64(unit)


@jit
def lowest_of(gradient: Any, barred: Any) -> Any:
    """See `softcost.solvers.passes.lowest_of`."""
    at, least = 0, _FAR
    for t in range(gradient.size):
        if barred[t] == 0 and gradient[t] < least:
            at, least = t, gradient[t]
    return at, least + _ZERO


@jit
def largest_of(gradient: Any) -> Any:
    """See `softcost.solvers.passes.largest_of`."""
    largest = _ZERO
    for t in range(gradient.size):
        largest = max(gradient[t], -gradient[t], largest)
    return largest


@jit
def add_rows(
    rows: Any, first: Any, chosen: Any, weights: Any, count: Any, out: Any
) -> None:
    """See `softcost.solvers.passes.add_rows`."""
    for t in range(out.size):
        for r in range(count):
            out[t] = fma(weights[r], rows[chosen[r], first + t], out[t])

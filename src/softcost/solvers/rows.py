"""Rows of the Gram matrix: all of them, or those asked for, within a given memory."""

from typing import NamedTuple

import numpy as np
from numba.extending import overload

from softcost.solvers._jit import jit
from softcost.solvers.kernels import KERNELS, kernel_rows, pack, padded


class Gram(NamedTuple):
    """Rows of a matrix that is there already, as `kernels.gram_matrix` gives it."""

    values: np.ndarray  # (n, padded(n)) float32


class OnDemand(NamedTuple):
    """Rows that are computed when they are needed, the recently used ones kept.

    ``values[slot[i]]`` is row i; ``slot[i] = -1`` says that it is not there. A new row
    takes the place of the one that was not used for longest.
    """

    values: np.ndarray  # (capacity, padded(n)) float32
    slot: np.ndarray  # (n,) where row i is, or -1
    owner: np.ndarray  # (capacity,) which row is there, or -1
    stamp: np.ndarray  # (capacity,) when it was last used
    clock: np.ndarray  # (2,) time, and number of rows computed
    x: np.ndarray  # (n, d) float32
    panels: np.ndarray
    kernel: int
    gamma: float


Rows = Gram | OnDemand


def on_demand(
    X: np.ndarray, kernel: str, *, gamma: float = 1.0, megabytes: float
) -> OnDemand:
    """Rows computed when they are first used, at most ``megabytes`` of them kept."""
    x = np.ascontiguousarray(X, dtype=np.float32)
    n, width = len(x), padded(len(x))
    capacity = int(np.clip(megabytes * 2**20 // (4 * width), min(n, 4), n))
    return OnDemand(
        values=np.zeros((capacity, width), np.float32),
        slot=np.full(n, -1),
        owner=np.full(capacity, -1),
        stamp=np.zeros(capacity, np.int64),
        clock=np.zeros(2, np.int64),
        x=x,
        panels=pack(x),
        kernel=KERNELS[kernel],
        gamma=float(gamma),
    )


@jit
def _bring(rows, i):
    """Make sure that row i is there, and note that it was used."""
    rows.clock[0] += 1
    place = rows.slot[i]
    if place < 0:
        place = np.argmin(rows.stamp)
        if rows.owner[place] >= 0:
            rows.slot[rows.owner[place]] = -1
        rows.owner[place] = i
        rows.slot[i] = place
        rows.clock[1] += 1
        out = rows.values[place : place + 1]
        kernel_rows(rows.x[i : i + 1], rows.panels, rows.kernel, rows.gamma, out, 0)
        for t in range(rows.slot.size, out.shape[1]):
            out[0, t] = 0.0
    rows.stamp[place] = rows.clock[0]
    return place


def fetch(rows: Rows, i: int) -> int:
    """The place of row i in ``rows.values``, computing it where necessary."""
    return i if isinstance(rows, Gram) else _bring(rows, i)


@overload(fetch, jit_options={"forceinline": True})
def _compiled_fetch(rows, i):
    if rows.instance_class is Gram:
        return lambda rows, i: i
    return lambda rows, i: _bring(rows, i)

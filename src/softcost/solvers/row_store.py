"""Rows of the Gram matrix: all of them, or a cache of those that solvers need.

* `Gram` is the whole matrix.
* `Given` converts rows of a user's kernel matrix when they are first needed.
* `Store` computes rows over all points when they are first needed and caches the
  recently used ones. A single solver may use it as it is.
* `Part` caches rows over a selection of the points, for one problem. It copies the
  entries of a row from a store that several threads share.

A kernel value has the same bits wherever it comes from, so solutions do not depend on
the size of a cache. Caches replace the least recently used row, as in SVMlight (T.
Joachims, "Making large-scale SVM learning practical", 1999).
"""

import sys
from typing import Any, NamedTuple

import numpy as np
from numba.core import types
from numba.extending import intrinsic, overload

from softcost.solvers.compilation import allocating, inline, jit
from softcost.solvers.kernel_functions import code_of
from softcost.solvers.kernels import (
    aligned,
    aligned_zeros,
    centre_row,
    copy_runs,
    half_diagonal,
    kernel_rows,
    pack,
    padded,
    runs_of,
)
from softcost.solvers.passes import add_rows

# A spin lock for compiled code that runs in several threads: Python's locks need the
# interpreter. Threads wait by asking again, so the lock is held for microseconds only.
if sys.platform == "win32":

    @inline
    def _let_others_run():
        pass

else:  # the thread that holds the lock may be waiting for a processor
    _let_others_run = types.ExternalFunction("sched_yield", types.int32())


@intrinsic
def _exchange(typingctx, flag, value):
    """Set ``flag[0]`` and return its previous value, atomically."""

    def codegen(context, builder, signature, args):
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        return builder.atomic_rmw("xchg", data, args[1], "seq_cst")

    return types.int64(flag, types.int64), codegen


@inline
def acquire(flag: Any) -> None:
    """Wait until ``flag`` (one int64) is 0, and set it to 1."""
    while _exchange(flag, 1) != 0:
        _let_others_run()


@inline
def release(flag: Any) -> None:
    """Set the flag to 0."""
    _exchange(flag, 0)


# Rows that `smo.improve` (two of a step, one to rise next) and `smo.exact_gradient`
# (four) use at the same time: a cache must not be smaller.
LEAST = 4
# Rows whose values for held-out points are computed at once; a block costs less than
# as many single rows.
BLOCK = 16


class Gram(NamedTuple):
    """Rows of a matrix in memory, as `kernels.gram_matrix` returns it."""

    values: np.ndarray  # (n, padded(n)) float32


class Given(NamedTuple):
    """Rows of a user's kernel matrix, put into distance form when first needed.

    A single problem needs only some of them.
    """

    values: np.ndarray  # (n, padded(n)) float32
    there: np.ndarray  # (n,) whether row i is in distance form
    matrix: np.ndarray  # (n, n) float64, the kernel
    half: np.ndarray  # (n,) half its diagonal


class Store(NamedTuple):
    """Rows over all points, computed when they are needed; recent ones are cached.

    ``values[slot[i]]`` is row i, unless ``slot[i]`` is -1. A new row replaces the least
    recently used one.
    """

    values: np.ndarray  # (capacity, padded(n)) float32
    slot: np.ndarray  # (n,) where row i is, or -1
    owner: np.ndarray  # (capacity,) which row is there, or -1
    stamp: np.ndarray  # (capacity,) when it was last used
    clock: np.ndarray  # (2,) time, and number of cache misses
    lock: np.ndarray  # (1,) 1 while a thread reads or writes
    x: np.ndarray  # (n, d) float32
    panels: np.ndarray  # as `kernels.pack` returns them; empty if all rows are there
    kernel: int
    gamma: float


class Part(NamedTuple):
    """Rows of a store, restricted to the points of one problem.

    ``values[slot[i]]`` is row i, as in `Store`.
    """

    values: np.ndarray  # (capacity, padded(m)) float32
    slot: np.ndarray  # (m,)
    owner: np.ndarray  # (capacity,)
    stamp: np.ndarray  # (capacity,)
    clock: np.ndarray  # (2,)
    places: np.ndarray  # (m,) the point of the store for each row
    runs: np.ndarray  # (n_runs, 3) neighbouring entries: column here, there, how many
    spare: np.ndarray  # (1, padded(n)) a row that is computed here
    out_runs: np.ndarray  # (n_runs, 3) the same for entries of the held-out points
    out_panels: np.ndarray  # these points, as `kernels.pack` returns them
    store: Store


Rows = Gram | Store | Part
AnyRows = Rows | Given  # Given is for single problems


def given_rows(K: np.ndarray) -> Given:
    """Rows of a square kernel matrix (n, n), for one solver."""
    n = len(K)
    values = aligned(n, padded(n))
    values[:1] = 0.0  # a solver's first pass adds 0 times row 0, which must be finite
    return Given(
        values=values,
        there=np.zeros(n, np.bool_),
        # A single type of array, so this is compiled once.
        matrix=np.require(K, np.float64, ["C", "W"]),
        half=half_diagonal(K),
    )


def store_of(
    X: np.ndarray,
    kernel: str,
    *,
    gamma: float = 1.0,
    capacity: int,
    gram: np.ndarray | None = None,
) -> Store:
    """Rows computed when they are first used, at most ``capacity`` of them cached.

    Parameters
    ----------
    X : array of shape (n, d)
    kernel, gamma
        As for `kernels.gram_matrix`.
    capacity : int
        At least `LEAST`, unless there are fewer points.
    gram : array, default=None
        The whole matrix, if it has been computed.
    """
    x = np.ascontiguousarray(X, dtype=np.float32)
    n = len(x)
    if gram is None:
        capacity = int(np.clip(capacity, min(n, LEAST), n))
        values, panels = aligned_zeros(capacity, padded(n)), pack(x)
        slot, owner = np.full(n, -1), np.full(capacity, -1)
    else:
        values, panels = gram, np.empty((0, x.shape[1], 0), np.float32)
        slot, owner = np.arange(n), np.arange(n)
    return Store(
        values=values,
        slot=slot,
        owner=owner,
        stamp=np.zeros(len(values), np.int64),
        clock=np.zeros(2, np.int64),
        lock=np.zeros(1, np.int64),
        x=x,
        panels=panels,
        kernel=code_of(kernel),
        gamma=float(gamma),
    )


def part_of(
    store: Store, places: np.ndarray, out: np.ndarray, *, capacity: int
) -> Part:
    """Rows of a store for a problem over some of its points.

    Parameters
    ----------
    store : Store
    places : array of shape (m,)
        Points of the problem; a point may occur more than once.
    out : array of shape (n_out,)
        Held-out points.
    capacity : int
        Rows to cache, at least `LEAST`, unless there are fewer.
    """
    m = len(places)
    capacity = int(np.clip(capacity, min(m, LEAST), m))
    return Part(
        values=aligned_zeros(capacity, padded(m)),
        slot=np.full(m, -1),
        owner=np.full(capacity, -1),
        stamp=np.zeros(capacity, np.int64),
        clock=np.zeros(2, np.int64),
        places=np.asarray(places, np.int64),
        runs=runs_of(places),
        spare=np.zeros((1, padded(len(store.x))), np.float32),
        out_runs=runs_of(out),
        out_panels=pack(store.x[out]),
        store=store,
    )


def work_of_step(rows: AnyRows) -> float:
    """Entries that a solver's step touches at most; computed ones count more."""
    if isinstance(rows, Gram | Given):
        return len(rows.values)
    x = rows.x if isinstance(rows, Store) else rows.store.x
    return len(x) * (1 + x.shape[1] / 8)


@jit
def _reserve(rows, i):
    """The place of row i, marked as used, and whether it has yet to be filled."""
    rows.clock[0] += 1
    place = rows.slot[i]
    empty = place < 0
    if empty:
        place = np.argmin(rows.stamp)
        if rows.owner[place] >= 0:
            rows.slot[rows.owner[place]] = -1
        rows.owner[place] = i
        rows.slot[i] = place
        rows.clock[1] += 1
    rows.stamp[place] = rows.clock[0]
    return place, empty


@inline
def _compute(store, i, out):
    """Row i of the matrix into ``out`` (1, padded(n))."""
    kernel_rows(store.x[i : i + 1], store.panels, store.kernel, store.gamma, out, 0)
    for t in range(store.slot.size, out.shape[1]):
        out[0, t] = 0.0


@jit
def _take(rows, i):
    """Put row i of a user's matrix into distance form, unless it has been."""
    if not rows.there[i]:
        centre_row(rows.matrix, rows.half, i, rows.values[i])
        rows.there[i] = True
    return i


@jit
def _bring(store, i):
    """The place of row i in a store that no other thread uses."""
    place, empty = _reserve(store, i)
    if empty:
        _compute(store, i, store.values[place : place + 1])
    return place


@jit
def _bring_part(rows, i):
    """The place of row i of a part, copied from the store if necessary.

    A row that the store does not have is computed outside its lock, so no thread waits
    for it. If two threads compute it at once, one of the equal rows is stored.
    """
    place, empty = _reserve(rows, i)
    if not empty:
        return place
    store, point, target = rows.store, rows.places[i], rows.values[place]
    if store.panels.size == 0:  # all rows are there: no lock needed
        copy_runs(rows.runs, store.values[point], target)
        return place
    acquire(store.lock)
    there = store.slot[point] >= 0
    if there:
        at, _ = _reserve(store, point)
        copy_runs(rows.runs, store.values[at], target)
    release(store.lock)
    if there:
        return place
    _compute(store, point, rows.spare)
    acquire(store.lock)
    at, empty = _reserve(store, point)
    if empty:
        stored = store.values[at]
        for t in range(stored.size):
            stored[t] = rows.spare[0, t]
    release(store.lock)
    copy_runs(rows.runs, rows.spare[0], target)
    return place


def fetch(rows: AnyRows, i: int) -> int:
    """The place of row i in ``rows.values``; the row is computed if necessary."""
    if isinstance(rows, Gram):
        return i
    if isinstance(rows, Given):
        return _take(rows, i)
    return _bring(rows, i) if isinstance(rows, Store) else _bring_part(rows, i)


@overload(fetch, jit_options={"forceinline": True})
def _compiled_fetch(rows, i):
    if rows.instance_class is Gram:
        return lambda rows, i: i
    if rows.instance_class is Given:
        return lambda rows, i: _take(rows, i)
    if rows.instance_class is Store:
        return lambda rows, i: _bring(rows, i)
    return lambda rows, i: _bring_part(rows, i)


@inline
def _copy_held_out(rows, point, target):
    """Copy a row's values for held-out points; False if the store does not have it.

    This does not count as a use: solvers may need the place more.
    """
    store = rows.store
    changes = store.panels.size > 0
    if changes:
        acquire(store.lock)
    at = store.slot[point]
    if at >= 0:
        copy_runs(rows.out_runs, store.values[at], target)
    if changes:
        release(store.lock)
    return at >= 0


@allocating
def _add_parts(rows, chosen, weights, count, out):
    """As `add_held_out`; rows missing in the store are computed for held-out points."""
    store = rows.store
    values = np.zeros((BLOCK, out.size), np.float32)
    x = np.empty((BLOCK, store.x.shape[1]), np.float32)
    places = np.empty(BLOCK, np.int64)
    for start in range(0, count, BLOCK):
        size = min(BLOCK, count - start)
        computed, copied = 0, BLOCK
        for r in range(size):
            point = rows.places[chosen[start + r]]
            if _copy_held_out(rows, point, values[copied - 1]):
                copied -= 1
                places[r] = copied
            else:
                for k in range(x.shape[1]):
                    x[computed, k] = store.x[point, k]
                places[r] = computed
                computed += 1
        if computed > 0:
            new, panels = values[:computed], rows.out_panels
            kernel_rows(x[:computed], panels, store.kernel, store.gamma, new, 0)
        add_rows(values, 0, places, weights[start:], size, out)


def add_held_out(
    rows: Rows,
    cross: np.ndarray,
    chosen: np.ndarray,
    weights: np.ndarray,
    count: int,
    out: np.ndarray,
) -> None:
    """Add ``weights[r] * K(chosen[r], held-out points)`` for the first ``count`` r.

    A `Part` copies or computes these values; for others they are in ``cross``.
    """
    if isinstance(rows, Part):
        _add_parts(rows, chosen, weights, count, out)
    else:
        add_rows(cross, 0, chosen, weights, count, out)


@overload(add_held_out, jit_options={"forceinline": True})
def _compiled_add_held_out(rows, cross, chosen, weights, count, out):
    if rows.instance_class is Part:
        return lambda rows, cross, chosen, weights, count, out: _add_parts(
            rows, chosen, weights, count, out
        )
    return lambda rows, cross, chosen, weights, count, out: add_rows(
        cross, 0, chosen, weights, count, out
    )

"""Problems of many rows, solved on a working set of them.

Of tens of thousands of rows few have a coefficient at all, or change it from one
problem to the next. So steps are made within a working set W, as in SVMlight [1]_, and
the gradient of all rows is updated from the coefficients that changed:

1. find the violation over all rows; stop if it is small;
2. add the rows to W that violate most, on both sides;
3. improve pairs within W until the violation there is a tenth of that, or small;
4. add the effect of the changed coefficients to the gradient, in double precision.

W always has the two rows that violate most. So each round lowers the objective, and the
violation that is reached is that of the whole problem. The next problem of a path
begins with the W of the previous one.

Steps 1 and 3 are the rounds of `softcost.solvers.smo` (`run_round`, `end_round`); only
the way to a gradient in double precision is another. Rows that are not in memory are
computed in blocks, at a third of the cost of single rows.

References
----------
.. [1] T. Joachims, "Making large-scale SVM learning practical", in Advances in Kernel
   Methods, MIT Press, 1999.
"""

from collections.abc import Callable
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from softcost.parallel import in_threads
from softcost.solvers.compilation import jit
from softcost.solvers.dual_problem import Solution
from softcost.solvers.kernels import WIDTH as PANEL
from softcost.solvers.kernels import (
    aligned,
    aligned_zeros,
    kernel_rows,
    pack,
    padded,
    submatrix,
)
from softcost.solvers.row_store import AnyRows, Given, Gram, Part, Store
from softcost.solvers.smo import (
    NO_LIMIT,
    REFINEMENT,
    begin,
    certify,
    end_round,
    run_round,
    spread,
    steps_per_call,
)
from softcost.solvers.smo import solve as solve_at_once
from softcost.solvers.warm_start import Point

# A problem is large if it has more rows than this,
LARGE = 10_000
# and if its rows have to be computed for it alone, or if there are more distinct points
# than this in all. Up to here their matrix fits into the default cache_size of 2000 MB,
# and steps over all rows are faster for problems that share it.
MANY = 22_000

# Rows of a working set. Kernel values among them take 152 MB, and a pass over a row of
# 24 kB stays in the first two levels of the cache. With C = 64 and 30,000 rows, 4096
# rows take a quarter more time; with C = 1 more rows do not help.
CAPACITY = 6144
# Rows that are added at once on each side: enough for a round to be worth its update
# of the whole gradient, and more for problems with many coefficients.
_LEAST_NEW = 64
_SUPPORT_PER_NEW = 4
_ROWS_AT_ONCE = 256  # of kernel values with new members: a megabyte or two

# What a round leaves of the violation within the working set. Less would be wasted
# effort: the rows outside violate more by then.
_FINER = 0.1
# Rounds for one problem before the solver gives up. Problems of 30,000 rows took 17 to
# 90; the limit guards against tolerances that single precision cannot reach.
_ROUNDS = 2000

# Rows and columns of a tile of kernel values, which is added to the sums as soon as it
# is computed: 128 kB, half of the second-level cache of small processors. The number of
# rows is a multiple of four, see `_add_block`.
_TILE_ROWS = 64
_TILE_PANELS = 16
_COLUMNS = 2048  # columns that are summed at once: 16 kB of sums
# Features from which rows are cached. With fewer it is faster to compute a row again
# than to store and to read it. A single fit of 15,000 rows needs a row a few times, and
# with 200 features a cache still cost more than it saved. A path needs a row for many
# problems, so its cache is filled once and read often.
CACHED_FROM = 256
PATH_CACHED_FROM = 48
# Kernel values times features of a product that is worth a second thread: about a
# millisecond, ten times what starting threads takes.
_WORTH_THREADS = 2e7


def block_bytes(n: int, d: int) -> int:
    """Memory for n points with d features, as rows and as panels, and their tiles."""
    return 4 * (2 * n * d + 2 * _TILE_ROWS * min(_TILE_PANELS * PANEL, padded(n)))


@jit
def _add_block(values, rows, weights, out):
    """Add ``weights[r] * values[rows[r]]``, in order and four rows at a time.

    Always in fours, so sums have the same bits wherever the rows come from. Some
    columns at a time, so their sums stay in cache.
    """
    last = rows.size - 1
    for start in range(0, out.size, _COLUMNS):
        stop = min(start + _COLUMNS, out.size)
        for r in range(0, rows.size, 4):
            b, c, d = min(r + 1, last), min(r + 2, last), min(r + 3, last)
            row_a, row_b = values[rows[r]], values[rows[b]]
            row_c, row_d = values[rows[c]], values[rows[d]]
            wa = weights[r]
            wb = weights[b] if r + 1 <= last else 0.0
            wc = weights[c] if r + 2 <= last else 0.0
            wd = weights[d] if r + 3 <= last else 0.0
            for t in range(start, stop):
                out[t] += (wa * row_a[t] + wb * row_b[t]) + (
                    wc * row_c[t] + wd * row_d[t]
                )


class Products(Protocol):
    """Products of the Gram matrix with sparse coefficients.

    They have an entry for every row, and then one for every held-out point.
    """

    n_out: int  # held-out points

    def add(self, chosen: np.ndarray, weights: np.ndarray, out: np.ndarray) -> None:
        """Add the sum of ``weights[r]`` times row ``chosen[r]``, in increasing order.

        ``out`` has values for the n points, then for the held-out ones.
        """

    def among(self, new: np.ndarray, members: np.ndarray, out: np.ndarray) -> None:
        """Write kernel values of new rows (first axis) with members."""


def _write_among(
    matrix: np.ndarray, new: np.ndarray, members: np.ndarray, out: np.ndarray
) -> None:
    out[:, : len(members)] = submatrix(matrix, new, members)[:, : len(members)]


class FromMatrix:
    """Rows of the matrix of a problem, and of the one with held-out points.

    Parameters
    ----------
    matrix : array of shape (n, padded(n)), float32
    cross : array of shape (n, padded(n_out)), float32
    n_out : int
    """

    n_out: int

    def __init__(self, matrix: NDArray[Any], cross: NDArray[Any], n_out: int) -> None:
        self._matrix, self._cross, self.n_out = matrix, cross, n_out

    def add(self, chosen: np.ndarray, weights: np.ndarray, out: np.ndarray) -> None:
        n = len(self._matrix)
        _add_block(self._matrix, chosen, weights, out[:n])
        if self.n_out:
            _add_block(self._cross, chosen, weights, out[n:])

    def among(self, new: np.ndarray, members: np.ndarray, out: np.ndarray) -> None:
        _write_among(self._matrix, new, members, out)


class FromPart:
    """Rows of a larger matrix, for a problem over some of its points.

    Parameters
    ----------
    matrix : array of shape (N, padded(N)), float32
    places : array of shape (n,)
        The rows and columns of the problem.
    out : array of shape (n_out,)
        The held-out columns.
    """

    n_out: int

    def __init__(
        self, matrix: NDArray[Any], places: NDArray[Any], out: NDArray[Any]
    ) -> None:
        self._matrix, self._places, self.n_out = matrix, places, len(out)
        self._columns = np.concatenate([places, out])

    def add(self, chosen: np.ndarray, weights: np.ndarray, out: np.ndarray) -> None:
        # Sums over all columns cost less than copies of the columns of the problem.
        sums = np.zeros(len(self._matrix))
        sums[self._columns] = out
        _add_block(self._matrix, self._places[chosen], weights, sums)
        out[:] = sums[self._columns]

    def among(self, new: np.ndarray, members: np.ndarray, out: np.ndarray) -> None:
        _write_among(self._matrix, self._places[new], self._places[members], out)


@jit
def _add_computed(
    x, panels, kernel, gamma, cache, place, new, weights, tile, at, first, last, out
):  # fmt: skip
    """Add the sum of ``weights[r]`` times row r, in order, for panels first..last.

    Kernel values are computed in tiles that stay in the processor's cache. They have
    the same bits, and are added in the same order, however the panels are divided.

    Parameters
    ----------
    x : array of shape (n_new, d)
        Points of the rows to compute, in their order.
    cache : array
        Rows that are in memory.
    place : array of shape (n_rows,)
        Where in the cache a row is, or where to store it if it is new; -1: nowhere.
    new : array of shape (n_rows,), bool
        Whether a row has to be computed.
    tile, at : arrays of shape (_TILE_ROWS, width) and (_TILE_ROWS,)
        Scratch: kernel values, and the place of each row of a block among them.
    """
    for p in range(first, last, _TILE_PANELS):
        stop, start, computed = min(p + _TILE_PANELS, last), p * PANEL, 0
        width, end = (stop - p) * PANEL, min(stop * PANEL, out.size)
        for block in range(0, place.size, _TILE_ROWS):
            size, count = min(_TILE_ROWS, place.size - block), 0
            for r in range(size):
                if new[block + r]:
                    at[r] = count
                    count += 1
            if count > 0:
                points = x[computed : computed + count]
                kernel_rows(points, panels[p:stop], kernel, gamma, tile[:count], 0)
                computed += count
            for r in range(size):
                here = place[block + r]
                if not new[block + r]:
                    at[r] = count
                    for t in range(width):
                        tile[count, t] = cache[here, start + t]
                    count += 1
                elif here >= 0:
                    for t in range(width):
                        cache[here, start + t] = tile[at[r], t]
            _add_block(tile, at[:size], weights[block : block + size], out[start:end])


class Computed:
    """Rows computed when they are needed; recent ones are cached.

    Parameters
    ----------
    x, out : arrays of shape (n, d) and (n_out, d), float32
        Points, and those held out.
    kernel, gamma
        As in `row_store.Store`.
    cache : array, float32
        Memory for recent rows, possibly none.
    threads : int
        Threads that compute kernel values, each for some of the columns. Results do
        not depend on it.
    """

    n_out: int

    def __init__(
        self,
        x: NDArray[Any],
        out: NDArray[Any],
        kernel: int,
        gamma: float,
        cache: NDArray[Any],
        threads: int = 1,
    ) -> None:
        self._x, self._panels, self.n_out = x, pack(np.concatenate([x, out])), len(out)
        self._kernel, self._gamma, self._threads = kernel, gamma, threads
        width = padded(len(x) + len(out))
        capacity = cache.size // width
        self._cache = cache.reshape(-1)[: capacity * width].reshape(-1, width)
        self._slot = np.full(len(x), -1)
        self._owner = np.full(capacity, -1)
        self._next = 0

    def add(self, chosen: np.ndarray, weights: np.ndarray, out: np.ndarray) -> None:
        place = self._slot[chosen]
        new = place < 0
        place[new] = self._reserve(chosen[new], place[~new])
        x = self._x[chosen[new]]
        n_panels = len(self._panels)
        work = len(chosen) * n_panels * PANEL * self._x.shape[1]
        threads = self._threads if work > _WORTH_THREADS else 1
        # Several parts for each thread, or all would wait for a thread that was
        # interrupted.
        part = -(-n_panels // (4 * threads if threads > 1 else 1))
        part = -(-part // _TILE_PANELS) * _TILE_PANELS

        def add_part(first: int, proceed: Callable[[], None]) -> None:
            tile = aligned(_TILE_ROWS, _TILE_PANELS * PANEL)
            _add_computed(
                x, self._panels, self._kernel, self._gamma, self._cache, place, new,
                weights, tile, np.empty(_TILE_ROWS, np.int64), first,
                min(first + part, n_panels), out,
            )  # fmt: skip

        in_threads(add_part, range(0, n_panels, part), threads)

    def _reserve(self, chosen: np.ndarray, used: np.ndarray) -> np.ndarray:
        """Places to store new rows, those of the oldest ones; -1: do not store.

        ``used`` are the places that the same product reads.
        """
        places, capacity = np.full(len(chosen), -1), len(self._owner)
        # More than half of the cache would push out all others.
        if not 0 < len(chosen) <= capacity // 2:
            return places
        oldest = (self._next + np.arange(capacity)) % capacity
        oldest = oldest[~np.isin(oldest, used)][: len(chosen)]
        if len(oldest) == 0:
            return places
        places[: len(oldest)] = oldest
        self._next = int(oldest[-1] + 1)
        dropped = self._owner[oldest]
        self._slot[dropped[dropped >= 0]] = -1
        self._owner[oldest] = chosen[: len(oldest)]
        self._slot[chosen[: len(oldest)]] = oldest
        return places

    def among(self, new: np.ndarray, members: np.ndarray, out: np.ndarray) -> None:
        panels = pack(self._x[members])
        kernel_rows(self._x[new], panels, self._kernel, self._gamma, out, 0)


def products_of(
    rows: Gram | Store | Part, cross: np.ndarray, n_out: int, threads: int = 1
) -> Products:
    """Products with these rows and their values for held-out points.

    Parameters
    ----------
    rows : Gram, Store or Part
    cross : array of shape (n, padded(n_out)), float32
        Kernel values with held-out points, for a `Gram`.
    n_out : int
    threads : int
        Threads that compute rows which are not in memory.
    """
    if isinstance(rows, Gram):
        return FromMatrix(rows.values, cross, n_out)
    if isinstance(rows, Store):
        if rows.panels.size == 0:
            return FromMatrix(rows.values, cross, 0)
        x, cache = rows.x, rows.values
        if x.shape[1] < CACHED_FROM:
            cache = cache[:0]
        return Computed(x, x[:0], rows.kernel, rows.gamma, cache, threads)
    store, out = rows.store, _columns(rows.out_runs)
    if store.panels.size == 0:
        return FromPart(store.values, rows.places, out)
    x, cache = store.x[rows.places], rows.values
    if x.shape[1] < PATH_CACHED_FROM:
        cache = cache[:0]
    return Computed(x, store.x[out], store.kernel, store.gamma, cache, threads)


def _columns(runs: np.ndarray) -> np.ndarray:
    """The points that the runs of a `row_store.Part` stand for, in their order."""
    parts = [np.arange(there, there + length) for _, there, length in runs]
    return np.concatenate([np.empty(0, np.int64), *parts])


def _width() -> int:
    """Entries of a row: not a power of two, or a column would share few cache lines."""
    return padded(CAPACITY + 1)


def working_bytes() -> int:
    """Memory for kernel values among members."""
    return 4 * CAPACITY * _width()


def _lowest(values: np.ndarray, count: int) -> np.ndarray:
    """Places of the lowest ``count`` values; of equal values the first."""
    if len(values) <= count:
        return np.arange(len(values))
    threshold = np.partition(values, count - 1)[count - 1]
    below = np.flatnonzero(values < threshold)
    ties = np.flatnonzero(values == threshold)[: count - len(below)]
    return np.sort(np.concatenate([below, ties]))


@jit
def _compact(gram, chosen):
    """Move ``gram[chosen][:, chosen]`` to the beginning, in place.

    ``chosen`` increases, so no value is overwritten before it is read.
    """
    for i in range(chosen.size):
        source, target = gram[chosen[i]], gram[i]
        for j in range(chosen.size):
            target[j] = source[chosen[j]]


class WorkingSet:
    """Rows among which steps are made; their kernel values are together in memory.

    Parameters
    ----------
    products : Products
    n : int
        Rows of the problem.
    """

    members: NDArray[Any]

    def __init__(self, products: Products, n: int) -> None:
        self._products = products
        self._gram = aligned_zeros(CAPACITY, _width())
        self.members = np.empty(0, np.intp)
        self._inside = np.zeros(n, np.bool_)

    def grow(
        self,
        rises: np.ndarray,
        falls: np.ndarray,
        gradient: np.ndarray,
        lowest: float,
        highest: float,
        support: int,
    ) -> None:
        """Add the rows that violate most, as many on each side [1]_.

        They have the lowest gradients of the rows that may rise, and the highest of
        those that may fall.
        """
        # At most a quarter of the capacity, so most rows stay for a few rounds.
        count = min(max(_LEAST_NEW, support // _SUPPORT_PER_NEW), CAPACITY // 8)
        if len(self.members) + 2 * count > CAPACITY:
            self._make_room(rises, falls, gradient, lowest, highest)
        up = np.flatnonzero(rises & ~self._inside & (gradient < highest))
        up = up[_lowest(gradient[up], count)]
        self._inside[up] = True
        down = np.flatnonzero(falls & ~self._inside & (gradient > lowest))
        down = down[_lowest(-gradient[down], count)]
        self._inside[down] = True
        new = np.concatenate([up, down])
        if len(new) == 0:
            return
        before, self.members = len(self.members), np.concatenate([self.members, new])
        after = len(self.members)
        self._products.among(new, self.members, self._gram[before:after])
        # The other half is computed, too: that takes less time than to transpose.
        values = aligned(_ROWS_AT_ONCE, padded(len(new)))
        for start in range(0, before, _ROWS_AT_ONCE):
            rows = slice(start, min(start + _ROWS_AT_ONCE, before))
            block = values[: rows.stop - start]
            self._products.among(self.members[rows], new, block)
            self._gram[rows, before:after] = block[:, : len(new)]
        self._gram[:after, after : padded(after)] = 0.0

    def _make_room(
        self,
        rises: np.ndarray,
        falls: np.ndarray,
        gradient: np.ndarray,
        lowest: float,
        highest: float,
    ) -> None:
        """Remove all but the members nearest to moving, half of the capacity.

        Those strictly inside their boxes count as if they violated most.
        """
        g, up, down = (part[self.members] for part in (gradient, rises, falls))
        distance = np.where(up, g - highest, np.inf)
        distance = np.minimum(distance, np.where(down, lowest - g, np.inf))
        distance -= np.where(up & down, highest - lowest, 0.0)
        nearest = _lowest(distance, CAPACITY // 2)
        self._inside[self.members] = False
        self.members = self.members[nearest]
        self._inside[self.members] = True
        _compact(self._gram, nearest)

    def run_round(
        self,
        lower: np.ndarray,
        upper: np.ndarray,
        beta: np.ndarray,
        gradient: np.ndarray,
        state: Any,
        limit: int,
    ) -> np.ndarray:
        """New coefficients of the members after a round of steps, see `smo.run_round`.

        ``gradient`` is best centred: it is rounded to single precision.
        """
        members = self.members
        rounded = aligned_zeros(padded(len(members)))
        rounded[: len(members)] = gradient[members]
        flags = aligned(2, len(rounded), kind=np.int8)
        new, box = beta[members], (lower[members], upper[members])
        budget, over = steps_per_call(len(rounded)), False
        while not over:
            over, _ = run_round(
                Gram(self._gram), *box, new, rounded, flags, state, NO_LIMIT, limit,
                budget,
            )  # fmt: skip
        return new


def is_large(n: int, total: int) -> bool:
    """Whether a problem of n rows is solved on a working set.

    ``total`` is the number of distinct points, of which its rows may be a part. The
    memory of the machine does not count, so results do not depend on it.
    """
    return n > LARGE and total > MANY


def large_bytes(m: int, total: int, n_out: int, d: int) -> int:
    """Memory for kernel values of a large problem of m rows, 0 for others.

    Without the rows that it caches.
    """
    if not is_large(m, total):
        return 0
    return working_bytes() + block_bytes(m + n_out, d)


class Rounds:
    """Problems over the same rows, one after the other.

    Parameters
    ----------
    products : Products
    n : int
    proceed : callable
        As in `smo.solve`.
    """

    def __init__(self, products: Products, n: int, proceed: Callable[[], None]):
        self._products = products
        self._working = WorkingSet(self._products, n)
        self._proceed = proceed

    def solve(
        self,
        start: Point,
        targets: np.ndarray,
        lower: np.ndarray,
        upper: np.ndarray,
        goal: float,
        limit: int,
    ) -> tuple[Point, int]:
        """Lower the violation to the goal, in at most ``limit`` steps."""
        beta, product = start.beta.copy(), start.product.copy()
        working, state = self._working, np.zeros(1, REFINEMENT)[0]
        begin(state, goal, np.inf, np.inf, False)
        for _ in range(_ROUNDS):
            gradient = product[: len(targets)] - targets
            rises, falls = beta < upper, beta > lower
            lowest = gradient[rises].min(initial=np.inf)
            highest = gradient[falls].max(initial=-np.inf)
            if end_round(state, highest - lowest, limit, _FINER, _ROUNDS):
                break
            support = int(np.count_nonzero(beta))
            working.grow(rises, falls, gradient, lowest, highest, support)
            gradient -= (lowest + highest) / 2
            new = working.run_round(lower, upper, beta, gradient, state, limit)
            order = np.argsort(working.members)
            chosen, change = working.members[order], new[order]
            change = change - beta[chosen]
            moved = change != 0.0
            beta[working.members] = new
            self._products.add(chosen[moved], change[moved], product)
            self._proceed()
        return Point(beta, product), int(state["steps"])


class Chain:
    """Problems over the same rows, solved from scratch one after the other.

    Large ones share kernel values: rows in the cache, and the working set, with which
    the next problem begins.

    Parameters
    ----------
    rows : AnyRows
    total : int
        Number of distinct points, see `is_large`.
    threads : int
        Threads that compute kernel values of large problems, with the same result.
    proceed : callable
        As in `smo.solve`.
    """

    def __init__(
        self,
        rows: AnyRows,
        *,
        total: int,
        threads: int = 1,
        proceed: Callable[[], None] = lambda: None,
    ):
        self._rows, self._total, self._proceed = rows, total, proceed
        self._threads, self._rounds = threads, cast(Rounds | None, None)

    def solve(
        self,
        targets: np.ndarray,
        lower: np.ndarray,
        upper: np.ndarray,
        *,
        tol: float = 1e-3,
        max_steps: int = -1,
    ) -> Solution:
        """Solve one problem, as `smo.solve`, whatever its size."""
        rows, n = self._rows, len(targets)
        computed = isinstance(rows, Store) and rows.panels.size > 0
        if not is_large(n, self._total) and not (computed and n > LARGE):
            return solve_at_once(
                rows, targets, lower, upper, tol=tol, max_steps=max_steps,
                proceed=self._proceed,
            )  # fmt: skip
        assert not isinstance(rows, Given)
        if self._rounds is None:
            cross = np.empty((n, 0), np.float32)
            products = products_of(rows, cross, 0, self._threads)
            self._rounds = Rounds(products, n, self._proceed)
        targets, lower, upper = (
            np.asarray(part, np.float64) for part in (targets, lower, upper)
        )
        limit = max_steps if max_steps >= 0 else NO_LIMIT
        goal, start = tol * spread(targets, lower, upper), Point.zero(n, 0)
        point, steps = self._rounds.solve(start, targets, lower, upper, goal, limit)
        gradient = point.product - targets
        intercept, violation, dual_gap = certify(lower, upper, point.beta, gradient)
        return Solution(
            beta=point.beta,
            intercept=float(intercept),
            violation=float(violation),
            dual_gap=float(dual_gap),
            objective=point.objective(targets),
            steps=steps,
            converged=bool(violation <= goal),
        )

"""Kernels, always in their distance form.

A support vector machine with an unpenalised bias has coefficients that sum to zero, so
``K(x, x')`` may be replaced by ``K(x, x') - (K(x, x) + K(x', x')) / 2``, which is minus
half the squared distance in feature space and has a zero diagonal:

=============  =====================  ==================================
name           kernel                 distance form
=============  =====================  ==================================
perceptron     ``-|x - x'|_2``        ``-|x - x'|_2``
stump          ``-|x - x'|_1``        ``-|x - x'|_1``
laplacian      ``exp(-g |x-x'|_1)``   ``exp(-g |x-x'|_1) - 1``
exponential    ``exp(-g |x-x'|_2)``   ``exp(-g |x-x'|_2) - 1``
rbf            ``exp(-g |x-x'|_2^2)`` ``exp(-g |x-x'|_2^2) - 1``
linear         ``<x, x'>``            ``-|x - x'|_2^2 / 2``
precomputed    ``K``                  ``K_ij - (K_ii + K_jj) / 2``
=============  =====================  ==================================

Distances are sums of direct differences, so equal rows have distance exactly zero, and
the matrix is symmetric to the bit.
"""

import math
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from softcost.solvers import _vector as v
from softcost.solvers._jit import inline, jit
from softcost.solvers._scan import WIDTH as STEP

PERCEPTRON, STUMP, LAPLACIAN, EXPONENTIAL, RBF, LINEAR = range(6)

KERNELS = {
    "perceptron": PERCEPTRON,
    "stump": STUMP,
    "laplacian": LAPLACIAN,
    "exponential": EXPONENTIAL,
    "rbf": RBF,
    "linear": LINEAR,
}

WIDTH = 32  # columns of a panel

_ZERO = np.float32(0)
_TILE_ROWS = 4


def padded(n: int) -> int:
    """``n`` rounded up to a whole number of the solver's steps, at least one."""
    return max(-(-n // STEP), 1) * STEP


def pack(X: np.ndarray) -> np.ndarray:
    """Rows of ``X`` (n, d) as panels (ceil(n / 32), d, 32) of single precision."""
    n, d = X.shape
    panels = np.zeros((padded(n) // WIDTH, d, WIDTH), np.float32)
    full, rest = divmod(n, WIDTH)
    panels[:full] = X[: full * WIDTH].reshape(full, WIDTH, d).transpose(0, 2, 1)
    if rest:
        panels[full, :, :rest] = X[full * WIDTH :].T
    return panels


@inline
def _is_manhattan(kernel):
    return kernel in (STUMP, LAPLACIAN)


@inline
def _term(difference, total, manhattan):
    if manhattan:
        return v.add(total, v.absolute(difference))
    return v.fma(difference, difference, total)


@inline
def _finish(out, start, total, kernel):
    """Store what needs no exponential; the exponent (without gamma) otherwise."""
    if kernel in (PERCEPTRON, EXPONENTIAL):
        total = v.square_root(total)
    if kernel == LINEAR:
        total = v.multiply(total, v.splat(np.float32(0.5)))
    v.store(out, start, v.subtract(v.splat(_ZERO), total))


@jit
def _tile(x, panel, kernel, manhattan, out, row, column):
    """Four rows against one panel: eight running sums held in registers."""
    a0 = a1 = b0 = b1 = c0 = c1 = d0 = d1 = v.splat(_ZERO)
    for k in range(x.shape[1]):
        features = panel[k]
        p0 = v.load(features, 0)
        p1 = v.load(features, v.LANES)
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
    _finish(out[row], column, a0, kernel)
    _finish(out[row], column + v.LANES, a1, kernel)
    _finish(out[row + 1], column, b0, kernel)
    _finish(out[row + 1], column + v.LANES, b1, kernel)
    _finish(out[row + 2], column, c0, kernel)
    _finish(out[row + 2], column + v.LANES, c1, kernel)
    _finish(out[row + 3], column, d0, kernel)
    _finish(out[row + 3], column + v.LANES, d1, kernel)


@jit
def _single(x, panel, kernel, manhattan, out, row, column):
    """One row against one panel."""
    a0 = a1 = v.splat(_ZERO)
    for k in range(x.shape[1]):
        features = panel[k]
        a = v.splat(x[row, k])
        a0 = _term(v.subtract(a, v.load(features, 0)), a0, manhattan)
        a1 = _term(v.subtract(a, v.load(features, v.LANES)), a1, manhattan)
    _finish(out[row], column, a0, kernel)
    _finish(out[row], column + v.LANES, a1, kernel)


@jit
def kernel_rows(x, panels, kernel, gamma, out, first_panel):
    """Distance form of rows ``x`` (m, d) against packed rows, from one panel on.

    Fills ``out[:, 32 * first_panel :]`` (m, 32 * len(panels)).
    """
    m = x.shape[0]
    whole = m - m % _TILE_ROWS
    manhattan = _is_manhattan(kernel)
    for p in range(first_panel, panels.shape[0]):
        column = p * WIDTH
        if manhattan:  # a constant in each call, so that the choice leaves the loop
            for row in range(0, whole, _TILE_ROWS):
                _tile(x, panels[p], kernel, True, out, row, column)
            for row in range(whole, m):
                _single(x, panels[p], kernel, True, out, row, column)
        else:
            for row in range(0, whole, _TILE_ROWS):
                _tile(x, panels[p], kernel, False, out, row, column)
            for row in range(whole, m):
                _single(x, panels[p], kernel, False, out, row, column)
    if kernel in (LAPLACIAN, EXPONENTIAL, RBF):
        for row in range(m):
            for t in range(first_panel * WIDTH, panels.shape[0] * WIDTH):
                out[row, t] = math.expm1(gamma * out[row, t])


@jit
def _mirror(gram, start, stop):
    """Copy the upper triangle's columns ``start..stop`` into rows ``start..stop``."""
    block = 32
    for left in range(0, start, block):
        for row in range(start, stop):
            for column in range(left, min(left + block, start)):
                gram[row, column] = gram[column, row]


def _in_threads(work, items: Iterable, threads: int) -> None:
    if threads == 1:
        for item in items:
            work(item)
        return
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, items))


def gram_matrix(
    X: np.ndarray, kernel: str = "perceptron", *, gamma: float = 1.0, threads: int = 1
) -> np.ndarray:
    """The Gram matrix of ``X`` in distance form.

    Parameters
    ----------
    X : array of shape (n, d)
        Converted to single precision.
    kernel : str
        A key of `KERNELS`.
    gamma : float
        Width of the exponential kernels.
    threads : int
        Blocks of rows are computed in so many threads.

    Returns
    -------
    array of shape (n, padded(n)), float32
        The columns from n on are zero.
    """
    x = np.ascontiguousarray(X, dtype=np.float32)
    n = len(x)
    panels = pack(x)
    gram = np.empty((n, padded(n)), np.float32)
    code, gamma = KERNELS[kernel], float(gamma)
    block = max(WIDTH, min(256, padded(-(-n // (4 * threads)))))
    starts = range(0, n, block)

    def upper(start: int) -> None:
        stop = min(start + block, n)
        kernel_rows(
            x[start:stop], panels, code, gamma, gram[start:stop], start // WIDTH
        )
        gram[start:stop, n:] = 0

    def lower(start: int) -> None:
        _mirror(gram, start, min(start + block, n))

    _in_threads(upper, starts, threads)
    _in_threads(lower, starts, threads)
    return gram


@jit
def sum_rows(rows, start, chosen, weights, out):
    """``out[m] += sum of weights[r] * rows[chosen[r]]`` over r in start[m]..start[m+1].

    In double precision, and in the same order for every column.
    """
    for m in range(out.shape[0]):
        for r in range(start[m], start[m + 1]):
            row, weight = rows[chosen[r]], weights[r]
            for t in range(out.shape[1]):
                out[m, t] += weight * row[t]


def centred(K: np.ndarray) -> np.ndarray:
    """The distance form of a given square kernel matrix, padded as `gram_matrix`."""
    n = len(K)
    half = np.diagonal(K).astype(np.float64) / 2
    gram = np.zeros((n, padded(n)), np.float32)
    for start in range(0, n, 256):
        stop = min(start + 256, n)
        gram[start:stop, :n] = K[start:stop] - half[start:stop, None] - half
    np.fill_diagonal(gram, 0)
    return gram


def submatrix(gram: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """``gram[rows][:, columns]`` with columns padded by zeros."""
    out = np.zeros((len(rows), padded(len(columns))), np.float32)
    _gather(gram, rows, columns, out)
    return out


@jit
def _gather(gram, rows, columns, out):
    """Copy runs of neighbouring columns at once."""
    starts = np.empty(columns.size + 1, np.int64)
    runs = 0
    for c in range(columns.size):
        if c == 0 or columns[c] != columns[c - 1] + 1:
            starts[runs] = c
            runs += 1
    starts[runs] = columns.size
    for r in range(rows.size):
        source = gram[rows[r]]
        target = out[r]
        for run in range(runs):
            first, last = starts[run], starts[run + 1]
            offset = columns[first] - first
            for c in range(first, last):
                target[c] = source[c + offset]

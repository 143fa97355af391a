"""Kernel values in single precision, always in the distance form of their kernel.

See `softcost.solvers.kernel_functions` for the kernels and this form. Distances are
sums of direct differences, so equal rows have distance exactly zero, and the matrix is
symmetric to the bit.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from softcost.parallel import in_threads
from softcost.solvers import simd as v
from softcost.solvers.compilation import inline, internal, jit
from softcost.solvers.kernel_functions import (
    EXPONENTIAL,
    LAPLACIAN,
    LINEAR,
    PERCEPTRON,
    RBF,
    STUMP,
    code_of,
)
from softcost.solvers.passes import WIDTH as STEP
from softcost.solvers.simd import WIDE

# Columns come in panels of 32 rows of the data, feature by feature, so one load brings
# a feature of sixteen of them. Every sum runs over the features in their order,
# whatever the block, so all blocks give the same bits.
WIDTH = 32

# Rows of a block: four times two vectors are the sums, and of the 32 registers of
# AVX-512 some are left for the features.
_TILE_ROWS = 4
_ZERO = np.float32(0)
_ONE = np.float32(1)
_HALF = np.float32(0.5)
_LEAST = np.float32(-30)  # exp(-30) - 1 is -1 in single precision
_ROUND = np.float32(1.5 * 2**23)  # adding it leaves an integer in the last bits
_PER_LOG2 = np.float32(1 / np.log(2))
# -log(2) in two parts, the first with few bits, so k times it is exact (W. J. Cody,
# W. Waite, Software Manual for the Elementary Functions, 1980).
_LOG2_HIGH = np.float32(-0.693359375)
_LOG2_LOW = np.float32(0.693359375 - np.log(2))
# (exp(r) - 1 - r) / r**2 for |r| <= log(2) / 2, within 2.4e-10 relative to exp(r) - 1
_P0 = np.float32(0.5)
_P1 = np.float32(0.16666666)
_P2 = np.float32(0.04166636)
_P3 = np.float32(0.00833339)
_P4 = np.float32(0.0013940721)
_P5 = np.float32(0.00019845886)


@inline
def expm1(x: Any) -> Any:
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
def kernel_rows(
    x: Any, panels: Any, kernel: Any, gamma: Any, out: Any, first_panel: Any
) -> None:
    """Distance form of rows ``x`` (m, d) against packed rows, from one panel on.

    Fills ``out[:, 32 * first_panel :]``, which is (m, 32 * len(panels)).
    """
    for p in range(first_panel, panels.shape[0]):
        _sums(x, panels[p], _is_manhattan(kernel), out, p * WIDTH)
        _finish(out, p * WIDTH, kernel, np.float32(gamma))


@jit
def mirror(gram: Any, start: Any, stop: Any) -> None:
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


_LINE = 64  # bytes of a cache line


def padded(n: int) -> int:
    """``n`` rounded up to a multiple of the solver's block size, at least one block."""
    return max(-(-n // STEP), 1) * STEP


def _on_a_line(memory: np.ndarray, shape: tuple[int, ...], kind: type) -> np.ndarray:
    start = -memory.ctypes.data % _LINE
    size = math.prod(shape) * np.dtype(kind).itemsize
    return memory[start : start + size].view(kind).reshape(shape)


def aligned(*shape: int, kind: type = np.float32) -> np.ndarray:
    """An uninitialised array whose memory begins with a cache line.

    Lanes that lie in two lines take twice as long to load. With `padded` rows, all rows
    of a matrix are aligned if the first is.
    """
    size = math.prod(shape) * np.dtype(kind).itemsize
    return _on_a_line(np.empty(size + _LINE, np.uint8), shape, kind)


def aligned_zeros(*shape: int) -> np.ndarray:
    """As `aligned`, filled with zeros; pages that are never written take no memory."""
    return _on_a_line(
        np.zeros(4 * math.prod(shape) + _LINE, np.uint8), shape, np.float32
    )


def pack(X: np.ndarray) -> np.ndarray:
    """Rows of ``X`` (n, d) as panels (ceil(n / 32), d, 32) of single precision."""
    n, d = X.shape
    panels = np.zeros((padded(n) // WIDTH, d, WIDTH), np.float32)
    full, rest = divmod(n, WIDTH)
    panels[:full] = X[: full * WIDTH].reshape(full, WIDTH, d).transpose(0, 2, 1)
    if rest:
        panels[full, :, :rest] = X[full * WIDTH :].T
    return panels


def gram_matrix(
    X: np.ndarray, kernel: str = "perceptron", *, gamma: float = 1.0, threads: int = 1
) -> np.ndarray:
    """The Gram matrix of ``X`` in distance form.

    Parameters
    ----------
    X : array of shape (n, d)
        Converted to single precision.
    kernel : str
        One of `FEATURE_KERNELS`.
    gamma : float
        Width, if the kernel has one.
    threads : int
        Threads that compute blocks of rows.

    Returns
    -------
    array of shape (n, padded(n)), float32
        The columns from n on are zero.
    """
    x = np.ascontiguousarray(X, dtype=np.float32)
    n = len(x)
    panels = pack(x)
    gram = aligned(n, padded(n))
    code, gamma = code_of(kernel), float(gamma)
    block = max(WIDTH, min(256, padded(-(-n // (4 * threads)))))
    starts = range(0, n, block)

    def upper(start: int, proceed: Callable[[], None]) -> None:
        stop = min(start + block, n)
        kernel_rows(
            x[start:stop], panels, code, gamma, gram[start:stop], start // WIDTH
        )
        gram[start:stop, n:] = 0

    def lower(start: int, proceed: Callable[[], None]) -> None:
        mirror(gram, start, min(start + block, n))

    in_threads(upper, starts, threads)
    in_threads(lower, starts, threads)
    return gram


@jit
def sum_rows(rows: Any, start: Any, chosen: Any, weights: Any, out: Any) -> None:
    """``out[m] += sum of weights[r] * rows[chosen[r]]`` over r in start[m]..start[m+1].

    In double precision, and in the same order for every column.
    """
    for m in range(out.shape[0]):
        for r in range(start[m], start[m + 1]):
            row, weight = rows[chosen[r]], weights[r]
            for t in range(out.shape[1]):
                out[m, t] += weight * row[t]


@inline
def centre_row(K: Any, half: Any, i: Any, row: Any) -> None:
    """Row i of a kernel matrix in distance form, padded by zeros."""
    n = half.size
    for t in range(n):
        row[t] = np.float32(K[i, t] - half[i] - half[t])
    row[i] = 0.0
    for t in range(n, row.size):
        row[t] = 0.0


@jit
def _centre(K, half, gram):
    for i in range(half.size):
        centre_row(K, half, i, gram[i])


def half_diagonal(K: np.ndarray) -> np.ndarray:
    """Half the diagonal of a kernel matrix, for its distance form."""
    if K.ndim != 2 or K.shape[0] != K.shape[1]:  # compiled code does not check
        raise ValueError(
            f"A kernel matrix must be square, but it has shape {K.shape}: pass "
            "K(X, X), or choose another kernel."
        )
    return np.diagonal(K).astype(np.float64) / 2


def centred(K: np.ndarray) -> np.ndarray:
    """The distance form of a square kernel matrix, padded as `gram_matrix`."""
    half = half_diagonal(K)
    gram = aligned(len(K), padded(len(K)))
    _centre(np.ascontiguousarray(K), half, gram)
    return gram


def submatrix(
    gram: np.ndarray,
    rows: np.ndarray,
    columns: np.ndarray,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """``gram[rows][:, columns]`` with columns padded by zeros.

    ``out`` is filled if it is passed. Used memory is faster: the system clears new
    memory before it is filled.
    """
    if out is None:
        out = aligned(len(rows), padded(len(columns)))
    runs = runs_of(columns)
    runs = runs[np.argsort(runs[:, 1], kind="stable")]  # one sweep over each row
    _gather(gram, rows, runs, len(columns), out)
    return out


def runs_of(chosen: np.ndarray) -> np.ndarray:
    """Runs of neighbours among chosen columns: column here, there, how many.

    Examples
    --------
    >>> runs_of(np.array([4, 5, 6, 2]))
    array([[0, 4, 3],
           [3, 2, 1]])
    """
    start = np.flatnonzero(np.diff(chosen, prepend=-2) != 1)
    length = np.diff(start, append=len(chosen))
    return np.column_stack([start, chosen[start], length]).astype(np.int64)


@inline
def copy_runs(runs: Any, source: Any, target: Any) -> None:
    """Copy runs of neighbouring entries at once."""
    for run in range(runs.shape[0]):
        here, there, length = runs[run, 0], runs[run, 1], runs[run, 2]
        for t in range(length):
            target[here + t] = source[there + t]


@jit
def _gather(gram, rows, runs, width, out):
    for r in range(rows.size):
        copy_runs(runs, gram[rows[r]], out[r])
        for t in range(width, out.shape[1]):
            out[r, t] = 0.0

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
from collections.abc import Callable

import numpy as np

from softcost.parallel import in_threads
from softcost.solvers._jit import inline, jit
from softcost.solvers._scan import WIDTH as STEP
from softcost.solvers._tiles import (
    EXPONENTIAL,
    LAPLACIAN,
    LINEAR,
    PERCEPTRON,
    RBF,
    STUMP,
    WIDTH,
    kernel_rows,
    mirror,
)

KERNELS = {
    "perceptron": PERCEPTRON,
    "stump": STUMP,
    "laplacian": LAPLACIAN,
    "exponential": EXPONENTIAL,
    "rbf": RBF,
    "linear": LINEAR,
}
_LINE = 64  # bytes of a line of the cache
WITH_WIDTH = ("laplacian", "exponential", "rbf")
LARGEST = 1e17  # sums of squares of such numbers fit into single precision


def check_single(X: np.ndarray) -> None:
    """Refuse numbers that kernels in single precision cannot take."""
    largest = max(X.max(initial=0.0), -X.min(initial=0.0))
    if not largest <= LARGEST:
        raise ValueError(
            f"X has values around {largest:.1g}, too large for kernels in single "
            "precision: scale the features, for instance with StandardScaler(), or "
            "correct what is out of range."
        )


def padded(n: int) -> int:
    """``n`` rounded up to a whole number of the solver's steps, at least one."""
    return max(-(-n // STEP), 1) * STEP


def _on_a_line(memory: np.ndarray, shape: tuple[int, ...], kind: type) -> np.ndarray:
    start = -memory.ctypes.data % _LINE
    size = math.prod(shape) * np.dtype(kind).itemsize
    return memory[start : start + size].view(kind).reshape(shape)


def aligned(*shape: int, kind: type = np.float32) -> np.ndarray:
    """An array whose memory begins with a line of the cache; its numbers are any.

    Lanes that lie in two lines take twice as long to load. With `padded` rows, all rows
    of a matrix are aligned if the first is.
    """
    size = math.prod(shape) * np.dtype(kind).itemsize
    return _on_a_line(np.empty(size + _LINE, np.uint8), shape, kind)


def aligned_zeros(*shape: int) -> np.ndarray:
    """As `aligned`, all of them zero; memory that nobody writes to is not taken."""
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
    gram = aligned(n, padded(n))
    code, gamma = KERNELS[kernel], float(gamma)
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
def sum_rows(rows, start, chosen, weights, out):
    """``out[m] += sum of weights[r] * rows[chosen[r]]`` over r in start[m]..start[m+1].

    In double precision, and in the same order for every column.
    """
    for m in range(out.shape[0]):
        for r in range(start[m], start[m + 1]):
            row, weight = rows[chosen[r]], weights[r]
            for t in range(out.shape[1]):
                out[m, t] += weight * row[t]


@inline
def centre_row(K, half, i, row):
    """Row i of a given kernel matrix in distance form, padded by zeros."""
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
    """What the distance form of a given kernel matrix takes off, in both directions."""
    if K.ndim != 2 or K.shape[0] != K.shape[1]:  # compiled code does not look again
        raise ValueError(
            f"A kernel matrix must be square, but it has shape {K.shape}: pass "
            "K(X, X), or choose another kernel."
        )
    return np.diagonal(K).astype(np.float64) / 2


def centred(K: np.ndarray) -> np.ndarray:
    """The distance form of a given square kernel matrix, padded as `gram_matrix`."""
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
    """``gram[rows][:, columns]`` with columns padded by zeros, in a given array or not.

    Memory that has been used is faster: a new one is cleared before it is filled.
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
def copy_runs(runs, source, target):
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

"""Merge equal rows: an equivalent and often much smaller problem.

Rows with the same x, the same target and the same side have the same optimality
condition, so one coefficient with the sum of their boxes stands for all of them.
"""

from typing import NamedTuple

import numpy as np

from softcost.solvers.compilation import jit


class Merged(NamedTuple):
    """A problem over distinct rows.

    Attributes
    ----------
    rows : array of shape (m,)
        For each merged row, one of the rows that it stands for.
    targets, lower, upper : arrays of shape (m,)
    """

    rows: np.ndarray
    targets: np.ndarray
    lower: np.ndarray
    upper: np.ndarray


@jit
def _hash_rows(bits, odd, hashed):
    """Multilinear hashes: the products of every row with odd numbers, modulo 2**64."""
    for i in range(bits.shape[0]):
        total = np.uint64(0)
        for k in range(bits.shape[1]):
            total += np.uint64(bits[i, k]) * odd[k]
        hashed[i] = total


def distinct_rows(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Find the rows of ``X`` (n, d), single precision, that are equal to the bit.

    Distinct rows are in the order of a hash, so a problem over them does not depend on
    the order or the repetition of the rows of ``X``.

    Returns
    -------
    first : array of shape (m,)
        The first occurrence of every distinct row.
    member : array of shape (n,)
        For every row of X the number of its distinct row.
    """
    n, d = X.shape
    bits = (np.ascontiguousarray(X) + np.float32(0)).view(np.uint32)  # -0.0 becomes 0.0
    odd = np.random.default_rng(0).integers(2**62, size=d, dtype=np.uint64) * 2 + 1
    hashed = np.empty(n, np.uint64)
    _hash_rows(bits, odd, hashed)
    order = np.argsort(hashed, kind="stable")
    new = np.ones(n, np.bool_)
    new[1:] = hashed[order][1:] != hashed[order][:-1]
    first = order[new]
    member = np.empty(n, np.intp)
    member[order] = np.cumsum(new) - 1
    if not np.array_equal(bits, bits[first][member]):  # a hash collision
        whole = bits.view(np.dtype((np.void, 4 * d))).ravel()
        _, first, member = np.unique(whole, return_index=True, return_inverse=True)
    return first, member


@jit
def _with_box(order, group, targets, lower, upper, times, rows, problem):
    """List the rows that have a box, in this order, with their problem; their number.

    Boxes are multiplied. The number is negative if some rows have equal x.
    """
    count, last, repeated = 0, -1, False
    for t in order:
        below, above = times * lower[t], times * upper[t]
        if below < 0.0 or above > 0.0:
            rows[count] = t
            problem[0, count] = targets[t]
            problem[1, count] = below
            problem[2, count] = above
            repeated |= group[t] == last
            last = group[t]
            count += 1
    return -count if repeated else count


def merge(
    group: np.ndarray,
    targets: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    order: np.ndarray | None = None,
    times: float = 1.0,
) -> Merged:
    """Merge rows of the same group, target and side; rows without a box vanish.

    Parameters
    ----------
    group : array of shape (n,)
        Equal for rows with equal x; merged rows are in this order.
    targets, lower, upper : arrays of shape (n,)
    order : array of shape (n,), default=None
        A stable sort of ``group``, for callers that merge many problems.
    times : float
        Factor of the boxes.
    """
    if order is None:
        order = np.argsort(group, kind="stable")
    active, problem = np.empty(len(order), np.intp), np.empty((3, len(order)))
    targets, lower, upper = (
        np.ascontiguousarray(part, np.float64) for part in (targets, lower, upper)
    )
    count = _with_box(order, group, targets, lower, upper, times, active, problem)
    active = active[: abs(count)]
    problem = np.ascontiguousarray(problem[:, : abs(count)])  # release the rest
    if count >= 0:
        return Merged(active, *problem)
    keys = (group[active], problem[1] < 0, problem[2] > 0, problem[0])
    by_key = np.lexsort(keys[::-1])
    active, problem = active[by_key], problem[:, by_key]
    changes = [np.diff(key[by_key]) != 0 for key in keys]
    new = np.concatenate([[True], np.any(changes, axis=0)])
    place, m = np.cumsum(new) - 1, int(new.sum())
    return Merged(
        rows=active[new],
        targets=problem[0, new],
        lower=np.bincount(place, problem[1], m),
        upper=np.bincount(place, problem[2], m),
    )

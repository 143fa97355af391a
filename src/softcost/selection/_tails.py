"""How likely counts this good would be, if a limit were not kept.

Each function gives p-values: whatever rate above the limit is the true one, a p-value
of at most d has a probability of at most d.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, betaincinv, xlogy

_ROUNDING = 1e-9  # of a count that was computed from a mean
_STEPS = 60  # of a bisection


def binomial_tail(losses: Any, n_rows: Any, limit: float) -> NDArray[np.float64]:
    """``P(Bin(n, limit) <= losses)``, for losses of 0 or 1: exact.

    Examples
    --------
    >>> float(binomial_tail(0, 59, 0.05).round(3))
    0.048
    """
    counts = np.ceil(np.asarray(losses, float) - _ROUNDING)
    n_rows = np.asarray(n_rows, float)
    with np.errstate(all="ignore"):
        tail = bdtr(np.minimum(counts, n_rows), n_rows.astype(int), limit)
    return np.where(counts >= n_rows, 1.0, tail)


def hoeffding_bentkus_tail(mean: Any, n_rows: Any, limit: float) -> NDArray[np.float64]:
    """The tail for any losses from 0 to 1, by the smaller of two inequalities.

    ``min(exp(-n h(m, limit)), e P(Bin(n, limit) <= ceil(n m)))`` with the mean loss m
    (no larger than the limit) and ``h(a, b) = a log(a/b) + (1-a) log((1-a)/(1-b))``:
    Hoeffding's and Bentkus's, as in Bates et al. (2021), "Distribution-free,
    risk-controlling prediction sets".
    """
    if not 0 < limit < 1:
        return np.full(np.shape(mean), float(limit <= 0))
    low = np.minimum(np.asarray(mean, float), limit)
    entropy = xlogy(low, low / limit) + xlogy(1 - low, (1 - low) / (1 - limit))
    hoeffding = np.exp(-np.asarray(n_rows, float) * entropy)
    bentkus = np.e * binomial_tail(np.asarray(mean) * n_rows, n_rows, limit)
    return np.minimum(1.0, np.minimum(hoeffding, bentkus))


def recalls_tail(
    right: NDArray[np.float64], sizes: NDArray[np.float64], limit: float
) -> NDArray[np.float64]:
    """The tail of the geometric mean of K recalls being above a limit.

    The least d at which the geometric mean of Clopper and Pearson's lower bounds of
    the recalls, each of confidence ``1 - d / K``, reaches the limit.

    Parameters
    ----------
    right, sizes : arrays of shape (..., K)
        Rows that were found, and all rows, of each class.
    limit : float
    """
    n_classes = right.shape[-1]

    def reached(level: NDArray[np.float64]) -> NDArray[np.bool_]:
        each = level[..., None] / n_classes
        bound = betaincinv(np.maximum(right, 0.5), sizes - right + 1, each)
        bound = np.where(right > 0, bound, 0.0)
        return bound.prod(axis=-1) >= limit**n_classes

    low = np.full(right.shape[:-1], -30.0)  # logarithms
    high = np.zeros(right.shape[:-1])
    surely = reached(np.exp(low))
    never = ~reached(np.exp(high))
    for _ in range(_STEPS):
        middle = (low + high) / 2
        enough = reached(np.exp(middle))
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.where(never, 1.0, np.exp(np.where(surely, -30.0, high)))

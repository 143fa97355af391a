"""One cost matrix for each row: prices at the time of a decision.

When a row is decided its true class is not known, so prices of its own are a whole
matrix by true and predicted class.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcost.costs._actions import NO_ACTIONS
from softcost.costs._check import check_cost_matrix
from softcost.costs._labels import check_classes
from softcost.costs._tables import numbers


def row_matrices(
    costs: Any,
    known: NDArray[Any],
    n_samples: int,
    *,
    classes: ArrayLike | None = None,
    extra: NDArray[Any] = NO_ACTIONS,
) -> NDArray[np.float64]:
    """Check the cost matrices of rows and put them into the order of sorted classes.

    Parameters
    ----------
    costs : array-like of shape (n_samples, K, A)
        ``costs[n, true, predicted]``, the columns of the classes first.
    known : array of shape (K,)
        The sorted classes.
    n_samples : int
        How many rows there are.
    classes : array-like of shape (K,), optional
        The classes in the order of the matrices, by default sorted.
    extra : array of shape (A - K,)
        What may be answered beyond the classes.

    Returns
    -------
    array of shape (n_samples, K, A)
        In the user's units.

    See Also
    --------
    scaled_matrices : Canonical matrices, each divided by its own largest entry, shape
        (n, K, A).
    softcost.reductions.MinimumExpectedCost : Decides by a matrix for each row.

    Examples
    --------
    Two payments: a false alarm costs 5, a missed fraud the amount.

    >>> import numpy as np
    >>> from softcost.costs import row_matrices
    >>> prices = [[[0, 5], [amount, 0]] for amount in (20, 900)]
    >>> row_matrices(prices, np.array(["fine", "fraud"]), 2)[1]
    array([[  0.,   5.],
           [900.,   0.]])
    """
    given = known if classes is None else check_classes(classes)
    values = numbers(costs, "costs")
    wanted = (n_samples, len(known), len(known) + len(extra))
    if values.shape != wanted:
        raise ValueError(
            f"costs has shape {values.shape}, not {wanted}; give every row to decide a"
            " cost matrix of its own, costs[row, true, predicted], since its true class"
            " is not known."
        )
    right = np.diagonal(values, axis1=1, axis2=2)[:, :, np.newaxis]
    good = np.isfinite(values) & (values >= 0) & (values >= right)
    for row in np.flatnonzero(~good.all(axis=(1, 2)))[:1]:
        try:
            check_cost_matrix(values[row], given, actions=extra)
        except ValueError as error:
            raise ValueError(f"costs[{row}]: {error}") from None
    order = np.argsort(given, kind="stable")
    columns = np.append(order, np.arange(len(given), wanted[2]))
    return values[np.ix_(np.arange(n_samples), order, columns)]


def scaled_matrices(raw: NDArray[np.float64]) -> NDArray[np.float64]:
    """Canonical matrices, each divided by its own largest entry, shape (n, K, A).

    So a row is decided in the same way by itself and among others.

    Parameters
    ----------
    raw : array of shape (n, K, A)
        Matrices in the user's units, see :func:`row_matrices`.

    Returns
    -------
    array of shape (n, K, A)
        The least entry of each row of a matrix is 0, the largest entry of a matrix 1.

    See Also
    --------
    scaled_matrix : Canonical costs by class, divided by the largest entry, and that
        entry.
    row_matrices : Check the cost matrices of rows and put them into the order of sorted
        classes.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.costs import scaled_matrices
    >>> scaled_matrices(np.array([[[0.0, 5.0], [20.0, 0.0]]]))
    array([[[0.  , 0.25],
            [1.  , 0.  ]]])
    """
    canonical = raw - raw.min(axis=2, keepdims=True)
    scale = canonical.max(axis=(1, 2), keepdims=True)
    return canonical / np.where(scale > 0, scale, 1.0)

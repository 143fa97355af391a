"""Cost vectors: one row per example, one column per answer."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcost.costs.actions import all_answers, extra_actions, require_costs
from softcost.costs.labels import class_indices, has_default_index, numbers
from softcost.costs.matrix import (
    check_cost_matrix,
    check_costs,
    only_one,
    resolve_classes,
)


def naive(y: ArrayLike, classes: ArrayLike | None = None) -> NDArray[np.float64]:
    """Return the 0/1 costs: 0 for the true class, 1 for any other.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        True labels.
    classes : array-like of shape (n_classes,), optional
        The classes; by default the sorted labels of `y`.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
        ``[k != y_n]``.

    See Also
    --------
    weighted : Return the 0/1 costs times the weight of an error.
    soften : Mix costs with 0/1 costs.

    Examples
    --------
    >>> from softcost.costs import naive
    >>> naive(["b", "a"], classes=["a", "b", "c"])
    array([[1., 0., 1.],
           [0., 1., 1.]])
    """
    labels = resolve_classes(y, classes=classes)
    return 1.0 - np.eye(len(labels))[class_indices(y, labels)]


def raw_cost_vectors(
    y: ArrayLike,
    *,
    cost_matrix: Any = None,
    costs: Any = None,
    classes: ArrayLike | None = None,
    actions: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Return the cost of each answer for each example, in the user's units.

    Parameters and checks are those of :func:`as_cost_vectors`, but the minimum of each
    example is not subtracted. Reports use these costs; learners use the canonical ones.

    Parameters
    ----------
    y, cost_matrix, costs, classes, actions
        As in :func:`as_cost_vectors`.

    Returns
    -------
    ndarray of shape (n_samples, n_classes + n_extra)
        ``cost_matrix[y_n, k]`` or ``costs[n, k]``.

    See Also
    --------
    as_cost_vectors : Return canonical cost vectors: the extra cost of each answer.

    Examples
    --------
    >>> from softcost.costs import raw_cost_vectors
    >>> raw_cost_vectors(["b", "a"], cost_matrix=[[1, 5], [9, 2]])
    array([[9., 2.],
           [1., 5.]])
    """
    only_one(cost_matrix, costs)
    labels = resolve_classes(
        y, classes=classes, cost_matrix=cost_matrix, costs=costs, actions=actions
    )
    index = class_indices(y, labels)
    extra = extra_actions(labels, actions=actions, cost_matrix=cost_matrix)
    if cost_matrix is not None:
        return check_cost_matrix(cost_matrix, labels, actions=extra)[index]
    if costs is None:
        require_costs(extra)
        return naive(y, labels)
    _check_alignment(y, costs)
    values = check_costs(costs, labels, len(index), actions=extra)
    of_true_class = values[np.arange(len(index)), index]
    cheaper = values < of_true_class[:, np.newaxis]
    if cheaper.any():
        row, column = (int(place[0]) for place in np.nonzero(cheaper))
        answers = all_answers(labels, extra).tolist()
        true, other = answers[index[row]], answers[column]
        raise ValueError(
            f"costs makes {other!r} cheaper than the true label {true!r} in row {row};"
            " make the true label the cheapest of its row, or check that costs and y"
            " have the same examples and that columns are in the order of classes."
        )
    return values


def _check_alignment(y: Any, costs: Any) -> None:
    """Raise an error for pandas objects with the same examples in another order."""
    if not (hasattr(y, "iloc") and hasattr(costs, "iloc")):
        return
    if y.index.equals(costs.index):
        return
    named = not (has_default_index(y) or has_default_index(costs))
    if named or set(y.index) == set(costs.index):
        raise ValueError(
            "costs has another index than y, so its rows may be other examples;"
            " pass costs.loc[y.index], or an array if the rows do correspond."
        )


def as_cost_vectors(
    y: ArrayLike,
    *,
    cost_matrix: Any = None,
    costs: Any = None,
    classes: ArrayLike | None = None,
    actions: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Return canonical cost vectors: the extra cost of each answer.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        True labels.
    cost_matrix : array-like, table or dict of shape (n_classes, n_classes), optional
        ``cost_matrix[true, predicted]``, see :func:`check_cost_matrix`.
    costs : array-like or table of shape (n_samples, n_classes), optional
        ``costs[n, k]``, see :func:`check_costs`. With neither, every mistake costs 1.
    classes : array-like of shape (n_classes,), optional
        The classes, in the order of unlabelled costs and of the result's columns; see
        :func:`resolve_classes`.
    actions : array-like of shape (n_extra,), optional
        Extra actions, see :func:`extra_actions`; their columns come last.

    Returns
    -------
    ndarray of shape (n_samples, n_classes + n_extra)
        ``c_n[k] - min_l c_n[l]``, float64 in the user's units: not negative, and 0 at
        the true label, which must be among the cheapest of its row.

    See Also
    --------
    raw_cost_vectors : Return the cost of each answer for each example, in the user's
        units.
    soften : Mix costs with 0/1 costs.

    Examples
    --------
    >>> from softcost.costs import as_cost_vectors
    >>> as_cost_vectors(["b", "a"], cost_matrix=[[1, 5], [9, 2]])
    array([[7., 0.],
           [0., 4.]])
    """
    raw = raw_cost_vectors(
        y, cost_matrix=cost_matrix, costs=costs, classes=classes, actions=actions
    )
    return raw - raw.min(axis=1, keepdims=True)


def normalize(costs: ArrayLike) -> tuple[NDArray[np.float64], float]:
    """Divide costs by the largest one, so that softness does not depend on the unit.

    Parameters
    ----------
    costs : array-like of shape (n, n_classes)
        Cost vectors or a cost matrix.

    Returns
    -------
    normalized : ndarray of shape (n, n_classes)
        ``costs / scale``, a new array with largest entry 1.
    scale : float
        The largest entry, or 1.0 if all are 0.

    See Also
    --------
    scaled_matrix : Scale a cost matrix: subtract row minima and divide by the largest
        entry.
    soften : Mix costs with 0/1 costs.

    Examples
    --------
    >>> from softcost.costs import normalize
    >>> normalize([[0, 4], [1, 0]])
    (array([[0.  , 1.  ],
           [0.25, 0.  ]]), 4.0)
    """
    values = numbers(costs, "costs")
    if values.ndim != 2 or values.size == 0:
        raise ValueError(
            f"costs must be n x K and not empty, not of shape {values.shape}; give one"
            " row per example and one column per class."
        )
    if not np.isfinite(values).all() or (values < 0).any():
        raise ValueError(
            "costs must be finite and not negative; check them with as_cost_vectors."
        )
    scale = float(values.max()) or 1.0
    return values / scale, scale

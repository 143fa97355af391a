"""Cost vectors, one row per example and one column per answer, and their softening."""

from collections.abc import Mapping
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcost.costs.actions import all_answers, extra_actions, require_costs
from softcost.costs.labels import (
    check_classes,
    class_indices,
    has_default_index,
    numbers,
    positions,
)
from softcost.costs.matrix import (
    check_cost_matrix,
    check_costs,
    only_one,
    resolve_classes,
)


def costs_of_rows(costs: Any, X: Any, y: Any = None) -> Any:
    """Return the costs of rows: the argument itself, or the result of a function.

    Parameters
    ----------
    costs : array-like, table, callable or None
        A function is called with `X` and `y`.
    X : rows
        As the user passed them.
    y : array-like of shape (n_samples,), optional
        True labels; None for rows to predict.

    Returns
    -------
    array-like, table or None
        Costs by example, not checked.

    See Also
    --------
    raw_cost_vectors : Return the cost of each answer for each example.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.costs import costs_of_rows
    >>> amount_if_missed = lambda X, y: np.column_stack([y * X[:, 0], 1 - y])
    >>> costs_of_rows(amount_if_missed, np.array([[90], [20]]), np.array([1, 0]))
    array([[90,  0],
           [ 0,  1]])
    """
    if not callable(costs):
        return costs
    values = costs(X, y)
    if values is None or callable(values):
        raise TypeError(
            "costs is a function that returned no costs: return an array of shape "
            "(n, A), or (n, K, A), from costs(X, y)."
        )
    return values


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


# Softening: mixtures of costs and (weighted) 0/1 costs.


def error_weights(
    y: ArrayLike, error_weight: Any, classes: ArrayLike
) -> NDArray[np.float64]:
    """Return the weight of an error by true class.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        True labels.
    error_weight : None, "balanced" or dict of label and weight
        None gives every error the weight 1. "balanced" gives class k the weight
        ``N_min / N_k``, where N_k is the number of examples of class k in `y` and
        N_min the smallest positive one. A class without examples gets the largest
        weight, 1, and does not affect the others. A dict must name every class.
    classes : array-like of shape (n_classes,)
        The classes.

    Returns
    -------
    ndarray of shape (n_classes,)
        Weights in the order of `classes`.

    See Also
    --------
    weighted : Return the 0/1 costs times the weight of an error.
    softcost.metrics.weighted_error : The error rate with these weights.

    Examples
    --------
    >>> from softcost.costs import error_weights
    >>> error_weights(["a", "b", "b"], "balanced", ["b", "a", "c"])
    array([0.5, 1. , 1. ])
    """
    labels = check_classes(classes)
    weight = check_error_weight(error_weight, labels)
    return count_error_weights(class_indices(y, labels), weight, len(labels))


def check_error_weight(
    error_weight: Any, classes: NDArray[Any]
) -> Literal["balanced"] | NDArray[np.float64] | None:
    """Check an ``error_weight``: None, "balanced", or weights by class index."""
    if error_weight is None:
        return None
    if isinstance(error_weight, str) and error_weight == "balanced":
        return "balanced"
    if not isinstance(error_weight, Mapping):
        raise TypeError(
            "error_weight must be None, 'balanced' or a dict of label and weight,"
            f" not {error_weight!r}; name every class in a dict."
        )
    order = positions(list(error_weight), classes, "error_weight", "weight")
    values = np.array(list(error_weight.values()), dtype=object)[order]
    weights = numbers(values, "error_weight")
    if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise ValueError(
            "error_weight must be finite, not negative and not all 0; correct the"
            " weights."
        )
    return weights


def count_error_weights(
    index: NDArray[np.intp],
    error_weight: Literal["balanced"] | NDArray[np.float64] | None,
    n_classes: int,
) -> NDArray[np.float64]:
    """The weight of an error by true class, for rows with these class indices.

    ``error_weight`` comes from `check_error_weight`.
    """
    if error_weight is None:
        return np.ones(n_classes)
    if isinstance(error_weight, str):
        counts = np.bincount(index, minlength=n_classes)
        smallest = counts[counts > 0].min()
        return smallest / np.maximum(counts, smallest)
    return error_weight


def weighted(
    y: ArrayLike, error_weight: Any, classes: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Return the 0/1 costs times the weight of an error.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        True labels.
    error_weight : None, "balanced" or dict of label and weight
        See :func:`error_weights`.
    classes : array-like of shape (n_classes,), optional
        The classes; by default the sorted labels of `y`.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
        ``w_{y_n} [k != y_n]``.

    See Also
    --------
    naive : Return the 0/1 costs: 0 for the true class, 1 for any other.
    error_weights : Return the weight of an error by true class.

    Examples
    --------
    >>> from softcost.costs import weighted
    >>> weighted(["a", "b"], {"a": 3, "b": 1})
    array([[0., 3.],
           [1., 0.]])
    """
    labels = resolve_classes(y, classes=classes)
    weights = error_weights(y, error_weight, labels)[class_indices(y, labels)]
    return weights[:, np.newaxis] * naive(y, labels)


def soften(
    costs: Any,
    y: ArrayLike,
    softness: float,
    *,
    error_weight: Any = None,
    classes: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Mix costs with 0/1 costs.

    Parameters
    ----------
    costs : array-like or table of shape (n_samples, n_classes)
        Cost vectors, usually canonical and divided by their largest entry. Softness
        depends on the scale of the costs, since
        ``soften(s * c, y, a) == kappa * soften(c, y, a')`` with
        ``a' = a / (a + (1 - a) s)`` and ``kappa = (1 - a) s + a``.
    y : array-like of shape (n_samples,)
        True labels.
    softness : float in [0, 1]
        0 returns the costs unchanged, 1 the (weighted) 0/1 costs.
    error_weight : None, "balanced" or dict of label and weight, optional
        See :func:`error_weights`.
    classes : array-like of shape (n_classes,), optional
        The classes; see :func:`resolve_classes`.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
        ``(1 - softness) * c_n[k] + softness * w_{y_n} * [k != y_n]``.

    See Also
    --------
    softened : Soften costs without checks: ``(1 - softness) * costs + softness *
        error_costs``.
    naive : Return the 0/1 costs: 0 for the true class, 1 for any other.
    weighted : Return the 0/1 costs times the weight of an error.

    Examples
    --------
    >>> from softcost.costs import soften
    >>> soften([[0.0, 0.2], [1.0, 0.0]], ["a", "b"], 0.5)
    array([[0. , 0.6],
           [1. , 0. ]])
    """
    amount = check_softness(softness)
    labels = resolve_classes(y, classes=classes, costs=costs)
    errors = weighted(y, error_weight, labels)
    return softened(check_costs(costs, labels, len(errors)), errors, amount)


def softened(
    costs: NDArray[np.float64], error_costs: NDArray[np.float64], softness: float
) -> NDArray[np.float64]:
    """Soften costs without checks: ``(1 - softness) * costs + softness * error_costs``.

    The whole package softens costs with this function. `soften` checks its arguments
    first.

    Parameters
    ----------
    costs, error_costs : arrays of the same shape
        Canonical costs divided by their largest entry, and (weighted) 0/1 costs.
    softness : float in [0, 1]
        The share of the error costs.

    Returns
    -------
    array of the same shape
        ``(1 - softness) * costs + softness * error_costs``.

    See Also
    --------
    soften : Mix costs with 0/1 costs.
    error_costs : Weighted 0/1 costs: ``w_y [k != y]``, and ``w_y e_a`` for an extra
        action.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.costs import softened
    >>> hard = np.array([[0.0, 0.2], [1.0, 0.0]])
    >>> softened(hard, 1 - np.eye(2), softness=0.5)
    array([[0. , 0.6],
           [1. , 0. ]])
    """
    return (1.0 - softness) * costs + softness * error_costs


def check_softness(softness: Any) -> float:
    """Check that softness is a number from 0 to 1.

    Parameters
    ----------
    softness : float in [0, 1]
        The value to check.

    Returns
    -------
    float
        The same number.

    See Also
    --------
    soften : Mix costs with 0/1 costs.

    Examples
    --------
    >>> from softcost.costs import check_softness
    >>> check_softness(1)
    1.0
    """
    if isinstance(softness, bool | np.bool_) or not isinstance(softness, Real):
        raise TypeError(
            f"softness must be a number from 0 to 1, not {softness!r}; pass a float."
        )
    amount = float(softness)
    if not 0.0 <= amount <= 1.0:
        raise ValueError(
            f"softness must be from 0 (hard) to 1 (regular), not {softness!r};"
            " choose one in between."
        )
    return amount

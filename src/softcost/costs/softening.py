"""Softening: mixtures of costs and (weighted) 0/1 costs."""

from collections.abc import Mapping
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcost.costs.labels import check_classes, class_indices, numbers, positions
from softcost.costs.matrix import check_costs, resolve_classes
from softcost.costs.vectors import naive


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

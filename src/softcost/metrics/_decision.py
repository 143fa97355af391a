"""Measures of predictions: what they cost, how often and where they are wrong."""

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcost.costs import (
    as_cost_vectors,
    check_cost_matrix,
    class_indices,
    error_weights,
    raw_cost_vectors,
    resolve_classes,
)


def mean_cost(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    cost_matrix: Any = None,
    costs: Any = None,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return what the predictions cost on average, in the user's units.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    cost_matrix : array-like, table or dict of shape (n_classes, n_classes), optional
        ``cost_matrix[true, predicted]``.
    costs : array-like or table of shape (n_samples, n_classes), optional
        ``costs[n, k]``, the price of predicting class k for example n. With neither,
        every mistake costs 1.
    classes : array-like of shape (n_classes,), optional
        The classes, in the order of unlabelled prices; by default the labels of
        labelled prices, or the sorted labels of `y_true` and `y_pred`.
    sample_weight : array-like of shape (n_samples,), optional
        How much each example counts.

    Returns
    -------
    float
        ``sum_n s_n c_n[g(x_n)] / sum_n s_n``.

    Examples
    --------
    >>> from softcost.metrics import mean_cost
    >>> prices = {"ham": {"spam": 5}, "spam": {"ham": 1}}
    >>> mean_cost(["ham", "spam"], ["spam", "ham"], cost_matrix=prices)
    3.0
    """
    known, _, predicted = _read(
        y_true, y_pred, classes=classes, cost_matrix=cost_matrix, costs=costs
    )
    prices = raw_cost_vectors(
        y_true, cost_matrix=cost_matrix, costs=costs, classes=known
    )
    return _mean(prices[np.arange(len(predicted)), predicted], sample_weight)


def error_rate(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the share of wrong predictions.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    classes : array-like of shape (n_classes,), optional
        The classes; labels outside them are refused.
    sample_weight : array-like of shape (n_samples,), optional
        How much each example counts.

    Returns
    -------
    float
        ``sum_n s_n [g(x_n) != y_n] / sum_n s_n``.

    Examples
    --------
    >>> from softcost.metrics import error_rate
    >>> error_rate([0, 1, 2, 2], [0, 1, 1, 2])
    0.25
    """
    _, true, predicted = _read(y_true, y_pred, classes=classes)
    return _mean(true != predicted, sample_weight)


def weighted_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    error_weight: Any = "balanced",
    reduce: Literal["mean", "sum"] = "mean",
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the errors, each counted by the weight of its true class.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    error_weight : "balanced", None or dict of label and weight, default="balanced"
        "balanced" is ``N_min / N_y`` with the class sizes of `y_true`; see
        :func:`softcost.costs.error_weights`.
    reduce : {"mean", "sum"}, default="mean"
        Mean over the examples, or their sum.
    classes : array-like of shape (n_classes,), optional
        The classes; by default the sorted labels of `y_true` and `y_pred`.
    sample_weight : array-like of shape (n_samples,), optional
        How much each example counts; class sizes do not depend on it.

    Returns
    -------
    float
        ``sum_n s_n w_{y_n} [g(x_n) != y_n]``, divided by ``sum_n s_n`` for the mean.

    Examples
    --------
    >>> from softcost.metrics import weighted_error
    >>> weighted_error(["a", "b", "b", "b"], ["b", "a", "b", "b"], reduce="sum")
    1.333...
    """
    if reduce not in ("mean", "sum"):
        raise ValueError(f"reduce must be 'mean' or 'sum', not {reduce!r}; choose one.")
    known, true, predicted = _read(y_true, y_pred, classes=classes)
    losses = error_weights(y_true, error_weight, known)[true] * (true != predicted)
    if reduce == "mean":
        return _mean(losses, sample_weight)
    return float(_weights(sample_weight, len(losses)) @ losses)


def g_mean(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    root: bool = True,
    absent: Literal["skip", "zero"] = "skip",
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the geometric mean of the recalls of the classes.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    root : bool, default=True
        Whether to take the K-th root; without it this is :func:`recall_product`.
    absent : {"skip", "zero"}, default="skip"
        Whether a class without examples in `y_true` is left out or has recall 0.
    classes : array-like of shape (n_classes,), optional
        The classes; by default the sorted labels of `y_true` and `y_pred`.
    sample_weight : array-like of shape (n_samples,), optional
        How much each example counts; a class of total weight 0 is absent.

    Returns
    -------
    float
        ``(prod_k R_k) ** (1 / K)`` over the K classes that count.

    Examples
    --------
    >>> from softcost.metrics import g_mean
    >>> g_mean(["a", "a", "a", "a", "b"], ["a", "b", "b", "b", "b"])
    0.5
    """
    if absent not in ("skip", "zero"):
        raise ValueError(
            f"absent must be 'skip' or 'zero', not {absent!r}; choose one."
        )
    known, true, predicted = _read(y_true, y_pred, classes=classes)
    weights = _weights(sample_weight, len(true))
    sizes = np.bincount(true, weights, len(known))
    hits = np.bincount(true, weights * (true == predicted), len(known))
    present = sizes > 0
    if absent == "zero" and not present.all():
        return 0.0
    recalls = hits[present] / sizes[present]
    product = float(np.prod(recalls))
    return product ** (1.0 / len(recalls)) if root else product


def recall_product(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    absent: Literal["skip", "zero"] = "skip",
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the product of the recalls of the classes, without a root.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    absent, classes, sample_weight
        As in :func:`g_mean`.

    Returns
    -------
    float
        ``prod_k R_k``, at most the :func:`g_mean`.

    Examples
    --------
    >>> from softcost.metrics import recall_product
    >>> recall_product(["a", "a", "a", "a", "b"], ["a", "b", "b", "b", "b"])
    0.25
    """
    return g_mean(
        y_true,
        y_pred,
        root=False,
        absent=absent,
        classes=classes,
        sample_weight=sample_weight,
    )


def normalized_cost(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    cost_matrix: Any = None,
    costs: Any = None,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the mean cost in units of the average price of a mistake.

    Comparable with the error rate, and equal to it for naive costs.

    Parameters
    ----------
    y_true, y_pred, cost_matrix, costs, classes, sample_weight
        As in :func:`mean_cost`. The price of being right is subtracted first.

    Returns
    -------
    float
        With a matrix C, the mean cost under ``C * K (K - 1) / sum(C)``. With costs by
        example, C is estimated: its row y is the (weighted) mean of the cost vectors
        of class y, and classes that do not occur are left out of the average. So
        costs that only depend on the class give the same either way, if every class
        occurs. 0.0 where no mistake costs anything.

    Examples
    --------
    >>> from softcost.metrics import normalized_cost
    >>> normalized_cost([0, 1], [1, 1], cost_matrix=[[0, 6], [2, 0]])
    0.75
    """
    known, true, predicted = _read(
        y_true, y_pred, classes=classes, cost_matrix=cost_matrix, costs=costs
    )
    vectors = as_cost_vectors(
        y_true, cost_matrix=cost_matrix, costs=costs, classes=known
    )
    if cost_matrix is not None:
        matrix = check_cost_matrix(cost_matrix, known)
        by_class = (matrix - np.diagonal(matrix)[:, np.newaxis]).sum(axis=1)
    else:
        weights = _weights(sample_weight, len(true))
        sizes = np.bincount(true, weights, len(known))
        sums = np.bincount(true, weights * vectors.sum(axis=1), len(known))
        by_class = sums[sizes > 0] / sizes[sizes > 0]
    unit = by_class.mean() / max(len(known) - 1, 1)
    cost = _mean(vectors[np.arange(len(predicted)), predicted], sample_weight)
    return float(cost / unit) if unit > 0 else 0.0


def _read(
    y_true: ArrayLike, y_pred: ArrayLike, *, classes: ArrayLike | None, **prices: Any
) -> tuple[NDArray[Any], NDArray[np.intp], NDArray[np.intp]]:
    """Return the classes and the indices of the true and predicted ones."""
    both = [
        label
        for name, labels in (("y_true", y_true), ("y_pred", y_pred))
        for label in resolve_classes(labels, argument=name).tolist()
    ]
    known = resolve_classes(
        both, classes=classes, argument="y_true or y_pred", **prices
    )
    true = class_indices(y_true, known, argument="y_true")
    predicted = class_indices(y_pred, known, argument="y_pred")
    if len(true) != len(predicted):
        raise ValueError(
            f"y_pred has {len(predicted)} labels for {len(true)} in y_true; pass the"
            " predictions of the same examples."
        )
    return known, true, predicted


def _weights(sample_weight: ArrayLike | None, n_samples: int) -> NDArray[np.float64]:
    """Check sample weights; ones if there are none."""
    if sample_weight is None:
        return np.ones(n_samples)
    remedy = f"pass {n_samples} numbers, one per example, not all 0"
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"sample_weight must hold numbers; {remedy}.") from None
    if weights.shape != (n_samples,):
        raise ValueError(f"sample_weight has shape {weights.shape}; {remedy}.")
    if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise ValueError(
            f"sample_weight must be finite, not negative and not all 0; {remedy}."
        )
    return weights


def _mean(losses: NDArray[Any], sample_weight: ArrayLike | None) -> float:
    return float(np.average(losses, weights=_weights(sample_weight, len(losses))))

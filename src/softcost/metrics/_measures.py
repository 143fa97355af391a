"""One way to measure predictions: from confusion matrices and what was paid.

The trade-off table, scores, the command line, the explorer and the paper's tables all
come here, so that one model never has two costs.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

MEASURES = ("cost", "error", "weighted_error", "g_mean", "normalized_cost")


def confusion_counts(
    true: NDArray[np.intp],
    predicted: NDArray[np.intp],
    n_classes: int,
    weight: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Weight of rows by true and predicted class.

    Parameters
    ----------
    true : array of shape (n,)
        Numbers of the true classes.
    predicted : array of shape (n,) or (m, n)
        Numbers of the predicted classes, for one or several models.
    n_classes : int
    weight : array of shape (n,)

    Returns
    -------
    array of shape (K, K) or (m, K, K)
    """
    models = np.atleast_2d(predicted)
    cells = n_classes * n_classes
    cell = true * n_classes + models + cells * np.arange(len(models))[:, None]
    by_cell = np.broadcast_to(weight, cell.shape)
    counts: NDArray[np.float64] = np.bincount(
        cell.ravel(), by_cell.ravel(), len(models) * cells
    ).astype(np.float64, copy=False)
    return counts.reshape(*np.shape(predicted)[:-1], n_classes, n_classes)


def total_cost(
    costs: NDArray[np.float64],
    predicted: NDArray[np.intp],
    weight: NDArray[np.float64],
) -> Any:
    """What predictions of shape (..., n) cost in all, shape (...).

    ``costs`` of shape (n, K) has what predicting each class costs for every row.
    """
    return costs[np.arange(len(costs)), predicted] @ weight


def measures_from_confusion(
    confusion: NDArray[np.float64],
    paid: Any,
    *,
    least: Any = 0.0,
    unit: float = 1.0,
    error_weight: NDArray[np.float64],
) -> dict[str, Any]:
    """All measures of one or several models.

    Parameters
    ----------
    confusion : array of shape (..., K, K)
        Weight of rows by true and predicted class.
    paid : array of shape (...)
        What the predictions cost in all.
    least : array of shape (...)
        What the right predictions would have cost in all.
    unit : float
        Average cost of a mistake: what normalised costs are divided by.
    error_weight : array of shape (K,)
        Weight of an error by true class.

    Returns
    -------
    dict of arrays of shape (...)
        Mean ``cost``, ``error`` rate, mean ``weighted_error``, ``g_mean`` (geometric
        mean of the recalls of classes that occur) and ``normalized_cost``.
    """
    total = confusion.sum(axis=(-2, -1))
    right = np.diagonal(confusion, axis1=-2, axis2=-1)
    sizes = confusion.sum(axis=-1)
    wrong = sizes - right
    product, n_present = recalls_product(confusion)
    return {
        "cost": paid / total,
        "error": wrong.sum(axis=-1) / total,
        "weighted_error": (wrong @ error_weight) / total,
        "g_mean": product ** (1.0 / np.maximum(n_present, 1)),
        "normalized_cost": (paid - least) / total / unit if unit > 0 else 0.0 * paid,
    }


def recalls_product(confusion: NDArray[np.float64]) -> tuple[Any, Any]:
    """Product of the recalls of classes that occur, and how many these are."""
    right = np.diagonal(confusion, axis1=-2, axis2=-1)
    sizes = confusion.sum(axis=-1)
    present = sizes > 0
    recall = np.divide(right, sizes, out=np.ones_like(right), where=present)
    return recall.prod(axis=-1), present.sum(axis=-1)

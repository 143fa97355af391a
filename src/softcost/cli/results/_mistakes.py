"""Which mistakes a model makes, and what they cost."""

from typing import Any

import numpy as np

from softcost.costs import class_indices
from softcost.metrics import confusion_counts


def confusion(
    labels: np.ndarray, predicted: np.ndarray, classes: np.ndarray
) -> np.ndarray:
    """Counts by true and predicted class, shape (K, K)."""
    true, chosen = class_indices(labels, classes), class_indices(predicted, classes)
    counts = confusion_counts(true, chosen, len(classes), np.ones(len(true)))
    return counts.astype(int)


def most_expensive_mistakes(
    labels: np.ndarray,
    predicted: np.ndarray,
    costs: np.ndarray,
    classes: np.ndarray,
    most: int = 5,
) -> list[dict[str, Any]]:
    """The kinds of mistakes that cost most in all."""
    size = len(classes)
    true, chosen = class_indices(labels, classes), class_indices(predicted, classes)
    extra = costs[np.arange(len(true)), chosen] - costs.min(axis=1)
    cell = true * size + chosen
    total = np.bincount(cell, extra, minlength=size * size)
    count = np.bincount(cell, minlength=size * size)
    names = [str(name) for name in classes.tolist()]
    return [
        {
            "true": names[one // size],
            "predicted": names[one % size],
            "times": int(count[one]),
            "cost": float(total[one]),
        }
        for one in np.argsort(-total, kind="stable")[:most].tolist()
        if total[one] > 0 and one // size != one % size
    ]

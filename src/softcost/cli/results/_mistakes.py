"""Which mistakes a model makes, and what they cost."""

from typing import Any

import numpy as np

from softcost.costs import NO_ACTIONS, all_answers, answer_indices, class_indices
from softcost.metrics import confusion_counts


def confusion(
    labels: np.ndarray,
    predicted: np.ndarray,
    classes: np.ndarray,
    actions: np.ndarray = NO_ACTIONS,
) -> np.ndarray:
    """Counts by true class and answer, shape (K, A)."""
    true = class_indices(labels, classes)
    chosen = answer_indices(predicted, classes, actions, argument="predicted")
    size = len(classes) + len(actions)
    counts = confusion_counts(true, chosen, len(classes), np.ones(len(true)), size)
    return counts.astype(int)


def most_expensive_mistakes(
    labels: np.ndarray,
    predicted: np.ndarray,
    costs: np.ndarray,
    classes: np.ndarray,
    actions: np.ndarray = NO_ACTIONS,
    most: int = 5,
) -> list[dict[str, Any]]:
    """The kinds of mistakes, and of actions, that cost most in all."""
    size = len(classes) + len(actions)
    true = class_indices(labels, classes)
    chosen = answer_indices(predicted, classes, actions, argument="predicted")
    extra = costs[np.arange(len(true)), chosen] - costs.min(axis=1)
    cell = true * size + chosen
    total = np.bincount(cell, extra, minlength=len(classes) * size)
    count = np.bincount(cell, minlength=len(classes) * size)
    names = [str(name) for name in all_answers(classes, actions).tolist()]
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

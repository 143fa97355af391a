"""What models cost: measured on held-out rows."""

from typing import Any

import numpy as np

from softcost.costs import class_indices, error_weights
from softcost.metrics import error_rate, g_mean, weighted_error

MEASURES = ("cost", "error", "weighted_error", "g_mean")


def measure(
    labels: np.ndarray, predicted: np.ndarray, costs: np.ndarray, classes: np.ndarray
) -> dict[str, float | None]:
    """Cost, error, weighted error and G-mean.

    Parameters
    ----------
    labels, predicted : arrays of shape (n,)
    costs : array of shape (n, K)
        In the user's units, in the order of ``classes``.
    """
    chosen = class_indices(predicted, classes)
    paid = costs[np.arange(len(chosen)), chosen]
    return {
        "cost": finite_or_none(paid.mean()),
        "error": finite_or_none(error_rate(labels, predicted, classes=classes)),
        "weighted_error": finite_or_none(
            weighted_error(
                labels,
                predicted,
                error_weight=weights(labels, classes),
                classes=classes,
            )
        ),
        "g_mean": finite_or_none(g_mean(labels, predicted, classes=classes)),
    }


def weights(labels: np.ndarray, classes: np.ndarray) -> dict[Any, float]:
    """Balanced weights of errors, by the labels at hand."""
    found = error_weights(labels, "balanced", classes)
    return dict(zip(classes.tolist(), found.tolist(), strict=True))


def saving_percent(cost: float | None, regular: float | None) -> float | None:
    """By how many percent a cost is below that of the regular model."""
    if cost is None or not regular:
        return None
    return finite_or_none(100.0 * (regular - cost) / regular)


def finite_or_none(value: Any) -> float | None:
    """A float for strict JSON: None where there is no number."""
    return float(value) if np.isfinite(value) else None

"""What models cost: measured on held-out rows."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from softcost import metrics

MEASURES = ("cost", "error", "weighted_error", "g_mean")


def shown_measures(with_actions: bool) -> tuple[str, ...]:
    """Names of the measures to show; more where not every answer is a class."""
    return (*MEASURES, *metrics.ACTION_MEASURES) if with_actions else MEASURES


def measure(
    labels: np.ndarray,
    predicted: np.ndarray,
    costs: np.ndarray,
    classes: np.ndarray,
    actions: Sequence[Any] | np.ndarray = (),
) -> dict[str, float | None]:
    """Cost, error, weighted error and G-mean; with actions also what they leave.

    Parameters
    ----------
    labels, predicted : arrays of shape (n,)
    costs : array of shape (n, A)
        In the user's units, in the order of ``classes`` and then of ``actions``.
    """
    found = metrics.measure(
        labels,
        predicted,
        costs=costs,
        classes=classes,
        actions=list(actions) or None,
    )
    names = shown_measures(len(actions) > 0)
    return {name: finite_or_none(found[name]) for name in names}


def saving_percent(cost: float | None, regular: float | None) -> float | None:
    """By how many percent a cost is below that of the regular model."""
    if cost is None or not regular:
        return None
    return finite_or_none(100.0 * (regular - cost) / regular)


def finite_or_none(value: Any) -> float | None:
    """A float for strict JSON: None where there is no number."""
    return float(value) if np.isfinite(value) else None

"""What models cost: measured on held-out rows, in numbers and in words."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from softcost.costs import class_indices, error_weights
from softcost.metrics import error_rate, g_mean, weighted_error

MEASURES = ("cost", "error", "weighted_error", "g_mean")


def compared_rows(table: pd.DataFrame, chosen: int, weighted: bool) -> dict[str, int]:
    """Numbers of the rows to set side by side.

    Regular is the best by error at softness 1, as one would choose it without prices;
    hard the cheapest at softness 0.
    """
    rows = {}
    for name, softness, measure in (
        ("regular", 1.0, "weighted_error" if weighted else "error"),
        ("hard", 0.0, "cost"),
    ):
        among = np.flatnonzero(table["softness"].to_numpy() == softness)
        if len(among):
            rows[name] = int(among[table[measure].to_numpy()[among].argmin()])
    return rows | {"chosen": chosen}


def cross_validated(table: pd.DataFrame, row: int, params: dict) -> dict[str, Any]:
    """A row of the trade-off table as plain values."""
    found = table.iloc[row]
    out: dict[str, Any] = {"softness": float(found["softness"]), "params": params}
    for name in MEASURES:
        out[name] = number(found[name])
        out[f"{name}_se"] = number(found[f"{name}_se"])
    return out


def measured(
    labels: np.ndarray, predicted: np.ndarray, prices: np.ndarray, classes: np.ndarray
) -> dict[str, float | None]:
    """Cost, error, weighted error and G-mean.

    Parameters
    ----------
    labels, predicted : arrays of shape (n,)
    prices : array of shape (n, K)
        In the user's units, in the order of ``classes``.
    """
    chosen = class_indices(predicted, classes)
    paid = prices[np.arange(len(chosen)), chosen]
    return {
        "cost": number(paid.mean()),
        "error": number(error_rate(labels, predicted, classes=classes)),
        "weighted_error": number(
            weighted_error(
                labels,
                predicted,
                error_weight=weights(labels, classes),
                classes=classes,
            )
        ),
        "g_mean": number(g_mean(labels, predicted, classes=classes)),
    }


def weights(labels: np.ndarray, classes: np.ndarray) -> dict[Any, float]:
    """Balanced weights of errors, by the labels at hand."""
    found = error_weights(labels, "balanced", classes)
    return dict(zip(classes.tolist(), found.tolist(), strict=True))


def saving(cost: float | None, regular: float | None) -> float | None:
    """By how many percent a cost is below that of the regular model."""
    if cost is None or not regular:
        return None
    return number(100.0 * (regular - cost) / regular)


def number(value: Any) -> float | None:
    """A float for strict JSON: None where there is no number."""
    return float(value) if np.isfinite(value) else None


def confusion(
    labels: np.ndarray, predicted: np.ndarray, classes: np.ndarray
) -> np.ndarray:
    """Counts by true and predicted class, shape (K, K)."""
    size = len(classes)
    cell = class_indices(labels, classes) * size + class_indices(predicted, classes)
    return np.bincount(cell, minlength=size * size).reshape(size, size)


def dearest_mistakes(
    labels: np.ndarray,
    predicted: np.ndarray,
    prices: np.ndarray,
    classes: np.ndarray,
    most: int = 5,
) -> list[dict[str, Any]]:
    """The kinds of mistakes that cost most in all."""
    size = len(classes)
    true, chosen = class_indices(labels, classes), class_indices(predicted, classes)
    extra = prices[np.arange(len(true)), chosen] - prices.min(axis=1)
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


def amount(value: float | None, error: float | None = None) -> str:
    """A cost for people: four digits, and its standard error."""
    if value is None:
        return "-"
    text = f"{value:.4g}"
    return text if error is None else f"{text} ± {error:.2g}"


def share(value: float | None, error: float | None = None) -> str:
    """A rate in percent, and its standard error."""
    if value is None:
        return "-"
    text = f"{100 * value:.2f} %"
    return text if error is None else f"{text} ± {100 * error:.2f}"


def percent(value: float | None) -> str:
    """A saving: "less" than none is written with a minus."""
    return "-" if value is None else f"{value:.1f} %"


def short(params: dict[str, Any]) -> str:
    """Parameters as ``C=16``."""
    return ", ".join(
        f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in params.items()
    )


def some(names: Sequence[str], most: int = 5) -> str:
    """Names for a sentence."""
    shown = ", ".join(repr(str(name)) for name in names[:most])
    return shown + (", ..." if len(names) > most else "")

"""The trade-off table: one row per candidate, measured on held-out predictions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from softcost.metrics import pareto_mask
from softcost.reductions import Prices

MEASURES = ("cost", "error", "weighted_error", "g_mean", "normalized_cost")


@dataclass(frozen=True)
class HeldOut:
    """Held-out predictions of all candidates, and what they are measured by.

    Attributes
    ----------
    tests : list of arrays
        Rows held out in each fold.
    predicted : list of arrays of shape (n_candidates, n_test)
        Numbers of the predicted classes.
    y : array of shape (n,)
        Numbers of the true classes.
    costs : array of shape (n, K)
        Prices in the user's units.
    weight : array of shape (n,)
    error_weight : array of shape (K,)
    unit : float
        Average price of a mistake: what normalised costs are divided by.
    """

    tests: Sequence[NDArray[np.intp]]
    predicted: Sequence[NDArray[np.intp]]
    y: NDArray[np.intp]
    costs: NDArray[np.float64]
    weight: NDArray[np.float64]
    error_weight: NDArray[np.float64]
    unit: float

    def confusion(self) -> NDArray[np.float64]:
        """Weight of examples by candidate, fold, true and predicted class."""
        n_classes = self.costs.shape[1]
        n_candidates = len(self.predicted[0])
        cells = n_classes * n_classes
        out = np.empty((n_candidates, len(self.tests), n_classes, n_classes))
        for fold, (test, predicted) in enumerate(
            zip(self.tests, self.predicted, strict=True)
        ):
            cell = self.y[test] * n_classes + predicted
            cell += cells * np.arange(n_candidates)[:, None]
            weight = np.broadcast_to(self.weight[test], cell.shape)
            counts = np.bincount(cell.ravel(), weight.ravel(), n_candidates * cells)
            out[:, fold] = counts.reshape(n_candidates, n_classes, n_classes)
        return out

    def prices_by_class(self, matrix: NDArray | None) -> NDArray[np.float64]:
        """The matrix of prices; without one, mean prices by true and predicted class.

        A class without examples has no prices.
        """
        if matrix is not None:
            return np.array(matrix, dtype=np.float64)
        member = np.eye(self.costs.shape[1])[:, self.y] * self.weight
        sizes = member.sum(axis=1, keepdims=True)
        return (member @ self.costs) / np.where(sizes > 0, sizes, 1.0)

    def paid(self) -> NDArray[np.float64]:
        """Total price by candidate and fold."""
        return np.stack(
            [
                self.costs[test, predicted] @ self.weight[test]
                for test, predicted in zip(self.tests, self.predicted, strict=True)
            ],
            axis=1,
        )


def average_price(prices: Prices) -> float:
    """Average price of a mistake over the classes, in the user's units."""
    n_classes = len(prices.classes)
    if prices.matrix is not None:
        by_class = prices.matrix.sum(axis=1)
    else:
        sizes = np.bincount(prices.y, prices.weight, n_classes)
        paid = prices.weight * prices.costs.sum(axis=1)
        sums = np.bincount(prices.y, paid, n_classes)
        by_class = sums[sizes > 0] / sizes[sizes > 0]
    return float(by_class.mean() / max(n_classes - 1, 1)) * prices.scale


def measure(
    confusion: NDArray, paid: NDArray, least: NDArray, unit: float, weights: NDArray
) -> dict[str, NDArray]:
    """Measures from confusion matrices (..., K, K), prices paid and unavoidable."""
    total = confusion.sum(axis=(-2, -1))
    right = np.diagonal(confusion, axis1=-2, axis2=-1)
    sizes = confusion.sum(axis=-1)
    wrong = sizes - right
    present = sizes > 0
    recall = np.divide(right, sizes, out=np.ones_like(right), where=present)
    root = 1.0 / np.maximum(present.sum(axis=-1), 1)
    return {
        "cost": paid / total,
        "error": wrong.sum(axis=-1) / total,
        "weighted_error": (wrong @ weights) / total,
        "g_mean": recall.prod(axis=-1) ** root,
        "normalized_cost": (paid - least) / total / unit if unit > 0 else 0.0 * paid,
    }


def tradeoff_table(
    held_out: HeldOut,
    confusion: NDArray[np.float64],
    softness: NDArray[np.float64],
    params: Sequence[dict[str, Any]],
) -> pd.DataFrame:
    """One row per candidate: pooled means over all held-out predictions.

    Standard errors are those of the mean of the folds. ``on_front`` marks candidates
    that no other beats in both cost and error.

    Parameters
    ----------
    held_out : HeldOut
    confusion : array of shape (n_candidates, n_folds, K, K)
        Its confusion matrices.
    softness : array of shape (n_candidates,)
    params : sequence of n_candidates dicts
        The learner's parameters.
    """
    paid, unit = held_out.paid(), held_out.unit
    cheapest = held_out.costs.min(axis=1) * held_out.weight
    least = np.array([cheapest[test].sum() for test in held_out.tests])
    weights = held_out.error_weight
    pooled = measure(confusion.sum(1), paid.sum(1), least.sum(), unit, weights)
    by_fold = measure(confusion, paid, least, unit, weights)
    n_folds = confusion.shape[1]
    columns: dict[str, Any] = {"softness": softness}
    for name in params[0] if params else ():
        columns[name] = [one[name] for one in params]
    for name in MEASURES:
        columns[name] = pooled[name]
        deviation = by_fold[name].std(axis=1, ddof=1) if n_folds > 1 else np.nan
        columns[f"{name}_se"] = deviation / np.sqrt(n_folds)
    table = pd.DataFrame(columns)
    table["on_front"] = pareto_mask(table[["error", "cost"]].to_numpy())
    return table

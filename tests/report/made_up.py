"""Explorer data without a search."""

import numpy as np
import pandas as pd

from softcost.metrics import pareto_mask
from softcost.report import ExplorerData


def made_up(
    classes=("a", "b", "c"), n_settings=3, n_softness=5, *, rng=56, name="C", **details
):
    """A page's data with random confusion matrices, and prices that are not symmetric.

    Softness has little cost at one end and little error at the other.
    """
    rng = np.random.default_rng(rng)
    n_classes = len(classes)
    prices = np.round(10 ** rng.uniform(0, 2, (n_classes, n_classes)), 1)
    np.fill_diagonal(prices, 0)
    sizes = rng.integers(200, 600, n_classes)
    softness = np.tile(np.linspace(0, 1, n_softness), n_settings)
    setting = np.repeat(2.0 ** np.arange(n_settings), n_softness)
    confusion = np.zeros((len(softness), n_classes, n_classes))
    for row, value in enumerate(softness):
        cheap = np.exp(-prices * 0.5 * (1 - value) ** 2)
        np.fill_diagonal(cheap, 0)
        share = cheap / cheap.sum(axis=1, keepdims=True)
        wrong = 0.02 + 0.08 * (1 - value) + 0.005 * rng.uniform()
        mixed = wrong * share + (1 - wrong) * np.eye(n_classes)
        confusion[row] = [
            rng.multinomial(n, p) for n, p in zip(sizes, mixed, strict=True)
        ]
    return from_confusion(
        confusion, prices, classes, softness, {name: setting}, **details
    )


def from_confusion(confusion, prices, classes, softness, settings, **details):
    """The table that these confusion matrices give."""
    total = confusion.sum(axis=(1, 2))
    right = np.trace(confusion, axis1=1, axis2=2)
    recall = np.diagonal(confusion, axis1=1, axis2=2) / confusion.sum(axis=2)
    cost, error = (confusion * prices).sum(axis=(1, 2)) / total, 1 - right / total
    table = pd.DataFrame(
        {
            "softness": softness,
            **settings,
            "cost": cost,
            "cost_se": 0.05 * cost,
            "error": error,
            "error_se": np.sqrt(error * (1 - error) / total),
            "g_mean": recall.prod(axis=1) ** (1 / len(classes)),
            "on_front": pareto_mask(np.column_stack([error, cost])),
        }
    )
    hard = np.flatnonzero(table["softness"] == 0)
    regular = np.flatnonzero(table["softness"] == 1)
    told = {
        "table": table,
        "confusion": confusion,
        "classes": classes,
        "cost_matrix": prices,
        "chosen": int(cost.argmin()),
        "hard": int(hard[cost[hard].argmin()]),
        "regular": int(regular[error[regular].argmin()]),
        "params": tuple(settings),
        "n_rows": int(total[0]),
        "n_features": 35,
        "n_folds": 5,
        "reduction": "OneSidedRegression",
        "learner": "OneSidedSVR",
        "python": "OneSidedRegression(softness={softness}).fit(X, y)",
        "command": "softcost fit claims.csv --softness {softness}",
    }
    return ExplorerData(**(told | details))

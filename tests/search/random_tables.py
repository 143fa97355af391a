"""Trade-off tables of random counts, and the plain way to price them."""

import numpy as np
import pandas as pd

from softcost.metrics import measures_from_confusion
from softcost.search import Evidence, PricedChoice


def random_counts(rng, n_classes=None, n_candidates=None, n_folds=3):
    """Counts of shape (n_candidates, n_folds, K, K), with the same rows for all."""
    n_classes = n_classes or int(rng.integers(2, 5))
    n_candidates = n_candidates or int(rng.integers(2, 13))
    sizes = rng.integers(5, 60, (n_folds, n_classes))
    counts = np.empty((n_candidates, n_folds, n_classes, n_classes))
    for row in range(n_candidates):
        shares = rng.dirichlet(np.full(n_classes, 0.6), n_classes)
        shares = 0.5 * shares + 0.5 * np.eye(n_classes)
        for fold in range(n_folds):
            counts[row, fold] = [
                rng.multinomial(n, p) for n, p in zip(sizes[fold], shares, strict=True)
            ]
    return counts


def random_prices(rng, n_classes):
    prices = np.round(10 ** rng.uniform(-1, 1, (n_classes, n_classes)), 2)
    prices[rng.random(prices.shape) < 0.1] = 0.0
    np.fill_diagonal(prices, 0.0)
    if rng.random() < 0.3:  # being right may cost something, too
        np.fill_diagonal(prices, 0.5 * (prices + 9 * np.eye(n_classes)).min(axis=1))
    if not prices.any():
        prices[0, 1] = 1.0
    return prices


def priced_table(counts, prices, softness, error_weight):
    """The trade-off table of counts: no repricing, everything from the start."""
    above = prices - prices.min(axis=1, keepdims=True)
    n_classes = len(prices)
    told = {
        "mistake_cost": above.sum() / (n_classes * (n_classes - 1)),
        "error_weight": error_weight,
    }

    def measured(of):
        least = (of.sum(axis=-1) * prices.min(axis=1)).sum(axis=-1)
        paid = (of * prices).sum(axis=(-2, -1))
        return measures_from_confusion(of, paid, least_cost=least, **told)

    pooled, folds = measured(counts.sum(axis=1)), measured(counts)
    columns = {"softness": softness}
    for name in pooled:
        columns[name] = pooled[name]
        spread = folds[name].std(axis=1, ddof=1) / np.sqrt(counts.shape[1])
        columns[f"{name}_se"] = spread
    return pd.DataFrame(columns)


class Case:
    """A random table, which can be chosen on at any prices."""

    def __init__(self, seed, **shape):
        rng = np.random.default_rng(seed)
        self.counts = random_counts(rng, **shape)
        n_classes = self.counts.shape[-1]
        self.prices = random_prices(rng, n_classes)
        self.softness = rng.integers(0, 5, len(self.counts)) / 4
        self.error_weight = rng.uniform(0.2, 1.0, n_classes)
        self.classes = np.array(["ham", "spam", "eggs", "tea"][:n_classes])
        self.rng = rng

    @property
    def evidence(self):
        pooled = self.counts.sum(axis=1)
        return Evidence(
            self.classes, pooled, int(pooled[0].sum()), self.error_weight, self.prices
        )

    def table(self, prices=None):
        prices = self.prices if prices is None else prices
        return priced_table(self.counts, prices, self.softness, self.error_weight)

    def priced(self, rule, error="error"):
        paid = (self.counts * self.prices).sum(axis=(2, 3))
        return PricedChoice(
            table=self.table(),
            confusion=self.counts,
            fold_costs=paid / self.counts.sum(axis=(2, 3)),
            prices=self.prices,
            answers=self.classes.tolist(),
            rule=rule,
            evidence=self.evidence,
            error=error,
        )

"""Columns that know the answer: what nobody has when a row is to be predicted."""

import numpy as np
import pandas as pd

from softcost.cli.inputs._numbers import read_numbers

_SURE = 0.98  # of the rows; what a column that holds the answer gets right
_COMMON = 0.9  # the share of a class beyond which being right is no feat
_PRICED = 0.5  # of the rows have an answer that costs more than another
_LEAST_ROWS = 50
_CELLS = 500_000  # that are looked at, all columns together


def price_columns(features: pd.DataFrame, labels: np.ndarray) -> set[str]:
    """Columns called by one word and the name of each class that hold prices by row.

    They are made from the true class, so a model that sees them has the answer. Names
    alone say little, as x1, x2 and x3 go with classes 1, 2 and 3; but what the true
    class costs is the least of a row.
    """
    texts = dict.fromkeys(str(name) for name in features.columns)
    classes = sorted({str(label) for label in labels})
    first = classes[0]
    for name in texts:
        prefix = name.removesuffix(first)
        prices = [f"{prefix}{label}" for label in classes]
        if prefix in (name, "") or len(prices) < 2 or not texts.keys() >= {*prices}:
            continue
        costs = np.column_stack([read_numbers(features[one], ".")[0] for one in prices])
        own = costs[np.arange(len(costs)), np.searchsorted(classes, labels.astype(str))]
        least, most = costs.min(axis=1), costs.max(axis=1)
        if (own == least).mean() >= _SURE and (most > least).mean() >= _PRICED:
            return {*prices}
    return set()


def tells_the_class(
    values: np.ndarray, empty: np.ndarray, labels: np.ndarray, n_columns: int
) -> bool:
    """Whether a column alone gets almost every class right.

    Words answer with their most frequent class, numbers by a tree of few leaves.

    Parameters
    ----------
    values : array of shape (n,)
        Numbers, dates or words.
    empty : boolean array of shape (n,)
    n_columns : int
        How many columns are to be looked at in all.
    """
    rows = np.flatnonzero(~empty)
    most = max(_CELLS // max(n_columns, 1), 10 * _LEAST_ROWS)
    if len(rows) > most:
        rows = np.random.default_rng(0).choice(rows, most, replace=False)
    numbers, classes = pd.factorize(labels[rows])
    if len(rows) < _LEAST_ROWS or len(classes) < 2:
        return False
    if np.bincount(numbers).max() > _COMMON * len(rows):
        return False
    return _share_right(values[rows], numbers, len(classes)) >= _SURE


def most_right(values: np.ndarray, numbers: np.ndarray, n_leaves: int) -> float:
    """A bound on the share of rows that a tree of one column gets right.

    In the order of the column, every row that a leaf gets wrong brings at most two
    changes of class, and between leaves there are at most ``n_leaves - 1``. So with c
    changes ``(c - n_leaves + 1) / 2`` rows or more are wrong.
    """
    ordered = numbers[np.lexsort((numbers, values))]
    changes = int((ordered[1:] != ordered[:-1]).sum())
    return 1.0 - max(changes - n_leaves + 1, 0) / (2 * len(ordered))


def _share_right(values: np.ndarray, numbers: np.ndarray, n_classes: int) -> float:
    if values.dtype == object:
        codes, words = pd.factorize(values)
        if len(words) > len(codes) // 10:
            return 0.0
        counts = np.zeros((len(words), n_classes), int)
        np.add.at(counts, (codes, numbers), 1)
        return float(counts.max(axis=1).sum() / len(codes))
    if most_right(values, numbers, 2 * n_classes) < _SURE:
        return 0.0  # at once: tables may have thousands of columns
    from sklearn.tree import DecisionTreeClassifier

    column = values.astype(float)[:, np.newaxis]
    tree = DecisionTreeClassifier(max_leaf_nodes=2 * n_classes, random_state=0)
    with np.errstate(all="ignore"):
        return float(
            tree.fit(np.clip(column, -1e30, 1e30), numbers).score(
                np.clip(column, -1e30, 1e30), numbers
            )
        )

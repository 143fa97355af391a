"""Columns that know the answer: what nobody has when a row is to be predicted."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

_SURE = 0.98  # of the rows; what a column that holds the answer gets right
_COMMON = 0.9  # the share of a class beyond which being right is no feat
_LEAST_ROWS = 50
_CELLS = 500_000  # that are looked at, all columns together


def price_columns(names: Iterable[Any], labels: np.ndarray) -> set[str]:
    """Columns called by one word and the name of each class: prices by row.

    They are made from the true class, so a model that sees them has the answer.
    """
    texts = [str(name) for name in names]
    classes = sorted(set(labels.tolist()))
    first = str(classes[0])
    for name in texts:
        prefix = name.removesuffix(first)
        if not first or prefix in (name, ""):
            continue
        prices = {f"{prefix}{label}" for label in classes}
        if len(prices) > 1 and prices <= set(texts):
            return prices
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


def _share_right(values: np.ndarray, numbers: np.ndarray, n_classes: int) -> float:
    if values.dtype == object:
        codes, words = pd.factorize(values)
        if len(words) > len(codes) // 10:
            return 0.0
        counts = np.zeros((len(words), n_classes), int)
        np.add.at(counts, (codes, numbers), 1)
        return float(counts.max(axis=1).sum() / len(codes))
    from sklearn.tree import DecisionTreeClassifier

    column = values.astype(float)[:, np.newaxis]
    tree = DecisionTreeClassifier(max_leaf_nodes=2 * n_classes, random_state=0)
    with np.errstate(all="ignore"):
        return float(
            tree.fit(np.clip(column, -1e30, 1e30), numbers).score(
                np.clip(column, -1e30, 1e30), numbers
            )
        )

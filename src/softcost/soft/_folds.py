"""How rows are held out."""

import warnings
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold, check_cv


def make_folds(
    cv: Any, y: NDArray[np.intp], groups: Any, random_state: Any
) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Training and held-out rows of every fold.

    An int asks for stratified folds, shuffled where there is a random state. A fold
    may lack a class, since the classes are fixed elsewhere.

    Parameters
    ----------
    cv : int, splitter or iterable of (train, test)
    y : array of shape (n,)
        Numbers of the classes.
    groups : array of shape (n,) or None
    random_state : int, RandomState instance or None

    Examples
    --------
    >>> [test.tolist() for _, test in make_folds(2, np.array([0, 0, 1, 1]), None, None)]
    [[0, 2], [1, 3]]
    """
    if isinstance(cv, Integral) and random_state is not None:
        splitter = StratifiedKFold(int(cv), shuffle=True, random_state=random_state)
    else:
        splitter = check_cv(cv, y, classifier=True)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")
        folds = list(splitter.split(np.empty((len(y), 0)), y, groups))
    if not folds:
        raise ValueError("cv has no folds: give at least one pair (train, test).")
    return [
        (_rows(train, len(y), "trains"), _rows(test, len(y), "tests"))
        for train, test in folds
    ]


def _rows(given: Any, n: int, what: str) -> NDArray[np.intp]:
    """Numbers of rows, from numbers or a mask; some there must be."""
    rows = np.asarray(given)
    if rows.dtype == bool and len(rows) == n:
        rows = np.flatnonzero(rows)
    if rows.ndim != 1 or len(rows) == 0:
        raise ValueError(
            f"cv has a fold that {what} on no rows: give every fold row numbers, or "
            "masks, of training and of held-out rows."
        )
    return rows.astype(np.intp)

"""Rows that training does not see: what a budget is tested on."""

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GroupShuffleSplit, ShuffleSplit

from softcost.costs import RowCosts
from softcost.reductions import TrainingData

Rows = NDArray[np.intp]  # numbers of rows


@dataclass(frozen=True)
class Calibration:
    """Which rows a search keeps from training.

    Attributes
    ----------
    everything : list of TrainingData
        All rows, as each family checks them.
    train, kept : arrays of row numbers
        Rows to train with, and rows to test on.
    """

    everything: list[TrainingData]
    train: Rows
    kept: Rows

    @property
    def rows(self) -> RowCosts:
        """Labels, costs and weights of all rows."""
        return self.everything[0].rows


def rows_to_use(
    search: Any, rows: RowCosts, groups: Any
) -> tuple[Rows | None, Rows | None]:
    """Rows to train with, None for all of them, and rows to keep for calibration.

    Rows of weight zero are as if absent, also from folds that are cut here.
    """
    n_rows, cv = len(rows.y), search.cv
    cut_here = isinstance(cv, Integral) or hasattr(cv, "split")
    train, kept = np.arange(n_rows), None
    if search.calibration is not None:
        if not cut_here:
            raise ValueError(
                "cv names rows, of which calibration keeps some: give cv as a number "
                "of folds or a splitter."
            )
        train, kept = _split(search.calibration, n_rows, groups, search.random_state)
    if cut_here:
        train = train[rows.weight[train] > 0]
    return (None if len(train) == n_rows else train), kept


def _split(
    calibration: Any, n_rows: int, groups: Any, random_state: Any
) -> tuple[Rows, Rows]:
    """Rows to train with, and rows to keep.

    A share is drawn at random, without a look at the classes: only so are the rows
    independent draws, as an exact test wants. Groups stay together.
    """
    if isinstance(calibration, Real) and not isinstance(calibration, bool):
        if isinstance(calibration, Integral) or not 0 < float(calibration) < 1:
            raise ValueError(
                f"calibration must be a share of the rows between 0 and 1, row numbers "
                f"or a mask, not {calibration!r}; 0.2 keeps a fifth."
            )
        make = ShuffleSplit if groups is None else GroupShuffleSplit
        splitter = make(1, test_size=float(calibration), random_state=random_state)
        train, kept = next(splitter.split(np.empty((n_rows, 0)), groups=groups))
        return np.sort(train), np.sort(kept)
    kept = _named(calibration, n_rows)
    train = np.setdiff1d(np.arange(n_rows), kept)
    if len(train) == 0 or len(kept) == 0:
        wrong = "all" if len(kept) else "none"
        raise ValueError(
            f"calibration keeps {wrong} of the {n_rows} rows: keep some, and leave "
            "most for training."
        )
    return train, kept


def _named(rows: Any, n_rows: int) -> Rows:
    given = np.asarray(rows)
    if given.dtype == bool and given.shape == (n_rows,):
        return np.flatnonzero(given)
    whole = given.ndim == 1 and (given.dtype.kind in "iu" or given.size == 0)
    if not whole or np.any((given < 0) | (given >= n_rows)):
        raise ValueError(
            f"calibration must be a share such as 0.2, row numbers from 0 to "
            f"{n_rows - 1}, or a mask of {n_rows} truth values."
        )
    return np.unique(given.astype(np.intp))

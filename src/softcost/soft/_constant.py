"""The best constant answer: what a model has to beat."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softcost.costs import RowCosts
from softcost.soft._problem import Fold
from softcost.soft._table import HeldOut, measured_rows


def cheapest_class(rows: RowCosts) -> int:
    """Number of the answer that is cheapest for all rows together."""
    return int(rows.totals().argmin())


def constant_answer(
    rows: RowCosts, folds: Sequence[Fold], error_weight: NDArray[np.float64]
) -> dict[str, Any]:
    """The label that is cheapest to answer always, and what that costs, held out.

    In every fold the cheapest class of the training rows answers for the others.

    Returns
    -------
    dict
        ``label`` (by all rows), and the measures of the trade-off table with their
        standard errors.
    """
    predicted = [
        np.full((1, len(test)), cheapest_class(rows.part(train)))
        for train, test in folds
    ]
    tests = [test for _, test in folds]
    held_out = HeldOut.measured(rows, tests, predicted, error_weight)
    found = {name: float(values[0]) for name, values in measured_rows(held_out).items()}
    return {"label": rows.actions[[cheapest_class(rows)]].tolist()[0], **found}

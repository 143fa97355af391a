"""Rules that choose a row of the trade-off table.

Every rule ends the same way: among equals (to a relative 1e-12) the largest softness
wins, then the candidate that comes first, which has the smallest C of the grid.
"""

import warnings
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

CRITERIA = ("cost", "max", "constrained", "tolerance")

_EQUAL = 1e-12


def choose_row(
    table: pd.DataFrame,
    criterion: str | Callable[[pd.DataFrame], Any] = "cost",
    *,
    max_error: float | None = None,
    tolerance: float | str | None = None,
    weighted: bool = False,
) -> int:
    """The number of the row that a criterion chooses.

    Parameters
    ----------
    table : DataFrame
        As `SoftCostClassifierCV.tradeoff_`; rows that differ in the learner's
        parameters only are in the order in which ties are to be broken.
    criterion : {"cost", "max", "constrained", "tolerance"} or callable
        Least cost; least ``max(error, normalised cost)``; least cost with an error of
        at most ``max_error``; least error among costs within ``tolerance`` of the
        least one; or a function of the table that returns a row number, or one value
        per row, of which the least is best.
    max_error : float, for "constrained"
    tolerance : float or "1se", for "tolerance"
        A fraction of the least cost, or one standard error of it.
    weighted : bool
        Whether the error that counts is the weighted one.

    Examples
    --------
    >>> table = pd.DataFrame(
    ...     {"softness": [0, 0.5, 1], "cost": [1.0, 1.1, 3.0], "error": [0.4, 0.2, 0.1]}
    ... )
    >>> choose_row(table), choose_row(table, "constrained", max_error=0.25)
    (0, 1)
    >>> choose_row(table, "tolerance", tolerance=0.2)
    1
    """
    check_rule(criterion, max_error, tolerance)
    if callable(criterion):
        return _by_function(table, criterion)
    cost = table["cost"].to_numpy(float)
    error = table["weighted_error" if weighted else "error"].to_numpy(float)
    if criterion == "cost":
        return _least(table, cost)
    if criterion == "max":
        return _least(table, np.maximum(error, table["normalized_cost"]))
    if criterion == "constrained":
        feasible = error <= max_error
        if not feasible.any():
            warnings.warn(
                f"no candidate has a cross-validated error of at most max_error="
                f"{max_error:g}: the one with the least, {error.min():.4g}, is chosen.",
                UserWarning,
                stacklevel=3,
            )
            return _least(table, error, cost)
        return _least(table, np.where(feasible, cost, np.inf), error)
    allowed = cost.min()
    if tolerance == "1se":
        allowed += np.nan_to_num(table["cost_se"].to_numpy(float)[cost.argmin()])
    else:
        allowed += abs(cost.min()) * float(tolerance)  # type: ignore[arg-type]
    allowed += _EQUAL * abs(allowed)
    return _least(table, np.where(cost <= allowed, error, np.inf), cost)


def check_rule(criterion: Any, max_error: Any, tolerance: Any) -> None:
    """Refuse a criterion without what it needs, or with what it does not."""
    if not callable(criterion) and criterion not in CRITERIA:
        raise ValueError(
            f"criterion must be one of {', '.join(CRITERIA)} or a function of the "
            f"trade-off table, not {criterion!r}; choose one."
        )
    if (criterion == "constrained") != (max_error is not None):
        raise ValueError(
            "max_error goes with criterion='constrained', which needs it: give both or "
            "neither."
        )
    if (criterion == "tolerance") != (tolerance is not None):
        raise ValueError(
            "tolerance goes with criterion='tolerance', which needs it: give both or "
            "neither."
        )
    if max_error is not None and not (
        isinstance(max_error, Real) and 0 <= float(max_error) <= 1
    ):
        raise ValueError(
            f"max_error must be an error rate from 0 to 1, not {max_error!r}; "
            "0.05 allows five errors in a hundred."
        )
    if tolerance is None or tolerance == "1se":
        return
    if not (isinstance(tolerance, Real) and float(tolerance) >= 0):
        raise ValueError(
            f"tolerance must be a fraction of the best cost or '1se', not "
            f"{tolerance!r}; 0.1 allows ten per cent more."
        )


def _least(table: pd.DataFrame, *keys: Any) -> int:
    """The first row with the least keys in turn, then the largest softness."""
    left = np.arange(len(table))
    for key in (*keys, -table["softness"].to_numpy(float)):
        values = np.asarray(key, float)[left]
        best = values.min()
        left = left[values <= best + _EQUAL * abs(best)]
    return int(left[0])


def _by_function(table: pd.DataFrame, function: Callable[[pd.DataFrame], Any]) -> int:
    answer = function(table.copy())
    if isinstance(answer, Integral) and not isinstance(answer, bool):
        if 0 <= int(answer) < len(table):
            return int(answer)
    elif np.shape(answer) == (len(table),):
        values: NDArray[np.float64] = np.asarray(answer, float)
        if np.isfinite(values).any():
            return _least(table, np.where(np.isnan(values), np.inf, values))
    raise ValueError(
        f"criterion must return a row number from 0 to {len(table) - 1} or one value "
        f"per row of the table, of which the least is best, not {answer!r}."
    )

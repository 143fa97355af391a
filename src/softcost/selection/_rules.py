"""Rules that choose a row of the trade-off table.

Every rule ends the same way: among equals (to a relative 1e-12) the largest softness
wins, then the candidate that comes first, which has the smallest C of the grid.
"""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

_EQUAL = 1e-12


class Rule(ABC):
    """How a candidate is chosen on the trade-off.

    A subclass is one small dataclass whose fields are what the user asks for. It says
    how it chooses (`choose`, which ends with `least_row`, so that ties are broken as
    everywhere) and describes itself in a few words (`describe`).
    """

    @abstractmethod
    def choose(self, table: pd.DataFrame, *, error: str = "error") -> int:
        """The number of the chosen row.

        Parameters
        ----------
        table : DataFrame
            As `SoftCostClassifierCV.tradeoff_`; rows that differ in parameters only
            are in the order in which ties are to be broken.
        error : {"error", "weighted_error"}
            The column of the error that counts.
        """

    @abstractmethod
    def describe(self) -> str:
        """What is chosen, to follow "the candidate with"."""


@dataclass(frozen=True)
class LeastCost(Rule):
    """The least cost.

    See Also
    --------
    Budget : The least cost within an error budget.

    Examples
    --------
    >>> table = pd.DataFrame({"softness": [0, 1], "cost": [1.0, 3.0]})
    >>> LeastCost().choose(table)
    0
    """

    def choose(self, table: pd.DataFrame, *, error: str = "error") -> int:
        return least_row(table, table["cost"])

    def describe(self) -> str:
        return "the least cost"


@dataclass(frozen=True)
class LeastError(Rule):
    """The least error, whatever it costs: how one chooses without costs."""

    def choose(self, table: pd.DataFrame, *, error: str = "error") -> int:
        return least_row(table, table[error])

    def describe(self) -> str:
        return "the least error"


@dataclass(frozen=True)
class MaxOfBoth(Rule):
    """The least ``max(error, normalised cost)``."""

    def choose(self, table: pd.DataFrame, *, error: str = "error") -> int:
        return least_row(table, np.maximum(table[error], table["normalized_cost"]))

    def describe(self) -> str:
        return "the least of the larger of error and normalised cost"


@dataclass(frozen=True)
class Budget(Rule):
    """The least cost with an error within a budget.

    Where no candidate is that good, the one with the least error is chosen, with a
    warning.

    Parameters
    ----------
    error : float from 0 to 1
        Largest cross-validated error.

    See Also
    --------
    Tolerance : The least error within a tolerance of cost.

    Examples
    --------
    >>> table = pd.DataFrame(
    ...     {"softness": [0, 0.5, 1], "cost": [1.0, 1.1, 3.0], "error": [0.4, 0.2, 0.1]}
    ... )
    >>> Budget(error=0.25).choose(table)
    1
    """

    error: float

    def __post_init__(self) -> None:
        if not isinstance(self.error, Real) or not 0 <= float(self.error) <= 1:
            raise ValueError(
                f"max_error must be an error rate from 0 to 1, not {self.error!r}; "
                "0.05 allows five errors in a hundred."
            )

    def choose(self, table: pd.DataFrame, *, error: str = "error") -> int:
        errors, cost = table[error].to_numpy(float), table["cost"].to_numpy(float)
        feasible = errors <= self.error
        if feasible.any():
            return least_row(table, np.where(feasible, cost, np.inf), errors)
        warnings.warn(
            f"no candidate has a cross-validated error of at most max_error="
            f"{self.error:g}: the one with the least, {errors.min():.4g}, is chosen.",
            UserWarning,
            stacklevel=4,
        )
        return least_row(table, errors, cost)

    def describe(self) -> str:
        return f"the least cost among those with an error of at most {self.error:g}"


@dataclass(frozen=True)
class Tolerance(Rule):
    """The least error among costs close to the least one.

    Parameters
    ----------
    cost : float or "1se"
        How much more may be paid: a fraction of the least cost, or its standard error.

    See Also
    --------
    Budget : The least cost within an error budget.

    Examples
    --------
    >>> table = pd.DataFrame(
    ...     {"softness": [0, 0.5, 1], "cost": [1.0, 1.1, 3.0], "error": [0.4, 0.2, 0.1]}
    ... )
    >>> Tolerance(cost=0.2).choose(table)
    1
    """

    cost: float | Literal["1se"]

    def __post_init__(self) -> None:
        if self.cost == "1se":
            return
        if not isinstance(self.cost, Real) or not float(self.cost) >= 0:
            raise ValueError(
                f"tolerance must be a fraction of the best cost or '1se', not "
                f"{self.cost!r}; 0.1 allows ten per cent more."
            )

    def choose(self, table: pd.DataFrame, *, error: str = "error") -> int:
        cost = table["cost"].to_numpy(float)
        allowed = cost.min()
        if self.cost == "1se":
            allowed += np.nan_to_num(table["cost_se"].to_numpy(float)[cost.argmin()])
        else:
            allowed += abs(cost.min()) * float(self.cost)
        allowed += _EQUAL * abs(allowed)
        return least_row(table, np.where(cost <= allowed, table[error], np.inf), cost)

    def describe(self) -> str:
        near = "one standard error" if self.cost == "1se" else f"{self.cost:.2%}"
        return f"the least error among those whose cost is within {near} of the least"


@dataclass(frozen=True)
class ByFunction(Rule):
    """A row number, or the least of one value per row, as a function of the table."""

    function: Callable[[pd.DataFrame], Any]

    def choose(self, table: pd.DataFrame, *, error: str = "error") -> int:
        answer = self.function(table.copy())
        if isinstance(answer, Integral) and not isinstance(answer, bool):
            if 0 <= int(answer) < len(table):
                return int(answer)
        elif np.shape(answer) == (len(table),):
            values: NDArray[np.float64] = np.asarray(answer, float)
            if np.isfinite(values).any():
                return least_row(table, np.where(np.isnan(values), np.inf, values))
        raise ValueError(
            f"criterion must return a row number from 0 to {len(table) - 1} or one "
            f"value per row of the table, of which the least is best, not {answer!r}."
        )

    def describe(self) -> str:
        return f"what {getattr(self.function, '__name__', 'a function')} prefers"


def least_row(table: pd.DataFrame, *keys: Any) -> int:
    """The first row with the least keys in turn, then the largest softness."""
    left = np.arange(len(table))
    for key in (*keys, -table["softness"].to_numpy(float)):
        values = np.asarray(key, float)[left]
        best = values.min()
        left = left[values <= best + _EQUAL * abs(best)]
    return int(left[0])

"""Rules that choose a row of the trade-off table.

Every rule ends the same way: among equals (to a relative 1e-12) the largest softness
wins, then the candidate that comes first, which has the smallest C of the grid.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from softcost.selection._evidence import Evidence

_EQUAL = 1e-12


@dataclass(frozen=True)
class Decision:
    """What a rule chose.

    Attributes
    ----------
    row : int
        Number of the chosen row.
    guarantee : dict or None
        What is known of the limits of a `Budget`; None for other rules. ``met`` says
        whether the chosen row is within them, and ``kind`` by what: "none" by
        cross-validated values without a test, "approximate" by a test on these,
        "exact" by one on calibration rows. ``confidence``, ``method`` and ``rows``
        (their number) are those of the test. ``passed`` are all rows within the budget,
        ``missing`` is a sentence where there is none. ``limits`` has one dict for each
        limit: ``measure``, ``label``, ``at_least``, ``bound``, the cross-validated
        ``estimate`` of the chosen row and, where it was tested, the value ``tested``
        and the ``p_value``.

    See Also
    --------
    decide : What a rule chooses with the counts behind the table at hand.
    Budget : The least cost within limits of other measures.

    Examples
    --------
    >>> from softcost.selection import Decision
    >>> Decision(row=3).guarantee is None  # a rule without limits
    True
    """

    row: int
    guarantee: dict[str, Any] | None = None


class Rule(ABC):
    """How a candidate is chosen on the trade-off.

    A subclass is one small dataclass whose fields are what the user asks for. It says
    how it chooses (`choose`, which ends with `least_row`, so that ties are broken as
    everywhere) and describes itself in a few words (`describe`).

    See Also
    --------
    LeastCost : The least cost.
    Budget : The least cost within limits of other measures.
    least_row : The first row with the least keys in turn, then the largest softness.

    Examples
    --------
    A rule of one's own, to be passed as ``criterion``:

    >>> from dataclasses import dataclass
    >>> import pandas as pd
    >>> from softcost.selection import Rule, least_row
    >>> @dataclass(frozen=True)
    ... class WeightedSum(Rule):
    ...     weight: float = 1.0
    ...     def choose(self, table, *, error="error"):
    ...         return least_row(table, table["cost"] + self.weight * table[error])
    ...     def describe(self):
    ...         return f"the least cost + {self.weight:g} x error"
    >>> table = pd.DataFrame(
    ...     {"softness": [0, 0.5, 1], "cost": [1.0, 1.1, 3.0], "error": [0.4, 0.2, 0.1]}
    ... )
    >>> WeightedSum(10).choose(table)
    1
    """

    @abstractmethod
    def choose(self, table: pd.DataFrame, *, error: str = "error") -> int:
        """The number of the chosen row.

        Parameters
        ----------
        table : DataFrame
            As `SoftCostClassifierCV.tradeoff_`; rows that differ in parameters only
            are in the order in which ties are to be broken.
        error : {"error", "weighted_error"}, default="error"
            The column of the error that counts.

        Returns
        -------
        int
            From 0.
        """

    def decide(
        self, table: pd.DataFrame, evidence: Evidence, *, error: str = "error"
    ) -> Decision:
        """Choose with the counts behind the table at hand; by default as `choose`.

        Parameters
        ----------
        table : DataFrame
            As `SoftCostClassifierCV.tradeoff_`.
        evidence : Evidence
            Counts behind it.
        error : {"error", "weighted_error"}, default="error"
            The column of the error that counts.

        Returns
        -------
        Decision
            The row, and what is known of limits.
        """
        return Decision(self.choose(table, error=error))

    @abstractmethod
    def describe(self) -> str:
        """What is chosen, to follow "the candidate with".

        Returns
        -------
        str
            Such as "the least cost".
        """


@dataclass(frozen=True)
class LeastCost(Rule):
    """The least cost.

    See Also
    --------
    Budget : The least cost within an error budget.

    Examples
    --------
    >>> import pandas as pd
    >>> from softcost.selection import LeastCost
    >>> table = pd.DataFrame({"softness": [0, 1], "cost": [1.0, 3.0]})
    >>> LeastCost().choose(table)
    0
    """

    def compared(self, table: pd.DataFrame) -> NDArray[np.float64]:
        """What is compared: the costs, to which a subclass may add.

        Parameters
        ----------
        table : DataFrame
            A trade-off table with a column ``cost``.

        Returns
        -------
        array of shape (n_rows,)
            The least of it is chosen.
        """
        return table["cost"].to_numpy(float)

    def choose(self, table: pd.DataFrame, *, error: str = "error") -> int:
        return least_row(table, self.compared(table))

    def describe(self) -> str:
        return "the least cost"


@dataclass(frozen=True)
class LeastError(Rule):
    """The least error, whatever it costs: how one chooses without costs.

    See Also
    --------
    LeastCost : The least cost.
    Tolerance : The least error among costs close to the least one.

    Examples
    --------
    >>> import pandas as pd
    >>> from softcost.selection import LeastError
    >>> table = pd.DataFrame({"softness": [0, 1], "error": [0.4, 0.1]})
    >>> LeastError().choose(table)
    1
    """

    def choose(self, table: pd.DataFrame, *, error: str = "error") -> int:
        return least_row(table, table[error])

    def describe(self) -> str:
        return "the least error"


@dataclass(frozen=True)
class MaxOfBoth(Rule):
    """The least ``max(error, normalised cost)``.

    See Also
    --------
    LeastCost : The least cost.
    softcost.metrics.normalized_cost : Cost on the scale of the error rate.

    Examples
    --------
    >>> import pandas as pd
    >>> from softcost.selection import MaxOfBoth
    >>> table = pd.DataFrame(
    ...     {"softness": [0, 0.5, 1], "normalized_cost": [0.1, 0.15, 0.5],
    ...      "error": [0.4, 0.2, 0.1]}
    ... )
    >>> MaxOfBoth().choose(table)
    1
    """

    def choose(self, table: pd.DataFrame, *, error: str = "error") -> int:
        return least_row(table, np.maximum(table[error], table["normalized_cost"]))

    def describe(self) -> str:
        return "the least of the larger of error and normalised cost"


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
    >>> import pandas as pd
    >>> from softcost.selection import Tolerance
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
    """A row number, or the least of one value per row, as a function of the table.

    Parameters
    ----------
    function : callable
        Given a copy of the trade-off table, it returns the number of a row, or one
        value per row of which the least is best.

    See Also
    --------
    make_rule : The rule that a criterion stands for.
    Rule : How a candidate is chosen on the trade-off.

    Examples
    --------
    >>> import pandas as pd
    >>> from softcost.selection import ByFunction
    >>> table = pd.DataFrame(
    ...     {"softness": [0, 0.5, 1], "cost": [1.0, 1.1, 3.0], "error": [0.4, 0.2, 0.1]}
    ... )
    >>> ByFunction(lambda t: t["cost"] + 10 * t["error"]).choose(table)
    1
    """

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
    """The first row with the least keys in turn, then the largest softness.

    Parameters
    ----------
    table : DataFrame
        With a column ``softness``.
    *keys : array-like of shape (n_rows,)
        The first counts most, the next ones where it is the same.

    Returns
    -------
    int
        From 0.

    See Also
    --------
    Rule : How a candidate is chosen on the trade-off.

    Examples
    --------
    Equal costs: the error decides; were it equal too, the larger softness would.

    >>> import pandas as pd
    >>> from softcost.selection import least_row
    >>> table = pd.DataFrame(
    ...     {"softness": [0, 0.5, 1], "cost": [1.0, 1.0, 3.0], "error": [0.4, 0.2, 0.1]}
    ... )
    >>> least_row(table, table["cost"], table["error"])
    1
    """
    left = np.arange(len(table))
    for key in (*keys, -table["softness"].to_numpy(float)):
        values = np.asarray(key, float)[left]
        best = values.min()
        left = left[values <= best + _EQUAL * abs(best)]
    return int(left[0])

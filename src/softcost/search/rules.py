"""Rules that choose a row of the trade-off table.

All rules break ties alike: among equal keys (to a relative 1e-12) the largest softness
wins, then the first candidate, which has the smallest C of the grid.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from softcost.metrics import lower_hull
from softcost.search.counts import Evidence
from softcost.search.price_lines import NotTraceable, PriceLines

EQUAL = 1e-12  # relative; larger than the rounding of a sum of costs


@dataclass(frozen=True)
class Decision:
    """The choice of a rule.

    Attributes
    ----------
    row : int
        Index of the chosen row.
    guarantee : dict or None
        The evidence that the limits of a `Budget` hold; None for other rules. ``met``
        is True if the chosen row is within the limits. ``kind`` is "none" if
        cross-validated values decide without a test, "approximate" for a test on
        cross-validated predictions and "exact" for a test on holdout rows.
        ``confidence``, ``method`` and ``rows`` (their number) describe the test.
        ``passed`` lists all rows within the budget; ``missing`` is a sentence if there
        is none. ``limits`` has one dict per limit: ``measure``, ``label``,
        ``at_least``, ``bound``, the cross-validated ``estimate`` of the chosen row and,
        if tested, the value ``tested`` and its ``p_value``.

    See Also
    --------
    decide : The choice of a rule, given the counts behind the table.
    Budget : The least cost within limits of other measures.

    Examples
    --------
    >>> from softcost.search import Decision
    >>> Decision(row=3).guarantee is None  # a rule without limits
    True
    """

    row: int
    guarantee: dict[str, Any] | None = None


class Rule(ABC):
    """Base class of the rules that choose a candidate on the trade-off.

    A subclass is a small frozen dataclass whose fields are its settings. `choose`
    returns a row and should end with `least_row`, which breaks ties like all other
    rules; `describe` names the choice in a few words. `turning_points` is only needed
    for ``SoftCostClassifierCV.sensitivity``.

    See Also
    --------
    LeastCost : The least cost.
    Budget : The least cost within limits of other measures.
    least_row : The row with the smallest keys in lexicographic order.

    Examples
    --------
    A custom rule, to pass as ``criterion``:

    >>> from dataclasses import dataclass
    >>> import pandas as pd
    >>> from softcost.search import Rule, least_row
    >>> @dataclass(frozen=True)
    ... class WeightedSum(Rule):
    ...     weight: float = 1.0
    ...     def choose(self, table, *, error="error"):
    ...         return least_row(table, table["cost"] + self.weight * table[error])
    ...     def describe(self):
    ...         return f"the least cost + {self.weight:g} x error"
    ...     def turning_points(self, lines):
    ...         total = lines.cost + self.weight * lines.errors
    ...         return [total.crossings(total[lines.chosen])]
    >>> table = pd.DataFrame(
    ...     {"softness": [0, 0.5, 1], "cost": [1.0, 1.1, 3.0], "error": [0.4, 0.2, 0.1]}
    ... )
    >>> WeightedSum(10).choose(table)
    1
    """

    @abstractmethod
    def choose(self, table: pd.DataFrame, *, error: str = "error") -> int:
        """The index of the chosen row.

        Parameters
        ----------
        table : DataFrame
            As `SoftCostClassifierCV.tradeoff_`. Rows that differ in parameters only
            are in the order in which ties are broken.
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
        """Choose, given the counts behind the table; by default like `choose`.

        Parameters
        ----------
        table : DataFrame
            As `SoftCostClassifierCV.tradeoff_`.
        evidence : Evidence
            Counts behind the table.
        error : {"error", "weighted_error"}, default="error"
            The column of the error that counts.

        Returns
        -------
        Decision
            The row, and the evidence that limits hold.
        """
        return Decision(self.choose(table, error=error))

    @abstractmethod
    def describe(self) -> str:
        """The choice in words, to follow "the candidate with".

        Returns
        -------
        str
            Such as "the least cost".
        """

    def turning_points(self, lines: PriceLines) -> list[NDArray[np.float64]]:
        """Prices at which the choice may change, if a single price changes.

        Parameters
        ----------
        lines : softcost.search.price_lines.PriceLines
            Costs as linear functions of the price.

        Returns
        -------
        list of arrays
            Usually crossings of lines. More prices than necessary do no harm, since
            the rule is evaluated between them; values that are not finite are ignored.
        """
        raise NotTraceable(
            f"sensitivity does not support {type(self).__name__}: its choice may "
            "depend on prices in any way. Add a method turning_points, or choose by "
            "another rule of softcost.search."
        )


@dataclass(frozen=True)
class LeastCost(Rule):
    """The least cost.

    See Also
    --------
    Budget : The least cost within an error budget.

    Examples
    --------
    >>> import pandas as pd
    >>> from softcost.search import LeastCost
    >>> table = pd.DataFrame({"softness": [0, 1], "cost": [1.0, 3.0]})
    >>> LeastCost().choose(table)
    0
    """

    def choose(self, table: pd.DataFrame, *, error: str = "error") -> int:
        return least_row(table, table["cost"])

    def describe(self) -> str:
        return "the least cost"

    def turning_points(self, lines: PriceLines) -> list[NDArray[np.float64]]:
        return [lines.cost.crossings(lines.cost[lines.chosen])]


@dataclass(frozen=True)
class LeastError(Rule):
    """The least error, regardless of cost.

    See Also
    --------
    LeastCost : The least cost.
    Tolerance : The least error among costs close to the lowest.

    Examples
    --------
    >>> import pandas as pd
    >>> from softcost.search import LeastError
    >>> table = pd.DataFrame({"softness": [0, 1], "error": [0.4, 0.1]})
    >>> LeastError().choose(table)
    1
    """

    def choose(self, table: pd.DataFrame, *, error: str = "error") -> int:
        return least_row(table, table[error])

    def describe(self) -> str:
        return "the least error"

    def turning_points(self, lines: PriceLines) -> list[NDArray[np.float64]]:
        return []


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
    >>> from softcost.search import MaxOfBoth
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

    def turning_points(self, lines: PriceLines) -> list[NDArray[np.float64]]:
        lines.require_normalized()
        # Both measures times the unit, which makes them lines.
        measures = (lines.cost - lines.least, lines.unit * lines.errors)
        return [
            measure.crossings(other[lines.chosen])
            for measure in measures
            for other in measures
        ]


@dataclass(frozen=True)
class Tolerance(Rule):
    """The least error among costs close to the lowest.

    Parameters
    ----------
    cost : float or "1se"
        Allowed extra cost: a fraction of the lowest cost, or "1se" for its standard
        error.

    See Also
    --------
    Budget : The least cost within an error budget.

    Examples
    --------
    >>> import pandas as pd
    >>> from softcost.search import Tolerance
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
        allowed += EQUAL * abs(allowed)
        return least_row(table, np.where(cost <= allowed, table[error], np.inf), cost)

    def describe(self) -> str:
        near = "one standard error" if self.cost == "1se" else f"{self.cost:.2%}"
        return f"the least error among those whose cost is within {near} of the least"

    def turning_points(self, lines: PriceLines) -> list[NDArray[np.float64]]:
        cost = lines.cost
        cheapest = lower_hull(np.column_stack([cost.slope, cost.start]))
        return self.points_near(lines, cheapest)

    def points_near(
        self, lines: PriceLines, cheapest: NDArray[np.intp]
    ) -> list[NDArray[np.float64]]:
        """Turning points, if the least cost is that of one of some candidates.

        Parameters
        ----------
        lines : softcost.search.price_lines.PriceLines
            Costs as linear functions of the price.
        cheapest : array of row numbers
            Candidates that may have the least cost at some price.

        Returns
        -------
        list of arrays
            As in `turning_points`.
        """
        cost = lines.cost
        envelope = cost[cheapest, None]
        points = [
            cost.crossings(cost[lines.chosen]),
            envelope.crossings(cost[cheapest]),
        ]
        if self.cost != "1se":
            return [*points, cost.crossings(envelope * (1.0 + float(self.cost)))]
        folds = lines.fold_costs[cheapest]
        n_folds = folds.start.shape[1]
        if n_folds < 2:
            return points
        # (cost_j - cost_cheapest)^2 = se_cheapest^2, a quadratic in the price.
        start, slope = (
            part - part.mean(axis=1, keepdims=True)
            for part in (folds.start, folds.slope)
        )
        scale = n_folds * (n_folds - 1)
        spread = [
            (first * second).sum(axis=1)[:, None] / scale
            for first, second in ((start, start), (start, slope), (slope, slope))
        ]
        gap = cost - envelope
        roots = _quadratic_roots(
            gap.slope**2 - spread[2],
            2 * (gap.start * gap.slope - spread[1]),
            gap.start**2 - spread[0],
        )
        return [*points, *roots]


def _quadratic_roots(
    a: NDArray[np.float64], b: NDArray[np.float64], c: NDArray[np.float64]
) -> list[NDArray[np.float64]]:
    """Both roots of ``a x^2 + b x + c``; NaN or infinite if there are none."""
    with np.errstate(all="ignore"):
        root = np.sqrt(b * b - 4 * a * c)
        stable = -(b + np.where(b < 0, -root, root)) / 2
        return [stable / a, c / stable]


@dataclass(frozen=True)
class ByFunction(Rule):
    """The choice of a function of the table.

    Parameters
    ----------
    function : callable
        Called with a copy of the trade-off table. It returns the index of a row, or one
        value per row, of which the smallest is chosen.

    See Also
    --------
    make_rule : The rule that a criterion stands for.
    Rule : Base class of the rules that choose a candidate on the trade-off.

    Examples
    --------
    >>> import pandas as pd
    >>> from softcost.search import ByFunction
    >>> table = pd.DataFrame(
    ...     {"softness": [0, 0.5, 1], "cost": [1.0, 1.1, 3.0], "error": [0.4, 0.2, 0.1]}
    ... )
    >>> ByFunction(lambda t: t["cost"] + 10 * t["error"]).choose(table)
    1
    """

    function: Callable[[pd.DataFrame], Any]

    def choose(self, table: pd.DataFrame, *, error: str = "error") -> int:
        result = self.function(table.copy())
        if isinstance(result, Integral) and not isinstance(result, bool):
            if 0 <= int(result) < len(table):
                return int(result)
        elif np.shape(result) == (len(table),):
            values: NDArray[np.float64] = np.asarray(result, float)
            if np.isfinite(values).any():
                return least_row(table, np.where(np.isnan(values), np.inf, values))
        raise ValueError(
            f"criterion must return a row number from 0 to {len(table) - 1} or one "
            f"value per row of the table, of which the smallest is chosen, not "
            f"{result!r}."
        )

    def describe(self) -> str:
        name = getattr(self.function, "__name__", "a function")
        return f"the best value of {name}"


def least_row(table: pd.DataFrame, *keys: Any) -> int:
    """The row with the smallest keys in lexicographic order; ties go to the softest.

    Parameters
    ----------
    table : DataFrame
        With a column ``softness``.
    *keys : array-like of shape (n_rows,)
        A key decides among rows that tie in all keys before it.

    Returns
    -------
    int
        From 0.

    See Also
    --------
    Rule : Base class of the rules that choose a candidate on the trade-off.

    Examples
    --------
    The costs tie, so the error decides. If that tied as well, softness would.

    >>> import pandas as pd
    >>> from softcost.search import least_row
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
        left = left[values <= best + EQUAL * abs(best)]
    return int(left[0])


def decide(
    table: pd.DataFrame, rule: Rule, evidence: Evidence, *, error: str = "error"
) -> Decision:
    """The choice of a rule, given the counts behind the table.

    Parameters
    ----------
    table : DataFrame
        As `SoftCostClassifierCV.tradeoff_`.
    rule : Rule
        The rule.
    evidence : Evidence
        Counts behind the table.
    error : {"error", "weighted_error"}, default="error"
        The column of the error that counts.

    Returns
    -------
    Decision
        The row, and the evidence that limits hold.

    See Also
    --------
    choose_row : The index of the row that a criterion chooses.
    Budget : The least cost within limits of other measures.

    Examples
    --------
    The second candidate costs more, but only it is within the limit:

    >>> import numpy as np
    >>> import pandas as pd
    >>> from softcost.search import Budget, Evidence, decide
    >>> counts = np.array([[[30.0, 20.0], [0.0, 50.0]], [[48.0, 2.0], [6.0, 44.0]]])
    >>> table = pd.DataFrame(
    ...     {"softness": [0.0, 0.5], "cost": [0.2, 0.5], "error": [0.2, 0.08]}
    ... )
    >>> evidence = Evidence(np.array(["ham", "spam"]), counts, 100, np.ones(2))
    >>> decision = decide(table, Budget(recall={"ham": 0.9}), evidence)
    >>> decision.row, decision.guarantee["met"]
    (1, True)
    """
    decision = rule.decide(table, evidence, error=error)
    return replace(decision, row=checked_row(decision.row, rule, table))


def checked_row(row: Any, rule: Rule, table: pd.DataFrame) -> int:
    """The row as an int; an error if the table has no such row."""
    if not isinstance(row, Integral) or not 0 <= int(row) < len(table):
        raise ValueError(
            f"{type(rule).__name__} chose {row!r}, but choose must return a row number "
            f"from 0 to {len(table) - 1}; see softcost.search.least_row."
        )
    return int(row)


def best_at(
    table: pd.DataFrame, softness: float, rule: Rule, *, error: str = "error"
) -> int | None:
    """The choice of a rule among the rows of one softness; None if there are none.

    Parameters
    ----------
    table : DataFrame
        As `SoftCostClassifierCV.tradeoff_`.
    softness : float
        Only rows of this softness are considered.
    rule : Rule
        The rule.
    error : {"error", "weighted_error"}, default="error"
        The column of the error that counts.

    Returns
    -------
    int or None
        The index of the row in the whole table.

    See Also
    --------
    reference_rows : Rows to compare the choice with.
    choose_row : The index of the row that a criterion chooses.

    Examples
    --------
    >>> import pandas as pd
    >>> from softcost.search import LeastCost, best_at
    >>> table = pd.DataFrame({"softness": [0, 1, 1], "cost": [1.0, 3.0, 2.0]})
    >>> best_at(table, 1, LeastCost()), best_at(table, 0.5, LeastCost())
    (2, None)
    """
    rows = np.flatnonzero(np.isclose(table["softness"].to_numpy(float), softness))
    if len(rows) == 0:
        return None
    part = table.iloc[rows].reset_index(drop=True)
    return int(rows[rule.choose(part, error=error)])


def reference_rows(
    table: pd.DataFrame,
    chosen: int | None = None,
    *,
    error: str = "error",
    among: NDArray[np.intp] | None = None,
) -> dict[str, int]:
    """Rows to compare the choice with.

    ``regular`` is the choice without costs, the least error at softness 1; ``hard`` is
    the least cost at softness 0. Either is left out if it has no candidates.

    Parameters
    ----------
    table : DataFrame
        As `SoftCostClassifierCV.tradeoff_`.
    chosen : int, default=None
        Index of the chosen row, if there is one.
    error : {"error", "weighted_error"}, default="error"
        The column of the error that counts.
    among : array of int, default=None
        Candidates for ``regular`` and ``hard``, such as the rows of one family; by
        default all.

    Returns
    -------
    dict of name and row index: "regular", "hard", "chosen"

    See Also
    --------
    best_at : The choice of a rule among the rows of one softness.
    softcost.report.TradeoffDisplay : Marks these rows.

    Examples
    --------
    >>> import pandas as pd
    >>> from softcost.search import reference_rows
    >>> table = pd.DataFrame(
    ...     {"softness": [0, 0.5, 1], "cost": [1.0, 1.1, 3.0], "error": [0.4, 0.2, 0.1]}
    ... )
    >>> reference_rows(table, chosen=1)
    {'regular': 2, 'hard': 0, 'chosen': 1}
    """
    candidates = np.arange(len(table)) if among is None else among
    part = table.iloc[candidates]
    choices = {
        "regular": best_at(part, 1.0, LeastError(), error=error),
        "hard": best_at(part, 0.0, LeastCost(), error=error),
    }
    rows = {
        name: int(candidates[row]) for name, row in choices.items() if row is not None
    }
    return rows if chosen is None else rows | {"chosen": chosen}

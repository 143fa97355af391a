"""From a word to a rule, and from a rule to rows."""

from collections.abc import Callable
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd

from softcost.selection._budget import Budget
from softcost.selection._evidence import Evidence
from softcost.selection._rules import (
    ByFunction,
    Decision,
    LeastCost,
    LeastError,
    MaxOfBoth,
    Rule,
    Tolerance,
)

# What the words for a rule stand for, and which argument each needs.
_SHORTHAND: dict[str, tuple[Callable[..., Rule], str | None]] = {
    "cost": (LeastCost, None),
    "max": (MaxOfBoth, None),
    "constrained": (Budget, "max_error"),
    "tolerance": (Tolerance, "tolerance"),
}
CRITERIA = tuple(_SHORTHAND)


def make_rule(
    criterion: Any,
    *,
    max_error: float | None = None,
    tolerance: float | str | None = None,
) -> Rule:
    """The rule that a criterion stands for.

    Parameters
    ----------
    criterion : Rule, {"cost", "max", "constrained", "tolerance"} or callable
    max_error : float, for "constrained"
    tolerance : float or "1se", for "tolerance"

    Examples
    --------
    >>> make_rule("constrained", max_error=0.05)
    Budget(error=0.05)
    """
    kind, needed = None, None
    if isinstance(criterion, type) and issubclass(criterion, Rule):
        raise TypeError(
            f"criterion is the class {criterion.__name__}, not a rule: pass an "
            f"instance, {criterion.__name__}(...)."
        )
    if isinstance(criterion, str) and criterion in _SHORTHAND:
        kind, needed = _SHORTHAND[criterion]
    elif not isinstance(criterion, Rule) and not callable(criterion):
        raise ValueError(
            f"criterion must be one of {', '.join(CRITERIA)}, a rule such as "
            f"Budget(error=0.05) or a function of the trade-off table, not "
            f"{criterion!r}; choose one."
        )
    given: dict[str, Any] = {"max_error": max_error, "tolerance": tolerance}
    for word, (_, argument) in _SHORTHAND.items():
        wanted = argument == needed
        if argument is not None and (given[argument] is not None) != wanted:
            raise ValueError(
                f"{argument} goes with criterion={word!r}, which needs it: give both "
                "or neither."
            )
    if isinstance(criterion, Rule):
        return criterion
    if kind is None:
        return ByFunction(criterion)
    return kind() if needed is None else kind(given[needed])


def choose_row(
    table: pd.DataFrame,
    criterion: Any = "cost",
    *,
    max_error: float | None = None,
    tolerance: float | str | None = None,
    error: str = "error",
) -> int:
    """The number of the row that a criterion chooses.

    Parameters
    ----------
    table : DataFrame
        As `SoftCostClassifierCV.tradeoff_`.
    criterion, max_error, tolerance
        As in `make_rule`.
    error : {"error", "weighted_error"}
        The column of the error that counts.

    Examples
    --------
    >>> table = pd.DataFrame(
    ...     {"softness": [0, 0.5, 1], "cost": [1.0, 1.1, 3.0], "error": [0.4, 0.2, 0.1]}
    ... )
    >>> choose_row(table), choose_row(table, "constrained", max_error=0.25)
    (0, 1)
    """
    rule = make_rule(criterion, max_error=max_error, tolerance=tolerance)
    return _checked(rule.choose(table, error=error), rule, table)


def decide(
    table: pd.DataFrame, rule: Rule, evidence: Evidence, *, error: str = "error"
) -> Decision:
    """What a rule chooses with the counts behind the table at hand.

    Parameters
    ----------
    table : DataFrame
        As `SoftCostClassifierCV.tradeoff_`.
    rule : Rule
    evidence : Evidence
    error : {"error", "weighted_error"}
        The column of the error that counts.
    """
    decision = rule.decide(table, evidence, error=error)
    return replace(decision, row=_checked(decision.row, rule, table))


def _checked(row: Any, rule: Rule, table: pd.DataFrame) -> int:
    """A row number, if it is one of the table."""
    if not isinstance(row, Integral) or not 0 <= int(row) < len(table):
        raise ValueError(
            f"{type(rule).__name__} chose {row!r}, but choose must return a row number "
            f"from 0 to {len(table) - 1}: see softcost.selection.least_row."
        )
    return int(row)


def best_at(
    table: pd.DataFrame, softness: float, rule: Rule, *, error: str = "error"
) -> int | None:
    """What a rule chooses among the rows of one softness; None where there is none."""
    rows = np.flatnonzero(np.isclose(table["softness"].to_numpy(float), softness))
    if len(rows) == 0:
        return None
    part = table.iloc[rows].reset_index(drop=True)
    return int(rows[rule.choose(part, error=error)])


def reference_rows(
    table: pd.DataFrame, chosen: int | None = None, *, error: str = "error"
) -> dict[str, int]:
    """Rows to set the chosen one beside.

    ``regular`` is what one would choose without costs: the least error of softness 1;
    ``hard`` the least cost of softness 0. One that has no candidates is left out.

    Returns
    -------
    dict of name and row number: "regular", "hard", "chosen"
    """
    rows = {
        "regular": best_at(table, 1.0, LeastError(), error=error),
        "hard": best_at(table, 0.0, LeastCost(), error=error),
        "chosen": chosen,
    }
    return {name: row for name, row in rows.items() if row is not None}

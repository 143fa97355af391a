"""From a word to a rule, and from a rule to rows."""

from collections.abc import Callable
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

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
        A rule stands for itself, a word for one of `CRITERIA`, a function for
        `ByFunction`.
    max_error : float, default=None
        The budget of "constrained".
    tolerance : float or "1se", default=None
        That of "tolerance".

    Returns
    -------
    Rule
        That chooses.

    See Also
    --------
    choose_row : The number of the row that a criterion chooses.
    Budget : The least cost within limits of other measures.
    Tolerance : The least error among costs close to the least one.

    Examples
    --------
    >>> from softcost.selection import make_rule
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
    error : {"error", "weighted_error"}, default="error"
        The column of the error that counts.

    Returns
    -------
    int
        From 0.

    See Also
    --------
    softcost.selection.make_rule : The rule that a criterion stands for.
    softcost.selection.decide : The same with the counts behind the table at hand.

    Examples
    --------
    >>> import pandas as pd
    >>> import pandas as pd
    >>> from softcost.soft import choose_row
    >>> from softcost.selection import choose_row
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
        That chooses.
    evidence : Evidence
        Counts behind the table.
    error : {"error", "weighted_error"}, default="error"
        The column of the error that counts.

    Returns
    -------
    Decision
        The row, and what is known of limits.

    See Also
    --------
    choose_row : The number of the row that a criterion chooses.
    Budget : The least cost within limits of other measures.

    Examples
    --------
    The second candidate costs more, but only it keeps the limit:

    >>> import numpy as np
    >>> import pandas as pd
    >>> from softcost.selection import Budget, Evidence, decide
    >>> counts = np.array([[[30.0, 20.0], [0.0, 50.0]], [[48.0, 2.0], [6.0, 44.0]]])
    >>> table = pd.DataFrame(
    ...     {"softness": [0.0, 0.5], "cost": [0.2, 0.5], "error": [0.2, 0.08]}
    ... )
    >>> evidence = Evidence(np.array(["ham", "spam"]), counts, 100, np.ones(2))
    >>> found = decide(table, Budget(recall={"ham": 0.9}), evidence)
    >>> found.row, found.guarantee["met"]
    (1, True)
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
    """What a rule chooses among the rows of one softness; None where there is none.

    Parameters
    ----------
    table : DataFrame
        As `SoftCostClassifierCV.tradeoff_`.
    softness : float
        Which rows may be chosen.
    rule : Rule
        That chooses.
    error : {"error", "weighted_error"}, default="error"
        The column of the error that counts.

    Returns
    -------
    int or None
        The number of the row in the whole table.

    See Also
    --------
    reference_rows : Rows to set the chosen one beside.
    choose_row : The number of the row that a criterion chooses.

    Examples
    --------
    >>> import pandas as pd
    >>> from softcost.selection import LeastCost, best_at
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
    """Rows to set the chosen one beside.

    ``regular`` is what one would choose without costs: the least error of softness 1;
    ``hard`` the least cost of softness 0. One that has no candidates is left out.

    Parameters
    ----------
    table : DataFrame
        As `SoftCostClassifierCV.tradeoff_`.
    chosen : int, default=None
        Its number, where one was chosen.
    error : {"error", "weighted_error"}, default="error"
        The column of the error that counts.
    among : array of int, default=None
        Rows that ``regular`` and ``hard`` are taken from, such as those of one family;
        by default all.

    Returns
    -------
    dict of name and row number: "regular", "hard", "chosen"

    See Also
    --------
    best_at : What a rule chooses among the rows of one softness; None where there is
        none.
    softcost.report.TradeoffDisplay : Marks these rows.

    Examples
    --------
    >>> import pandas as pd
    >>> from softcost.selection import reference_rows
    >>> table = pd.DataFrame(
    ...     {"softness": [0, 0.5, 1], "cost": [1.0, 1.1, 3.0], "error": [0.4, 0.2, 0.1]}
    ... )
    >>> reference_rows(table, chosen=1)
    {'regular': 2, 'hard': 0, 'chosen': 1}
    """
    every = np.arange(len(table)) if among is None else among
    part = table.iloc[every]
    found = {
        "regular": best_at(part, 1.0, LeastError(), error=error),
        "hard": best_at(part, 0.0, LeastCost(), error=error),
    }
    rows = {name: int(every[row]) for name, row in found.items() if row is not None}
    return rows if chosen is None else rows | {"chosen": chosen}

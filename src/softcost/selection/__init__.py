"""Choosing on the trade-off of cost and error: rules, and rows to compare with.

Pure functions of a trade-off table. Every rule breaks ties in the same way.
"""

from softcost.selection._choose import (
    CRITERIA,
    best_at,
    choose_row,
    make_rule,
    reference_rows,
)
from softcost.selection._rules import (
    Budget,
    ByFunction,
    LeastCost,
    LeastError,
    MaxOfBoth,
    Rule,
    Tolerance,
    least_row,
)

__all__ = [
    "CRITERIA",
    "Budget",
    "ByFunction",
    "LeastCost",
    "LeastError",
    "MaxOfBoth",
    "Rule",
    "Tolerance",
    "best_at",
    "choose_row",
    "least_row",
    "make_rule",
    "reference_rows",
]

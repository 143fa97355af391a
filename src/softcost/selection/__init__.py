"""Choosing on the trade-off of cost and error: rules, and rows to compare with.

Pure functions of a trade-off table. Every rule breaks ties in the same way.
"""

from softcost.selection._budget import Budget
from softcost.selection._choose import (
    CRITERIA,
    best_at,
    choose_row,
    decide,
    make_rule,
    reference_rows,
)
from softcost.selection._evidence import Evidence, Limit
from softcost.selection._rules import (
    ByFunction,
    Decision,
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
    "Decision",
    "Evidence",
    "LeastCost",
    "LeastError",
    "Limit",
    "MaxOfBoth",
    "Rule",
    "Tolerance",
    "best_at",
    "choose_row",
    "decide",
    "least_row",
    "make_rule",
    "reference_rows",
]

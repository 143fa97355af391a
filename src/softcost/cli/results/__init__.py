"""What predictions cost, as plain numbers for tables and JSON."""

from softcost.cli.results._advice import advice, saving_facts
from softcost.cli.results._measures import (
    MEASURES,
    finite_or_none,
    measure,
    saving_percent,
    shown_measures,
)
from softcost.cli.results._mistakes import confusion, most_expensive_mistakes

__all__ = [
    "MEASURES",
    "advice",
    "confusion",
    "finite_or_none",
    "measure",
    "most_expensive_mistakes",
    "saving_facts",
    "saving_percent",
    "shown_measures",
]

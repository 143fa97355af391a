"""What predictions cost, as plain numbers for tables and JSON."""

from softcost.cli.results._importance import (
    importance_facts,
    print_importance,
    rows_for,
)
from softcost.cli.results._measures import (
    MEASURES,
    finite_or_none,
    measure,
    saving_percent,
    shown_measures,
)
from softcost.cli.results._mistakes import confusion, most_expensive_mistakes
from softcost.cli.results._page import page_data, write_page

__all__ = [
    "MEASURES",
    "confusion",
    "finite_or_none",
    "importance_facts",
    "measure",
    "most_expensive_mistakes",
    "page_data",
    "print_importance",
    "rows_for",
    "saving_percent",
    "shown_measures",
    "write_page",
]

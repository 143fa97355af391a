"""What predictions cost, as plain numbers for tables and JSON."""

from softcost.cli.results._measures import MEASURES, measure, number, saving_percent
from softcost.cli.results._mistakes import confusion, most_expensive_mistakes

__all__ = [
    "MEASURES",
    "confusion",
    "measure",
    "most_expensive_mistakes",
    "number",
    "saving_percent",
]

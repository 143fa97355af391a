"""What predictions cost, as plain numbers for tables and JSON."""

from softcost.cli.results._measures import MEASURES, measured, number, saving
from softcost.cli.results._mistakes import confusion, dearest_mistakes

__all__ = [
    "MEASURES",
    "confusion",
    "dearest_mistakes",
    "measured",
    "number",
    "saving",
]

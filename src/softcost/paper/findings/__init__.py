"""Our results beside the published values: tables, tests, claims, explanations."""

from softcost.paper.findings._anomalies import NOTES
from softcost.paper.findings._artificial import (
    artificial_front,
    artificial_lines,
    artificial_points,
)
from softcost.paper.findings._claims import claim_answers, verdicts
from softcost.paper.findings._comparison import (
    agreement,
    mark_best,
    outside,
    published_table,
    significance,
)
from softcost.paper.findings._findings import findings_of, readings
from softcost.paper.findings._published import published_symbols, published_values
from softcost.paper.findings._summary import MixedResults, current, select, summarize

__all__ = [
    "NOTES",
    "MixedResults",
    "agreement",
    "artificial_front",
    "artificial_lines",
    "artificial_points",
    "claim_answers",
    "current",
    "findings_of",
    "mark_best",
    "outside",
    "published_symbols",
    "published_table",
    "published_values",
    "readings",
    "select",
    "significance",
    "summarize",
    "verdicts",
]

"""Our results beside the published values: tables, tests, claims, explanations."""

from softcost.paper.findings._anomalies import NOTES
from softcost.paper.findings._artificial import (
    artificial_front,
    artificial_lines,
    artificial_points,
)
from softcost.paper.findings._comparison import (
    agreement,
    mark_best,
    outside,
    published_table,
    significance,
)
from softcost.paper.findings._findings import class_sizes, findings_of, readings
from softcost.paper.findings._overview import Overview, overview
from softcost.paper.findings._published import (
    published_class_sizes,
    published_symbols,
    published_values,
)
from softcost.paper.findings._ranks import rank_agreement, standings
from softcost.paper.findings._summary import MixedResults, current, select, summarize
from softcost.paper.findings._verdicts import (
    ABOVE,
    CHANCE,
    NOT_RUN,
    OPPOSITE,
    OTHER_COUNTS,
    SAME_COUNTS,
    SHUFFLES,
    verdicts,
)

__all__ = [
    "ABOVE",
    "CHANCE",
    "NOTES",
    "NOT_RUN",
    "OPPOSITE",
    "OTHER_COUNTS",
    "SAME_COUNTS",
    "SHUFFLES",
    "MixedResults",
    "Overview",
    "agreement",
    "artificial_front",
    "artificial_lines",
    "artificial_points",
    "class_sizes",
    "current",
    "findings_of",
    "mark_best",
    "outside",
    "overview",
    "published_class_sizes",
    "published_symbols",
    "published_table",
    "published_values",
    "rank_agreement",
    "readings",
    "select",
    "significance",
    "standings",
    "summarize",
    "verdicts",
]

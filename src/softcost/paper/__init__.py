"""The paper, reproduced: planned, computed, kept, and set beside the published values.

``run`` lists units of work, each a pure function of its parameters with seeds made of
names, and keeps one row per cell; ``findings`` compares rows with what is published;
``pages`` writes what is found as Markdown and HTML.
"""

from softcost.paper._report import write_report
from softcost.paper._reproduce import Reproduction, import_model, reproduce
from softcost.paper.findings import (
    MixedResults,
    agreement,
    artificial_front,
    artificial_lines,
    artificial_points,
    findings_of,
    mark_best,
    outside,
    published_symbols,
    published_table,
    published_values,
    select,
    significance,
    summarize,
    verdicts,
)
from softcost.paper.pages import beside_table
from softcost.paper.run import (
    TARGETS,
    Request,
    Store,
    Unit,
    make_request,
    plan,
    read_rows,
    run_unit,
    seed,
)

__all__ = [
    "TARGETS",
    "MixedResults",
    "Reproduction",
    "Request",
    "Store",
    "Unit",
    "agreement",
    "artificial_front",
    "artificial_lines",
    "artificial_points",
    "beside_table",
    "findings_of",
    "import_model",
    "make_request",
    "mark_best",
    "outside",
    "plan",
    "published_symbols",
    "published_table",
    "published_values",
    "read_rows",
    "reproduce",
    "run_unit",
    "seed",
    "select",
    "significance",
    "summarize",
    "verdicts",
    "write_report",
]

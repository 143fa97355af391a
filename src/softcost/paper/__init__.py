"""The paper, reproduced: planned, computed, kept, and set beside the published values.

``run`` lists units of work, each a pure function of its parameters with seeds made of
names, and keeps one row per cell; ``findings`` compares rows with what is published;
``pages`` writes what is found as Markdown and HTML.
"""

from softcost.paper.cell import run_unit
from softcost.paper.claim_verdicts import verdicts
from softcost.paper.comparison import (
    agreement,
    mark_best,
    outside,
    published_table,
    significance,
)
from softcost.paper.findings import (
    artificial_front,
    artificial_lines,
    artificial_points,
    findings_of,
)
from softcost.paper.planning import TARGETS, Request, Unit, make_request, plan, seed
from softcost.paper.reproduction import (
    Reproduction,
    import_model,
    reproduce,
    write_report,
)
from softcost.paper.result_tables import beside_table
from softcost.paper.store import Store, read_rows
from softcost.paper.summary import (
    MixedResults,
    published_symbols,
    published_values,
    select,
    summarize,
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

"""The paper's experiments: planned, computed cell by cell, kept, set beside the print.

A *plan* lists units of work; a unit is a pure function of its parameters with seeds
made of names; a *store* keeps one row per cell and knows what is still to do.
"""

from softcost.experiments._anomalies import NOTES
from softcost.experiments._artificial import (
    artificial_front,
    artificial_lines,
    artificial_points,
)
from softcost.experiments._cell import run_unit
from softcost.experiments._claims import claim_answers, verdicts
from softcost.experiments._comparison import (
    agreement,
    mark_best,
    outside,
    printed_table,
    significance,
)
from softcost.experiments._findings import findings, readings
from softcost.experiments._paper import printed, printed_tests
from softcost.experiments._plan import (
    FAMILIES,
    TARGETS,
    Request,
    Unit,
    make_request,
    plan,
)
from softcost.experiments._reproduce import Reproduction, import_model, reproduce
from softcost.experiments._seeds import seed
from softcost.experiments._store import Store, read_rows
from softcost.experiments._summary import MixedResults, current, select, summarize

__all__ = [
    "FAMILIES",
    "NOTES",
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
    "claim_answers",
    "current",
    "findings",
    "import_model",
    "make_request",
    "mark_best",
    "outside",
    "plan",
    "printed",
    "printed_table",
    "printed_tests",
    "read_rows",
    "readings",
    "reproduce",
    "run_unit",
    "seed",
    "select",
    "significance",
    "summarize",
    "verdicts",
]

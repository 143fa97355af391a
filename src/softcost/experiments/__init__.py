"""The paper's experiments: planned, computed cell by cell, kept, set beside the print.

A *plan* lists units of work; a unit is a pure function of its parameters with seeds
made of names; a *store* keeps one row per cell and knows what is still to do.
"""

from softcost.experiments._artificial import artificial_front, artificial_lines
from softcost.experiments._cell import run_unit
from softcost.experiments._paper import printed, printed_tests
from softcost.experiments._plan import (
    CODE_VERSION,
    TARGETS,
    Request,
    Unit,
    make_request,
    plan,
)
from softcost.experiments._reproduce import Reproduction, import_model, reproduce
from softcost.experiments._seeds import seed
from softcost.experiments._store import Store
from softcost.experiments._summary import select, summarize
from softcost.experiments._verdicts import (
    agreement,
    claims,
    mark_best,
    printed_table,
    significance,
)

__all__ = [
    "CODE_VERSION",
    "TARGETS",
    "Reproduction",
    "Request",
    "Store",
    "Unit",
    "agreement",
    "artificial_front",
    "artificial_lines",
    "claims",
    "import_model",
    "make_request",
    "mark_best",
    "plan",
    "printed",
    "printed_table",
    "printed_tests",
    "reproduce",
    "run_unit",
    "seed",
    "select",
    "significance",
    "summarize",
]

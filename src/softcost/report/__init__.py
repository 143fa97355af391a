"""What people look at: the explorer page and the displays.

Frames and arrays in, artefacts out; no estimator is imported. A fitted search is read
through its public attributes.
"""

from softcost.report._advice import advice, budget_words, saving_facts, saving_words
from softcost.report._data import ExplorerData
from softcost.report._displays import (
    CostMatrixDisplay,
    SoftnessCurveDisplay,
    TradeoffDisplay,
)
from softcost.report._explorer import explorer_html, notebook_html, write_explorer
from softcost.report._price_displays import CostCurveDisplay, NetBenefitDisplay
from softcost.report._python import python_lines

__all__ = [
    "CostCurveDisplay",
    "CostMatrixDisplay",
    "ExplorerData",
    "NetBenefitDisplay",
    "SoftnessCurveDisplay",
    "TradeoffDisplay",
    "advice",
    "budget_words",
    "explorer_html",
    "notebook_html",
    "python_lines",
    "saving_facts",
    "saving_words",
    "write_explorer",
]

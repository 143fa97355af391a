"""The explorer page, the displays and the verdict on a model in words.

Frames and arrays in, artefacts out; no estimator is imported. A fitted search is read
through its public attributes.
"""

from softcost.report.advice import advice, budget_words, saving_facts, saving_words
from softcost.report.displays import (
    CostCurveDisplay,
    CostMatrixDisplay,
    NetBenefitDisplay,
    SoftnessCurveDisplay,
    TradeoffDisplay,
)
from softcost.report.explorer import (
    ExplorerData,
    NotebookPage,
    explorer_html,
    notebook_html,
    python_lines,
    write_explorer,
)
from softcost.report.monitor_page import write_monitor_page

__all__ = [
    "CostCurveDisplay",
    "CostMatrixDisplay",
    "ExplorerData",
    "NetBenefitDisplay",
    "NotebookPage",
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
    "write_monitor_page",
]

"""What people look at: the explorer page and the displays.

Frames and arrays in, artefacts out; no estimator is imported. A fitted search is read
through its public attributes.
"""

from softcost.report._data import ExplorerData
from softcost.report._displays import (
    CostMatrixDisplay,
    SoftnessCurveDisplay,
    TradeoffDisplay,
)
from softcost.report._explorer import explorer_html, notebook_html, write_explorer

__all__ = [
    "CostMatrixDisplay",
    "ExplorerData",
    "SoftnessCurveDisplay",
    "TradeoffDisplay",
    "explorer_html",
    "notebook_html",
    "write_explorer",
]

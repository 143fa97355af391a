"""What people look at: the explorer page, the displays, the report of a study.

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
from softcost.report._numbers import heading
from softcost.report._study import Artificial, Chapter, Study, write_study
from softcost.report._study_tables import beside_table

__all__ = [
    "Artificial",
    "Chapter",
    "CostMatrixDisplay",
    "ExplorerData",
    "SoftnessCurveDisplay",
    "Study",
    "TradeoffDisplay",
    "beside_table",
    "explorer_html",
    "heading",
    "notebook_html",
    "write_explorer",
    "write_study",
]

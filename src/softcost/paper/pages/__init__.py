"""The report of a study: frames in, Markdown and HTML out."""

from softcost.paper.pages._numbers import heading
from softcost.paper.pages._study import Artificial, Chapter, Study, write_study
from softcost.paper.pages._tables import beside_table

__all__ = [
    "Artificial",
    "Chapter",
    "Study",
    "beside_table",
    "heading",
    "write_study",
]

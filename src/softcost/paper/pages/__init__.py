"""The report of a study: findings in, Markdown and HTML out."""

from softcost.paper.pages._chapter import Chapter
from softcost.paper.pages._numbers import heading
from softcost.paper.pages._study import Artificial, Study
from softcost.paper.pages._tables import beside_table
from softcost.paper.pages._write import write_study

__all__ = [
    "Artificial",
    "Chapter",
    "Study",
    "beside_table",
    "heading",
    "write_study",
]

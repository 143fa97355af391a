"""Soft cost-sensitive classification: choose on the trade-off of cost and error."""

from softcost.selection import choose_row
from softcost.soft._mix import RandomizedPair, best_mix
from softcost.soft._optimism import Optimism
from softcost.soft._progress import progress_to
from softcost.soft._search import SoftCostClassifierCV

__all__ = [
    "Optimism",
    "RandomizedPair",
    "SoftCostClassifierCV",
    "best_mix",
    "choose_row",
    "progress_to",
]

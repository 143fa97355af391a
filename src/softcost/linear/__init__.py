"""Machines that are linear in their features, for many rows."""

from softcost.linear._classifier import LinearClassifier
from softcost.linear._nystroem import NystroemClassifier, OneSidedNystroem
from softcost.linear._one_sided import OneSidedLinear

__all__ = [
    "LinearClassifier",
    "NystroemClassifier",
    "OneSidedLinear",
    "OneSidedNystroem",
]

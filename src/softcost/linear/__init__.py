"""Linear machines for many rows, on the features themselves or on Nystroem features."""

from softcost.linear.linear_classifier import LinearClassifier
from softcost.linear.nystroem import NystroemClassifier, OneSidedNystroem
from softcost.linear.one_sided_linear import OneSidedLinear

__all__ = [
    "LinearClassifier",
    "NystroemClassifier",
    "OneSidedLinear",
    "OneSidedNystroem",
]

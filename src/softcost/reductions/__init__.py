"""Cost-sensitive classification reduced to what any learner can do."""

from softcost.reductions._base import FlatReduction, Reduction
from softcost.reductions._clipped import ClippedTargetRegressor
from softcost.reductions._filter_tree import FilterTree
from softcost.reductions._one_sided import OneSidedRegression, RegressionOneVsAll
from softcost.reductions._pairwise import CostSensitiveOneVsOne, WeightedAllPairs
from softcost.reductions._rescaling import ZhouLiuRescaling

__all__ = [
    "ClippedTargetRegressor",
    "CostSensitiveOneVsOne",
    "FilterTree",
    "FlatReduction",
    "OneSidedRegression",
    "Reduction",
    "RegressionOneVsAll",
    "WeightedAllPairs",
    "ZhouLiuRescaling",
]

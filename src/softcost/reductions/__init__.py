"""Cost-sensitive classification reduced to what any learner can do."""

from softcost.reductions._base import FlatReduction, Reduction
from softcost.reductions._boosting import StochasticEnsembleBoosting
from softcost.reductions._clipped import ClippedTargetRegressor
from softcost.reductions._costing import Costing
from softcost.reductions._expected import MinimumExpectedCost
from softcost.reductions._metacost import MetaCost
from softcost.reductions._one_sided import OneSidedRegression, RegressionOneVsAll
from softcost.reductions._one_sided_boosting import OneSidedBoosting
from softcost.reductions._pairwise import CostSensitiveOneVsOne, WeightedAllPairs
from softcost.reductions._rescaling import ZhouLiuRescaling
from softcost.reductions._task import Prices, Task, read_prices
from softcost.reductions.filter_tree import FilterTree

__all__ = [
    "ClippedTargetRegressor",
    "CostSensitiveOneVsOne",
    "Costing",
    "FilterTree",
    "FlatReduction",
    "MetaCost",
    "MinimumExpectedCost",
    "OneSidedBoosting",
    "OneSidedRegression",
    "Prices",
    "Reduction",
    "RegressionOneVsAll",
    "StochasticEnsembleBoosting",
    "Task",
    "WeightedAllPairs",
    "ZhouLiuRescaling",
    "read_prices",
]

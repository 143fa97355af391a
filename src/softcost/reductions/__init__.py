"""Cost-sensitive classification reduced to what any learner can do.

`CATALOGUE` lists the reductions; their classes are imported when they are used.
"""

from typing import TYPE_CHECKING

from softcost._lazy import lazy_names
from softcost.reductions._catalogue import CATALOGUE, Entry

if TYPE_CHECKING:
    from softcost.reductions._base import Reduction
    from softcost.reductions._blend import BlendedClassifier
    from softcost.reductions._blend_weights import blend_weights, learn_blend, raised
    from softcost.reductions._boosting import StochasticEnsembleBoosting
    from softcost.reductions._clipped import ClippedTargetRegressor
    from softcost.reductions._costing import Costing
    from softcost.reductions._data import TrainingData
    from softcost.reductions._expected import MinimumExpectedCost, cheapest_answers
    from softcost.reductions._filter_tree import FilterTree
    from softcost.reductions._flat import FlatReduction
    from softcost.reductions._metacost import MetaCost
    from softcost.reductions._one_sided import OneSidedRegression, RegressionOneVsAll
    from softcost.reductions._one_sided_boosting import OneSidedBoosting
    from softcost.reductions._pairwise import CostSensitiveOneVsOne, WeightedAllPairs
    from softcost.reductions._rescaling import ZhouLiuRescaling
    from softcost.reductions._softmax_scores import SoftmaxScores

__all__ = [
    "CATALOGUE",
    "BlendedClassifier",
    "ClippedTargetRegressor",
    "CostSensitiveOneVsOne",
    "Costing",
    "Entry",
    "FilterTree",
    "FlatReduction",
    "MetaCost",
    "MinimumExpectedCost",
    "OneSidedBoosting",
    "OneSidedRegression",
    "Reduction",
    "RegressionOneVsAll",
    "SoftmaxScores",
    "StochasticEnsembleBoosting",
    "TrainingData",
    "WeightedAllPairs",
    "ZhouLiuRescaling",
    "blend_weights",
    "cheapest_answers",
    "learn_blend",
    "raised",
]

if not TYPE_CHECKING:
    _NAMES_OF = {
        "softcost.reductions._base": ["Reduction"],
        "softcost.reductions._blend": ["BlendedClassifier"],
        "softcost.reductions._blend_weights": [
            "blend_weights",
            "learn_blend",
            "raised",
        ],
        "softcost.reductions._clipped": ["ClippedTargetRegressor"],
        "softcost.reductions._data": ["TrainingData"],
        "softcost.reductions._expected": ["cheapest_answers"],
        "softcost.reductions._flat": ["FlatReduction"],
        "softcost.reductions._one_sided_boosting": ["OneSidedBoosting"],
        "softcost.reductions._softmax_scores": ["SoftmaxScores"],
    }
    for _entry in CATALOGUE.values():
        _module = f"softcost.reductions.{_entry.module}"
        _NAMES_OF.setdefault(_module, []).append(_entry.class_name)
    __getattr__, __dir__ = lazy_names("softcost.reductions", _NAMES_OF)

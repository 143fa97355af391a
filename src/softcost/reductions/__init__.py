"""Reductions from cost-sensitive classification to ordinary learning problems.

`CATALOGUE` lists the reductions. Their classes are imported on first use.
"""

from typing import TYPE_CHECKING

from softcost._lazy import lazy_names
from softcost.reductions.catalogue import CATALOGUE, Entry

if TYPE_CHECKING:
    from softcost.reductions.base import FlatReduction, Reduction, TrainingData
    from softcost.reductions.blend import (
        BlendedClassifier,
        blend_weights,
        fit_blend,
        temper_probabilities,
    )
    from softcost.reductions.calibration import SoftmaxScores
    from softcost.reductions.costing import Costing
    from softcost.reductions.expected_cost import MinimumExpectedCost, cheapest_answers
    from softcost.reductions.filter_tree import FilterTree
    from softcost.reductions.metacost import MetaCost
    from softcost.reductions.one_sided import (
        ClippedTargetRegressor,
        OneSidedRegression,
        RegressionOneVsAll,
    )
    from softcost.reductions.one_sided_boosting import OneSidedBoosting
    from softcost.reductions.pairwise import CostSensitiveOneVsOne, WeightedAllPairs
    from softcost.reductions.rescaling import ZhouLiuRescaling
    from softcost.reductions.stochastic_ensemble import StochasticEnsembleBoosting

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
    "fit_blend",
    "temper_probabilities",
]

if not TYPE_CHECKING:
    _NAMES_OF = {
        "softcost.reductions.base": ["FlatReduction", "Reduction", "TrainingData"],
        "softcost.reductions.blend": [
            "BlendedClassifier",
            "blend_weights",
            "fit_blend",
            "temper_probabilities",
        ],
        "softcost.reductions.calibration": ["SoftmaxScores"],
        "softcost.reductions.expected_cost": ["cheapest_answers"],
        "softcost.reductions.one_sided": ["ClippedTargetRegressor"],
        "softcost.reductions.one_sided_boosting": ["OneSidedBoosting"],
    }
    for _entry in CATALOGUE.values():
        _module = f"softcost.reductions.{_entry.module}"
        _NAMES_OF.setdefault(_module, []).append(_entry.class_name)
    __getattr__, __dir__ = lazy_names("softcost.reductions", _NAMES_OF)

"""Measures of predictions, Pareto fronts, significance tests and savings.

Pure functions of labels, predictions and costs. Costs are in the user's units, and no
result depends on the order of the classes.
"""

from typing import TYPE_CHECKING, Any

from softcost.metrics.decision import (
    coverage,
    error_answered,
    error_rate,
    g_mean,
    mean_cost,
    measure,
    normalized_cost,
    recall_product,
    weighted_error,
)
from softcost.metrics.front import hypervolume, lower_hull, pareto_mask
from softcost.metrics.importance import column_importance
from softcost.metrics.measures import (
    MEASURES,
    Measure,
    confusion_counts,
    measures_from_confusion,
    reported_measures,
    total_cost,
)
from softcost.metrics.savings import Saving, paired_saving
from softcost.metrics.sequential import (
    Change,
    mean_interval,
    mean_rise,
    mix_change,
    start_weight,
)
from softcost.metrics.significance import Comparison, compare

if TYPE_CHECKING:
    from softcost.metrics.scorer import cost_scorer

__all__ = [
    "MEASURES",
    "Change",
    "Comparison",
    "Measure",
    "Saving",
    "column_importance",
    "compare",
    "confusion_counts",
    "cost_scorer",
    "coverage",
    "error_answered",
    "error_rate",
    "g_mean",
    "hypervolume",
    "lower_hull",
    "mean_cost",
    "mean_interval",
    "mean_rise",
    "measure",
    "measures_from_confusion",
    "mix_change",
    "normalized_cost",
    "paired_saving",
    "pareto_mask",
    "recall_product",
    "reported_measures",
    "start_weight",
    "total_cost",
    "weighted_error",
]


def __getattr__(name: str) -> Any:
    if name == "cost_scorer":  # importing scikit-learn is slow
        from softcost.metrics.scorer import cost_scorer

        return cost_scorer
    raise AttributeError(f"module 'softcost.metrics' has no attribute {name!r}")

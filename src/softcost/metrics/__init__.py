"""How good predictions are: cost, error, weighted error, recalls; fronts; t-tests.

Pure functions of labels, predictions and costs. Costs are in the user's units, and no
result depends on the order of the classes.
"""

from typing import TYPE_CHECKING, Any

from softcost.metrics._compare import Comparison, compare
from softcost.metrics._decision import (
    error_rate,
    g_mean,
    mean_cost,
    normalized_cost,
    recall_product,
    weighted_error,
)
from softcost.metrics._front import hypervolume, lower_hull, pareto_mask

if TYPE_CHECKING:
    from softcost.metrics._scorer import cost_scorer

__all__ = [
    "Comparison",
    "compare",
    "cost_scorer",
    "error_rate",
    "g_mean",
    "hypervolume",
    "lower_hull",
    "mean_cost",
    "normalized_cost",
    "pareto_mask",
    "recall_product",
    "weighted_error",
]


def __getattr__(name: str) -> Any:
    if name == "cost_scorer":  # scikit-learn takes long to import
        from softcost.metrics._scorer import cost_scorer

        return cost_scorer
    raise AttributeError(f"module 'softcost.metrics' has no attribute {name!r}")

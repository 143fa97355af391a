"""Costs of mistakes: validation, matching by label, scaling and softening.

All validation of costs is in this package. ``cost_matrix[true, predicted]`` is K x K,
by class; ``costs`` is n x K, by example, or n x K x K, a matrix for every example that
is known when it is decided. ``cost_matrix`` and ``costs`` are separate arguments and
never distinguished by shape. Arrays and lists are in the order of the classes; tables
and dicts are matched by label.

``SERS_COSTS`` and ``KDD99_COSTS`` are published matrices. Each access returns a new
labelled pandas DataFrame.
"""

from typing import TYPE_CHECKING, Any

from softcost.costs.actions import (
    NO_ACTIONS,
    all_answers,
    answer_indices,
    check_action_error,
    extra_actions,
)
from softcost.costs.formula import (
    CostFormula,
    FormulaError,
    RowCostFormulas,
    row_cost_matrices,
)
from softcost.costs.generators import (
    absolute,
    balanced,
    by_group,
    consistent,
    emphasized,
    from_benefits,
    inconsistent,
    plain,
    squared,
)
from softcost.costs.labels import class_indices
from softcost.costs.matrix import (
    check_cost_matrix,
    check_costs,
    consistency_weights,
    is_consistent,
    is_labelled,
    resolve_classes,
)
from softcost.costs.row_costs import (
    CostProblem,
    RowCosts,
    class_costs,
    costs_changed,
    error_costs,
    is_row_matrices,
    row_costs,
    row_matrices,
    scaled_matrices,
    scaled_matrix,
)
from softcost.costs.vectors import (
    as_cost_vectors,
    check_softness,
    costs_of_rows,
    error_weights,
    naive,
    normalize,
    raw_cost_vectors,
    soften,
    softened,
    weighted,
)

if TYPE_CHECKING:
    import pandas as pd

    from softcost.costs.price_list import read_costs

    KDD99_COSTS: pd.DataFrame
    SERS_COSTS: pd.DataFrame

__all__ = [
    "KDD99_COSTS",
    "NO_ACTIONS",
    "SERS_COSTS",
    "CostFormula",
    "CostProblem",
    "FormulaError",
    "RowCostFormulas",
    "RowCosts",
    "absolute",
    "all_answers",
    "answer_indices",
    "as_cost_vectors",
    "balanced",
    "by_group",
    "check_action_error",
    "check_cost_matrix",
    "check_costs",
    "check_softness",
    "class_costs",
    "class_indices",
    "consistency_weights",
    "consistent",
    "costs_changed",
    "costs_of_rows",
    "emphasized",
    "error_costs",
    "error_weights",
    "extra_actions",
    "from_benefits",
    "inconsistent",
    "is_consistent",
    "is_labelled",
    "is_row_matrices",
    "naive",
    "normalize",
    "plain",
    "raw_cost_vectors",
    "read_costs",
    "resolve_classes",
    "row_cost_matrices",
    "row_costs",
    "row_matrices",
    "scaled_matrices",
    "scaled_matrix",
    "soften",
    "softened",
    "squared",
    "weighted",
]


def __getattr__(name: str) -> Any:
    if name == "read_costs":  # imports softcost.tables, which imports this package
        from softcost.costs.price_list import read_costs

        return read_costs
    if name in ("KDD99_COSTS", "SERS_COSTS"):
        from softcost.costs.generators import published_matrix

        return published_matrix(name)
    raise AttributeError(f"module 'softcost.costs' has no attribute {name!r}")

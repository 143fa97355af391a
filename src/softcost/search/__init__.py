"""Search over softness and parameters, and choose on the trade-off.

`SoftCostClassifierCV` cross-validates every candidate and refits the one that a rule
chooses. The rules, and the analysis of how sure a choice is, are pure functions of the
trade-off table and of held-out confusion matrices: they can be used without a search.
Names are imported when they are first used.
"""

from typing import TYPE_CHECKING

from softcost._lazy import lazy_names

if TYPE_CHECKING:
    from softcost.search.budget import Budget
    from softcost.search.counts import Evidence, Limit
    from softcost.search.criteria import (
        CRITERIA,
        Criterion,
        choose_row,
        make_rule,
    )
    from softcost.search.estimator import SoftCostClassifierCV
    from softcost.search.mixture import RandomizedPair, best_mix
    from softcost.search.optimism import Optimism
    from softcost.search.progress import progress_to
    from softcost.search.rules import (
        ByFunction,
        Decision,
        LeastCost,
        LeastError,
        MaxOfBoth,
        Rule,
        Tolerance,
        best_at,
        decide,
        least_row,
        reference_rows,
    )
    from softcost.search.sensitivity import (
        PricedChoice,
        Regret,
        Sensitivity,
        box_regret,
        cost_differences,
        price_intervals,
        scenario_regret,
    )

__all__ = [
    "CRITERIA",
    "Budget",
    "ByFunction",
    "Criterion",
    "Decision",
    "Evidence",
    "LeastCost",
    "LeastError",
    "Limit",
    "MaxOfBoth",
    "Optimism",
    "PricedChoice",
    "RandomizedPair",
    "Regret",
    "Rule",
    "Sensitivity",
    "SoftCostClassifierCV",
    "Tolerance",
    "best_at",
    "best_mix",
    "box_regret",
    "choose_row",
    "cost_differences",
    "decide",
    "least_row",
    "make_rule",
    "price_intervals",
    "progress_to",
    "reference_rows",
    "scenario_regret",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(
        "softcost.search",
        {
            "softcost.search.budget": ["Budget"],
            "softcost.search.counts": ["Evidence", "Limit"],
            "softcost.search.criteria": [
                "CRITERIA",
                "Criterion",
                "choose_row",
                "make_rule",
            ],
            "softcost.search.estimator": ["SoftCostClassifierCV"],
            "softcost.search.mixture": ["RandomizedPair", "best_mix"],
            "softcost.search.optimism": ["Optimism"],
            "softcost.search.progress": ["progress_to"],
            "softcost.search.rules": [
                "ByFunction",
                "Decision",
                "LeastCost",
                "LeastError",
                "MaxOfBoth",
                "Rule",
                "Tolerance",
                "best_at",
                "decide",
                "least_row",
                "reference_rows",
            ],
            "softcost.search.sensitivity": [
                "PricedChoice",
                "Regret",
                "Sensitivity",
                "box_regret",
                "cost_differences",
                "price_intervals",
                "scenario_regret",
            ],
        },
    )

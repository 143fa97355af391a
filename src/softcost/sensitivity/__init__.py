"""How sure a choice is: what it would be at other prices, or with other rows.

Costs are linear in prices, so all of it follows from held-out confusion matrices; no
model is trained again. Models stay those that were trained with the original prices.
"""

from softcost.sensitivity._differences import cost_differences
from softcost.sensitivity._intervals import price_intervals
from softcost.sensitivity._priced import PricedChoice
from softcost.sensitivity._regret import Regret, box_regret, scenario_regret
from softcost.sensitivity._result import Sensitivity

__all__ = [
    "PricedChoice",
    "Regret",
    "Sensitivity",
    "box_regret",
    "cost_differences",
    "price_intervals",
    "scenario_regret",
]

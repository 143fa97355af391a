"""Choosing when prices are guesses: the least worst regret.

The regret of a candidate at some prices is what it costs there above the cheapest one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from softcost.costs import check_cost_matrix
from softcost.selection import least_row
from softcost.sensitivity._priced import PricedChoice


@dataclass(frozen=True)
class Regret:
    """What candidates may cost above the cheapest one.

    Attributes
    ----------
    worst : array of shape (n_candidates,)
        The largest regret of every candidate; infinite for those not to be chosen.
    row : int
        The candidate whose largest regret is the least.
    costs : DataFrame of shape (n_candidates, n_scenarios) or None
        What every candidate costs in every scenario; None for ranges of prices.
    choices : dict of scenario and row, or None
        What the rule chooses in every scenario.

    See Also
    --------
    scenario_regret : Regret over a list, or dict by name, of cost matrices.
    box_regret : Regret over all prices between two matrices, each free to move by
        itself.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.sensitivity import Regret
    >>> regret = Regret(worst=np.array([0.4, 0.1, np.inf]), row=1)
    >>> float(regret.worst[regret.row])  # at most 0.1 above the cheapest
    0.1
    """

    worst: NDArray[np.float64]
    row: int
    costs: pd.DataFrame | None = None
    choices: dict[Any, int] | None = None


def scenario_regret(
    priced: PricedChoice, scenarios: Any, eligible: NDArray[np.bool_]
) -> Regret:
    """Regret over a list, or dict by name, of cost matrices.

    Parameters
    ----------
    priced : PricedChoice
        Candidates, prices and the rule.
    scenarios : list of cost matrices, or dict of name and cost matrix
        What prices may be.
    eligible : array of shape (n_candidates,)
        Which candidates may be chosen.

    Returns
    -------
    Regret
        The largest regret of every candidate, and where it is least.

    See Also
    --------
    box_regret : Regret over all prices between two matrices, each free to move by
        itself.
    PricedChoice : A trade-off table whose costs follow the prices, and a rule that
        chooses on it.

    Examples
    --------
    Nobody is sure what a letter costs that was taken for spam:

    >>> import numpy as np
    >>> import pandas as pd
    >>> from softcost.selection import Evidence, LeastCost
    >>> from softcost.sensitivity import PricedChoice, scenario_regret
    >>> counts = np.array([[[[7.0, 3.0], [0.0, 10.0]]], [[[9.0, 1.0], [1.0, 9.0]]]])
    >>> prices = np.array([[0.0, 1.0], [2.0, 0.0]])
    >>> cost = (counts * prices).sum(axis=(2, 3)) / 20
    >>> table = pd.DataFrame({"softness": [0.0, 0.5], "cost": cost[:, 0]})
    >>> table["normalized_cost"] = table["cost"] / 1.5
    >>> names = ["ham", "spam"]
    >>> evidence = Evidence(np.array(names), counts[:, 0], 20, np.ones(2))
    >>> priced = PricedChoice(table, counts, cost, prices, names, LeastCost(), evidence)
    >>> scenarios = {"hardly": [[0, 0.5], [2, 0]], "a client": [[0, 9], [2, 0]]}
    >>> found = scenario_regret(priced, scenarios, np.ones(2, bool))
    >>> found.choices
    {'hardly': 0, 'a client': 1}
    >>> found.row, round(float(found.worst[found.row]), 3)
    (1, 0.05)
    """
    _refuse_examples(priced, "scenarios")
    named = _named(scenarios)
    if not named:
        raise ValueError("scenarios is empty: give at least one cost matrix.")
    matrices = {
        name: _checked(given, priced, f"scenarios, {name!r}")
        for name, given in named.items()
    }
    costs = pd.DataFrame(
        {name: priced.costs_at(matrix) for name, matrix in matrices.items()}
    )
    values = costs.to_numpy(float)
    worst = (values - values[eligible].min(axis=0)).max(axis=1)
    return Regret(
        *_least(priced, worst, eligible),
        costs=costs,
        choices={name: priced.choice_at(matrix) for name, matrix in matrices.items()},
    )


def box_regret(
    priced: PricedChoice, price_range: Any, eligible: NDArray[np.bool_]
) -> Regret:
    """Regret over all prices between two matrices, each free to move by itself.

    The regret of i against j is largest where every price is at the end that i uses
    more (or j less): ``sum max(d * low, d * high)`` with d the difference of their
    shares. So it is exact, though there are ``2 ** (K * K)`` corners.

    Parameters
    ----------
    priced : PricedChoice
        Candidates, prices and the rule.
    price_range : pair of cost matrices
        The lowest prices and the highest.
    eligible : array of shape (n_candidates,)
        Which candidates may be chosen.

    Returns
    -------
    Regret
        The largest regret of every candidate, and where it is least.

    See Also
    --------
    scenario_regret : Regret over a list, or dict by name, of cost matrices.
    PricedChoice : A trade-off table whose costs follow the prices, and a rule that
        chooses on it.

    Examples
    --------
    Prices may be half of what they are, and a spam that comes through cost up to 8:

    >>> import numpy as np
    >>> import pandas as pd
    >>> from softcost.selection import Evidence, LeastCost
    >>> from softcost.sensitivity import PricedChoice, box_regret
    >>> counts = np.array([[[[7.0, 3.0], [0.0, 10.0]]], [[[9.0, 1.0], [1.0, 9.0]]]])
    >>> prices = np.array([[0.0, 1.0], [2.0, 0.0]])
    >>> cost = (counts * prices).sum(axis=(2, 3)) / 20
    >>> table = pd.DataFrame({"softness": [0.0, 0.5], "cost": cost[:, 0]})
    >>> table["normalized_cost"] = table["cost"] / 1.5
    >>> names = ["ham", "spam"]
    >>> evidence = Evidence(np.array(names), counts[:, 0], 20, np.ones(2))
    >>> priced = PricedChoice(table, counts, cost, prices, names, LeastCost(), evidence)
    >>> dearest = np.array([[0.0, 1.0], [8.0, 0.0]])
    >>> found = box_regret(priced, (prices / 2, dearest), np.ones(2, bool))
    >>> found.row, found.worst.round(3).tolist()
    (0, [0.05, 0.35])
    """
    _refuse_examples(priced, "price_range")
    if not isinstance(price_range, tuple | list) or len(price_range) != 2:
        raise ValueError(
            "price_range must be a pair of cost matrices, the lowest prices and the "
            "highest; give (low, high)."
        )
    low, high = (
        _checked(given, priced, f"price_range, {name},")
        for name, given in zip(("low", "high"), price_range, strict=True)
    )
    if (low > high).any():
        raise ValueError(
            "price_range has a lowest price above the highest: give (low, high)."
        )
    flat = priced.shares.reshape(len(priced.table), -1)
    rivals = flat[eligible]
    worst = np.empty(len(flat))
    for row, own in enumerate(flat):
        more = own - rivals
        extra = np.where(more > 0, more * high.ravel(), more * low.ravel())
        worst[row] = extra.sum(axis=1).max()
    return Regret(*_least(priced, worst, eligible))


def _least(
    priced: PricedChoice, worst: NDArray[np.float64], eligible: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], int]:
    worst = np.where(eligible, np.maximum(worst, 0.0), np.inf)
    return worst, least_row(priced.table, worst, priced.cost)


def _named(scenarios: Any) -> dict[Any, Any]:
    if isinstance(scenarios, Mapping):
        return dict(scenarios)
    if not isinstance(scenarios, list | tuple):
        raise TypeError(
            f"scenarios must be a list of cost matrices, or a dict by name, not "
            f"{type(scenarios).__name__}."
        )
    return dict(enumerate(scenarios))


def _checked(given: Any, priced: PricedChoice, what: str) -> NDArray[np.float64]:
    try:
        classes = priced.evidence.classes
        extra = list(priced.answers[len(classes) :])
        return check_cost_matrix(given, classes, actions=extra or None)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{what}: {error}") from error


def _refuse_examples(priced: PricedChoice, argument: str) -> None:
    if priced.by_example:
        raise ValueError(
            f"{argument} replaces prices by class, but these were given by example: "
            "leave it out, and see the intervals of their means."
        )

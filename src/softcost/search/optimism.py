"""Selection bias: how optimistic the cost of the best of many candidates is.

The method is the bootstrap bias correction of Tsamardinos, Greasidou and Borboudakis
(2018), "Bootstrapping the out-of-sample predictions for efficient and accurate
cross-validation", Machine Learning 107.
"""

import warnings
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from softcost.search.budget import Budget
from softcost.search.criteria import choose_row
from softcost.search.preference import PreferBlend
from softcost.search.rules import ByFunction, Rule
from softcost.search.table import HeldOutRows

_BLOCK = 32  # resamples measured together: one matrix product each, little memory


@dataclass(frozen=True)
class Optimism:
    """Expected cost of the chosen candidate on new rows, corrected for selection bias.

    Attributes
    ----------
    cost : float
        Cross-validated cost of the chosen candidate, the best of many.
    expected_cost : float
        Mean cost of the candidate chosen on a resample, on the rows left out of it.
    low, high : float
        95% of the resamples have a cost between these.
    n_candidates, n_resamples : int
        Number of candidates compared, and of resamples.

    See Also
    --------
    SoftCostClassifierCV.optimism : Computes it.

    Examples
    --------
    >>> from softcost.search import Optimism
    >>> estimate = Optimism(0.30, 0.34, 0.25, 0.45, n_candidates=55, n_resamples=200)
    >>> round(estimate.optimism, 2)  # the best of 55 looks cheaper than it is
    0.04
    """

    cost: float
    expected_cost: float
    low: float
    high: float
    n_candidates: int
    n_resamples: int

    @property
    def optimism(self) -> float:
        """Expected cost minus cross-validated cost."""
        return self.expected_cost - self.cost


def bootstrap_optimism(
    held_out: HeldOutRows,
    table: pd.DataFrame,
    rule: Rule,
    *,
    chosen: int,
    error: str,
    n_resamples: int,
    random_state: Any,
) -> Optimism:
    """Choose on resampled rows, and measure the choice on the rows that were not drawn.

    See `SoftCostClassifierCV.optimism` for the formula.
    """
    if not isinstance(n_resamples, Integral) or n_resamples < 2:
        raise ValueError(
            f"n_resamples must be a count of at least 2, not {n_resamples!r}; 200 is "
            "enough."
        )
    rng = check_random_state(random_state)
    # Only rows that were held out and have a positive weight can be drawn.
    drawable = held_out.row[np.flatnonzero(held_out.rows.weight[held_out.row])]
    groups, number_of = np.unique(held_out.groups[drawable], return_inverse=True)
    if len(groups) < 2:
        raise ValueError(
            "optimism resamples held-out rows, or groups of them, and there is only "
            "one: hold out at least two."
        )
    group_of = np.zeros(len(held_out.groups), np.intp)
    group_of[drawable] = number_of
    costs: list[float] = []
    for start in range(0, int(n_resamples), _BLOCK):
        size = min(_BLOCK, int(n_resamples) - start)
        drawn = _drawn(rng, size, len(groups))
        inside = held_out.measured(drawn, group_of)
        outside = held_out.mean_costs(drawn == 0, group_of)
        for number in range(size):
            resampled = table.assign(
                **{name: values[number] for name, values in inside.items()}
            )
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # budgets that a resample misses
                row = choose_row(resampled, rule, error=error)
            costs.append(float(outside[number, row]))
    low, high = np.quantile(costs, [0.025, 0.975])
    return Optimism(
        cost=float(table["cost"].iloc[chosen]),
        expected_cost=float(np.mean(costs)),
        low=float(low),
        high=float(high),
        n_candidates=len(table),
        n_resamples=int(n_resamples),
    )


def _drawn(rng: np.random.RandomState, size: int, n_groups: int) -> NDArray[np.uint16]:
    """How often each group is drawn; at least one group is always left out."""
    drawn = np.empty((size, n_groups), np.uint16)
    for number in range(size):
        while True:
            drawn[number] = np.bincount(
                rng.randint(n_groups, size=n_groups), minlength=n_groups
            )
            if (drawn[number] == 0).any():
                break
    return drawn


def rule_on_tables(
    rule: Rule, guarantee: dict[str, Any] | None, chosen: int, error: str
) -> Rule:
    """An equivalent rule that needs no more than a trade-off table.

    A resample has no counts to test. So candidates that passed a budget by counts or
    tests stay those that pass.

    Parameters
    ----------
    rule : Rule
        The rule of the search.
    guarantee : dict or None
        Result of a budget.
    chosen : int
        Row that the rule has chosen.
    error : {"error", "weighted_error"}
        The error that counts.
    """
    budget = rule.rule if isinstance(rule, PreferBlend) else rule
    if not isinstance(budget, Budget) or not budget.needs_counts:
        return rule
    assert guarantee is not None
    rows = guarantee["passed"] or [chosen]
    least = "cost" if budget.least == "cost" else error

    def preferred(table: pd.DataFrame) -> int:
        assert isinstance(rule, PreferBlend)
        key = rule.penalised(table) if least == "cost" else table[least].to_numpy()
        return rule.least_within(table, table.index.isin(rows), key, error=error)

    if isinstance(rule, PreferBlend):
        return ByFunction(preferred)
    return ByFunction(lambda table: table[least].where(table.index.isin(rows)))

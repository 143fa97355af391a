"""A choice, and what it would be at other prices."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from softcost.selection import Evidence, Rule, decide


@dataclass(frozen=True)
class PricedChoice:
    """A trade-off table whose costs follow the prices, and a rule that chooses on it.

    Attributes
    ----------
    table : DataFrame
        As `SoftCostClassifierCV.tradeoff_`.
    confusion : array of shape (n_candidates, n_folds, K, A)
        Held-out weight by true class and by answer.
    fold_costs : array of shape (n_candidates, n_folds)
        Mean cost of every fold.
    prices : array of shape (K, A)
        Those of the table; where they were given by example, their means.
    answers : sequence of A labels
        The classes, and what may be answered beyond them.
    rule : Rule
        That chooses.
    evidence : Evidence
        Counts behind the table, which the rule may ask for.
    by_example : bool
        Whether prices were given by example. A price that changes by d then stands for
        prices of all examples of its kind that change by d.
    error : {"error", "weighted_error"}
        The error that counts.

    See Also
    --------
    price_intervals : Within which interval each price may move, alone, until the choice
        turns.
    scenario_regret : Regret over a list, or dict by name, of cost matrices.
    softcost.soft.SoftCostClassifierCV.sensitivity : Makes one of a search.

    Examples
    --------
    Two candidates, of which the first never takes spam for ham:

    >>> import numpy as np
    >>> import pandas as pd
    >>> from softcost.selection import Evidence, LeastCost
    >>> from softcost.sensitivity import PricedChoice
    >>> counts = np.array([[[[7.0, 3.0], [0.0, 10.0]]], [[[9.0, 1.0], [1.0, 9.0]]]])
    >>> prices = np.array([[0.0, 1.0], [2.0, 0.0]])
    >>> cost = (counts * prices).sum(axis=(2, 3)) / 20
    >>> table = pd.DataFrame({"softness": [0.0, 0.5], "cost": cost[:, 0]})
    >>> table["normalized_cost"] = table["cost"] / 1.5
    >>> names = ["ham", "spam"]
    >>> evidence = Evidence(np.array(names), counts[:, 0], 20, np.ones(2))
    >>> priced = PricedChoice(table, counts, cost, prices, names, LeastCost(), evidence)
    >>> priced.chosen, priced.choice_at(np.array([[0.0, 3.0], [2.0, 0.0]]))
    (1, 1)
    >>> priced.choice_at(np.array([[0.0, 1.0], [9.0, 0.0]]))
    0
    """

    table: pd.DataFrame
    confusion: NDArray[np.float64]
    fold_costs: NDArray[np.float64]
    prices: NDArray[np.float64]
    answers: Sequence[Any]
    rule: Rule
    evidence: Evidence
    by_example: bool = False
    error: str = "error"

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """Share of held-out rows by candidate, true class and answer."""
        pooled = self.confusion.sum(axis=1)
        return pooled / pooled.sum(axis=(1, 2), keepdims=True)

    @cached_property
    def fold_shares(self) -> NDArray[np.float64]:
        """The same by candidate and fold."""
        return self.confusion / self.confusion.sum(axis=(2, 3), keepdims=True)

    @cached_property
    def cost(self) -> NDArray[np.float64]:
        """Mean cost of every candidate at the original prices."""
        return self.table["cost"].to_numpy(float)

    @cached_property
    def chosen(self) -> int:
        """The row chosen at the original prices."""
        return self.choice_at(self.prices)

    def costs_at(self, prices: NDArray[np.float64]) -> NDArray[np.float64]:
        """Mean cost of every candidate: the measured one, and what changes.

        Parameters
        ----------
        prices : array of shape (K, A)
            Other prices.

        Returns
        -------
        array of shape (n_candidates,)
            In the units of the prices.
        """
        return self.cost + (self.shares * (prices - self.prices)).sum(axis=(1, 2))

    def at(self, prices: NDArray[np.float64]) -> pd.DataFrame:
        """The table at other prices.

        Parameters
        ----------
        prices : array of shape (K, A)
            Other prices.

        Returns
        -------
        DataFrame
            A copy with other costs.
        """
        change = prices - self.prices
        folds = self.fold_costs + (self.fold_shares * change).sum(axis=(2, 3))
        n_folds = folds.shape[1]
        columns = {"cost": self.costs_at(prices)}
        if n_folds > 1:
            columns["cost_se"] = folds.std(axis=1, ddof=1) / np.sqrt(n_folds)
        if not self.by_example:
            # What changes is added, so that rounding turns no choice at the old prices.
            columns["normalized_cost"] = self.table["normalized_cost"].to_numpy() + (
                self._normalized(columns["cost"], prices)
                - self._normalized(self.cost, self.prices)
            )
        return self.table.assign(**columns)

    def choice_at(self, prices: NDArray[np.float64]) -> int:
        """The row that the rule chooses at other prices.

        Parameters
        ----------
        prices : array of shape (K, A)
            Other prices.

        Returns
        -------
        int
            Its number.
        """
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a budget that is not met: said before
            return decide(
                self.at(prices), self.rule, self.evidence, error=self.error
            ).row

    def _normalized(
        self, cost: NDArray[np.float64], prices: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """In units of the average price of a mistake, above that of being right."""
        unit = average_mistake(prices)
        least = self.shares.sum(axis=2) @ np.diagonal(prices)
        return (cost - least) / unit if unit > 0 else 0.0 * cost


def average_mistake(prices: NDArray[np.float64]) -> float:
    """Average price of a mistake over the classes, above that of being right."""
    n_classes = len(prices)
    above = prices[:, :n_classes] - np.diagonal(prices)[:, None]
    return float(above.sum() / (n_classes * max(n_classes - 1, 1)))

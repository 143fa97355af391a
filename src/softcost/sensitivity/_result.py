"""What `SoftCostClassifierCV.sensitivity` returns."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from softcost.sensitivity._regret import Regret


@dataclass(frozen=True)
class Sensitivity:
    """How sure a choice is.

    Attributes
    ----------
    chosen : int
        Row of the chosen candidate.
    prices : DataFrame
        The interval of every price within which it stays the chosen one, see
        `price_intervals`.
    differences : DataFrame
        Bootstrap intervals of the differences of cost between the rows of
        ``reference_rows()``, see `cost_differences`.
    scenarios : Regret or None
        Over the scenarios that were given.
    price_range : Regret or None
        Over the range of prices that was given.

    See Also
    --------
    softcost.soft.SoftCostClassifierCV.sensitivity : Computes it.
    price_intervals : Within which interval each price may move, alone, until the choice
        turns.
    cost_differences : Bootstrap intervals of differences between mean costs, paired by
        row.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import Ridge
    >>> from softcost import RegressionOneVsAll, SoftCostClassifierCV
    >>> X, y = load_iris(return_X_y=True)
    >>> prices = [[0, 1, 5], [1, 0, 5], [9, 9, 0]]
    >>> search = SoftCostClassifierCV(
    ...     RegressionOneVsAll(Ridge()), cost_matrix=prices, param_grid={"alpha": [1.0]}
    ... ).fit(X, y)
    >>> found = search.sensitivity()
    >>> found.chosen == search.best_index_
    True
    >>> found.describe()
    'The choice changes first with the price of predicting ...
    """

    chosen: int
    prices: pd.DataFrame
    differences: pd.DataFrame
    scenarios: Regret | None = None
    price_range: Regret | None = None

    @property
    def first(self) -> dict[str, Any] | None:
        """The price of a mistake that turns the choice first; None where none does.

        Returns
        -------
        dict
            ``true``, ``predicted``, ``price``, the price ``at`` which the choice turns,
            the ``row`` chosen beyond it, and the ``change`` of `prices`.
        """
        mistakes = self.prices[self.prices["true"] != self.prices["predicted"]]
        nearest = mistakes.sort_values("change", kind="stable").iloc[0]
        if not np.isfinite(nearest["change"]):
            return None
        price = float(nearest["price"])
        turns = [
            (abs(float(nearest[end]) - price), float(nearest[end]), int(nearest[row]))
            for end, row in (("low", "below"), ("high", "above"))
            if not pd.isna(nearest[row])
        ]
        _, at, row = min(turns)
        return {
            "true": nearest["true"], "predicted": nearest["predicted"],
            "price": price, "at": at, "row": row, "change": float(nearest["change"]),
        }  # fmt: skip

    def describe(self) -> str:
        """In one sentence, whether another price would change the choice.

        Returns
        -------
        str
            The sentence.
        """
        first = self.first
        if first is None:
            return "No single price changes the choice, whatever it is."
        side = "above" if first["at"] >= first["price"] else "below"
        return (
            f"The choice changes first with the price of predicting "
            f"{first['predicted']} for a true {first['true']}, now {first['price']:g}: "
            f"{side} {first['at']:.4g} another candidate is chosen."
        )

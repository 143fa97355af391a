"""How flattered the best of many candidates is."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from softcost.costs import RowCosts
from softcost.metrics import measures_from_confusion
from softcost.search.criteria import choose_row
from softcost.search.rules import Rule

_CHUNK = 4096  # held-out predictions at a time
_BLOCK = 32  # resamples at a time


@dataclass(frozen=True)
class Optimism:
    """What the chosen candidate is likely to cost on new rows, and what it claims.

    Attributes
    ----------
    cost : float
        Cross-validated cost of the chosen candidate, the best of many.
    expected_cost : float
        Mean cost, on rows that took no part in a choice, of what would be chosen.
    low, high : float
        Between these are 95 % of those costs.
    n_candidates, n_resamples : int
        How many were compared, and how often.

    See Also
    --------
    SoftCostClassifierCV.optimism : Computes it.

    Examples
    --------
    >>> from softcost.search import Optimism
    >>> found = Optimism(0.30, 0.34, 0.25, 0.45, n_candidates=55, n_resamples=200)
    >>> round(found.optimism, 2)  # the best of 55 is flattered by so much
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
        """How much more than the cross-validated cost is to be expected."""
        return self.expected_cost - self.cost


@dataclass(frozen=True)
class HeldOutRows:
    """Predictions for held-out rows, one after the other.

    Attributes
    ----------
    rows : RowCosts
    groups : array of shape (n,)
        Rows with the same number are drawn together.
    row : array of shape (n_predictions,)
        Numbers of the rows.
    predicted : array of shape (n_candidates, n_predictions)
        Numbers of the predicted answers.
    error_weight : array of shape (K,)
        Weight of an error by true class.
    """

    rows: RowCosts
    groups: NDArray[np.intp]
    row: NDArray[np.intp]
    predicted: NDArray[Any]
    error_weight: NDArray[np.float64]

    def chunks(self) -> Iterator[tuple[int, NDArray[np.intp], NDArray[Any]]]:
        """True class, rows and predictions, some predictions at a time."""
        truth = self.rows.y[self.row]
        for k in range(self.rows.n_classes):
            places = np.flatnonzero(truth == k)
            for start in range(0, len(places), _CHUNK):
                some = places[start : start + _CHUNK]
                yield k, self.row[some], self.predicted[:, some]

    def paid(self, predictions: NDArray[np.intp]) -> NDArray[np.float64]:
        """What some predictions cost, shape (n_candidates, n_predictions)."""
        return self.rows.realised_cost(
            self.predicted[:, predictions], self.row[predictions]
        )

    def mean_costs(
        self, counts: NDArray[Any], group_of: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """Only the mean costs of `measured`."""
        paid, total = np.zeros((len(counts), len(self.predicted))), 0.0
        for _, row, predicted in self.chunks():
            weight = counts[:, group_of[row]] * self.rows.weight[row]
            paid += weight @ self.rows.realised_cost(predicted, row).T
            total = total + weight.sum(axis=1, keepdims=True)
        return paid / total

    def measured(
        self, counts: NDArray[Any], group_of: NDArray[np.intp]
    ) -> dict[str, NDArray[np.float64]]:
        """Measures of all candidates where groups of rows occur so often.

        Parameters
        ----------
        counts : array of shape (n_resamples, n_groups)
        group_of : array of shape (n,)
            Which of these a row belongs to.

        Returns
        -------
        dict of arrays of shape (n_resamples, n_candidates)
        """
        shape, cheapest = (len(counts), len(self.predicted)), self.rows.least_cost()
        confusion = np.zeros((*shape, self.rows.n_classes, self.rows.n_actions))
        paid, least = np.zeros(shape), np.zeros((len(counts), 1))
        for k, row, predicted in self.chunks():
            weight = counts[:, group_of[row]] * self.rows.weight[row]
            paid += weight @ self.rows.realised_cost(predicted, row).T
            least += (weight @ cheapest[row])[:, None]
            for j in np.unique(predicted):
                confusion[:, :, k, j] += weight @ (predicted == j).T
        return measures_from_confusion(
            confusion,
            paid,
            least_cost=least,
            mistake_cost=self.rows.average_mistake(),
            error_weight=self.error_weight,
            action_error=self.rows.action_error,
        )


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
    """Choose on resampled rows, and pay for the rows that were not drawn.

    See `ChoiceMixin.optimism` for the formula.
    """
    if not isinstance(n_resamples, Integral) or n_resamples < 2:
        raise ValueError(
            f"n_resamples must be a count of at least 2, not {n_resamples!r}; 200 is "
            "enough."
        )
    rng = check_random_state(random_state)
    # Rows that were never held out, or have no weight, say nothing.
    told = np.flatnonzero(held_out.rows.weight[held_out.row])
    known, member = np.unique(held_out.groups[held_out.row[told]], return_inverse=True)
    if len(known) < 2:
        raise ValueError(
            "optimism draws held-out rows, or groups of them, and there is only one: "
            "hold out at least two."
        )
    group_of = np.zeros(len(held_out.groups), np.intp)
    group_of[held_out.row[told]] = member
    found: list[float] = []
    for start in range(0, int(n_resamples), _BLOCK):
        size = min(_BLOCK, int(n_resamples) - start)
        drawn = _drawn(rng, size, len(known))
        inside = held_out.measured(drawn, group_of)
        outside = held_out.mean_costs(drawn == 0, group_of)
        for number in range(size):
            resampled = table.assign(
                **{name: values[number] for name, values in inside.items()}
            )
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a budget that a resample cannot meet
                row = choose_row(resampled, rule, error=error)
            found.append(float(outside[number, row]))
    low, high = np.quantile(found, [0.025, 0.975])
    return Optimism(
        cost=float(table["cost"].iloc[chosen]),
        expected_cost=float(np.mean(found)),
        low=float(low),
        high=float(high),
        n_candidates=len(table),
        n_resamples=int(n_resamples),
    )


def _drawn(rng: np.random.RandomState, size: int, n_groups: int) -> NDArray[np.uint16]:
    """How often each group is drawn; some group is always left over."""
    drawn = np.empty((size, n_groups), np.uint16)
    for number in range(size):
        while True:
            drawn[number] = np.bincount(
                rng.randint(n_groups, size=n_groups), minlength=n_groups
            )
            if (drawn[number] == 0).any():
                break
    return drawn

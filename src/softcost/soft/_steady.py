"""The least cost where families were chosen by the table: a lead must be clear.

The least of hundreds of cross-validated costs is partly luck, the more so the fewer the
rows. A blend of families (`softcost.reductions.BlendedClassifier`) is the steadiest of
them: one setting, weights of a convex problem. At the least softness it decides by the
prices, and nothing is cheaper if its probabilities are right. So it is chosen, unless
something else has a clear lead.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from softcost.costs import RowCosts
from softcost.selection import LeastCost
from softcost.soft._portfolio import CONSTANT
from softcost.soft._problem import JointProblem

CLEAR = 3.0  # standard errors: about a hundred candidates are compared with the blend
CLOSE = 1.0  # for the same blend at another softness, and for the constant answer


@dataclass(frozen=True)
class ClearlyLeastCost(LeastCost):
    """The least of ``cost_i + handicap_i``: what "auto" means by the least cost.

    Let b be the candidate of the blend with the least softness. Its handicap is zero,
    that of another candidate i

        d + z sqrt(se(c_i - c_b)^2 + d^2)

    with the standard error of the mean difference of costs over the held-out rows, and
    with d, what one more row would add on which i is dearer by the largest difference
    of two prices, for its share of the rows: mistakes may be so rare and expensive
    that none of them happened to be among the held-out ones. Here z is

    - 1 for the blend at another softness, and for the constant answer: there are few
      of them, and they are as steady as b;
    - 3 for a family that is no part of the blend. Where m mistakes of equal cost are
      made by one of two models only, they are a lead of about ``sqrt(m)`` standard
      errors: three of these ask for more than nine such rows.

    A family in the blend has the largest difference of two prices for its handicap:
    the blend could have given it all the weight.
    """

    handicap: NDArray[np.float64]

    def compared(self, table: pd.DataFrame) -> NDArray[np.float64]:
        return super().compared(table) + self.handicap

    def describe(self) -> str:
        return "the least cost, the blend unless another family is clearly cheaper"

    def of(self, rows: NDArray[np.intp]) -> "ClearlyLeastCost":
        """The same rule for a table of some of the rows."""
        return ClearlyLeastCost(self.handicap[rows])


def handicaps(
    problem: JointProblem, predicted: list[NDArray[np.intp]], table: pd.DataFrame
) -> NDArray[np.float64]:
    """What `ClearlyLeastCost` adds to the cost of every candidate."""
    family = table["family"].to_numpy()
    inside = np.flatnonzero(family == problem.blend)
    best = inside[table["softness"].to_numpy(float)[inside].argmin()]
    rows = problem.rows
    row = np.concatenate(problem.tests)
    share = rows.weight[row] / rows.weight[row].sum()
    numbers = np.concatenate(predicted, axis=1)
    of_best = rows.paid(numbers[best], row)
    largest = _largest_difference(rows, row)
    unseen = largest / len(row)
    handicap = np.full(len(table), largest)
    for candidate in np.flatnonzero(~np.isin(family, problem.blended)):
        more = rows.paid(numbers[candidate], row) - of_best
        spread = (more - share @ more) * share
        errors = CLOSE if family[candidate] in (problem.blend, CONSTANT) else CLEAR
        handicap[candidate] = unseen + errors * np.sqrt(spread @ spread + unseen**2)
    handicap[best] = 0.0
    return handicap


def _largest_difference(rows: RowCosts, row: NDArray[np.intp]) -> float:
    """Of two prices that some rows have."""
    if rows.raw_costs is not None:
        return float(np.ptp(rows.raw_costs[row]))
    assert rows.raw_matrix is not None
    return float(np.ptp(rows.raw_matrix[np.unique(rows.y[row])]))

"""The least cost where families were chosen by the table: a lead must be clear.

The least of hundreds of cross-validated costs is partly luck, the more so the fewer the
rows. A blend of families (`softcost.reductions.BlendedClassifier`) is the steadiest of
them: one setting, weights of a convex problem. So it is chosen, at its cheapest
softness, unless a family that is no part of it is clearly cheaper, or the constant
answer is not dearer. Which softness is cheapest is partly luck, too: neighbours, who
decide nearly alike, are asked as well.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from softcost.selection import LeastCost, least_row
from softcost.soft._portfolio import CONSTANT
from softcost.soft._problem import JointProblem

CLEAR = 3.0  # standard errors: about a hundred candidates are compared with the blend
NEAR = 0.2  # softness from which on another value is no neighbour


@dataclass(frozen=True)
class ClearlyLeastCost(LeastCost):
    """The least of ``cost_i + handicap_i``: what "auto" means by the least cost.

    Let b be the candidate of the blend whose smoothed cost is the least, with
    ``c_i`` the costs and ``a_i`` the values of softness

        smoothed_i = sum_j w_ij c_j / sum_j w_ij,  w_ij = max(0, 1 - |a_i - a_j| / 0.2)

    over the candidates j of the blend. The handicaps are

    - of the blend, ``(smoothed_i - c_i) - (smoothed_b - c_b)``, zero for b itself;
    - of the constant answer, zero;
    - of a family in the blend, the largest difference of two prices: the blend could
      have given it all the weight;
    - of any other candidate, ``d + 3 sqrt(se(c_i - c_b)^2 + d^2)``, three standard
      errors of the mean difference of costs over the held-out rows, and what one more
      row would add on which the candidate is dearer by the largest difference of two
      prices, d for its share of the rows. Where m mistakes of equal cost are made by
      one of two models only, they are a lead of about ``sqrt(m)`` standard errors:
      three of these ask for more than nine such rows. The row that was not seen
      stands for mistakes so rare and dear that none of them happened to be among
      the held-out ones.
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
    handicap = np.zeros(len(table))
    handicap[inside] = _smoothing(table.iloc[inside])
    smoothed = table["cost"].to_numpy(float)[inside] + handicap[inside]
    best = inside[least_row(table.iloc[inside], smoothed)]
    handicap[inside] -= handicap[best]
    rows = problem.rows
    row = np.concatenate(problem.tests)
    costs, weight = rows.in_users_units[row], rows.weight[row]
    share = weight / weight.sum()
    every = np.arange(len(row))
    numbers = np.concatenate(predicted, axis=1)
    of_best = costs[every, numbers[best]]
    members = np.isin(family, problem.blended)
    handicap[members] = np.ptp(costs)
    unseen = np.ptp(costs) / len(row)
    others = ~members & (family != problem.blend) & (family != CONSTANT)
    for candidate in np.flatnonzero(others):
        more = costs[every, numbers[candidate]] - of_best
        spread = (more - share @ more) * share
        handicap[candidate] = unseen + CLEAR * np.sqrt(spread @ spread + unseen**2)
    return handicap


def _smoothing(table: pd.DataFrame) -> NDArray[np.float64]:
    """What smoothing over softness adds to each cost."""
    softness, cost = table["softness"].to_numpy(float), table["cost"].to_numpy(float)
    near = np.maximum(0.0, 1 - np.abs(softness[:, None] - softness) / NEAR)
    near[near < 1e-9] = 0.0  # 0.3 - 0.1 is not quite 0.2
    return near @ cost / near.sum(axis=1) - cost

"""The least cost where families were chosen by the table: a lead must be clear.

The least of hundreds of cross-validated costs is partly luck, the more so the fewer the
rows. A blend of families (`softcost.reductions.BlendedClassifier`) is the steadiest of
them: one setting, weights of a convex problem. So it is chosen, at its cheapest
softness, unless a family that is no part of it is clearly cheaper, or the constant
answer is not dearer.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from softcost.selection import LeastCost
from softcost.soft._portfolio import CONSTANT
from softcost.soft._problem import JointProblem

CLEAR = 3.0  # standard errors: about a hundred candidates are compared with the blend


@dataclass(frozen=True)
class ClearlyLeastCost(LeastCost):
    """The least of ``cost_i + handicap_i``: what "auto" means by the least cost.

    Zero is the handicap of the blend and of the constant answer; ``3 se(c_i - c_b)``
    that of a candidate i outside it, where b is the cheapest candidate of the blend and
    ``se`` the standard error of the mean difference of their costs over the held-out
    rows; infinity that of a family in the blend, which could have given it all the
    weight. Where m mistakes of equal cost are made by one of two models only, they are
    a lead of about ``sqrt(m)`` standard errors: three of these ask for more than nine
    such rows.
    """

    handicap: NDArray[np.float64]

    def compared(self, table: pd.DataFrame) -> NDArray[np.float64]:
        return super().compared(table) + self.handicap

    def describe(self) -> str:
        return "the least cost, the blend unless another family is clearly cheaper"


def steady_rule(
    problem: JointProblem, predicted: list[NDArray[np.intp]], table: pd.DataFrame
) -> ClearlyLeastCost:
    """The rule for a search whose families were chosen by the table."""
    return ClearlyLeastCost(_handicaps(problem, predicted, table))


def _handicaps(
    problem: JointProblem, predicted: list[NDArray[np.intp]], table: pd.DataFrame
) -> NDArray[np.float64]:
    family = table["family"].to_numpy()
    inside = np.flatnonzero(family == problem.blend)
    cost = table["cost"].to_numpy(float)
    best = inside[cost[inside].argmin()]
    rows = problem.rows
    row = np.concatenate(problem.tests)
    costs, weight = rows.in_users_units[row], rows.weight[row]
    share = weight / weight.sum()
    every = np.arange(len(row))
    numbers = np.concatenate(predicted, axis=1)
    of_best = costs[every, numbers[best]]
    tie = 1e-9 * costs.max()  # a candidate that always answers like the blend is not it
    handicap = np.zeros(len(table))
    handicap[np.isin(family, problem.blended)] = np.inf
    alike = (family == problem.blend) | (family == CONSTANT)
    others = np.isfinite(handicap) & ~alike
    for candidate in np.flatnonzero(others):
        more = costs[every, numbers[candidate]] - of_best
        spread = (more - share @ more) * share
        handicap[candidate] = CLEAR * np.sqrt(spread @ spread) + tie
    return handicap

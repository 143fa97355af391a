"""The preference of "auto" for the blend.

The least of hundreds of cross-validated costs is partly luck, especially with few rows.
The blend (`softcost.reductions.BlendedClassifier`) varies least between samples: it has
one setting, and its weights solve a convex problem. At the lowest softness it minimises
the expected cost, and if its probabilities are right, nothing is cheaper. So every
criterion chooses among the candidates of the blend, and among those of other families
only if they have a clear lead.
"""

from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from softcost.costs import RowCosts
from softcost.search.auto import BLEND, CONSTANT
from softcost.search.budget import Assessment, Budget
from softcost.search.counts import Evidence
from softcost.search.price_lines import PriceLines
from softcost.search.problem import JointProblem
from softcost.search.rules import (
    EQUAL,
    Decision,
    LeastCost,
    MaxOfBoth,
    Rule,
    Tolerance,
    least_row,
)

# Standard errors that another family must lead by. About a hundred candidates are
# compared with the blend. If one of two models makes m mistakes of equal cost that the
# other avoids, the lead is about sqrt(m) standard errors: three need more than nine
# such rows.
CLEAR = 3.0
# Standard errors for the blend at another softness and for the constant answer: there
# are only a few of these candidates, and they are as stable as the blend.
CLOSE = 1.0


@dataclass(frozen=True)
class PreferBlend(Rule):
    """A rule of `softcost.search` as "auto" applies it: the blend comes first.

    Let b be the candidate of the blend with the lowest softness. Its penalty is zero,
    and the penalty of another candidate i is

        d + z sqrt(se(c_i - c_b)^2 + d^2)

    where se is the standard error of the mean cost difference over the held-out rows,
    and d is the cost of one more held-out row on which i costs more by the largest
    difference of two costs: rare and expensive mistakes may be missing from the
    held-out rows by chance. The factor z is 1 for the blend at another softness and for
    the constant answer, and 3 for any other family.

    The *shortlist* has all candidates of the blend, those of other families with
    ``c_i + penalty_i < c_b``, and candidates of the same families that are no worse in
    cost and error than one of those. Rules choose from the shortlist:

    - `LeastCost`: the least ``c_i + penalty_i``;
    - `Budget`: the choice of `LeastCost` if it is within the budget, else the least
      ``c_i + penalty_i`` of the candidates within it, or their least error if only
      costs are limited. If none of the shortlist is within the budget, but another
      candidate is, the least ``c_i + penalty_i`` of those. If none is at all, the
      nearest of the shortlist;
    - `Tolerance`: the least error among costs close to the choice of `LeastCost`;
    - `MaxOfBoth`: the least ``max(error, normalised cost)``.

    A choice that another candidate of the shortlist dominates (one that is no worse in
    cost and error, and better in one of them) is replaced by it. So the choice of
    `LeastCost` is on the Pareto front of the shortlist, and no budget that the
    shortlist meets leads to a candidate which looks better in both.

    Attributes
    ----------
    rule : Rule
        One for which `prefers_blend` is true.
    penalty : array of shape (n_candidates,)
        One value for each row of the trade-off table.
    """

    rule: Rule
    penalty: NDArray[np.float64]

    def choose(self, table: pd.DataFrame, *, error: str = "error") -> int:
        if isinstance(self.rule, Budget) and self.rule.needs_counts:
            return self.rule.choose(table, error=error)  # raises the error
        return self._decided(table, None, error).row

    def decide(
        self, table: pd.DataFrame, evidence: Evidence, *, error: str = "error"
    ) -> Decision:
        return self._decided(table, evidence, error)

    def describe(self) -> str:
        return f"{self.rule.describe()}, the blend unless another is clearly cheaper"

    def turning_points(self, lines: PriceLines) -> list[NDArray[np.float64]]:
        """Prices at which the shortlist, its least cost or its front may change.

        Candidates join or leave the shortlist where their penalised cost crosses that
        of the reference. Within the shortlist, costs decide the front and penalised
        costs the least; both are compared with the choice.
        """
        table, cost, penalised = lines.table, lines.cost, lines.cost + self.penalty
        shortlist = np.flatnonzero(self.shortlist(table, lines.error))
        if isinstance(self.rule, Tolerance):
            points = self.rule.points_near(lines, shortlist)
        else:
            points = self.rule.turning_points(lines)
        least, reference = self.least_cost(table, lines.error), reference_row(table)
        for row in {lines.chosen, least, least if reference is None else reference}:
            points += [line.crossings(line[row]) for line in (cost, penalised)]
        return [*points, cost[shortlist, None].crossings(cost[shortlist])]

    def on_rows(self, rows: NDArray[np.intp]) -> "PreferBlend":
        """The same rule for a table of some of the rows."""
        return PreferBlend(self.rule, self.penalty[rows])

    def penalised(self, table: pd.DataFrame) -> NDArray[np.float64]:
        """``c_i + penalty_i``."""
        return table["cost"].to_numpy(float) + self.penalty

    def shortlist(self, table: pd.DataFrame, error: str) -> NDArray[np.bool_]:
        """Candidates of the blend, and others with a clear lead, as a mask."""
        reference = reference_row(table)
        if reference is None:
            return np.ones(len(table), bool)
        penalised = self.penalised(table)
        family = table["family"].to_numpy()
        shortlist = (family == BLEND) | (penalised < penalised[reference])
        if (family[shortlist] == BLEND).all():
            return shortlist
        values = table[["cost", error]].to_numpy(float)
        for row in np.flatnonzero(shortlist & (family != BLEND)):
            shortlist |= (family == family[row]) & (values <= values[row]).all(axis=1)
        return shortlist

    def least_cost(self, table: pd.DataFrame, error: str) -> int:
        """The choice of the criterion "cost"."""
        everything = np.ones(len(table), bool)
        return self.least_within(table, everything, self.penalised(table), error=error)

    def least_within(
        self,
        table: pd.DataFrame,
        within: NDArray[np.bool_],
        *keys: NDArray[np.float64],
        error: str,
    ) -> int:
        """The least keys of some candidates, of the shortlist if it has any of them.

        Parameters
        ----------
        table : DataFrame
            A trade-off table.
        within : mask of shape (n_candidates,)
            At least one candidate.
        *keys : arrays of shape (n_candidates,)
            To be minimised in lexicographic order.
        error : {"error", "weighted_error"}
            The error that counts.
        """
        shortlist = self.shortlist(table, error)
        pool = within & shortlist if (within & shortlist).any() else within
        first, *others = keys
        row = least_row(table, np.where(pool, first, np.inf), *others)
        if not shortlist[row]:
            # Outside the shortlist, the penalties decide between families.
            family = table["family"].to_numpy()
            pool = pool & (family == family[row])
        return undominated(table, row, pool, self.penalised(table), error=error)

    def _decided(
        self, table: pd.DataFrame, evidence: Evidence | None, error: str
    ) -> Decision:
        shortlist = self.shortlist(table, error)
        if isinstance(self.rule, Budget):
            assessment = self.rule.assess(
                table,
                evidence,
                error=error,
                cost=self.penalised(table),
                preferred=shortlist,
            )
            if self.rule.least == "cost":
                default = self.least_cost(table, error)
                if assessment.within[default]:
                    return assessment.decision(default)
            return self._within_budget(table, assessment, shortlist, error)
        if isinstance(self.rule, LeastCost):
            return Decision(self.least_cost(table, error))
        if isinstance(self.rule, Tolerance):
            # Cheaper candidates of the shortlist make more errors than the choice of
            # "cost", which is on its front: without them, that choice has the least
            # cost.
            cost = table["cost"].to_numpy(float)
            shortlist &= cost >= cost[self.least_cost(table, error)]
        rows = np.flatnonzero(shortlist)
        part = table.iloc[rows].reset_index(drop=True)
        row = int(rows[self.rule.choose(part, error=error)])
        return Decision(
            undominated(table, row, shortlist, self.penalised(table), error=error)
        )

    def _within_budget(
        self,
        table: pd.DataFrame,
        assessment: Assessment,
        shortlist: NDArray[np.bool_],
        error: str,
    ) -> Decision:
        if assessment.within.any():
            keys = assessment.key, assessment.tie
            row = self.least_within(table, assessment.within, *keys, error=error)
            return assessment.decision(row)
        first, *others = assessment.nearest
        nearest = np.where(shortlist, first, np.inf)
        return assessment.decision(least_row(table, nearest, *others))


def reference_row(table: pd.DataFrame) -> int | None:
    """The blend at the lowest softness; None if the table has no blend."""
    blend = np.flatnonzero(table["family"].to_numpy() == BLEND)
    if len(blend) == 0:
        return None
    return int(blend[table["softness"].to_numpy(float)[blend].argmin()])


def prefers_blend(rule: Rule) -> bool:
    """Whether "auto" applies its preference to a rule.

    Functions and rules of the user see the whole table, and `LeastError` does not
    depend on costs.
    """
    return type(rule) in (LeastCost, Budget, Tolerance, MaxOfBoth)


def undominated(
    table: pd.DataFrame,
    row: int,
    pool: NDArray[np.bool_],
    key: NDArray[np.float64],
    *,
    error: str,
) -> int:
    """The row, or a candidate on the front of the pool that dominates or equals it.

    Parameters
    ----------
    table : DataFrame
        A trade-off table.
    row : int
        A row of the pool.
    pool : mask of shape (n_candidates,)
        Rows that may replace it.
    key : array of shape (n_candidates,)
        The smallest is chosen if several rows could replace it.
    error : {"error", "weighted_error"}
        The error that counts.
    """
    values = table[["cost", error]].to_numpy(float)
    rounding = EQUAL * np.abs(values)
    no_worse = (values <= values[row] + rounding[row]).all(axis=1)
    rows = np.flatnonzero(pool & no_worse)
    points, allowed = values[rows], rounding[rows]
    # [i, j]: whether j is no worse than i, and better, in cost and in error.
    no_worse_than = (points[None] <= points[:, None] + allowed[:, None]).all(axis=2)
    better = (points[None] < points[:, None] - allowed[:, None]).any(axis=2)
    front = rows[~(no_worse_than & better).any(axis=1)]
    among = np.isin(np.arange(len(table)), front)
    return least_row(table, np.where(among, key, np.inf))


@dataclass(frozen=True)
class PairedCosts:
    """Held-out costs of all candidates, to compare them row by row.

    Attributes
    ----------
    rows : RowCosts
        Labels, costs and weights.
    row : array of shape (n_predictions,)
        The row that each prediction is for.
    predicted : array of shape (n_candidates, n_predictions)
        Numbers of the predicted answers.
    """

    rows: RowCosts
    row: NDArray[np.intp]
    predicted: NDArray[Any]

    @classmethod
    def of(
        cls, problem: JointProblem, predicted: list[NDArray[np.intp]]
    ) -> "PairedCosts":
        """Those of the held-out predictions of a search."""
        return cls(
            problem.rows,
            np.concatenate(problem.tests),
            np.concatenate(predicted, axis=1),
        )

    @property
    def unseen(self) -> float:
        """The mean cost of one more row with the largest difference of two costs."""
        rows = self.rows
        if rows.raw_costs is not None:
            return float(np.ptp(rows.raw_costs[self.row])) / len(self.row)
        assert rows.raw_matrix is not None
        present = np.unique(rows.y[self.row])
        return float(np.ptp(rows.raw_matrix[present])) / len(self.row)

    def standard_errors(
        self, reference: int, candidates: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """Standard errors of the mean difference in cost to a reference."""
        weight = self.rows.weight[self.row]
        share = weight / weight.sum()
        reference_cost = self._paid(reference)
        errors = np.empty(len(candidates))
        for number, candidate in enumerate(candidates):
            more = self._paid(candidate) - reference_cost
            spread = (more - share @ more) * share
            errors[number] = np.sqrt(spread @ spread)
        return errors

    def _paid(self, candidate: int) -> NDArray[np.float64]:
        return self.rows.realised_cost(self.predicted[candidate], self.row)


def selection_penalties(
    paired: PairedCosts, table: pd.DataFrame
) -> NDArray[np.float64]:
    """The penalty of every candidate, see `PreferBlend`."""
    reference = reference_row(table)
    assert reference is not None
    close = table["family"].isin([BLEND, CONSTANT]).to_numpy()
    errors = paired.standard_errors(reference, np.arange(len(table)))
    penalty = required_lead(errors, paired.unseen, np.where(close, CLOSE, CLEAR))
    penalty[reference] = 0.0
    return penalty


def required_lead(
    standard_error: Any, unseen: float, factor: Any
) -> NDArray[np.float64]:
    """``d + z sqrt(se^2 + d^2)``, see `PreferBlend`."""
    return unseen + factor * np.sqrt(standard_error**2 + unseen**2)


def not_chosen(
    table: pd.DataFrame,
    chosen: int,
    paired: PairedCosts,
    penalty: NDArray[np.float64],
    *,
    error: str,
    allowed: NDArray[np.bool_],
) -> pd.DataFrame:
    """Candidates of other families that look better than the choice.

    A candidate looks better if its cross-validated cost is lower and its error is not
    higher. For each family, only the cheapest of them is listed.

    Parameters
    ----------
    table : DataFrame
        A trade-off table with families.
    chosen : int
        The chosen row.
    paired : PairedCosts
        Costs of all candidates.
    penalty : array of shape (n_candidates,)
        See `PreferBlend`.
    error : {"error", "weighted_error"}
        The error that counts.
    allowed : mask of shape (n_candidates,)
        Candidates within the budget, if there is one.

    Returns
    -------
    DataFrame
        As ``not_chosen_`` of `SoftCostClassifierCV`, cheapest first.
    """
    cost, errors = table["cost"].to_numpy(float), table[error].to_numpy(float)
    names = table["family"] if "family" in table else pd.Series("", table.index)
    family = names.to_numpy()
    better = allowed & (family != family[chosen]) & (errors <= errors[chosen])
    better &= cost < cost[chosen] - EQUAL * abs(cost[chosen])
    order = np.flatnonzero(better)
    order = order[np.argsort(cost[order], kind="stable")]
    rows = order[np.unique(family[order], return_index=True)[1]]
    rows = rows[np.argsort(cost[rows], kind="stable")]
    reference = chosen if len(rows) == 0 else reference_row(table)
    return pd.DataFrame(
        {
            "row": rows,
            "family": family[rows],
            "cost": cost[rows],
            "error": errors[rows],
            "difference": cost[chosen] - cost[rows],
            "difference_se": paired.standard_errors(chosen, rows),
            "lead": cost[reference] - cost[rows],
            "required_lead": penalty[rows],
        }
    )


def constant_on_blend(problem: JointProblem) -> JointProblem:
    """The problem with a constant answer that has the probabilities of the blend.

    In the cross-validation the constant answer needs no fit. Its refit is that of the
    blend, which decides by the prior: so `predict_proba` and `expected_costs` are as
    good as those of the blend, even if deciding by them is not worthwhile.
    """
    if problem.blend is None:
        return problem
    blend = problem.family(problem.blend)
    reduction = copy(blend.reduction).set_params(decide_by="prior")
    members = [
        replace(blend, reduction=reduction, softness=member.softness, family=CONSTANT)
        if member.family == CONSTANT and member.settings == blend.settings
        else member
        for member in problem.members
    ]
    return replace(problem, members=members)

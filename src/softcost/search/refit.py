"""Refit candidates of a finished search, and choose among candidates kept fitted.

A copy or a saved model has no training data. It can still change its choice among
candidates that were fitted before (`SoftCostClassifierCV.keep_candidates`).
"""

from collections.abc import Collection, Iterable, Mapping
from copy import copy
from dataclasses import replace

import numpy as np
import pandas as pd

from softcost.metrics import pareto_mask
from softcost.reductions import Reduction
from softcost.search.auto import PenalisedLeastCost
from softcost.search.budget import Budget
from softcost.search.counts import Evidence
from softcost.search.problem import JointProblem
from softcost.search.rules import Decision, Rule, decide


def fit_candidates(
    problem: JointProblem, rows: Iterable[int], fitted: Mapping[int, Reduction]
) -> dict[int, Reduction]:
    """Candidates of several rows, fitted to all training rows.

    Candidates that differ only in a softness used at prediction share one fit.

    Parameters
    ----------
    problem : JointProblem
        What was searched.
    rows : iterable of int
        Rows of the trade-off table.
    fitted : mapping of int and Reduction
        Candidates that are fitted already, by row.

    Returns
    -------
    dict of int and Reduction
        By row.
    """
    rows = list(rows)
    models = dict(fitted)
    for row in rows:
        if row in models:
            continue
        twins = [other for other in models if _share_a_fit(problem, other, row)]
        if twins:
            model = copy(models[twins[0]])
            softness = problem.candidates[row].softness
            models[row] = model.set_params(softness=softness)
        else:
            models[row] = problem.fitted(row)
    return {row: models[row] for row in rows}


def _share_a_fit(problem: JointProblem, first: int, second: int) -> bool:
    a, b = problem.candidates[first], problem.candidates[second]
    return (
        problem.family(a.family).reduction.softness_at_predict
        and a.family == b.family
        and a.params is b.params
    )


def rows_to_keep(table: pd.DataFrame, error: str, least: Rule) -> list[int]:
    """Rows that other rules are likely to choose: the front, and the least cost.

    Parameters
    ----------
    table : DataFrame
        The trade-off table.
    error : {"error", "weighted_error"}
        The error that counts.
    least : Rule
        The criterion "cost" of the search.
    """
    points = table[[error, "cost"]].to_numpy()
    return [*np.flatnonzero(pareto_mask(points)).tolist(), least.choose(table)]


def decide_among(
    rows: Collection[int],
    table: pd.DataFrame,
    rule: Rule,
    evidence: Evidence,
    *,
    error: str,
) -> Decision:
    """Choose among some rows of the trade-off table, without the training data.

    Parameters
    ----------
    rows : collection of int
        The rows to choose from.
    table : DataFrame
        The whole trade-off table.
    rule : Rule
        How to choose.
    evidence : Evidence
        Counts of all rows of the table.
    error : {"error", "weighted_error"}
        The error that counts.

    Returns
    -------
    Decision
        In row numbers of the whole table.
    """
    if isinstance(rule, Budget) and rule.confidence is not None:
        raise ValueError(
            "a confidence is tested on the training rows, which this copy of the "
            "search does not have: fit it again, or leave the confidence out."
        )
    some = np.array(sorted(rows))
    if isinstance(rule, PenalisedLeastCost):
        rule = rule.on_rows(some)
    decision = decide(
        table.iloc[some].reset_index(drop=True),
        rule,
        replace(evidence, confusion=evidence.confusion[some]),
        error=error,
    )
    guarantee = decision.guarantee
    if guarantee is not None:
        passed = [int(some[row]) for row in guarantee["passed"]]
        guarantee = {**guarantee, "passed": passed}
    return Decision(int(some[decision.row]), guarantee)

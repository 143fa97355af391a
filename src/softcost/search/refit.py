"""Refit candidates of a finished search, and choose among candidates kept fitted.

A copy or a saved model has no training data. It can still change its choice among
candidates that were fitted before (`SoftCostClassifierCV.keep_candidates`), also at
other costs (`set_costs`).
"""

from collections.abc import Collection, Iterable, Mapping
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata

from softcost.costs import check_cost_matrix
from softcost.metrics import pareto_mask
from softcost.reductions import Reduction
from softcost.search.budget import Budget
from softcost.search.counts import Evidence
from softcost.search.preference import PreferBlend, reference_row
from softcost.search.problem import JointProblem
from softcost.search.rules import Decision, LeastCost, Rule, decide
from softcost.search.sensitivity import PricedChoice, average_mistake
from softcost.search.table import HeldOut, measured_rows


def fit_candidates(
    problem: JointProblem, rows: Iterable[int], fitted: Mapping[int, Reduction]
) -> dict[int, Reduction]:
    """Candidates of several rows, fitted to all training rows.

    Candidates that differ only in parameters used at prediction share one fit: the
    softness and ``decide_by`` of `MinimumExpectedCost`.

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
            candidate = problem.candidates[row]
            settings: Any = problem.family(candidate.family).model(candidate)
            model = copy(models[twins[0]])
            models[row] = model.set_params(
                softness=settings.softness, decide_by=settings.decide_by
            )
        else:
            models[row] = problem.fitted(row)
    return {row: models[row] for row in rows}


def _share_a_fit(problem: JointProblem, first: int, second: int) -> bool:
    a, b = problem.candidates[first], problem.candidates[second]
    reduction, other = (problem.family(name).reduction for name in (a.family, b.family))
    same = a.family == b.family or (
        reduction.learner is other.learner is not None
        and isinstance(other, type(reduction))
    )
    return reduction.softness_at_predict and same and a.params is b.params


def rows_to_keep(table: pd.DataFrame, error: str, least: Rule) -> list[int]:
    """Rows that other rules are likely to choose: the front, and the least cost.

    With "auto" also the rows that a limit of the error leads to: the front of the
    shortlist, and of the candidates with fewer errors than all of the shortlist.

    Parameters
    ----------
    table : DataFrame
        The trade-off table.
    error : {"error", "weighted_error"}
        The error that counts.
    least : Rule
        The criterion "cost" of the search.
    """
    points = np.array(table[[error, "cost"]], float)
    rows = [*np.flatnonzero(pareto_mask(points)), least.choose(table, error=error)]
    if isinstance(least, PreferBlend):
        shortlist = least.shortlist(table, error)
        beyond = points[:, 0] < points[shortlist, 0].min()
        points[beyond, 1] += least.penalty[beyond]
        for part in (np.flatnonzero(shortlist), np.flatnonzero(beyond)):
            rows += [*part[pareto_mask(points[part])]]
        reference = reference_row(table)
        rows += [] if reference is None else [reference]
    return [int(row) for row in rows]


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
    criterion = rule.rule if isinstance(rule, PreferBlend) else rule
    if isinstance(criterion, Budget) and criterion.confidence is not None:
        raise ValueError(
            "a confidence is tested on the training rows, which this copy of the "
            "search does not have: fit it again, or leave the confidence out."
        )
    some = np.array(sorted(rows))
    if isinstance(rule, PreferBlend):
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


def set_costs(search: Any, cost_matrix: pd.DataFrame) -> None:
    """Give a fitted search another cost matrix, without its training data.

    Costs in the trade-off table follow exactly from the confusion matrices of the
    held-out predictions. Candidates that decide by probabilities use the new matrix
    from now on; the others still predict as they were trained. The table has the cost
    of the predictions at the previous costs in both cases. Choose again afterwards.

    Parameters
    ----------
    search : SoftCostClassifierCV
        Fitted with a cost matrix, not with costs by example; changed in place.
    cost_matrix : DataFrame of shape (K, A)
        With the classes as its index, and the classes and actions as its columns.
    """
    if search.costs_by_example_:
        raise ValueError(
            "the model was fitted with costs by example, which a cost matrix cannot "
            "replace: fit it again."
        )
    n_classes = len(search.classes_)
    extra = search.actions_[n_classes:]
    matrix = check_cost_matrix(
        cost_matrix, search.classes_, actions=extra if len(extra) else None
    )
    n_folds = search.confusion_.shape[1]
    splits = [f"split{fold}_test_score" for fold in range(n_folds)]
    priced = PricedChoice(
        table=search.tradeoff_,
        confusion=search.confusion_,
        fold_costs=-np.column_stack([search.cv_results_[name] for name in splits]),
        prices=search.cost_matrix_,
        answers=search.actions_.tolist(),
        rule=LeastCost(),
        evidence=Evidence(
            search.classes_,
            search.confusion_.sum(axis=1),
            search.n_samples_,
            np.ones(n_classes),
        ),
        error=search.error_measure_,
    )
    table = priced.at(matrix)
    table["on_front"] = pareto_mask(table[["error", "cost"]].to_numpy())
    _rescore(search.cv_results_, -priced.fold_costs_at(matrix), table)
    if hasattr(search, "selection_penalty_"):
        # Penalties are costs: they grow and shrink with the largest one.
        factor = _largest_difference(matrix) / _largest_difference(search.cost_matrix_)
        search.selection_penalty_ = search.selection_penalty_ * factor
    search.constant_ = _constant_at(search, matrix)
    search.tradeoff_, search.cost_matrix_ = table, matrix
    search.set_params(cost_matrix=cost_matrix)
    for model in {id(model): model for model in search.candidates_.values()}.values():
        if model.softness_at_predict:
            model.set_params(cost_matrix=cost_matrix, classes=search.classes)


def _rescore(
    results: dict[str, Any], scores: NDArray[np.float64], table: pd.DataFrame
) -> None:
    """Put other costs of the folds into ``cv_results_``."""
    for fold, fold_scores in enumerate(scores.T):
        results[f"split{fold}_test_score"] = fold_scores
    results["mean_test_score"] = scores.mean(axis=1)
    results["std_test_score"] = scores.std(axis=1)
    ranks = rankdata(-results["mean_test_score"], method="min")
    results["rank_test_score"] = ranks.astype(np.int32)
    for name in ("cost", "cost_se", "normalized_cost", "on_front"):
        results[name] = table[name].to_numpy()


def _largest_difference(matrix: NDArray[np.float64]) -> float:
    return float(np.ptp(matrix, axis=1).max()) or 1.0


def _constant_at(search: Any, matrix: NDArray[np.float64]) -> dict[str, Any]:
    """The best constant answer at other costs, on all held-out rows together."""
    folds = search.confusion_[search.best_index_].sum(axis=2)  # by fold and class
    sizes = folds.sum(axis=0)
    best = int((sizes @ matrix).argmin())
    counts = np.zeros((len(folds), *matrix.shape))
    counts[:, :, best] = folds
    held_out = HeldOut(
        confusion=counts[None],
        paid=(folds @ matrix[:, best])[None],
        least=folds @ matrix.min(axis=1),
        unit=average_mistake(matrix) or 1.0,
        error_weight=_balanced(sizes),
        action_error=np.ones(matrix.shape[1] - len(matrix)),
    )
    values = {name: float(value[0]) for name, value in measured_rows(held_out).items()}
    return {"label": search.actions_[[best]].tolist()[0], **values}


def _balanced(sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Error weights by which every class counts the same."""
    with np.errstate(divide="ignore"):
        return np.where(sizes > 0, sizes.sum() / (len(sizes) * sizes), 0.0)

"""From held-out predictions to what a search has learnt of its candidates."""

from dataclasses import replace
from typing import Any

from softcost.soft._constant import constant_answer
from softcost.soft._evidence import calibration_confusion
from softcost.soft._held_out import HeldOutPredictions
from softcost.soft._problem import JointProblem
from softcost.soft._results import scikit_learn_results
from softcost.soft._steady import handicaps
from softcost.soft._table import HeldOut, tradeoff_table

# What a fit may leave out.
_NOT_ALWAYS = (
    "best_estimator_", "refit_time_", "mix_", "portfolio_", "feature_names_in_",
    "calibration_confusion_", "paid_", "skipped_", "kept_", "handicap_",
)  # fmt: skip


def tabulate(
    search: Any, problem: JointProblem, predictions: HeldOutPredictions
) -> None:
    """Measure held-out predictions: all that is learnt but for the choice."""
    rows, weighted = problem.rows, problem.weights_errors
    counted = rows if weighted else replace(rows, error_weight="balanced")
    held_out = HeldOut.measured(
        rows, problem.tests, predictions.numbers, counted.weight_of_errors
    )
    for name in _NOT_ALWAYS:
        if hasattr(search, name):  # of an earlier fit
            delattr(search, name)
    for name, value in problem.features.items():
        setattr(search, name, value)
    search.classes_, search.actions_ = rows.classes, rows.actions
    search.n_splits_ = len(problem.folds)
    search.n_samples_ = len(rows.y)
    search.costs_by_example_ = rows.by_example
    search.error_measure_ = "weighted_error" if weighted else "error"
    search.cost_matrix_ = rows.raw_matrix
    if search.cost_matrix_ is None:
        search.cost_matrix_ = rows.class_means(rows.in_users_units)
    search.constant_ = constant_answer(rows, problem.folds, held_out.error_weight)
    search.confusion_ = held_out.confusion
    if rows.by_example:
        answers = (problem.tests, predictions.numbers)
        search.paid_ = HeldOut.paid_by_answer(rows, *answers)
    search.tradeoff_ = tradeoff_table(held_out, problem.candidates)
    search.cv_results_ = scikit_learn_results(
        search.tradeoff_, problem.candidates, held_out, predictions.times
    )
    if problem.blend is not None:
        search.handicap_ = handicaps(problem, predictions.numbers, search.tradeoff_)
    search._problem, search._predicted = problem.quiet(), predictions.numbers
    search._error_weight = held_out.error_weight
    if problem.calibration is not None:
        search.calibration_confusion_ = calibration_confusion(problem)

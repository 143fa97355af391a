"""What rules may ask of a search beyond its trade-off table."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softcost.metrics import confusion_counts
from softcost.search.counts import Evidence
from softcost.search.cross_val import held_out_predictions
from softcost.search.problem import JointProblem
from softcost.search.progress import silent


def calibration_confusion(problem: JointProblem) -> NDArray[np.float64]:
    """Confusion matrices of the calibration rows, shape (n_candidates, K, A).

    All candidates are fitted to all training rows, as one more fold: what is measured
    is what `candidate` gives.
    """
    split = problem.calibration
    assert split is not None
    members = [
        replace(
            member,
            data=everything,
            folds=[(split.train, split.kept)],
            progress=silent,
        )
        for member, everything in zip(problem.members, split.everything, strict=True)
    ]
    _, found = held_out_predictions(replace(problem, members=members))
    predicted = found.numbers[0]
    rows = split.rows.part(split.kept)
    return confusion_counts(
        rows.y, predicted, rows.n_classes, rows.weight, rows.n_actions
    )


def evidence_of(
    search: Any, problem: JointProblem, error_weight: NDArray[np.float64]
) -> Evidence:
    """Counts of a fitted search, for budgets.

    Parameters
    ----------
    search : SoftCostClassifierCV
        With ``confusion_`` and ``calibration_confusion_``.
    problem : JointProblem
        What it has searched.
    error_weight : array of shape (K,)
        Weight of an error by true class.
    """
    split = problem.calibration
    weight = (problem.rows if split is None else split.rows).weight
    weight = weight[weight > 0]
    unit = weight[0]  # of a row, where all count the same
    kept = getattr(search, "calibration_confusion_", None)
    return Evidence(
        classes=problem.rows.classes,
        confusion=search.confusion_.sum(axis=1) / unit,
        n_rows=len(np.unique(np.concatenate(problem.tests))),
        error_weight=error_weight,
        cost_matrix=problem.rows.raw_matrix,
        calibration=None if kept is None else kept / unit,
        action_error=problem.rows.action_error,
        equal_weights=bool((weight == unit).all()),
    )

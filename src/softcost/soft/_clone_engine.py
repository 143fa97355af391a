"""Cross-validation of any learner: clone, fit, predict."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softcost.costs import RowCosts
from softcost.parallel import run_jobs
from softcost.reductions import Reduction, TrainingData
from softcost.soft._problem import Fold, SearchProblem


def predictions(problem: SearchProblem) -> list[NDArray[np.intp]]:
    """Predictions for the held-out rows of every fold.

    Returns
    -------
    list of arrays of shape (n_settings, n_softness, n_test)
    """
    softness = problem.softness.tolist()
    together = problem.reduction.softness_at_predict
    pieces = [softness] if together else [[value] for value in softness]
    data = problem.data
    jobs = [
        (data.X, data.rows, problem.reduction, fold, params, piece)
        for fold in problem.folds
        for params in problem.settings
        for piece in pieces
    ]
    done = run_jobs(
        fit_and_predict, jobs, n_jobs=problem.n_jobs, progress=problem.progress
    )
    per_fold = len(problem.settings) * len(pieces)
    shape = (len(problem.settings), len(softness), -1)
    return [
        np.concatenate(done[start : start + per_fold]).reshape(shape)
        for start in range(0, len(done), per_fold)
    ]


def fit_and_predict(
    X: Any,
    rows: RowCosts,
    reduction: Reduction,
    fold: Fold,
    params: dict[str, Any],
    softness: Sequence[float],
) -> NDArray[np.intp]:
    """Held-out predictions for some softness values: the unit of parallel work.

    Returns an array of shape (n_softness, n_test) of numbers of classes.
    """
    train, test = fold
    data = TrainingData(X, rows)
    training, held_out = data.part(train), data.part(test).X
    predicted = np.empty((len(softness), len(test)), np.intp)
    model = None
    for number, value in enumerate(softness):
        if model is not None and reduction.softness_at_predict:
            model.set_params(softness=value)
        else:
            model = reduction.configured(value, params)
            model.fit_checked(training)
        predicted[number] = model.decide(held_out)
    return predicted

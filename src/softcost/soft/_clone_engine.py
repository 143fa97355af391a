"""Cross-validation of any learner: clone, fit, predict."""

from collections.abc import Sequence
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softcost.costs import RowCosts
from softcost.parallel import one_thread, run_jobs
from softcost.reductions import Reduction, TrainingData
from softcost.soft._problem import Fold, SearchProblem


def predictions(
    problem: SearchProblem,
) -> tuple[list[NDArray[np.intp]], dict[str, NDArray[np.float64]]]:
    """Predictions for the held-out rows of every fold, and the time they took.

    Returns
    -------
    predicted : list of arrays of shape (n_settings, n_softness, n_test)
    times : dict of arrays of shape (n_candidates, n_folds)
        Seconds for "fit" and "score".
    """
    softness = problem.softness.tolist()
    together = problem.reduction.softness_at_predict
    pieces = [softness] if together else [[value] for value in softness]
    data = problem.data
    jobs = [
        (fold, params, piece)
        for fold in problem.folds
        for params in problem.settings
        for piece in pieces
    ]
    done = run_jobs(
        fit_and_predict,
        jobs,
        shared=(data.X, data.rows, data.pairwise, problem.reduction),
        n_jobs=problem.n_jobs,
        progress=problem.progress,
    )
    per_fold = len(problem.settings) * len(pieces)
    shape = (len(problem.settings), len(softness), -1)
    predicted, times = [], []
    for start in range(0, len(done), per_fold):
        of_fold = done[start : start + per_fold]
        numbers = np.concatenate([numbers for numbers, _ in of_fold])
        predicted.append(numbers.reshape(shape))
        times.append(np.concatenate([seconds for _, seconds in of_fold]))
    by_candidate = np.stack(times, axis=1)
    return predicted, {"fit": by_candidate[..., 0], "score": by_candidate[..., 1]}


def fit_and_predict(
    X: Any,
    rows: RowCosts,
    pairwise: bool,
    reduction: Reduction,
    fold: Fold,
    params: dict[str, Any],
    softness: Sequence[float],
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Held-out predictions for some softness values: the unit of parallel work.

    Returns
    -------
    predicted : array of shape (n_softness, n_test)
        Numbers of classes.
    seconds : array of shape (n_softness, 2)
        For fit and predict; one fit that serves all softness values is shared out.
    """
    train, test = fold
    data = TrainingData(X, rows, pairwise=pairwise)
    training, held_out = data.part(train), data.rows_to_predict(test, train)
    predicted = np.empty((len(softness), len(test)), np.intp)
    seconds = np.zeros((len(softness), 2))
    # Fits have one thread, and so have predictions: of few rows, threads mostly wait.
    with one_thread():
        if reduction.softness_at_predict:
            started = perf_counter()
            model = reduction.configured(softness[0], params).fit_checked(training)
            fitted = perf_counter()
            predicted[:] = model.decide_each(held_out, softness)
            seconds[:] = fitted - started, perf_counter() - fitted
            return predicted, seconds / len(softness)
        for number, value in enumerate(softness):
            started = perf_counter()
            model = reduction.configured(value, params).fit_checked(training)
            fitted = perf_counter()
            predicted[number] = model.decide(held_out)
            seconds[number] = fitted - started, perf_counter() - fitted
    return predicted, seconds

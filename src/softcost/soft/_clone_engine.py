"""Cross-validation of any learner: clone, fit, predict."""

from collections.abc import Sequence
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from softcost.costs import RowCosts
from softcost.parallel import one_thread, run_jobs
from softcost.reductions import Reduction, TrainingData, cheapest_answers
from softcost.soft._problem import Fold, SearchProblem


class Probabilities(NamedTuple):
    """What a fold of a family with probabilities decides by.

    Attributes
    ----------
    of_settings : array of shape (n_settings, n_test, K)
        Probabilities of the held-out rows.
    matrices : array of shape (n_softness, K, A)
        Soft costs: the answer of least expected cost is predicted.
    """

    of_settings: NDArray[np.float32]
    matrices: NDArray[np.float64]


class Predictions(NamedTuple):
    """What fits of a search predict, and the time they took.

    Attributes
    ----------
    predicted : list of arrays of shape (n_settings, n_softness, n_test)
        One for each fold.
    times : dict of arrays of shape (n_candidates, n_folds)
        Seconds for "fit" and "score".
    probabilities : list of Probabilities
        One for each fold, where they were asked for.
    """

    predicted: list[NDArray[np.intp]]
    times: dict[str, NDArray[np.float64]]
    probabilities: list[Probabilities]


def predictions(
    problem: SearchProblem, *, with_probabilities: bool = False
) -> Predictions:
    """Predictions for the held-out rows of every fold, and the time they took."""
    softness = problem.softness.tolist()
    together = problem.reduction.softness_at_predict
    pieces = [softness] if together else [[value] for value in softness]
    data = problem.data
    jobs = [
        (fold, params, piece, with_probabilities)
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
    predicted, times, probabilities = [], [], []
    for start in range(0, len(done), per_fold):
        of_fold = done[start : start + per_fold]
        numbers = np.concatenate([one.numbers for one in of_fold])
        predicted.append(numbers.reshape(shape))
        times.append(np.concatenate([one.seconds for one in of_fold]))
        found = [one.probabilities for one in of_fold if one.probabilities is not None]
        if found:
            matrices = of_fold[0].matrices
            probabilities.append(Probabilities(np.stack(found), matrices))
    by_candidate = np.stack(times, axis=1)
    seconds = {"fit": by_candidate[..., 0], "score": by_candidate[..., 1]}
    return Predictions(predicted, seconds, probabilities)


class FitResult(NamedTuple):
    """What one fit predicts.

    Attributes
    ----------
    numbers : array of shape (n_softness, n_test)
        Numbers of classes.
    seconds : array of shape (n_softness, 2)
        For fit and predict; one fit that serves all softness values is shared out.
    probabilities, matrices : arrays or None
        As in `Probabilities`, where they were asked for.
    """

    numbers: NDArray[np.intp]
    seconds: NDArray[np.float64]
    probabilities: NDArray[np.float32] | None = None
    matrices: Any = None


def fit_and_predict(
    X: Any,
    rows: RowCosts,
    pairwise: bool,
    reduction: Reduction,
    fold: Fold,
    params: dict[str, Any],
    softness: Sequence[float],
    with_probabilities: bool,
) -> FitResult:
    """Held-out predictions for some softness values: the unit of parallel work."""
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
            found = matrices = None
            if with_probabilities:
                exact = model.checked_probabilities(held_out)
                matrices = model.soft_matrices(softness)
                predicted[:] = cheapest_answers(exact, matrices)
                found = exact.astype(np.float32)
            else:
                predicted[:] = model.decide_each(held_out, softness)
            seconds[:] = fitted - started, perf_counter() - fitted
            return FitResult(predicted, seconds / len(softness), found, matrices)
        for number, value in enumerate(softness):
            started = perf_counter()
            model = reduction.configured(value, params).fit_checked(training)
            fitted = perf_counter()
            predicted[number] = model.decide(held_out)
            seconds[number] = fitted - started, perf_counter() - fitted
    return FitResult(predicted, seconds)

"""Held-out predictions of all candidates, by whichever engine can make them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from softcost.costs import RowCosts
from softcost.parallel import one_thread, run_jobs
from softcost.reductions import (
    BlendedClassifier,
    Reduction,
    SoftmaxScores,
    TrainingData,
    cheapest_answers,
    fit_blend,
    temper_probabilities,
)
from softcost.search import path_engine
from softcost.search.path_engine import can_walk
from softcost.search.problem import Fold, JointProblem, SearchProblem

# Cross-validation of any learner: clone, fit, predict.


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


def cloned_predictions(
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
                matrices = model.soft_matrices(softness, raw_matrix=rows.raw_matrix)
                predicted[:] = cheapest_answers(exact, matrices)
                found = exact.astype(np.float32)
            else:
                predicted[:] = model.decide_each(
                    held_out, softness, raw_matrix=rows.raw_matrix
                )
            seconds[:] = fitted - started, perf_counter() - fitted
            return FitResult(predicted, seconds / len(softness), found, matrices)
        for number, value in enumerate(softness):
            started = perf_counter()
            model = reduction.configured(value, params).fit_checked(training)
            fitted = perf_counter()
            predicted[number] = model.decide(held_out)
            seconds[number] = fitted - started, perf_counter() - fitted
    return FitResult(predicted, seconds)


# A blend of families: what their probabilities decide together.
#
# The families have predicted the same held-out rows already, so a blend costs no fits
# before the last one.


# Smoothing: the share of a blend that goes to all families alike, whatever their
# weights. One rare, expensive row that the best member gave zero probability once made
# a blend cost fourteen times the best family. For n rows the share is
# min(0.05, 64 / n): weights fitted on many rows need less of a safeguard. Both numbers
# were chosen on development data.
SMOOTHING = 0.05
SMOOTHING_ROWS = 64


@dataclass(frozen=True)
class Blendable:
    """A family with probabilities, and those of its held-out rows, fold by fold."""

    problem: SearchProblem
    probabilities: list[Probabilities]

    def learners(self) -> list[tuple[str, Any]]:
        """One classifier for each setting, under a name that tells them apart."""
        return [
            (_named(self.problem, params), self._learner(params))
            for params in self.problem.settings
        ]

    @property
    def may_smooth(self) -> bool:
        """Whether small probabilities of the family are meaningful.

        A margin shows which class is likely, but hardly how unlikely the others are.
        """
        return not isinstance(self.problem.reduction.working_learner(), SoftmaxScores)

    def shared(self, share: float) -> NDArray[np.float64]:
        """A share of the family, in equal parts for its settings."""
        n_settings = len(self.problem.settings)
        return np.full(n_settings, share / n_settings)

    def _learner(self, params: dict[str, Any]) -> Any:
        return clone(self.problem.reduction.configured(0.0, params).working_learner())


def _named(problem: SearchProblem, params: dict[str, Any]) -> str:
    """For instance "linear C=0.1"."""
    told = [f"{name.split('__')[-1]}={value}" for name, value in params.items()]
    return " ".join([str(problem.family), *told])


def blended(
    problem: SearchProblem, parts: list[Blendable]
) -> tuple[SearchProblem, list[NDArray[np.intp]]]:
    """Fit a blend to held-out probabilities, and predict held-out rows with it.

    `fit_blend` fits its weights and inverse temperature to all held-out rows. The class
    cost is the mean of ``c_k - min_j c_j`` over the rows of the class. For n rows the
    smoothing is ``min(0.05, 64 / n)``, in equal shares for the families with meaningful
    small probabilities, and for the settings of each. The rows of a fold are predicted
    with weights from the other folds, so their measures are as unbiased as those of
    other candidates.

    Returns
    -------
    problem : SearchProblem
        With the weights and the inverse temperature set.
    predicted : list of arrays of shape (n_softness, n_test)
    """
    rows, tests = problem.data.rows, problem.tests
    class_cost = _class_cost(rows)
    folds = range(len(tests))
    found = [
        np.concatenate([part.probabilities[fold].of_settings for part in parts])
        for fold in folds
    ]

    def learnt_from(chosen: list[int]) -> tuple[NDArray[np.float64], float]:
        row = np.concatenate([tests[fold] for fold in chosen])
        probabilities = np.concatenate([found[fold] for fold in chosen], axis=1)
        return fit_blend(probabilities, rows.y[row], rows.weight[row], class_cost)

    share = min(SMOOTHING, SMOOTHING_ROWS / len(rows.y))
    n_smoothing = max(1, sum(part.may_smooth for part in parts))
    smoothing = np.concatenate(
        [part.shared(share / n_smoothing * part.may_smooth) for part in parts]
    )
    predicted = []
    for fold in folds:
        others = [other for other in folds if other != fold]
        weights, inverse_temperature = learnt_from(others or [fold])
        average = np.tensordot(weights, found[fold], axes=1)
        tempered = temper_probabilities(average, inverse_temperature)
        smoothed = np.tensordot(smoothing, found[fold], axes=1)
        mixed = (1 - smoothing.sum()) * tempered + smoothed
        matrices = parts[0].probabilities[fold].matrices
        predicted.append(cheapest_answers(mixed, matrices))
    learners = [pair for part in parts for pair in part.learners()]
    weights, inverse_temperature = learnt_from(list(folds))
    blend = BlendedClassifier(
        learners,
        weights=weights.tolist(),
        inverse_temperature=inverse_temperature,
        smoothing=smoothing.tolist(),
    )
    reduction = clone(problem.reduction).set_params(learner=blend)
    return replace(problem, reduction=reduction, blends=()), predicted


def _class_cost(rows: RowCosts) -> NDArray[np.float64]:
    """Mean cost of a random answer for a row of each class, shape (K,)."""
    costs, n_classes = rows.in_users_units, rows.n_classes
    extra_cost = costs.mean(axis=1) - costs.min(axis=1)
    total = np.bincount(rows.y, rows.weight * extra_cost, n_classes)
    weight = np.bincount(rows.y, rows.weight, n_classes)
    return np.divide(total, weight, out=np.zeros(n_classes), where=weight > 0)


class HeldOutPredictions(NamedTuple):
    """What all candidates predict for rows that they have not seen.

    Attributes
    ----------
    numbers : list of arrays of shape (n_candidates, n_test)
        Numbers of the predicted classes, one array for each fold.
    times : dict of arrays of shape (n_candidates, n_folds)
        Seconds for "fit" and "score", where candidates are fitted one by one.
    """

    numbers: list[NDArray[np.intp]]
    times: dict[str, NDArray[np.float64]]


def held_out_predictions(
    problem: JointProblem,
) -> tuple[JointProblem, HeldOutPredictions]:
    """Predictions of every candidate for the held-out rows of every fold.

    Returns
    -------
    problem : JointProblem
        As given, but for blends: their weights have been learnt.
    predictions : HeldOutPredictions
    """
    in_blend = {name for member in problem.members for name in member.blends}
    found: list[HeldOutPredictions] = []
    members: list[SearchProblem] = []
    kept: dict[str | None, Blendable] = {}
    for member in problem.members:
        if member.blends:
            parts = [kept[name] for name in member.blends]
            learnt, numbers = blended(member, parts)
            members.append(learnt)
            found.append(HeldOutPredictions(numbers, {}))
            continue
        members.append(member)
        if member.family in in_blend:
            predicted, times, probabilities = cloned_predictions(
                member, with_probabilities=True
            )
            kept[member.family] = Blendable(member, probabilities)
            numbers = [_by_candidate(one) for one in predicted]
            found.append(HeldOutPredictions(numbers, times))
        else:
            found.append(predictions_of(member))
    problem = replace(problem, members=members)
    return problem, _together(problem, found)


def _together(
    problem: JointProblem, found: list[HeldOutPredictions]
) -> HeldOutPredictions:
    small = np.min_scalar_type(problem.rows.n_actions)  # there are many of them
    return HeldOutPredictions(
        [
            np.concatenate(of_fold).astype(small, copy=False)
            for of_fold in zip(*(one.numbers for one in found), strict=True)
        ],
        _all_times(problem, [one.times for one in found]),
    )


def predictions_of(problem: SearchProblem) -> HeldOutPredictions:
    """Those of one family."""
    if can_walk(problem):
        predicted = path_engine.predictions(problem)
        return HeldOutPredictions([_by_candidate(one) for one in predicted], {})
    predicted, times, _ = cloned_predictions(problem)
    return HeldOutPredictions([_by_candidate(one) for one in predicted], times)


def _by_candidate(predicted: NDArray[np.intp]) -> NDArray[np.intp]:
    """(n_settings, n_softness, n_test) as (n_candidates, n_test)."""
    return predicted.reshape(-1, predicted.shape[-1])


def _all_times(
    problem: JointProblem, times: list[dict[str, NDArray[np.float64]]]
) -> dict[str, NDArray[np.float64]]:
    """Times of all candidates; not a number for those that were solved together."""
    names = dict.fromkeys(name for one in times for name in one)
    unknown = [
        np.full((len(member.candidates), len(member.folds)), np.nan)
        for member in problem.members
    ]
    return {
        name: np.concatenate(
            [one.get(name, none) for one, none in zip(times, unknown, strict=True)]
        )
        for name in names
    }

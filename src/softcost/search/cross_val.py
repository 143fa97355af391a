"""Cross-validation: held-out predictions of all candidates.

Learners with a path are solved along it (`softcost.search.path_engine`); all others are
cloned, fitted and asked to predict. The blend is fitted to the held-out probabilities
of its members, which needs no further fits.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone

from softcost.costs import RowCosts
from softcost.learners import FitParams, last_step
from softcost.metrics import confusion_counts
from softcost.parallel import one_thread, run_jobs
from softcost.reductions import (
    BlendedClassifier,
    Reduction,
    SoftmaxScores,
    TrainingData,
    fit_blend,
    temper_probabilities,
)
from softcost.reductions.blend import MIN_PROBABILITY
from softcost.reductions.expected_cost import SoftDecision
from softcost.search import path_engine
from softcost.search.path_engine import can_walk
from softcost.search.problem import Fold, JointProblem, SearchProblem
from softcost.search.progress import silent


class Probabilities(NamedTuple):
    """What a family with probabilities decides by, for one fold.

    Attributes
    ----------
    of_settings : array of shape (n_settings, n_test, K)
        Probabilities of the held-out rows.
    decision : SoftDecision
        Predicts the answer with the lowest expected softened cost.
    """

    of_settings: NDArray[np.float32]
    decision: SoftDecision


class Predictions(NamedTuple):
    """Predictions of one family, and the time they took.

    Attributes
    ----------
    predicted : list of arrays of shape (n_settings, n_softness, n_test)
        One for each fold.
    times : dict of arrays of shape (n_candidates, n_folds)
        Seconds for "fit" and "score".
    probabilities : list of Probabilities
        One for each fold if they were requested, else empty.
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
    results = run_jobs(
        fit_and_predict,
        jobs,
        shared=(
            *(data.X, data.rows, data.pairwise, data.fit_params),
            problem.reduction,
        ),
        n_jobs=problem.n_jobs,
        progress=problem.progress,
    )
    per_fold = len(problem.settings) * len(pieces)
    shape = (len(problem.settings), len(softness), -1)
    predicted, times, probabilities = [], [], []
    for start in range(0, len(results), per_fold):
        fits = results[start : start + per_fold]
        numbers = np.concatenate([fit.numbers for fit in fits])
        predicted.append(numbers.reshape(shape))
        times.append(np.concatenate([fit.seconds for fit in fits]))
        by_fit = [fit.probabilities for fit in fits if fit.probabilities is not None]
        if by_fit:
            probabilities.append(Probabilities(np.stack(by_fit), fits[0].decision))
    by_candidate = np.stack(times, axis=1)
    seconds = {"fit": by_candidate[..., 0], "score": by_candidate[..., 1]}
    return Predictions(predicted, seconds, probabilities)


class FitResult(NamedTuple):
    """Predictions of one fit.

    Attributes
    ----------
    numbers : array of shape (n_softness, n_test)
        Numbers of the predicted answers.
    seconds : array of shape (n_softness, 2)
        For fit and predict. The time of a fit that serves all softness values is
        divided among them.
    probabilities, decision
        As in `Probabilities`, if requested.
    """

    numbers: NDArray[np.intp]
    seconds: NDArray[np.float64]
    probabilities: NDArray[np.float32] | None = None
    decision: Any = None


def fit_and_predict(
    X: Any,
    rows: RowCosts,
    pairwise: bool,
    fit_params: FitParams | None,
    reduction: Reduction,
    fold: Fold,
    params: dict[str, Any],
    softness: Sequence[float],
    with_probabilities: bool,
) -> FitResult:
    """Held-out predictions for some softness values: the unit of parallel work."""
    train, test = fold
    data = TrainingData(X, rows, pairwise=pairwise, fit_params=fit_params)
    training, held_out = data.part(train), data.rows_to_predict(test, train)
    predicted = np.empty((len(softness), len(test)), np.intp)
    seconds = np.zeros((len(softness), 2))
    # One thread each: candidates run in parallel, and for few rows threads mostly wait.
    with one_thread():
        if reduction.softness_at_predict:
            started = perf_counter()
            model: Any = reduction.configured(softness[0], params)
            model.fit_checked(training)
            fitted = perf_counter()
            probabilities = decision = None
            matrices = _held_out_matrices(rows, test)
            if with_probabilities:
                exact = model.checked_probabilities(held_out)
                decision = model.soft_decision(
                    softness,
                    raw_matrix=rows.raw_matrix,
                    by_row=matrices is not None,
                )
                predicted[:] = decision.answers(exact, matrices)
                probabilities = exact.astype(np.float32)
            else:
                predicted[:] = model.decide_each(
                    held_out,
                    softness,
                    raw_matrix=rows.raw_matrix,
                    raw_matrices=matrices,
                )
            seconds[:] = fitted - started, perf_counter() - fitted
            seconds /= len(softness)
            return FitResult(predicted, seconds, probabilities, decision)
        for number, value in enumerate(softness):
            started = perf_counter()
            model = reduction.configured(value, params).fit_checked(training)
            fitted = perf_counter()
            predicted[number] = model.decide(held_out)
            seconds[number] = fitted - started, perf_counter() - fitted
    return FitResult(predicted, seconds)


def _held_out_matrices(
    rows: RowCosts, test: NDArray[np.intp]
) -> NDArray[np.float64] | None:
    """Cost matrices of held-out rows; None without a matrix for every row."""
    return None if rows.raw_matrices is None else rows.raw_matrices[test]


# Smoothing: the share of a blend that goes to all families alike, whatever their
# weights. One rare, expensive row that the best member gave zero probability once made
# a blend cost fourteen times the best family. For n rows the share is
# min(0.05, 64 / n): weights fitted on many rows need less of a safeguard. Both numbers
# were chosen on development data.
# As a share of the weights, which the inverse temperature then sharpens, it cost 2 %
# less over 20 development tables, but one rare row made anneal cost 70 times as much.
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
        learner = last_step(self.problem.reduction.working_learner())
        return not isinstance(learner, SoftmaxScores)

    def _learner(self, params: dict[str, Any]) -> Any:
        return clone(self.problem.reduction.configured(0.0, params).working_learner())


def _named(problem: SearchProblem, params: dict[str, Any]) -> str:
    """For instance "linear C=0.1"."""
    values = [f"{name.split('__')[-1]}={value}" for name, value in params.items()]
    return " ".join([str(problem.family), *values])


def blended(
    problem: SearchProblem, parts: list[Blendable]
) -> tuple[SearchProblem, list[NDArray[np.intp]]]:
    """Fit a blend to held-out probabilities, and predict held-out rows with it.

    Of each family, the setting with the lowest log loss takes part. `fit_blend` fits
    weights and inverse temperature to all held-out rows. The class cost is the mean of
    ``c_k - min_j c_j`` over the answers, see `_class_cost`. For n rows the smoothing is
    ``min(0.05, 64 / n)``, in equal shares for the families with meaningful small
    probabilities. The rows of a fold are predicted with weights from the other folds,
    so their measures are as unbiased as those of other candidates.

    Returns
    -------
    problem : SearchProblem
        With the weights and the inverse temperature set.
    predicted : list of arrays of shape (n_softness, n_test)
    """
    rows, tests = problem.data.rows, problem.tests
    class_cost = _class_cost(rows)
    folds = range(len(tests))
    by_fold = [
        np.concatenate([part.probabilities[fold].of_settings for part in parts])
        for fold in folds
    ]
    share = min(SMOOTHING, SMOOTHING_ROWS / len(rows.y))

    def learnt_from(chosen: list[int]) -> tuple[NDArray[np.float64], float, Any]:
        row = np.concatenate([tests[fold] for fold in chosen])
        probabilities = np.concatenate([by_fold[fold] for fold in chosen], axis=1)
        costs = class_cost if class_cost.ndim == 1 else class_cost[row]
        y, weight = rows.y[row], rows.weight[row]
        best = _best_settings(parts, probabilities, y, weight)
        members = np.zeros(len(probabilities))
        members[best], inverse_temperature = fit_blend(
            probabilities[best], y, weight, costs
        )
        smoothing = np.zeros(len(probabilities))
        may_smooth = [part.may_smooth for part in parts]
        smoothing[best] = share * np.array(may_smooth) / max(1, sum(may_smooth))
        return members, inverse_temperature, smoothing

    predicted = []
    for fold in folds:
        others = [other for other in folds if other != fold]
        weights, inverse_temperature, smoothing = learnt_from(others or [fold])
        average = np.tensordot(weights, by_fold[fold], axes=1)
        tempered = temper_probabilities(average, inverse_temperature)
        smoothed = np.tensordot(smoothing, by_fold[fold], axes=1)
        mixed = (1 - smoothing.sum()) * tempered + smoothed
        decision = parts[0].probabilities[fold].decision
        matrices = _held_out_matrices(rows, tests[fold])
        predicted.append(decision.answers(mixed, matrices))
    learners = [pair for part in parts for pair in part.learners()]
    weights, inverse_temperature, smoothing = learnt_from(list(folds))
    used = np.flatnonzero(weights + smoothing)
    blend = BlendedClassifier(
        [learners[k] for k in used],
        weights=weights[used].tolist(),
        inverse_temperature=inverse_temperature,
        smoothing=smoothing[used].tolist(),
    )
    reduction = clone(problem.reduction).set_params(learner=blend)
    return replace(problem, reduction=reduction, blends=()), predicted


def _best_settings(
    parts: list[Blendable],
    probabilities: NDArray[np.float32],
    y: NDArray[np.intp],
    weight: NDArray[np.float64],
) -> list[int]:
    """For each family the setting with the lowest log loss.

    Settings of one family are alike: several of them in the blend gain nothing, and
    each takes a fit and time for every prediction.
    """
    of_label = probabilities[:, np.arange(len(y)), y]
    losses = -np.log(np.maximum(of_label, MIN_PROBABILITY)) @ weight
    best, start = [], 0
    for part in parts:
        stop = start + len(part.problem.settings)
        best.append(start + int(losses[start:stop].argmin()))
        start = stop
    return best


def _class_cost(rows: RowCosts) -> NDArray[np.float64]:
    """Mean extra cost of a random answer by true class, shape (K,).

    With a cost matrix for every row, that of each row, shape (n, K). With costs of the
    true classes only, their means by class.
    """
    matrices = rows.raw_matrix if rows.raw_matrices is None else rows.raw_matrices
    if matrices is not None:
        return matrices.mean(axis=-1) - matrices.min(axis=-1)
    costs, n_classes = rows.in_users_units, rows.n_classes
    extra_cost = costs.mean(axis=1) - costs.min(axis=1)
    total = np.bincount(rows.y, rows.weight * extra_cost, n_classes)
    weight = np.bincount(rows.y, rows.weight, n_classes)
    return np.divide(total, weight, out=np.zeros(n_classes), where=weight > 0)


class HeldOutPredictions(NamedTuple):
    """Predictions of all candidates for held-out rows.

    Attributes
    ----------
    numbers : list of arrays of shape (n_candidates, n_test)
        Numbers of the predicted answers, one array for each fold.
    times : dict of arrays of shape (n_candidates, n_folds)
        Seconds for "fit" and "score", if candidates are fitted one by one.
    """

    numbers: list[NDArray[np.intp]]
    times: dict[str, NDArray[np.float64]]


@dataclass(frozen=True)
class CrossValidation:
    """A finished cross-validation.

    Attributes
    ----------
    problem : JointProblem
        What was searched: blends have their weights, and settings that a time limit
        left out are removed.
    predictions : HeldOutPredictions
        One row for each candidate of the problem.
    skipped : DataFrame or None
        Settings that a time limit, an error or an interrupt left out.
    interrupted : bool
        Whether the user has interrupted the search.
    """

    problem: JointProblem
    predictions: HeldOutPredictions
    skipped: pd.DataFrame | None = None
    interrupted: bool = False


def held_out_predictions(problem: JointProblem) -> CrossValidation:
    """Predictions of every candidate for the held-out rows of every fold."""
    in_blend = {name for member in problem.members for name in member.blends}
    results: list[HeldOutPredictions] = []
    members: list[SearchProblem] = []
    blendable: dict[str | None, Blendable] = {}
    for member in problem.members:
        if member.blends:
            parts = [blendable[name] for name in member.blends]
            weighted, numbers = blended(member, parts)
            members.append(weighted)
            results.append(HeldOutPredictions(numbers, {}))
            continue
        members.append(member)
        if member.family in in_blend:
            predicted, times, probabilities = cloned_predictions(
                member, with_probabilities=True
            )
            blendable[member.family] = Blendable(member, probabilities)
            numbers = [_by_candidate(fold) for fold in predicted]
            results.append(HeldOutPredictions(numbers, times))
        else:
            results.append(predictions_of(member))
    problem = replace(problem, members=members)
    return CrossValidation(problem, joined_predictions(problem, results))


def holdout_confusion(problem: JointProblem) -> NDArray[np.float64]:
    """Confusion matrices of the holdout rows, shape (n_candidates, K, A).

    Every candidate is fitted to all training rows, as `candidate` does, so that the
    model which is tested is the model which is used.
    """
    split = problem.holdout
    assert split is not None
    members = [
        replace(member, data=data, folds=[(split.train, split.test)], progress=silent)
        for member, data in zip(problem.members, split.everything, strict=True)
    ]
    tested = held_out_predictions(replace(problem, members=members))
    rows = split.rows.part(split.test)
    return confusion_counts(
        rows.y,
        tested.predictions.numbers[0],
        rows.n_classes,
        rows.weight,
        rows.n_actions,
    )


def joined_predictions(
    problem: JointProblem, families: list[HeldOutPredictions]
) -> HeldOutPredictions:
    """Predictions of all families, in the smallest integer type that holds them."""
    small = np.min_scalar_type(problem.rows.n_actions)
    return HeldOutPredictions(
        [
            np.concatenate(fold).astype(small, copy=False)
            for fold in zip(*(family.numbers for family in families), strict=True)
        ],
        _all_times(problem, [family.times for family in families]),
    )


def predictions_of(problem: SearchProblem) -> HeldOutPredictions:
    """Held-out predictions of one family."""
    if can_walk(problem):
        predicted = path_engine.predictions(problem)
        return HeldOutPredictions([_by_candidate(fold) for fold in predicted], {})
    predicted, times, _ = cloned_predictions(problem)
    return HeldOutPredictions([_by_candidate(fold) for fold in predicted], times)


def _by_candidate(predicted: NDArray[np.intp]) -> NDArray[np.intp]:
    """(n_settings, n_softness, n_test) as (n_candidates, n_test)."""
    return predicted.reshape(-1, predicted.shape[-1])


def _all_times(
    problem: JointProblem, times: list[dict[str, NDArray[np.float64]]]
) -> dict[str, NDArray[np.float64]]:
    """Times of all candidates; NaN for candidates that were solved together."""
    names = dict.fromkeys(name for seconds in times for name in seconds)
    unknown = [
        np.full((len(member.candidates), len(member.folds)), np.nan)
        for member in problem.members
    ]
    return {
        name: np.concatenate(
            [
                seconds.get(name, missing)
                for seconds, missing in zip(times, unknown, strict=True)
            ]
        )
        for name in names
    }

"""Held-out predictions of all candidates, by whichever engine can make them."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from softcost.soft import _clone_engine, _path_engine
from softcost.soft._blend import Blendable, blended
from softcost.soft._path_engine import can_walk
from softcost.soft._problem import JointProblem, SearchProblem

__all__ = ["HeldOutPredictions", "can_walk", "held_out_predictions", "predictions_of"]


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
            predicted, times, probabilities = _clone_engine.predictions(
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
        predicted = _path_engine.predictions(problem)
        return HeldOutPredictions([_by_candidate(one) for one in predicted], {})
    predicted, times, _ = _clone_engine.predictions(problem)
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

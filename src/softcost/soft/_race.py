"""A search within a time limit: the quickest first, and what is done is kept."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any

import numpy as np
import pandas as pd

from softcost.soft._held_out import HeldOutPredictions, can_walk, predictions_of
from softcost.soft._portfolio import QUICKEST_FIRST
from softcost.soft._problem import JointProblem, SearchProblem
from softcost.soft._progress import Progress, part_of

_HOPELESS = 3  # times as long as there is time: no use to go on


class TimeIsUp(Exception):
    """A piece of work will not be done in time; the message says so."""


@dataclass(frozen=True)
class Heat:
    """A piece of the race: some settings of one family.

    Attributes
    ----------
    member : int
        Number of the family.
    settings : list of int
        Numbers of its settings: all of them where they are solved together.
    """

    member: int
    settings: list[int]


def raced_predictions(
    problem: JointProblem, seconds: float
) -> tuple[JointProblem, HeldOutPredictions, pd.DataFrame]:
    """Held-out predictions of as many candidates as a time limit allows.

    Every family gets a first setting before any gets a second, the quickest families
    first. A setting counts when it is done on all folds. The first one is done whatever
    it takes, so that there is something to choose.

    Parameters
    ----------
    problem : JointProblem
    seconds : float

    Returns
    -------
    problem : JointProblem
        Without what was skipped.
    predictions : HeldOutPredictions
    skipped : DataFrame
        ``family``, ``params`` (as text) and ``why``.
    """
    skipped: list[dict[str, Any]] = []
    if problem.blend is not None:
        why = "it needs all the families that it averages"
        skipped.append({"family": problem.blend, "params": "", "why": why})
        problem = problem.without_blend()
    heats = list(_in_order(problem.members))
    limit = monotonic() + seconds
    done: dict[tuple[int, int], HeldOutPredictions] = {}
    for number, heat in enumerate(heats):
        member = problem.members[heat.member]
        tell = part_of(problem.progress, number, len(heats))
        watch = tell if not done else _watched(tell, limit)
        part = replace(
            member, settings=[member.settings[k] for k in heat.settings], progress=watch
        )
        try:
            if done and monotonic() >= limit:
                raise TimeIsUp("no time was left")
            for k, one in zip(heat.settings, _by_setting(part), strict=True):
                done[heat.member, k] = one
        except TimeIsUp as why:
            skipped += [
                {"family": member.family, "params": _told(settings), "why": str(why)}
                for settings in part.settings
            ]
        if len(heats) > 1:
            tell(1, 1)
    left, predictions = _collected(problem, done)
    return left, predictions, pd.DataFrame(skipped, columns=["family", "params", "why"])


def _told(settings: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in settings.items())


def _in_order(members: list[SearchProblem]) -> Iterator[Heat]:
    """First settings of all families, then second ones, and so on."""
    names = [str(member.family) for member in members]
    known = set(names) <= set(QUICKEST_FIRST)
    order = QUICKEST_FIRST if known else names
    heats: list[tuple[int, int, Heat]] = []
    for number, member in enumerate(members):
        place = order.index(str(member.family))
        every = list(range(len(member.settings)))
        parts = [every] if can_walk(member) else [[k] for k in every]
        heats += [(turn, place, Heat(number, part)) for turn, part in enumerate(parts)]
    yield from (heat for _, _, heat in sorted(heats, key=lambda one: one[:2]))


def _watched(tell: Progress, limit: float) -> Progress:
    """Progress that gives up when the time is up, or is sure not to be enough."""
    started = monotonic()

    def watch(done: int, total: int) -> None:
        tell(done, total)
        if done == total:
            return
        now = monotonic()
        needed = (now - started) / max(done, 1) * total
        if now >= limit:
            raise TimeIsUp("it was not done in time")
        if needed > _HOPELESS * (limit - started):
            raise TimeIsUp(f"it would have taken about {needed / 60:.2g} minutes")

    return watch


def _by_setting(part: SearchProblem) -> list[HeldOutPredictions]:
    """What `predictions_of` finds, for each setting by itself."""
    found = predictions_of(part)
    width = len(part.softness)
    cuts = [slice(k * width, (k + 1) * width) for k in range(len(part.settings))]
    return [
        HeldOutPredictions(
            [numbers[cut] for numbers in found.numbers],
            {name: times[cut] for name, times in found.times.items()},
        )
        for cut in cuts
    ]


def _collected(
    problem: JointProblem, done: dict[tuple[int, int], HeldOutPredictions]
) -> tuple[JointProblem, HeldOutPredictions]:
    """The families and settings that are done, in their old order."""
    numbers = sorted({member for member, _ in done})
    members = []
    for number in numbers:
        member = problem.members[number]
        kept = [k for k in range(len(member.settings)) if (number, k) in done]
        members.append(replace(member, settings=[member.settings[k] for k in kept]))
    parts = [done[key] for key in sorted(done)]
    names = dict.fromkeys(name for one in parts for name in one.times)
    n_folds = len(problem.folds)
    times = {
        name: np.concatenate(
            [
                one.times.get(name, np.full((len(one.numbers[0]), n_folds), np.nan))
                for one in parts
            ]
        )
        for name in names
    }
    together = [
        np.concatenate(of_fold)
        for of_fold in zip(*(one.numbers for one in parts), strict=True)
    ]
    small = np.min_scalar_type(problem.rows.n_actions)
    calibration = problem.calibration
    if calibration is not None:
        calibration = replace(
            calibration,
            everything=[calibration.everything[number] for number in numbers],
        )
    left = replace(problem, members=members, calibration=calibration)
    return left, HeldOutPredictions(
        [one.astype(small, copy=False) for one in together], times
    )

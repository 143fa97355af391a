"""A search within a time limit: the quickest first, and what is done is kept."""

import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from time import monotonic, perf_counter
from typing import Any

import numpy as np
import pandas as pd
from joblib import effective_n_jobs, parallel_config
from numpy.typing import NDArray

from softcost.parallel import has_own_workers, local_threads
from softcost.search.auto import QUICKEST_FIRST
from softcost.search.cross_val import (
    CrossValidation,
    HeldOutPredictions,
    can_walk,
    predictions_of,
)
from softcost.search.problem import JointProblem, SearchProblem
from softcost.search.progress import Progress, estimate_listener, part_of, silent

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


def raced_predictions(problem: JointProblem, seconds: float) -> CrossValidation:
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
    CrossValidation
        ``skipped`` has the columns ``family``, ``params`` (as text) and ``why``.
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
    why_not = pd.DataFrame(skipped, columns=["family", "params", "why"])
    return CrossValidation(left, predictions, why_not)


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
    left = replace(problem.with_families(numbers), members=members)
    return left, HeldOutPredictions(
        [one.astype(small, copy=False) for one in together], times
    )


# How long a search will take, told before it begins: by what samples of rows take.
#
# Each family is tried on a small part of one training part, then on twice as many rows,
# and so on, until that takes long enough to tell something. With s seconds for the last
# m rows and g the exponent between the last two samples, a training part of n rows
# takes about ``s (n / m)^g``. There are as many of them as folds, times as many fits of
# a part as there are candidates that share no work, and then the last fit.


_FEWEST_ROWS = 2_000  # of a search that anybody has to wait for
_FIRST = 200  # rows of the first sample, at least
_SMALLEST = 64  # one of so many rows is in the first sample
_HELD_OUT = 4  # one of so many rows of a sample is predicted
_ENOUGH = 0.3  # seconds of a sample that is large enough
_LARGEST = 4  # one of so many rows is in the largest sample
_LEAST_GROWTH, _MOST_GROWTH = 0.5, 2.0  # exponents that are believed
_OF_A_CLASS = 30  # rows that a sample has of every class, where there are as many
_LONG = 10.0  # seconds that are worth a word


def tell_estimate(problem: JointProblem, verbose: int) -> None:
    """Say how long a search will take, if it is long and anybody wants to know."""
    listener = estimate_listener(verbose)
    if listener is None or len(problem.rows.y) < _FEWEST_ROWS:
        return
    seconds = estimated_seconds(problem)
    if seconds is not None and seconds >= _LONG:
        listener(seconds)


def estimated_seconds(problem: JointProblem) -> float | None:
    """Seconds that all candidates on all folds and the last fit take, about.

    None where a family cannot be tried on few rows.
    """
    total, last = 0.0, 0.0
    for member in problem.members:
        if member.blends:  # averages what others have predicted
            continue
        try:
            sizes, seconds = _samples(member)
        except Exception:  # a sample may lack what the whole table has
            return None
        one = extrapolated(sizes, seconds, len(member.folds[0][0]))
        units = _fits_of_a_fold(member) * len(member.folds)
        total += one * units / min(_workers(member), units)
        # Folds may be samples: the last fit is to all rows.
        whole = max(one, extrapolated(sizes, seconds, len(member.data.rows.y)))
        together = problem.blend is not None and member.family in problem.blended
        last = last + whole if together else max(last, whole)
    return total + last


def extrapolated(sizes: Sequence[int], seconds: Sequence[float], n: int) -> float:
    """Seconds for n rows, from those for the last two sizes.

    Examples
    --------
    >>> extrapolated([100, 200], [1.0, 4.0], 400)
    16.0
    """
    growth = math.log(max(seconds[-1], 1e-9) / max(seconds[-2], 1e-9))
    growth /= math.log(sizes[-1] / sizes[-2])
    growth = min(max(growth, _LEAST_GROWTH), _MOST_GROWTH)
    return seconds[-1] * (n / sizes[-1]) ** growth


def _fits_of_a_fold(member: SearchProblem) -> int:
    """How many pieces of work a fold has: one where all candidates share a path."""
    if can_walk(member):
        return 1
    softness = 1 if member.reduction.softness_at_predict else len(member.softness)
    return len(member.settings) * softness


def _workers(member: SearchProblem) -> int:
    if can_walk(member) and not has_own_workers():
        return local_threads(member.n_jobs)
    return int(effective_n_jobs(member.n_jobs))


def _samples(member: SearchProblem) -> tuple[list[int], list[float]]:
    """What one piece of work takes on samples of a training part, twice as large each.

    Returns
    -------
    sizes, seconds : lists
        Rows of the samples, and what they took.
    """
    n = len(member.folds[0][0])
    size = max(_FIRST, n // _SMALLEST)
    _timed(member, _FIRST)  # compiles
    sizes, seconds = [size, 2 * size], [_timed(member, k * size) for k in (1, 2)]
    while seconds[-1] < _ENOUGH and 2 * _LARGEST * sizes[-1] <= n:
        sizes.append(2 * sizes[-1])
        seconds.append(_timed(member, sizes[-1]))
    return sizes, seconds


def _timed(member: SearchProblem, size: int) -> float:
    """Seconds of one piece of work on so many training rows."""
    rng = np.random.default_rng(size)
    train, test = member.folds[0]
    y = member.data.rows.y
    chosen = _sample(y, train, size, rng)
    held_out = rng.permutation(test)[: max(size // _HELD_OUT, 1)]
    some = np.concatenate([chosen, held_out])
    fold = (np.arange(len(chosen)), np.arange(len(chosen), len(some)))
    settings, softness = member.settings, member.softness
    if not can_walk(member):
        settings = [settings[len(settings) // 2]]
        if not member.reduction.softness_at_predict:
            softness = softness[[len(softness) // 2]]
    part = replace(
        member,
        data=member.data.part(some),
        folds=[fold],
        settings=settings,
        softness=softness,
        n_jobs=1,
        progress=silent,
    )
    with warnings.catch_warnings(), parallel_config(backend="threading", n_jobs=1):
        warnings.simplefilter("ignore")
        started = perf_counter()
        predictions_of(part)
        return perf_counter() - started


def _sample(
    y: NDArray[np.intp], rows: NDArray[np.intp], size: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Random rows, and some more of rare classes."""
    order = rng.permutation(rows)
    taken = np.zeros(len(order), bool)
    taken[:size] = True
    labels = y[order]
    for k in np.unique(labels):
        taken[np.flatnonzero(labels == k)[:_OF_A_CLASS]] = True
    return np.sort(order[taken])

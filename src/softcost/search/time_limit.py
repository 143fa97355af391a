"""Searches within a time limit, and estimates of how long a search will take.

Within a time limit the fastest families run first, and the choice is among the settings
that finished. The estimate extrapolates from fits to samples of the rows.
"""

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
from softcost.search.progress import Estimate, Progress, part_of, silent

# A setting is given up early if it would take this many times the limit. The estimate
# after the first fold is rough, so the factor is generous.
_HOPELESS = 3


class TimeIsUp(Exception):
    """A setting will not finish in time; the message is the reason."""


@dataclass(frozen=True)
class Heat:
    """A turn of one family: the settings that it runs.

    Attributes
    ----------
    member : int
        Number of the family.
    settings : list of int
        Numbers of its settings: all settings of a path, else a single one.
    """

    member: int
    settings: list[int]


def raced_predictions(problem: JointProblem, seconds: float) -> CrossValidation:
    """Held-out predictions of as many candidates as a time limit allows.

    Every family runs a first setting before any runs a second, the fastest families
    first. A setting counts if it finishes on all folds. The first setting always
    finishes, so that there is something to choose.

    Parameters
    ----------
    problem : JointProblem
        What to search.
    seconds : float
        The limit.

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
            for k, predicted in zip(heat.settings, _by_setting(part), strict=True):
                done[heat.member, k] = predicted
        except TimeIsUp as why:
            skipped += [
                {"family": member.family, "params": _as_text(settings), "why": str(why)}
                for settings in part.settings
            ]
        if len(heats) > 1:
            tell(1, 1)
    left, predictions = _collected(problem, done)
    why_not = pd.DataFrame(skipped, columns=["family", "params", "why"])
    return CrossValidation(left, predictions, why_not)


def _as_text(settings: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in settings.items())


def _in_order(members: list[SearchProblem]) -> Iterator[Heat]:
    """First settings of all families, then second ones, and so on."""
    names = [str(member.family) for member in members]
    order = QUICKEST_FIRST if set(names) <= set(QUICKEST_FIRST) else names
    heats: list[tuple[int, int, Heat]] = []
    for number, member in enumerate(members):
        place = order.index(str(member.family))
        every = list(range(len(member.settings)))
        parts = [every] if can_walk(member) else [[k] for k in every]
        heats += [(turn, place, Heat(number, part)) for turn, part in enumerate(parts)]
    yield from (heat for _, _, heat in sorted(heats, key=lambda turn: turn[:2]))


def _watched(tell: Progress, limit: float) -> Progress:
    """Progress that raises `TimeIsUp` if the limit is, or will be, exceeded."""
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
    """The result of `predictions_of`, divided by setting."""
    predictions = predictions_of(part)
    width = len(part.softness)
    cuts = [slice(k * width, (k + 1) * width) for k in range(len(part.settings))]
    return [
        HeldOutPredictions(
            [numbers[cut] for numbers in predictions.numbers],
            {name: times[cut] for name, times in predictions.times.items()},
        )
        for cut in cuts
    ]


def _collected(
    problem: JointProblem, done: dict[tuple[int, int], HeldOutPredictions]
) -> tuple[JointProblem, HeldOutPredictions]:
    """The families and settings that finished, in their original order."""
    numbers = sorted({member for member, _ in done})
    members = []
    for number in numbers:
        member = problem.members[number]
        settings = [
            values for k, values in enumerate(member.settings) if (number, k) in done
        ]
        members.append(replace(member, settings=settings))
    parts = [done[key] for key in sorted(done)]
    names = dict.fromkeys(name for part in parts for name in part.times)
    n_folds = len(problem.folds)
    times = {
        name: np.concatenate(
            [
                part.times.get(name, np.full((len(part.numbers[0]), n_folds), np.nan))
                for part in parts
            ]
        )
        for name in names
    }
    together = [
        np.concatenate(of_fold)
        for of_fold in zip(*(part.numbers for part in parts), strict=True)
    ]
    small = np.min_scalar_type(problem.rows.n_actions)
    left = replace(problem.with_families(numbers), members=members)
    return left, HeldOutPredictions(
        [numbers.astype(small, copy=False) for numbers in together], times
    )


# The estimate: each family is fitted to a small sample of one training part, then to
# twice as many rows, and so on, until a fit takes long enough to be measured. With s
# seconds for the last m rows and the exponent g between the last two samples, a
# training part of n rows takes about ``s (n / m)^g``. This is multiplied by the number
# of folds and of candidates that share no work; the refit is added.

_FEWEST_ROWS = 2_000  # smaller tables finish before an estimate is of any use
_FIRST = 200  # fewest rows of the first sample: most learners can be fitted to these
_SMALLEST = 64  # the first sample has 1/64 of the rows, so six doublings reach them all
_HELD_OUT = 4  # predictions for 1/4 of the rows, as in 5-fold cross-validation
_ENOUGH = 0.3  # seconds: well above the overhead of a fit and the clock's resolution
_LARGEST = 4  # samples have at most 1/4 of the rows, to keep the estimate cheap
# Bounds of the exponent, against noise: learners take between sublinear and quadratic
# time in the number of rows.
_LEAST_GROWTH, _MOST_GROWTH = 0.5, 2.0
_OF_A_CLASS = 30  # rows of every class in a sample: enough for inner cross-validation
_LONG = 10.0  # seconds; shorter searches need no announcement


def tell_estimate(problem: JointProblem, listener: Estimate) -> None:
    """Report the estimated time of a long search."""
    if len(problem.rows.y) < _FEWEST_ROWS:
        return
    seconds = estimated_seconds(problem)
    if seconds is not None and seconds >= _LONG:
        listener(seconds)


def estimated_seconds(problem: JointProblem) -> float | None:
    """Approximate seconds of the cross-validation and the refit.

    None if a family cannot be fitted to few rows.
    """
    total, last = 0.0, 0.0
    for member in problem.members:
        if member.blends:  # no fits: it averages predictions of others
            continue
        try:
            sizes, seconds = _samples(member)
        except Exception:  # any learner may fail on a sample, e.g. without a class
            return None
        part = extrapolated(sizes, seconds, len(member.folds[0][0]))
        units = _fits_of_a_fold(member) * len(member.folds)
        total += part * units / min(_workers(member), units)
        # Folds may be samples; the refit uses all rows.
        whole = max(part, extrapolated(sizes, seconds, len(member.data.rows.y)))
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
    """Number of pieces of work of a fold: one if all candidates share a path."""
    if can_walk(member):
        return 1
    softness = 1 if member.reduction.softness_at_predict else len(member.softness)
    return len(member.settings) * softness


def _workers(member: SearchProblem) -> int:
    if can_walk(member) and not has_own_workers():
        return local_threads(member.n_jobs)
    return int(effective_n_jobs(member.n_jobs))


def _samples(member: SearchProblem) -> tuple[list[int], list[float]]:
    """Time of one piece of work on samples of a training part, each twice as large.

    Returns
    -------
    sizes, seconds : lists
        Rows of the samples, and their times.
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
    """Seconds of one piece of work on a sample of ``size`` training rows."""
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
    """Random rows, and additional rows of rare classes."""
    order = rng.permutation(rows)
    sampled = np.zeros(len(order), bool)
    sampled[:size] = True
    labels = y[order]
    for k in np.unique(labels):
        sampled[np.flatnonzero(labels == k)[:_OF_A_CLASS]] = True
    return np.sort(order[sampled])

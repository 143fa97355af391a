"""Searches within a time limit, and estimates of how long a search will take.

Within a time limit the fastest families run first, and the choice is among the settings
that finished. The estimate extrapolates from fits to samples of the rows.
"""

import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from time import monotonic, perf_counter, process_time
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from joblib import effective_n_jobs, parallel_config
from numpy.typing import NDArray
from sklearn.exceptions import FitFailedWarning

from softcost.parallel import has_own_workers, local_threads
from softcost.search.auto import QUICKEST_FIRST
from softcost.search.cross_val import (
    Blendable,
    CrossValidation,
    HeldOutPredictions,
    Probabilities,
    blended,
    can_walk,
    cloned_predictions,
    joined_predictions,
    predictions_of,
)
from softcost.search.problem import JointProblem, SearchProblem
from softcost.search.progress import Estimate, Progress, part_of, silent

# A setting is given up after its first piece of work if it would take this many times
# the time that is left. This estimate is rough: it may include compilation.
_HOPELESS = 2.0
# Share of the limit by which later estimates, which are good, may exceed it.
_SLACK = 0.05


class TimeIsUp(Exception):
    """A setting will not finish in time; the message is the reason."""


class Deadline:
    """The end of a time limit.

    Parameters
    ----------
    seconds : float
        The limit, from now on.
    """

    def __init__(self, seconds: float):
        self.seconds = seconds
        self._end = monotonic() + seconds

    def left(self) -> float:
        """Seconds until the end; negative after it."""
        return self._end - monotonic()


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


@dataclass(frozen=True)
class Finished:
    """Results of one setting.

    Attributes
    ----------
    predictions : HeldOutPredictions
        Those of all its softness values.
    probabilities : list of Probabilities
        One for each fold if the family is part of the blend, else empty.
    """

    predictions: HeldOutPredictions
    probabilities: list[Probabilities]


class RefitTime:
    """Estimated seconds of the refit, from the times of the cross-validation.

    The blend fits one setting of each of its families, any other family the chosen one.

    Parameters
    ----------
    problem : JointProblem
        What is searched.
    """

    def __init__(self, problem: JointProblem) -> None:
        self._blended = problem.blended
        n_train = float(np.mean([len(train) for train, _ in problem.folds]))
        self._growth = len(problem.rows.y) / n_train
        # Candidates are fitted once more to predict the holdout rows.
        self._times = 1 if problem.holdout is None else 2
        self._of_family: dict[str | None, float] = {}

    def of_fit(self, seconds: float) -> float:
        """Seconds on all rows of a fit that takes ``seconds`` on a training part."""
        return self._times * self._growth * seconds

    def add(self, family: str | None, seconds: float) -> None:
        """Count a setting whose fit takes ``seconds`` on a training part."""
        slowest = self._of_family.get(family, 0.0)
        self._of_family[family] = max(slowest, self.of_fit(seconds))

    @property
    def seconds(self) -> float:
        """The time to reserve."""
        times = self._of_family
        blend = sum(times[name] for name in times if name in self._blended)
        return max([blend, *times.values()])


def raced_predictions(
    problem: JointProblem, deadline: Deadline | None, *, skips_errors: bool = False
) -> CrossValidation:
    """Held-out predictions of the candidates that finish.

    Every family runs a first setting before any runs a second, the fastest families
    first. A setting counts if it finishes on all folds. Within a time limit the first
    setting always finishes, so that there is something to choose. The blend averages
    the settings that finished. Enough time is left for the refit, estimated from the
    times of the fits.

    Parameters
    ----------
    problem : JointProblem
        What to search.
    deadline : Deadline or None
        The end of the limit, including the refit; None without a limit.
    skips_errors : bool
        Whether settings that raise an error are left out. Otherwise it is raised.

    Returns
    -------
    CrossValidation
        ``skipped`` has the columns ``family``, ``params`` (as text) and ``why``.
    """
    skipped: list[dict[str, Any]] = []
    numbers = [k for k, member in enumerate(problem.members) if not member.blends]
    heats = list(_in_order([problem.members[number] for number in numbers]))
    refit = RefitTime(problem)
    done: dict[tuple[int, int], Finished] = {}
    errors: list[Exception] = []
    interrupted = False

    def skip(heat: Heat, why: str) -> None:
        member = problem.members[numbers[heat.member]]
        skipped.extend(
            {
                "family": member.family,
                "params": _as_text(member.settings[k]),
                "why": why,
            }
            for k in heat.settings
        )

    turn = 0
    while turn < len(heats):
        heat = heats[turn]
        number = numbers[heat.member]
        member = problem.members[number]
        tell = part_of(problem.progress, turn, len(heats))
        part = replace(
            member, settings=[member.settings[k] for k in heat.settings], progress=tell
        )
        started = monotonic()
        try:
            if done and deadline is not None:
                _check_time(part, deadline, refit)
                part = replace(part, progress=_watched(part, deadline, refit))
            in_blend = member.family in problem.blended
            results = _by_setting(part, with_probabilities=in_blend)
            for k, result in zip(heat.settings, results, strict=True):
                done[number, k] = result
            refit.add(member.family, (monotonic() - started) / _rounds(part))
        except TimeIsUp as why:
            skip(heat, str(why))
        except KeyboardInterrupt:
            if not done:
                raise
            interrupted = True
            for other in heats[turn:]:
                skip(other, "the search was interrupted")
            break
        except Exception as error:
            if not skips_errors:
                raise
            if len(heat.settings) > 1:  # a path: one of its settings may have failed
                heats += [Heat(heat.member, [k]) for k in heat.settings]
            else:
                errors.append(error)
                skip(heat, f"{type(error).__name__}: {error}")
        if len(heats) > 1:
            tell(1, 1)
        turn += 1
    if errors:
        _tell_errors(errors, bool(done))
    left, predictions = _collected(problem, done)
    if problem.blend is not None and left.blend is None:
        why_not = "no family that it averages finished"
        skipped.append({"family": problem.blend, "params": "", "why": why_not})
    table = pd.DataFrame(skipped, columns=["family", "params", "why"])
    return CrossValidation(left, predictions, table, interrupted)


def _tell_errors(errors: list[Exception], some_finished: bool) -> None:
    """Warn of settings that failed; raise the first error if nothing else finished."""
    if not some_finished:
        raise errors[0]
    warnings.warn(
        f"{len(errors)} settings of the search failed and are left out, see skipped_. "
        f"The first error is {type(errors[0]).__name__}: {errors[0]}",
        FitFailedWarning,
        stacklevel=4,
    )


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


def _rounds(part: SearchProblem) -> int:
    """How often all workers are busy with a piece of work, in all folds."""
    pieces = _fits_of_a_fold(part) * len(part.folds)
    return math.ceil(pieces / min(_workers(part), pieces))


def _check_time(part: SearchProblem, deadline: Deadline, refit: RefitTime) -> None:
    """Raise `TimeIsUp` if no time is left, or clearly too little for many rows."""
    available = deadline.left() - refit.seconds
    if available <= 0:
        raise TimeIsUp("no time was left")
    # A piece of work cannot be interrupted, so its time is predicted first.
    seconds = _predicted_fit(part, available)
    needed = seconds * _rounds(part) + refit.of_fit(seconds)
    if needed > _HOPELESS * (deadline.left() - refit.seconds):
        raise TimeIsUp(_would_take(needed))


def _predicted_fit(part: SearchProblem, available: float) -> float:
    """Approximate seconds of one piece of work; 0 if that is certainly short."""
    n = len(part.folds[0][0])
    if n < _LARGEST * _FIRST:
        return 0.0
    try:
        first, times = _timed(part, _FIRST).elapsed, n / _FIRST
        if first * times**_MOST_GROWTH * (_rounds(part) + 2) < available:
            return 0.0
        if first * times**_LEAST_GROWTH * _rounds(part) > _HOPELESS * available:
            return first * times**_LEAST_GROWTH
        sizes, seconds = _samples(
            part, enough=min(_PROBE * available, _ENOUGH), warm_up=False
        )
    except Exception:  # any learner may fail on a sample, e.g. without a class
        return 0.0
    return extrapolated(sizes, seconds, n)


def _would_take(seconds: float) -> str:
    return f"it would have taken about {seconds / 60:.2g} minutes"


def _watched(part: SearchProblem, deadline: Deadline, refit: RefitTime) -> Progress:
    """Progress that raises `TimeIsUp` if the limit is, or will be, exceeded."""
    tell, available = part.progress, deadline.left() - refit.seconds
    start = deadline.left()

    def watch(done: int, total: int) -> None:
        tell(done, total)
        if done == total:
            return
        elapsed = start - deadline.left()
        workers = min(_workers(part), total)
        rounds, total_rounds = math.ceil(done / workers), math.ceil(total / workers)
        fit = elapsed / rounds * total_rounds / _rounds(part)
        needed = elapsed / rounds * total_rounds + refit.of_fit(fit)
        if elapsed >= available:
            raise TimeIsUp("it was not done in time")
        allowed = available + _SLACK * deadline.seconds
        if rounds == 1:
            allowed = max(allowed, _HOPELESS * available)
        if needed > allowed:
            raise TimeIsUp(_would_take(needed))

    return watch


def _by_setting(part: SearchProblem, *, with_probabilities: bool) -> list[Finished]:
    """Held-out predictions, divided by setting."""
    probabilities: list[Probabilities] = []
    if with_probabilities:
        predicted, times, probabilities = cloned_predictions(
            part, with_probabilities=True
        )
        predictions = HeldOutPredictions(
            [fold.reshape(-1, fold.shape[-1]) for fold in predicted], times
        )
    else:
        predictions = predictions_of(part)
    width = len(part.softness)
    return [
        Finished(
            HeldOutPredictions(
                [fold[k * width : (k + 1) * width] for fold in predictions.numbers],
                {
                    name: times[k * width : (k + 1) * width]
                    for name, times in predictions.times.items()
                },
            ),
            [
                fold._replace(of_settings=fold.of_settings[k : k + 1])
                for fold in probabilities
            ],
        )
        for k in range(len(part.settings))
    ]


def _collected(
    problem: JointProblem, done: dict[tuple[int, int], Finished]
) -> tuple[JointProblem, HeldOutPredictions]:
    """The settings that finished and their blend, in the original order."""
    numbers, members, results = [], [], []
    blendable: dict[str, Blendable] = {}
    for number, member in enumerate(problem.members):
        if member.blends:
            parts = [blendable[name] for name in member.blends if name in blendable]
            if not parts:
                continue
            weighted, predicted = blended(member, parts)
            result = HeldOutPredictions(predicted, {})
        else:
            rows = [k for k in range(len(member.settings)) if (number, k) in done]
            if not rows:
                continue
            finished = [done[number, k] for k in rows]
            weighted = replace(member, settings=[member.settings[k] for k in rows])
            result = _stacked([setting.predictions for setting in finished])
            by_fold = zip(*(setting.probabilities for setting in finished), strict=True)
            blendable[str(member.family)] = Blendable(
                weighted,
                [
                    fold[0]._replace(
                        of_settings=np.concatenate(
                            [setting.of_settings for setting in fold]
                        )
                    )
                    for fold in by_fold
                ],
            )
        numbers.append(number)
        members.append(weighted)
        results.append(result)
    left = replace(problem.with_families(numbers), members=members)
    names = {member.family for member in members}
    left = replace(
        left,
        blend=problem.blend if problem.blend in names else None,
        blended=tuple(name for name in problem.blended if name in names),
    )
    return left, joined_predictions(left, results)


def _stacked(parts: list[HeldOutPredictions]) -> HeldOutPredictions:
    """Predictions of several settings of a family together."""
    return HeldOutPredictions(
        [
            np.concatenate(fold)
            for fold in zip(*(part.numbers for part in parts), strict=True)
        ],
        {
            name: np.concatenate([part.times[name] for part in parts])
            for name in parts[0].times
        },
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
# A fit that takes longer than this many times its processor time does its work in
# another process.
_MOST_DELAY = 30.0
_PROBE = 0.02  # share of the time that is left, for a sample within a time limit
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
    total = refit_blend = refit_other = 0.0
    for member in problem.members:
        if member.blends:  # no fits: it averages predictions of others
            continue
        try:
            sizes, seconds = _samples(member)
        except Exception:  # any learner may fail on a sample, e.g. without a class
            return None
        part = extrapolated(sizes, seconds, len(member.folds[0][0]))
        pieces = _fits_of_a_fold(member) * len(member.folds)
        total += part * pieces / min(_workers(member), pieces)
        # Folds may be samples; the refit uses all rows.
        whole = max(part, extrapolated(sizes, seconds, len(member.data.rows.y)))
        if member.family in problem.blended:  # the blend fits a setting of each
            refit_blend += whole
        else:
            refit_other = max(refit_other, whole)
    return total + max(refit_blend, refit_other)


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


def _samples(
    member: SearchProblem, enough: float = _ENOUGH, *, warm_up: bool = True
) -> tuple[list[int], list[float]]:
    """Time of one piece of work on samples of a training part, each twice as large.

    Returns
    -------
    sizes, seconds : lists
        Rows of the samples, and their times.
    """
    n = len(member.folds[0][0])
    size = max(_FIRST, n // _SMALLEST)
    if warm_up:
        _timed(member, _FIRST)  # compiles
    sizes, times = [size, 2 * size], [_timed(member, k * size) for k in (1, 2)]
    while times[-1].processor < enough and 2 * _LARGEST * sizes[-1] <= n:
        sizes.append(2 * sizes[-1])
        times.append(_timed(member, sizes[-1]))
    # Other processes delay some samples more than others, which would distort the
    # growth. So this is taken from processor times, unless work is done elsewhere.
    processor = sum(time.processor for time in times)
    delay = sum(time.elapsed for time in times) / max(processor, 1e-9)
    if delay > _MOST_DELAY:
        return sizes, [time.elapsed for time in times]
    return sizes, [delay * time.processor for time in times]


class SampleTime(NamedTuple):
    """Seconds that passed, and those of the processor."""

    elapsed: float
    processor: float


def _timed(member: SearchProblem, size: int) -> SampleTime:
    """Time of one piece of work on a sample of ``size`` training rows."""
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
        started, processor = perf_counter(), process_time()
        predictions_of(part)
        return SampleTime(perf_counter() - started, process_time() - processor)


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

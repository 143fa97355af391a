"""Questions that a table answers with yes or no for every data set."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import pandas as pd

from softcost.paper.comparison import (
    LARGE_IS_GOOD,
    mark_best,
    p_value,
    without_rounding,
)
from softcost.paper.planning import CURVE

# Evidence: which algorithm is lower, which is best, and whether the gap is significant.


_LEVEL = 0.05  # of unpaired two-sided tests


class Evidence:
    """What claims are asked of.

    Parameters
    ----------
    table : DataFrame
        As `summarize` and `published_table` give it. A mean of one run says nothing
        and is left out.
    tests : DataFrame, default=None
        From `significance`. With it, *clearly* means by the test that the paper
        states, paired and one-tailed at .1; without, by an unpaired two-sided test at
        .05 of the means and their standard errors, which is what the symbols of the
        paper's tables follow.
    distrusted : iterable of (metric, dataset, algorithm), default=()
        Numbers that are known to be wrong: they are still marked as the lowest, where
        they are, but not compared.

    Attributes
    ----------
    places : dict of str to str
        Data sets, or data sets with a kind of costs where there are several, and the
        data set of each.
    """

    def __init__(
        self,
        table: pd.DataFrame,
        tests: pd.DataFrame | None = None,
        distrusted: Iterable[tuple[str, str, str]] = (),
    ) -> None:
        kinds = table.groupby("dataset")["costs"].transform("nunique")
        names = table["dataset"].where(
            kinds == 1, table["dataset"] + " " + table["costs"]
        )
        several = table["se"].notna()
        table = table.assign(mean=without_rounding(table["mean"]))
        marked = mark_best(table[several]).set_index(names[several])
        self.places: dict[str, str] = dict(zip(names, table["dataset"], strict=True))
        self._rows: dict[Any, Mapping[Any, Any]] = {
            (place, row["metric"], row["algorithm"]): row
            for place, row in zip(marked.index, marked.to_dict("records"), strict=True)
        }
        self._distrusted = set(distrusted)
        self._words = None if tests is None else self._stated(tests)

    def _stated(self, tests: pd.DataFrame) -> dict[Any, str]:
        kinds = {
            (row["dataset"], row["costs"]): place
            for (place, _, _), row in self._rows.items()
        }
        return {
            (kinds.get((row["dataset"], row["costs"])), row["metric"], row["algorithm"],
             row["versus"]): row["stated"]
            for row in tests.to_dict("records")
        }  # fmt: skip

    def row(self, place: str, metric: str, algorithm: str) -> tuple[float, ...] | None:
        """Mean, standard error and number of runs; None where it is not known."""
        row = self._rows.get((place, metric, algorithm))
        dataset = self.places.get(place, place)
        if row is None or (metric, dataset, algorithm) in self._distrusted:
            return None
        return row["mean"], row["se"], row["runs"]

    def difference(
        self, place: str, metric: str, a: str, b: str
    ) -> tuple[float, bool] | None:
        """By how much a is better than b, and whether clearly; None if not known."""
        first, second = self.row(place, metric, a), self.row(place, metric, b)
        if first is None or second is None:
            return None
        sign = 1.0 if metric in LARGE_IS_GOOD else -1.0
        gain = sign * (first[0] - second[0])
        if self._words is None:
            return gain, p_value(*first, *second) < _LEVEL
        word = self._words.get((place, metric, a, b))
        word = word or self._words.get((place, metric, b, a))
        return None if word is None else (gain, word != "=")

    def mean_ranks(self, metric: str) -> dict[str, float]:
        """Mean rank of every algorithm over the places, the lowest mean first."""
        rows = [
            (place, name, row["mean"])
            for (place, what, name), row in self._rows.items()
            if what == metric
        ]
        frame = pd.DataFrame(rows, columns=["place", "algorithm", "mean"])
        ranks = frame.groupby("place")["mean"].rank()
        means = ranks.groupby(frame["algorithm"]).mean()
        return {str(name): float(rank) for name, rank in means.items()}

    def marked(self, place: str, metric: str, mark: str) -> set[str] | None:
        """The algorithms with a mark ("star" or "bold"); None where there are none."""
        names = {
            name
            for (where, what, name), row in self._rows.items()
            if where == place and what == metric and row[mark]
        }
        return names or None


Answers = Iterator[tuple[str, bool]]
Ask = Callable[[Evidence, tuple[str, ...]], Answers]

_TIE_LEVEL = 0.05
_NEVER = 5.0  # percent of recall below which a class counts as never predicted


def _by_place(decide: Callable[[list[tuple[float, bool]]], bool], *metrics: str) -> Ask:
    """Ask every place; ``decide`` sees gain and clearness in each of the metrics."""

    def ask(evidence: Evidence, subject: tuple[str, ...]) -> Answers:
        a, b = subject[:2]
        for place in evidence.places:
            gains = [evidence.difference(place, metric, a, b) for metric in metrics]
            available = [pair for pair in gains if pair is not None]
            if len(available) == len(metrics):
                yield place, bool(decide(available))

    return ask


def no_question(evidence: Evidence, subject: tuple[str, ...]) -> Answers:
    """For what cannot be asked."""
    return iter(())


def better(metric: str) -> Ask:
    """Whether the first has the better mean."""
    return _by_place(lambda gains: gains[0][0] > 0, metric)


def worse(metric: str) -> Ask:
    """Whether the first has the worse mean."""
    return _by_place(lambda gains: gains[0][0] < 0, metric)


def clearly_better(metric: str) -> Ask:
    """Whether the first is significantly better."""
    return _by_place(lambda gains: gains[0][0] > 0 and gains[0][1], metric)


def similar(*metrics: str) -> Ask:
    """Whether the two are not significantly different in any of the metrics."""
    return _by_place(lambda gains: not any(clear for _, clear in gains), *metrics)


def not_clearly_worse(metric: str) -> Ask:
    """Whether the first is better, or not significantly worse."""
    return _by_place(lambda gains: gains[0][0] >= 0 or not gains[0][1], metric)


def better_at_similar(metric: str, other: str) -> Ask:
    """Whether the first has the better mean, and is not clearly worse in the other."""

    def decide(gains: list[tuple[float, bool]]) -> bool:
        (gain, _), (change, clear) = gains
        return gain > 0 and (change >= 0 or not clear)

    return _by_place(decide, metric, other)


def among_best(metric: str) -> Ask:
    """Whether the first is marked bold: within the standard error of the best."""
    return _marked(metric, "bold")


def lowest(metric: str) -> Ask:
    """Whether one of the named algorithms has the lowest mean of all."""
    return _marked(metric, "star")


def _marked(metric: str, mark: str) -> Ask:
    def ask(evidence: Evidence, subject: tuple[str, ...]) -> Answers:
        for place in evidence.places:
            names = evidence.marked(place, metric, mark)
            if names is not None:
                yield place, bool(names & set(subject))

    return ask


def ahead(metric: str, others: tuple[str, ...]) -> Ask:
    """Whether the best of the named algorithms is better than the best of others."""

    def ask(evidence: Evidence, subject: tuple[str, ...]) -> Answers:
        for place in evidence.places:
            rows = [evidence.row(place, metric, name) for name in (*subject, *others)]
            means = [row[0] for row in rows if row is not None]
            if len(means) == len(rows):
                ours, theirs = means[: len(subject)], means[len(subject) :]
                yield place, min(ours) < min(theirs)

    return ask


def lower_ranks(metric: str, others: Mapping[str, tuple[str, ...]]) -> Ask:
    """Whether all of the named algorithms have lower mean ranks than others.

    ``others`` are found by the first name. The answer is about all sets together.
    """

    def ask(evidence: Evidence, subject: tuple[str, ...]) -> Answers:
        ranks = evidence.mean_ranks(metric)
        names = {*subject, *others[subject[0]]}
        if names <= set(ranks):
            worst_rank = max(ranks[name] for name in subject)
            best_other = min(ranks[name] for name in others[subject[0]])
            yield "all sets", worst_rank < best_other

    return ask


def between(metric: str) -> Ask:
    """Whether soft lies between regular and hard, for (soft, hard, regular)."""

    def ask(evidence: Evidence, subject: tuple[str, ...]) -> Answers:
        for place in evidence.places:
            soft, hard, regular = (
                evidence.row(place, metric, name) for name in subject
            )
            if soft is not None and hard is not None and regular is not None:
                low, high = sorted((hard[0], regular[0]))
                yield place, low <= soft[0] <= high

    return ask


def flat(evidence: Evidence, subject: tuple[str, ...]) -> Answers:
    """Whether the cost at the largest emphasis is about that at the smallest."""
    for dataset, ends in _ends(evidence):
        smallest, largest = (evidence.row(place, "cost", subject[0]) for place in ends)
        if smallest is not None and largest is not None:
            yield dataset, p_value(*smallest, *largest) >= _TIE_LEVEL


def never_predicted(evidence: Evidence, subject: tuple[str, ...]) -> Answers:
    """Whether the class that is expensive to predict has next to no recall."""
    for dataset, (_, largest) in _ends(evidence):
        row = evidence.row(largest, "emphasized_recall", subject[0])
        if row is not None:
            yield dataset, row[0] < _NEVER


def _ends(evidence: Evidence) -> Iterator[tuple[str, tuple[str, str]]]:
    for dataset in dict.fromkeys(evidence.places.values()):
        places = sorted(p for p, name in evidence.places.items() if name == dataset)
        if len(places) > 1:
            yield dataset, (places[0], places[-1])


def lowest_between(evidence: Evidence, subject: tuple[str, ...]) -> Answers:
    """Whether the lowest cost along the curve is at neither end."""
    for place in evidence.places:
        rows = [evidence.row(place, "cost", name) for name in CURVE]
        costs = [row[0] for row in rows if row is not None]
        if len(costs) == len(CURVE):
            yield place, min(costs[1:-1]) < min(costs[0], costs[-1])

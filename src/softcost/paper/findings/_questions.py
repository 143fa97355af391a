"""Questions that a table answers with yes or no for every data set."""

from collections.abc import Callable, Iterator, Mapping

from softcost.paper.findings._comparison import p_value
from softcost.paper.findings._evidence import Evidence
from softcost.paper.run import CURVE

Answers = Iterator[tuple[str, bool]]
Ask = Callable[[Evidence, tuple[str, ...]], Answers]

_LEVEL = 0.05
_NEVER = 5.0  # percent of recall below which a class counts as never predicted


def _by_place(decide: Callable[[list[tuple[float, bool]]], bool], *metrics: str) -> Ask:
    """Ask every place; ``decide`` sees gain and clearness in each of the metrics."""

    def ask(evidence: Evidence, subject: tuple[str, ...]) -> Answers:
        a, b = subject[:2]
        for place in evidence.places:
            found = [evidence.difference(place, metric, a, b) for metric in metrics]
            known = [pair for pair in found if pair is not None]
            if len(known) == len(metrics):
                yield place, bool(decide(known))

    return ask


def no_question(evidence: Evidence, subject: tuple[str, ...]) -> Answers:
    """For what cannot be asked."""
    return iter(())


def better(metric: str) -> Ask:
    """Whether the first has the better mean."""
    return _by_place(lambda found: found[0][0] > 0, metric)


def worse(metric: str) -> Ask:
    """Whether the first has the worse mean."""
    return _by_place(lambda found: found[0][0] < 0, metric)


def clearly_better(metric: str) -> Ask:
    """Whether the first is significantly better."""
    return _by_place(lambda found: found[0][0] > 0 and found[0][1], metric)


def clearly_worse(metric: str) -> Ask:
    """Whether the first is significantly worse."""
    return _by_place(lambda found: found[0][0] < 0 and found[0][1], metric)


def similar(*metrics: str) -> Ask:
    """Whether the two are not significantly different in any of the metrics."""
    return _by_place(lambda found: not any(clear for _, clear in found), *metrics)


def not_clearly_worse(metric: str) -> Ask:
    """Whether the first is better, or not significantly worse."""
    return _by_place(lambda found: found[0][0] >= 0 or not found[0][1], metric)


def better_at_similar(metric: str, other: str) -> Ask:
    """Whether the first has the better mean, and is not clearly worse in the other."""

    def decide(found: list[tuple[float, bool]]) -> bool:
        (gain, _), (change, clear) = found
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
                own, theirs = means[: len(subject)], means[len(subject) :]
                yield place, min(own) < min(theirs)

    return ask


def lower_ranks(metric: str, others: Mapping[str, tuple[str, ...]]) -> Ask:
    """Whether all of the named algorithms have lower mean ranks than others.

    ``others`` are found by the first name. The answer is about all sets together.
    """

    def ask(evidence: Evidence, subject: tuple[str, ...]) -> Answers:
        ranks = evidence.mean_ranks(metric)
        names = {*subject, *others[subject[0]]}
        if names <= set(ranks):
            own = max(ranks[name] for name in subject)
            yield "all sets", own < min(ranks[name] for name in others[subject[0]])

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
        one, other = (evidence.row(place, "cost", subject[0]) for place in ends)
        if one is not None and other is not None:
            yield dataset, p_value(*one, *other) >= _LEVEL


def never_predicted(evidence: Evidence, subject: tuple[str, ...]) -> Answers:
    """Whether the class that is expensive to predict has next to no recall."""
    for dataset, (_, largest) in _ends(evidence):
        row = evidence.row(largest, "emphasized_recall", subject[0])
        if row is not None:
            yield dataset, row[0] < _NEVER


def _ends(evidence: Evidence) -> Iterator[tuple[str, tuple[str, str]]]:
    for dataset in dict.fromkeys(evidence.places.values()):
        own = sorted(p for p, name in evidence.places.items() if name == dataset)
        if len(own) > 1:
            yield dataset, (own[0], own[-1])


def lowest_between(evidence: Evidence, subject: tuple[str, ...]) -> Answers:
    """Whether the lowest cost along the curve is at neither end."""
    for place in evidence.places:
        rows = [evidence.row(place, "cost", name) for name in CURVE]
        costs = [row[0] for row in rows if row is not None]
        if len(costs) == len(CURVE):
            yield place, min(costs[1:-1]) < min(costs[0], costs[-1])

"""The paper's claims, and on how many data sets they hold.

A claim is a question that a table answers with yes or no for every *place*: a data
set, or a data set and a kind of costs where it has several. Ours and the published
table are asked the same questions.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pandas as pd

from softcost.paper.findings._comparison import LARGE_IS_GOOD, p_value
from softcost.paper.run import CURVE, HARD_PAIRS, REGULAR_PAIRS, SIBLINGS

_LEVEL = 0.05  # of unpaired two-sided tests: "clearly" means significantly
_NEVER = 5.0  # percent of recall below which a class counts as never predicted


class _Evidence:
    """A table, to be asked."""

    def __init__(self, table: pd.DataFrame) -> None:
        kinds = table.groupby("dataset")["costs"].transform("nunique")
        names = table["dataset"].where(
            kinds == 1, table["dataset"] + " " + table["costs"]
        )
        several = table["se"].notna()  # one run says nothing
        indexed = table[several].set_index([names[several], "metric", "algorithm"])
        self._rows = indexed[["mean", "se", "runs"]].T.to_dict("list")
        self.places = dict(zip(names, table["dataset"], strict=True))

    def row(self, place: str, metric: str, algorithm: str) -> list[float] | None:
        """Mean, standard error and number of runs."""
        return self._rows.get((place, metric, algorithm))

    def advantage(
        self, place: str, metric: str, a: str, b: str
    ) -> tuple[float, float] | None:
        """By how much a is better than b, and p; None where one is missing."""
        one, other = self.row(place, metric, a), self.row(place, metric, b)
        if one is None or other is None:
            return None
        sign = 1.0 if metric in LARGE_IS_GOOD else -1.0
        return sign * (one[0] - other[0]), p_value(*one, *other)


_Ask = Callable[[_Evidence, str, str], Iterator[tuple[str, bool]]]


@dataclass(frozen=True)
class Claim:
    """One claim of the paper.

    Attributes
    ----------
    text : str
    targets : tuple of str
        Where the paper makes it.
    pairs : tuple of (str, str)
        Of which algorithms; the second is what the first is compared with, if any.
    ask : callable
        Gives (place, answer) for a table and a pair.
    datasets : tuple of str
        On which sets; all, if empty.
    """

    text: str
    targets: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    ask: _Ask
    datasets: tuple[str, ...] = ()


def _by_place(
    decide: Callable[[list[tuple[float, float]]], bool], *metrics: str
) -> _Ask:
    """Ask every place; ``decide`` sees advantage and p in each of the metrics."""

    def ask(table: _Evidence, a: str, b: str) -> Iterator[tuple[str, bool]]:
        for place in table.places:
            found = [table.advantage(place, metric, a, b) for metric in metrics]
            known = [pair for pair in found if pair is not None]
            if len(known) == len(metrics):
                yield place, bool(decide(known))

    return ask


def _better(metric: str) -> _Ask:
    return _by_place(lambda found: found[0][0] > 0, metric)


def _clearly_better(metric: str) -> _Ask:
    return _by_place(lambda found: found[0][0] > 0 and found[0][1] < _LEVEL, metric)


def _worse(metric: str) -> _Ask:
    return _by_place(lambda found: found[0][0] < 0, metric)


def _similar(*metrics: str) -> _Ask:
    return _by_place(lambda found: all(p >= _LEVEL for _, p in found), *metrics)


def _better_at_similar(metric: str, other: str) -> _Ask:
    """Better in one metric, and not clearly worse in the other."""

    def decide(found: list[tuple[float, float]]) -> bool:
        (gain, _), (change, p) = found
        return gain > 0 and (change >= 0 or p >= _LEVEL)

    return _by_place(decide, metric, other)


def _flat(table: _Evidence, a: str, b: str) -> Iterator[tuple[str, bool]]:
    """Whether the cost of the largest kind of costs is about that of the cheapest."""
    for dataset, ends in _ends(table):
        one, other = (table.row(place, "cost", a) for place in ends)
        if one is not None and other is not None:
            yield dataset, p_value(*one, *other) >= _LEVEL


def _never_predicted(table: _Evidence, a: str, b: str) -> Iterator[tuple[str, bool]]:
    for dataset, (_, largest) in _ends(table):
        row = table.row(largest, "emphasized_recall", a)
        if row is not None:
            yield dataset, row[0] < _NEVER


def _ends(table: _Evidence) -> Iterator[tuple[str, tuple[str, str]]]:
    for dataset in dict.fromkeys(table.places.values()):
        own = sorted(place for place, name in table.places.items() if name == dataset)
        if len(own) > 1:
            yield dataset, (own[0], own[-1])


def _lowest_between(table: _Evidence, a: str, b: str) -> Iterator[tuple[str, bool]]:
    """Whether the lowest cost along the curve is at neither end."""
    for place in table.places:
        rows = [table.row(place, "cost", name) for name in CURVE]
        costs = [row[0] for row in rows if row is not None]
        if len(costs) == len(CURVE):
            yield place, min(costs[1:-1]) < min(costs[0], costs[-1])


_MAIN = ("inconsistent", "consistent")
_OSR = (("soft-OSR", "OSR"),)
_HARD_REGULAR = tuple((hard, regular) for _, hard, regular in SIBLINGS[:3])
_BALANCED = ("kdd99-balanced",)
_CRITERIA = (("soft-OSR", "soft-OSR-max"),)

CLAIMS = (
    Claim(
        "soft has a lower error than hard at a similar cost",
        _MAIN,
        HARD_PAIRS,
        _better_at_similar("error", "cost"),
    ),
    Claim(
        "soft has a clearly lower error than hard",
        _MAIN,
        HARD_PAIRS,
        _clearly_better("error"),
    ),
    Claim("soft has a lower cost than regular", _MAIN, REGULAR_PAIRS, _better("cost")),
    Claim(
        "soft has a clearly lower cost than regular",
        _MAIN,
        REGULAR_PAIRS,
        _clearly_better("cost"),
    ),
    Claim(
        "hard has a higher cost than regular",
        ("inconsistent",),
        _HARD_REGULAR,
        _worse("cost"),
        ("vowel", "dna"),
    ),
    Claim(
        "soft and hard are not clearly different in cost and error",
        _MAIN,
        HARD_PAIRS[3:],
        _similar("cost", "error"),
    ),
    Claim(
        "choosing softness by cost gives a lower cost than by max(error, cost)",
        ("alpha-selection",),
        _CRITERIA,
        _better("cost"),
    ),
    Claim(
        "... and a higher error",
        ("alpha-selection",),
        _CRITERIA,
        _worse("error"),
    ),
    Claim(
        "soft has a lower weighted error than hard",
        ("unbalanced",),
        _OSR,
        _better("weighted_error"),
    ),
    Claim(
        "soft has a higher product of recalls than hard",
        ("unbalanced",),
        _OSR,
        _better("recall_product"),
    ),
    Claim(
        "... at a cost that is not clearly different",
        ("unbalanced",),
        _OSR,
        _similar("cost"),
    ),
    Claim("soft has a lower error than hard", ("emphasis",), _OSR, _better("error")),
    Claim("... and a lower cost", ("emphasis",), _OSR, _better("cost")),
    Claim(
        "the cost of soft, in units of the emphasis u, does not depend on u",
        ("emphasis",),
        (("soft-OSR", ""),),
        _flat,
    ),
    Claim(
        "hard never predicts the class that is expensive to predict",
        ("emphasis",),
        (("OSR", ""),),
        _never_predicted,
    ),
    Claim(
        "the cost is lowest for a softness between 0 and 1",
        ("softness-curve",),
        (("OSR", ""),),
        _lowest_between,
    ),
    Claim(
        "soft and hard are not clearly different in cost",
        ("kdd99",),
        HARD_PAIRS,
        _similar("cost"),
    ),
    Claim(
        "soft has a lower weighted error than hard",
        _BALANCED,
        HARD_PAIRS,
        _better("weighted_error"),
    ),
    Claim(
        "soft has a higher product of recalls than hard",
        _BALANCED,
        HARD_PAIRS,
        _better("recall_product"),
    ),
)


def claim_answers(table: pd.DataFrame, target: str) -> pd.DataFrame:
    """What a table says to the paper's claims about a target.

    Parameters
    ----------
    table : DataFrame
        As `summarize` and `published_table` give it.
    target : str

    Returns
    -------
    DataFrame
        Columns claim, algorithm, versus, place, holds.

    Examples
    --------
    >>> from softcost.paper import published_table
    >>> answers = claim_answers(published_table("inconsistent"), "inconsistent")
    >>> claim = answers["claim"] == "hard has a higher cost than regular"
    >>> answers[claim & (answers["algorithm"] == "OSR")]["holds"].tolist()
    [True, False]
    """
    asked = _Evidence(table)
    rows = [
        (claim.text, *pair, place, answer)
        for claim in CLAIMS
        if target in claim.targets
        for pair in claim.pairs
        for place, answer in claim.ask(asked, *pair)
        if not claim.datasets or asked.places.get(place) in claim.datasets
    ]
    columns = ["claim", "algorithm", "versus", "place", "holds"]
    return pd.DataFrame(rows, columns=columns)


def verdicts(table: pd.DataFrame, published: pd.DataFrame, target: str) -> pd.DataFrame:
    """Whether ours and the published numbers agree on the paper's claims.

    Parameters
    ----------
    table, published : DataFrame
        From `summarize` and `published_table`. Claims that the paper shows in figures
        only have no published numbers; they count as made for every place.
    target : str

    Returns
    -------
    DataFrame
        Columns claim, algorithm, versus, holds, published_holds, same, of, verdict,
        not_on. Only places count that both have; ``same`` is the number of them where
        both give the same answer, and the verdict is "agrees" where these are more
        than half; ``not_on`` names where ours says no.
    """
    keys = ["claim", "algorithm", "versus"]
    ours, theirs = claim_answers(table, target), claim_answers(published, target)
    both = ours.merge(
        theirs, how="left", on=[*keys, "place"], suffixes=("", "_published")
    )
    rows = []
    for names, part in both.groupby(keys, sort=False):
        in_paper = part["holds_published"].notna()
        drawn = not in_paper.any()  # in a figure
        part = part if drawn else part[in_paper]
        said = part["holds"].astype(bool)
        told = said | True if drawn else part["holds_published"].astype(bool)
        same = int((said == told).sum())
        rows.append(
            (
                *names,
                int(said.sum()),
                None if drawn else int(told.sum()),
                same,
                len(part),
                "agrees" if 2 * same > len(part) else "differs",
                ", ".join(part["place"][~said]),
            )
        )
    columns = [*keys, "holds", "published_holds", "same", "of", "verdict", "not_on"]
    return pd.DataFrame(rows, columns=columns)

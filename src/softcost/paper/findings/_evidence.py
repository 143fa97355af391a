"""A table of means, asked about: who is lower, who is best, and whether it is clear."""

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from softcost.paper.findings._comparison import (
    LARGE_IS_GOOD,
    mark_best,
    p_value,
    without_rounding,
)

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
        one, other = self.row(place, metric, a), self.row(place, metric, b)
        if one is None or other is None:
            return None
        sign = 1.0 if metric in LARGE_IS_GOOD else -1.0
        gain = sign * (one[0] - other[0])
        if self._words is None:
            return gain, p_value(*one, *other) < _LEVEL
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

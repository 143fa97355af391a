"""Rows that are unlike those that a model was fitted to."""

from typing import Any

import numpy as np
import pandas as pd

from softcost.cli.stored_model import StoredModel
from softcost.formatting import quoted_names
from softcost.persistence import final_step
from softcost.tables import KINDS, date_of_days, feature_kinds

_MARGIN = 0.1  # of the range of a column; beyond, a value is outside
_SHIFT = 0.1  # of the answers given to other classes than before
_CHANCE = 1e-3
_MOST_TOLD = 5  # columns
_MOST_WORDS_KEPT = 3


class Watch:
    """Looks at rows piece by piece, and tells at the end what was unlike before.

    What the model has seen is known from its encoder: the range of numbers and the
    words of every column; and from its cross-validation: how often it gave which
    answer. Models that 'softcost fit' has not made are not watched.
    """

    def __init__(self, stored: StoredModel) -> None:
        self.names = [str(name) for name in stored.answers.tolist()]
        self.answers = np.zeros(len(self.names), int)
        self.expected = _answers_before(stored)
        self.rows = 0
        self.outside: dict[str, list[float]] = {}
        self.new_words: dict[str, dict[str, int]] = {}
        self.ranges: dict[str, tuple[float, float]] = {}
        self.words: dict[str, set[str]] = {}
        self.days: set[str] = set()
        if "columns" in stored.manifest["notes"] and stored.kinds is not None:
            self._read_encoder(stored.model["columns"])
            for name, kind in stored.kinds.items():
                if KINDS[kind].what == "date":
                    first, *others = feature_kinds({name: kind})
                    self.days.add(first)
                    for part in others:  # follow from the day
                        self.ranges.pop(part, None)

    def _read_encoder(self, encoder: Any) -> None:
        for kind, steps, names in encoder.transformers_:
            if kind == "numbers":
                low, high = steps["scale"].data_min_, steps["scale"].data_max_
                pairs = zip(low.tolist(), high.tolist(), strict=True)
                self.ranges = dict(zip(names, pairs, strict=True))
            elif kind == "words":
                known = (set(one.tolist()) for one in steps["encode"].categories_)
                self.words = dict(zip(names, known, strict=True))

    def limits(self, name: str) -> tuple[float, float]:
        """The least and the largest number of a column that is not outside."""
        if name not in self.ranges:
            return -np.inf, np.inf
        low, high = self.ranges[name]
        margin = _MARGIN * (high - low)
        return low - margin, high + margin

    def see(self, X: Any, labels: np.ndarray) -> None:
        """Look at one more piece, and at the answers."""
        self.rows += len(labels)
        places = pd.Index(self.names).get_indexer(pd.Index(labels.astype(str)))
        self.answers += np.bincount(places, minlength=len(self.names))
        for name in self.ranges:
            low, high = self.limits(name)
            values = X[name].to_numpy(float)
            far = values[(values < low) | (values > high)]
            if len(far):
                seen = self.outside.setdefault(name, [0, np.inf, -np.inf])
                seen[0] += len(far)
                seen[1], seen[2] = min(seen[1], far.min()), max(seen[2], far.max())
        for name, known in self.words.items():
            for word, count in X[name].dropna().value_counts().items():
                if word not in known:
                    found = self.new_words.setdefault(name, {})
                    if word in found or len(found) < _MOST_WORDS_KEPT:
                        found[str(word)] = found.get(str(word), 0) + int(count)
                    else:
                        found[""] = found.get("", 0) + int(count)

    def sentences(self) -> list[str]:
        """What is to be told."""
        said = [self._on_range(name) for name in self.ranges if name in self.outside]
        said += [self._on_words(name) for name in self.words if name in self.new_words]
        if len(said) > _MOST_TOLD:
            rest = len(said) - _MOST_TOLD
            said = [*said[:_MOST_TOLD], f"{rest} more columns are unlike before."]
        return said + self._on_answers()

    def _on_range(self, name: str) -> str:
        count, least, most = self.outside[name]
        low, high = self.ranges[name]
        show = date_of_days if name in self.days else "{:g}".format
        shown = name.removesuffix(" (days)") if name in self.days else name
        return (
            f"column {shown!r} is outside of what the model has seen, {show(low)} to "
            f"{show(high)}, in {count:.0f} of {self.rows} rows ({show(least)} to "
            f"{show(most)})."
        )

    def _on_words(self, name: str) -> str:
        found = self.new_words[name]
        words = quoted_names([word for word in found if word])
        return (
            f"column {name!r} has words that the model has not seen, {words}"
            f"{', ...' if '' in found else ''}, in {sum(found.values())} of "
            f"{self.rows} rows; they tell it nothing."
        )

    def _on_answers(self) -> list[str]:
        """Answers in other shares than in cross-validation, beyond chance."""
        if self.expected is None or self.rows == 0:
            return []
        from scipy.stats import chi2_contingency

        before, now = self.expected / self.expected.sum(), self.answers / self.rows
        table = np.array([self.expected, self.answers])
        table = table[:, table.sum(axis=0) > 0]
        if table.shape[1] < 2 or np.abs(now - before).sum() / 2 < _SHIFT:
            return []
        if chi2_contingency(table).pvalue > _CHANCE:
            return []
        most = int(np.abs(now - before).argmax())
        return [
            f"the answers are mixed otherwise than in training: {self.names[most]!r} "
            f"in {100 * now[most]:.0f} % of the rows, where it was "
            f"{100 * before[most]:.0f} %; if the rows changed, train again."
        ]


def _answers_before(stored: StoredModel) -> np.ndarray | None:
    """How often each answer was given for held-out rows, if that is known."""
    search = final_step(stored.model)
    if not hasattr(search, "confusion_") or not hasattr(search, "best_index_"):
        return None
    return np.asarray(search.confusion_)[search.best_index_].sum(axis=(0, 1))

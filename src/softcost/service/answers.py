"""What a model says of rows, as plain data."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from softcost.tables import DriftMonitor, RowParser
from softcost.tables.row_parser import Row
from softcost.workflow.stored_model import StoredModel

# Features of single rows, as the encoder of 'softcost fit' makes them, but quickly.
#
# A transformer of scikit-learn is made for tables: one row takes it milliseconds. What
# the encoder has learnt is a few vectors and lists of words, so a row needs two
# products and some look-ups.


_AT_ONCE = 500  # words that the encoder is asked for


@dataclass(frozen=True)
class QuickEncoder:
    """What an encoder has learnt.

    Attributes
    ----------
    fill, scale, shift : arrays of shape (n_numbers,)
        An empty number is ``fill``; a feature is ``scale`` times the number plus
        ``shift``.
    places : list of dict
        For each column of words: the feature that is 1 for a word. A word of which no
        feature tells is not there.
    empty : list of str
        What an empty cell of each column of words is called.
    width : int
        How many features there are.
    low, high : arrays of shape (n_numbers,)
        Numbers outside are unlike those of the training.
    known : list of set
        The words of the training.
    """

    fill: np.ndarray
    scale: np.ndarray
    shift: np.ndarray
    places: list[dict[str, int]]
    empty: list[str]
    width: int
    low: np.ndarray
    high: np.ndarray
    known: list[set[str]]

    def features(self, numbers: np.ndarray, words: np.ndarray) -> np.ndarray:
        """One row of features for each row, shape (n, width)."""
        n, n_numbers = numbers.shape
        found = np.zeros((n, self.width))
        filled = np.where(np.isnan(numbers), self.fill, numbers)
        found[:, :n_numbers] = filled * self.scale + self.shift
        for row, cells in enumerate(words.tolist()):
            for cell, places, empty in zip(cells, self.places, self.empty, strict=True):
                place = places.get(cell if isinstance(cell, str) else empty)
                if place is not None:
                    found[row, place] = 1.0
        return found

    def unlike(
        self, reader: RowParser, numbers: np.ndarray, words: np.ndarray
    ) -> list[list[str]]:
        """For each row: columns that hold what the training has not seen."""
        far = (numbers < self.low) | (numbers > self.high)
        found: list[list[str]] = []
        for is_far, cells in zip(far, words.tolist(), strict=True):
            names = [reader.number_names[at] for at in np.flatnonzero(is_far)]
            pairs = zip(reader.word_names, cells, self.known, strict=True)
            names += [n for n, one, known in pairs if one == one and one not in known]
            found.append(names)
        return found


def quick_encoder(
    encoder: Any, reader: RowParser, monitor: DriftMonitor
) -> QuickEncoder | None:
    """What an encoder has learnt; None for one that 'softcost fit' has not made."""
    steps = {name: (step, columns) for name, step, columns in encoder.transformers_}
    steps.pop("remainder", None)
    numbers, number_names = steps.pop("numbers", (None, []))
    words, word_names = steps.pop("words", (None, []))
    known = list(number_names) == reader.number_names and not steps
    if not known or list(word_names) != reader.word_names:
        return None
    fill = scale = shift = np.empty(0)
    if numbers is not None:
        fill = numbers["fill"].statistics_
        scale, shift = numbers["scale"].scale_, numbers["scale"].min_
    places: list[dict[str, int]] = []
    width = len(number_names)
    if words is not None:
        places, width = _places(words["encode"], width)
    limits = [monitor.limits(name) for name in reader.number_names]
    low, high = np.array(limits).reshape(-1, 2).T
    return QuickEncoder(
        fill,
        scale,
        shift,
        places,
        list(words["fill"].statistics_) if words is not None else [],
        width,
        low,
        high,
        [monitor.words[name] for name in reader.word_names],
    )


def _places(one_hot: Any, first: int) -> tuple[list[dict[str, int]], int]:
    """Which feature is 1 for which word, as the encoder itself says, and the end."""
    words = [column.tolist() for column in one_hot.categories_]
    rare = getattr(one_hot, "infrequent_categories_", [None] * len(words))
    any_row = [column[0] for column in words]
    found: list[dict[str, int]] = []
    block = 0  # of features, in which the words of a column are
    for at, (column, seldom) in enumerate(zip(words, rare, strict=True)):
        width = len(column) if seldom is None else len(column) - len(seldom) + 1
        places: dict[str, int] = {}
        for start in range(0, len(column), _AT_ONCE):
            batch = column[start : start + _AT_ONCE]
            cells = np.array([any_row] * len(batch), object)
            cells[:, at] = batch
            coded = np.asarray(one_hot.transform(cells))[:, block : block + width]
            own = (first + block + coded.argmax(axis=1)).tolist()
            places |= dict(zip(batch, own, strict=True))
        found.append(places)
        block += width
    return found, first + block


WHERE = "the request"


@dataclass(frozen=True)
class Prepared:
    """Rows that have been read.

    Attributes
    ----------
    X : array or table
        Features, or what the model makes features of.
    unlike : list of lists of str
        For each row: columns with what the training has not seen.
    """

    X: Any
    unlike: list[list[str]]


class RowModel:
    """A model that answers rows of JSON as 'softcost predict' answers those of a file.

    Attributes
    ----------
    columns : list of str or None
        What a row must have; None where rows are lists of ``n_columns`` numbers.
    in_money : bool
        Whether it knows what answers are expected to cost; else there may be scores.
    """

    def __init__(self, stored: StoredModel) -> None:
        self.stored = stored
        self.answers = [str(name) for name in stored.answers.tolist()]
        self.in_money = stored.knows_expected_costs()
        self.has_scores = stored.has_scores()
        self.columns = None if stored.kinds is None else list(stored.kinds)
        self.n_columns = stored.manifest["features"]["count"]
        self._monitor = stored.drift_monitor()
        self._reader: RowParser | None = None
        self._encoder: QuickEncoder | None = None
        if stored.kinds is not None:
            self.n_columns = len(stored.kinds)
            self._reader = RowParser(stored.kinds, stored.tokens())
            if stored.encoder is not None:
                self._encoder = quick_encoder(
                    stored.encoder.transformer_, self._reader, self._monitor
                )
        encoded = self._encoder is not None
        self._decides = stored.after_encoding() if encoded else stored

    def words(self, name: str) -> list[str]:
        """Words that a column had in training, as far as that is known."""
        return sorted(self._monitor.words.get(name, ()))

    def span(self, name: str) -> tuple[float, float] | None:
        """The least and the largest number of a column in training, if known."""
        return self._monitor.ranges.get(name)

    def middle(self, name: str) -> float:
        """A number in the middle of those that a column had in training."""
        low, high = self.span(name) or (0.0, 0.0)
        return float(f"{low / 2 + high / 2:.3g}")

    def prepare(self, rows: Sequence[Row] | Sequence[Sequence[Any]]) -> Prepared:
        """Read rows; a ValueError speaks of one that cannot be read."""
        no_notes: list[list[str]] = [[] for _ in rows]
        if self._reader is None:
            names = [f"column {number + 1}" for number in range(self.n_columns)]
            raw = pd.DataFrame(rows, columns=names, dtype=object)
            return Prepared(self.stored.table(raw, WHERE, 0, set()), no_notes)
        numbers, words = self._reader.read(rows)  # type: ignore[arg-type]
        if self._encoder is None:
            X = self._reader.frame(numbers, words)
            self.stored.check_features(X, WHERE, 0)
            return Prepared(X, no_notes)
        features = self._encoder.features(numbers, words)
        self.stored.check_scaled(features, WHERE, 0)
        return Prepared(features, self._encoder.unlike(self._reader, numbers, words))

    def answer(self, X: Any, unlike: list[list[str]]) -> list[dict[str, Any]]:
        """One answer for each row, of rows of `prepare` or several of them together."""
        labels, scores, expected = self._decide(X)
        labels = labels.astype(str).tolist()
        found: list[dict[str, Any]] = []
        for at, label in enumerate(labels):
            one: dict[str, Any] = {"prediction": label}
            if expected is not None:
                by_answer = self._by_answer(expected[at])
                one |= {"expected_cost": by_answer[label], "expected_costs": by_answer}
                one |= self._next_best(expected[at], label)
            elif scores is not None:
                one["scores"] = self._by_answer(scores[at])
            one["unlike_training"] = unlike[at]
            found.append(one)
        return found

    def _next_best(self, expected: np.ndarray, label: str) -> dict[str, Any]:
        """As 'softcost predict' has it; nothing where there is one answer."""
        given = self.answers.index(label)
        costs = expected.tolist()
        others = [at for at in range(len(costs)) if at != given]
        if not others:
            return {}
        second = min(others, key=costs.__getitem__)
        more = costs[second] - costs[given]
        return {
            "next_best": self.answers[second],
            "next_best_costs_more": more if np.isfinite(more) else None,
        }

    def _by_answer(self, values: np.ndarray) -> dict[str, float | None]:
        shown = (one if np.isfinite(one) else None for one in values.tolist())
        return dict(zip(self.answers, shown, strict=True))

    def _decide(
        self, X: Any
    ) -> tuple[np.ndarray, np.ndarray | None, np.ndarray | None]:
        """Labels, scores and expected costs; the latter two where there are any."""
        labels, scores = self._decides.predict_and_score(X)
        return labels, scores, self._decides.expected_costs(X)

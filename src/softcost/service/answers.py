"""What a model says of rows, as plain data."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from softcost.tables import RowParser
from softcost.tables.row_parser import Row
from softcost.workflow.stored_model import StoredModel
from softcost.workflow.table_costs import TableCosts

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
    costs : array of shape (n, K, A) or None
        The cost matrix of every row, if the model decides by them.
    """

    X: Any
    unlike: list[list[str]]
    costs: np.ndarray | None = None


class RowModel:
    """A model that answers rows of JSON as 'softcost predict' answers those of a file.

    Attributes
    ----------
    kinds : dict or None
        Columns that a row must have, and what they hold: features and those of costs.
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
        self.kinds = None if stored.kinds is None else dict(stored.kinds)
        if self.kinds is not None and isinstance(stored.row_costs, TableCosts):
            self.kinds |= {
                name: kind
                for name, kind in stored.row_costs.kinds.items()
                if name not in self.kinds
            }
        self.columns = None if self.kinds is None else list(self.kinds)
        self.n_columns = stored.manifest["features"]["count"]
        self._monitor = stored.drift_monitor()
        self._reader: RowParser | None = None
        self._encoder = stored.encoder
        if stored.kinds is not None:
            self.n_columns = len(self.columns or ())
            self._reader = RowParser(stored.kinds, stored.tokens())
            limits = [self._monitor.limits(name) for name in self._reader.number_names]
            self._limits = np.array(limits).reshape(-1, 2).T
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
        prepared = self._prepared(rows)
        if isinstance(self.stored.row_costs, TableCosts):
            costs = self.stored.row_costs.matrices_of_rows(rows, WHERE)  # type: ignore[arg-type]
            return replace(prepared, costs=costs)
        return prepared

    def _prepared(self, rows: Sequence[Row] | Sequence[Sequence[Any]]) -> Prepared:
        no_notes: list[list[str]] = [[] for _ in rows]
        if self._reader is None:
            names = [f"column {number + 1}" for number in range(self.n_columns)]
            raw = pd.DataFrame(rows, columns=names, dtype=object)
            return Prepared(self.stored.table(raw, WHERE, 0, set()), no_notes)
        numbers, words = self._reader.read(rows)  # type: ignore[arg-type]
        if self._encoder is None:
            return Prepared(self._reader.frame(numbers, words), no_notes)
        self.stored.check_numbers(numbers, WHERE, 0)
        features = self._encoder.encode_parsed(numbers, words)
        return Prepared(features, self._unlike(self._reader, numbers, words))

    def _unlike(
        self, reader: RowParser, numbers: np.ndarray, words: np.ndarray
    ) -> list[list[str]]:
        """For each row: columns with values unlike those of the training rows."""
        low, high = self._limits
        columns: list[list[str]] = []
        for is_far, cells in zip(
            (numbers < low) | (numbers > high), words.tolist(), strict=True
        ):
            names = [reader.number_names[at] for at in np.flatnonzero(is_far)]
            for name, cell in zip(reader.word_names, cells, strict=True):
                known = self._monitor.words.get(name)  # None for free text
                if known is not None and isinstance(cell, str) and cell not in known:
                    names.append(name)
            columns.append(names)
        return columns

    def answer(
        self, X: Any, unlike: list[list[str]], costs: np.ndarray | None = None
    ) -> list[dict[str, Any]]:
        """One answer for each row, of rows of `prepare` or several of them together."""
        labels, scores, expected = self._decide(X, costs)
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
        self, X: Any, costs: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray | None, np.ndarray | None]:
        """Labels, scores and expected costs; the latter two where there are any."""
        labels, scores = self._decides.predict_and_score(X, costs)
        return labels, scores, self._decides.expected_costs(X, costs)

"""A model's answers for rows of JSON, as plain data."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import get_tags

from softcost.tables import KINDS, RowParser
from softcost.tables.row_parser import Row
from softcost.workflow.stored_model import StoredModel
from softcost.workflow.table_costs import TableCosts

WHERE = "the request"
_LARGEST = 1e17  # without training ranges: what kernels accept in single precision


@dataclass(frozen=True)
class Prepared:
    """Parsed rows.

    Attributes
    ----------
    X : array or table
        Features, or the input of the model's own preprocessing.
    unlike : list of lists of str
        For each row: columns with values unlike the training data.
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
        Columns of a row, of features and of cost formulas, and what they hold; None if
        rows are lists of ``n_columns`` numbers.
    required : set of str
        Columns that must not be empty.
    accepts_missing : bool
        Whether other cells may be empty.
    in_money : bool
        Whether answers have expected costs; otherwise they may have scores.
    """

    def __init__(self, stored: StoredModel) -> None:
        self.stored = stored
        self.answers: list[str] = [str(name) for name in stored.answers.tolist()]
        self.in_money: bool = stored.knows_expected_costs()
        self.has_scores: bool = stored.has_scores()
        self.kinds = stored.kinds
        self.required: set[str] = set()
        if self.kinds is not None and isinstance(stored.row_costs, TableCosts):
            self.kinds = {**self.kinds, **stored.row_costs.kinds, **self.kinds}
            self.required = set(stored.row_costs.kinds)
        self.n_columns: int = stored.manifest["features"]["count"]
        self.accepts_missing: bool = (
            self.kinds is not None or get_tags(stored.model).input_tags.allow_nan
        )
        self._monitor = stored.drift_monitor()
        self._reader: RowParser | None = None
        self._encoder = stored.encoder
        self._accepted: dict[str | None, tuple[float, float]] = {}
        if stored.kinds is not None:
            self._reader = RowParser(stored.kinds, stored.tokens())
            names = self._reader.number_names
            usual = [self._monitor.limits(name) for name in names]
            self._usual = np.array(usual).reshape(-1, 2).T
            limits = stored.number_limits.tolist()
            self._accepted = dict(zip(names, limits, strict=False))
        encoded = self._encoder is not None
        self._decides = stored.after_encoding() if encoded else stored

    def words(self, name: str) -> list[str]:
        """Training values of a column of words, if the model has them."""
        return sorted(self._monitor.words.get(name, ()))

    def span(self, name: str) -> tuple[float, float] | None:
        """Smallest and largest training value of a number, if the model has them."""
        return self._monitor.ranges.get(name)

    def limits(self, name: str | None = None) -> tuple[float, float]:
        """Smallest and largest value of a number that the model accepts."""
        return self._accepted.get(name, (-_LARGEST, _LARGEST))

    def example(self) -> Any:
        """A row with values like the training data."""
        if self.kinds is None:
            return [0.0] * self.n_columns
        row = {}
        for name, kind in self.kinds.items():
            low, high = self.span(name) or (0.0, 0.0)
            middle = float(f"{low / 2 + high / 2:.3g}")
            row[name] = KINDS[kind].example(middle, self.words(name))
        return row

    def warm_up(self) -> None:
        """Answer the example, so that the first client need not wait for compilers."""
        with suppress(ValueError), self.stored.refusing_rows():
            prepared = self.prepare([self.example()])
            self.answer(prepared.X, prepared.unlike, prepared.costs)

    def missing_column(self, number: int, row: Row) -> str:
        """Say which column a row lacks."""
        try:
            RowParser(self.kinds or {}).check_names(number, row)
        except ValueError as error:
            return str(error)
        raise AssertionError("the row has all columns")

    def prepare(self, rows: Sequence[Row] | Sequence[Sequence[Any]]) -> Prepared:
        """Parse rows; a ValueError names a row that cannot be read."""
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
        low, high = self._usual
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
        """One answer for each row of one or more results of `prepare`."""
        scores = expected = None
        priced = self._decides.predict_and_price(X, costs)
        if priced is not None:
            labels, expected = priced
        else:
            labels, scores = self._decides.predict_and_score(X, costs)
            expected = self._decides.expected_costs(X, costs)
        answers: list[dict[str, Any]] = []
        for at, label in enumerate(labels.astype(str).tolist()):
            answer: dict[str, Any] = {"prediction": label}
            if expected is not None:
                by_answer = self._by_answer(expected[at])
                answer["expected_cost"] = by_answer[label]
                answer["expected_costs"] = by_answer
                answer |= self._next_best(expected[at], label)
            elif scores is not None:
                answer["scores"] = self._by_answer(scores[at])
            answer["unlike_training"] = unlike[at]
            answers.append(answer)
        return answers

    def _next_best(self, expected: np.ndarray, label: str) -> dict[str, Any]:
        """As in 'softcost predict'; nothing if there is only one answer."""
        predicted = self.answers.index(label)
        costs = expected.tolist()
        others = [at for at in range(len(costs)) if at != predicted]
        if not others:
            return {}
        second = min(others, key=costs.__getitem__)
        more = costs[second] - costs[predicted]
        return {
            "next_best": self.answers[second],
            "next_best_costs_more": more if np.isfinite(more) else None,
        }

    def _by_answer(self, values: np.ndarray) -> dict[str, float | None]:
        finite = (value if np.isfinite(value) else None for value in values.tolist())
        return dict(zip(self.answers, finite, strict=True))

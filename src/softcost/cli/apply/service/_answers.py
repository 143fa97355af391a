"""What a model says of rows, as plain data."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from softcost.cli.apply._model_file import StoredModel
from softcost.cli.apply._watch import Watch
from softcost.cli.apply.service._features import QuickEncoder, quick_encoder
from softcost.cli.inputs import Row, RowReader

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
        self.has_scores = hasattr(stored.model, "decision_function")
        self.columns = None if stored.kinds is None else list(stored.kinds)
        self.n_columns = stored.manifest["features"]["count"]
        self._watch = Watch(stored)
        self._reader: RowReader | None = None
        self._encoder: QuickEncoder | None = None
        if stored.kinds is not None:
            self.n_columns = len(stored.kinds)
            tokens = frozenset(stored.manifest["notes"].get("missing") or ())
            self._reader = RowReader(stored.kinds, tokens)
            if "columns" in stored.manifest["notes"]:
                self._encoder = quick_encoder(
                    stored.model["columns"], self._reader, self._watch
                )
        encoded = self._encoder is not None
        self._decides = stored.after_encoding() if encoded else stored

    def words(self, name: str) -> list[str]:
        """Words that a column had in training, as far as that is known."""
        return sorted(self._watch.words.get(name, ()))

    def span(self, name: str) -> tuple[float, float] | None:
        """The least and the largest number of a column in training, if known."""
        return self._watch.ranges.get(name)

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

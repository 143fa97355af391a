"""Drift: rows and predictions that differ from the training data."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from softcost.formatting import quoted_names
from softcost.tables.encode import TableEncoder
from softcost.tables.kinds import KINDS

_MARGIN = 0.1  # of the range of a column; beyond, a value is outside
_SHIFT = 0.1  # of the answers given to other classes than before
_CHANCE = 1e-3
_MOST_TOLD = 5  # columns
_MOST_WORDS_KEPT = 3


class DriftMonitor:
    """Compares rows and predictions, piece by piece, with the training data.

    A fitted `TableEncoder` has the range of every number and the words of every
    column of the training rows. Cross-validation has how often the model predicted
    each class.

    Parameters
    ----------
    encoder : TableEncoder or None
        Fitted; None to monitor predictions only.
    answers : sequence of str, default=()
        What a model may predict.
    expected : array of shape (n_answers,), default=None
        How often it predicted each answer for held-out training rows.

    Attributes
    ----------
    ranges : dict of str to (float, float)
        Smallest and largest training value of each number.
    words : dict of str to set of str
        Training values of each column of words.

    See Also
    --------
    softcost.tables.TableEncoder : Encodes the rows.

    Examples
    --------
    >>> import pandas as pd
    >>> from softcost.tables import DriftMonitor, TableEncoder
    >>> table = pd.DataFrame({"size": [1.0, 2, 3], "city": ["Oslo", "Rome", "Oslo"]})
    >>> encoder = TableEncoder().fit(table)
    >>> monitor = DriftMonitor(encoder)
    >>> monitor.update(pd.DataFrame({"size": [2.0, 9.0], "city": ["Rome", "Rome"]}))
    >>> len(monitor.warnings())  # 9 is outside of the training range
    1
    """

    def __init__(
        self,
        encoder: TableEncoder | None,
        answers: Sequence[str] = (),
        expected: np.ndarray | None = None,
    ) -> None:
        self.names = [str(name) for name in answers]
        self.answers = np.zeros(len(self.names), int)
        self.expected = expected
        self.rows = 0
        self.outside: dict[str, list[float]] = {}
        self.new_words: dict[str, dict[str, int]] = {}
        self.ranges: dict[str, tuple[float, float]] = {}
        self.words: dict[str, set[str]] = {}
        self._shown: dict[str, tuple[str, Callable[[float], str]]] = {}
        if encoder is not None:
            ranges = dict(zip(encoder.number_names(), encoder.ranges_, strict=True))
            for name, kind in encoder.kinds_.items():
                self._shown |= KINDS[kind].monitored(name)
            self.ranges = {
                name: (float(ranges[name][0]), float(ranges[name][1]))
                for name in self._shown
            }
            words = (set(words.tolist()) for words in encoder.categories_)
            self.words = dict(zip(encoder.word_names(), words, strict=True))

    def limits(self, name: str) -> tuple[float, float]:
        """Smallest and largest number of a column that is not reported as drift.

        Parameters
        ----------
        name : str
            A typed column.

        Returns
        -------
        tuple of (float, float)
        """
        if name not in self.ranges:
            return -np.inf, np.inf
        low, high = self.ranges[name]
        margin = _MARGIN * (high - low)
        return low - margin, high + margin

    def update(self, X: Any, predictions: np.ndarray | None = None) -> None:
        """Add rows, and the predictions for them.

        Parameters
        ----------
        X : DataFrame
            Typed rows, see `TableEncoder.typed`.
        predictions : array of shape (n,), default=None
            What the model predicts for them.
        """
        self.rows += len(X)
        if predictions is not None:
            labels = pd.Index(np.asarray(predictions).astype(str))
            places = pd.Index(self.names).get_indexer(labels)
            self.answers += np.bincount(places, minlength=len(self.names))
        for name in self.ranges:
            low, high = self.limits(name)
            values = X[name].to_numpy(float)
            far = values[(values < low) | (values > high)]
            if len(far):
                seen = self.outside.setdefault(name, [0, np.inf, -np.inf])
                seen[0] += len(far)
                seen[1], seen[2] = min(seen[1], far.min()), max(seen[2], far.max())
        for name, trained in self.words.items():
            for word, count in X[name].dropna().value_counts().items():
                if word not in trained:
                    counts = self.new_words.setdefault(name, {})
                    if word in counts or len(counts) < _MOST_WORDS_KEPT:
                        counts[str(word)] = counts.get(str(word), 0) + int(count)
                    else:
                        counts[""] = counts.get("", 0) + int(count)

    def warnings(self) -> list[str]:
        """What differs from the training data, in sentences.

        Returns
        -------
        list of str
        """
        said = [self._on_range(name) for name in self.ranges if name in self.outside]
        said += [self._on_words(name) for name in self.words if name in self.new_words]
        if len(said) > _MOST_TOLD:
            rest = len(said) - _MOST_TOLD
            said = [*said[:_MOST_TOLD], f"{rest} more columns are unlike before."]
        return said + self._on_answers()

    def _on_range(self, name: str) -> str:
        count, least, most = self.outside[name]
        low, high = self.ranges[name]
        shown, show = self._shown[name]
        return (
            f"column {shown!r} is outside of what the model has seen, {show(low)} to "
            f"{show(high)}, in {count:.0f} of {self.rows} rows ({show(least)} to "
            f"{show(most)})."
        )

    def _on_words(self, name: str) -> str:
        counts = self.new_words[name]
        words = quoted_names([word for word in counts if word])
        return (
            f"column {name!r} has words that the model has not seen, {words}"
            f"{', ...' if '' in counts else ''}, in {sum(counts.values())} of "
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

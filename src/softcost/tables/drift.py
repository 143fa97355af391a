"""Drift: rows and predictions that differ from the training data."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from softcost.formatting import quoted_names
from softcost.tables.cells import Kind
from softcost.tables.encode import TableEncoder
from softcost.tables.kinds import KINDS, Date

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

    names: list[str]
    answers: NDArray[Any]
    rows: int

    def __init__(
        self,
        encoder: TableEncoder | None,
        answers: Sequence[str] = (),
        expected: NDArray[Any] | None = None,
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
            said = [
                *said[:_MOST_TOLD],
                f"{rest} more columns differ from the training data.",
            ]
        return said + self._on_answers()

    def _on_range(self, name: str) -> str:
        count, least, most = self.outside[name]
        low, high = self.ranges[name]
        shown, show = self._shown[name]
        return (
            f"column {shown!r} is outside the training range, {show(low)} to "
            f"{show(high)}, in {count:.0f} of {self.rows} rows ({show(least)} to "
            f"{show(most)})."
        )

    def _on_words(self, name: str) -> str:
        counts = self.new_words[name]
        words = quoted_names([word for word in counts if word])
        return (
            f"column {name!r} has values that the training data do not have, {words}"
            f"{', ...' if '' in counts else ''}, in {sum(counts.values())} of "
            f"{self.rows} rows; the model ignores them."
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
            f"the mix of predictions differs from training: {self.names[most]!r} in "
            f"{100 * now[most]:.0f}% of the rows, {100 * before[most]:.0f}% in "
            "training. If the rows have changed, refit the model."
        ]


# Shares of values in each column, to compare with those of later rows.


_MOST_COLUMNS = 500  # with a profile; a table of genes has thousands
_MOST_WORDS = 20  # with a bin each; rarer words share one
_DECILES = np.linspace(0.0, 1.0, 11)


@dataclass(frozen=True)
class ColumnProfile:
    """Bins of a column, and how many training rows each of them has.

    The last bin is for missing cells. Bins of numbers are those below the smallest
    training value, between two deciles, and above the largest. Bins of words are the
    most frequent words, then all others.

    Attributes
    ----------
    bins : array of float, or tuple of str
        Upper ends of the bins of numbers, or words.
    counts : array of shape (n_bins,)
        Training rows in each bin.
    """

    bins: Any
    counts: np.ndarray

    @classmethod
    def of(cls, values: pd.Series) -> Self:
        """The profile of a typed column."""
        if values.dtype == object:
            bins: Any = tuple(map(str, values.value_counts().index[:_MOST_WORDS]))
        else:
            numbers = values.to_numpy(float)
            numbers = numbers[~np.isnan(numbers)]
            bins = np.unique(np.quantile(numbers, _DECILES)) if len(numbers) else ()
            bins = np.append(np.nextafter(bins[:1], -np.inf), bins)
        empty = cls(bins, np.zeros(0))
        return cls(bins, empty.count(values))

    def count(self, values: pd.Series) -> np.ndarray:
        """Rows in each bin."""
        missing = values.isna().to_numpy()
        if isinstance(self.bins, tuple):
            words = pd.Index(values[~missing], dtype=object)
            places = pd.Index(self.bins, dtype=object).get_indexer(words)
            places = np.where(places < 0, len(self.bins), places)
        else:
            places = np.searchsorted(self.bins, values.to_numpy(float)[~missing])
        counts = np.bincount(places, minlength=len(self.bins) + 1)
        return np.append(counts, missing.sum())

    def name(self, place: int) -> str:
        """A bin in words."""
        if place == len(self.bins) + 1:
            return "missing"
        if isinstance(self.bins, tuple):
            return repr(self.bins[place]) if place < len(self.bins) else "other values"
        if len(self.bins) == 0:
            return "present"
        if place <= 0:
            return f"below {self.bins[min(1, len(self.bins) - 1)]:g}"
        if place == len(self.bins):
            return f"above {self.bins[-1]:g}"
        return f"{self.bins[place - 1]:g} to {self.bins[place]:g}"


@dataclass(frozen=True)
class TableProfile:
    """How often each value occurs in the columns of a training table.

    Dates have no profile, since later rows have later dates. Neither has free text.
    Of very wide tables, the first 500 columns have one.

    Attributes
    ----------
    columns : dict of str to ColumnProfile
        By the name of a typed column.

    See Also
    --------
    softcost.tables.DriftMonitor : Values outside the training range, and new words.

    Examples
    --------
    >>> import pandas as pd
    >>> from softcost.tables import TableProfile
    >>> table = pd.DataFrame({"city": ["Oslo", "Rome", "Oslo", None]}, dtype=object)
    >>> profile = TableProfile.of(table, {"city": "nominal"})
    >>> profile.columns["city"].counts.tolist()  # Oslo, Rome, other words, missing
    [2, 1, 0, 1]
    """

    columns: dict[str, ColumnProfile]

    @classmethod
    def of(cls, X: pd.DataFrame, kinds: Mapping[str, Kind]) -> Self:
        """The profile of typed rows.

        Parameters
        ----------
        X : DataFrame
            Typed rows, see `TableEncoder.typed`.
        kinds : mapping of column name to kind
            The raw columns.

        Returns
        -------
        TableProfile
        """
        names = [
            typed
            for name, kind in kinds.items()
            if not isinstance(KINDS[kind], Date)
            for typed, holds in KINDS[kind].typed_kinds(name).items()
            if holds != "text"
        ]
        return cls({name: ColumnProfile.of(X[name]) for name in names[:_MOST_COLUMNS]})

    def to_json(self) -> dict[str, Any]:
        """As plain data.

        Returns
        -------
        dict
        """
        return {
            name: {"bins": list(column.bins), "counts": column.counts.tolist()}
            for name, column in self.columns.items()
        }

    @classmethod
    def from_json(cls, value: Any, typed: Mapping[str, str]) -> Self:
        """From plain data, which is checked: a model file may hold anything.

        Parameters
        ----------
        value : object
            What `to_json` returned.
        typed : mapping of str to str
            The typed columns of the model, and what they hold.

        Returns
        -------
        TableProfile
        """
        columns = {}
        for name, facts in dict(value).items():
            bins, counts = facts["bins"], facts["counts"]
            word = str if typed[name] == "nominal" else (int, float)
            if (
                len(counts) != len(bins) + 2
                or not all(isinstance(end, word) for end in bins)
                or not all(type(count) is int and count >= 0 for count in counts)
            ):
                raise ValueError(f"the profile of column {name!r} is invalid.")
            ends = tuple(bins) if word is str else np.array(bins, float)
            if word is not str and not (np.diff(ends) > 0).all():
                raise ValueError(f"the profile of column {name!r} is invalid.")
            columns[name] = ColumnProfile(ends, np.array(counts, np.int64))
        return cls(columns)

"""Features of single rows, as the encoder of 'softcost fit' makes them, but quickly.

A transformer of scikit-learn is made for tables: one row takes it milliseconds. What
the encoder has learnt is a few vectors and lists of words, so a row needs two products
and some look-ups.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from softcost.cli.apply._watch import Watch
from softcost.cli.inputs import RowReader

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
        self, reader: RowReader, numbers: np.ndarray, words: np.ndarray
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


def quick_encoder(encoder: Any, reader: RowReader, watch: Watch) -> QuickEncoder | None:
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
    limits = [watch.limits(name) for name in reader.number_names]
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
        [watch.words[name] for name in reader.word_names],
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
            asked = column[start : start + _AT_ONCE]
            cells = np.array([any_row] * len(asked), object)
            cells[:, at] = asked
            coded = np.asarray(one_hot.transform(cells))[:, block : block + width]
            own = (first + block + coded.argmax(axis=1)).tolist()
            places |= dict(zip(asked, own, strict=True))
        found.append(places)
        block += width
    return found, first + block

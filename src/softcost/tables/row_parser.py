"""Rows that are given as mappings of column and cell, such as objects of JSON.

They are read as the cells of a table are, by the same rules, but without a table: one
row costs some microseconds, not milliseconds.
"""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np
import pandas as pd

from softcost.tables.cells import Kind
from softcost.tables.kinds import KINDS, feature_kinds

Row = Mapping[str, Any]
_SHOWN = 60  # characters of a cell in a message


class RowParser:
    """Parses rows that are mappings, such as JSON objects, like the rows of a table.

    A cell is a text, which is read as in a CSV file, a number, a Boolean, or None if
    it is empty. All columns must be there; others are ignored. A row takes
    microseconds, where a table of one row takes milliseconds.

    Parameters
    ----------
    kinds : mapping of column name to kind
        The columns to parse, see `TableEncoder.kinds_`.
    tokens : frozenset of str, default=frozenset()
        Cells to treat as missing, beside the usual ones.

    Attributes
    ----------
    number_names, word_names : list of str
        The typed columns; a date is several numbers. Free text is among the words.

    See Also
    --------
    softcost.tables.TableEncoder : Reads tables.

    Examples
    --------
    >>> from softcost.tables import RowParser
    >>> parser = RowParser({"size": "number", "city": "nominal"})
    >>> numbers, words = parser.read([{"size": "1,234.5", "city": " Oslo "}])
    >>> numbers.tolist(), words.tolist()
    ([[1234.5]], [['Oslo']])
    """

    def __init__(
        self, kinds: Mapping[str, Kind], tokens: frozenset[str] = frozenset()
    ) -> None:
        features = feature_kinds(kinds)
        self.number_names = [n for n, kind in features.items() if kind == "number"]
        self.word_names = [n for n, kind in features.items() if kind != "number"]
        self._order = list(features)
        self._tokens = tokens
        places = {name: at for at, name in enumerate(self.number_names)}
        places |= {name: at for at, name in enumerate(self.word_names)}
        self._columns = {
            name: (
                KINDS[kind],
                [
                    (column, typed == "number", places[column])
                    for column, typed in KINDS[kind].typed_kinds(name).items()
                ],
            )
            for name, kind in kinds.items()
        }

    def read(self, rows: Sequence[Row]) -> tuple[np.ndarray, np.ndarray]:
        """Parse rows; a ValueError names a row that cannot be read.

        Parameters
        ----------
        rows : sequence of mappings
            From column name to cell.

        Returns
        -------
        numbers : ndarray of shape (n, n_numbers)
        words : ndarray of shape (n, n_words)
            NaN is an empty cell in both.
        """
        for number, row in enumerate(rows, start=1):
            if not all(name in row for name in self._columns):
                self._refuse_names(number, row)
        numbers = np.full((len(rows), len(self.number_names)), np.nan)
        words = np.empty((len(rows), len(self.word_names)), object)
        for name, (kind, places) in self._columns.items():
            cells = [row[name] for row in rows]
            typed, wrong = kind.read_row_cells(cells, self._tokens)
            if wrong.any():
                at = int(wrong.argmax())
                _refuse_cell(rows, name, at, kind.needed_for(cells[at]))
            parts = kind.typed_columns(name, typed)
            for column, is_number, place in places:
                (numbers if is_number else words)[:, place] = parts[column]
        return numbers, words

    def frame(self, numbers: np.ndarray, words: np.ndarray) -> pd.DataFrame:
        """Parsed rows as a typed table.

        Parameters
        ----------
        numbers, words : ndarray
            What `read` returned.

        Returns
        -------
        DataFrame
        """
        columns: dict[str, Any] = dict(zip(self.number_names, numbers.T, strict=True))
        for name, cells in zip(self.word_names, words.T, strict=True):
            columns[name] = pd.Series(cells, dtype=object)
        return pd.DataFrame(columns, columns=self._order)

    def _refuse_names(self, number: int, row: Row) -> None:
        missing = next(name for name in self._columns if name not in row)
        others = [name[:_SHOWN] for name in row if name not in self._columns]
        near = get_close_matches(missing, others[:100], n=1)
        hint = f"; did you mean it by {near[0]!r}?" if near else ""
        raise ValueError(
            f"row {number} has no cell {missing!r}, which the model needs{hint or '.'}"
            f"{'' if hint else ' Give null where it is empty.'}"
        )


def _refuse_cell(rows: Sequence[Row], name: str, at: int, needed: str) -> None:
    shown = repr(rows[at][name])[: _SHOWN + 2]
    raise ValueError(
        f"column {name!r} holds {shown} in row {at + 1}, where the model needs "
        f"{needed}; correct it, or give null."
    )

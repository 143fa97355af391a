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
from softcost.tables.kinds import KINDS, ColumnKind, feature_kinds

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

    number_names: list[str]
    word_names: list[str]

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
            self.check_names(number, row)
        numbers = np.full((len(rows), len(self.number_names)), np.nan)
        words = np.empty((len(rows), len(self.word_names)), object)
        for name, (kind, places) in self._columns.items():
            cells = [row[name] for row in rows]
            typed, wrong = kind.read_row_cells(cells, self._tokens)
            if wrong.any():
                at = int(wrong.argmax())
                raise ValueError(unreadable_cell(name, cells[at], at + 1, kind))
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

    def check_names(self, number: int, row: Row) -> None:
        """Raise a ValueError if a row lacks a column.

        Parameters
        ----------
        number : int
            Of the row, from 1, for the message.
        row : mapping
            From column name to cell.
        """
        if self._columns.keys() <= row.keys():
            return
        missing = next(name for name in self._columns if name not in row)
        others = [name[:_SHOWN] for name in row if name not in self._columns]
        near = get_close_matches(missing, others[:100], n=1)
        hint = f"; did you mean it by {near[0]!r}?" if near else ""
        raise ValueError(
            f"row {number} has no cell {missing!r}, which the model needs{hint or '.'}"
            f"{'' if hint else ' Give null where it is empty.'}"
        )


def unreadable_cell(name: str, cell: Any, number: int, kind: ColumnKind) -> str:
    """Say that a cell of row ``number``, from 1, cannot be read.

    Examples
    --------
    >>> unreadable_cell("size", "big", 2, KINDS["duration"])
    "column 'size' holds 'big' in row 2, where the model needs a duration such as
    1:30:00; correct it, or give null."
    """
    shown = repr(cell)[: _SHOWN + 2]
    return (
        f"column {name!r} holds {shown} in row {number}, where the model needs "
        f"{kind.needed_for(cell)}; correct it, or give null."
    )

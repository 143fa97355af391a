"""Columns of a table: labels, and the columns that a model learns from."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd

from softcost.files import shown_name
from softcost.formatting import quoted_names
from softcost.tables.cells import (
    KINDS,
    MISSING,
    Kind,
    Reading,
    date_feature_names,
    date_features,
    decimal_evidence,
    read_moments,
    read_numbers,
)

# Columns of plain numbers, read all at once: a table of genes has thousands.


_EVIDENCE = 300  # different cells that tell a decimal comma from a point
_MOST_ROWS = 5000  # of more, columns take their time one by one as well
_CELLS = 2**20  # in memory at a time


class PlainColumn:
    """A column of which every cell is a text such as 12, -0.5 or 1e3.

    Parameters
    ----------
    texts : object array of shape (n,)
    numbers : array of shape (n,)
        As they are meant with a decimal point.
    """

    def __init__(self, texts: np.ndarray, numbers: np.ndarray) -> None:
        self.numbers = numbers
        self._texts = texts

    @cached_property
    def cells(self) -> list[str]:
        """The different ones, in the order of the rows."""
        return list(dict.fromkeys(self._texts.tolist()))

    @cached_property
    def decimal_counts(self) -> Mapping[Any, int]:
        """Evidence for a decimal point and a comma, as far as it decides.

        All can be meant with a point, so one is enough that cannot be meant otherwise.
        """
        marked = [text for text in self.cells if "." in text][:_EVIDENCE]
        if any(decimal_evidence([text])["."] for text in marked):
            return {".": 1, ",": 0, "either": 0}
        return {".": 0, ",": 0, "either": len(marked)}


def decimal_counts(cells: list[Any]) -> Mapping[Any, int]:
    """Evidence for a decimal point and a comma in different cells."""
    texts = (one for one in cells if isinstance(one, str))
    marked = (text for text in texts if "." in text or "," in text)
    return decimal_evidence(islice(marked, _EVIDENCE))


def plain_columns(
    frame: pd.DataFrame, tokens: frozenset[str] = frozenset()
) -> dict[str, PlainColumn]:
    """The columns of a raw table that are plain numbers throughout, by name.

    None of them where the user has said which cells say nothing, or of tables with
    many rows: reading columns one by one gives the same.
    """
    found: dict[str, PlainColumn] = {}
    if tokens or not 0 < len(frame) <= _MOST_ROWS:
        return found
    names = [
        name for name, dtype in frame.dtypes.items()
        if isinstance(dtype, pd.StringDtype) or pd.api.types.is_object_dtype(dtype)
    ]  # fmt: skip
    width = max(1, _CELLS // len(frame))
    for start in range(0, len(names), width):
        part = names[start : start + width]
        texts = frame[part].to_numpy(dtype=object).T
        flat = pd.to_numeric(pd.Series(texts.ravel(), dtype=object), errors="coerce")
        numbers = flat.to_numpy(float, na_value=np.nan).reshape(texts.shape)
        for number in np.flatnonzero(~np.isnan(numbers).any(axis=1)):
            if {*map(type, texts[number])} == {str}:
                own = PlainColumn(texts[number], numbers[number].copy())
                found[str(part[number])] = own
    return found


LARGEST = 1e150  # differences and squares of larger numbers are not finite
_FARTHEST = 1e9
_BOOLEANS = {
    "true": "True", "false": "False", "wahr": "True", "falsch": "False",
    "vrai": "True", "faux": "False",
}  # fmt: skip


def column(frame: pd.DataFrame, name: str, option: str, path: str) -> pd.Series:
    """A column by name, or which one was perhaps meant."""
    if name not in frame.columns:
        names = [str(one) for one in frame.columns]
        near = get_close_matches(name, names, n=1)
        near += [one for one in names if one.lower() == name.lower()]
        known = f"its columns are {quoted_names(names)}".removesuffix(".") + "."
        hint = f"did you mean {near[0]!r}?" if near else known
        raise ValueError(
            f"{option} {name!r} is not a column of {shown_name(path)}; {hint}"
        )
    return frame[name]


def named_columns(
    frame: pd.DataFrame, texts: Sequence[str], option: str, path: str
) -> list[str]:
    """Columns by name, several in one text with commas between them.

    A text that is a column's name, commas and all, is that column.
    """
    found: list[str] = []
    for text in texts:
        whole = text in frame.columns or "," not in text
        parts = [text] if whole else [part.strip() for part in text.split(",")]
        for name in parts:
            column(frame, name, option, path)
            found.append(name)
    return list(dict.fromkeys(found))


def read_labels(
    values: pd.Series, option: str, path: str, first_row: int = 0
) -> np.ndarray:
    """A target column as text, without blanks around it."""
    labels = words_of(values)
    empty = np.flatnonzero(pd.isna(labels))
    if len(empty):
        raise ValueError(
            f"{option} {values.name!r} is empty in {len(empty)} rows of {path}, the "
            f"first of them row {first_row + empty[0] + 1}; fill them or take them out."
        )
    return labels.astype(str)


def words_of(
    values: pd.Series, boolean: bool = False, tokens: frozenset[str] = frozenset()
) -> np.ndarray:
    """Cells as text without blanks around it, NaN for an empty one.

    Parameters
    ----------
    boolean : bool, default=False
        Whether true, TRUE and WAHR are one word.
    tokens : frozenset of str
        What else says nothing.
    """
    codes, cells = pd.factorize(values.astype(object))
    known = np.empty(len(cells) + 1, dtype=object)
    known[:] = [*(word_of(cell, boolean, tokens) for cell in cells), np.nan]
    return known[codes]


def word_of(cell: Any, boolean: bool, tokens: frozenset[str]) -> Any:
    """One cell as `words_of` reads it."""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        cell = int(cell)
    text = str(cell).strip()
    if text in MISSING or text in tokens:
        return np.nan
    return as_boolean(text) if boolean else text


def as_boolean(text: str) -> str:
    """``True`` or ``False``, however a table writes it; any other text as it is."""
    return _BOOLEANS.get(text.lower(), text)


def typed_columns(
    frame: pd.DataFrame,
    kinds: Mapping[str, Kind],
    path: str,
    first_row: int = 0,
    tokens: frozenset[str] = frozenset(),
) -> pd.DataFrame:
    """The columns of a model, with the types that it knows; dates as numbers.

    Parameters
    ----------
    frame : DataFrame
        A raw table, or a piece of one that begins after ``first_row`` others.
    kinds : mapping of column name to kind
    path : str
        For messages.
    tokens : frozenset of str
        Cells that say nothing, beside the usual ones.
    """
    plain = plain_columns(frame, tokens)
    columns: dict[str, Any] = {}
    for name, kind in kinds.items():
        reading = KINDS[kind]
        if kind == "number" and name in plain:
            numbers = plain[name].numbers
            if (np.abs(numbers) <= LARGEST).all():
                columns[name] = numbers
                continue
        values = column(frame, name, "the model's column", path)
        if reading.what == "words":
            columns[name] = pd.Series(
                words_of(values, reading.boolean, tokens), dtype=object
            )
        elif reading.what == "number":
            numbers, wrong = read_numbers(values, reading.decimal, tokens)
            wrong |= np.abs(numbers) > LARGEST
            _refuse(wrong, values, "a finite number", path, first_row)
            columns[name] = numbers
        else:
            moments, wrong = read_moments(values, reading.order, tokens)
            _refuse(wrong, values, "a date", path, first_row)
            columns |= date_features(name, moments, reading)
    return pd.DataFrame(columns, columns=list(feature_kinds(kinds)))


def _refuse(
    wrong: np.ndarray, values: pd.Series, needed: str, path: str, first_row: int
) -> None:
    if not wrong.any():
        return
    first = int(wrong.argmax())
    cell = str(values.iloc[first])[:60]
    raise ValueError(
        f"column {values.name!r} of {path} holds {cell!r} in "
        f"row {first_row + first + 1}, where the model needs {needed}; "
        "correct it, or leave it empty."
    )


def feature_kinds(kinds: Mapping[str, Kind]) -> dict[str, Kind]:
    """The columns that `typed_columns` makes: numbers and words."""
    found: dict[str, Kind] = {}
    for name, kind in kinds.items():
        reading: Reading = KINDS[kind]
        if reading.what == "date":
            found |= dict.fromkeys(date_feature_names(name, reading), "number")
        else:
            found[name] = "number" if reading.what == "number" else "nominal"
    return found


def far_numbers(frame: pd.DataFrame) -> list[str]:
    """Sentences on columns with a number next to which the others look all alike.

    It is farther from the median than a billion times half of those that differ from
    it, and would be the largest of the scaled column, whose others were all zero.
    """
    said = []
    for name, cells in frame.select_dtypes("float64").items():
        values = cells.to_numpy()
        there = values[~np.isnan(values)]
        distance = np.abs(values - np.median(there)) if len(there) else there
        if not (distance > 0).any():
            continue
        first = int(np.nanargmax(distance))
        if distance[first] > _FARTHEST * np.median(distance[distance > 0]):
            said.append(
                f"column {name!r} holds {values[first]:g} in row {first + 1}, more "
                f"than {_FARTHEST:g} times as far off as its other numbers, which will "
                "all look alike; correct it, or leave it empty."
            )
    return said

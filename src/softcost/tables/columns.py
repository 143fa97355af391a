"""Columns of a table: labels, and the columns that a model learns from."""

import datetime
from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal as DecimalNumber
from difflib import get_close_matches
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd

from softcost.errors import argument
from softcost.files import shown_name
from softcost.formatting import counted, quoted_names
from softcost.tables.cells import LARGEST, Kind, decimal_evidence, words_of
from softcost.tables.kinds import KINDS, feature_kinds

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
    texts = (cell for cell in cells if isinstance(cell, str))
    marked = (text for text in texts if "." in text or "," in text)
    return decimal_evidence(islice(marked, _EVIDENCE))


def plain_columns(
    frame: pd.DataFrame, tokens: frozenset[str] = frozenset()
) -> dict[str, PlainColumn]:
    """The columns of a raw table that are plain numbers throughout, by name.

    None of them where the user has said which cells say nothing, or of tables with
    many rows: reading columns one by one gives the same.
    """
    columns: dict[str, PlainColumn] = {}
    if tokens or not 0 < len(frame) <= _MOST_ROWS:
        return columns
    names = [
        name for name, dtype in frame.dtypes.items()
        if isinstance(dtype, pd.StringDtype) or pd.api.types.is_object_dtype(dtype)
    ]  # fmt: skip
    width = max(1, _CELLS // len(frame))
    for start in range(0, len(names), width):
        part = names[start : start + width]
        texts = frame[part].to_numpy(dtype=object).T
        cells = pd.Series(texts.ravel(), dtype=object)
        try:
            flat = pd.to_numeric(cells, errors="coerce")
        except OverflowError:  # a whole number of hundreds of digits
            continue
        numbers = flat.to_numpy(float, na_value=np.nan).reshape(texts.shape)
        for number in np.flatnonzero(~np.isnan(numbers).any(axis=1)):
            if {*map(type, texts[number])} == {str}:
                plain = PlainColumn(texts[number], numbers[number].copy())
                columns[str(part[number])] = plain
    return columns


_FARTHEST = 1e9
SIMPLE_TYPES = frozenset(
    [str, int, float, bool, type(None), type(pd.NA), type(pd.NaT), pd.Timestamp,
     pd.Timedelta, datetime.date, datetime.datetime, datetime.time, datetime.timedelta,
     DecimalNumber]
)  # fmt: skip
_EMPTY = frozenset([type(None), type(pd.NA), type(pd.NaT), float])


def as_frame(X: Any) -> pd.DataFrame:
    """A table of any library as a pandas one whose column names are distinct strings.

    Columns of an array are called x0, x1 and so on. Rows may also be mappings.
    """
    if isinstance(X, pd.DataFrame):
        frame = X
    elif hasattr(type(X), "columns") or hasattr(type(X), "column_names"):
        frame = _of_another_library(X)
    elif is_list_of_mappings(X):
        frame = pd.DataFrame(list(X))
    else:
        cells = np.asarray(X)
        if cells.ndim != 2:
            raise ValueError(
                f"X must be a table with rows and columns, not an array with "
                f"{cells.ndim} dimensions."
            )
        frame = pd.DataFrame(cells)
        frame.columns = pd.Index([f"x{number}" for number in range(cells.shape[1])])
    if not all(isinstance(name, str) for name in frame.columns):
        frame = frame.set_axis([str(name) for name in frame.columns], axis="columns")
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise ValueError(f"X has two columns {twice!r}; rename one of them.")
    return frame


def is_list_of_mappings(X: Any) -> bool:
    """Whether X is a list of rows, each from column names to cells."""
    return (
        isinstance(X, list | tuple)
        and len(X) > 0
        and all(isinstance(row, Mapping) for row in X)
    )


def _of_another_library(X: Any) -> pd.DataFrame:
    try:
        import narwhals.stable.v1 as nw
    except ImportError:  # scikit-learn needs it from version 1.9 on
        if hasattr(X, "to_pandas"):
            return X.to_pandas()
        raise ValueError(
            f"X is a {type(X).__name__}: convert it to a pandas DataFrame, or install "
            "narwhals."
        ) from None
    try:
        table = nw.from_native(X, eager_only=True)
    except TypeError:
        raise ValueError(
            f"X is a {type(X).__name__}, which is not a table in memory; collect it, "
            "or convert it to a pandas DataFrame."
        ) from None
    twice = [name for name, count in Counter(table.columns).items() if count > 1]
    if twice:
        raise ValueError(f"X has two columns {twice[0]!r}; rename one of them.")
    columns: dict[str, pd.Series] = {}
    for name in table.columns:
        column = table[name]
        if column.dtype in (nw.Categorical, nw.Enum):
            columns[name] = pd.Series(pd.Categorical(column.to_list()))
        elif column.dtype.is_numeric() and column.dtype != nw.Decimal:
            empty = column.is_null().to_numpy()
            values = column.to_numpy()
            if empty.any():
                values = np.where(empty, np.nan, values.astype(float))
            columns[name] = pd.Series(values)
        else:
            cells = column.to_list()
            times = column.dtype in (nw.Datetime, nw.Duration)
            columns[name] = pd.Series(cells, dtype=None if times else object)
    return pd.DataFrame(columns, columns=table.columns)


def plain_cells(values: pd.Series) -> pd.Series:
    """A raw column whose cells can be told apart, as a file would have them.

    Lists and other objects become text. So do Booleans among other cells, since True
    is equal to 1.
    """
    if pd.api.types.is_complex_dtype(values):
        raise ValueError(
            f"column {values.name!r} holds complex numbers; split them into real and "
            "imaginary parts."
        )
    if isinstance(values.dtype, pd.ArrowDtype):
        values = _without_arrow(values)
    if values.dtype != object:
        return values
    types = {*map(type, values)}
    as_text = {
        cls
        for cls in types - SIMPLE_TYPES
        if not issubclass(cls, np.number | np.datetime64)
    }
    if bool in types and not types - {bool} <= _EMPTY:
        as_text.add(bool)
    if not as_text:
        return values
    cells = [_as_text(cell) if type(cell) in as_text else cell for cell in values]
    return pd.Series(cells, values.index, dtype=object, name=values.name)


def _without_arrow(values: pd.Series) -> pd.Series:
    """Types of Arrow that pandas does not treat as its own: dates, lists and others."""
    numeric = pd.api.types.is_numeric_dtype(values) and values.dtype.kind != "O"
    if numeric or pd.api.types.is_datetime64_any_dtype(values):
        return values
    if values.dtype.kind == "m":
        return values.astype("timedelta64[ns]")
    return values.astype(object)


def _as_text(cell: Any) -> str:
    return cell.decode(errors="replace") if isinstance(cell, bytes) else str(cell)


def plain_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """A raw table with `plain_cells`."""
    changed = {}
    for name, values in frame.items():
        cells = plain_cells(values)
        if cells is not values:
            changed[str(name)] = cells
    return frame if not changed else frame.assign(**changed)


def column(frame: pd.DataFrame, name: str, option: str, path: str) -> pd.Series:
    """A column by name, or which one was perhaps meant."""
    if name not in frame.columns:
        names = [str(label) for label in frame.columns]
        near = get_close_matches(name, names, n=1)
        near += [label for label in names if label.lower() == name.lower()]
        choices = f"its columns are {quoted_names(names)}".removesuffix(".") + "."
        hint = f"did you mean {near[0]!r}?" if near else choices
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
    names: list[str] = []
    for text in texts:
        whole = text in frame.columns or "," not in text
        parts = [text] if whole else [part.strip() for part in text.split(",")]
        for name in parts:
            column(frame, name, option, path)
            names.append(name)
    return list(dict.fromkeys(names))


def read_labels(
    values: pd.Series, option: str, path: str, first_row: int = 0
) -> np.ndarray:
    """A target column as text, without blanks around it."""
    labels = words_of(values)
    empty = np.flatnonzero(pd.isna(labels))
    if len(empty):
        raise ValueError(
            f"{option} {values.name!r} is empty in {counted(len(empty), 'row')} of "
            f"{path}, first in row {first_row + empty[0] + 1}; fill in the labels, or "
            f"pass {argument('skip_unlabelled')} to leave these rows out."
        )
    return labels.astype(str)


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
        if kind == "number" and name in plain:
            numbers = plain[name].numbers
            if (np.abs(numbers) <= LARGEST).all():
                columns[name] = numbers
                continue
        values = plain_cells(column(frame, name, "the model's column", path))
        typed, wrong = KINDS[kind].read(values, tokens)
        if wrong.any():
            needed = KINDS[kind].needed_for(values.iloc[int(wrong.argmax())])
            _refuse(wrong, values, needed, path, first_row)
        parts = KINDS[kind].typed_columns(name, typed)
        twice = columns.keys() & parts.keys()
        if twice:
            raise ValueError(
                f"two columns of {path} both become {min(twice)!r}; rename {name!r}."
            )
        for part, cells in parts.items():
            # pandas would make its own type of words, where NaN is something else.
            is_words = cells.dtype == object
            columns[part] = pd.Series(cells, dtype=object) if is_words else cells
    return pd.DataFrame(columns, columns=list(feature_kinds(kinds)))


def _refuse(
    wrong: np.ndarray, values: pd.Series, needed: str, path: str, first_row: int
) -> None:
    if not wrong.any():
        return
    first = int(wrong.argmax())
    cell = str(values.iloc[first])[:60]
    remedy = "leave it empty"
    if " decimal " in needed:
        remedy = f"pass {argument('decimal')} if the table has another separator"
    raise ValueError(
        f"column {values.name!r} of {path} holds {cell!r} in "
        f"row {first_row + first + 1}, where the model needs {needed}; "
        f"correct it, or {remedy}."
    )


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

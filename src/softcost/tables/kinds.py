"""Kinds of columns: everything that softcost does with a column of one kind.

A kind says which columns it recognises, how their cells are read, which typed columns
they become, what is remarkable about them, and how the service describes a cell. To
add a kind, write a class and register it in `KINDS` and `RECOGNISERS`.
"""

import datetime
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
import pandas as pd

from softcost.tables.cells import (
    LARGEST,
    Decimal,
    Kind,
    Order,
    as_boolean,
    cell_hours,
    cell_moment,
    cell_number,
    date_of_days,
    date_parts,
    has_hours,
    marks_of,
    possible_orders,
    read_cells,
    read_date,
    read_moments,
    read_number,
    read_numbers,
    says_nothing,
    word_of,
    words_of,
)

# Typed columns hold numbers, words (categories), or text, of which components are made.
Typed = Literal["number", "nominal", "text"]
Flag = Callable[..., str]  # from option and value to a hint

MOST_WORDS = 200  # of a column that have a feature each; rarer ones share one
_LEAST_ROWS = 20  # before whole numbers that differ in all rows look like an id
_LEAST_DATES = 3  # different ones, before whole numbers such as 20240131 are dates
_CODE_DIGITS = 3
_LEAST_TEXTS = 30  # different ones, before cells of several words are free text
_TEXT_WORDS = 3  # in most cells of a free text
_REPEATED = 2  # rows for each different cell; with more, cells are categories


class Column(Protocol):
    """A raw column that is being inspected, see `infer_columns`."""

    name: str
    values: pd.Series
    cells: list[Any]
    typed: Any
    n_missing: int
    n_rows: int
    n_different: int
    tokens: frozenset[str]

    def overridden(self) -> bool: ...
    def leaves_decimal_open(self) -> bool: ...
    def has_a_decimal_override(self) -> bool: ...
    def has_an_order_override(self) -> bool: ...
    def is_plain(self) -> bool: ...
    def differs_everywhere(self) -> bool: ...
    def whole_numbers(self) -> bool: ...
    def is_unnamed(self) -> bool: ...
    def named_like_id(self) -> bool: ...


# In a pattern, \s would mean other blanks in other languages.
_BLANKS = r"[ \t\r\n]*"


@dataclass(frozen=True)
class ColumnKind:
    """What is done with the columns of one kind.

    Attributes
    ----------
    needed : str
        What a cell must be, for error messages.
    json_types : tuple of str
        Types of a cell in JSON, beside null.
    json_formats : tuple of str
        Formats of its texts in JSON Schema, if there are such formats.
    """

    needed: ClassVar[str] = "a word"
    json_types: ClassVar[tuple[str, ...]] = ("string", "number", "boolean")
    json_formats: ClassVar[tuple[str, ...]] = ()

    def read(
        self, values: pd.Series, tokens: frozenset[str] = frozenset()
    ) -> tuple[np.ndarray, np.ndarray]:
        """Cells as typed values, and which of them cannot be read.

        Returns
        -------
        typed : array of shape (n,)
            Missing cells are NaN or NaT.
        wrong : boolean array of shape (n,)
        """
        raise NotImplementedError

    def needed_for(self, cell: Any) -> str:
        """What a cell that cannot be read must be."""
        return self.needed

    def read_row_cells(
        self, cells: Sequence[Any], tokens: frozenset[str] = frozenset()
    ) -> tuple[np.ndarray, np.ndarray]:
        """The same for a few cells of JSON, without the overhead of a Series."""
        return self.read(pd.Series(cells, dtype=object), tokens)

    def typed_kinds(self, name: str) -> dict[str, Typed]:
        """The typed columns that a column becomes."""
        raise NotImplementedError

    def typed_columns(self, name: str, typed: np.ndarray) -> dict[str, Any]:
        """Values of the typed columns from what `read` returned."""
        return {name: typed}

    def remarks(self, column: Column, flag: Flag) -> list[str]:
        """Assumptions and suspicions, each with a way to override it."""
        return []

    def why_id(self, column: Column) -> str:
        """Why a column looks like an identifier of the rows; "" if it does not."""
        return ""

    def monitored(self, name: str) -> dict[str, tuple[str, Callable[[float], str]]]:
        """Typed numbers to compare with the training data: label and format."""
        return {
            column: (column, "{:g}".format)
            for column, kind in self.typed_kinds(name).items()
            if kind == "number"
        }

    def json_pattern(self, digits: int) -> str | None:
        """Pattern of its texts in JSON, beside texts for a missing cell.

        Parameters
        ----------
        digits : int
            Most digits in front of a decimal separator.

        Returns
        -------
        str or None
            A regular expression that JavaScript, Python and Rust read alike; None if
            no expression describes the texts.
        """
        return None

    def example(self, middle: float, words: Sequence[str]) -> Any:
        """A cell as JSON: near the middle of the numbers, or among the words."""
        return next(iter(words), "a word")


@dataclass(frozen=True)
class Number(ColumnKind):
    """Numbers as people write them.

    Attributes
    ----------
    decimal : {".", ","}
        What 1.234 and 1,234 mean; all other numbers can be meant in one way only.
    """

    decimal: Decimal = "."
    needed: ClassVar[str] = "a finite number"
    json_types: ClassVar[tuple[str, ...]] = ("number", "string")

    def read(self, values: Any, tokens: Any = frozenset()) -> Any:
        """As `ColumnKind.read`."""
        # A column has one convention: 1,5 and 1,500 would mean 1.5 and 1500.
        numbers, wrong = read_numbers(values, self.decimal, tokens, strict=True)
        return numbers, wrong | (np.abs(numbers) > LARGEST)

    def read_row_cells(self, cells: Any, tokens: Any = frozenset()) -> Any:
        """As `ColumnKind.read_row_cells`."""
        coded = {read_number(text) for text in tokens}
        numbers, wrong = np.full(len(cells), np.nan), np.zeros(len(cells), bool)
        for at, cell in enumerate(cells):
            if cell is None:
                continue
            value = cell_number(cell, self.decimal, tokens, strict=True)
            # JSON has null for a missing number; NaN is a mistake.
            if cell != cell or value is None or abs(value) > LARGEST:
                wrong[at] = True
            elif value not in coded:
                numbers[at] = value
        return numbers, wrong

    def needed_for(self, cell: Any) -> Any:
        """As `ColumnKind.needed_for`."""
        if isinstance(cell, str) and read_number(cell) is not None:
            name = "comma" if self.decimal == "," else "point"
            return f"{self.needed} with a decimal {name}"
        return self.needed

    def typed_kinds(self, name: Any) -> Any:
        """As `ColumnKind.typed_kinds`."""
        return {name: "number"}

    def why_id(self, column: Any) -> Any:
        """As `ColumnKind.why_id`."""
        if column.differs_everywhere() and column.whole_numbers():
            if column.is_unnamed():
                return "it has no name and a number of its own in every row"
            if column.named_like_id():
                return "it is called like an id and differs in every row"
        return ""

    def remarks(self, column: Any, flag: Any) -> Any:
        """As `ColumnKind.remarks`."""
        said = []
        texts = [cell for cell in column.cells if isinstance(cell, str)]
        if (
            texts
            and column.leaves_decimal_open()
            and not column.has_a_decimal_override()
        ):
            example = next(text for text in texts if "." in text or "," in text)
            if "," in example or self.decimal == ",":  # 1.5 is read as ever
                other = "." if self.decimal == "," else ","
                number = read_number(example, self.decimal)
                said.append(
                    f"{example} is read as {number:g}; if that is wrong, "
                    f"{flag('decimal', other)}"
                )
        marks = marks_of([] if column.is_plain() else texts)
        signs = [mark for mark in marks if mark]
        if len(signs) > 1:
            said.append(f"{', '.join(signs)} are mixed: one unit would be better")
        elif signs and marks[""]:
            said.append(f"{marks['']} of its different cells have no {signs[0]}")
        elif signs:
            said.append(f"{signs[0]} is taken off")
        if (
            column.whole_numbers()
            and column.n_rows >= _LEAST_ROWS
            and not column.overridden()
        ):
            digits = all(str(cell).strip().isdecimal() for cell in column.cells)
            if column.differs_everywhere() and digits:
                said.append(
                    "a different whole number in every row; if it is an id, "
                    f"{flag('drop', column.name)}"
                )
            elif column.named_like_id() and column.n_different > _LEAST_ROWS:
                said.append(
                    "it is called like an id; if it is one, "
                    f"{flag('drop', column.name)}"
                )
        return said

    def json_pattern(self, digits: int) -> str | None:
        """As `ColumnKind.json_pattern`."""
        point, group = (",", r"\.") if self.decimal == "," else (r"\.", ",")
        whole = rf"([0-9]{{1,{digits}}}"
        if digits > 5:
            whole += rf"|[1-9][0-9]{{0,2}}({group}[0-9]{{3}}){{1,{digits // 3 - 1}}}"
        return rf"^{_BLANKS}[+-]?{whole})({point}[0-9]*)?{_BLANKS}[€$£¥%]?{_BLANKS}$"

    def example(self, middle: Any, words: Any) -> Any:
        """As `ColumnKind.example`."""
        return middle


@dataclass(frozen=True)
class Words(ColumnKind):
    """Categories.

    Attributes
    ----------
    boolean : bool
        Whether true, TRUE and WAHR are one word.
    """

    boolean: bool = False

    def read(self, values: Any, tokens: Any = frozenset()) -> Any:
        """As `ColumnKind.read`."""
        return words_of(values, self.boolean, tokens), np.zeros(len(values), bool)

    def read_row_cells(self, cells: Any, tokens: Any = frozenset()) -> Any:
        """As `ColumnKind.read_row_cells`."""
        words = np.empty(len(cells), object)
        words[:] = [
            np.nan if cell is None else word_of(cell, self.boolean, tokens)
            for cell in cells
        ]
        return words, np.zeros(len(cells), bool)

    def typed_kinds(self, name: Any) -> Any:
        """As `ColumnKind.typed_kinds`."""
        return {name: "nominal"}

    def why_id(self, column: Any) -> Any:
        """As `ColumnKind.why_id`."""
        if column.differs_everywhere():
            return "it has a different text in every row, like an identifier"
        return ""

    def remarks(self, column: Any, flag: Any) -> Any:
        """As `ColumnKind.remarks`."""
        if column.overridden() or isinstance(column.values.dtype, pd.CategoricalDtype):
            return []
        said = []
        if not pd.api.types.is_bool_dtype(column.values):
            odd = almost(column.values, column.tokens)
            if odd is not None:
                what, wrong = odd
                first = int(wrong.argmax())
                cell = str(column.values.iloc[first])[:40]
                said.append(
                    f"it is read as words, since {wrong.sum()} of its cells are no "
                    f"{what}, the first {cell!r} in row {first + 1}; correct them, or "
                    f"{flag('missing', cell)}"
                )
            elif not read_numbers(column.values, ".", column.tokens)[1].any():
                said.append(
                    "digits with leading zeros are a code, read as words; if they are "
                    f"numbers, {flag('number', column.name)}"
                )
        if column.n_different > MOST_WORDS:
            said.append(
                f"{column.n_different} different words; if they identify rows, "
                f"{flag('drop', column.name)}"
            )
        return said


@dataclass(frozen=True)
class Text(Words):
    """Free text: components of its n-grams are features, see `TextComponents`."""

    needed: ClassVar[str] = "a text"
    json_types: ClassVar[tuple[str, ...]] = ("string",)

    def typed_kinds(self, name: Any) -> Any:
        """As `ColumnKind.typed_kinds`."""
        return {name: "text"}

    def why_id(self, column: Any) -> Any:
        """As `ColumnKind.why_id`: texts differ, but share words."""
        return ""

    def remarks(self, column: Any, flag: Any) -> Any:
        """As `ColumnKind.remarks`."""
        return [
            f"free text with {column.n_different} distinct values; if these are "
            f"categories, {flag('nominal', column.name)}"
        ]

    def example(self, middle: Any, words: Any) -> Any:
        """As `ColumnKind.example`."""
        return "a short text"


@dataclass(frozen=True)
class Date(ColumnKind):
    """Dates, perhaps with times.

    Attributes
    ----------
    order : {"ymd", "dmy", "mdy"}
        Which comes first if the year does not.
    hours : bool
        Whether the time of day is a feature.
    """

    order: Order = "ymd"
    hours: bool = False
    needed: ClassVar[str] = "a date"
    json_types: ClassVar[tuple[str, ...]] = ("string",)
    json_formats: ClassVar[tuple[str, ...]] = ("date", "date-time")

    def read(self, values: Any, tokens: Any = frozenset()) -> Any:
        """As `ColumnKind.read`."""
        return read_moments(values, self.order, tokens)

    def read_row_cells(self, cells: Any, tokens: Any = frozenset()) -> Any:
        """As `ColumnKind.read_row_cells`."""
        moments, wrong = read_cells(
            cells, lambda cell: cell_moment(cell, self.order), tokens
        )
        return np.array(moments, "datetime64[s]"), wrong

    def typed_kinds(self, name: Any) -> Any:
        """As `ColumnKind.typed_kinds`."""
        none = np.empty(0, "datetime64[s]")
        return {f"{name} ({part})": "number" for part in date_parts(none, self.hours)}

    def typed_columns(self, name: Any, typed: Any) -> Any:
        """As `ColumnKind.typed_columns`."""
        parts = date_parts(typed, self.hours)
        return {f"{name} ({part})": values for part, values in parts.items()}

    def remarks(self, column: Any, flag: Any) -> Any:
        """As `ColumnKind.remarks`."""
        far = [
            cell
            for cell in column.cells
            if np.isnat(cell_moment(cell, self.order) or np.datetime64(0, "s"))
        ]
        said = []
        if far:
            said.append(
                f"{far[0]} and {len(far) - 1} other dates are implausible and read as "
                "missing"
                if len(far) > 1
                else f"{far[0]} is implausible and read as missing"
            )
        if (
            column.has_an_order_override()
            or not holds_texts(column.values)
            or len(own_orders(column.values)) < 2
        ):
            return said
        other, now = ("mdy", "day") if self.order == "dmy" else ("dmy", "month")
        example = next(
            (cell for cell in column.cells if read_date(str(cell), "dmy")
             != read_date(str(cell), "mdy")), column.cells[0],
        )  # fmt: skip
        return [
            *said,
            f"{example} is read with the {now} first; if that is wrong, "
            f"{flag('date', column.name, other)}",
        ]

    def monitored(self, name: Any) -> Any:
        """As `ColumnKind.monitored`: the other parts follow from the day."""
        return {next(iter(self.typed_kinds(name))): (name, date_of_days)}

    def example(self, middle: Any, words: Any) -> Any:
        """As `ColumnKind.example`."""
        return "2024-12-31"


@dataclass(frozen=True)
class Duration(ColumnKind):
    """Durations and times of day such as 1:30:00, in hours."""

    needed: ClassVar[str] = "a duration such as 1:30:00"
    json_types: ClassVar[tuple[str, ...]] = ("string",)

    def read(self, values: Any, tokens: Any = frozenset()) -> Any:
        """As `ColumnKind.read`."""
        if pd.api.types.is_timedelta64_dtype(values):
            hours = values.dt.total_seconds().to_numpy(float, na_value=np.nan) / 3600
            return hours, np.zeros(len(values), bool)
        codes, cells = pd.factorize(values.astype(object))
        hours, wrong = self.read_row_cells(cells.tolist(), tokens)
        return np.append(hours, np.nan)[codes], np.append(wrong, False)[codes]

    def read_row_cells(self, cells: Any, tokens: Any = frozenset()) -> Any:
        """As `ColumnKind.read_row_cells`."""
        hours, wrong = read_cells(cells, cell_hours, tokens)
        return np.array([np.nan if value is None else value for value in hours]), wrong

    def typed_kinds(self, name: Any) -> Any:
        """As `ColumnKind.typed_kinds`."""
        return {f"{name} (hours)": "number"}

    def typed_columns(self, name: Any, typed: Any) -> Any:
        """As `ColumnKind.typed_columns`."""
        return {f"{name} (hours)": typed}

    def json_pattern(self, digits: int) -> str | None:
        """As `ColumnKind.json_pattern`."""
        clock = r"[+-]?[0-9]{1,4}:[0-5][0-9](:[0-5][0-9]([.,][0-9]+)?)?"
        return rf"^{_BLANKS}([+-]?[0-9]{{1,4}} days?,? ?)?{clock}{_BLANKS}$"

    def example(self, middle: Any, words: Any) -> Any:
        """As `ColumnKind.example`."""
        return "1:30:00"


KINDS: dict[Kind, ColumnKind] = {
    "number": Number(),
    "number, decimal comma": Number(","),
    "nominal": Words(),
    "boolean": Words(boolean=True),
    "date": Date(),
    "date, day first": Date("dmy"),
    "date, month first": Date("mdy"),
    "date and time": Date(hours=True),
    "date and time, day first": Date("dmy", hours=True),
    "date and time, month first": Date("mdy", hours=True),
    "duration": Duration(),
    "text": Text(),
}
KIND_OF: dict[ColumnKind, Kind] = {kind: name for name, kind in KINDS.items()}


def feature_kinds(kinds: Mapping[str, Kind]) -> dict[str, Typed]:
    """The typed columns of a table, and what they hold."""
    typed: dict[str, Typed] = {}
    for name, kind in kinds.items():
        typed |= KINDS[kind].typed_kinds(name)
    return typed


# Recognising a kind.


@dataclass(frozen=True)
class Sample:
    """A raw column whose kind is to be recognised.

    Attributes
    ----------
    values : Series
    cells : list
        The different cells that are not missing.
    texts : list of str
        The same as text.
    tokens : frozenset of str
        Cells to treat as missing.
    """

    values: pd.Series
    cells: list[Any]
    texts: list[str]
    tokens: frozenset[str]


def _by_type(sample: Sample) -> ColumnKind | None:
    """Columns that have types already."""
    values, dtype = sample.values, sample.values.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        are_booleans = bool(sample.texts) and _are_booleans(sample)
        return Words(boolean=bool(are_booleans))
    if pd.api.types.is_datetime64_any_dtype(values) or isinstance(
        dtype, pd.PeriodDtype
    ):
        return Date()
    if pd.api.types.is_timedelta64_dtype(values):
        return Duration()
    if pd.api.types.is_bool_dtype(values):
        return Words(boolean=True)
    cells = sample.cells
    if cells and all(isinstance(cell, datetime.date) for cell in cells):
        return Date()
    return None


def _numbers(sample: Sample) -> ColumnKind | None:
    if not pd.api.types.is_numeric_dtype(sample.values) and (
        read_numbers(sample.values, ".", sample.tokens)[1].any()
    ):
        return None
    return kind_of_numbers(sample.texts)


def _are_booleans(sample: Sample) -> bool:
    return {*map(as_boolean, sample.texts)} <= {"True", "False"}


def _booleans(sample: Sample) -> ColumnKind | None:
    return Words(boolean=True) if sample.texts and _are_booleans(sample) else None


def _dates(sample: Sample) -> ColumnKind | None:
    return Date() if sample.texts and possible_orders(sample.texts) else None


def _durations(sample: Sample) -> ColumnKind | None:
    are_hours = (cell_hours(cell) is not None for cell in sample.cells)
    return Duration() if sample.cells and all(are_hours) else None


def _texts(sample: Sample) -> ColumnKind | None:
    """Many different cells, most of them of several words."""
    n_rows = int(sample.values.notna().sum())
    if not max(_LEAST_TEXTS, n_rows / _REPEATED) < len(sample.texts):
        return None
    n_words = np.median([len(text.split()) for text in sample.texts])
    return Text() if n_words >= _TEXT_WORDS else None


# The first that recognises a column decides; others are words.
RECOGNISERS = (_by_type, _numbers, _booleans, _dates, _durations, _texts)


def recognise(values: pd.Series, tokens: frozenset[str]) -> ColumnKind:
    """What a column holds; decimal separator and order of dates are left open."""
    cells = present_cells(values, tokens)
    sample = Sample(values, cells, [str(cell).strip() for cell in cells], tokens)
    for recogniser in RECOGNISERS:
        kind = recogniser(sample)
        if kind is not None:
            return kind
    return Words()


def kind_of_numbers(texts: list[str]) -> ColumnKind:
    """What different cells are that can all be read as numbers."""
    if _are_codes(texts):
        return Words()
    return Date() if _are_compact_dates(texts) else Number()


def present_cells(values: pd.Series, tokens: frozenset[str]) -> list[Any]:
    """The different cells of a column that are not missing."""
    cells = values.dropna().unique().tolist()
    return [cell for cell in cells if not says_nothing(str(cell).strip(), tokens)]


def _are_codes(texts: list[str]) -> bool:
    """Digits with leading zeros, all of one length: postal codes and the like."""
    sizes = {len(text) for text in texts}
    return (
        len(sizes) == 1
        and min(sizes) >= _CODE_DIGITS
        and all(text.isdecimal() for text in texts)
        and any(text.startswith("0") for text in texts)
        and len(texts) > 1
    )


def _are_compact_dates(texts: list[str]) -> bool:
    texts = [text.removesuffix(".0") for text in texts]
    return (
        len(texts) >= _LEAST_DATES
        and all(len(text) == 8 for text in texts)
        and bool(possible_orders(texts))
    )


def holds_texts(values: pd.Series) -> bool:
    """Whether cells may be texts; numbers and moments have types of their own."""
    return not (
        pd.api.types.is_numeric_dtype(values)
        or pd.api.types.is_datetime64_any_dtype(values)
        or isinstance(values.dtype, pd.PeriodDtype)
    )


def own_orders(values: pd.Series) -> list[Order]:
    """In which orders the texts of a column of dates can be meant."""
    texts = [str(cell).strip() for cell in present_cells(values, frozenset())]
    return possible_orders(texts)


def dated(
    values: pd.Series,
    usual: Order | None,
    override: Order | None,
    tokens: frozenset[str],
) -> Date:
    """How the dates of a column are written.

    Parameters
    ----------
    usual : {"dmy", "mdy", "ymd"} or None
        The order in other columns.
    override : {"dmy", "mdy", "ymd"} or None
        The order that the user has passed.
    """
    orders = own_orders(values) if holds_texts(values) else []
    if override is not None:
        order: Order = override
    elif len(orders) == 1 or not orders:
        order = orders[0] if orders else "ymd"
    else:
        pointed = values.dropna().astype(str).str.contains(".", regex=False).any()
        order = usual or ("dmy" if pointed else "mdy")
    kind = Date(order)
    return replace(kind, hours=has_hours(kind.read(values, tokens)[0]))


def almost(values: pd.Series, tokens: frozenset[str]) -> tuple[str, np.ndarray] | None:
    """Whether most cells are numbers or dates: which, and where they are not."""
    numbers, no_number = read_numbers(values, ".", tokens)
    there = no_number | ~np.isnan(numbers)
    for what, wrong in (
        ("numbers", no_number),
        ("dates", read_moments(values, "dmy", tokens)[1]),
    ):
        if 0 < wrong.sum() <= 0.1 * there.sum():
            return what, wrong
    return None

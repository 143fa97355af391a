"""What the columns of a raw table hold, as a person would read them."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from softcost.cli.inputs._columns import as_boolean
from softcost.cli.inputs._dates import has_hours, possible_orders, read_moments
from softcost.cli.inputs._kinds import (
    KIND_OF,
    KINDS,
    Kind,
    Order,
    Reading,
    says_nothing,
)
from softcost.cli.inputs._numbers import Decimal, read_numbers
from softcost.cli.inputs._plain import PlainColumn, decimal_counts, plain_columns

_LEAST_DATES = 3  # different ones, before whole numbers such as 20240131 are dates
_CODE_DIGITS = 3


@dataclass(frozen=True)
class Asked:
    """What the user has said of columns, by name.

    Attributes
    ----------
    nominal, number : frozenset of str
    dates : mapping of str to order or None
    decimal : {".", ","} or None
    tokens : frozenset of str
        Cells that say nothing.
    """

    nominal: frozenset[str] = frozenset()
    number: frozenset[str] = frozenset()
    dates: Mapping[str, Order | None] = field(default_factory=dict)
    decimal: Decimal | None = None
    tokens: frozenset[str] = frozenset()

    def names(self) -> set[str]:
        """Columns of which the user has said what they hold."""
        return {*self.nominal, *self.number, *self.dates}


def find_kinds(
    frame: pd.DataFrame,
    asked: Asked | None = None,
    plain: Mapping[str, PlainColumn] | None = None,
) -> dict[str, Kind]:
    """What each column holds.

    A column holds numbers or dates if every cell that says something is one. What a
    column leaves open, 1.234 or 3/4/2024, is read as the other columns suggest.

    Parameters
    ----------
    plain : mapping of name and PlainColumn, default=None
        What `plain_columns` has found in the frame, where that is known.
    """
    asked = Asked() if asked is None else asked
    plain = plain_columns(frame, asked.tokens) if plain is None else plain
    readings, counts = {}, {}
    for name in map(str, frame.columns):
        if name in plain and name not in asked.names():
            readings[name] = _reading_of_numbers(
                [one.strip() for one in plain[name].cells]
            )
        else:
            readings[name] = _reading(frame[name], name, asked)
        if readings[name].what == "number":
            if name in plain:
                counts[name] = plain[name].decimal_counts
            elif not pd.api.types.is_numeric_dtype(frame[name]):
                counts[name] = _decimal_counts(frame[name])
    decimal = asked.decimal or _usual_decimal(frame, counts)
    order = _usual_order(frame, readings)
    found: dict[str, Kind] = {}
    for name, reading in readings.items():
        if reading.what == "number":
            said = said_decimal(counts[name]) if name in counts else "."
            own = asked.decimal or said or decimal
            reading = replace(reading, decimal=own if own else ".")
        elif reading.what == "date":
            reading = _dated(frame[name], name, reading, order, asked)
        found[name] = KIND_OF[reading]
    return found


def _reading(values: pd.Series, name: str, asked: Asked) -> Reading:
    """Numbers, dates or words; which decimal and order is decided by all columns."""
    if name in asked.nominal:
        return KINDS["nominal"]
    if name in asked.number:
        return KINDS["number"]
    if name in asked.dates or pd.api.types.is_datetime64_any_dtype(values):
        return KINDS["date"]
    cells = said_cells(values, asked.tokens)
    if pd.api.types.is_bool_dtype(values):
        return KINDS["boolean"]
    if len(cells) and all(isinstance(cell, datetime.date) for cell in cells):
        return KINDS["date"]
    texts = [str(cell).strip() for cell in cells]
    if _are_numbers(values, asked.tokens):
        return _reading_of_numbers(texts)
    if texts and {*map(as_boolean, texts)} <= {"True", "False"}:
        return KINDS["boolean"]
    if texts and possible_orders(texts):
        return KINDS["date"]
    return KINDS["nominal"]


def _reading_of_numbers(texts: list[str]) -> Reading:
    """What different cells are that can all be read as numbers."""
    if _are_codes(texts):
        return KINDS["nominal"]
    return KINDS["date"] if _are_compact_dates(texts) else KINDS["number"]


def said_cells(values: pd.Series, tokens: frozenset[str]) -> list[Any]:
    """The different cells of a column that say something."""
    cells = values.dropna().unique().tolist()
    return [cell for cell in cells if not says_nothing(str(cell).strip(), tokens)]


def _are_numbers(values: pd.Series, tokens: frozenset[str]) -> bool:
    if pd.api.types.is_numeric_dtype(values):
        return True
    return not read_numbers(values, ".", tokens)[1].any()


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


def own_decimal(values: pd.Series) -> Decimal | None:
    """What a column itself says on points and commas; None where it leaves it open."""
    if pd.api.types.is_numeric_dtype(values):
        return "."
    return said_decimal(_decimal_counts(values))


def said_decimal(counts: Mapping[Any, int]) -> Decimal | None:
    """What evidence says on points and commas; None where it leaves it open."""
    if counts["."] == counts[","] == 0:
        return None if counts["either"] else "."
    return "," if counts[","] > counts["."] else "."


def _decimal_counts(values: pd.Series) -> Mapping[Any, int]:
    return decimal_counts(values.dropna().unique().tolist())


def _usual_decimal(
    frame: pd.DataFrame, by_column: Mapping[str, Mapping[Any, int]]
) -> Decimal:
    """What most columns say; if none does, a comma where semicolons part the cells."""
    points = commas = 0
    for counts in by_column.values():
        points += counts["."] > counts[","]
        commas += counts[","] > counts["."]
    if points == commas:
        return "," if frame.attrs.get("separator") == ";" else "."
    return "," if commas > points else "."


def holds_texts(values: pd.Series) -> bool:
    """Whether cells may be texts; numbers and moments have types of their own."""
    numeric = pd.api.types.is_numeric_dtype(values)
    return not numeric and not pd.api.types.is_datetime64_any_dtype(values)


def own_orders(values: pd.Series) -> list[Order]:
    """In which orders the texts of a column of dates can be meant."""
    texts = [str(cell).strip() for cell in said_cells(values, frozenset())]
    return possible_orders(texts)


def _usual_order(frame: pd.DataFrame, readings: Mapping[str, Reading]) -> Order | None:
    for name, reading in readings.items():
        if reading.what == "date" and holds_texts(frame[name]):
            left = own_orders(frame[name])
            if len(left) == 1 and left[0] != "ymd":
                return left[0]
    return None


def _dated(
    values: pd.Series, name: str, reading: Reading, usual: Order | None, asked: Asked
) -> Reading:
    given = asked.dates.get(name)
    left = own_orders(values) if holds_texts(values) else []
    if given is not None:
        order: Order = given
    elif len(left) == 1 or not left:
        order = left[0] if left else "ymd"
    else:
        pointed = values.dropna().astype(str).str.contains(".", regex=False).any()
        order = usual or ("dmy" if pointed else "mdy")
    moments, _ = read_moments(values, order, asked.tokens)
    return replace(reading, order=order, hours=has_hours(moments))


def almost(values: pd.Series, asked: Asked) -> tuple[str, np.ndarray] | None:
    """Whether most cells are numbers or dates: which, and where they are not."""
    numbers, no_number = read_numbers(values, ".", asked.tokens)
    there = no_number | ~np.isnan(numbers)
    for what, wrong in (
        ("numbers", no_number),
        ("dates", read_moments(values, "dmy", asked.tokens)[1]),
    ):
        if 0 < wrong.sum() <= 0.1 * there.sum():
            return what, wrong
    return None

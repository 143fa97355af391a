"""Dates as people write them, and the numbers that models learn from.

A date becomes a few numbers: the day as a number (days since 1970, with the time of
day), month, day of the month and weekday, and the hour where the rows that the model
was fitted to had times. Time zones are left aside: the clock is the one of the cell.
"""

import datetime
import re
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from softcost.cli.inputs._kinds import Order, Reading, says_nothing

PARTS = ("days", "month", "day of month", "weekday")

_TIME = r"(?:[T ]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?)?"
_ZONE = r"(?: ?Z| ?UTC| ?[+-]\d{2}:?\d{2})?"
_YEAR_FIRST = re.compile(rf"(\d{{4}})([-/.])(\d{{1,2}})\2(\d{{1,2}}){_TIME}{_ZONE}")
_YEAR_LAST = re.compile(
    rf"(\d{{1,2}})([-/.])(\d{{1,2}})\2(\d{{4}}|\d{{2}}),?{_TIME}{_ZONE}"
)
_COMPACT = re.compile(r"(1[89]|20)\d{6}")
_FIRST, _LAST = 1800, 2200  # years of dates; other texts are something else
_SECONDS = 86_400


def read_date(text: str, order: Order) -> datetime.datetime | None:
    """The date that a person sees in a text; None where there is none.

    Examples
    --------
    >>> read_date("31.12.2024", "dmy") == read_date("2024-12-31", "dmy")
    True
    >>> read_date("31.12.2024", "mdy") is None
    True
    """
    found = _YEAR_FIRST.fullmatch(text)
    if found:
        year, _, month, day, *clock = found.groups()
    elif _COMPACT.fullmatch(text):
        year, month, day, *clock = text[:4], text[4:6], text[6:], "", "", ""
    else:
        found = _YEAR_LAST.fullmatch(text)
        if not found or order == "ymd":
            return None
        first, _, second, year, *clock = found.groups()
        day, month = (first, second) if order == "dmy" else (second, first)
        if len(year) == 2:
            year = f"{'19' if int(year) >= 70 else '20'}{year}"
    try:
        date = datetime.date(int(year), int(month), int(day))
        hour, minute, second = (int(one or 0) for one in clock)
        time = datetime.time(hour, minute, second)
    except ValueError:
        return None
    moment = datetime.datetime.combine(date, time)
    return moment if _FIRST <= moment.year < _LAST else None


def possible_orders(texts: Iterable[str]) -> list[Order]:
    """In which orders all texts are dates; the year first alone where that is so."""
    left: list[Order] = ["ymd", "dmy", "mdy"]
    for text in texts:
        left = [order for order in left if read_date(text, order) is not None]
        if not left:
            break
    return left[:1] if "ymd" in left else left


def read_moments(
    values: pd.Series, order: Order, tokens: frozenset[str] = frozenset()
) -> tuple[np.ndarray, np.ndarray]:
    """Moments of a raw column as seconds, NaT for none, and which cells are no dates.

    Returns
    -------
    moments : array of datetime64[s], shape (n,)
    wrong : boolean array of shape (n,)
    """
    if pd.api.types.is_datetime64_any_dtype(values):
        clock = values.dt.tz_localize(None)
        return clock.to_numpy("datetime64[s]"), np.zeros(len(values), bool)
    codes, cells = pd.factorize(values.astype(object))
    moments = np.full(len(cells) + 1, "NaT", "datetime64[s]")
    wrong = np.zeros(len(cells) + 1, bool)
    for place, cell in enumerate(cells):
        found = _cell_moment(cell, order)
        if found is not None:
            moments[place] = found
        else:
            wrong[place] = not says_nothing(str(cell).strip(), tokens)
    return moments[codes], wrong[codes]


def _cell_moment(cell: Any, order: Order) -> np.datetime64 | None:
    if isinstance(cell, datetime.datetime):
        moment: datetime.datetime | None = cell.replace(tzinfo=None)
    elif isinstance(cell, datetime.date):
        moment = datetime.datetime(cell.year, cell.month, cell.day)
    else:
        if isinstance(cell, float) and cell.is_integer():
            cell = int(cell)
        moment = read_date(str(cell).strip(), order)
    return None if moment is None else np.datetime64(moment, "s")


def has_hours(moments: np.ndarray) -> bool:
    """Whether any moment is not midnight."""
    there = moments[~np.isnat(moments)].astype(np.int64)
    return bool((there % _SECONDS != 0).any())


def date_features(
    name: str, moments: np.ndarray, reading: Reading
) -> dict[str, np.ndarray]:
    """The numbers that a column of dates becomes, NaN where there is no date."""
    none = np.isnat(moments)
    seconds = np.where(none, 0, moments.astype(np.int64))
    safe = seconds.astype("datetime64[s]")
    months, days = safe.astype("datetime64[M]"), safe.astype("datetime64[D]")
    found = {
        "days": seconds / _SECONDS if reading.hours else seconds // _SECONDS,
        "month": months.astype(np.int64) % 12 + 1,
        "day of month": (days - months.astype("datetime64[D]")).astype(np.int64) + 1,
        "weekday": (days.astype(np.int64) + 3) % 7,  # Monday is 0
    }
    if reading.hours:
        found["hour"] = seconds % _SECONDS / 3600
    return {
        f"{name} ({part})": np.where(none, np.nan, values.astype(float))
        for part, values in found.items()
    }


def date_of_days(days: float) -> str:
    """The date of the first of its numbers.

    Examples
    --------
    >>> date_of_days(19723.0)
    '2024-01-01'
    """
    return str(np.datetime64(int(days // 1), "D"))


def date_feature_names(name: str, reading: Reading) -> list[str]:
    """How `date_features` calls them."""
    parts = (*PARTS, "hour") if reading.hours else PARTS
    return [f"{name} ({part})" for part in parts]

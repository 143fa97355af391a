"""What a column can hold, and how its cells are read.

A kind is one of a few words, which travel with a model in its notes: rows to predict
are read exactly as those that the model was fitted to.
"""

import datetime
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, Literal

import numpy as np
import pandas as pd

Kind = str  # the name of a kind of column, see `softcost.tables.KINDS`
Order = Literal["ymd", "dmy", "mdy"]

LARGEST = 1e150  # differences and squares of larger numbers are not finite

# Cells that say nothing. Among words, and above all among classes, a dash or "none" is
# a word like another; among numbers and dates it can only mean that there is none.
MISSING = frozenset(["", "?", "NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL"])
_NONE_AMONG_NUMBERS = frozenset(
    ["-", "--", "---", "\N{EN DASH}", "\N{EM DASH}", ".", "..", "n/a", "na", "n.a.",
     "none", "nat", "<na>", "null", "nil", "nan", "missing", "unknown", "k.a.",
     "k. a.", "#n/a", "#na", "#div/0!", "#value!", "#wert!", "#ref!", "#bezug!",
     "#num!", "#zahl!", "#name?", "#null!"]
)  # fmt: skip


def says_nothing(text: str, tokens: frozenset[str] = frozenset()) -> bool:
    """Whether a cell among numbers or dates means that there is none.

    Parameters
    ----------
    tokens : frozenset of str
        Of the user's own.
    """
    return text in MISSING or text.lower() in _NONE_AMONG_NUMBERS or text in tokens


def missing_texts(tokens: frozenset[str] = frozenset()) -> list[str]:
    """The texts for which `says_nothing` holds, in the usual spellings."""
    usual = (
        spelling
        for text in _NONE_AMONG_NUMBERS
        for spelling in (text, text.upper(), text.capitalize())
    )
    return sorted({*MISSING, *usual, *tokens})


# Words.


_BOOLEANS = {
    "true": "True", "false": "False", "wahr": "True", "falsch": "False",
    "vrai": "True", "faux": "False",
}  # fmt: skip


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
    words = np.empty(len(cells) + 1, dtype=object)
    words[:] = [*(word_of(cell, boolean, tokens) for cell in cells), np.nan]
    return words[codes]


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


def read_cells(
    cells: Sequence[Any], read: Callable[[Any], Any], tokens: frozenset[str]
) -> tuple[list[Any], np.ndarray]:
    """Values of cells, None for missing ones, and which cells cannot be read.

    Parameters
    ----------
    read : callable
        From a cell to its value; None if it has none.
    """
    values, wrong = [], np.zeros(len(cells), bool)
    for at, cell in enumerate(cells):
        missing = cell is None or cell is pd.NaT or cell is pd.NA or cell != cell
        value = None if missing else read(cell)
        values.append(value)
        if value is None and not missing:
            wrong[at] = not says_nothing(str(cell).strip(), tokens)
    return values, wrong


# Numbers as people write them: 1.234,50 €, 12 %, (3), 5-, 1 000 and 1e-3.


Decimal = Literal[".", ","]

_BLANK = re.compile("[ \t\u00a0\u2007\u2009\u202f'\u2019]")
_CODES = "EUR|USD|CHF|GBP|JPY|CNY|SEK|NOK|DKK|PLN|CZK|CAD|AUD|INR|BRL"
_MARK = re.compile(rf"[€$£¥₹%‰]|{_CODES}")
_PLAIN = {
    ".": re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"),
    ",": re.compile(r"[+-]?(\d+,?\d*|,\d+)([eE][+-]?\d+)?"),
}
_GROUPED = {
    ".": re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?"),
    ",": re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3})+(,\d*)?"),
}
_POINTED = re.compile(r"[+-]?(\d+\.\d*|\.\d+)", re.ASCII)
_OTHER: dict[Decimal, Decimal] = {".": ",", ",": "."}
_SPACED = re.compile(rf"\d{{1,3}}({_BLANK.pattern}\d{{3}})+([.,]\d*)?-?")


def read_number(
    text: str, decimal: Decimal = ".", strict: bool = False
) -> float | None:
    """The number that a person sees in a text; None where there is none.

    Most texts can be meant in one way only; ``decimal`` decides on the others, which
    have one separator and three digits behind it. If ``strict``, a text that can only
    be meant with the other decimal separator is not a number.

    Examples
    --------
    >>> [read_number(text) for text in ("12,5 %", "1.234,50 EUR", "(3)", "5-")]
    [12.5, 1234.5, -3.0, -5.0]
    >>> read_number("1,234"), read_number("1,234", decimal=",")
    (1234.0, 1.234)
    >>> read_number("12 apples") is None
    True
    """
    plain = _bare(text)
    if plain is None:
        return None
    sign = 1.0
    if plain.startswith("(") and plain.endswith(")"):
        sign, plain = -1.0, plain[1:-1]
    elif plain.endswith("-") and plain[:1].isdigit():
        sign, plain = -1.0, plain[:-1]
    for way in (decimal,) if strict else (decimal, _OTHER[decimal]):
        if _PLAIN[way].fullmatch(plain):
            return sign * float(plain.replace(",", "."))
        if _GROUPED[way].fullmatch(plain):
            return sign * float(plain.replace(_OTHER[way], "").replace(",", "."))
    return None


def _bare(text: str) -> str | None:
    """Without currency, percent sign and blanks between groups of digits."""
    text = _MARK.sub("", text.replace("\u2212", "-"), count=1).strip()
    sign = text[:1] if text[:1] in ("+", "-") else ""
    rest = text[len(sign) :].lstrip()
    if _BLANK.search(rest):
        if not _SPACED.fullmatch(rest):
            return None
        rest = _BLANK.sub("", rest)
    return sign + rest if rest.isascii() else None


def marks_of(texts: Iterable[str]) -> Counter[str]:
    """How many texts have which currency or percent sign; "" for none."""
    marks = ((_MARK.search(text) or [""])[0] for text in texts)
    return Counter(str(mark) for mark in marks)


def decimal_evidence(texts: Iterable[str]) -> dict[Decimal | Literal["either"], int]:
    """How many texts can only be meant with a point, with a comma, or either way."""
    counts: dict[Any, int] = {".": 0, ",": 0, "either": 0}
    for text in texts:
        if _POINTED.fullmatch(text):  # most of them, at once
            counts["either" if _GROUPED[","].fullmatch(text) else "."] += 1
            continue
        point, comma = read_number(text, "."), read_number(text, ",")
        if point != comma:
            counts["either"] += 1
        elif point is not None:
            bare = _bare(text) or ""
            last = max(bare.rfind("."), bare.rfind(","))
            if last >= 0:
                mark: Any = bare[last]
                grouped = bare.count(mark) > 1
                counts[_OTHER[mark] if grouped else mark] += 1
    return counts


def read_numbers(
    values: pd.Series,
    decimal: Decimal,
    tokens: frozenset[str] = frozenset(),
    strict: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of a raw column, NaN where there is none, and which cells are no numbers.

    Returns
    -------
    numbers : array of shape (n,)
    wrong : boolean array of shape (n,)
    """
    if isinstance(values.dtype, pd.CategoricalDtype):
        values = values.astype(object)
    if pd.api.types.is_numeric_dtype(values):
        numbers = values.to_numpy(dtype=float, na_value=np.nan, copy=True)
        if tokens:
            coded = [read_number(token) for token in tokens]
            numbers[
                np.isin(numbers, [number for number in coded if number is not None])
            ] = np.nan
        return numbers, np.zeros(len(numbers), bool)
    numbers = np.full(len(values), np.nan)
    if decimal == ".":  # plain numbers, fast
        plain = values
        if values.dtype == object and bool in {*map(type, values.tolist())}:
            plain = values.where(~values.map(lambda cell: isinstance(cell, bool)))
        # Whole numbers of hundreds of digits overflow; they are read below.
        with suppress(OverflowError):
            plain = pd.to_numeric(plain, errors="coerce")
            numbers = plain.to_numpy(float, na_value=np.nan, copy=True)
    left = np.isnan(numbers)
    if tokens:
        left |= values.isin(tokens).to_numpy()
    if not left.any():  # at once: tables may have thousands of columns
        return numbers, left
    # As an array: an index of whole numbers of hundreds of digits overflows.
    codes, cells = pd.factorize(values[left].to_numpy(object))
    parsed = [cell_number(cell, decimal, tokens, strict) for cell in cells]
    numbers[left] = np.array(
        [*(np.nan if value is None else value for value in parsed), np.nan]
    )[codes]
    wrong = np.zeros(len(values), bool)
    wrong[left] = np.array([*(value is None for value in parsed), False])[codes]
    return numbers, wrong


def cell_number(
    cell: Any, decimal: Decimal, tokens: frozenset[str], strict: bool = False
) -> float | None:
    """The number in a cell: NaN if the cell is missing, None if it is not a number."""
    if isinstance(cell, int | float) and not isinstance(cell, bool):
        try:
            return np.nan if str(cell) in tokens else float(cell)
        except (OverflowError, ValueError):  # a whole number of hundreds of digits
            return np.inf
    if not isinstance(cell, str):
        return None
    text = cell.strip()
    if says_nothing(text, tokens):
        return np.nan
    number = read_number(text, decimal, strict)
    if number is None and text.lower().lstrip("+-") in ("inf", "infinity"):
        return float(text)  # to be refused by its size
    return number


# Dates as people write them, and the numbers that models learn from.
#
# A date becomes a few numbers: the day as a number (days since 1970, with the time of
# day), month, day of the month and weekday, and the hour where the rows that the model
# was fitted to had times. Time zones are left aside: the clock is the one of the cell.


_TIME = r"(?:[T ]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?)?"
_ZONE = r"(?: ?Z| ?UTC| ?[+-]\d{2}:?\d{2})?"
_YEAR_FIRST = re.compile(rf"(\d{{4}})([-/.])(\d{{1,2}})\2(\d{{1,2}}){_TIME}{_ZONE}")
_YEAR_LAST = re.compile(
    rf"(\d{{1,2}})([-/.])(\d{{1,2}})\2(\d{{4}}|\d{{2}}),?{_TIME}{_ZONE}"
)
_COMPACT = re.compile(r"(1[89]|20)\d{6}")
_MONTH = re.compile(r"(1[89]\d\d|2[01]\d\d)-(\d\d)")
_QUARTER = re.compile(r"(1[89]\d\d|2[01]\d\d)-?Q([1-4])")
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
    moment = _any_date(text, order)
    return moment if moment is not None and _in_range(moment) else None


def _in_range(moment: datetime.datetime) -> bool:
    return _FIRST <= moment.year < _LAST


def _any_date(text: str, order: Order) -> datetime.datetime | None:
    """The same, of any year: 9999-12-31 often means that there is no date."""
    match = _YEAR_FIRST.fullmatch(text)
    if match:
        year, _, month, day, *clock = match.groups()
    elif _COMPACT.fullmatch(text):
        year, month, day, *clock = text[:4], text[4:6], text[6:], "", "", ""
    elif match := _MONTH.fullmatch(text):
        year, month, day, *clock = *match.groups(), "1", "", "", ""
    elif match := _QUARTER.fullmatch(text):
        year, quarter = match.groups()
        month, day, *clock = str(3 * int(quarter) - 2), "1", "", "", ""
    else:
        match = _YEAR_LAST.fullmatch(text)
        if not match or order == "ymd":
            return None
        first, _, second, year, *clock = match.groups()
        day, month = (first, second) if order == "dmy" else (second, first)
        if len(year) == 2:
            year = f"{'19' if int(year) >= 70 else '20'}{year}"
    try:
        date = datetime.date(int(year), int(month), int(day))
        hour, minute, second = (int(digits or 0) for digits in clock)
        time = datetime.time(hour, minute, second)
    except ValueError:
        return None
    return datetime.datetime.combine(date, time)


def possible_orders(texts: Iterable[str]) -> list[Order]:
    """In which orders all texts are dates; the year first alone where that is so.

    At least half of the years must be plausible: texts may be something else.
    """
    texts = list(texts)
    orders: list[Order] = ["ymd", "dmy", "mdy"]
    plausible = dict.fromkeys(orders, 0)
    for text in texts:
        for order in list(orders):
            moment = _any_date(text, order)
            if moment is None:
                orders.remove(order)
            else:
                plausible[order] += _in_range(moment)
        if not orders:
            return []
    orders = [order for order in orders if 2 * plausible[order] >= len(texts) > 0]
    return orders[:1] if "ymd" in orders else orders


def read_moments(
    values: pd.Series, order: Order, tokens: frozenset[str] = frozenset()
) -> tuple[np.ndarray, np.ndarray]:
    """Moments of a raw column as seconds, NaT for none, and which cells are no dates.

    A date before 1800 or from 2200 on is missing: such dates stand for "unknown" or
    "open-ended".

    Returns
    -------
    moments : array of datetime64[s], shape (n,)
    wrong : boolean array of shape (n,)
    """
    if isinstance(values.dtype, pd.PeriodDtype):
        values = values.dt.to_timestamp()
    if pd.api.types.is_datetime64_any_dtype(values):
        clock = values.dt.tz_localize(None).to_numpy("datetime64[s]", copy=True)
        years = clock.astype("datetime64[Y]").astype(np.int64) + 1970
        clock[(years < _FIRST) | (years >= _LAST)] = np.datetime64("NaT")
        return clock, np.zeros(len(values), bool)
    codes, cells = pd.factorize(values.astype(object))
    moments, wrong = read_cells(
        cells.tolist(), lambda cell: cell_moment(cell, order), tokens
    )
    return (
        np.array([*moments, None], "datetime64[s]")[codes],
        np.append(wrong, False)[codes],
    )


def cell_moment(cell: Any, order: Order) -> np.datetime64 | None:
    """The moment of a cell, NaT out of range; None if it is not a date."""
    if isinstance(cell, datetime.datetime):
        moment: datetime.datetime | None = cell.replace(tzinfo=None)
    elif isinstance(cell, datetime.date):
        moment = datetime.datetime(cell.year, cell.month, cell.day)
    else:
        if isinstance(cell, float) and cell.is_integer():
            cell = int(cell)
        moment = _any_date(str(cell).strip(), order)
    if moment is None:
        return None
    return np.datetime64(moment if _in_range(moment) else "NaT", "s")


def has_hours(moments: np.ndarray) -> bool:
    """Whether any moment is not midnight."""
    there = moments[~np.isnat(moments)].astype(np.int64)
    return bool((there % _SECONDS != 0).any())


def date_parts(moments: np.ndarray, hours: bool) -> dict[str, np.ndarray]:
    """The numbers that a column of dates becomes, NaN where there is no date."""
    none = np.isnat(moments)
    seconds = np.where(none, 0, moments.astype(np.int64))
    safe = seconds.astype("datetime64[s]")
    months, days = safe.astype("datetime64[M]"), safe.astype("datetime64[D]")
    parts = {
        "days": seconds / _SECONDS if hours else seconds // _SECONDS,
        "month": months.astype(np.int64) % 12 + 1,
        "day of month": (days - months.astype("datetime64[D]")).astype(np.int64) + 1,
        "weekday": (days.astype(np.int64) + 3) % 7,  # Monday is 0
    }
    if hours:
        parts["hour"] = seconds % _SECONDS / 3600
    return {
        part: np.where(none, np.nan, values.astype(float))
        for part, values in parts.items()
    }


def date_of_days(days: float) -> str:
    """The date of the first of its numbers.

    Examples
    --------
    >>> date_of_days(19723.0)
    '2024-01-01'
    """
    return str(np.datetime64(int(days // 1), "D"))


# Durations and times of day.


_HOURS = re.compile(
    r"(?:([+-]?\d+) days?,? ?)?([+-]?)(\d{1,4}):(\d{2})(?::(\d{2})([.,]\d+)?)?"
)


def cell_hours(cell: Any) -> float | None:
    """A duration or a time of day in hours; None for a cell that is neither.

    Examples
    --------
    >>> cell_hours("1:30:00"), cell_hours("2 days 06:00"), cell_hours("-0:15")
    (1.5, 54.0, -0.25)
    >>> cell_hours("1:75") is None
    True
    """
    if isinstance(cell, datetime.timedelta):
        return cell.total_seconds() / 3600
    if isinstance(cell, datetime.time):
        whole = 3600 * cell.hour + 60 * cell.minute + cell.second
        return (whole + cell.microsecond / 1e6) / 3600
    match = _HOURS.fullmatch(cell.strip()) if isinstance(cell, str) else None
    if match is None:
        return None
    days, sign, hours, minutes, seconds, fraction = match.groups()
    if int(minutes) >= 60 or int(seconds or 0) >= 60:
        return None
    total = 3600.0 * int(hours) + 60 * int(minutes) + int(seconds or 0)
    total += float((fraction or "0").replace(",", "."))
    return (86_400 * int(days or 0) + (-1 if sign == "-" else 1) * total) / 3600


# Names of columns, as a file gives them and as they are used.


Tell = Callable[[str], None]

UNNAMED = "unnamed column"


def silent(sentence: str) -> None:
    """Report nothing."""


def header_names(cells: Sequence[Any], path: str, tell: Tell = silent) -> list[str]:
    """A name of its own for every column.

    Examples
    --------
    >>> header_names(["", "a", " b ", "a"], "data.csv")
    ['unnamed column 1', 'a', 'b', 'a (2)']
    """
    plain = ["" if cell is None else str(cell).strip() for cell in cells]
    taken, names = set(plain), dict[str, None]()  # which keeps the order
    copies: Counter[str] = Counter()
    for number, name in enumerate(plain, start=1):
        name = name or f"{UNNAMED} {number}"
        unique, copies[name] = name, max(copies[name], 1)
        while unique in names or (copies[name] > 1 and unique in taken):
            copies[name] += 1
            unique = f"{name} ({copies[name]})"
        names[unique] = None
    twice = [name for name, count in Counter(plain).items() if count > 1 and name]
    for name in twice[:5]:
        tell(
            f"{path} has more than one column {name!r}; the next one is called "
            f"'{name} (2)'."
        )
    return list(names)


def is_unnamed(name: str) -> bool:
    """Whether a file gives a column no name; pandas has a word for these."""
    return name.startswith((UNNAMED, "Unnamed: ", "__index_level_"))

"""What a column can hold, and how its cells are read.

A kind is one of a few words, which travel with a model in its notes: rows to predict
are read exactly as those that the model was fitted to.
"""

import datetime
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

Kind = Literal[
    "number",
    "number, decimal comma",
    "nominal",
    "boolean",
    "date",
    "date, day first",
    "date, month first",
    "date and time",
    "date and time, day first",
    "date and time, month first",
]
Order = Literal["ymd", "dmy", "mdy"]


@dataclass(frozen=True)
class Reading:
    """How cells of a kind are read.

    Attributes
    ----------
    what : {"number", "date", "words"}
    decimal : {".", ","}
        What 1.234 and 1,234 mean; all other numbers can be meant in one way only.
    order : {"ymd", "dmy", "mdy"}
        Which comes first where the year does not.
    hours : bool
        Whether the time of day is a feature.
    boolean : bool
        Whether true, TRUE and WAHR are one word.
    """

    what: Literal["number", "date", "words"]
    decimal: Literal[".", ","] = "."
    order: Order = "ymd"
    hours: bool = False
    boolean: bool = False


KINDS: dict[Kind, Reading] = {
    "number": Reading("number"),
    "number, decimal comma": Reading("number", decimal=","),
    "nominal": Reading("words"),
    "boolean": Reading("words", boolean=True),
    "date": Reading("date"),
    "date, day first": Reading("date", order="dmy"),
    "date, month first": Reading("date", order="mdy"),
    "date and time": Reading("date", hours=True),
    "date and time, day first": Reading("date", order="dmy", hours=True),
    "date and time, month first": Reading("date", order="mdy", hours=True),
}
KIND_OF: dict[Reading, Kind] = {reading: kind for kind, reading in KINDS.items()}

# Cells that say nothing. Among words, and above all among classes, a dash or "none" is
# a word like another; among numbers and dates it can only mean that there is none.
MISSING = frozenset(["", "?", "NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL"])
_NONE_AMONG_NUMBERS = frozenset(
    ["-", "--", "---", "\N{EN DASH}", "\N{EM DASH}", ".", "..", "n/a", "na", "n.a.",
     "none", "nat", "<na>", "null", "nil", "nan", "missing", "k.a.", "k. a.", "#n/a",
     "#na", "#div/0!", "#value!", "#wert!", "#ref!", "#bezug!", "#num!", "#zahl!",
     "#name?", "#null!"]
)  # fmt: skip


def says_nothing(text: str, tokens: frozenset[str] = frozenset()) -> bool:
    """Whether a cell among numbers or dates means that there is none.

    Parameters
    ----------
    tokens : frozenset of str
        Of the user's own.
    """
    return text in MISSING or text.lower() in _NONE_AMONG_NUMBERS or text in tokens


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


def read_number(text: str, decimal: Decimal = ".") -> float | None:
    """The number that a person sees in a text; None where there is none.

    Most texts can be meant in one way only; ``decimal`` decides on the others, which
    have one separator and three digits behind it.

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
    for way in (decimal, _OTHER[decimal]):
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
    found = ((_MARK.search(text) or [""])[0] for text in texts)
    return Counter(str(one) for one in found)


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
    values: pd.Series, decimal: Decimal, tokens: frozenset[str] = frozenset()
) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of a raw column, NaN where there is none, and which cells are no numbers.

    Returns
    -------
    numbers : array of shape (n,)
    wrong : boolean array of shape (n,)
    """
    if pd.api.types.is_numeric_dtype(values):
        found = values.to_numpy(dtype=float, na_value=np.nan, copy=True)
        if tokens:
            coded = [read_number(one) for one in tokens]
            found[np.isin(found, [one for one in coded if one is not None])] = np.nan
        return found, np.zeros(len(found), bool)
    found = np.full(len(values), np.nan)
    if decimal == ".":  # plain numbers, fast
        plain = values
        if any(isinstance(cell, bool) for cell in values.tolist()):
            plain = values.where(~values.map(lambda cell: isinstance(cell, bool)))
        plain = pd.to_numeric(plain, errors="coerce")
        found = plain.to_numpy(float, na_value=np.nan, copy=True)
    left = np.isnan(found)
    if tokens:
        left |= values.isin(tokens).to_numpy()
    if not left.any():  # at once: tables may have thousands of columns
        return found, left
    codes, cells = pd.factorize(values[left])
    known = [_cell_number(one, decimal, tokens) for one in cells]
    found[left] = np.array(
        [*(np.nan if one is None else one for one in known), np.nan]
    )[codes]
    wrong = np.zeros(len(values), bool)
    wrong[left] = np.array([*(one is None for one in known), False])[codes]
    return found, wrong


def _cell_number(cell: Any, decimal: Decimal, tokens: frozenset[str]) -> float | None:
    """A number, NaN for a cell that says nothing, None for one that is no number."""
    if isinstance(cell, int | float) and not isinstance(cell, bool):
        return np.nan if str(cell) in tokens else float(cell)
    if not isinstance(cell, str):
        return None
    text = cell.strip()
    if says_nothing(text, tokens):
        return np.nan
    number = read_number(text, decimal)
    if number is None and text.lower().lstrip("+-") in ("inf", "infinity"):
        return float(text)  # to be refused by its size
    return number


# Dates as people write them, and the numbers that models learn from.
#
# A date becomes a few numbers: the day as a number (days since 1970, with the time of
# day), month, day of the month and weekday, and the hour where the rows that the model
# was fitted to had times. Time zones are left aside: the clock is the one of the cell.


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


# Names of columns, as a file gives them and as they are used.


Tell = Callable[[str], None]

UNNAMED = "unnamed column"


def silent(sentence: str) -> None:
    """Nobody is told."""


def header_names(cells: Sequence[Any], path: str, tell: Tell = silent) -> list[str]:
    """A name of its own for every column.

    Examples
    --------
    >>> header_names(["", "a", " b ", "a"], "data.csv")
    ['unnamed column 1', 'a', 'b', 'a (2)']
    """
    plain = ["" if cell is None else str(cell).strip() for cell in cells]
    given, names = set(plain), dict[str, None]()  # which keeps the order
    copies: Counter[str] = Counter()
    for number, name in enumerate(plain, start=1):
        name = name or f"{UNNAMED} {number}"
        own, copies[name] = name, max(copies[name], 1)
        while own in names or (copies[name] > 1 and own in given):
            copies[name] += 1
            own = f"{name} ({copies[name]})"
        names[own] = None
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

"""Numbers as people write them: 1.234,50 €, 12 %, (3), 5-, 1 000 and 1e-3."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
import pandas as pd

from softcost.cli.inputs._kinds import says_nothing

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

"""What is made of each column, and what looks odd about it, before any training."""

import re
import shlex
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from softcost.cli.inputs._columns import words_of
from softcost.cli.inputs._dates import read_date, read_moments
from softcost.cli.inputs._find_kinds import (
    Asked,
    almost,
    find_kinds,
    holds_texts,
    own_decimal,
    own_orders,
    said_cells,
    said_decimal,
)
from softcost.cli.inputs._headers import is_unnamed
from softcost.cli.inputs._kinds import KINDS, Kind, says_nothing
from softcost.cli.inputs._leaks import price_columns, tells_the_class
from softcost.cli.inputs._numbers import marks_of, read_number, read_numbers
from softcost.cli.inputs._plain import PlainColumn, plain_columns

MOST_WORDS = 200  # of a column that have a feature each; rarer ones share one
_LEAST_ROWS = 20  # before whole numbers that differ in all rows look like an id
_ID_WORDS = {
    "id", "ids", "uid", "uuid", "guid", "key", "nr", "no", "idx", "index",
    "rowid", "rownames", "rownumber",
}  # fmt: skip
_ID_ENDS = ("nummer", "number", "nr", "_id")


@dataclass(frozen=True)
class Surveyed:
    """One column.

    Attributes
    ----------
    name : str
    kind : str
        What it holds.
    missing : int
        How many cells say nothing.
    examples : tuple of str
    left_out : str
        Why it is not learnt from; "" where it is.
    remarks : tuple of str
        What was assumed, and what to say if that is wrong.
    names_rows : bool
        Whether it is left out as an id, by which rows can be told apart.
    """

    name: str
    kind: Kind
    missing: int
    examples: tuple[str, ...]
    left_out: str = ""
    remarks: tuple[str, ...] = ()
    names_rows: bool = False


def survey(
    features: pd.DataFrame, labels: np.ndarray, asked: Asked | None = None
) -> list[Surveyed]:
    """Look at all columns but the target.

    Columns from which nothing can be learnt are left out, unless the user has said
    what they hold.
    """
    asked = Asked() if asked is None else asked
    plain = plain_columns(features, asked.tokens)
    kinds = find_kinds(features, asked, plain)
    prices = price_columns(features, labels)
    numbers, _ = pd.factorize(labels)  # which are quicker to count
    found = []
    for name, kind in kinds.items():
        seen = _Seen(name, kind, features[name], asked, plain.get(name))
        is_id = _why_id(seen)
        why = _why_left_out(seen, prices) or is_id
        if name in asked.names():
            why = ""
        remarks = () if why else tuple(_remarks(seen, numbers, len(kinds)))
        names_rows = bool(why) and why == is_id
        found.append(
            Surveyed(
                name, kind, seen.n_missing, seen.examples(), why, remarks, names_rows
            )
        )
    return found


class _Seen:
    """A raw column, with what questions on it have in common."""

    def __init__(
        self,
        name: str,
        kind: Kind,
        values: pd.Series,
        asked: Asked,
        plain: PlainColumn | None,
    ) -> None:
        self.name, self.kind, self.values, self.asked = name, kind, values, asked
        self.reading = KINDS[kind]
        self.plain = plain if kind == "number" else None
        if self.plain is not None:
            self.cells: list[Any] = self.plain.cells
            self.typed: Any = self.plain.numbers
            self.empty = np.zeros(len(values), bool)
            self.n_missing, self.n_rows = 0, len(values)
            self.n_different = len({*self.typed.tolist()})
            return
        self.cells = said_cells(values, asked.tokens)
        if self.reading.what == "words":
            self.typed = words_of(values, self.reading.boolean, asked.tokens)
            self.empty = pd.isna(self.typed)
            self.cells = pd.unique(words_of(values)[~self.empty]).tolist()
        elif self.reading.what == "number":
            self.typed, _ = read_numbers(values, self.reading.decimal, asked.tokens)
            self.empty = np.isnan(self.typed)
        else:
            self.typed, _ = read_moments(values, self.reading.order, asked.tokens)
            self.empty = np.isnat(self.typed)
        self.n_missing = int(self.empty.sum())
        self.n_rows = len(values)
        self.n_different = int(pd.Series(self.typed).nunique())

    def examples(self, most: int = 3, longest: int = 20) -> tuple[str, ...]:
        shown = [
            " ".join(str(cell).removesuffix(" 00:00:00").split())
            for cell in self.cells[:most]
        ]
        return tuple(
            text if len(text) <= longest else f"{text[: longest - 1]}…"
            for text in shown
        )

    def leaves_decimal_open(self) -> bool:
        """Whether its cells do not say what points and commas are."""
        if self.plain is not None:
            return said_decimal(self.plain.decimal_counts) is None
        return own_decimal(self.values) is None

    def differs_everywhere(self) -> bool:
        return self.n_missing == 0 and self.n_different == self.n_rows > 2

    def whole_numbers(self) -> bool:
        return (
            self.reading.what == "number"
            and self.n_missing == 0
            and bool(np.isfinite(self.typed).all())
            and bool((self.typed == np.rint(self.typed)).all())
        )

    def digits_only(self) -> bool:
        return all(str(cell).strip().isdecimal() for cell in self.cells)


def _why_left_out(seen: _Seen, prices: set[str]) -> str:
    if seen.n_different == 0:
        return "it is empty"
    if seen.n_different == 1 and seen.n_missing == 0:
        return "it is the same in all rows"
    if seen.name in prices:
        return "it looks like prices by row, which tell the class"
    return ""


def _why_id(seen: _Seen) -> str:
    """Why a column looks like an id of the rows, of which a model learns nothing."""
    if seen.differs_everywhere():
        if seen.whole_numbers() and is_unnamed(seen.name):
            return "it has no name and a number of its own in every row"
        if seen.whole_numbers() and _named_like_id(seen.name):
            return "it is called like an id and differs in every row"
        if seen.reading.what == "words":
            return "it has a different text in every row, like an identifier"
    return ""


def _named_like_id(name: str) -> bool:
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)
    ends = {word.lower() for word in (*words[:1], *words[-1:])}
    return bool(ends & _ID_WORDS) or name.lower().endswith(_ID_ENDS)


def _remarks(seen: _Seen, labels: np.ndarray, n_columns: int) -> list[str]:
    said: list[str] = []
    if seen.reading.what == "number":
        said += _on_numbers(seen)
    elif seen.reading.what == "date":
        said += _on_dates(seen)
    else:
        said += _on_words(seen)
    said += _on_tokens(seen)
    if tells_the_class(seen.typed, seen.empty, labels, n_columns):
        said.append(
            "it tells the class almost alone: is it known before the answer is? "
            f"If not, {_flag('--drop', seen.name)}"
        )
    return said


def _on_numbers(seen: _Seen) -> list[str]:
    said = []
    texts = [cell for cell in seen.cells if isinstance(cell, str)]
    if texts and seen.leaves_decimal_open() and not seen.asked.decimal:
        example = next(text for text in texts if "." in text or "," in text)
        if "," in example or seen.reading.decimal == ",":  # 1.5 is read as ever
            other = "." if seen.reading.decimal == "," else ","
            number = read_number(example, seen.reading.decimal)
            said.append(
                f"{example} is read as {number:g}; if that is wrong, --decimal {other}"
            )
    marks = marks_of(texts if seen.plain is None else [])
    signs = [mark for mark in marks if mark]
    if len(signs) > 1:
        said.append(f"{', '.join(signs)} are mixed: one unit would be better")
    elif signs and marks[""]:
        said.append(f"{marks['']} of its different cells have no {signs[0]}")
    elif signs:
        said.append(f"{signs[0]} is taken off")
    if (
        seen.whole_numbers()
        and seen.n_rows >= _LEAST_ROWS
        and seen.name not in seen.asked.names()
    ):
        if seen.differs_everywhere() and seen.digits_only():
            said.append(
                "a different whole number in every row; if it is an id, "
                f"{_flag('--drop', seen.name)}"
            )
        elif _named_like_id(seen.name) and seen.n_different > _LEAST_ROWS:
            said.append(
                f"it is called like an id; if it is one, {_flag('--drop', seen.name)}"
            )
    return said


def _on_dates(seen: _Seen) -> list[str]:
    asked = seen.name in seen.asked.dates and seen.asked.dates[seen.name]
    if asked or not holds_texts(seen.values) or len(own_orders(seen.values)) < 2:
        return []
    other, now = ("mdy", "day") if seen.reading.order == "dmy" else ("dmy", "month")
    example = next(
        (cell for cell in seen.cells if read_date(str(cell), "dmy")
         != read_date(str(cell), "mdy")), seen.cells[0],
    )  # fmt: skip
    return [
        f"{example} is read with the {now} first; if that is wrong, "
        f"{_flag('--date', seen.name)}={other}"
    ]


def _on_words(seen: _Seen) -> list[str]:
    said: list[str] = []
    if seen.name in seen.asked.nominal:
        return said
    if not pd.api.types.is_bool_dtype(seen.values):
        odd = almost(seen.values, seen.asked)
        if odd is not None:
            what, wrong = odd
            first = int(wrong.argmax())
            cell = str(seen.values.iloc[first])[:40]
            said.append(
                f"it is read as words, since {wrong.sum()} of its cells are no {what}, "
                f"the first {cell!r} in row {first + 1}; correct them, or "
                f"{_flag('--missing', cell)}"
            )
        elif not read_numbers(seen.values, ".", seen.asked.tokens)[1].any():
            said.append(
                "digits with leading zeros are a code, read as words; if they are "
                f"numbers, {_flag('--number', seen.name)}"
            )
    if seen.n_different > MOST_WORDS:
        said.append(
            f"{seen.n_different} different words, of which the {MOST_WORDS - 1} most "
            "frequent are told apart"
        )
    return said


def _on_tokens(seen: _Seen) -> list[str]:
    """Words that were taken for nothing."""
    if seen.plain is not None:
        return []
    cells = seen.values.dropna().unique().tolist()
    tokens = [
        text
        for text in (str(cell).strip() for cell in cells)
        if text and says_nothing(text, seen.asked.tokens)
    ]
    if not tokens or seen.reading.what == "words":
        return []
    return [f"read as missing: {', '.join(map(repr, tokens[:3]))}"]


def _flag(option: str, value: str) -> str:
    """An option with a value, to be copied into a shell."""
    return f"{option} {shlex.quote(value)}"

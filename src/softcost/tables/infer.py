"""What is made of each column, and what looks odd about it, before any training."""

import datetime
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from softcost.errors import on_command_line
from softcost.tables.cells import (
    KIND_OF,
    KINDS,
    Decimal,
    Kind,
    Order,
    Reading,
    has_hours,
    is_unnamed,
    marks_of,
    possible_orders,
    read_date,
    read_moments,
    read_number,
    read_numbers,
    says_nothing,
)
from softcost.tables.columns import (
    PlainColumn,
    as_boolean,
    decimal_counts,
    plain_columns,
    words_of,
)

# What the columns of a raw table hold, as a person would read them.


_LEAST_DATES = 3  # different ones, before whole numbers such as 20240131 are dates
_CODE_DIGITS = 3


@dataclass(frozen=True)
class ColumnOverrides:
    """How to read some columns, instead of what `infer_columns` would infer.

    Attributes
    ----------
    nominal, number : frozenset of str
        Columns of words, and of numbers.
    dates : mapping of str to {"dmy", "mdy", "ymd", None}
        Columns of dates, each with the order of day, month and year.
    decimal : {".", ","} or None
        Decimal separator of all columns; None detects it.
    tokens : frozenset of str
        Cells to treat as missing.

    See Also
    --------
    softcost.tables.infer_columns : Uses it.

    Examples
    --------
    >>> import pandas as pd
    >>> from softcost.tables import ColumnOverrides, infer_columns
    >>> table = pd.DataFrame({"code": ["1", "2", "1", "3"]})
    >>> labels = ["a", "b", "a", "b"]
    >>> [column.kind for column in infer_columns(table, labels)]
    ['number']
    >>> words = ColumnOverrides(nominal=frozenset(["code"]))
    >>> [column.kind for column in infer_columns(table, labels, words)]
    ['nominal']
    """

    nominal: frozenset[str] = frozenset()
    number: frozenset[str] = frozenset()
    dates: Mapping[str, Order | None] = field(default_factory=dict)
    decimal: Decimal | None = None
    tokens: frozenset[str] = frozenset()

    def names(self) -> set[str]:
        """Columns that are not inferred.

        Returns
        -------
        set of str
        """
        return {*self.nominal, *self.number, *self.dates}


def infer_kinds(
    frame: pd.DataFrame,
    overrides: ColumnOverrides | None = None,
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
    overrides = ColumnOverrides() if overrides is None else overrides
    plain = plain_columns(frame, overrides.tokens) if plain is None else plain
    readings, counts = {}, {}
    for name in map(str, frame.columns):
        if name in plain and name not in overrides.names():
            readings[name] = _reading_of_numbers(
                [one.strip() for one in plain[name].cells]
            )
        else:
            readings[name] = _reading(frame[name], name, overrides)
        if readings[name].what == "number":
            if name in plain:
                counts[name] = plain[name].decimal_counts
            elif not pd.api.types.is_numeric_dtype(frame[name]):
                counts[name] = _decimal_counts(frame[name])
    decimal = overrides.decimal or _usual_decimal(frame, counts)
    order = _usual_order(frame, readings)
    found: dict[str, Kind] = {}
    for name, reading in readings.items():
        if reading.what == "number":
            said = said_decimal(counts[name]) if name in counts else "."
            own = overrides.decimal or said or decimal
            reading = replace(reading, decimal=own if own else ".")
        elif reading.what == "date":
            reading = _dated(frame[name], name, reading, order, overrides)
        found[name] = KIND_OF[reading]
    return found


def _reading(values: pd.Series, name: str, overrides: ColumnOverrides) -> Reading:
    """Numbers, dates or words; which decimal and order is decided by all columns."""
    if name in overrides.nominal:
        return KINDS["nominal"]
    if name in overrides.number:
        return KINDS["number"]
    if name in overrides.dates or pd.api.types.is_datetime64_any_dtype(values):
        return KINDS["date"]
    cells = said_cells(values, overrides.tokens)
    if pd.api.types.is_bool_dtype(values):
        return KINDS["boolean"]
    if len(cells) and all(isinstance(cell, datetime.date) for cell in cells):
        return KINDS["date"]
    texts = [str(cell).strip() for cell in cells]
    if _are_numbers(values, overrides.tokens):
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
    values: pd.Series,
    name: str,
    reading: Reading,
    usual: Order | None,
    overrides: ColumnOverrides,
) -> Reading:
    given = overrides.dates.get(name)
    left = own_orders(values) if holds_texts(values) else []
    if given is not None:
        order: Order = given
    elif len(left) == 1 or not left:
        order = left[0] if left else "ymd"
    else:
        pointed = values.dropna().astype(str).str.contains(".", regex=False).any()
        order = usual or ("dmy" if pointed else "mdy")
    moments, _ = read_moments(values, order, overrides.tokens)
    return replace(reading, order=order, hours=has_hours(moments))


def almost(
    values: pd.Series, overrides: ColumnOverrides
) -> tuple[str, np.ndarray] | None:
    """Whether most cells are numbers or dates: which, and where they are not."""
    numbers, no_number = read_numbers(values, ".", overrides.tokens)
    there = no_number | ~np.isnan(numbers)
    for what, wrong in (
        ("numbers", no_number),
        ("dates", read_moments(values, "dmy", overrides.tokens)[1]),
    ):
        if 0 < wrong.sum() <= 0.1 * there.sum():
            return what, wrong
    return None


# Columns that know the answer: what nobody has when a row is to be predicted.


_SURE = 0.98  # of the rows; what a column that holds the answer gets right
_COMMON = 0.9  # the share of a class beyond which being right is no feat
_PRICED = 0.5  # of the rows have an answer that costs more than another
_LEAST_LEAK_ROWS = 50
_CELLS = 500_000  # that are looked at, all columns together


def price_columns(features: pd.DataFrame, labels: np.ndarray) -> set[str]:
    """Columns called by one word and the name of each class that hold prices by row.

    They are made from the true class, so a model that sees them has the answer. Names
    alone say little, as x1, x2 and x3 go with classes 1, 2 and 3; but what the true
    class costs is the least of a row.
    """
    texts = dict.fromkeys(str(name) for name in features.columns)
    classes = sorted({str(label) for label in labels})
    first = classes[0]
    for name in texts:
        prefix = name.removesuffix(first)
        prices = [f"{prefix}{label}" for label in classes]
        if prefix in (name, "") or len(prices) < 2 or not texts.keys() >= {*prices}:
            continue
        costs = np.column_stack([read_numbers(features[one], ".")[0] for one in prices])
        own = costs[np.arange(len(costs)), np.searchsorted(classes, labels.astype(str))]
        least, most = costs.min(axis=1), costs.max(axis=1)
        if (own == least).mean() >= _SURE and (most > least).mean() >= _PRICED:
            return {*prices}
    return set()


def tells_the_class(
    values: np.ndarray, empty: np.ndarray, labels: np.ndarray, n_columns: int
) -> bool:
    """Whether a column alone gets almost every class right.

    Words answer with their most frequent class, numbers by a tree of few leaves.

    Parameters
    ----------
    values : array of shape (n,)
        Numbers, dates or words.
    empty : boolean array of shape (n,)
    n_columns : int
        How many columns are to be looked at in all.
    """
    rows = np.flatnonzero(~empty)
    most = max(_CELLS // max(n_columns, 1), 10 * _LEAST_LEAK_ROWS)
    if len(rows) > most:
        rows = np.random.default_rng(0).choice(rows, most, replace=False)
    numbers, classes = pd.factorize(labels[rows])
    if len(rows) < _LEAST_LEAK_ROWS or len(classes) < 2:
        return False
    if np.bincount(numbers).max() > _COMMON * len(rows):
        return False
    return _share_right(values[rows], numbers, len(classes)) >= _SURE


def most_right(values: np.ndarray, numbers: np.ndarray, n_leaves: int) -> float:
    """A bound on the share of rows that a tree of one column gets right.

    In the order of the column, every row that a leaf gets wrong brings at most two
    changes of class, and between leaves there are at most ``n_leaves - 1``. So with c
    changes ``(c - n_leaves + 1) / 2`` rows or more are wrong.
    """
    ordered = numbers[np.lexsort((numbers, values))]
    changes = int((ordered[1:] != ordered[:-1]).sum())
    return 1.0 - max(changes - n_leaves + 1, 0) / (2 * len(ordered))


def _share_right(values: np.ndarray, numbers: np.ndarray, n_classes: int) -> float:
    if values.dtype == object:
        codes, words = pd.factorize(values)
        if len(words) > len(codes) // 10:
            return 0.0
        counts = np.zeros((len(words), n_classes), int)
        np.add.at(counts, (codes, numbers), 1)
        return float(counts.max(axis=1).sum() / len(codes))
    if most_right(values, numbers, 2 * n_classes) < _SURE:
        return 0.0  # at once: tables may have thousands of columns
    from sklearn.tree import DecisionTreeClassifier

    column = values.astype(float)[:, np.newaxis]
    tree = DecisionTreeClassifier(max_leaf_nodes=2 * n_classes, random_state=0)
    with np.errstate(all="ignore"):
        return float(
            tree.fit(np.clip(column, -1e30, 1e30), numbers).score(
                np.clip(column, -1e30, 1e30), numbers
            )
        )


_Flag = Callable[..., str]  # from option and value to a hint

MOST_WORDS = 200  # of a column that have a feature each; rarer ones share one
_LEAST_ROWS = 20  # before whole numbers that differ in all rows look like an id
_ID_WORDS = {
    "id", "ids", "uid", "uuid", "guid", "key", "nr", "no", "idx", "index",
    "rowid", "rownames", "rownumber",
}  # fmt: skip
_ID_ENDS = ("nummer", "number", "nr", "_id")


@dataclass(frozen=True)
class ColumnSummary:
    """What `infer_columns` infers about one column.

    Attributes
    ----------
    name : str
    kind : str
        What it holds, a name in `softcost.tables.KINDS`.
    missing : int
        Number of missing cells.
    examples : tuple of str
        The first distinct cells.
    left_out : str
        Why a model should not use the column; "" if it should.
    remarks : tuple of str
        Assumptions and suspicions, each with a way to override it.
    names_rows : bool
        Whether the column is left out because it identifies rows.

    See Also
    --------
    softcost.tables.infer_columns : Returns a list of these.

    Examples
    --------
    >>> import pandas as pd
    >>> from softcost.tables import infer_columns
    >>> table = pd.DataFrame({"id": ["7", "3", "5"], "size": ["1.5", "", "2.5"]})
    >>> for column in infer_columns(table, ["a", "b", "a"]):
    ...     print(column.name, column.kind, column.missing, bool(column.left_out))
    id number 0 True
    size number 1 False
    """

    name: str
    kind: Kind
    missing: int
    examples: tuple[str, ...]
    left_out: str = ""
    remarks: tuple[str, ...] = ()
    names_rows: bool = False


def infer_columns(
    features: pd.DataFrame,
    labels: Any,
    overrides: ColumnOverrides | None = None,
) -> list[ColumnSummary]:
    """Infer what the columns of a raw table hold, and which of them to leave out.

    Columns without information (empty, constant, different in every row like an id)
    and columns that look like costs by row are left out, unless ``overrides`` names
    them. A column that alone predicts almost every label gets a remark: it may be
    known only after the fact.

    Parameters
    ----------
    features : DataFrame of shape (n, n_columns)
        All columns but the target.
    labels : array-like of shape (n,)
        True labels, used only to detect columns that reveal them.
    overrides : ColumnOverrides, default=None
        What columns hold, where that is known.

    Returns
    -------
    list of ColumnSummary

    See Also
    --------
    softcost.tables.TableEncoder : Infers the columns when it is fitted.

    Examples
    --------
    >>> import pandas as pd
    >>> from softcost.tables import infer_columns
    >>> table = pd.DataFrame({"when": ["31.12.2024", "1.2.2025"], "size": ["1,5", "2"]})
    >>> [column.kind for column in infer_columns(table, ["a", "b"])]
    ['date, day first', 'number, decimal comma']
    """
    labels = np.asarray(labels)
    flag = _option if on_command_line() else _parameter
    overrides = ColumnOverrides() if overrides is None else overrides
    plain = plain_columns(features, overrides.tokens)
    kinds = infer_kinds(features, overrides, plain)
    prices = price_columns(features, labels)
    numbers, _ = pd.factorize(labels)  # which are quicker to count
    found = []
    for name, kind in kinds.items():
        seen = _Seen(name, kind, features[name], overrides, plain.get(name))
        is_id = _why_id(seen)
        why = _why_left_out(seen, prices) or is_id
        if name in overrides.names():
            why = ""
        remarks = () if why else tuple(_remarks(seen, numbers, len(kinds), flag))
        names_rows = bool(why) and why == is_id
        found.append(
            ColumnSummary(
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
        overrides: ColumnOverrides,
        plain: PlainColumn | None,
    ) -> None:
        self.name, self.kind, self.values, self.overrides = (
            name,
            kind,
            values,
            overrides,
        )
        self.reading = KINDS[kind]
        self.plain = plain if kind == "number" else None
        if self.plain is not None:
            self.cells: list[Any] = self.plain.cells
            self.typed: Any = self.plain.numbers
            self.empty = np.zeros(len(values), bool)
            self.n_missing, self.n_rows = 0, len(values)
            self.n_different = len({*self.typed.tolist()})
            return
        self.cells = said_cells(values, overrides.tokens)
        if self.reading.what == "words":
            self.typed = words_of(values, self.reading.boolean, overrides.tokens)
            self.empty = pd.isna(self.typed)
            self.cells = pd.unique(words_of(values)[~self.empty]).tolist()
        elif self.reading.what == "number":
            self.typed, _ = read_numbers(values, self.reading.decimal, overrides.tokens)
            self.empty = np.isnan(self.typed)
        else:
            self.typed, _ = read_moments(values, self.reading.order, overrides.tokens)
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


def _remarks(seen: _Seen, labels: np.ndarray, n_columns: int, flag: _Flag) -> list[str]:
    said: list[str] = []
    if seen.reading.what == "number":
        said += _on_numbers(seen, flag)
    elif seen.reading.what == "date":
        said += _on_dates(seen, flag)
    else:
        said += _on_words(seen, flag)
    said += _on_tokens(seen)
    if tells_the_class(seen.typed, seen.empty, labels, n_columns):
        said.append(
            "it tells the class almost alone: is it known before the answer is? "
            f"If not, {flag('drop', seen.name)}"
        )
    return said


def _on_numbers(seen: _Seen, flag: _Flag) -> list[str]:
    said = []
    texts = [cell for cell in seen.cells if isinstance(cell, str)]
    if texts and seen.leaves_decimal_open() and not seen.overrides.decimal:
        example = next(text for text in texts if "." in text or "," in text)
        if "," in example or seen.reading.decimal == ",":  # 1.5 is read as ever
            other = "." if seen.reading.decimal == "," else ","
            number = read_number(example, seen.reading.decimal)
            said.append(
                f"{example} is read as {number:g}; if that is wrong, "
                f"{flag('decimal', other)}"
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
        and seen.name not in seen.overrides.names()
    ):
        if seen.differs_everywhere() and seen.digits_only():
            said.append(
                "a different whole number in every row; if it is an id, "
                f"{flag('drop', seen.name)}"
            )
        elif _named_like_id(seen.name) and seen.n_different > _LEAST_ROWS:
            said.append(
                f"it is called like an id; if it is one, {flag('drop', seen.name)}"
            )
    return said


def _on_dates(seen: _Seen, flag: _Flag) -> list[str]:
    overrides = seen.name in seen.overrides.dates and seen.overrides.dates[seen.name]
    if overrides or not holds_texts(seen.values) or len(own_orders(seen.values)) < 2:
        return []
    other, now = ("mdy", "day") if seen.reading.order == "dmy" else ("dmy", "month")
    example = next(
        (cell for cell in seen.cells if read_date(str(cell), "dmy")
         != read_date(str(cell), "mdy")), seen.cells[0],
    )  # fmt: skip
    return [
        f"{example} is read with the {now} first; if that is wrong, "
        f"{flag('date', seen.name, other)}"
    ]


def _on_words(seen: _Seen, flag: _Flag) -> list[str]:
    said: list[str] = []
    if seen.name in seen.overrides.nominal:
        return said
    if not pd.api.types.is_bool_dtype(seen.values):
        odd = almost(seen.values, seen.overrides)
        if odd is not None:
            what, wrong = odd
            first = int(wrong.argmax())
            cell = str(seen.values.iloc[first])[:40]
            said.append(
                f"it is read as words, since {wrong.sum()} of its cells are no {what}, "
                f"the first {cell!r} in row {first + 1}; correct them, or "
                f"{flag('missing', cell)}"
            )
        elif not read_numbers(seen.values, ".", seen.overrides.tokens)[1].any():
            said.append(
                "digits with leading zeros are a code, read as words; if they are "
                f"numbers, {flag('number', seen.name)}"
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
        if text and says_nothing(text, seen.overrides.tokens)
    ]
    if not tokens or seen.reading.what == "words":
        return []
    return [f"read as missing: {', '.join(map(repr, tokens[:3]))}"]


def _option(name: str, value: str, order: str = "") -> str:
    """An option of the command line, to be copied into a shell."""
    plain = name == "decimal"  # neither separator needs quotes
    text = f"--{name} {value if plain else shlex.quote(value)}"
    return f"{text}={order}" if order else text


def _parameter(name: str, value: str, order: str = "") -> str:
    """The same as a parameter of `TableEncoder`."""
    if name == "date":
        return f"dates={ {value: order} }"
    return f"decimal={value!r}" if name == "decimal" else f"{name}={[value]!r}"

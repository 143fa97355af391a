"""What is made of each column, and what looks odd about it, before any training."""

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from softcost.errors import on_command_line
from softcost.tables.cells import (
    Decimal,
    Kind,
    Order,
    is_unnamed,
    read_numbers,
    says_nothing,
    words_of,
)
from softcost.tables.columns import (
    PlainColumn,
    decimal_counts,
    plain_columns,
    plain_frame,
)
from softcost.tables.kinds import (
    KIND_OF,
    KINDS,
    ColumnKind,
    Date,
    Flag,
    Number,
    Words,
    dated,
    holds_texts,
    kind_of_numbers,
    own_orders,
    present_cells,
    recognise,
)

# What the columns of a raw table hold, as a person would read them.


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
    recognised: dict[str, ColumnKind] = {}
    counts = {}
    for name in map(str, frame.columns):
        if name in plain and name not in overrides.names():
            recognised[name] = kind_of_numbers(
                [text.strip() for text in plain[name].cells]
            )
        else:
            recognised[name] = _kind(frame[name], name, overrides)
        if isinstance(recognised[name], Number):
            if name in plain:
                counts[name] = plain[name].decimal_counts
            elif not pd.api.types.is_numeric_dtype(frame[name]):
                counts[name] = _decimal_counts(frame[name])
    decimal = overrides.decimal or _usual_decimal(frame, counts)
    order = _usual_order(frame, recognised)
    kinds: dict[str, Kind] = {}
    for name, kind in recognised.items():
        if isinstance(kind, Number):
            evidence = said_decimal(counts[name]) if name in counts else "."
            kind = replace(kind, decimal=overrides.decimal or evidence or decimal)
        elif isinstance(kind, Date):
            kind = dated(
                frame[name], order, overrides.dates.get(name), overrides.tokens
            )
        kinds[name] = KIND_OF[kind]
    return kinds


def _kind(values: pd.Series, name: str, overrides: ColumnOverrides) -> ColumnKind:
    """What a column holds; decimal separator and order are decided by all columns."""
    if name in overrides.nominal:
        return Words()
    if name in overrides.number:
        return Number()
    if name in overrides.dates:
        return Date()
    return recognise(values, overrides.tokens)


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


def _usual_order(frame: pd.DataFrame, kinds: Mapping[str, ColumnKind]) -> Order | None:
    for name, kind in kinds.items():
        if isinstance(kind, Date) and holds_texts(frame[name]):
            orders = own_orders(frame[name])
            if len(orders) == 1 and orders[0] != "ymd":
                return orders[0]
    return None


# Leaks: columns that contain the answer and are unknown when a row is predicted.


_SURE = 0.98  # share of rows that a leaking column alone predicts correctly
_COMMON = 0.9  # share of a class above which predicting it is easy anyway
_PRICED = 0.5  # share of rows on which two answers must differ in cost
_LEAST_LEAK_ROWS = 50
_CELLS = 500_000  # inspected at most, over all columns


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
        costs = np.column_stack(
            [read_numbers(features[price], ".")[0] for price in prices]
        )
        true_cost = costs[
            np.arange(len(costs)), np.searchsorted(classes, labels.astype(str))
        ]
        least, most = costs.min(axis=1), costs.max(axis=1)
        if (true_cost == least).mean() >= _SURE and (most > least).mean() >= _PRICED:
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
    features = plain_frame(features)
    plain = plain_columns(features, overrides.tokens)
    kinds = infer_kinds(features, overrides, plain)
    prices = price_columns(features, labels)
    numbers, _ = pd.factorize(labels)  # which are quicker to count
    summaries = []
    for name, kind in kinds.items():
        seen = _Seen(name, kind, features[name], overrides, plain.get(name))
        is_id = seen.reading.why_id(seen)
        why = _why_left_out(seen, prices) or is_id
        if name in overrides.names():
            why = ""
        remarks = () if why else tuple(_remarks(seen, numbers, len(kinds), flag))
        names_rows = bool(why) and why == is_id
        summaries.append(
            ColumnSummary(
                name, kind, seen.n_missing, seen.examples(), why, remarks, names_rows
            )
        )
    return summaries


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
        self.tokens = overrides.tokens
        self.plain = plain if kind == "number" else None
        if self.plain is not None:
            self.cells: list[Any] = self.plain.cells
            self.typed: Any = self.plain.numbers
            self.empty = np.zeros(len(values), bool)
            self.n_missing, self.n_rows = 0, len(values)
            self.n_different = len({*self.typed.tolist()})
            return
        self.cells = present_cells(values, overrides.tokens)
        self.typed, _ = self.reading.read(values, overrides.tokens)
        self.empty = pd.isna(self.typed)
        if isinstance(self.reading, Words):
            self.cells = pd.unique(words_of(values)[~self.empty]).tolist()
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
            isinstance(self.reading, Number)
            and self.n_missing == 0
            and bool(np.isfinite(self.typed).all())
            and bool((self.typed == np.rint(self.typed)).all())
        )

    def overridden(self) -> bool:
        return self.name in self.overrides.names()

    def has_a_decimal_override(self) -> bool:
        return self.overrides.decimal is not None

    def has_an_order_override(self) -> bool:
        return self.overrides.dates.get(self.name) is not None

    def is_plain(self) -> bool:
        return self.plain is not None

    def is_unnamed(self) -> bool:
        return is_unnamed(self.name)

    def named_like_id(self) -> bool:
        words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", self.name)
        ends = {word.lower() for word in (*words[:1], *words[-1:])}
        return bool(ends & _ID_WORDS) or self.name.lower().endswith(_ID_ENDS)


def _why_left_out(seen: _Seen, prices: set[str]) -> str:
    if seen.n_different == 0:
        return "it is empty"
    if seen.n_different == 1 and seen.n_missing == 0:
        return "it is the same in all rows"
    if seen.name in prices:
        return "it looks like prices by row, which tell the class"
    return ""


def _remarks(seen: _Seen, labels: np.ndarray, n_columns: int, flag: Flag) -> list[str]:
    said = seen.reading.remarks(seen, flag) + _on_tokens(seen)
    if tells_the_class(seen.typed, seen.empty, labels, n_columns):
        said.append(
            "it tells the class almost alone: is it known before the answer is? "
            f"If not, {flag('drop', seen.name)}"
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
    if not tokens or isinstance(seen.reading, Words):
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

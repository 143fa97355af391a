"""Is this table the registered one? Where it is not, name the difference."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from softcost.datasets._registry import (
    MISSING,
    DatasetInfo,
    NominalColumn,
    NumberColumn,
)

LABEL = "label"
SHOWN = 3
# Copies of a set agree in six digits of every value; means agree in more.
TOLERANCE = 2e-6


def check_table(table: pd.DataFrame, entry: DatasetInfo, where: str) -> None:
    """Raise ValueError where a raw table differs from the registry.

    Column names and their order, rows, labels, class distribution, the values of
    nominal columns and a summary of every column are compared, in this order; the
    first kind of difference that is found is named.

    Parameters
    ----------
    table : DataFrame
        Raw columns in order, then ``label``; nominal columns and the label hold
        words, the others floats with NaN for an empty cell.
    entry : DatasetInfo
        What it has to be.
    where : str
        Where the table came from, for the message.
    """
    check_header(list(table.columns), entry, where)
    for differences in (_rows(table, entry), _labels(table, entry)):
        _refuse(differences, entry, where)
    _refuse(_columns(table, entry), entry, where)


def check_header(names: list[str], entry: DatasetInfo, where: str) -> None:
    """Raise ValueError where the columns are other ones or in another order."""
    _refuse(_header(names, [*entry.columns, LABEL]), entry, where)


def refusal(entry: DatasetInfo, where: str, difference: str) -> ValueError:
    """The error that says why a table is not taken for the data set."""
    return ValueError(
        f"{where} is not the registered data set {entry.name!r}: {difference}; "
        "replace it with a complete copy or take it away."
    )


def _refuse(differences: Iterable[str], entry: DatasetInfo, where: str) -> None:
    found = list(differences)
    if found:
        more = f" and {len(found) - SHOWN} more differences" * (len(found) > SHOWN)
        raise refusal(entry, where, ", ".join(found[:SHOWN]) + more)


def _header(names: list[str], expected: list[str]) -> Iterable[str]:
    if names == expected:
        return
    missing = [name for name in expected if name not in names]
    extra = [name for name in names if name not in expected]
    yield from (f"column {name!r} is missing" for name in missing)
    yield from (f"column {name!r} is not expected" for name in extra)
    if not missing and not extra:
        if len(names) != len(expected):
            yield f"it has {len(names)} columns instead of {len(expected)}"
        for place, (name, right) in enumerate(zip(names, expected, strict=False), 1):
            if name != right:
                yield f"column {place} is {name!r} instead of {right!r}"


def _rows(table: pd.DataFrame, entry: DatasetInfo) -> Iterable[str]:
    if len(table) != entry.rows:
        yield f"it has {len(table)} rows instead of {entry.rows}"
        for label, found, right in _class_differences(table, entry):
            yield f"class {label!r} has {found} instead of {right}"


def _labels(table: pd.DataFrame, entry: DatasetInfo) -> Iterable[str]:
    counts = _counts(table[LABEL])
    unknown = [label for label in counts if label not in entry.class_counts]
    if unknown:
        for label in unknown:
            yield (
                f"the label {label or MISSING!r} ({_times(counts[label])}) is not one "
                f"of its {len(entry.class_counts)} classes"
            )
        return
    for label, found, right in _class_differences(table, entry):
        yield f"class {label!r} has {found} rows instead of {right}"


def _class_differences(
    table: pd.DataFrame, entry: DatasetInfo
) -> Iterable[tuple[str, int, int]]:
    counts = _counts(table[LABEL])
    for label, right in entry.class_counts.items():
        if counts.get(label, 0) != right:
            yield label, counts.get(label, 0), right


def _columns(table: pd.DataFrame, entry: DatasetInfo) -> Iterable[str]:
    rank = class_rank(table[LABEL], entry)
    for name, column in entry.columns.items():
        if isinstance(column, NominalColumn):
            yield from _nominal_differences(name, _counts(table[name]), column)
        else:
            yield from _number_differences(name, table[name], rank, column)


def _nominal_differences(
    name: str, counts: dict[str, int], column: NominalColumn
) -> Iterable[str]:
    for value in sorted(counts.keys() | column.counts.keys()):
        found = counts.get(value, 0)
        if value not in column.counts:
            yield (
                f"column {name!r} has the value {value or MISSING!r} "
                f"({_times(found)}), which is not one of its values"
            )
        elif found != column.counts[value]:
            yield (
                f"column {name!r} has the value {value or MISSING!r} {_times(found)} "
                f"instead of {column.counts[value]}"
            )


def _number_differences(
    name: str, values: pd.Series, rank: np.ndarray, column: NumberColumn
) -> Iterable[str]:
    found, scale = summarise(values, rank)
    if found.missing != column.missing:
        yield (
            f"column {name!r} has {found.missing} empty cells "
            f"instead of {column.missing}"
        )
    elif not abs(found.mean - column.mean) <= TOLERANCE * scale:
        yield (
            f"column {name!r} has other values (mean {found.mean:.7g} "
            f"instead of {column.mean:.7g})"
        )
    elif not abs(found.class_moment - column.class_moment) <= TOLERANCE * scale:
        yield f"the values of column {name!r} stand in rows of other classes"


def class_rank(labels: pd.Series, entry: DatasetInfo) -> np.ndarray:
    """r / K of every row, r = 1, ..., K the place of its label."""
    rank = {
        label: (i + 1) / len(entry.classes) for i, label in enumerate(entry.classes)
    }
    return labels.astype(object).map(rank).to_numpy(dtype=np.float64)


def summarise(values: Any, rank: np.ndarray) -> tuple[NumberColumn, float]:
    """Summary of a column of numbers, and the mean of its absolute values."""
    numbers = np.asarray(values, dtype=np.float64)
    empty = np.isnan(numbers)
    numbers = np.where(empty, 0.0, numbers)
    summary = NumberColumn(
        mean=float(numbers.mean()),
        class_moment=float(numbers @ rank / len(numbers)),
        missing=int(empty.sum()),
    )
    return summary, float(np.abs(numbers).mean()) + np.finfo(float).tiny


def _counts(values: pd.Series) -> dict[str, int]:
    words = values.astype(object)
    counts = words.where(words.notna(), "").value_counts()
    return {str(value): int(count) for value, count in counts.items()}


def _times(count: int) -> str:
    return f"{count} time" + "s" * (count != 1)

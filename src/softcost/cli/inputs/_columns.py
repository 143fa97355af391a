"""Columns of a table: labels, numbers and words."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Literal

import numpy as np
import pandas as pd

from softcost.cli.console import shown_name

MISSING = frozenset(["", "?", "NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL"])

LARGEST = 1e150  # differences and squares of larger numbers are not finite
_ALMOST_ALL = 0.9

Kind = Literal["number", "nominal"]


def column(frame: pd.DataFrame, name: str, option: str, path: str) -> pd.Series:
    """A column by name, or which one was perhaps meant."""
    if name not in frame.columns:
        names = [str(one) for one in frame.columns]
        near = get_close_matches(name, names, n=1) or names[-1:]
        hint = f"; did you mean {near[0]!r}?" if near else "."
        raise ValueError(
            f"{option} {name!r} is not a column of {shown_name(path)}{hint}"
        )
    return frame[name]


def read_labels(values: pd.Series, option: str, path: str) -> np.ndarray:
    """A target column as text, without blanks around it."""
    labels = _words(values)
    empty = np.flatnonzero(pd.isna(labels))
    if len(empty):
        raise ValueError(
            f"{option} {values.name!r} is empty in {len(empty)} rows of {path}, the "
            f"first of them row {empty[0] + 1}; fill them or take them out."
        )
    return np.array([str(label).strip() for label in labels], dtype=str)


def find_kinds(frame: pd.DataFrame, nominal: Sequence[str] = ()) -> dict[str, Kind]:
    """What each column holds: numbers, if every cell that is not empty is one."""
    return {
        str(name): "nominal"
        if name in nominal or not _all_numbers(frame[name])
        else "number"
        for name in frame.columns
    }


def _all_numbers(values: pd.Series) -> bool:
    if pd.api.types.is_bool_dtype(values):
        return False
    if pd.api.types.is_numeric_dtype(values):
        return True
    words = _words(values)
    found = words[~pd.isna(words)]
    return bool(pd.to_numeric(pd.Series(found), errors="coerce").notna().all())


def almost_numbers(frame: pd.DataFrame, kinds: Mapping[str, Kind]) -> list[str]:
    """Sentences on columns of words most of whose cells are numbers."""
    said = []
    for name, kind in kinds.items():
        if kind == "number" or pd.api.types.is_bool_dtype(frame[name]):
            continue
        words = _words(frame[name])
        there = ~pd.isna(words)
        numbers = pd.to_numeric(pd.Series(words), errors="coerce").notna().to_numpy()
        odd = np.flatnonzero(there & ~numbers)
        if len(odd) and numbers.sum() >= _ALMOST_ALL * there.sum():
            said.append(
                f"column {name!r} is read as words, since {len(odd)} of its cells are "
                f"no numbers, the first {str(words[odd[0]])[:40]!r} in row "
                f"{odd[0] + 1}; correct them or leave them empty, if it holds numbers."
            )
    return said


def _words(values: pd.Series) -> np.ndarray:
    """Cells as text, with NaN for an empty one."""
    if pd.api.types.is_integer_dtype(values) or pd.api.types.is_bool_dtype(values):
        words = values.astype(object)
    elif pd.api.types.is_float_dtype(values):
        whole = values.notna() & (values % 1 == 0) & (values.abs() < 1e15)
        words = values.astype(object)
        words[whole] = values[whole].astype(np.int64).astype(object)
    else:
        words = values.astype(object)
    empty = values.isna().to_numpy() | words.isin(MISSING).to_numpy()
    out = np.empty(len(words), dtype=object)
    out[:] = [
        np.nan if missing else str(word)
        for word, missing in zip(words, empty, strict=True)
    ]
    return out


def typed_columns(
    frame: pd.DataFrame, kinds: Mapping[str, Kind], path: str, first_row: int = 0
) -> pd.DataFrame:
    """The columns of a model, with the types that it knows.

    Parameters
    ----------
    frame : DataFrame
        A raw table, or a piece of one that begins after ``first_row`` others.
    kinds : mapping of column name to kind
    path : str
        For messages.
    """
    columns: dict[str, pd.Series] = {}
    for name, kind in kinds.items():
        values = column(frame, name, "the model's column", path)
        if kind == "nominal":
            columns[name] = pd.Series(_words(values), dtype=object)
        else:
            columns[name] = pd.Series(_numbers(values, path, first_row))
    return pd.DataFrame(columns, columns=list(kinds))


def _numbers(values: pd.Series, path: str, first_row: int) -> np.ndarray:
    if pd.api.types.is_numeric_dtype(values):
        found = values.to_numpy(dtype=float, na_value=np.nan)
        empty = np.isnan(found)
    else:
        empty = values.isna().to_numpy() | values.isin(MISSING).to_numpy()
        found = pd.to_numeric(values, errors="coerce").to_numpy(float, na_value=np.nan)
    wrong = np.flatnonzero((np.abs(found) > LARGEST) | (np.isnan(found) & ~empty))
    if len(wrong):
        first = wrong[0]
        cell = str(values.iloc[first])[:60]
        raise ValueError(
            f"column {values.name!r} of {path} holds {cell!r} in "
            f"row {first_row + first + 1}, where the model needs a finite number; "
            "correct it, or leave it empty."
        )
    return found


def identifier_columns(frame: pd.DataFrame) -> list[str]:
    """Nominal columns with a different text in every row."""
    return [
        str(name)
        for name in frame.columns
        if frame[name].dtype == object
        and len(frame) > 2
        and frame[name].notna().all()
        and frame[name].nunique() == len(frame)
    ]

"""Labels of a table: rows without one, other spellings of a class, rare classes."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from softcost.errors import argument, on_command_line
from softcost.formatting import quoted_names
from softcost.tables.cells import Tell, says_nothing, silent, words_of
from softcost.tables.columns import column, read_labels
from softcost.tables.spelling import likely_merges, merge_option

_MOST_SHOWN = 5
_UNKNOWN = frozenset(
    ["unknown", "unbekannt", "inconnu", "desconocido", "not available", "tbd", "todo"]
)


def with_labels(
    raw: pd.DataFrame,
    target: str,
    path: str,
    *,
    skip_unlabelled: bool = False,
    merge: Mapping[str, str] | None = None,
    first_row: int = 0,
    tell: Tell = silent,
) -> tuple[pd.DataFrame, np.ndarray]:
    """The rows of a raw table that have a label, and their labels.

    Parameters
    ----------
    skip_unlabelled : bool, default=False
        Whether rows without a label are left out; else they are refused.
    merge : mapping of str to str, default=None
        Labels to replace; "" takes a label for missing.
    first_row : int, default=0
        Number of rows of the same table that came before, for error messages.
    """
    option = argument("target")
    values = column(raw, target, option, path)
    if merge:
        words = pd.Series(words_of(values), index=values.index, name=values.name)
        values = words.map(lambda word: merge.get(word, word), na_action="ignore")
    if skip_unlabelled:
        empty = pd.isna(words_of(values))
        if empty.any():
            tell(skipped_note(int(empty.sum()), path))
            attrs = dict(raw.attrs)
            raw = raw[~empty].reset_index(drop=True)
            raw.attrs.update(attrs)
            values = values[~empty]
    return raw, read_labels(values, option, path, first_row)


def check_merge(merge: Mapping[str, str], labels: Any, path: str) -> None:
    """Refuse to merge labels that a table does not have."""
    names = {str(label) for label in labels}
    for old in merge:
        if old not in names:
            raise ValueError(
                f"{argument('merge')} names {old!r}, which is not a label of {path}; "
                f"its labels are {quoted_names(sorted(names), 10)}."
            )


def label_notes(labels: np.ndarray, n_folds: int | None = None) -> list[str]:
    """Sentences on labels that look wrong, and on classes with too few rows."""
    names, sizes = np.unique(labels.astype(str), return_counts=True)
    counts = dict(zip(names.tolist(), sizes.tolist(), strict=True))
    notes = []
    merges = likely_merges(counts)
    for old, new in list(merges.items())[:_MOST_SHOWN]:
        notes.append(
            f"the class {old!r} ({_rows(counts[old])}) may be another spelling of "
            f"{new!r} ({_rows(counts[new])}); to merge them, pass "
            f"{merge_option(old, new)}."
        )
    if len(merges) > _MOST_SHOWN:
        notes.append(f"{len(merges) - _MOST_SHOWN} more classes look misspelt.")
    for name in counts:
        if says_nothing(name) or name.strip().lower() in _UNKNOWN:
            notes.append(
                f"the class {name!r} ({_rows(counts[name])}) looks like a missing "
                f"label; to skip these rows, pass {merge_option(name, '')} "
                f"{_skip_option()}."
            )
    few = [name for name in names.tolist() if counts[name] < (n_folds or 0)]
    if few:
        shown = ", ".join(f"{name!r} ({counts[name]})" for name in few[:_MOST_SHOWN])
        more = f" and {len(few) - _MOST_SHOWN} more" if len(few) > _MOST_SHOWN else ""
        notes.append(
            f"classes with fewer rows than the {n_folds} folds: {shown}{more}. Some "
            "folds cannot train or test on them, so their results are unreliable; add "
            "rows, or merge them with another class."
        )
    return notes


def unseen_note(
    train: np.ndarray, test: np.ndarray | None, path: str | None
) -> list[str]:
    """A sentence on classes that no test row has."""
    if test is None:
        return []
    missing = sorted({*train.tolist()} - {*test.tolist()})
    if not missing:
        return []
    of = "" if path is None else f" of {path}"
    return [
        f"no test row{of} has the class {quoted_names(missing)}, so its results are "
        "not measured."
    ]


def skipped_note(n_rows: int, path: str) -> str:
    """A sentence on rows without a label."""
    verb = "is" if n_rows == 1 else "are"
    return f"{_rows(n_rows)} of {path} without a label {verb} skipped."


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"


def _skip_option() -> str:
    return "--skip-unlabelled" if on_command_line() else "skip_unlabelled=True"


# Numbers that stand for missing cells.


# Of questionnaires and databases, as in the codebooks of national surveys.
_CODES = np.array(
    [-1, -9, -99, -999, -9999, -99999, 99, 999, 9999, 99999, 999999, 88, 888, 8888]
)
_LEAST_TIMES = 2
_LARGE = 20


def sentinel_notes(X: pd.DataFrame) -> list[str]:
    """Sentences on numbers such as -9 or 9999 that may stand for missing cells.

    A code is the least or the largest number of its column, occurs several times, and
    is far from all others: farther than these are from each other, or negative where no
    other number is.
    """
    columns: dict[float, list[str]] = {}
    times: dict[float, int] = {}
    for name, cells in X.select_dtypes("float64").items():
        values = cells.to_numpy()
        values = values[~np.isnan(values)]
        if len(values) == 0:
            continue
        for code in {float(values.min()), float(values.max())} & {*_CODES.tolist()}:
            count = int((values == code).sum())
            if count >= _LEAST_TIMES and _stands_apart(values[values != code], code):
                columns.setdefault(code, []).append(str(name))
                times[code] = times.get(code, 0) + count
    notes = []
    for code in sorted(columns):
        names = columns[code]
        word = f"--missing {code:g}" if on_command_line() else f"missing=['{code:g}']"
        where = (
            f"column {names[0]!r}"
            if len(names) == 1
            else (f"{len(names)} columns ({quoted_names(names)})")
        )
        notes.append(
            f"{code:g} occurs {times[code]} times in {where}, far from the other "
            f"numbers; if it means missing, pass {word}."
        )
    return notes


def _stands_apart(others: np.ndarray, code: float) -> bool:
    if len(others) == 0:
        return False
    low, high = float(others.min()), float(others.max())
    gap = min(abs(code - low), abs(code - high))
    if code < 0:
        return low >= 0 and (code < -1 or high >= _LARGE)  # not of -1, 0 and 1
    return gap > high - low

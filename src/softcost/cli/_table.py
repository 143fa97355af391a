"""Tables from files: CSV, Parquet and LIBSVM, whole or in pieces.

Cells of a CSV file stay text until it is known what a column holds, so that a piece of
a file is read exactly as the whole was when the model was fitted.
"""

import csv
import gzip
import io
import os
import sys
import warnings
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, TextIO

import numpy as np
import pandas as pd

MISSING = frozenset(["", "?", "NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL"])
SUFFIXES: dict[str, Literal["csv", "parquet", "libsvm"]] = {
    ".csv": "csv",
    ".csv.gz": "csv",
    ".tsv": "csv",
    ".tsv.gz": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".libsvm": "libsvm",
    ".svmlight": "libsvm",
    ".svm": "libsvm",
}
STREAM = "-"
LIBSVM_TARGET = "label"
_MOST_CELLS = 2e8  # of a LIBSVM file, written out

Kind = Literal["number", "nominal"]


def format_of(path: str) -> Literal["csv", "parquet", "libsvm"]:
    """Which format a file has, by its name; a standard stream has CSV."""
    if path == STREAM:
        return "csv"
    for suffix, kind in SUFFIXES.items():
        if path.lower().endswith(suffix):
            return kind
    raise ValueError(
        f"{path} has no ending that names a format; call it .csv, .csv.gz, .tsv, "
        ".parquet or .libsvm."
    )


def read_table(path: str) -> pd.DataFrame:
    """All rows of a file, raw: text from CSV, typed columns from the others."""
    pieces = list(table_pieces(path))
    frame = pieces[0] if len(pieces) == 1 else pd.concat(pieces, ignore_index=True)
    if len(frame) == 0:
        raise ValueError(f"{path} has no rows; give a table with a header and rows.")
    return frame


def table_pieces(
    path: str, rows: int | None = None, n_features: int | None = None
) -> Iterator[pd.DataFrame]:
    """The rows of a file, some at a time; at least one piece, perhaps of no rows.

    Parameters
    ----------
    path : str
        "-" for standard input.
    rows : int, default=None
        Most rows of a piece; None for all at once.
    n_features : int, default=None
        For LIBSVM files: how many there are, where a piece may not show all.
    """
    kind = format_of(path)
    if path != STREAM:
        if not os.path.exists(path):
            raise FileNotFoundError(f"there is no file {path}.")
        if os.path.isdir(path):
            raise IsADirectoryError(f"{path} is a directory; name a file in it.")
    with _said_of(path):
        if kind == "parquet":
            yield from _parquet_pieces(path, rows)
        elif kind == "libsvm":
            yield from _libsvm_pieces(path, rows, n_features)
        else:
            yield from _csv_pieces(path, rows)


@contextmanager
def _said_of(path: str) -> Iterator[None]:
    """Complaints of readers in one sentence that names the file."""
    try:
        yield
    except (gzip.BadGzipFile, zlib.error, EOFError):
        raise ValueError(
            f"{path} is not intact: its compressed data are cut off or damaged."
        ) from None
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not text in UTF-8; convert it first.") from None
    except (pd.errors.ParserError, pd.errors.ParserWarning, csv.Error) as error:
        reason = str(error).strip().rstrip(".").removeprefix("Error tokenizing data. ")
        if isinstance(error, pd.errors.ParserWarning):
            reason = "a row has more cells than the header"
        raise ValueError(f"{path} is not a CSV table ({reason}).") from None


@contextmanager
def _text(path: str) -> Iterator[TextIO]:
    if path == STREAM:
        text = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8-sig", newline="")
        try:
            yield text
        finally:
            text.detach()  # or it would close standard input
        return
    opened: Any = gzip.open if path.lower().endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8-sig", newline="") as file:
        yield file


def _csv_pieces(path: str, rows: int | None) -> Iterator[pd.DataFrame]:
    shown = "standard input" if path == STREAM else path
    with _text(path) as file:
        line = file.readline()
        if not line.strip():
            raise ValueError(f"{shown} is empty; give a table with a header and rows.")
        separator = separator_of(line, path)
        header = next(csv.reader([line], delimiter=separator, strict=True))
        _check_header(header, shown)
        options: dict[str, Any] = {
            "sep": separator, "header": None, "names": header, "index_col": False,
            "dtype": str, "keep_default_na": False, "skip_blank_lines": len(header) > 1,
        }  # fmt: skip
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            if rows is None:
                yield pd.read_csv(file, **options)
                return
            seen = False
            for piece in pd.read_csv(file, chunksize=rows, **options):
                seen = True
                yield piece.reset_index(drop=True)
            if not seen:
                yield pd.DataFrame({name: pd.Series([], dtype=str) for name in header})


def separator_of(line: str, path: str) -> str:
    """What separates the cells of a header: what makes most of them, or a comma."""
    if path.lower().endswith((".tsv", ".tsv.gz")):
        return "\t"
    return max(",;\t", key=lambda one: len(next(csv.reader([line], delimiter=one))))


def _check_header(header: Sequence[str], path: str) -> None:
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise ValueError(
            f"{path} has more than one column {twice[0]!r}; give every column a name "
            "of its own."
        )


def _parquet_pieces(path: str, rows: int | None) -> Iterator[pd.DataFrame]:
    parquet = load_parquet(path)
    try:
        file = parquet.ParquetFile(path)
    except (ValueError, OSError) as error:  # pyarrow's own are among these
        reason = str(error).splitlines()[0].rstrip(".")[:100]
        raise ValueError(f"{path} is not a Parquet file ({reason}).") from None
    with file:
        _check_header(file.schema_arrow.names, path)
        if rows is None or file.metadata.num_rows == 0:
            yield file.read().to_pandas()
            return
        for batch in file.iter_batches(rows):
            yield batch.to_pandas()


def load_parquet(path: str) -> Any:
    """pyarrow's Parquet module, or one sentence on how to get it."""
    try:
        from pyarrow import parquet
    except ImportError:
        raise ValueError(
            f"{path} needs pyarrow: pip install 'softcost[parquet]', or use CSV."
        ) from None
    return parquet


def _libsvm_pieces(
    path: str, rows: int | None, n_features: int | None
) -> Iterator[pd.DataFrame]:
    with open(path, "rb") as file:
        while True:
            lines = file.readlines() if rows is None else _some_lines(file, rows)
            if not lines:
                return
            yield _libsvm_frame(path, b"".join(lines), n_features)


def _some_lines(file: Any, rows: int) -> list[bytes]:
    return [line for _, line in zip(range(rows), file, strict=False)]


def _libsvm_frame(path: str, text: bytes, n_features: int | None) -> pd.DataFrame:
    from sklearn.datasets import load_svmlight_file

    try:
        X, y = load_svmlight_file(
            io.BytesIO(text), n_features=n_features, zero_based=False
        )
    except (ValueError, IndexError, OverflowError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise ValueError(f"{path} is not a LIBSVM file ({reason}).") from None
    if X.shape[0] * X.shape[1] > _MOST_CELLS:
        raise ValueError(
            f"{path} has {X.shape[0]} x {X.shape[1]} cells, too many for a table; "
            "reduce its features, or use the Python library with a sparse matrix."
        )
    names = [str(number) for number in range(1, X.shape[1] + 1)]
    frame = pd.DataFrame(X.toarray(), columns=names)
    labels = [str(int(label)) if label == int(label) else str(label) for label in y]
    frame.insert(0, LIBSVM_TARGET, pd.Series(labels, dtype=object))
    return frame


def column(frame: pd.DataFrame, name: str, option: str, path: str) -> pd.Series:
    """A column by name, or which one was perhaps meant."""
    if name not in frame.columns:
        names = [str(one) for one in frame.columns]
        near = get_close_matches(name, names, n=1) or names[-1:]
        hint = f"; did you mean {near[0]!r}?" if near else "."
        shown = "standard input" if path == STREAM else path
        raise ValueError(f"{option} {name!r} is not a column of {shown}{hint}")
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


def typed(
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
    wrong = np.flatnonzero(np.isinf(found) | (np.isnan(found) & ~empty))
    if len(wrong):
        first = wrong[0]
        raise ValueError(
            f"column {values.name!r} of {path} holds {str(values.iloc[first])!r} in "
            f"row {first_row + first + 1}, where the model needs a finite number; "
            "correct it, or leave it empty."
        )
    return found


def like_identifiers(frame: pd.DataFrame) -> list[str]:
    """Nominal columns with a different text in every row."""
    return [
        str(name)
        for name in frame.columns
        if frame[name].dtype == object
        and len(frame) > 2
        and frame[name].notna().all()
        and frame[name].nunique() == len(frame)
    ]


def existing(path: str) -> Path:
    """A file that is there."""
    if not os.path.exists(path):
        raise FileNotFoundError(f"there is no file {path}.")
    if os.path.isdir(path):
        raise IsADirectoryError(f"{path} is a directory; name a file in it.")
    return Path(path)

"""Tables from files: CSV, Excel, Parquet and LIBSVM, whole or in pieces.

Cells of a CSV file stay text until it is known what a column holds, so that a piece of
a file is read exactly as the whole was when the model was fitted.
"""

import csv
import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import pandas as pd

from softcost.cli.console import STREAM, existing_file
from softcost.cli.inputs._csv import csv_pieces
from softcost.cli.inputs._excel import excel_pieces
from softcost.cli.inputs._headers import Tell, silent
from softcost.cli.inputs._libsvm import libsvm_pieces
from softcost.cli.inputs._parquet import parquet_pieces

Format = Literal["csv", "excel", "parquet", "libsvm"]

SUFFIXES: dict[str, Format] = {
    ".csv": "csv",
    ".csv.gz": "csv",
    ".tsv": "csv",
    ".tsv.gz": "csv",
    ".xlsx": "excel",
    ".xlsm": "excel",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".libsvm": "libsvm",
    ".svmlight": "libsvm",
    ".svm": "libsvm",
}


def format_of(path: str) -> Format:
    """Which format a file has, by its name; a standard stream has CSV."""
    if path == STREAM:
        return "csv"
    for suffix, kind in SUFFIXES.items():
        if path.lower().endswith(suffix):
            return kind
    if path.lower().endswith((".xls", ".xlsb", ".ods")):
        raise ValueError(f"{path} has a format that is not read; save it as .xlsx.")
    raise ValueError(
        f"{path} has no ending that names a format; call it .csv, .csv.gz, .tsv, "
        ".xlsx, .parquet or .libsvm."
    )


def read_table(path: str, tell: Tell = silent) -> pd.DataFrame:
    """All rows of a file, raw: text from CSV, typed cells from the others."""
    pieces = list(table_pieces(path, tell=tell))
    frame = pieces[0] if len(pieces) == 1 else pd.concat(pieces, ignore_index=True)
    if len(frame) == 0:
        raise ValueError(f"{path} has no rows; give a table with a header and rows.")
    return frame


def table_pieces(
    path: str,
    rows: int | None = None,
    n_features: int | None = None,
    tell: Tell = silent,
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
    tell : callable, default=silent
        Called with a sentence on what was assumed, such as an encoding.
    """
    kind = format_of(path)
    if path != STREAM:
        existing_file(path)
    with _said_of(path):
        if kind == "parquet":
            yield from parquet_pieces(path, rows, tell)
        elif kind == "excel":
            yield from excel_pieces(path, rows, tell)
        elif kind == "libsvm":
            yield from libsvm_pieces(path, rows, n_features)
        else:
            yield from csv_pieces(path, rows, tell)


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
        raise ValueError(
            f"{path} is not text in UTF-8, UTF-16 or Windows-1252; convert it first."
        ) from None
    except (pd.errors.ParserError, pd.errors.ParserWarning, csv.Error) as error:
        reason = str(error).strip().rstrip(".").removeprefix("Error tokenizing data. ")
        if isinstance(error, pd.errors.ParserWarning):
            reason = "a row has more cells than the header"
        raise ValueError(f"{path} is not a CSV table ({reason}).") from None

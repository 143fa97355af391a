"""Tables from files: CSV, Excel, Parquet and LIBSVM, whole or in pieces.

Cells of a CSV file stay text until it is known what a column holds, so that a piece of
a file is read exactly as the whole was when the model was fitted.
"""

import codecs
import csv
import gzip
import io
import os
import re
import sys
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any, Literal, TextIO

import pandas as pd

from softcost.files import STREAM, existing_file, shown_name
from softcost.tables.cells import Tell, header_names, silent

# Which characters the bytes of a text file stand for.


_BOMS = ((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_AT_ONCE = 2**20


def open_bytes(path: str) -> Any:
    """A file's bytes, unpacked where it is packed."""
    return gzip.open(path, "rb") if path.lower().endswith(".gz") else open(path, "rb")


def find_encoding(path: str, tell: Tell = silent) -> str:
    """UTF-8, UTF-16 by its mark, or else the one of Windows in western Europe.

    Reads the file once; a pipe cannot be read twice and is taken for UTF-8.
    """
    if not os.path.isfile(path):
        return "utf-8-sig"
    with open_bytes(path) as file:
        piece = file.read(_AT_ONCE)
        for mark, name in _BOMS:
            if piece.startswith(mark):
                tell(f"{path} is read as UTF-16, as the mark at its beginning says.")
                return name
        decoder = codecs.getincrementaldecoder("utf-8")()
        binary = False
        try:
            while piece:
                binary |= b"\0" in piece
                decoder.decode(piece)
                piece = file.read(_AT_ONCE)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            if binary:
                raise
        else:
            return "utf-8-sig"
    tell(f"{path} is not text in UTF-8 and is read as Windows-1252 (western Europe).")
    return "cp1252"


# CSV files and streams, every cell as text.


_LONGEST_HEADER = 2**26
_MANY = 500  # columns, each of which would be an array of its own as ``str``


def csv_pieces(
    path: str, rows: int | None, tell: Tell = silent
) -> Iterator[pd.DataFrame]:
    """The rows of a CSV file, some at a time; all at once for None."""
    shown = shown_name(path)
    with _text(path, tell) as file:
        line = file.readline(_LONGEST_HEADER)
        if len(line) == _LONGEST_HEADER:
            raise ValueError(
                f"{shown} has a first line of more than {_LONGEST_HEADER} characters; "
                "give a table with a header and rows."
            )
        if not line.strip():
            raise ValueError(f"{shown} is empty; give a table with a header and rows.")
        separator = separator_of(line, path)
        cells = next(csv.reader([line], delimiter=separator, strict=True))
        header = header_names(cells, shown, tell)
        options: dict[str, Any] = {
            "sep": separator, "header": None, "names": header, "index_col": False,
            "dtype": str if len(header) < _MANY else object,
            "keep_default_na": False, "skip_blank_lines": len(header) > 1,
        }  # fmt: skip
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            if rows is None:
                frame = pd.read_csv(file, **options)
                frame.attrs["separator"] = separator
                yield frame
                return
            seen = False
            for piece in pd.read_csv(file, chunksize=rows, **options):
                seen = True
                piece.attrs["separator"] = separator
                yield piece.reset_index(drop=True)
            if not seen:
                yield pd.DataFrame({name: pd.Series([], dtype=str) for name in header})


@contextmanager
def _text(path: str, tell: Tell) -> Iterator[TextIO]:
    if path == STREAM:
        text = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8-sig", newline="")
        try:
            yield text
        finally:
            text.detach()  # or it would close standard input
        return
    encoding = find_encoding(path, tell)
    with (
        open_bytes(path) as raw,
        io.TextIOWrapper(raw, encoding=encoding, newline="") as file,
    ):
        yield file


def separator_of(line: str, path: str) -> str:
    """What separates the cells of a header: what makes most of them, or a comma."""
    if path.lower().endswith((".tsv", ".tsv.gz")):
        return "\t"
    plain = re.sub(r'"[^"]*"', "", line)  # not what is inside of quotes
    return max(",;\t|", key=plain.count)


# Workbooks of Excel: the first sheet, from its first row that holds anything.


def excel_pieces(
    path: str, rows: int | None, tell: Tell = silent
) -> Iterator[pd.DataFrame]:
    """The rows of a workbook, some at a time; all at once for None."""
    with sheet_rows(path, tell) as cells:
        header = next(cells, None)
        if header is None:
            raise ValueError(f"{path} is empty; give a table with a header and rows.")
        width = max(place + 1 for place, cell in enumerate(header) if cell is not None)
        names = header_names(header[:width], path, tell)
        while True:
            piece = list(islice(cells, rows))
            for number, row in enumerate(piece):
                if any(cell is not None for cell in row[width:]):
                    raise ValueError(
                        f"{path} has a row with more cells than the header, the "
                        f"{number + 2}th; give every column a name."
                    )
            full = [(*row[:width], *[None] * (width - len(row))) for row in piece]
            frame = pd.DataFrame(full, columns=names, dtype=object)
            yield frame
            if rows is None or len(piece) < rows:
                return


@contextmanager
def sheet_rows(path: str, tell: Tell = silent) -> Iterator[Iterator[tuple[Any, ...]]]:
    """Rows of the first sheet that are not empty, as values."""
    import openpyxl
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except (zipfile.BadZipFile, InvalidFileException, KeyError, ValueError) as error:
        reason = str(error).splitlines()[0].rstrip(".")[:100] if str(error) else "?"
        raise ValueError(f"{path} is not an Excel workbook ({reason}).") from None
    try:
        sheet = book.worksheets[0]
        if len(book.worksheets) > 1:
            tell(
                f"{path} has {len(book.worksheets)} sheets; the first, "
                f"{sheet.title!r}, is read."
            )
        sheet.reset_dimensions()
        yield (
            row
            for row in sheet.iter_rows(values_only=True)
            if any(cell is not None and str(cell).strip() for cell in row)
        )
    finally:
        book.close()


# Parquet files, with pyarrow where it is installed.


def parquet_pieces(
    path: str, rows: int | None, tell: Tell = silent
) -> Iterator[pd.DataFrame]:
    """The rows of a Parquet file, some at a time; all at once for None."""
    parquet = load_parquet(path)
    try:
        file = parquet.ParquetFile(path)
    except (ValueError, OSError) as error:  # pyarrow's own are among these
        reason = str(error).splitlines()[0].rstrip(".")[:100]
        raise ValueError(f"{path} is not a Parquet file ({reason}).") from None
    with file:
        names = header_names(file.schema_arrow.names, path, tell)
        whole = rows is None or file.metadata.num_rows == 0
        for part in [file.read()] if whole else file.iter_batches(rows):
            # What pandas wrote as an index is a column like the others.
            frame = part.to_pandas(ignore_metadata=True)
            yield frame.set_axis(names, axis="columns")


def load_parquet(path: str) -> Any:
    """pyarrow's Parquet module, or one sentence on how to get it."""
    try:
        from pyarrow import parquet
    except ImportError:
        raise ValueError(
            f"{path} needs pyarrow: pip install 'softcost[parquet]', or use CSV."
        ) from None
    return parquet


# LIBSVM files: a column for the label, and one for each feature by its number.


LIBSVM_TARGET = "label"
_MOST_CELLS = 2e8  # of a LIBSVM file, written out


def libsvm_pieces(
    path: str, rows: int | None, n_features: int | None
) -> Iterator[pd.DataFrame]:
    """The rows of a LIBSVM file, some at a time; all at once for None."""
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
    """Read a raw table: text cells from CSV, typed cells from other formats.

    What a column holds is inferred later, by `infer_columns` or `TableEncoder`.

    Parameters
    ----------
    path : str
        A CSV (.csv, .csv.gz, .tsv), Excel (.xlsx), Parquet or LIBSVM file; "-" reads
        CSV from standard input.
    tell : callable, default=silent
        Called with a sentence about each assumption, such as an encoding.

    Returns
    -------
    DataFrame

    See Also
    --------
    softcost.tables.table_pieces : The same, some rows at a time.
    softcost.tables.TableEncoder : Features from a raw table.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from softcost.tables import read_table
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "rows.csv"
    ...     _ = path.write_text("price;city\\n1,50;Oslo\\n2,25;Rome\\n")
    ...     read_table(str(path))
      price  city
    0  1,50  Oslo
    1  2,25  Rome
    """
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
    """Read a raw table some rows at a time, so it may be larger than memory.

    Parameters
    ----------
    path : str
        As in `read_table`.
    rows : int, default=None
        Largest number of rows of a piece; None for all at once.
    n_features : int, default=None
        Number of features of a LIBSVM file, if a piece may not show all.
    tell : callable, default=silent
        Called with a sentence about each assumption, such as an encoding.

    Yields
    ------
    DataFrame
        At least one, perhaps without rows.

    See Also
    --------
    softcost.tables.read_table : All rows.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from softcost.tables import table_pieces
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "rows.csv"
    ...     _ = path.write_text("size\\n1\\n2\\n3\\n")
    ...     [len(piece) for piece in table_pieces(str(path), rows=2)]
    [2, 1]
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

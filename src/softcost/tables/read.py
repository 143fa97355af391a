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
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, Literal, NamedTuple, TextIO

import pandas as pd

from softcost._extras import install_hint
from softcost.errors import argument, on_command_line
from softcost.files import STREAM, existing_file, shown_name
from softcost.formatting import quoted_names
from softcost.tables.cells import Tell, header_names, silent
from softcost.tables.layout import (
    ANYWHERE,
    LOOKAHEAD,
    HeaderRow,
    Layout,
    NumberedRow,
    TablePlace,
    cell_text,
    describe_layout,
    find_layout,
    n_expected,
    n_filled,
    n_used,
)

# Which characters the bytes of a text file stand for.


_BOMS = ((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_AT_ONCE = 2**20
_MIXED = "softcost-mixed"  # the error handler that reads other bytes as Windows-1252
# UTF-8 of Latin letters and punctuation: in Windows-1252 an unlikely pair of signs.
_LATIN_UTF8 = re.compile(rb"[\xc3-\xc9][\x80-\xbf]|\xe2\x80[\x90-\xbf]")
_TRAILING = bytes(range(0x80, 0xC0)).decode("cp1252", "ignore")
_GARBLED = re.compile(rf"[ÃÂ][{re.escape(_TRAILING)}]")


class TextEncoding(NamedTuple):
    """How to decode a file: arguments of ``open``."""

    encoding: str
    errors: str = "strict"


def _decode_as_windows(error: UnicodeError) -> tuple[str, int]:
    """Read bytes that are not UTF-8 as Windows-1252."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("cp1252", "replace"), error.end


codecs.register_error(_MIXED, _decode_as_windows)


def open_bytes(path: str) -> Any:
    """A file's bytes, unpacked where it is packed."""
    return gzip.open(path, "rb") if path.lower().endswith(".gz") else open(path, "rb")


def find_encoding(path: str, tell: Tell = silent) -> TextEncoding:
    """UTF-8, UTF-16 by its mark, Windows-1252, or UTF-8 mixed with the latter.

    Reads the file once; a pipe cannot be read twice and is taken for UTF-8.
    """
    if not os.path.isfile(path):
        return TextEncoding("utf-8-sig")
    binary, latin, first_wrong, line, garbled = False, False, None, 1, None
    decoder = codecs.getincrementaldecoder("utf-8")()
    with open_bytes(path) as file:
        piece = file.read(_AT_ONCE)
        for mark, name in _BOMS:
            if piece.startswith(mark):
                tell(f"{path} is read as UTF-16, as the mark at its beginning says.")
                return TextEncoding(name)
        unmarked = _unmarked_utf16(piece)
        if unmarked is not None:
            tell(f"{path} is read as UTF-16, as its zero bytes suggest.")
            return TextEncoding(unmarked)
        while piece:
            binary |= b"\0" in piece
            latin = latin or _LATIN_UTF8.search(piece) is not None
            if first_wrong is None:
                try:
                    garbled = garbled or _garbled_word(decoder.decode(piece))
                except UnicodeDecodeError as error:
                    if binary:
                        raise
                    first_wrong = line + error.object.count(b"\n", 0, error.start)
                line += piece.count(b"\n")
            piece = file.read(_AT_ONCE)
        if first_wrong is None:
            try:
                decoder.decode(b"", final=True)
            except UnicodeDecodeError:
                first_wrong = line
    if first_wrong is None:
        if garbled:
            tell(
                f"{path} holds {garbled!r}, which looks like UTF-8 that was "
                "saved with another encoding; export it again as UTF-8."
            )
        return TextEncoding("utf-8-sig")
    if latin:
        tell(
            f"{path} mixes encodings: it is UTF-8, but some lines, the first of them "
            f"line {first_wrong}, are not. These are read as Windows-1252 (western "
            "Europe)."
        )
        return TextEncoding("utf-8-sig", _MIXED)
    tell(f"{path} is not UTF-8 and is read as Windows-1252 (western Europe).")
    return TextEncoding("cp1252")


def _garbled_word(text: str) -> str | None:
    """A word with a pair of signs that UTF-8 looks like in Windows-1252."""
    pair = _GARBLED.search(text)
    if pair is None:
        return None
    before = text[max(pair.start() - 20, 0) : pair.start()]
    after = text[pair.start() : pair.end() + 20]
    return (re.split(r"[\s,;]", before)[-1] + re.split(r"[\s,;]", after)[0])[:40]


def _unmarked_utf16(piece: bytes) -> str | None:
    """UTF-16 without a mark, in which every other byte of a western text is zero."""
    half = len(piece) // 2
    low, high = piece[0::2].count(0), piece[1::2].count(0)
    if half and high > half / 2 and low < half / 20:
        return "utf-16-le"
    return "utf-16-be" if half and low > half / 2 and high < half / 20 else None


# CSV files and streams, every cell as text.


_LONGEST_HEADER = 2**26
_LONGEST_LOOKAHEAD = 2**22  # characters, but at least a header and some rows
_LEAST_LOOKAHEAD = 4  # lines
_MANY = 500  # columns, each of which would be an array of its own as ``str``
_SEPARATOR_LINE = re.compile(r'[\ufeff"\s]*sep=(.)["\s]*', re.IGNORECASE)


def csv_pieces(
    path: str, rows: int | None, tell: Tell = silent, place: TablePlace = ANYWHERE
) -> Iterator[pd.DataFrame]:
    """The rows of a CSV file, some at a time; all at once for None."""
    shown = shown_name(path)
    with _text(path, tell) as file:
        start = _read_start(file, path, place)
        names = header_names(start.names, shown, tell)
        assumed = describe_layout(start.rows, start.layout)
        if assumed and place.header_row is None:
            tell(_assumed(shown, assumed))
        spare = [f"\0{number}" for number in range(start.n_spare)]
        options: dict[str, Any] = {
            "sep": start.separator, "header": None, "index_col": False,
            "names": [*start.left_names(), *names, *spare],
            "dtype": str if len(names) < _MANY else object,
            "keep_default_na": False, "skip_blank_lines": len(names) > 1,
        }  # fmt: skip
        body = _CheckedRows(start, file, shown)
        cleaned = _CleanRows(shown, names, start.layout.left)
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            if rows is None:
                pieces: Any = [pd.read_csv(body, **options)]
            else:
                pieces = pd.read_csv(body, chunksize=rows, **options)
            seen = False
            for piece in pieces:
                frame = cleaned(piece)
                if len(frame):
                    seen = True
                    frame.attrs["separator"] = start.separator
                    yield frame
            if not seen:
                yield pd.DataFrame({name: pd.Series([], dtype=str) for name in names})
        if cleaned.n_empty:
            tell(f"{cleaned.n_empty} empty rows at the end of {shown} are skipped.")


def _assumed(path: str, words: str) -> str:
    """What was assumed about the place of a table, and how to correct it."""
    option = f"{argument('header_row')}{' ' if on_command_line() else '='}N"
    return f"{path}: {words}. If that is wrong, pass {option}."


@contextmanager
def _text(path: str, tell: Tell) -> Iterator[TextIO]:
    if path == STREAM:
        text = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8-sig", newline="")
        try:
            yield text
        finally:
            text.detach()  # or it would close standard input
        return
    encoding, errors = find_encoding(path, tell)
    with (
        open_bytes(path) as raw,
        io.TextIOWrapper(raw, encoding=encoding, errors=errors, newline="") as file,
    ):
        yield file


@dataclass(frozen=True)
class _Start:
    """The beginning of a CSV file.

    Attributes
    ----------
    rows : list of (line, cells)
        Those that are not empty, with the line in which each begins.
    names : list of str
        Of the table's columns, as written.
    n_spare : int
        Columns on the right that have neither a name nor cells.
    rest : str
        What was read beyond the header.
    first_line : int
        Line of the file in which ``rest`` begins.
    """

    separator: str
    rows: Sequence[NumberedRow]
    layout: Layout
    names: list[str]
    n_spare: int
    rest: str
    first_line: int

    def left_names(self) -> list[str]:
        return [f"\0left {number}" for number in range(self.layout.left)]


def _read_start(file: TextIO, path: str, place: TablePlace) -> _Start:
    """Read the first lines of a CSV file, and find its header."""
    with _large_cells():
        return _find_start(file, path, place)


@contextmanager
def _large_cells() -> Iterator[None]:
    """Accept cells of any size, as pandas does."""
    limit = csv.field_size_limit(2**31 - 1)
    try:
        yield
    finally:
        csv.field_size_limit(limit)


def _find_start(file: TextIO, path: str, place: TablePlace) -> _Start:
    shown = shown_name(path)
    lines, whole = _first_lines(file, shown)
    if not any(line.strip() for line in lines):
        raise ValueError(f"{shown} is empty; give a table with a header and rows.")
    declared = _SEPARATOR_LINE.fullmatch(lines[0])
    skipped = 1 if declared else 0
    separator = declared[1] if declared else _find_separator(lines, path, place)
    records = list(_records(lines[skipped:], separator, skipped))
    if not whole and len(records) > 1:
        records.pop()  # it may go on
    rows = [(first, cells) for first, _, cells in records if any(map(cell_text, cells))]
    if not rows:
        raise ValueError(f"{shown} is empty; give a table with a header and rows.")
    layout = find_layout(rows, place, shown)
    ends = {first: last for first, last, _ in records}
    first_line, last_line = rows[layout.first][0], ends[rows[layout.last][0]]
    header = lines[first_line - 1 : last_line]
    list(csv.reader(header, delimiter=separator, strict=True))  # refuses bad quotes
    body = [(number, cells[layout.left :]) for number, cells in rows[layout.last + 1 :]]
    names, n_spare = _fitted_names(rows, layout, body, shown)
    rest = "".join(lines[last_line:])
    return _Start(separator, rows, layout, names, n_spare, rest, last_line + 1)


def _fitted_names(
    rows: Sequence[NumberedRow], layout: Layout, body: Sequence[NumberedRow], path: str
) -> tuple[list[str], int]:
    """Names of all columns with cells, and the number of empty columns after them."""
    in_header = max(len(cells) for _, cells in rows[layout.first : layout.last + 1])
    in_header -= layout.left
    width = len(layout.names)
    for number, cells in body:
        used = n_used([cell_text(cell) for cell in cells])
        if used > in_header:
            raise ValueError(_too_long(path, number, used, width))
        width = max(width, used)
    names = [*layout.names, *[""] * (width - len(layout.names))]
    longest = max((len(cells) for _, cells in body), default=0)
    return names, max(longest, in_header, width) - width


def _too_long(path: str, line: int, n_cells: int, n_names: int) -> str:
    option = argument("header_row")
    return (
        f"{path} has a row with more cells than the header: line {line} has {n_cells}, "
        f"the header {n_names}. Give every column a name; if another line is the "
        f"header, pass its number as {option}."
    )


def _first_lines(file: TextIO, path: str) -> tuple[list[str], bool]:
    """The first lines of a file, and whether these are all."""
    lines: list[str] = []
    size = 0
    while len(lines) < LOOKAHEAD + 1:
        if size > _LONGEST_LOOKAHEAD and len(lines) >= _LEAST_LOOKAHEAD:
            return lines, False
        line = file.readline(_LONGEST_HEADER)
        if len(line) == _LONGEST_HEADER:
            raise ValueError(
                f"{path} has a line of more than {_LONGEST_HEADER} characters; "
                "give a table with a header and rows."
            )
        if not line:
            return lines, True
        lines.append(line)
        size += len(line)
    return lines, False


def _records(
    lines: list[str], separator: str, skipped: int = 0
) -> Iterator[tuple[int, int, list[str]]]:
    """Rows of cells, each with its first and last line."""
    reader = csv.reader(lines, delimiter=separator)
    first = 1
    for cells in reader:
        yield first + skipped, reader.line_num + skipped, cells
        first = reader.line_num + 1


def _find_separator(lines: list[str], path: str, place: TablePlace) -> str:
    """What separates the cells of a CSV file.

    It is what makes most cells of the first line, if other rows are as long; else what
    makes most rows of the same length.
    """
    first = next(line for line in lines if line.strip())
    usual = separator_of(first, path)
    if path.lower().endswith((".tsv", ".tsv.gz")):
        return usual
    best, most = usual, 0.0
    for separator in dict.fromkeys((usual, *SEPARATORS)):
        rows = [cells for _, _, cells in _records(lines, separator) if any(cells)]
        if any(n_expected([cell_text(cell) for cell in row], place.columns) and
               len(row) > 1 for row in rows):  # fmt: skip
            return separator
        lengths = Counter(len(row) for row in rows if len(row) > 1)
        if not lengths:
            continue
        length, count = max(lengths.items(), key=lambda item: (item[1], item[0]))
        if separator == usual and len(rows[0]) == length and 2 * count > len(rows):
            return usual
        if count > max(most, 0.5 * len(rows)):
            best, most = separator, count
    return best


SEPARATORS = ",;\t|"


def separator_of(line: str, path: str) -> str:
    """What separates the cells of a header: what makes most of them, or a comma."""
    if path.lower().endswith((".tsv", ".tsv.gz")):
        return "\t"
    plain = re.sub(r'"[^"]*"', "", line)  # not what is inside of quotes
    return max(SEPARATORS, key=plain.count)


class _CheckedRows(io.TextIOBase):
    """The text of a CSV file after its header; refuses rows of another length.

    pandas completes rows that are cut off without a word.

    Parameters
    ----------
    start : _Start
    file : text file
        At the end of ``start``.
    path : str
        For messages.
    """

    def __init__(self, start: _Start, file: TextIO, path: str) -> None:
        self._start, self._file, self._path = start, file, path
        self._ahead: list[str] = []  # lines that have been checked
        self._size, self._n_rows = 0, 0
        self._least = start.layout.left + len(start.names)
        self._most = self._least + start.n_spare
        self._reader = csv.reader(self._lines(), delimiter=start.separator)

    def _lines(self) -> Iterator[str]:
        for line in chain(io.StringIO(self._start.rest, newline=""), self._file):
            self._ahead.append(line)
            self._size += len(line)
            yield line

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> str:
        size = -1 if size is None else size
        with _large_cells():
            self._check_ahead(size)
        text = "".join(self._ahead)
        piece, rest = (text, "") if size < 0 else (text[:size], text[size:])
        self._ahead, self._size = [rest] if rest else [], len(rest)
        return piece

    def _check_ahead(self, size: int) -> None:
        while size < 0 or self._size < size:
            line = self._start.first_line + self._reader.line_num
            cells = next(self._reader, None)
            if cells is None:
                break
            if len(cells) > 1 or (cells and cells[0].strip()):
                self._n_rows += 1
                self._check(cells, line)

    def _check(self, cells: list[str], line: int) -> None:
        n_cells, n_names = len(cells), len(self._start.names)
        if n_cells > self._most:
            raise ValueError(_too_long(self._path, line, n_cells, n_names))
        if n_cells < self._least:
            raise ValueError(
                f"row {self._n_rows} of {self._path} (line {line}) has "
                f"{n_cells} {'cell' if n_cells == 1 else 'cells'} and the header has "
                f"{n_names}; it begins with "
                f"{cells[0][:40]!r}. Complete the row, or remove it."
            )

    # pandas wants a file to have it, and does not use it.
    def __iter__(self) -> Iterator[str]:  # type: ignore[override]
        return iter(self.readline, "")


class _CleanRows:
    """Takes empty columns and the empty rows at the end out of blocks of rows.

    Other empty rows stay, so that predictions have as many rows as the table.

    Parameters
    ----------
    path : str
        For messages.
    names : list of str
        The table's columns.
    left : int
        Number of empty columns before them.
    """

    def __init__(self, path: str, names: list[str], left: int) -> None:
        self._path, self._names, self._left = path, names, left
        self._empty: pd.DataFrame | None = None  # rows that may be the last
        self._n_rows = 0

    @property
    def n_empty(self) -> int:
        """Empty rows at the end."""
        return 0 if self._empty is None else len(self._empty)

    def __call__(self, frame: pd.DataFrame) -> pd.DataFrame:
        if len(self._names) > 1:
            frame = self._without_last_rows(frame)
        frame = frame.reset_index(drop=True)
        width = len(self._names)
        for place in (*range(self._left), *range(self._left + width, frame.shape[1])):
            cells = frame.iloc[:, place].fillna("").str.strip().to_numpy()
            if (cells != "").any():
                row = int((cells != "").argmax())
                raise ValueError(
                    f"row {self._n_rows + row + 1} of {self._path} has "
                    f"{str(cells[row])[:40]!r} in a column without a name; give every "
                    "column a name."
                )
        self._n_rows += len(frame)
        return frame[self._names] if frame.shape[1] > width else frame

    def _without_last_rows(self, frame: pd.DataFrame) -> pd.DataFrame:
        if self._empty is not None:
            frame = pd.concat([self._empty, frame], ignore_index=True)
        size = len(frame)
        while size and self._is_empty(frame.iloc[size - 1]):
            size -= 1
        self._empty = frame.iloc[size:] if size < len(frame) else None
        return frame.iloc[:size]

    @staticmethod
    def _is_empty(row: pd.Series) -> bool:
        return not any(isinstance(cell, str) and cell.strip() for cell in row)


# Workbooks of Excel.


def excel_pieces(
    path: str, rows: int | None, tell: Tell = silent, place: TablePlace = ANYWHERE
) -> Iterator[pd.DataFrame]:
    """The rows of a workbook, some at a time; all at once for None."""
    with sheet_rows(path, tell, place) as numbered:
        start = list(islice(numbered, LOOKAHEAD))
        if not start:
            raise ValueError(f"{path} is empty; give a table with a header and rows.")
        layout = find_layout(start, place, path)
        names = header_names(layout.names, path, tell)
        assumed = describe_layout(start, layout)
        if assumed and place.header_row is None:
            tell(_assumed(path, assumed))
        left, width = layout.left, len(names)
        body = chain(start[layout.last + 1 :], numbered)
        while True:
            piece = list(islice(body, rows))
            for number, cells in piece:
                if any(cell is not None for cell in (*cells[:left],)):
                    raise ValueError(
                        f"{path} has a cell left of the table in row {number}; give "
                        "every column a name."
                    )
                if any(cell is not None for cell in cells[left + width :]):
                    raise ValueError(
                        f"{path} has a row with more cells than the header, row "
                        f"{number}; give every column a name. If another row is the "
                        f"header, pass its number as {argument('header_row')}."
                    )
            full = [
                (*cells[left : left + width], *[None] * (left + width - len(cells)))
                for _, cells in piece
            ]
            yield pd.DataFrame(full, columns=names, dtype=object)
            if rows is None or len(piece) < rows:
                return


@contextmanager
def sheet_rows(
    path: str, tell: Tell = silent, place: TablePlace = ANYWHERE
) -> Iterator[Iterator[NumberedRow]]:
    """Numbered rows of a sheet that are not empty, as values."""
    import openpyxl
    from openpyxl.utils.exceptions import InvalidFileException

    with open(path, "rb") as file:  # some versions of openpyxl leave it open
        try:
            book = openpyxl.load_workbook(file, read_only=True, data_only=True)
        except (
            zipfile.BadZipFile, InvalidFileException, KeyError, ValueError,
        ) as error:  # fmt: skip
            reason = str(error).splitlines()[0].rstrip(".")[:100] if str(error) else "?"
            raise ValueError(f"{path} is not an Excel workbook ({reason}).") from None
        try:
            yield _rows_of(_choose_sheet(book, path, tell, place))
        finally:
            book.close()


def _rows_of(sheet: Any) -> Iterator[NumberedRow]:
    sheet.reset_dimensions()
    for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
        if any(cell is not None and str(cell).strip() for cell in row):
            yield number, row


def _choose_sheet(book: Any, path: str, tell: Tell, place: TablePlace) -> Any:
    """The sheet that was asked for, or the first that looks like the table."""
    sheets = book.worksheets
    if not sheets:
        raise ValueError(f"{path} has no sheet with cells; give a table.")
    titles = [sheet.title for sheet in sheets]
    if place.sheet is not None:
        return sheets[_given_sheet(place.sheet, titles, path)]
    visible = [sheet for sheet in sheets if sheet.sheet_state == "visible"] or sheets
    if len(visible) == 1:
        return visible[0]
    best, most = None, (0, False)
    for sheet in visible:
        texts = [
            [cell_text(cell) for cell in cells]
            for _, cells in islice(_rows_of(sheet), LOOKAHEAD)
        ]
        expected = max((n_expected(row, place.columns) for row in texts), default=0)
        # A title and its text are no table.
        score = (expected, sum(n_filled(row) > 1 for row in texts) > 1)
        if score > most:
            best, most = sheet, score
    chosen = visible[0] if best is None else best
    option = f"{argument('sheet')}{' ' if on_command_line() else '='}NAME"
    tell(
        f"{path} has {len(visible)} sheets; {chosen.title!r} is read. If that is "
        f"wrong, pass {option}."
    )
    return chosen


def _given_sheet(sheet: str, titles: list[str], path: str) -> int:
    for place, title in enumerate(titles):
        if sheet == title:
            return place
    same = [place for place, title in enumerate(titles)
            if title.strip().casefold() == sheet.strip().casefold()]  # fmt: skip
    if len(same) == 1:
        return same[0]
    if sheet.isdecimal() and 1 <= int(sheet) <= len(titles):
        return int(sheet) - 1
    raise ValueError(
        f"{argument('sheet')} {sheet!r} is not a sheet of {path}; its sheets are "
        f"{quoted_names(titles, 10)}."
    )


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
            f"{path} needs pyarrow: {install_hint('parquet')}, or use CSV."
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


def read_table(
    path: str,
    tell: Tell = silent,
    *,
    sheet: str | int | None = None,
    header_row: HeaderRow | None = None,
    columns: Collection[str] = (),
) -> pd.DataFrame:
    """Read a raw table: text cells from CSV, typed cells from other formats.

    What a column holds is inferred later, by `infer_columns` or `TableEncoder`. Titles
    above the header, a second header row and empty columns on the left are detected.

    Parameters
    ----------
    path : str
        A CSV (.csv, .csv.gz, .tsv), Excel (.xlsx), Parquet or LIBSVM file; "-" reads
        CSV from standard input.
    tell : callable, default=silent
        Called with a sentence about each assumption, such as an encoding.
    sheet : str or int, default=None
        Sheet of a workbook, by name or by number, beginning with 1; None chooses the
        first that looks like a table.
    header_row : int or pair of int, default=None
        Row with the column names, beginning with 1, or the first and the last of
        several; None detects it.
    columns : collection of str, default=()
        Names that the table should have; they help to find its sheet and its header.

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
    pieces = list(
        table_pieces(
            path, tell=tell, sheet=sheet, header_row=header_row, columns=columns
        )
    )
    frame = pieces[0] if len(pieces) == 1 else pd.concat(pieces, ignore_index=True)
    if len(frame) == 0:
        raise ValueError(f"{path} has no rows; give a table with a header and rows.")
    return frame


def table_pieces(
    path: str,
    rows: int | None = None,
    n_features: int | None = None,
    tell: Tell = silent,
    *,
    sheet: str | int | None = None,
    header_row: HeaderRow | None = None,
    columns: Collection[str] = (),
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
    sheet, header_row, columns
        As in `read_table`.

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
    if sheet is not None and kind != "excel":
        raise ValueError(
            f"{argument('sheet')} is for Excel workbooks, and {shown_name(path)} is "
            "not one; leave it out."
        )
    if header_row is not None and kind not in ("csv", "excel"):
        raise ValueError(
            f"{argument('header_row')} is for CSV files and Excel workbooks, and "
            f"{path} is neither; leave it out."
        )
    place = TablePlace(None if sheet is None else str(sheet), header_row, columns)
    with _said_of(path):
        if kind == "parquet":
            yield from parquet_pieces(path, rows, tell)
        elif kind == "excel":
            yield from excel_pieces(path, rows, tell, place)
        elif kind == "libsvm":
            yield from libsvm_pieces(path, rows, n_features)
        else:
            yield from csv_pieces(path, rows, tell, place)


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

"""CSV files and streams, every cell as text."""

import csv
import io
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

import pandas as pd

from softcost.cli.console import STREAM, shown_name
from softcost.cli.inputs._encoding import find_encoding, open_bytes
from softcost.cli.inputs._headers import Tell, header_names, silent

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

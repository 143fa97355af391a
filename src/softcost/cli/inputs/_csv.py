"""CSV files and streams, every cell as text."""

import csv
import gzip
import io
import re
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TextIO

import pandas as pd

from softcost.cli.console import STREAM, shown_name

_LONGEST_HEADER = 2**26


def csv_pieces(path: str, rows: int | None) -> Iterator[pd.DataFrame]:
    """The rows of a CSV file, some at a time; all at once for None."""
    shown = shown_name(path)
    with _text(path) as file:
        line = file.readline(_LONGEST_HEADER)
        if len(line) == _LONGEST_HEADER:
            raise ValueError(
                f"{shown} has a first line of more than {_LONGEST_HEADER} characters; "
                "give a table with a header and rows."
            )
        if not line.strip():
            raise ValueError(f"{shown} is empty; give a table with a header and rows.")
        separator = separator_of(line, path)
        header = next(csv.reader([line], delimiter=separator, strict=True))
        check_header(header, shown)
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


def separator_of(line: str, path: str) -> str:
    """What separates the cells of a header: what makes most of them, or a comma."""
    if path.lower().endswith((".tsv", ".tsv.gz")):
        return "\t"
    plain = re.sub(r'"[^"]*"', "", line)  # not what is inside of quotes
    return max(",;\t", key=plain.count)


def check_header(header: Sequence[str], path: str) -> None:
    """Refuse two columns of one name."""
    twice = sorted(name for name, count in Counter(header).items() if count > 1)
    if twice:
        raise ValueError(
            f"{path} has more than one column {twice[0]!r}; give every column a name "
            "of its own."
        )

"""Cells as CSV, plain or compressed: how results travel."""

import csv
import gzip
import io
import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TextIO

import pandas as pd

from softcost.files import atomic_write
from softcost.paper.run._cell import METRICS
from softcost.paper.run._plan import Unit, cell_key
from softcost.paper.run._ranges import check_ranges

FIELDS = {
    "dataset": "TEXT NOT NULL",
    "costs": "TEXT NOT NULL",
    "family": "TEXT NOT NULL",
    "run": "INTEGER NOT NULL",
    "rows": "INTEGER",
    "data": "TEXT NOT NULL",
    "made_of": "TEXT NOT NULL",
    "version": "INTEGER NOT NULL",
    "algorithm": "TEXT NOT NULL",
    **dict.fromkeys(METRICS, "REAL NOT NULL"),
    "recalls": "TEXT NOT NULL",
    "softness": "REAL",
    "params": "TEXT NOT NULL",
    "cv_cost": "REAL",
    "cv_error": "REAL",
}
COLUMNS = ("key", *FIELDS)
_MAGIC = b"\x1f\x8b"  # of gzip


def write_export(
    path: Any, rows: Iterable[tuple[Any, ...]], *, reads: Sequence[Any] = ()
) -> int:
    """Write rows in the order of `COLUMNS`; how many there are.

    ``reads`` are files that are being read, which are not to be written over.
    """
    count = 0
    with atomic_write(path, reads=reads) as place, _new_text(place) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for row in rows:
            writer.writerow(
                [repr(value) if isinstance(value, float) else value for value in row]
            )
            count += 1
    return count


@contextmanager
def _new_text(path: Any) -> Iterator[TextIO]:
    """A file to write; compressed without a name and a time in it."""
    if not str(path).endswith(".gz"):
        with open(path, "w", newline="", encoding="utf-8") as file:
            yield file
        return
    with (
        open(path, "wb") as raw,
        gzip.GzipFile("", "wb", compresslevel=9, fileobj=raw, mtime=0) as packed,
        io.TextIOWrapper(packed, "utf-8", newline="") as text,
    ):
        yield text


@contextmanager
def _open_text(path: Any) -> Iterator[TextIO]:
    with open(path, "rb") as file:
        packed = file.read(len(_MAGIC)) == _MAGIC
    opener: Any = gzip.open if packed else open
    with opener(path, "rt", newline="", encoding="utf-8") as text:
        yield text


def read_export(path: Any) -> list[dict[str, Any]]:
    """All rows of an export."""
    try:
        with _open_text(path) as file:
            reader = csv.DictReader(file)
            if tuple(reader.fieldnames or ()) == COLUMNS:
                return [
                    _read_row(row, path, line) for line, row in enumerate(reader, 2)
                ]
            problem = "its columns differ"
    except (UnicodeDecodeError, csv.Error, EOFError, zlib.error) as error:
        problem = str(error)
    raise ValueError(
        f"{path} is not an export of results ({problem}); write one with 'softcost "
        "reproduce export'."
    )


def _read_row(row: dict[str, Any], path: Any, line: int) -> dict[str, Any]:
    """One line of an export, with numbers as numbers; its key is checked."""
    out: dict[str, Any] = {"key": row["key"]}
    try:
        for name, kind in FIELDS.items():
            text = row[name]
            if text == "" and "NOT NULL" not in kind:
                out[name] = None
            elif kind.startswith("REAL"):
                out[name] = float(text)
            elif kind.startswith("INTEGER"):
                out[name] = int(text)
            else:
                out[name] = str(text)
        json.loads(out["params"])
        check_ranges(out)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}, line {line}: {error}; export it again.") from error
    unit = Unit(
        out["dataset"], out["costs"], out["family"], out["run"], out["rows"],
        out["data"], out["made_of"], out["version"],
    )  # fmt: skip
    if cell_key(unit, out["algorithm"]) != out["key"]:
        raise ValueError(
            f"{path}, line {line}: the key does not belong to the row; export it again."
        )
    return out


def differ(a: Any, b: Any) -> bool:
    """Whether two values of a cell are not the same; missing ones are."""
    return a != b and not (pd.isna(a) and pd.isna(b))

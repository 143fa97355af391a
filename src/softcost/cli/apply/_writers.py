"""Predictions to CSV or Parquet, piece by piece."""

import gzip
import io
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, cast

import pandas as pd

from softcost.files import STREAM, atomic_write
from softcost.tables import format_of, load_parquet


class Writer(Protocol):
    def __call__(self, frame: pd.DataFrame) -> None:
        """Write one more piece."""


@contextmanager
def open_writer(output: str, reads: Sequence[str] = ()) -> Iterator[Writer]:
    """A writer of frames to a file, which is there as a whole or not at all."""
    if output == STREAM:
        stream = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", newline="")
        try:
            yield _csv_to(stream)
            stream.flush()
        finally:
            stream.detach()  # or it would close standard output
        return
    with atomic_write(output, reads=reads) as place:
        if format_of(output) == "parquet":
            with _parquet_to(str(place), output) as write:
                yield write
        elif output.lower().endswith(".gz"):
            with (
                open(place, "wb") as raw,
                gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed,
                io.TextIOWrapper(cast(Any, packed), "utf-8", newline="") as file,
            ):
                yield _csv_to(file, output)
        else:
            with open(place, "w", encoding="utf-8", newline="") as file:
                yield _csv_to(file, output)


def _csv_to(file: Any, output: str = "") -> Writer:
    separator = "\t" if ".tsv" in output.lower() else ","
    first = [True]

    def write(frame: pd.DataFrame) -> None:
        frame.to_csv(
            file, header=first[0], index=False, sep=separator, lineterminator="\n"
        )
        first[0] = False

    return write


@contextmanager
def _parquet_to(place: str, output: str) -> Iterator[Writer]:
    parquet = load_parquet(output)
    import pyarrow

    opened: list[Any] = []

    def write(frame: pd.DataFrame) -> None:
        schema = opened[0].schema if opened else None
        table = pyarrow.Table.from_pandas(frame, schema=schema, preserve_index=False)
        if not opened:
            opened.append(parquet.ParquetWriter(place, table.schema))
        opened[0].write_table(table)

    try:
        yield write
    finally:
        for writer in opened:
            writer.close()

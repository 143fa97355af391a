"""The work behind ``softcost predict``."""

import gzip
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol, cast

import numpy as np
import pandas as pd

from softcost.cli._errors import BadInput, bad_input
from softcost.cli._fit_job import check_place, trained
from softcost.cli._model_file import StoredModel, open_model, pieces
from softcost.cli._output import write_json
from softcost.cli._table import STREAM, column, format_of, load_parquet
from softcost.files import atomic_write

PREDICTION = "prediction"
EXPECTED = "expected_cost"


class Writer(Protocol):
    def __call__(self, frame: pd.DataFrame) -> None:
        """Write one more piece."""


def run(
    model: str,
    data: str,
    output: str,
    keep: tuple[str, ...],
    scores: bool,
    rows_at_once: int,
    as_json: bool,
) -> None:
    """Predict piece by piece."""
    if output == STREAM and as_json:
        raise BadInput(
            "--json tells what was done on standard output, where the predictions go; "
            "give them a file with -o."
        )
    with bad_input():
        if output != STREAM:
            if format_of(output) == "libsvm":
                raise ValueError(f"{output} must be a CSV or Parquet file.")
            check_place(output)
        stored = open_model(model)
    counts = dict.fromkeys((str(name) for name in stored.classes.tolist()), 0)
    with trained(), _writer(output) as write:
        for raw, X in pieces(stored, data, rows_at_once, _not_features(stored, keep)):
            frame = predicted_frame(stored, raw, X, keep, scores, data)
            for name, count in frame[PREDICTION].value_counts().items():
                counts[str(name)] += int(count)
            write(frame)
    if as_json:
        write_json(
            {
                "model": model,
                "data": data,
                "output": output,
                "rows": sum(counts.values()),
                "predictions": counts,
            }
        )


def _not_features(stored: StoredModel, keep: tuple[str, ...]) -> set[str]:
    target = stored.manifest["notes"].get("target")
    return {*keep} | ({target} if target else set())


def predicted_frame(
    stored: StoredModel,
    raw: pd.DataFrame,
    X: Any,
    keep: tuple[str, ...],
    scores: bool,
    path: str,
) -> pd.DataFrame:
    """Kept columns, labels, scores and the expected cost of the label."""
    columns: dict[str, Any] = {}
    for name in keep:
        columns[name] = column(raw, name, "--keep", path).to_numpy()
    labels, found, expected = stored.classes[:0], None, None
    if len(raw) == 0:
        found = np.empty((0, len(stored.classes))) if scores else None
    elif scores:
        labels, found = stored.predict_and_score(X)
        expected = stored.expected_costs(X)
    else:
        labels = stored.predict(X)
    columns[PREDICTION] = labels.astype(str).astype(object)
    if found is not None:
        for name, values in zip(stored.classes.tolist(), found.T, strict=True):
            columns[f"score_{name}"] = values
    if expected is not None:
        place = np.searchsorted(stored.classes, labels)
        columns[EXPECTED] = expected[np.arange(len(labels)), place]
    made = 1 + (expected is not None) + (0 if found is None else found.shape[1])
    if len(columns) < len(keep) + made:
        raise ValueError(
            f"--keep names a column twice, or one called {PREDICTION!r} or "
            "'score_...', which the output has already; rename it in DATA."
        )
    return pd.DataFrame(columns)


@contextmanager
def _writer(output: str) -> Iterator[Writer]:
    if output == STREAM:
        stream = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", newline="")
        try:
            yield _csv_to(stream)
            stream.flush()
        finally:
            stream.detach()  # or it would close standard output
        return
    with atomic_write(output) as place:
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

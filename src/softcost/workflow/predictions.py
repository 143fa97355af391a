"""Predictions as tables: labels with expected costs, the most expensive rows, files."""

import gzip
import io
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from softcost.costs import answer_indices
from softcost.errors import InputError, argument
from softcost.files import STREAM, atomic_write
from softcost.formatting import visible
from softcost.tables.read import format_of, load_parquet
from softcost.workflow.stored_model import StoredModel

PREDICTION = "prediction"
EXPECTED = "expected_cost"
NEXT, MORE = "next_best", "next_best_costs_more"


def with_predictions(
    kept: dict[str, NDArray[Any]],
    stored: StoredModel,
    X: Any,
    scores: bool,
    costs: NDArray[Any] | None = None,
    first_row: int = 0,
) -> pd.DataFrame:
    """Row numbers, kept columns, labels, and expected costs or scores of all answers.

    A kept column called ``row`` replaces the numbers.
    """
    labels, found, expected = _predict(stored, X, scores, costs)
    made: dict[str, Any] = {PREDICTION: labels.astype(str).astype(object)}
    names = stored.answers.tolist()
    if expected is not None:
        place = answer_indices(
            labels, stored.classes, stored.actions, argument="predictions"
        )
        made[EXPECTED] = expected[np.arange(len(labels)), place]
        made |= _next_best(stored, expected, place)
        for name, values in zip(names, expected.T, strict=True):
            made[f"{EXPECTED}_{name}"] = values
    elif found is not None:
        for name, values in zip(names, found.T, strict=True):
            made[f"score_{name}"] = values
    for name in kept:
        if name in made:
            raise InputError(
                f"DATA has a column {name!r}, which the output also has; rename it in "
                f"DATA, or leave it out of {argument('keep')}."
            )
    numbers = {ROW: np.arange(first_row, first_row + len(labels)) + 1}
    return pd.DataFrame(numbers | kept | made)


def _next_best(
    stored: StoredModel, expected: np.ndarray, place: np.ndarray
) -> dict[str, Any]:
    """The answer that would be next, and how much more it is expected to cost.

    So much dearer the given answer would have to be for another one to be given. A
    model with some softness does not decide by prices alone: then it may be negative.
    """
    every = np.arange(len(place))
    others = expected.copy()
    others[every, place] = np.inf
    second = others.argmin(axis=1)
    names = stored.answers[second].astype(str).astype(object)
    return {NEXT: names, MORE: others[every, second] - expected[every, place]}


def _predict(
    stored: StoredModel, X: Any, scores: bool, costs: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray | None, np.ndarray | None]:
    """Labels, scores and expected costs; the latter two where there are any."""
    if len(X) == 0:
        none = np.empty((0, len(stored.answers))) if scores else None
        in_money = stored.knows_expected_costs()
        return stored.answers[:0], none, none if in_money else None
    with stored.refusing_rows():
        if not scores:
            return stored.predict(X, costs), None, None
        priced = stored.predict_and_price(X, costs)
        if priced is not None:
            return priced[0], None, priced[1]
        labels, found = stored.predict_and_score(X, costs)
        return labels, found, None


# The most expensive uncertain rows.


ROW, RISK, MARGIN = "row", "expected_cost", "margin"


class MostExpensive:
    """The most expensive uncertain rows of a table that is read in blocks.

    Rows are ranked by the expected cost of the prediction, the largest first. If the
    model has none, they are ranked by the margin between the two best scores, the
    smallest first.

    Parameters
    ----------
    n_rows : int
        Number of rows to keep.
    """

    def __init__(self, n_rows: int) -> None:
        self._n_rows = n_rows
        self._rows: pd.DataFrame | None = None

    def update(self, frame: pd.DataFrame, stored: StoredModel) -> None:
        """Rank the predictions of the next block among those so far."""
        if RISK not in frame:
            frame = frame.copy()
            names = [f"score_{name}" for name in stored.answers.tolist()]
            if not set(names) <= set(frame):
                raise InputError(
                    f"{stored.path} has no scores to rank rows by; leave out "
                    f"{argument('top')}."
                )
            best = np.sort(frame[names].to_numpy(float), axis=1)
            frame[MARGIN] = best[:, -1] - best[:, -2]
        every = frame if self._rows is None else pd.concat([self._rows, frame])
        key, up = (RISK, False) if RISK in frame else (MARGIN, True)
        ordered = every.sort_values(key, ascending=up, kind="stable")
        self._rows = ordered.head(self._n_rows).reset_index(drop=True)

    def rows(self) -> pd.DataFrame:
        """The most expensive rows, the worst first."""
        return pd.DataFrame() if self._rows is None else self._rows


# Predictions to CSV or Parquet, piece by piece.


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
        # A column's name may hold characters that control a terminal.
        header = [visible(str(name)) for name in frame] if first[0] else False
        frame.to_csv(
            file, header=header, index=False, sep=separator, lineterminator="\n"
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

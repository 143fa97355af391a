"""A file in blocks of rows: what it holds, and its rows as numbers on disk."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from softcost.cli.train._data import TrainingInput
from softcost.cli.train._job import Job
from softcost.tables import column, read_labels, table_pieces, typed_columns


@dataclass(frozen=True)
class FirstPass:
    """What one pass over a file keeps of it.

    Attributes
    ----------
    sample : DataFrame
        Raw rows, drawn at random: all of them where the file is short.
    labels : array of shape (n,)
        Of all rows.
    """

    sample: pd.DataFrame
    labels: np.ndarray


def blocks_of(job: Job, tell: Any = None) -> Iterator[tuple[int, pd.DataFrame]]:
    """Blocks of raw rows, each with the number of its first row."""
    start, told = 0, {} if tell is None else {"tell": tell}
    for block in table_pieces(job.data, job.rows_at_once, **told):
        yield start, block
        start += len(block)


def first_pass(job: Job, notes: list[str]) -> FirstPass:
    """Read all labels, and draw as many rows as may be in memory.

    Every row has a random number, and those with the least numbers are kept.
    """
    rng = np.random.default_rng(job.seed)
    names: dict[str, int] = {}
    codes: list[np.ndarray] = []
    kept: list[pd.DataFrame] = []
    drawn, places = np.empty(0), np.empty(0, np.intp)
    for start, block in blocks_of(job, notes.append):
        values = column(block, job.target, "--target", job.data)
        labels = read_labels(values, "--target", job.data, start)
        here, own = pd.factorize(labels)
        numbers = [names.setdefault(str(name), len(names)) for name in own]
        codes.append(np.array(numbers, np.int32)[here])
        drawn = np.append(drawn, rng.random(len(block)))
        places = np.append(places, np.arange(start, start + len(block)))
        kept = [pd.concat([*kept, block], ignore_index=True)]
        if len(drawn) > (job.rows_at_once or 0):
            least = np.sort(np.argsort(drawn, kind="stable")[: job.rows_at_once])
            drawn, places = drawn[least], places[least]
            kept = [kept[0].iloc[least].reset_index(drop=True)]
        kept[0].attrs.update(block.attrs)
    if len(drawn) == 0:
        raise ValueError(
            f"{job.data} has no rows; give a table with a header and rows."
        )
    return FirstPass(kept[0], np.array(list(names))[np.concatenate(codes)])


def write_rows(
    job: Job, data: TrainingInput, columns: Any, fold: np.ndarray, path: Path
) -> tuple[np.ndarray, np.ndarray]:
    """Features of all rows in a file, those of a fold side by side.

    Parameters
    ----------
    columns : transformer
        Fitted to a sample.
    fold : array of shape (n,)
        The number of each row's fold.

    Returns
    -------
    X : memory-mapped array of shape (n, n_features), float32
    order : array of shape (n,)
        The number, in the table, of each of its rows.
    """
    order = np.argsort(fold, kind="stable")
    free = np.searchsorted(fold[order], np.arange(fold.max() + 1))  # next of each fold
    width = 0
    with path.open("wb") as file:
        for start, raw in blocks_of(job):
            if len(raw) == 0:
                continue
            typed = typed_columns(
                raw, data.kinds, job.data, start, tokens=data.asked.tokens
            )
            block = np.asarray(columns.transform(typed), np.float32)
            width, own = block.shape[1], fold[start : start + len(block)]
            for number in np.unique(own):
                rows = block[own == number]
                file.seek(4 * width * int(free[number]))
                file.write(rows.tobytes())
                free[number] += len(rows)
    return np.memmap(path, np.float32, "r", shape=(len(fold), width)), order

"""What ``softcost fit`` reads: costs, rows to learn from, rows to measure on."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from softcost.cli.console import quoted_names, say
from softcost.cli.inputs import (
    Kind,
    almost_numbers,
    check_not_free,
    column,
    find_kinds,
    identifier_columns,
    read_cost_columns,
    read_cost_file,
    read_labels,
    read_table,
    typed_columns,
)
from softcost.cli.train._job import Job
from softcost.cli.train._validation import check_folds, check_two_classes
from softcost.costs import raw_cost_vectors, resolve_classes
from softcost.files import check_output


@dataclass(frozen=True)
class Rows:
    """Examples with what mistakes on them cost."""

    X: pd.DataFrame
    y: np.ndarray
    costs: pd.DataFrame | None

    def part(self, rows: np.ndarray) -> "Rows":
        """Some of the rows, by number."""
        costs = None if self.costs is None else self.costs.iloc[rows]
        return Rows(self.X.iloc[rows], self.y[rows], costs)


@dataclass(frozen=True)
class TrainingInput:
    """All that was read for one training, and checked.

    Attributes
    ----------
    matrix : DataFrame or None
        Costs by class; None where there are costs by row.
    classes : array of shape (K,)
        Sorted.
    kinds : dict
        The columns to learn from, and what they hold.
    left_out : list of str
        Columns that are not learnt from.
    test_costs : array of shape (n_test, K) or None
        What predicting each class would cost on the test rows.
    """

    matrix: pd.DataFrame | None
    classes: np.ndarray
    kinds: dict[str, Kind]
    left_out: list[str]
    train: Rows
    test: Rows | None
    test_costs: np.ndarray | None


def read_data(job: Job) -> TrainingInput:
    """Read and check everything that the job names."""
    outputs = [path for path in (job.model, job.report) if path is not None]
    reads = [path for path in (job.data, job.costs, job.test) if path is not None]
    for number, path in enumerate(outputs):
        check_output(path, reads=reads, writes=outputs[:number])
    matrix = None
    if job.costs is not None:
        matrix = read_cost_file(job.costs)
        check_not_free(matrix, job.costs)
    rows, kinds, left_out = _read_rows(job)
    classes = resolve_classes(rows.y, cost_matrix=matrix, costs=rows.costs)
    _costs_of(rows, matrix, classes)
    check_two_classes(job, rows.y)
    train, test = _split_rows(job, rows, kinds)
    check_folds(job, train.y)
    test_costs = None if test is None else _costs_of(test, matrix, classes)
    return TrainingInput(matrix, classes, kinds, left_out, train, test, test_costs)


def _costs_of(
    rows: Rows, matrix: pd.DataFrame | None, classes: np.ndarray
) -> np.ndarray:
    """Checked costs of every class for every row, shape (n, K)."""
    return raw_cost_vectors(
        rows.y, cost_matrix=matrix, costs=rows.costs, classes=classes
    )


def _read_rows(job: Job) -> tuple[Rows, dict[str, Kind], list[str]]:
    """The rows, what their columns hold, and which columns are left out."""
    raw = read_table(job.data)
    y = _labels(raw, job, job.data)
    for option, names in (("--drop", job.drop), ("--nominal", job.nominal)):
        for name in names:
            column(raw, name, option, job.data)
    costs = _cost_columns(raw, job, job.data)
    features = _features(raw, job, costs)
    kinds = find_kinds(features, job.nominal)
    if not job.quiet:
        asked = {name: kind for name, kind in kinds.items() if name not in job.nominal}
        for sentence in almost_numbers(features, asked):
            say(f"warning: {sentence}")
    X = typed_columns(features, kinds, job.data)
    odd = identifier_columns(X)
    if odd and not job.quiet:
        say(
            f"warning: {quoted_names(odd)} has a different text in every row, like an "
            "identifier, and is left out; --drop it to say so yourself."
        )
    kinds = {name: kind for name, kind in kinds.items() if name not in odd}
    if not kinds:
        raise ValueError(f"{job.data} has no column to learn from but the target.")
    return Rows(X[list(kinds)], y, costs), kinds, [*job.drop, *odd]


def _split_rows(
    job: Job, rows: Rows, kinds: dict[str, Kind]
) -> tuple[Rows, Rows | None]:
    """Training rows, and test rows where the job asks for them."""
    if job.test is not None:
        return rows, _read_test_rows(job, job.test, kinds)
    if job.test_size is None:
        return rows, None
    _, counts = np.unique(rows.y, return_counts=True)
    held_out = round(job.test_size * len(rows.y))
    enough = counts.min() >= 2 and min(held_out, len(rows.y) - held_out) >= len(counts)
    train, test = train_test_split(
        np.arange(len(rows.y)),
        test_size=job.test_size,
        random_state=job.seed,
        stratify=rows.y if enough else None,
    )
    return rows.part(np.sort(train)), rows.part(np.sort(test))


def _read_test_rows(job: Job, path: str, kinds: dict[str, Kind]) -> Rows:
    raw = read_table(path)
    y = _labels(raw, job, path)
    return Rows(typed_columns(raw, kinds, path), y, _cost_columns(raw, job, path))


def _labels(raw: pd.DataFrame, job: Job, path: str) -> np.ndarray:
    return read_labels(column(raw, job.target, "--target", path), "--target", path)


def _cost_columns(raw: pd.DataFrame, job: Job, path: str) -> pd.DataFrame | None:
    if job.cost_columns is None:
        return None
    return read_cost_columns(raw, job.cost_columns, path)


def _features(raw: pd.DataFrame, job: Job, costs: pd.DataFrame | None) -> pd.DataFrame:
    """All columns but the target, those with prices and those to leave out."""
    taken = {job.target, *job.drop}
    if costs is not None:
        taken |= {f"{job.cost_columns}{name}" for name in costs.columns}
    features = raw[[name for name in raw.columns if name not in taken]]
    features.columns = [str(name) for name in features.columns]
    return features

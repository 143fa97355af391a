"""What ``softcost fit`` reads: costs, rows to learn from, rows to measure on."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from softcost.cli.train._budget import calibration_rows, check_recalls
from softcost.cli.train._columns import what_was_asked
from softcost.cli.train._job import Job
from softcost.cli.train._validation import check_folds, check_two_classes
from softcost.costs import (
    check_not_free,
    check_priced,
    match_classes,
    raw_cost_vectors,
    read_cost_columns,
    read_cost_file,
    resolve_classes,
)
from softcost.files import check_output
from softcost.tables import (
    Asked,
    Kind,
    Surveyed,
    column,
    far_numbers,
    named_columns,
    read_labels,
    read_table,
    survey,
    typed_columns,
)


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
    surveyed : list of Surveyed
        What was found of each column but the target and those to leave out.
    asked : Asked
        What the user has said of columns.
    notes : list of str
        What was assumed when files were read.
    test_costs : array of shape (n_test, A) or None
        What each answer would cost on the test rows.
    calibration : array of row numbers or None
        Rows of ``train`` that are kept for the test of a budget.
    """

    matrix: pd.DataFrame | None
    classes: np.ndarray
    kinds: dict[str, Kind]
    left_out: list[str]
    surveyed: list[Surveyed]
    asked: Asked
    notes: list[str]
    train: Rows
    test: Rows | None
    test_costs: np.ndarray | None
    calibration: np.ndarray | None


def read_data(job: Job) -> TrainingInput:
    """Read and check everything that the job names."""
    outputs = [path for path in (job.model, job.report) if path is not None]
    reads = [path for path in (job.data, job.costs, job.test) if path is not None]
    for number, path in enumerate(outputs):
        check_output(path, reads=reads, writes=outputs[:number])
    notes: list[str] = []
    matrix = None
    if job.costs is not None:
        matrix = read_cost_file(job.costs, notes.append)
        check_not_free(matrix, job.costs)
    raw = read_table(job.data, notes.append)
    asked = what_was_asked(job, raw)
    drop = named_columns(raw, job.drop, "--drop", job.data)
    y = _labels(raw, job, job.data)
    costs = _cost_columns(raw, y, job, job.data, asked, notes)
    if matrix is not None and job.costs is not None:
        names = {"data": job.data, "target": job.target, "path": job.costs}
        matrix = match_classes(matrix, y, tell=notes.append, **names)
        matrix = _with_actions(matrix, job)
    features = _features(raw, job, drop, costs)
    surveyed = survey(features, y, asked)
    kinds = {one.name: one.kind for one in surveyed if not one.left_out}
    if not kinds:
        raise ValueError(f"{job.data} has no column to learn from but the target.")
    left_out = [*drop, *(one.name for one in surveyed if one.left_out)]
    X = typed_columns(features, kinds, job.data, tokens=asked.tokens)
    notes += far_numbers(X)
    rows = Rows(X, y, costs)
    classes = resolve_classes(rows.y, cost_matrix=matrix, costs=rows.costs)
    _costs_of(rows, matrix, classes)
    check_two_classes(job, rows.y)
    train, test = _split_rows(job, rows, kinds, asked, notes)
    check_recalls(job, classes)
    kept = calibration_rows(job, len(train.y))
    check_folds(job, train.y if kept is None else np.delete(train.y, kept))
    if test is not None and job.test is not None:
        where = {"data": job.test, "target": job.target, "path": job.costs or job.test}
        check_priced(test.y, classes.tolist(), **where)
    test_costs = None if test is None else _costs_of(test, matrix, classes)
    return TrainingInput(
        matrix=matrix,
        classes=classes,
        kinds=kinds,
        left_out=left_out,
        surveyed=surveyed,
        asked=asked,
        notes=notes,
        train=train,
        test=test,
        test_costs=test_costs,
        calibration=kept,
    )


def _with_actions(matrix: pd.DataFrame, job: Job) -> pd.DataFrame:
    """The price list with a column for each ``--action``."""
    for name in job.action:
        if name in [str(one) for one in matrix.columns]:
            raise ValueError(
                f"--action {name!r} is an answer of {job.costs} already; leave it out, "
                "or give it another name."
            )
    return matrix.assign(**job.action)


def _costs_of(
    rows: Rows, matrix: pd.DataFrame | None, classes: np.ndarray
) -> np.ndarray:
    """Checked costs of every answer for every row, shape (n, A)."""
    return raw_cost_vectors(
        rows.y, cost_matrix=matrix, costs=rows.costs, classes=classes
    )


def _split_rows(
    job: Job, rows: Rows, kinds: dict[str, Kind], asked: Asked, notes: list[str]
) -> tuple[Rows, Rows | None]:
    """Training rows, and test rows where the job asks for them."""
    if job.test is not None:
        return rows, _read_test_rows(job, job.test, kinds, asked, notes)
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


def _read_test_rows(
    job: Job, path: str, kinds: dict[str, Kind], asked: Asked, notes: list[str]
) -> Rows:
    raw = read_table(path, notes.append)
    y = _labels(raw, job, path)
    costs = _cost_columns(raw, y, job, path, asked, notes)
    return Rows(typed_columns(raw, kinds, path, tokens=asked.tokens), y, costs)


def _labels(raw: pd.DataFrame, job: Job, path: str) -> np.ndarray:
    if f"{job.target} (2)" in raw.columns:
        raise ValueError(
            f"{path} has more than one column {job.target!r}, the --target; rename "
            "those that do not hold the classes."
        )
    return read_labels(column(raw, job.target, "--target", path), "--target", path)


def _cost_columns(
    raw: pd.DataFrame,
    y: np.ndarray,
    job: Job,
    path: str,
    asked: Asked,
    notes: list[str],
) -> pd.DataFrame | None:
    if job.cost_columns is None:
        return None
    costs = read_cost_columns(raw, job.cost_columns, path, asked, notes.append)
    where = {"data": path, "target": job.target}
    check_priced(y, costs.columns, path=f"--cost-columns {job.cost_columns}", **where)
    return costs


def _features(
    raw: pd.DataFrame, job: Job, drop: list[str], costs: pd.DataFrame | None
) -> pd.DataFrame:
    """All columns but the target, those with prices and those to leave out."""
    taken = {job.target, *drop}
    names = [str(name) for name in raw.columns if name not in taken]
    if costs is not None and job.cost_columns is not None:
        names = [name for name in names if not name.startswith(job.cost_columns)]
    return raw[names]

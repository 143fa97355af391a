"""Training tables: costs, rows to learn from and rows to evaluate on, checked."""

from dataclasses import dataclass
from typing import cast

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from softcost.costs import raw_cost_vectors, read_costs, resolve_classes
from softcost.costs.price_list import (
    check_not_free,
    check_priced,
    match_classes,
    read_cost_columns,
)
from softcost.errors import argument
from softcost.files import check_output
from softcost.tables import ColumnOverrides, ColumnSummary, infer_columns, read_table
from softcost.tables.cells import Kind, Order, Tell, silent
from softcost.tables.columns import (
    column,
    far_numbers,
    named_columns,
    read_labels,
    typed_columns,
)
from softcost.workflow.fit_options import (
    FitOptions,
    check_folds,
    check_recalls,
    check_two_classes,
    holdout_rows,
)

_ORDERS = ("dmy", "mdy", "ymd")


def column_overrides(options: FitOptions, raw: pd.DataFrame) -> ColumnOverrides:
    """The options on columns, by column."""
    names = {
        option: named_columns(raw, texts, argument(option), options.data)
        for option, texts in (("nominal", options.nominal), ("number", options.number))
    }
    dates: dict[str, Order | None] = {}
    for text in options.date:
        order: Order | None = None
        before, equals, last = text.rpartition("=")
        if equals and last in _ORDERS and text not in raw.columns:
            text, order = before, cast(Order, last)
        dates |= dict.fromkeys(
            named_columns(raw, [text], argument("date"), options.data), order
        )
    _check_once(names | {"date": list(dates)}, options.target)
    return ColumnOverrides(
        nominal=frozenset(names["nominal"]),
        number=frozenset(names["number"]),
        dates=dates,
        decimal=options.decimal,
        tokens=frozenset(
            part.strip() for text in options.missing for part in text.split(",")
        ),
    )


def _check_once(names: dict[str, list[str]], target: str) -> None:
    said: dict[str, str] = {target: "target"}
    for option, own in names.items():
        for name in own:
            if name in said:
                raise ValueError(
                    f"{argument(option)} {name!r} is also given to "
                    f"{argument(said[name])}; say one of "
                    "them."
                )
            said[name] = option


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
class TrainingTable:
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
    columns : list of ColumnSummary
        What was found of each column but the target and those to leave out.
    overrides : ColumnOverrides
        What the user has said of columns.
    notes : list of str
        What was assumed when files were read.
    test_costs : array of shape (n_test, A) or None
        What each answer would cost on the test rows.
    holdout : array of row numbers or None
        Rows of ``train`` that are kept for the test of a budget.
    """

    matrix: pd.DataFrame | None
    classes: np.ndarray
    kinds: dict[str, Kind]
    left_out: list[str]
    columns: list[ColumnSummary]
    overrides: ColumnOverrides
    notes: list[str]
    train: Rows
    test: Rows | None
    test_costs: np.ndarray | None
    holdout: np.ndarray | None


def read_training_table(options: FitOptions) -> TrainingTable:
    """Read and check everything that the options name."""
    outputs = [path for path in (options.model, options.report) if path is not None]
    reads = [
        path for path in (options.data, options.costs, options.test) if path is not None
    ]
    for number, path in enumerate(outputs):
        check_output(path, reads=reads, writes=outputs[:number])
    notes: list[str] = []
    matrix = None
    if options.costs is not None:
        matrix = read_costs(options.costs, notes.append)
        check_not_free(matrix, options.costs)
    raw = read_table(options.data, notes.append)
    overrides = column_overrides(options, raw)
    drop = named_columns(raw, options.drop, argument("drop"), options.data)
    y = _labels(raw, options, options.data)
    costs = _cost_columns(raw, y, options, options.data, overrides, notes)
    if matrix is not None and options.costs is not None:
        names = {"data": options.data, "target": options.target, "path": options.costs}
        matrix = match_classes(matrix, y, tell=notes.append, **names)
        matrix = _with_actions(matrix, options)
    features = _features(raw, options, drop, costs)
    columns = infer_columns(features, y, overrides)
    kinds = {one.name: one.kind for one in columns if not one.left_out}
    if not kinds:
        raise ValueError(f"{options.data} has no column to learn from but the target.")
    left_out = [*drop, *(one.name for one in columns if one.left_out)]
    X = typed_columns(features, kinds, options.data, tokens=overrides.tokens)
    notes += far_numbers(X)
    rows = Rows(X, y, costs)
    classes = resolve_classes(rows.y, cost_matrix=matrix, costs=rows.costs)
    _costs_of(rows, matrix, classes)
    check_two_classes(options, rows.y)
    train, test = _split_rows(options, rows, kinds, overrides, notes)
    check_recalls(options, classes)
    kept = holdout_rows(options, len(train.y))
    check_folds(options, train.y if kept is None else np.delete(train.y, kept))
    if test is not None and options.test is not None:
        where = {
            "data": options.test,
            "target": options.target,
            "path": options.costs or options.test,
        }
        check_priced(test.y, classes.tolist(), **where)
    test_costs = None if test is None else _costs_of(test, matrix, classes)
    return TrainingTable(
        matrix=matrix,
        classes=classes,
        kinds=kinds,
        left_out=left_out,
        columns=columns,
        overrides=overrides,
        notes=notes,
        train=train,
        test=test,
        test_costs=test_costs,
        holdout=kept,
    )


def _with_actions(matrix: pd.DataFrame, options: FitOptions) -> pd.DataFrame:
    """The price list with a column for each ``--action``."""
    for name in options.action:
        if name in [str(one) for one in matrix.columns]:
            raise ValueError(
                f"{argument('action')} {name!r} is an answer of {options.costs} "
                "already; leave it out, or give it another name."
            )
    return matrix.assign(**options.action)


def _costs_of(
    rows: Rows, matrix: pd.DataFrame | None, classes: np.ndarray
) -> np.ndarray:
    """Checked costs of every answer for every row, shape (n, A)."""
    return raw_cost_vectors(
        rows.y, cost_matrix=matrix, costs=rows.costs, classes=classes
    )


def _split_rows(
    options: FitOptions,
    rows: Rows,
    kinds: dict[str, Kind],
    overrides: ColumnOverrides,
    notes: list[str],
) -> tuple[Rows, Rows | None]:
    """Training rows, and test rows if the options ask for them."""
    if options.test is not None:
        return rows, _read_test_rows(options, options.test, kinds, overrides, notes)
    if options.test_size is None:
        return rows, None
    _, counts = np.unique(rows.y, return_counts=True)
    held_out = round(options.test_size * len(rows.y))
    enough = counts.min() >= 2 and min(held_out, len(rows.y) - held_out) >= len(counts)
    train, test = train_test_split(
        np.arange(len(rows.y)),
        test_size=options.test_size,
        random_state=options.seed,
        stratify=rows.y if enough else None,
    )
    return rows.part(np.sort(train)), rows.part(np.sort(test))


def _read_test_rows(
    options: FitOptions,
    path: str,
    kinds: dict[str, Kind],
    overrides: ColumnOverrides,
    notes: list[str],
) -> Rows:
    raw = read_table(path, notes.append)
    y = _labels(raw, options, path)
    costs = _cost_columns(raw, y, options, path, overrides, notes)
    return Rows(typed_columns(raw, kinds, path, tokens=overrides.tokens), y, costs)


def _labels(raw: pd.DataFrame, options: FitOptions, path: str) -> np.ndarray:
    if f"{options.target} (2)" in raw.columns:
        raise ValueError(
            f"{path} has more than one column {options.target!r}, the "
            f"{argument('target')}; rename those that do not hold the classes."
        )
    return read_labels(
        column(raw, options.target, argument("target"), path), argument("target"), path
    )


def _cost_columns(
    raw: pd.DataFrame,
    y: np.ndarray,
    options: FitOptions,
    path: str,
    overrides: ColumnOverrides,
    notes: list[str],
) -> pd.DataFrame | None:
    if options.cost_columns is None:
        return None
    costs = read_cost_columns(raw, options.cost_columns, path, overrides, notes.append)
    where = {"data": path, "target": options.target}
    check_priced(
        y,
        costs.columns,
        path=f"{argument('cost_columns')} {options.cost_columns}",
        **where,
    )
    return costs


def _features(
    raw: pd.DataFrame, options: FitOptions, drop: list[str], costs: pd.DataFrame | None
) -> pd.DataFrame:
    """All columns but the target, those with prices and those to leave out."""
    taken = {options.target, *drop}
    names = [str(name) for name in raw.columns if name not in taken]
    if costs is not None and options.cost_columns is not None:
        names = [name for name in names if not name.startswith(options.cost_columns)]
    return raw[names]


# The classes of a table, for a price list.


_MANY = 50  # classes, or one row in two a class: perhaps not a column of classes


def class_counts(data: str, target: str, tell: Tell = silent) -> dict[str, int]:
    """How many rows each class has."""
    raw = read_table(data, tell)
    labels = read_labels(
        column(raw, target, argument("target"), data), argument("target"), data
    )
    names, counts = np.unique(labels, return_counts=True)
    if len(names) < 2:
        raise ValueError(
            f"{argument('target')} {target!r} has one class only, {str(names[0])!r}; "
            "there is no mistake to price."
        )
    if len(names) > max(_MANY, len(labels) // 2):
        raise ValueError(
            f"{argument('target')} {target!r} has {len(names)} different values in "
            f"{len(labels)} rows, too many for classes; name the column with the "
            "classes."
        )
    return dict(zip(names.tolist(), counts.tolist(), strict=True))

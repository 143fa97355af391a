"""Training tables: costs, rows to learn from and rows to evaluate on, checked."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from softcost.costs import (
    CostFormula,
    RowCostFormulas,
    class_indices,
    raw_cost_vectors,
    read_costs,
    resolve_classes,
)
from softcost.costs.price_list import (
    actions_of,
    check_not_free,
    check_priced,
    match_classes,
    read_cost_columns,
    read_cost_range,
)
from softcost.errors import argument
from softcost.files import check_output
from softcost.formatting import quoted_names
from softcost.tables import ColumnOverrides, ColumnSummary, infer_columns, read_table
from softcost.tables.cells import Kind, Order, Tell, silent
from softcost.tables.columns import (
    column,
    far_numbers,
    named_columns,
    typed_columns,
    words_of,
)
from softcost.tables.layout import HeaderRow
from softcost.workflow.fingerprint import Fingerprint, OverlapCounter
from softcost.workflow.fit_options import (
    FitOptions,
    check_folds,
    check_recalls,
    check_two_classes,
    holdout_rows,
    n_folds,
)
from softcost.workflow.table_costs import (
    TableCosts,
    formulas_of_columns,
    rarest_class,
)
from softcost.workflow.target_labels import (
    check_merge,
    label_notes,
    sentinel_notes,
    unseen_note,
    with_labels,
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
    """Examples with what mistakes on them cost.

    Attributes
    ----------
    X, y : DataFrame and array
    costs : DataFrame or None
        Costs of the answers given the true class, shape (n, A).
    matrices : array of shape (n, K, A) or None
        The cost matrix of every row.
    """

    X: pd.DataFrame
    y: np.ndarray
    costs: pd.DataFrame | None
    matrices: np.ndarray | None = None

    def part(self, rows: np.ndarray) -> "Rows":
        """Some of the rows, by number."""
        costs = None if self.costs is None else self.costs.iloc[rows]
        matrices = None if self.matrices is None else self.matrices[rows]
        return Rows(self.X.iloc[rows], self.y[rows], costs, matrices)

    @property
    def row_costs(self) -> Any:
        """The ``costs`` of a search; None with costs by class."""
        return self.costs if self.matrices is None else self.matrices


@dataclass(frozen=True)
class TrainingTable:
    """All that was read for one training, and checked.

    Attributes
    ----------
    matrix : DataFrame or None
        Costs by class; None where there are costs by row.
    price_range : pair of DataFrame or None
        The lowest and the highest costs, if the price list has ranges.
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
    fingerprint : Fingerprint
        Of ``train``.
    warnings : list of str
        What makes results doubtful.
    table_costs : TableCosts or None
        Formulas for the cost matrix of every row.
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
    fingerprint: Fingerprint
    warnings: list[str] = field(default_factory=list)
    table_costs: TableCosts | None = None
    price_range: tuple[pd.DataFrame, pd.DataFrame] | None = None

    @property
    def actions(self) -> list[str]:
        """Answers that are not classes."""
        if self.table_costs is not None:
            return list(self.table_costs.formulas.actions)
        return [] if self.matrix is None else actions_of(self.matrix)


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
    raw = read_table(
        options.data,
        notes.append,
        sheet=options.sheet,
        header_row=options.header_row,
        columns=[options.target],
    )
    raw, y = _labelled(raw, options, options.data, notes.append)
    check_more_rows(len(raw), options.data)
    overrides = column_overrides(options, raw)
    drop = named_columns(raw, options.drop, argument("drop"), options.data)
    table_costs = _table_costs(raw, y, options, overrides, notes)
    costs = matrices = None
    if table_costs is not None:
        matrices = table_costs.matrices(raw, options.data)
    else:
        costs = _cost_columns(raw, y, options, options.data, overrides, notes)
    if matrix is not None and options.costs is not None:
        names = {"data": options.data, "target": options.target, "path": options.costs}
        matrix = match_classes(matrix, y, tell=notes.append, **names)
        matrix = _with_actions(matrix, options)
    features = _features(raw, options, drop)
    columns = infer_columns(features, y, overrides)
    kinds = {one.name: one.kind for one in columns if not one.left_out}
    if not kinds:
        raise ValueError(f"{options.data} has no column to learn from but the target.")
    left_out = [*drop, *(one.name for one in columns if one.left_out)]
    X = typed_columns(features, kinds, options.data, tokens=overrides.tokens)
    notes += far_numbers(X) + sentinel_notes(X)
    rows = Rows(X, y, costs, matrices)
    classes = resolve_classes(rows.y, cost_matrix=matrix, costs=rows.costs)
    _costs_of(rows, matrix, classes)
    check_two_classes(options, rows.y)
    train, test = _split_rows(options, rows, kinds, overrides, notes, table_costs)
    check_recalls(options, classes)
    kept = holdout_rows(options, len(train.y))
    check_folds(options, train.y if kept is None else np.delete(train.y, kept))
    notes += label_notes(train.y, n_folds(options, len(train.y)))
    if test is not None and options.test is not None:
        where = {
            "data": options.test,
            "target": options.target,
            "path": options.costs or options.test,
        }
        check_priced(test.y, classes.tolist(), **where)
    if test is not None:
        notes += unseen_note(train.y, test.y, options.test)
    test_costs = None if test is None else _costs_of(test, matrix, classes)
    fingerprint = Fingerprint.of(train.X, train.y)
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
        fingerprint=fingerprint,
        warnings=_overlap_warnings(options, fingerprint, test),
        table_costs=table_costs,
        price_range=price_range_of(options, y),
    )


def _table_costs(
    raw: pd.DataFrame,
    y: np.ndarray,
    options: FitOptions,
    overrides: ColumnOverrides,
    notes: list[str],
) -> TableCosts | None:
    """Formulas for the costs of each row; None with other costs."""
    classes = np.unique(y).tolist()
    formulas: list[CostFormula] | None = None
    if options.cost:
        formulas = [CostFormula.parse(text) for text in options.cost]
    elif options.cost_columns is not None:
        formulas = formulas_of_columns(raw, options.cost_columns, classes)
    if formulas is None:
        return None
    for name, cost in options.action.items():
        formulas.append(CostFormula(None, name, f"{cost!r}"))
    positive = options.positive
    if positive is None and any(one.outcome is not None for one in formulas):
        positive = rarest_class(y)
        if positive is not None and len(classes) == 2:
            notes.append(
                f"{positive!r} is the positive class of tn, fp, fn and tp, since it is "
                f"rarer; {argument('positive')} names another."
            )
    elif positive is not None and positive not in classes:
        raise ValueError(
            f"{argument('positive')} {positive!r} is not a class; the classes are "
            f"{quoted_names(classes)}."
        )
    resolved = RowCostFormulas.resolve(formulas, classes, positive=positive)
    if options.target in resolved.columns:
        raise ValueError(
            f"{argument('cost')} uses the {argument('target')} {options.target!r}, "
            "which is not known when a row is decided; name the true class on the left."
        )
    return TableCosts.of_table(resolved, raw, options.data, overrides)


def price_range_of(
    options: FitOptions, labels: np.ndarray
) -> tuple[pd.DataFrame, pd.DataFrame] | None:
    """The lowest and the highest costs, if the price list has ranges."""
    if options.costs is None:
        return None
    bounds = read_cost_range(options.costs)
    if bounds is None:
        return None
    names = {"data": options.data, "target": options.target, "path": options.costs}
    low, high = (
        match_classes(matrix, labels, tell=silent, **names).assign(**options.action)
        for matrix in bounds
    )
    return low, high


def _overlap_warnings(
    options: FitOptions, fingerprint: Fingerprint, test: Rows | None
) -> list[str]:
    """Warn of training rows in the file of test rows."""
    if test is None or options.test is None:
        return []
    counter = OverlapCounter(fingerprint.to_json())
    counter.update(test.X)
    warning = counter.overlap().warning(options.test)
    return [] if warning is None else [warning]


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
    if rows.matrices is not None:
        return rows.matrices[np.arange(len(rows.y)), class_indices(rows.y, classes)]
    return raw_cost_vectors(
        rows.y, cost_matrix=matrix, costs=rows.costs, classes=classes
    )


def _split_rows(
    options: FitOptions,
    rows: Rows,
    kinds: dict[str, Kind],
    overrides: ColumnOverrides,
    notes: list[str],
    table_costs: TableCosts | None,
) -> tuple[Rows, Rows | None]:
    """Training rows, and test rows if the options ask for them."""
    if options.test is not None:
        return rows, _read_test_rows(
            options, options.test, kinds, overrides, notes, table_costs
        )
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
    table_costs: TableCosts | None,
) -> Rows:
    raw = read_table(path, notes.append, columns=[options.target, *kinds])
    raw, y = _labelled(raw, options, path, notes.append)
    X = typed_columns(raw, kinds, path, tokens=overrides.tokens)
    if table_costs is not None:
        return Rows(X, y, None, table_costs.matrices(raw, path))
    return Rows(X, y, _cost_columns(raw, y, options, path, overrides, notes))


def _labelled(
    raw: pd.DataFrame, options: FitOptions, path: str, tell: Tell
) -> tuple[pd.DataFrame, np.ndarray]:
    """The rows with a label, and their labels."""
    if f"{options.target} (2)" in raw.columns:
        raise ValueError(
            f"{path} has more than one column {options.target!r}, the "
            f"{argument('target')}; rename those that do not hold the classes."
        )
    if options.merge and path == options.data:
        values = column(raw, options.target, argument("target"), path)
        check_merge(options.merge, pd.Series(words_of(values)).dropna(), path)
    return with_labels(
        raw,
        options.target,
        path,
        skip_unlabelled=options.skip_unlabelled,
        merge=options.merge,
        tell=tell,
    )


def check_more_rows(n_rows: int, path: str) -> None:
    """Refuse a table with a single row."""
    if n_rows == 1:
        raise ValueError(
            f"{path} has a single row below its header, and a model needs many; check "
            f"the file, or pass {argument('header_row')} if the header is elsewhere."
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


def _features(raw: pd.DataFrame, options: FitOptions, drop: list[str]) -> pd.DataFrame:
    """All columns but the target, cost columns and those to leave out.

    Columns of formulas are features: they are known when a row is decided.
    """
    taken = {options.target, *drop}
    names = [str(name) for name in raw.columns if name not in taken]
    if options.cost_columns is not None:
        names = [name for name in names if not name.startswith(options.cost_columns)]
    return raw[names]


# The classes of a table, for a price list.


_MANY = 50  # classes, or one row in two a class: perhaps not a column of classes


def class_counts(
    data: str,
    target: str,
    tell: Tell = silent,
    *,
    sheet: str | None = None,
    header_row: HeaderRow | None = None,
    merge: Mapping[str, str] | None = None,
) -> dict[str, int]:
    """How many rows each class has; rows without a label do not count."""
    raw = read_table(data, tell, sheet=sheet, header_row=header_row, columns=[target])
    if merge:
        values = column(raw, target, argument("target"), data)
        check_merge(merge, pd.Series(words_of(values)).dropna(), data)
    _, labels = with_labels(
        raw, target, data, skip_unlabelled=True, merge=merge, tell=tell
    )
    if len(labels) == 0:
        raise ValueError(
            f"{argument('target')} {target!r} of {data} is empty in all rows; name the "
            "column with the classes."
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
    for sentence in label_notes(labels):
        tell(sentence)
    return dict(zip(names.tolist(), counts.tolist(), strict=True))

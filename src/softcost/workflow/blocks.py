"""Train on a file that is larger than memory.

The file is read twice, in blocks: for its labels and a sample of its rows, which says
what columns hold and how they are scaled; and to write features of all rows, as single
precision, to a temporary file. The linear machines then pass over that file, block by
block, as often as they need. What stays in memory for every row is its label, what it
costs, and what candidates predict for it when it is held out.
"""

import os
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from softcost.costs import read_costs, resolve_classes
from softcost.costs.price_list import check_not_free, check_priced, match_classes
from softcost.errors import argument, input_errors
from softcost.files import STREAM, check_output
from softcost.tables import infer_columns, table_pieces
from softcost.tables.cells import silent
from softcost.tables.columns import (
    column,
    far_numbers,
    named_columns,
    read_labels,
    typed_columns,
)
from softcost.workflow.fingerprint import Fingerprint, make_salt
from softcost.workflow.fit_options import (
    FitOptions,
    check_folds,
    check_recalls,
    check_two_classes,
    n_folds,
)
from softcost.workflow.target_labels import (
    label_notes,
    sentinel_notes,
    skipped_note,
    with_labels,
)
from softcost.workflow.training_data import (
    Rows,
    TrainingTable,
    column_overrides,
    price_range_of,
)

REDUCTIONS = ("osr", "csovo", "wap", "csovr")
ROWS_AT_ONCE = 100_000
_IN_MEMORY = {".gz": 30, ".parquet": 20, ".pq": 20}  # times the size of the file
_OTHERS = 8
_SHARE = 0.5  # of the free memory, that a table may take


def in_blocks(options: FitOptions) -> FitOptions:
    """The options, with blocks where the file is too large for memory without them."""
    fits = options.learner[0] in ("auto", "linear") and len(options.learner) == 1
    fits = (
        fits and len(options.reduction) <= 1 and {*options.reduction} <= {*REDUCTIONS}
    )
    plain = not options.cost and (
        options.cost_columns
        is options.test
        is options.test_size
        is options.confidence
        is None
    )
    if (
        options.rows_at_once is not None
        or not (fits and plain)
        or options.data == STREAM
    ):
        return options
    try:
        size = os.path.getsize(options.data)
        free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):  # not there, or not said
        return options
    times = _IN_MEMORY.get(Path(options.data).suffix.lower(), _OTHERS)
    if times * size < _SHARE * free:
        return options
    return replace(options, rows_at_once=ROWS_AT_ONCE)


@contextmanager
def fitted_in_blocks(
    options: FitOptions, model: Any, data: TrainingTable
) -> Iterator[None]:
    """Search, choose and refit on features in a temporary file.

    The file is there inside the block: the search refers to it.
    """
    with tempfile.TemporaryDirectory(prefix="softcost-") as folder:
        path = Path(folder) / "rows.float32"
        with input_errors():  # cells that are not in the sample
            X, y, folds = _rows_on_disk(options, data, model["columns"], path)
        _fit(model, X, y, folds)
        yield
        del X


def check_block_options(options: FitOptions) -> None:
    """Refuse what needs all rows in memory."""
    if options.data == STREAM:
        raise ValueError(
            f"{argument('rows_at_once')} reads DATA several times: give a file, not -."
        )
    if len(options.reduction) > 1 or options.reduction[0] not in REDUCTIONS:
        raise ValueError(
            f"{argument('rows_at_once')} goes with one {argument('reduction')} of "
            f"{', '.join(REDUCTIONS)}, not {','.join(options.reduction)}: choose one "
            "of them, or leave it out."
        )
    if options.learner not in (("auto",), ("linear",)):
        raise ValueError(
            f"{argument('rows_at_once')} goes with {argument('learner')} linear, not "
            f"{','.join(options.learner)}: leave one of them out."
        )
    for option, given, remedy in (
        (
            argument("cost_columns"),
            options.cost_columns,
            f"give prices by class, {argument('costs')} FILE",
        ),
        (
            argument("cost"),
            options.cost or None,
            f"give costs by class, {argument('costs')} FILE",
        ),
        (argument("test"), options.test, "measure with 'softcost evaluate' afterwards"),
        (argument("test_size"), options.test_size, "keep rows in a file of their own"),
        (argument("confidence"), options.confidence, "leave it out"),
    ):
        if given is not None:
            raise ValueError(f"{option} needs all rows in memory: {remedy}.")


def read_in_blocks(options: FitOptions) -> TrainingTable:
    """Prices, labels and a sample of the rows, checked."""
    assert options.costs is not None
    outputs = [path for path in (options.model, options.report) if path is not None]
    for number, path in enumerate(outputs):
        check_output(path, reads=[options.data, options.costs], writes=outputs[:number])
    notes: list[str] = []
    matrix = read_costs(options.costs, notes.append)
    check_not_free(matrix, options.costs)
    found = first_pass(options, notes)
    raw, labels = found.sample, found.labels
    overrides = column_overrides(options, raw)
    drop = named_columns(raw, options.drop, argument("drop"), options.data)
    where = {"data": options.data, "target": options.target, "path": options.costs}
    matrix = match_classes(matrix, labels, tell=notes.append, **where)
    features = raw[[one for one in raw.columns if one not in {options.target, *drop}]]
    shown = raw[options.target].astype(str).str.strip().to_numpy()
    columns = infer_columns(features, shown, overrides)
    kinds = {one.name: one.kind for one in columns if not one.left_out}
    if not kinds:
        raise ValueError(f"{options.data} has no column to learn from but the target.")
    X = typed_columns(features, kinds, options.data, tokens=overrides.tokens)
    classes = resolve_classes(labels, cost_matrix=matrix)
    check_priced(labels, classes.tolist(), **where)
    check_two_classes(options, labels)
    check_recalls(options, classes)
    check_folds(options, labels)
    notes += far_numbers(X) + sentinel_notes(X)
    notes += label_notes(labels, n_folds(options, len(labels)))
    notes.append(
        f"{options.data} is read in blocks of {options.rows_at_once} rows; what "
        f"columns hold and how they are scaled is seen in {len(X)} of {len(labels)} "
        "rows."
    )
    return TrainingTable(
        matrix=matrix,
        classes=classes,
        kinds=kinds,
        left_out=[*drop, *(one.name for one in columns if one.left_out)],
        columns=columns,
        overrides=overrides,
        notes=notes,
        train=Rows(X, labels, None),
        test=None,
        test_costs=None,
        holdout=None,
        fingerprint=Fingerprint(make_salt(X, labels)),
        price_range=price_range_of(options, labels),
    )


def _rows_on_disk(
    options: FitOptions, data: TrainingTable, columns: Any, path: Path
) -> tuple[np.ndarray, np.ndarray, list[tuple[np.ndarray, np.ndarray]]]:
    """Features on disk, labels in the same order, and folds that are runs of rows.

    The folds are those of `SoftCostClassifierCV` with the same seed.
    """
    labels = data.train.y
    columns.fit_typed(data.train.X)
    fold = np.empty(len(labels), np.intp)
    count = n_folds(options, len(labels))
    splitter = StratifiedKFold(count, shuffle=True, random_state=options.seed)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")
        for number, (_, test) in enumerate(splitter.split(labels, labels)):
            fold[test] = number
    X, order = write_rows(options, data, columns, fold, path)
    fold, every = fold[order], np.arange(len(order))
    folds = [(every[fold != k], every[fold == k]) for k in range(count)]
    return X, labels[order], folds


def _fit(
    model: Any,
    X: np.ndarray,
    y: np.ndarray,
    folds: list[tuple[np.ndarray, np.ndarray]],
) -> None:
    """Search, choose and refit."""
    search = model["search"].set_params(cv=folds)
    with warnings.catch_warnings():
        # A budget that is not met is told at the end, also where warnings are not.
        warnings.filterwarnings("ignore", message="no candidate (has|was shown)")
        search.fit(X, y)
    search.set_params(cv=len(folds))  # a saved model says how many there were


# Blocks of rows.


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


def blocks_of(
    options: FitOptions, tell: Any = None
) -> Iterator[tuple[int, pd.DataFrame]]:
    """Blocks of raw rows, each with the number of its first row."""
    start = n_read = 0
    for block in table_pieces(
        options.data,
        options.rows_at_once,
        tell=tell or silent,
        sheet=options.sheet,
        header_row=options.header_row,
        columns=[options.target],
    ):
        n_read += len(block)
        if len(block) and (options.skip_unlabelled or options.merge):
            block, labels = with_labels(
                block,
                options.target,
                options.data,
                skip_unlabelled=options.skip_unlabelled,
                merge=options.merge,
                first_row=start,
            )
            block = block.assign(**{options.target: labels})
        yield start, block
        start += len(block)
    if tell is not None and start < n_read:
        tell(skipped_note(n_read - start, options.data))


def first_pass(options: FitOptions, notes: list[str]) -> FirstPass:
    """Read all labels, and draw as many rows as may be in memory.

    Every row has a random number, and those with the least numbers are kept.
    """
    rng = np.random.default_rng(options.seed)
    names: dict[str, int] = {}
    codes: list[np.ndarray] = []
    kept: list[pd.DataFrame] = []
    drawn, places = np.empty(0), np.empty(0, np.intp)
    for start, block in blocks_of(options, notes.append):
        values = column(block, options.target, argument("target"), options.data)
        labels = read_labels(values, argument("target"), options.data, start)
        here, own = pd.factorize(labels)
        numbers = [names.setdefault(str(name), len(names)) for name in own]
        codes.append(np.array(numbers, np.int32)[here])
        drawn = np.append(drawn, rng.random(len(block)))
        places = np.append(places, np.arange(start, start + len(block)))
        kept = [pd.concat([*kept, block], ignore_index=True)]
        if len(drawn) > (options.rows_at_once or 0):
            least = np.sort(np.argsort(drawn, kind="stable")[: options.rows_at_once])
            drawn, places = drawn[least], places[least]
            kept = [kept[0].iloc[least].reset_index(drop=True)]
        kept[0].attrs.update(block.attrs)
    if len(drawn) == 0:
        raise ValueError(
            f"{options.data} has no rows; give a table with a header and rows."
        )
    return FirstPass(kept[0], np.array(list(names))[np.concatenate(codes)])


def write_rows(
    options: FitOptions,
    data: TrainingTable,
    columns: Any,
    fold: NDArray[Any],
    path: Path,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Features of all rows in a file, those of a fold side by side.

    Parameters
    ----------
    columns : TableEncoder
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
        for start, raw in blocks_of(options):
            if len(raw) == 0:
                continue
            typed = typed_columns(
                raw, data.kinds, options.data, start, tokens=data.overrides.tokens
            )
            data.fingerprint.update(typed)
            block = np.asarray(columns.encode(typed), np.float32)
            width, own = block.shape[1], fold[start : start + len(block)]
            for number in np.unique(own):
                rows = block[own == number]
                file.seek(4 * width * int(free[number]))
                file.write(rows.tobytes())
                free[number] += len(rows)
    return np.memmap(path, np.float32, "r", shape=(len(fold), width)), order

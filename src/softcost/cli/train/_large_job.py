"""``softcost fit`` for a file that is larger than memory.

The file is read twice, in blocks: for its labels and a sample of its rows, which says
what columns hold and how they are scaled; and to write features of all rows, as single
precision, to a temporary file. The linear machines then pass over that file, block by
block, as often as they need. What stays in memory for every row is its label, what it
costs, and what candidates predict for it when it is held out.
"""

import os
import tempfile
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline

from softcost.cli.console import (
    BudgetMissed,
    bad_input,
    failed_job,
    show_progress,
    warnings_as_lines,
)
from softcost.cli.train._blocks import first_pass, write_rows
from softcost.cli.train._budget import check_recalls
from softcost.cli.train._columns import tell_columns, what_was_asked
from softcost.cli.train._data import Rows, TrainingInput
from softcost.cli.train._job import Job, n_folds, with_defaults
from softcost.cli.train._output import describe_training, write_files, write_results
from softcost.cli.train._reductions import make_families
from softcost.cli.train._results import compare
from softcost.cli.train._search import make_model
from softcost.cli.train._validation import (
    check_actions,
    check_folds,
    check_params,
    check_two_classes,
)
from softcost.costs import (
    check_not_free,
    check_priced,
    match_classes,
    read_cost_file,
    resolve_classes,
)
from softcost.files import STREAM, check_output
from softcost.tables import far_numbers, named_columns, survey, typed_columns

REDUCTIONS = ("osr", "csovo", "wap", "csovr")
ROWS_AT_ONCE = 100_000
_IN_MEMORY = {".gz": 30, ".parquet": 20, ".pq": 20}  # times the size of the file
_OTHERS = 8
_SHARE = 0.5  # of the free memory, that a table may take


def in_blocks(job: Job) -> Job:
    """The job, with blocks where the file is too large for memory without them."""
    fits = job.learner[0] in ("auto", "linear") and len(job.learner) == 1
    fits = fits and len(job.reduction) <= 1 and {*job.reduction} <= {*REDUCTIONS}
    plain = job.cost_columns is job.test is job.test_size is job.confidence is None
    if job.rows_at_once is not None or not (fits and plain) or job.data == STREAM:
        return job
    try:
        size = os.path.getsize(job.data)
        free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):  # not there, or not said
        return job
    times = _IN_MEMORY.get(Path(job.data).suffix.lower(), _OTHERS)
    if times * size < _SHARE * free:
        return job
    return replace(job, rows_at_once=ROWS_AT_ONCE)


def run_in_blocks(job: Job) -> None:
    """Read and check, train, measure, write, print."""
    job = with_defaults(job)
    with bad_input():
        _check_options(job)
        job = replace(job, learner=("linear",))
        data = _read(job)
        families = make_families(job, len(data.train.y))
        check_actions(job, families[0], data.matrix)
    check_params(families[0].model, job.param, len(data.classes))
    if not job.quiet:
        tell_columns(job, data.surveyed, data.notes)
    with tempfile.TemporaryDirectory(prefix="softcost-") as folder:
        model = make_model(job, families, data)
        path = Path(folder) / "rows.float32"
        with bad_input():  # cells that the sample did not show
            X, y, folds = _rows_on_disk(job, data, model["columns"], path)
        with (
            failed_job(),
            warnings_as_lines(job.quiet),
            show_progress("training", job.quiet),
        ):
            _fit(job, model, X, y, folds)
            results = compare(model, data, job.currency)
        about = describe_training(job, families, data)
        with failed_job():
            write_files(job, families, model, results, about)
        del X
    write_results(job, about, results)
    if results["budget_met"] is False:
        raise BudgetMissed(results["guarantee"]["missing"])


def _check_options(job: Job) -> None:
    """Refuse what needs all rows in memory."""
    if job.data == STREAM:
        raise ValueError("--rows-at-once reads DATA several times: give a file, not -.")
    if len(job.reduction) > 1 or job.reduction[0] not in REDUCTIONS:
        raise ValueError(
            f"--rows-at-once goes with one --reduction of {', '.join(REDUCTIONS)}, not "
            f"{','.join(job.reduction)}: choose one of them, or leave it out."
        )
    if job.learner not in (("auto",), ("linear",)):
        raise ValueError(
            f"--rows-at-once goes with --learner linear, not {','.join(job.learner)}: "
            "leave one of them out."
        )
    for option, given, remedy in (
        ("--cost-columns", job.cost_columns, "give prices by class, --costs FILE"),
        ("--test", job.test, "measure with 'softcost evaluate' afterwards"),
        ("--test-size", job.test_size, "keep rows in a file of their own"),
        ("--confidence", job.confidence, "leave it out"),
    ):
        if given is not None:
            raise ValueError(f"{option} needs all rows in memory: {remedy}.")


def _read(job: Job) -> TrainingInput:
    """Prices, labels and a sample of the rows, checked."""
    assert job.costs is not None
    outputs = [path for path in (job.model, job.report) if path is not None]
    for number, path in enumerate(outputs):
        check_output(path, reads=[job.data, job.costs], writes=outputs[:number])
    notes: list[str] = []
    matrix = read_cost_file(job.costs, notes.append)
    check_not_free(matrix, job.costs)
    found = first_pass(job, notes)
    raw, labels = found.sample, found.labels
    asked = what_was_asked(job, raw)
    drop = named_columns(raw, job.drop, "--drop", job.data)
    where = {"data": job.data, "target": job.target, "path": job.costs}
    matrix = match_classes(matrix, labels, tell=notes.append, **where)
    features = raw[[one for one in raw.columns if one not in {job.target, *drop}]]
    shown = raw[job.target].astype(str).str.strip().to_numpy()
    surveyed = survey(features, shown, asked)
    kinds = {one.name: one.kind for one in surveyed if not one.left_out}
    if not kinds:
        raise ValueError(f"{job.data} has no column to learn from but the target.")
    X = typed_columns(features, kinds, job.data, tokens=asked.tokens)
    classes = resolve_classes(labels, cost_matrix=matrix)
    check_priced(labels, classes.tolist(), **where)
    check_two_classes(job, labels)
    check_recalls(job, classes)
    check_folds(job, labels)
    notes += far_numbers(X)
    notes.append(
        f"{job.data} is read in blocks of {job.rows_at_once} rows; what columns hold "
        f"and how they are scaled is seen in {len(X)} of {len(labels)} rows."
    )
    return TrainingInput(
        matrix=matrix,
        classes=classes,
        kinds=kinds,
        left_out=[*drop, *(one.name for one in surveyed if one.left_out)],
        surveyed=surveyed,
        asked=asked,
        notes=notes,
        train=Rows(X, labels, None),
        test=None,
        test_costs=None,
        calibration=None,
    )


def _rows_on_disk(
    job: Job, data: TrainingInput, columns: Any, path: Path
) -> tuple[np.ndarray, np.ndarray, list[tuple[np.ndarray, np.ndarray]]]:
    """Features on disk, labels in the same order, and folds that are runs of rows.

    The folds are those of `SoftCostClassifierCV` with the same seed.
    """
    labels = data.train.y
    columns.fit(data.train.X)
    fold = np.empty(len(labels), np.intp)
    count = n_folds(job, len(labels))
    splitter = StratifiedKFold(count, shuffle=True, random_state=job.seed)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")
        for number, (_, test) in enumerate(splitter.split(labels, labels)):
            fold[test] = number
    X, order = write_rows(job, data, columns, fold, path)
    fold, every = fold[order], np.arange(len(order))
    folds = [(every[fold != k], every[fold == k]) for k in range(count)]
    return X, labels[order], folds


def _fit(
    job: Job,
    model: Pipeline,
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

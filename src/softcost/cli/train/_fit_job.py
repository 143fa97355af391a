"""The work behind ``softcost fit``."""

import numpy as np

from softcost.cli.console import (
    bad_input,
    check_writable,
    show_progress,
    trained,
    warnings_as_lines,
)
from softcost.cli.inputs import check_not_free, read_cost_file
from softcost.cli.train._data import read_rows, split_rows
from softcost.cli.train._job import Job, with_defaults
from softcost.cli.train._output import describe, write_files, write_results
from softcost.cli.train._reductions import make_reduction
from softcost.cli.train._results import compare
from softcost.cli.train._search import make_model
from softcost.costs import resolve_classes


def run(job: Job) -> None:
    """Read, train, measure, write, print."""
    job = with_defaults(job)
    with bad_input():
        for path in (job.model, job.report):
            check_writable(path)
        matrix = None if job.costs is None else read_cost_file(job.costs)
        if matrix is not None:
            check_not_free(matrix, str(job.costs))
        rows, kinds, left_out = read_rows(job)
        classes = resolve_classes(rows.y, cost_matrix=matrix, costs=rows.costs)
        if len(np.unique(rows.y)) < 2:
            raise ValueError(
                f"--target {job.target!r} has one class only, {str(rows.y[0])!r}; "
                "there is nothing to tell apart."
            )
        train, test = split_rows(job, rows, kinds)
        reduction, learner = make_reduction(job.reduction, job.learner, len(train.y))
    model = make_model(job, reduction, kinds, classes, matrix)
    with trained(), warnings_as_lines(job.quiet), show_progress("training", job.quiet):
        fit_params = {} if train.costs is None else {"search__costs": train.costs}
        model.fit(train.X, train.y, **fit_params)
        results = compare(model, test, matrix)
    about = describe(job, learner, kinds, left_out, train, test)
    with bad_input():
        write_files(job, model, results, about)
    write_results(job, about, results)

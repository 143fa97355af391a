"""The work behind ``softcost fit``."""

from softcost.cli.console import (
    BudgetMissed,
    bad_input,
    failed_job,
    show_progress,
    warnings_as_lines,
)
from softcost.cli.train._cluster import on_cluster
from softcost.cli.train._columns import tell_columns
from softcost.cli.train._data import read_data
from softcost.cli.train._families import tell_families
from softcost.cli.train._job import Job, with_defaults
from softcost.cli.train._output import describe_training, write_files, write_results
from softcost.cli.train._reductions import make_families
from softcost.cli.train._results import compare
from softcost.cli.train._search import fit_model, make_model
from softcost.cli.train._validation import check_actions, check_params

MOST_ROWS_OF_FRONT = 2_000  # up to which "auto" fits all models of the front


def run(job: Job) -> None:
    """Read and check, train, measure, write, print."""
    job = with_defaults(job)
    with bad_input():
        data = read_data(job)
        families = make_families(job, len(data.train.y))
        for one in families:
            check_actions(job, one, data.matrix)
    for one in families:
        own = job.param if len(families) == 1 else one.grid(job.param)
        check_params(one.model, own, len(data.classes))
    if not job.quiet:
        tell_columns(job, data.surveyed, data.notes)
        tell_families(families)
    model = make_model(job, families, data)
    with (
        on_cluster(job.dask),
        failed_job(),
        warnings_as_lines(job.quiet),
        show_progress("training", job.quiet),
    ):
        fit_model(model, data)
        results = compare(model, data, job.currency)
        if _keeps_front(job, len(data.train.y)):
            model["search"].keep_candidates()
    about = describe_training(job, families, data)
    with failed_job():
        write_files(job, families, model, results, about)
    write_results(job, about, results)
    if results["budget_met"] is False:
        raise BudgetMissed(results["guarantee"]["missing"])


def _keeps_front(job: Job, n_rows: int) -> bool:
    """Whether the models of the front are to be written, not only the chosen one."""
    if job.model is None or job.keep == "chosen":
        return False
    return job.keep == "front" or n_rows <= MOST_ROWS_OF_FRONT

"""What a command line asks ``softcost fit`` to do."""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from softcost.cli.console import BadInput
from softcost.search.auto import default_folds, default_samples
from softcost.search.criteria import CRITERIA


@dataclass(frozen=True)
class Job:
    """What the command line asked for; see ``softcost fit --help``.

    ``reduction`` is empty where none was named, ``cv`` None where nothing was said.
    """

    data: str
    target: str
    costs: str | None
    cost_columns: str | None
    action: dict[str, float]
    drop: tuple[str, ...]
    nominal: tuple[str, ...]
    number: tuple[str, ...]
    date: tuple[str, ...]
    decimal: Literal[".", ","] | None
    missing: tuple[str, ...]
    reduction: tuple[str, ...]
    learner: tuple[str, ...]
    param: dict[str, list[Any]] | None
    criterion: str | None
    max_error: float | None
    min_recall: dict[str, float] | None
    confidence: float | None
    holdout: float | None
    tolerance: float | str | None
    error_weight: str | None
    softness: int | list[float]
    cv: int | None
    minutes: float | None
    test_size: float | None
    test: str | None
    rows_at_once: int | None
    seed: int
    jobs: int
    currency: str
    dask: str | None
    model: str | None
    keep: Literal["auto", "front", "chosen"]
    report: str | None
    as_json: bool
    quiet: bool


def with_reduction(job: Job) -> Job:
    """The job with a reduction, which others of its options may imply.

    Families that suit the table, unless something is said of one of them: of the
    learner or its parameters, or that the table is read in blocks.
    """
    if job.reduction:
        return job
    if job.rows_at_once is not None:
        name = "osr"
    elif job.learner == ("boosting",):
        name = "mec"  # one fit serves every softness
    else:
        name = "osr" if job.learner != ("auto",) or job.param else "auto"
    return replace(job, reduction=(name,))


def n_folds(job: Job, n_rows: int) -> int:
    """How many folds or samples the search has."""
    return job.cv or default_folds(n_rows)


def sample_size(job: Job, labels: np.ndarray) -> int | None:
    """Training rows of a sample, if the search evaluates candidates on samples."""
    auto = with_reduction(job).reduction == ("auto",)
    if not auto or job.cv is not None or job.confidence is not None:
        return None
    samples = default_samples(labels, len(labels), job.seed)
    return None if samples is None else samples.train_size


def with_defaults(job: Job) -> Job:
    """Refuse options that contradict each other; fill in what follows from others."""
    _check_costs(job)
    if job.test is not None and job.test_size is not None:
        raise BadInput("give --test FILE or --test-size SHARE, not both.")
    if job.action and job.cost_columns is not None:
        raise BadInput(
            "--action adds a price for all rows to --costs; with --cost-columns add a "
            f"column {job.cost_columns}NAME to the table."
        )
    if job.jobs == 0:
        raise BadInput("--jobs must be 1 or more, or -1 for all cores, not 0.")
    if job.dask is not None and job.jobs != 1:
        raise BadInput(
            "--jobs is for this machine; leave it out, --dask uses all of the cluster."
        )
    if job.reduction == ("auto",) and (job.learner != ("auto",) or job.param):
        raise BadInput(
            "--reduction auto chooses learners and their parameters itself: leave out "
            "--learner and --param, or name reductions, such as osr,mec."
        )
    return replace(job, criterion=_criterion(job))


def _check_costs(job: Job) -> None:
    if (job.costs is None) == (job.cost_columns is None):
        wrong = "not both" if job.costs else "one of them"
        raise BadInput(
            f"give --costs FILE or --cost-columns PREFIX, {wrong}; 'softcost costs "
            f"template {job.data} --target {job.target}' writes a list to fill in."
        )


def _criterion(job: Job) -> str:
    """The criterion, which its own option may imply."""
    budget = job.max_error is not None or job.min_recall is not None
    if budget and job.tolerance is not None:
        limit = "--max-error" if job.max_error is not None else "--min-recall"
        raise BadInput(f"give {limit} or --tolerance, not both.")
    for option, value in (
        ("--confidence", job.confidence),
        ("--holdout", job.holdout),
    ):
        if value is not None and not budget:
            raise BadInput(
                f"{option} goes with a limit to test; give --max-error or --min-recall."
            )
    if job.holdout is not None and job.confidence is None:
        raise BadInput("--holdout is for a test; give --confidence, such as 0.95.")
    implied = "cost"
    if budget:
        implied = "constrained"
    elif job.tolerance is not None:
        implied = "tolerance"
    criterion = job.criterion or implied
    if criterion == implied:
        return criterion
    needed = {word: entry.option for word, entry in CRITERIA.items() if entry.option}
    if implied in needed:
        raise BadInput(
            f"--criterion {criterion} and {needed[implied]} contradict each other; "
            "leave one out."
        )
    if criterion in needed:
        raise BadInput(f"--criterion {criterion} needs {needed[criterion]}; give it.")
    return criterion

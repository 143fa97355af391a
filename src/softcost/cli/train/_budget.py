"""Budgets on the command line: from options to a rule, and what came of it."""

from typing import Any

import numpy as np

from softcost.cli.train._job import Job
from softcost.search import Budget

# What --confidence keeps of the rows for its test, where nothing else is asked for.
HOLDOUT = 0.2


def criterion_of(job: Job) -> dict[str, Any]:
    """How the search is to choose, as its arguments."""
    if job.min_recall is None and job.confidence is None:
        return {
            "criterion": job.criterion,
            "max_error": job.max_error,
            "tolerance": job.tolerance,
        }
    budget = Budget(
        error=job.max_error, recall=job.min_recall, confidence=job.confidence
    )
    return {"criterion": budget}


def calibration_rows(job: Job, n_rows: int) -> np.ndarray | None:
    """Rows to keep from training, drawn at random, where the job wants some."""
    share = job.holdout
    if share is None and job.confidence is not None:
        share = HOLDOUT
    if not share:
        return None
    kept = round(share * n_rows)
    if not 0 < kept < n_rows:
        raise ValueError(
            f"--holdout {share:g} holds out {kept} of {n_rows} rows; choose a share "
            "that leaves most rows for training."
        )
    return np.sort(np.random.default_rng(job.seed).permutation(n_rows)[:kept])


def check_recalls(job: Job, classes: np.ndarray) -> None:
    """Refuse recalls of classes that there are not."""
    names = [str(name) for name in classes.tolist()]
    for label in job.min_recall or {}:
        if label not in names:
            raise ValueError(
                f"--min-recall names {label!r}, which is no class; the classes are "
                f"{', '.join(map(repr, names[:6]))}."
            )

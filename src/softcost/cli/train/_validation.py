"""Everything that a user can get wrong is found here, before any training.

Whatever training itself raises afterwards is then a fault of ours, and the command
line can say so.
"""

import warnings
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from softcost.cli.console import BadInput
from softcost.cli.train._job import Job, n_folds
from softcost.cli.train._reductions import Family
from softcost.costs import actions_of
from softcost.reductions import Reduction
from softcost.search import SoftCostClassifierCV

_TRIAL_ROWS = 60


def check_two_classes(job: Job, labels: np.ndarray) -> None:
    """Refuse rows of one class only."""
    if len(np.unique(labels)) < 2:
        raise ValueError(
            f"--target {job.target!r} has one class only, {str(labels[0])!r}; there is "
            "nothing to tell apart."
        )


def check_folds(job: Job, labels: np.ndarray) -> None:
    """Refuse more folds than the largest class has rows."""
    largest = int(np.unique(labels, return_counts=True)[1].max())
    folds = n_folds(job, len(labels))
    if folds > largest:
        raise ValueError(
            f"--cv {folds} asks for more folds than the largest class has rows to "
            f"learn from, {largest}; ask for fewer, or give more rows."
        )


def check_actions(job: Job, family: Family, matrix: pd.DataFrame | None) -> None:
    """Refuse actions where the reduction answers with classes only."""
    others = [] if matrix is None else actions_of(matrix)
    if others and not family.model.takes_actions:
        raise ValueError(
            f"{job.costs} has the answer {others[0]!r}, which is no class, and "
            f"--reduction {family.reduction} knows only classes; drop that column, or "
            "choose mec, csovo or osr."
        )


def check_params(
    reduction: Reduction, param_grid: dict[str, list[Any]] | None, n_classes: int
) -> None:
    """Refuse values of ``--param`` that the learner does not take.

    Learners check some of their parameters, and how these go together, in ``fit``
    only. So a small search is made on made-up rows. Where it fails with parameters of
    ours, too, the user's are not to blame.
    """
    if not param_grid:
        return
    try:
        _search_made_up_rows(reduction, param_grid, n_classes)
    except Exception as error:  # learners have exceptions of their own
        _search_made_up_rows(reduction, None, n_classes)
        given = " ".join(
            f"--param {name}={','.join(map(str, values))}"
            for name, values in param_grid.items()
        )
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        raise BadInput(f"{given} does not suit the learner: {reason}") from error


def _search_made_up_rows(
    reduction: Reduction, param_grid: dict[str, list[Any]] | None, n_classes: int
) -> None:
    X = np.random.default_rng(0).random((_TRIAL_ROWS, 2))
    y = np.arange(_TRIAL_ROWS) % min(n_classes, 3)
    search = SoftCostClassifierCV(
        clone(reduction), param_grid=param_grid, softness=[0.0], cv=2, refit=False
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search.fit(X, y)

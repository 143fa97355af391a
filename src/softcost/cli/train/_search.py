"""The search behind ``softcost fit``: made here, and asked here for its candidates.

No other module of the command line looks into a fitted search for its rows.
"""

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from softcost.cli.train._data import TrainingData
from softcost.cli.train._encoder import make_encoder
from softcost.cli.train._job import Job
from softcost.reductions import Reduction
from softcost.soft import SoftCostClassifierCV


def make_model(job: Job, reduction: Reduction, data: TrainingData) -> Pipeline:
    """The unfitted model: encoded columns, then the search."""
    search = SoftCostClassifierCV(
        reduction,
        cost_matrix=data.matrix,
        classes=data.classes,
        softness=job.softness,
        param_grid=job.param,
        criterion=job.criterion,
        max_error=job.max_error,
        tolerance=job.tolerance,
        error_weight=job.error_weight,
        cv=job.cv,
        n_jobs=job.jobs,
        random_state=job.seed,
    )
    return Pipeline([("columns", make_encoder(data.kinds)), ("search", search)])


def fit_model(model: Pipeline, data: TrainingData) -> None:
    """Search, choose and refit."""
    costs = {} if data.train.costs is None else {"search__costs": data.train.costs}
    model.fit(data.train.X, data.train.y, **costs)


def reference_rows(search: SoftCostClassifierCV) -> dict[str, int]:
    """Numbers of the rows to set side by side.

    Regular is the best by error at softness 1, as one would choose it without prices;
    hard the cheapest at softness 0.
    """
    table = search.tradeoff_
    rows = {}
    error = "error" if search.error_weight is None else "weighted_error"
    for name, softness, measure in (("regular", 1.0, error), ("hard", 0.0, "cost")):
        among = np.flatnonzero(table["softness"].to_numpy() == softness)
        if len(among):
            rows[name] = int(among[table[measure].to_numpy()[among].argmin()])
    return rows | {"chosen": search.best_index_}


def candidate(search: SoftCostClassifierCV, row: int) -> Any:
    """The candidate of a row, fitted to all training rows."""
    return search if row == search.best_index_ else search._refit(row)


def candidate_params(search: SoftCostClassifierCV, row: int) -> dict[str, Any]:
    """The learner's parameters of a row."""
    return search._params[row]

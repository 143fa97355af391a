"""The search behind ``softcost fit``."""

from typing import Any

from sklearn.pipeline import Pipeline

from softcost.cli.train._data import TrainingInput
from softcost.cli.train._encoder import make_encoder
from softcost.cli.train._job import Job
from softcost.cli.train._reductions import Family
from softcost.soft import SoftCostClassifierCV


def make_model(job: Job, families: list[Family], data: TrainingInput) -> Pipeline:
    """The unfitted model: encoded columns, then the search; no families mean auto."""
    reduction: Any = "auto"
    param_grid: Any = job.param
    if len(families) == 1:
        reduction = families[0].model
    elif families:
        reduction = [(one.name, one.model) for one in families]
        param_grid = {one.name: one.grid(job.param) for one in families}
    search = SoftCostClassifierCV(
        reduction,
        cost_matrix=data.matrix,
        classes=data.classes,
        softness=job.softness,
        param_grid=param_grid,
        criterion=job.criterion,
        max_error=job.max_error,
        tolerance=job.tolerance,
        error_weight=job.error_weight,
        cv=job.cv,
        n_jobs=job.jobs,
        random_state=job.seed,
    )
    return Pipeline([("columns", make_encoder(data.kinds)), ("search", search)])


def fit_model(model: Pipeline, data: TrainingInput) -> None:
    """Search, choose and refit."""
    costs = {} if data.train.costs is None else {"search__costs": data.train.costs}
    model.fit(data.train.X, data.train.y, **costs)

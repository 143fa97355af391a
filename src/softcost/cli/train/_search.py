"""The search behind ``softcost fit``."""

import warnings
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from softcost.cli.train._budget import criterion_of
from softcost.cli.train._data import TrainingInput
from softcost.cli.train._job import Job
from softcost.cli.train._reductions import Family
from softcost.search import SoftCostClassifierCV
from softcost.tables import make_encoder


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
        **criterion_of(job),
        holdout=data.calibration,
        error_weight=job.error_weight,
        cv=job.cv,
        time_limit=None if job.minutes is None else 60 * job.minutes,
        n_jobs=job.jobs if job.dask is None else None,
        random_state=job.seed,
    )
    return Pipeline([("columns", make_encoder(data.kinds)), ("search", search)])


def fit_model(model: Pipeline, data: TrainingInput) -> None:
    """Search, choose and refit."""
    with warnings.catch_warnings():
        # A budget that is not met is told at the end, also where warnings are not.
        warnings.filterwarnings("ignore", message="no candidate (has|was shown)")
        if data.calibration is None:
            costs = data.train.costs
            told = {} if costs is None else {"search__costs": costs}
            model.fit(data.train.X, data.train.y, **told)
        else:
            _fit_calibrated(model, data, data.calibration)


def _fit_calibrated(model: Pipeline, data: TrainingInput, kept: np.ndarray) -> None:
    """The same, where columns are encoded by what training may see, too."""
    search, train = model["search"], data.train
    seen = np.delete(np.arange(len(train.y)), kept)
    columns = model["columns"].fit(train.X.iloc[seen])
    search.fit(columns.transform(train.X), train.y, costs=train.costs)
    # A saved model says how many rows were kept; which is of no use to it.
    search.set_params(holdout=len(kept) / len(train.y))

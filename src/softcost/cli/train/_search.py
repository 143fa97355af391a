"""The search behind ``softcost fit``."""

from sklearn.pipeline import Pipeline

from softcost.cli.train._data import TrainingInput
from softcost.cli.train._encoder import make_encoder
from softcost.cli.train._job import Job
from softcost.reductions import Reduction
from softcost.soft import SoftCostClassifierCV


def make_model(job: Job, reduction: Reduction, data: TrainingInput) -> Pipeline:
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


def fit_model(model: Pipeline, data: TrainingInput) -> None:
    """Search, choose and refit."""
    costs = {} if data.train.costs is None else {"search__costs": data.train.costs}
    model.fit(data.train.X, data.train.y, **costs)

"""Sample weights under the names by which learners take them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import has_fit_parameter


def takes_weights(learner: Any) -> bool:
    """Whether ``learner.fit``, or that of a pipeline's last step, takes weights."""
    last = learner.steps[-1][1] if isinstance(learner, Pipeline) else learner
    return has_fit_parameter(last, "sample_weight")


def weight_params(learner: Any, weight: NDArray[np.float64]) -> dict[str, Any]:
    """Sample weights under the names by which ``learner.fit`` takes them."""
    if takes_weights(learner):
        if isinstance(learner, Pipeline):
            return _pipeline_weights(learner, weight)
        return {"sample_weight": weight}
    if np.all(weight == weight[0]):
        return {}
    raise ValueError(
        f"learner {type(learner).__name__} does not take sample weights, which this "
        "reduction needs: wrap it, Costing(learner), or choose another learner."
    )


def _pipeline_weights(
    pipeline: Pipeline, weight: NDArray[np.float64]
) -> dict[str, Any]:
    """Weights for the last step, and for standard scalers.

    So a weighted row counts as often as a repeated one. Other steps get none, since
    some of them refuse weights that they seem to take.
    """
    routing = get_config()["enable_metadata_routing"]
    params = {}
    for name, step in pipeline.steps:
        weighted = step is pipeline.steps[-1][1] or isinstance(step, StandardScaler)
        if routing and has_fit_parameter(step, "sample_weight"):
            step.set_fit_request(sample_weight=weighted)
        elif weighted:
            params[f"{name}__sample_weight"] = weight
    return {"sample_weight": weight} if routing else params

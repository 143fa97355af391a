"""Sample weights under the names by which learners take them."""

from contextlib import AbstractContextManager
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context, get_config
from sklearn.metrics import get_scorer, get_scorer_names
from sklearn.model_selection._search import BaseSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import has_fit_parameter

from softcost.learners._kinds import kind_of, last_step


def takes_weights(learner: Any) -> bool:
    """Whether ``learner.fit``, or that of a pipeline's last step, takes weights.

    Searches and other estimators that hand on what they are given take them where the
    estimator inside does.

    Parameters
    ----------
    learner : estimator
        Also a pipeline, a search or an ensemble.

    Returns
    -------
    bool
        Where it is False, `Costing` stands in by drawing rows.

    See Also
    --------
    weight_params : Sample weights under the names by which ``learner.fit`` takes them.
    softcost.reductions.Costing : For learners that take no weights.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from softcost.learners import takes_weights
    >>> takes_weights(make_pipeline(StandardScaler(), LogisticRegression()))
    True
    >>> takes_weights(KNeighborsClassifier())
    False
    """
    last = last_step(learner)
    if has_fit_parameter(last, "sample_weight"):
        return True
    named = getattr(last, "estimators", None) or [
        ("", getattr(last, "estimator", None))
    ]
    inner = [one for _, one in named if hasattr(one, "fit")]
    return _hands_on(last.fit) and bool(inner) and all(map(takes_weights, inner))


def weight_params(learner: Any, weight: NDArray[np.float64]) -> dict[str, Any]:
    """Sample weights under the names by which ``learner.fit`` takes them.

    Weights that are all 1 are not passed: some learners, and pipelines with resampling
    steps, cannot take any. Where they travel by scikit-learn's metadata routing, the
    estimators inside the learner are told to ask for them; fit it under `routing_for`.

    Parameters
    ----------
    learner : estimator
        Whose ``fit`` is to be called.
    weight : array of shape (n,)
        Positive sample weights.

    Returns
    -------
    dict of str and array
        Keyword arguments of ``fit``.

    Raises
    ------
    ValueError
        Where weights differ and the learner takes none.

    See Also
    --------
    takes_weights : Whether ``learner.fit``, or that of a pipeline's last step, takes
        weights.
    fit_one : Fit a clone to one subproblem: the unit of parallel work.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from softcost.learners import weight_params
    >>> learner = make_pipeline(StandardScaler(), Ridge())
    >>> list(weight_params(learner, np.array([1.0, 2.0])))
    ['standardscaler__sample_weight', 'ridge__sample_weight']
    >>> weight_params(learner, np.ones(2))
    {}
    """
    if np.all(weight == 1.0):
        return {}
    if not takes_weights(learner):
        if np.all(weight == weight[0]):
            return {}
        raise ValueError(
            f"learner {type(learner).__name__} does not take sample weights, which "
            "this reduction needs: wrap it, Costing(learner), or choose another "
            "learner."
        )
    if _routes(learner):
        with routing_for(learner):
            for one in (learner, *_inner_estimators(learner)):
                _ask_for_weights(one)
        return {"sample_weight": weight}
    return dict.fromkeys(_names(learner), weight)


def routing_for(learner: Any) -> AbstractContextManager[None]:
    """Metadata routing as a learner needs it to be given weights, on or off.

    On where it has estimators inside, and either the user has it on or weights reach
    them by it only. Otherwise off, since some learners cannot be given weights while
    it is on.
    """
    return config_context(enable_metadata_routing=_routes(learner))


def _routes(learner: Any) -> bool:
    if not _inner_estimators(learner) or getattr(learner, "hands_weights_on", False):
        return False
    try:
        with config_context(enable_metadata_routing=True):
            learner.get_metadata_routing()
    except (AttributeError, NotImplementedError):
        return False
    return get_config()["enable_metadata_routing"] or _only_by_routing(learner)


def _only_by_routing(learner: Any) -> bool:
    """Whether a learner hands weights on by metadata routing only."""
    last = last_step(learner)
    if isinstance(last, BaseSearchCV):
        return _only_by_routing(last.estimator)
    if not has_fit_parameter(last, "sample_weight"):
        return True
    return any(isinstance(one, Pipeline) for one in _inner_estimators(last))


def _inner_estimators(learner: Any) -> list[Any]:
    return [
        value
        for value in learner.get_params(deep=True).values()
        if hasattr(value, "fit") and not isinstance(value, type)
    ]


def _names(learner: Any) -> list[str]:
    """Names of weights without metadata routing.

    In a pipeline the last step gets them, and standard scalers, so that a weighted row
    counts as often as a repeated one. Other steps get none, since some of them refuse
    weights that they seem to take.
    """
    if isinstance(learner, BaseSearchCV):
        return _names(learner.estimator)
    if not isinstance(learner, Pipeline):
        return ["sample_weight"]
    name, last = learner.steps[-1]
    scalers = [one for one, step in learner.steps if isinstance(step, StandardScaler)]
    return [f"{step}__sample_weight" for step in scalers] + [
        f"{name}__{inner}" for inner in _names(last)
    ]


def _ask_for_weights(estimator: Any) -> None:
    """Say what an estimator does with weights, where it has not been said.

    Predictors and standard scalers get them, other transformers and scorers do not.
    """
    wanted = kind_of(estimator) is not None or isinstance(estimator, StandardScaler)
    _request(estimator, "fit", wanted)
    _request(estimator, "score", wanted)
    scoring = getattr(estimator, "scoring", None)
    if isinstance(scoring, str) and scoring in get_scorer_names():
        scoring = estimator.scoring = get_scorer(scoring)
    _request(scoring, "score", False)


def _request(owner: Any, method: str, wanted: bool) -> None:
    request = getattr(owner, f"set_{method}_request", None)
    if request is None or not _accepts_weights(request):
        return
    asked = getattr(owner.get_metadata_routing(), method, None)
    if getattr(asked, "requests", {}).get("sample_weight") is None:
        request(sample_weight=wanted)


def _accepts_weights(function: Any) -> bool:
    parameters = signature(function).parameters
    return "sample_weight" in parameters or _hands_on(function)


def _hands_on(function: Any) -> bool:
    """Whether a function takes keywords of any name."""
    parameters = signature(function).parameters.values()
    return any(one.kind is one.VAR_KEYWORD for one in parameters)

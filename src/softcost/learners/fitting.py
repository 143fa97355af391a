"""Fit any learner to subproblems: together if it supports that, else one by one.

The helpers deal with what differs between scikit-learn estimators: random states,
sample weights (directly, in pipelines and by metadata routing), kernel matrices, and
subproblems with nothing to learn.
"""

import warnings
from collections.abc import Sequence
from contextlib import AbstractContextManager
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context, get_config
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import get_scorer, get_scorer_names
from sklearn.model_selection._search import BaseSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import _safe_indexing
from sklearn.utils._array_api import _convert_to_numpy, device, get_namespace
from sklearn.utils.validation import _num_samples, has_fit_parameter

from softcost.learners.fit_params import FitParams
from softcost.learners.protocols import (
    FittedSubproblems,
    Labels,
    OneSidedValues,
    Subproblem,
    SupportsMultiFit,
    Values,
    is_pairwise,
    kind_of,
    last_step,
)
from softcost.parallel import local_threads, one_thread, run_jobs


def draw_seeds(rng: np.random.RandomState | None, n_seeds: int) -> list[int | None]:
    """Draw one seed per learner; None for all without a generator.

    All seeds are drawn before any learner is fitted, so results do not depend on the
    number of workers.

    Parameters
    ----------
    rng : numpy.random.RandomState or None
        The generator.
    n_seeds : int
        Number of seeds.

    Returns
    -------
    list of int or None
        One seed for each learner.

    See Also
    --------
    seeded_clone : Clone a learner and set all its random states, including nested ones.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.learners import draw_seeds
    >>> draw_seeds(None, 2)
    [None, None]
    >>> rng = np.random.RandomState(0)
    >>> draw_seeds(rng, 2) == draw_seeds(np.random.RandomState(0), 2)
    True
    """
    if rng is None:
        return [None] * n_seeds
    return rng.randint(np.iinfo(np.int32).max, size=n_seeds).tolist()


def seeded_clone(learner: Any, seed: int | None = None) -> Any:
    """Clone a learner and set all its random states, including nested ones.

    Parameters
    ----------
    learner : estimator
        The learner to clone.
    seed : int, default=None
        The new random state; None keeps those of the learner.

    Returns
    -------
    estimator
        Not fitted.

    See Also
    --------
    draw_seeds : Draw one seed per learner; None for all without a generator.
    sklearn.base.clone : Clones without a seed.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from softcost.learners import seeded_clone
    >>> seeded_clone(RandomForestClassifier(), seed=7)
    RandomForestClassifier(random_state=7)
    """
    model = clone(learner)
    if seed is None:
        return model
    states = [
        name
        for name in model.get_params(deep=True)
        if name == "random_state" or name.endswith("__random_state")
    ]
    if states:
        model.set_params(**dict.fromkeys(states, seed))
    return model


def takes_weights(learner: Any) -> bool:
    """Whether a learner, or the last step of a pipeline, supports sample weights.

    Searches and other meta-estimators that forward keyword arguments support weights
    if the inner estimators do.

    Parameters
    ----------
    learner : estimator
        May be a pipeline, a search or an ensemble.

    Returns
    -------
    bool
        If False, wrap the learner in `Costing`, which samples rows instead.

    See Also
    --------
    weight_params : Sample weights as keyword arguments of ``learner.fit``.
    softcost.reductions.Costing : For learners without sample weights.

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
    inner = [estimator for _, estimator in named if hasattr(estimator, "fit")]
    return _takes_keywords(last.fit) and bool(inner) and all(map(takes_weights, inner))


def weight_params(learner: Any, weight: NDArray[np.float64]) -> dict[str, Any]:
    """Sample weights as keyword arguments of ``learner.fit``.

    Weights that are all 1 are left out, since some learners and pipelines with
    resampling steps do not support any. With scikit-learn's metadata routing, this
    function sets the requests of the inner estimators; call ``fit`` under
    `routing_for`.

    Parameters
    ----------
    learner : estimator
        The learner to fit.
    weight : array of shape (n,)
        Positive sample weights.

    Returns
    -------
    dict of str and array
        Keyword arguments of ``fit``.

    Raises
    ------
    ValueError
        If weights differ and the learner does not support them.

    See Also
    --------
    takes_weights : Whether a learner, or the last step of a pipeline, supports sample
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
            f"learner {type(learner).__name__} does not support sample weights, which "
            "this reduction needs. Wrap it, Costing(learner), or choose another "
            "learner."
        )
    if _routes(learner):
        with routing_for(learner):
            for estimator in (learner, *_inner_estimators(learner)):
                _request_weights(estimator)
        return {"sample_weight": weight}
    return dict.fromkeys(_names(learner), weight)


def routing_for(learner: Any) -> AbstractContextManager[None]:
    """Context in which metadata routing is on or off, as weights need it.

    It is on if the learner has inner estimators and either the user has enabled it or
    weights can reach them in no other way. Otherwise it is off, since some learners do
    not accept weights while it is on.
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
    """Whether weights reach the inner estimators by metadata routing only."""
    last = last_step(learner)
    if isinstance(last, BaseSearchCV):
        return _only_by_routing(last.estimator)
    if not has_fit_parameter(last, "sample_weight"):
        return True
    return any(isinstance(inner, Pipeline) for inner in _inner_estimators(last))


def _inner_estimators(learner: Any) -> list[Any]:
    return [
        value
        for value in learner.get_params(deep=True).values()
        if hasattr(value, "fit") and not isinstance(value, type)
    ]


def _names(learner: Any) -> list[str]:
    """Names of weight arguments without metadata routing.

    In a pipeline the last step gets weights, and so do standard scalers: a row of
    weight 2 then counts like two equal rows. Other steps get none, since some raise
    errors for weights that their signature accepts.
    """
    if isinstance(learner, BaseSearchCV):
        return _names(learner.estimator)
    if not isinstance(learner, Pipeline):
        return ["sample_weight"]
    name, last = learner.steps[-1]
    scalers = [step for step, part in learner.steps if isinstance(part, StandardScaler)]
    return [f"{step}__sample_weight" for step in scalers] + [
        f"{name}__{inner}" for inner in _names(last)
    ]


def _request_weights(estimator: Any) -> None:
    """Set an estimator's requests for weights, unless the user has set them.

    Predictors and standard scalers request weights, other transformers and scorers do
    not.
    """
    weighted = kind_of(estimator) is not None or isinstance(estimator, StandardScaler)
    _request(estimator, "fit", weighted)
    _request(estimator, "score", weighted)
    scoring = getattr(estimator, "scoring", None)
    if isinstance(scoring, str) and scoring in get_scorer_names():
        scoring = estimator.scoring = get_scorer(scoring)
    _request(scoring, "score", False)


def _request(owner: Any, method: str, weighted: bool) -> None:
    request = getattr(owner, f"set_{method}_request", None)
    if request is None or not _accepts_weights(request):
        return
    current = getattr(owner.get_metadata_routing(), method, None)
    if getattr(current, "requests", {}).get("sample_weight") is None:
        request(sample_weight=weighted)


def _accepts_weights(function: Any) -> bool:
    parameters = signature(function).parameters
    return "sample_weight" in parameters or _takes_keywords(function)


def _takes_keywords(function: Any) -> bool:
    """Whether a function accepts arbitrary keyword arguments."""
    parameters = signature(function).parameters.values()
    return any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)


class Constant:
    """The model of a subproblem with nothing to learn: a constant output.

    Parameters
    ----------
    value : float
        The output; NaN for a subproblem without rows.

    See Also
    --------
    fit_one : Fit a clone to one subproblem: the unit of parallel work.
    FittedModels : Models of subproblems that were fitted one by one.

    Examples
    --------
    All labels are the same, so no learner is fitted:

    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from softcost.learners import Constant, Labels, fit_one
    >>> only = Labels(target=np.ones(3), weight=np.ones(3))
    >>> model = fit_one(LogisticRegression(), np.eye(3), only)
    >>> isinstance(model, Constant), float(model.value)
    (True, 1.0)
    """

    def __init__(self, value: float):
        self.value = value


class OnColumns:
    """A model fitted to some rows of a kernel matrix, which selects their columns.

    Parameters
    ----------
    model : estimator
        Fitted to a part of a kernel matrix.
    columns : array of shape (n_rows,)
        The training rows.

    See Also
    --------
    fit_rows : Fit a model to some rows of X, or to a part of a kernel matrix.
    is_pairwise : Whether a learner needs a kernel matrix instead of features.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.svm import SVC
    >>> from softcost.learners import fit_rows
    >>> X, y = np.array([[0.0], [1.0], [3.0], [4.0]]), np.array([0, 0, 1, 1])
    >>> kernel, rows = X @ X.T, np.array([1, 2])
    >>> part = fit_rows(SVC(kernel="precomputed"), kernel, rows, y[rows], {})
    >>> part.columns.tolist(), part.predict(kernel).tolist()
    ([1, 2], [0, 0, 1, 1])
    """

    model: Any
    columns: NDArray[np.intp]

    def __init__(self, model: Any, columns: NDArray[np.intp]) -> None:
        self.model, self.columns = model, columns

    @property
    def classes_(self) -> Any:
        return self.model.classes_

    def __getattr__(self, name: str) -> Any:
        if name not in ("decision_function", "predict", "predict_proba"):
            raise AttributeError(name)
        method = getattr(self.model, name)
        return lambda X: method(np.asarray(X)[:, self.columns])


def like_array(values: Any, X: Any) -> Any:
    """An array of the library and on the device of X, for array API dispatch.

    scikit-learn's learners need X, y and weights of one library while dispatch is on.
    """
    if isinstance(X, np.ndarray) or not get_config()["array_api_dispatch"]:
        return values
    try:
        xp, is_array_api = get_namespace(X)
    except TypeError:  # a table or a sparse matrix
        return values
    return xp.asarray(values, device=device(X)) if is_array_api else values


def as_numpy(values: Any) -> NDArray[Any]:
    """The output of a learner, perhaps a tensor on some device, as a numpy array."""
    if isinstance(values, np.ndarray) or not hasattr(values, "shape"):
        return np.asarray(values)
    return np.asarray(_convert_to_numpy(values, get_namespace(values)[0]))


def fit_rows(
    model: Any,
    X: Any,
    rows: NDArray[np.intp],
    y: NDArray[Any],
    params: dict[str, Any],
) -> Any:
    """Fit a model to some rows of X, or to a part of a kernel matrix.

    Parameters
    ----------
    model : estimator
        The model itself is fitted, not a clone.
    X : rows
        Features, or a kernel matrix if the model is pairwise.
    rows : array of shape (n_rows,)
        Indices of the rows, increasing.
    y : array of shape (n_rows,)
        Their targets.
    params : dict
        Further arguments of ``fit``, such as weights.

    Returns
    -------
    estimator or `OnColumns`
        Predicts from X with all its columns.

    See Also
    --------
    fit_one : Fit a clone to one subproblem: the unit of parallel work.
    OnColumns : A model fitted to some rows of a kernel matrix, which selects their
        columns.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from softcost.learners import fit_rows
    >>> X, rows = np.array([[0.0], [1.0], [9.0]]), np.array([0, 1])
    >>> line = fit_rows(LinearRegression(), X, rows, np.array([1.0, 2.0]), {})
    >>> line.predict(X).round(6).tolist()
    [1.0, 2.0, 10.0]
    """
    every = len(rows) == _num_samples(X) and bool(np.all(np.diff(rows) == 1))
    y = like_array(y, X)
    params = {
        name: like_array(value, X) if name.endswith("sample_weight") else value
        for name, value in params.items()
    }
    with one_thread(), routing_for(model):
        if every:
            return model.fit(X, y, **params)
        if is_pairwise(model):
            part = np.asarray(X)[np.ix_(rows, rows)]
            return OnColumns(model.fit(part, y, **params), rows)
        return model.fit(_safe_indexing(X, rows), y, **params)


class FittedModels:
    """Models of subproblems that were fitted one by one.

    Parameters
    ----------
    members : list of estimators
        The fitted learners; a `Constant` for a subproblem with nothing to learn.

    See Also
    --------
    FittedSubproblems : Solutions of several subproblems over the same rows.
    fitted_learners : The fitted learner of every subproblem; None if there was nothing
        to learn.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from softcost.learners import Constant, FittedModels
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> line = LinearRegression().fit(X, [1.0, 2.0, 3.0])
    >>> FittedModels([line, Constant(5.0)]).outputs(X).round(6)
    array([[1., 5.],
           [2., 5.],
           [3., 5.]])
    """

    def __init__(self, members: list[Any]):
        self.members = members

    def outputs(self, X: Any) -> NDArray[np.float64]:
        """Outputs of all models, shape (n, n_members).

        Parameters
        ----------
        X : rows
            In any form that the learners accept.

        Returns
        -------
        array of shape (n, n_members)
            One column for each model.
        """
        out = np.empty((_num_samples(X), len(self.members)))
        for number in range(len(self.members)):
            out[:, number] = self.output(number, X)
        return out

    def output(self, number: int, X: Any) -> Any:
        """Output of one model, shape (n,) or a constant.

        Parameters
        ----------
        number : int
            Index of the model.
        X : rows
            In any form that the learners accept.

        Returns
        -------
        array of shape (n,) or float
            A constant if there was nothing to learn.
        """
        member = self.members[number]
        return member.value if isinstance(member, Constant) else signed(member, X)


def fitted_learners(solutions: FittedSubproblems) -> list[Any]:
    """The fitted learner of every subproblem; None if there was nothing to learn.

    Parameters
    ----------
    solutions : FittedSubproblems
        As returned by `fit_subproblems`.

    Returns
    -------
    list of estimators or None
        One for each subproblem.

    Raises
    ------
    AttributeError
        If the learner solved all subproblems together.

    See Also
    --------
    inner_learner : The fitted learner inside a model; None for a `Constant`.
    fit_subproblems : Fit a learner to every subproblem.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from softcost.learners import Constant, FittedModels, fitted_learners
    >>> fitted_learners(FittedModels([Ridge(), Constant(1.0)]))
    [Ridge(), None]
    """
    if not isinstance(solutions, FittedModels):
        raise AttributeError(
            "the learner solves all subproblems together, so there are no separate "
            "estimators. See solutions_."
        )
    return [inner_learner(member) for member in solutions.members]


def inner_learner(member: Any) -> Any:
    """The fitted learner inside a model; None for a `Constant`.

    Parameters
    ----------
    member : estimator, `Constant` or `OnColumns`
        A member of `FittedModels`.

    Returns
    -------
    estimator or None
        The fitted learner itself.

    See Also
    --------
    fitted_learners : The fitted learner of every subproblem; None if there was nothing
        to learn.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.svm import SVC
    >>> from softcost.learners import Constant, OnColumns, inner_learner
    >>> inner_learner(OnColumns(SVC(), np.arange(3)))
    SVC()
    >>> inner_learner(Constant(1.0)) is None
    True
    """
    if isinstance(member, Constant):
        return None
    return member.model if isinstance(member, OnColumns) else member


def signed(learner: Any, X: Any) -> NDArray[np.float64]:
    """A regressor's prediction, or a classifier's output: positive for label +1."""
    estimator = learner.model if isinstance(learner, OnColumns) else learner
    if kind_of(estimator) != "classifier":
        outputs = as_numpy(learner.predict(X))
    elif hasattr(learner, "decision_function"):
        outputs = as_numpy(learner.decision_function(X))
    else:
        outputs = np.where(as_numpy(learner.predict(X)) == 1, 1.0, -1.0)
    if not np.isfinite(outputs).all():
        raise ValueError(
            f"learner {type(estimator).__name__} gave outputs that are not finite. "
            "Scale the features, as with StandardScaler(), or choose another learner."
        )
    return outputs


def fit_subproblems(
    learner: Any,
    X: Any,
    subproblems: Sequence[Subproblem],
    *,
    n_jobs: int | None = None,
    rng: np.random.RandomState | None = None,
    params: Sequence[FitParams] | None = None,
) -> FittedSubproblems:
    """Fit a learner to every subproblem.

    Parameters
    ----------
    learner : estimator
        Any. It fits all subproblems together if it supports `SupportsMultiFit`.
    X : rows
        In any form that the learner accepts.
    subproblems : sequence of Subproblem
        All over the rows of X.
    n_jobs : int, default=None
        Number of threads if the learner fits all together, otherwise joblib workers.
    rng : numpy.random.RandomState, default=None
        Seeds learners with a random state. Results do not depend on ``n_jobs``.
    params : sequence of FitParams, default=None
        Further arguments of ``fit``, for each subproblem.

    Returns
    -------
    FittedSubproblems
        The solutions, in the order of `subproblems`.

    See Also
    --------
    fit_one : Fit a clone to one subproblem: the unit of parallel work.
    SupportsMultiFit : A learner that fits many subproblems over the same rows together.
    fitted_learners : The fitted learner of every subproblem; None if there was nothing
        to learn.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from softcost.learners import Labels, fit_subproblems
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> above = [Labels(np.where(X[:, 0] > at, 1.0, -1.0), np.ones(4)) for at in (0, 1)]
    >>> solutions = fit_subproblems(LogisticRegression(C=100), X, above)
    >>> np.sign(solutions.outputs(X))
    array([[-1., -1.],
           [ 1., -1.],
           [ 1.,  1.],
           [ 1.,  1.]])
    """
    if isinstance(learner, SupportsMultiFit):
        return learner.fit_many(X, subproblems, threads=local_threads(n_jobs))
    seeds = draw_seeds(rng, len(subproblems))
    each = [None] * len(subproblems) if params is None else params
    jobs = list(zip(subproblems, seeds, each, strict=True))
    return FittedModels(run_jobs(fit_one, jobs, shared=(learner, X), n_jobs=n_jobs))


def fit_one(
    learner: Any,
    X: Any,
    subproblem: Subproblem,
    seed: int | None = None,
    fit_params: FitParams | None = None,
) -> Any:
    """Fit a clone to one subproblem: the unit of parallel work.

    Rows of weight zero are left out. The model is constant if nothing is left to learn:
    NaN without rows, the label if there is only one, and the extreme target if all
    sides are equal.

    Parameters
    ----------
    learner : estimator
        The learner to clone.
    X : rows
        In any form that the learner accepts.
    subproblem : Subproblem
        Arrays of shape (n,).
    seed : int, default=None
        Replaces the learner's random states.
    fit_params : FitParams, default=None
        Further arguments of ``fit``.

    Returns
    -------
    estimator, `Constant` or `OnColumns`
        The model.

    See Also
    --------
    fit_subproblems : Fit a learner to every subproblem.
    fit_rows : Fit a model to some rows of X, or to a part of a kernel matrix.

    Examples
    --------
    A classifier gets the labels 0 and 1, and weights if they differ:

    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from softcost.learners import Labels, fit_one
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> labels = Labels(np.array([-1.0, 1.0, 1.0]), np.array([1.0, 2.0, 0.0]))
    >>> fit_one(DecisionTreeClassifier(), X, labels).predict(X).tolist()
    [0, 1, 1]
    """
    rows = np.flatnonzero(subproblem.weight > 0)
    target, weight = subproblem.target[rows], subproblem.weight[rows]
    if len(rows) == 0:
        return Constant(np.nan)
    side, classifies = None, kind_of(learner) == "classifier"
    if isinstance(subproblem, OneSidedValues):
        side = subproblem.side[rows]
        if np.all(side == side[0]):
            return Constant(target.min() if side[0] > 0 else target.max())
    if isinstance(subproblem, Labels) and classifies:
        if np.all(target == target[0]):
            return Constant(target[0])
        target = (target > 0).astype(int)
    elif isinstance(subproblem, Values) and classifies:
        raise TypeError(
            f"learner {type(learner).__name__} is a classifier, but the targets are "
            "real numbers. Choose a regressor, such as Ridge()."
        )
    model = seeded_clone(learner, seed)
    params = weight_params(model, weight)
    if side is not None:
        params["side"] = side
    if fit_params is not None:
        params |= fit_params.of_rows(rows)
    return fit_rows(model, X, rows, target, params)


def feed_subproblems(
    learner: Any,
    models: FittedModels | None,
    X: Any,
    subproblems: Sequence[Subproblem],
    *,
    n_jobs: int | None = None,
    rng: np.random.RandomState | None = None,
) -> FittedModels:
    """Update the model of each subproblem with a block of rows.

    Parameters
    ----------
    learner : estimator
        A learner with ``partial_fit``.
    models : FittedModels or None
        Models fitted to earlier blocks.
    X : rows
        In any form that the learner accepts.
    subproblems : sequence of Subproblem
        All over the rows of X, in the same order for every block.
    n_jobs : int, default=None
        Number of joblib workers.
    rng : numpy.random.RandomState, default=None
        Seeds learners with a random state. Results do not depend on ``n_jobs``.

    Returns
    -------
    FittedModels
        One model for each subproblem; a constant NaN for one without rows so far.

    See Also
    --------
    fit_subproblems : Fit a learner to every subproblem.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import SGDClassifier
    >>> from softcost.learners import Labels, feed_subproblems
    >>> X = np.array([[-1.0], [1.0]])
    >>> models = None
    >>> for _ in range(9):
    ...     block = [Labels(np.array([-1.0, 1.0]), np.ones(2))]
    ...     models = feed_subproblems(SGDClassifier(random_state=0), models, X, block)
    >>> np.sign(models.outputs(X)).ravel()
    array([-1.,  1.])
    """
    untrained = [Constant(np.nan)] * len(subproblems)
    members = untrained if models is None else models.members
    seeds = draw_seeds(rng, len(subproblems))
    jobs = [
        (learner, member, X, subproblem, seed)
        for member, subproblem, seed in zip(members, subproblems, seeds, strict=True)
    ]
    return FittedModels(run_jobs(feed_one, jobs, n_jobs=n_jobs))


def feed_one(
    learner: Any, member: Any, X: Any, subproblem: Subproblem, seed: int | None = None
) -> Any:
    """Update a model, or start one; without rows it stays as it is."""
    rows = np.flatnonzero(subproblem.weight > 0)
    if len(rows) == 0:
        return member
    target, classifies = subproblem.target[rows], kind_of(learner) == "classifier"
    if classifies and not isinstance(subproblem, Labels):
        raise TypeError(
            f"learner {type(learner).__name__} is a classifier, but the targets are "
            "real numbers. Choose a regressor, such as SGDRegressor()."
        )
    model = seeded_clone(learner, seed) if isinstance(member, Constant) else member
    params = _block_weights(model, subproblem.weight[rows])
    if isinstance(subproblem, OneSidedValues):
        params["side"] = subproblem.side[rows]
    if classifies:
        target = (target > 0).astype(int)
        params["classes"] = np.array([0, 1])
    block = X if len(rows) == len(subproblem.weight) else _safe_indexing(X, rows)
    with one_thread(), routing_for(model):
        return model.partial_fit(block, target, **params)


def _block_weights(model: Any, weight: NDArray[np.float64]) -> dict[str, Any]:
    """Weights for ``partial_fit``; left out if all of this block are 1."""
    if np.all(weight == 1.0):
        return {}
    if not takes_block_weights(model):
        raise ValueError(
            f"learner {type(model).__name__} does not support sample weights in "
            "partial_fit, which this reduction needs. Choose another, such as "
            "SGDClassifier()."
        )
    return {"sample_weight": weight}


def takes_block_weights(learner: Any) -> bool:
    """Whether ``learner.partial_fit`` supports sample weights.

    Parameters
    ----------
    learner : estimator
        A learner with ``partial_fit``.

    Returns
    -------
    bool
        If False, all rows must have weight 1.

    See Also
    --------
    takes_weights : The same for ``learner.fit``.

    Examples
    --------
    >>> from sklearn.linear_model import Perceptron, SGDClassifier
    >>> from softcost.learners import takes_block_weights
    >>> takes_block_weights(SGDClassifier()), takes_block_weights(Perceptron())
    (True, True)
    """
    return "sample_weight" in signature(learner.partial_fit).parameters


def warn_not_converged(learner: Any, converged: NDArray[np.bool_]) -> None:
    """Warn if some machines of a learner stopped before reaching their tolerance.

    Parameters
    ----------
    learner : estimator with ``tol`` and ``max_iter``
        Named in the warning.
    converged : array of bool
        One entry for every machine, in a fit or in a part of a search.

    Warns
    -----
    ConvergenceWarning
        If an entry is False.

    See Also
    --------
    softcost.svm.KernelSVC : Warns if ``max_iter`` ends a fit.

    Examples
    --------
    >>> import numpy as np
    >>> import warnings
    >>> from softcost.learners import warn_not_converged
    >>> from softcost.svm import KernelSVC
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_not_converged(KernelSVC(max_iter=5), np.array([True, False]))
    >>> caught[0].category.__name__
    'ConvergenceWarning'
    """
    if np.all(converged):
        return
    # No counts in the message: Python then shows the warnings of a search only once.
    warnings.warn(
        f"{type(learner).__name__} stopped before it reached tol={learner.tol:g}: "
        f"raise max_iter={learner.max_iter} or tol, or scale the features.",
        ConvergenceWarning,
        stacklevel=3,
    )

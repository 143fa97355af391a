"""Fit a learner to subproblems: together where it can, otherwise one by one."""

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
from sklearn.utils.validation import _num_samples, has_fit_parameter

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

# Random states of learners: the same whatever runs beside them.


def draw_seeds(rng: np.random.RandomState | None, n_seeds: int) -> list[int | None]:
    """One seed for each of several learners; None for all without a generator.

    Parameters
    ----------
    rng : numpy.random.RandomState or None
        The generator.
    n_seeds : int
        How many.

    Returns
    -------
    list of int or None
        One for each learner.

    See Also
    --------
    seeded_clone : An unfitted copy; a seed replaces all its random states, also inner
        ones.

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
    """An unfitted copy; a seed replaces all its random states, also inner ones.

    Parameters
    ----------
    learner : estimator
        What is copied.
    seed : int, default=None
        None leaves random states as they are.

    Returns
    -------
    estimator
        Not fitted.

    See Also
    --------
    draw_seeds : One seed for each of several learners; None for all without a
        generator.
    sklearn.base.clone : Copies without a seed.

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


# Sample weights under the names by which learners take them.


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


class Constant:
    """What is learnt where there is nothing to choose: always the same output.

    NaN stands for a subproblem without any row.

    Parameters
    ----------
    value : float
        The output; NaN stands for a subproblem without any row.

    See Also
    --------
    fit_one : Fit a clone to one subproblem: the unit of parallel work.
    FittedModels : Models of subproblems that were fitted one by one.

    Examples
    --------
    All labels are the same, so no learner is asked:

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
    """A model of some rows of a kernel matrix, which looks at their columns only.

    Parameters
    ----------
    model : estimator
        Fitted to a part of a kernel matrix.
    columns : array of shape (n_rows,)
        The rows that it was fitted to.

    See Also
    --------
    fit_rows : Fit a model to some rows of X; of a kernel matrix, to their columns, too.
    is_pairwise : Whether a learner wants a kernel matrix instead of rows of features.

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

    def __init__(self, model: Any, columns: NDArray[np.intp]):
        self.model, self.columns = model, columns

    @property
    def classes_(self) -> Any:
        return self.model.classes_

    def __getattr__(self, name: str) -> Any:
        if name not in ("decision_function", "predict", "predict_proba"):
            raise AttributeError(name)
        answer = getattr(self.model, name)
        return lambda X: answer(np.asarray(X)[:, self.columns])


def fit_rows(
    model: Any,
    X: Any,
    rows: NDArray[np.intp],
    y: NDArray[Any],
    params: dict[str, Any],
) -> Any:
    """Fit a model to some rows of X; of a kernel matrix, to their columns, too.

    Parameters
    ----------
    model : estimator
        It is fitted, not a clone of it.
    X : rows
        Features, or a kernel matrix where `is_pairwise` says so.
    rows : array of shape (n_rows,)
        Which rows, increasing.
    y : array of shape (n_rows,)
        Their targets.
    params : dict
        Further arguments of ``fit``, such as weights.

    Returns
    -------
    estimator or `OnColumns`
        Takes X with all its columns.

    See Also
    --------
    fit_one : Fit a clone to one subproblem: the unit of parallel work.
    OnColumns : A model of some rows of a kernel matrix, which looks at their columns
        only.

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
        The fitted learners; a `Constant` where there was nothing to learn.

    See Also
    --------
    FittedSubproblems : Solutions of several subproblems over the same rows.
    fitted_learners : The fitted learner of every subproblem; None where there was
        nothing to learn.

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
            Anything that the learners themselves take.

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
            Which model.
        X : rows
            Anything that the learners themselves take.

        Returns
        -------
        array of shape (n,) or float
            A constant where there was nothing to learn.
        """
        member = self.members[number]
        return member.value if isinstance(member, Constant) else signed(member, X)


def fitted_learners(solutions: FittedSubproblems) -> list[Any]:
    """The fitted learner of every subproblem; None where there was nothing to learn.

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
        Where the learner solved all subproblems together.

    See Also
    --------
    inner_learner : What the user's learner became; None where it was not needed.
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
            "the learner solves all subproblems together, so there is no estimator for "
            "each of them: see solutions_."
        )
    return [inner_learner(one) for one in solutions.members]


def inner_learner(member: Any) -> Any:
    """What the user's learner became; None where it was not needed.

    Parameters
    ----------
    member : estimator, `Constant` or `OnColumns`
        One of the models of `FittedModels`.

    Returns
    -------
    estimator or None
        The fitted learner itself.

    See Also
    --------
    fitted_learners : The fitted learner of every subproblem; None where there was
        nothing to learn.

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
    """A regressor's prediction; a binary classifier's output, positive for label 1."""
    inside = learner.model if isinstance(learner, OnColumns) else learner
    if kind_of(inside) != "classifier":
        outputs = learner.predict(X)
    elif hasattr(learner, "decision_function"):
        outputs = learner.decision_function(X)
    else:
        outputs = np.where(learner.predict(X) == 1, 1.0, -1.0)
    if not np.isfinite(outputs).all():
        raise ValueError(
            f"learner {type(inside).__name__} gave outputs that are not finite: scale "
            "the features, as with StandardScaler(), or choose another learner."
        )
    return outputs


def fit_subproblems(
    learner: Any,
    X: Any,
    subproblems: Sequence[Subproblem],
    *,
    n_jobs: int | None = None,
    rng: np.random.RandomState | None = None,
) -> FittedSubproblems:
    """Fit a learner to every subproblem.

    Parameters
    ----------
    learner : estimator
        Any; all subproblems are fitted together where it declares `SupportsMultiFit`.
    X : rows
        Anything that the learner takes.
    subproblems : sequence of Subproblem
        All over the rows of X.
    n_jobs : int, default=None
        Threads for a learner that fits many at once, joblib workers for others.
    rng : numpy.random.RandomState, default=None
        Seeds learners that take a random state, the same whatever n_jobs is.

    Returns
    -------
    FittedSubproblems
        The solutions, in the order of `subproblems`.

    See Also
    --------
    fit_one : Fit a clone to one subproblem: the unit of parallel work.
    SupportsMultiFit : A learner that fits many subproblems over the same rows together.
    fitted_learners : The fitted learner of every subproblem; None where there was
        nothing to learn.

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
    jobs = [
        (subproblem, seed) for subproblem, seed in zip(subproblems, seeds, strict=True)
    ]
    return FittedModels(run_jobs(fit_one, jobs, shared=(learner, X), n_jobs=n_jobs))


def fit_one(
    learner: Any, X: Any, subproblem: Subproblem, seed: int | None = None
) -> Any:
    """Fit a clone to one subproblem: the unit of parallel work.

    Rows of weight zero are left out. Without any row left the result is a constant
    NaN; with one label only, that label; with one side only, the extreme target.

    Parameters
    ----------
    learner : estimator
        It is cloned.
    X : rows
        Anything that the learner takes.
    subproblem : Subproblem
        Arrays of shape (n,).
    seed : int, default=None
        Replaces its random states.

    Returns
    -------
    estimator, `Constant` or `OnColumns`
        A fitted clone, or what stands for it.

    See Also
    --------
    fit_subproblems : Fit a learner to every subproblem.
    fit_rows : Fit a model to some rows of X; of a kernel matrix, to their columns, too.

    Examples
    --------
    A classifier is given 0 and 1, and weights where they differ:

    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from softcost.learners import Labels, fit_one
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> labels = Labels(np.array([-1.0, 1.0, 1.0]), np.array([1.0, 2.0, 0.0]))
    >>> fit_one(DecisionTreeClassifier(), X, labels).predict(X).tolist()
    [0, 1, 1]
    """
    kept = np.flatnonzero(subproblem.weight > 0)
    target, weight = subproblem.target[kept], subproblem.weight[kept]
    if len(kept) == 0:
        return Constant(np.nan)
    side, classifies = None, kind_of(learner) == "classifier"
    if isinstance(subproblem, OneSidedValues):
        side = subproblem.side[kept]
        if np.all(side == side[0]):
            return Constant(target.min() if side[0] > 0 else target.max())
    if isinstance(subproblem, Labels) and classifies:
        if np.all(target == target[0]):
            return Constant(target[0])
        target = (target > 0).astype(int)
    elif isinstance(subproblem, Values) and classifies:
        raise TypeError(
            f"learner {type(learner).__name__} is a classifier, but values are to be "
            "learnt: choose a regressor, such as Ridge()."
        )
    model = seeded_clone(learner, seed)
    params = weight_params(model, weight)
    if side is not None:
        params["side"] = side
    return fit_rows(model, X, kept, target, params)


# Subproblems whose rows come in blocks, for learners that can go on learning.


def feed_subproblems(
    learner: Any,
    known: FittedModels | None,
    X: Any,
    subproblems: Sequence[Subproblem],
    *,
    n_jobs: int | None = None,
    rng: np.random.RandomState | None = None,
) -> FittedModels:
    """Let one model for each subproblem go on learning from a block of rows.

    Parameters
    ----------
    learner : estimator
        One with ``partial_fit``.
    known : FittedModels or None
        Models of the rows before.
    X : rows
        Anything that the learner takes.
    subproblems : sequence of Subproblem
        All over the rows of X, in the same order for every block.
    n_jobs : int, default=None
        Workers of joblib.
    rng : numpy.random.RandomState, default=None
        Seeds learners that take a random state, the same whatever n_jobs is.

    Returns
    -------
    FittedModels
        One model for each subproblem, a constant NaN where no row has come yet.

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
    none = [Constant(np.nan)] * len(subproblems)
    members = none if known is None else known.members
    seeds = draw_seeds(rng, len(subproblems))
    jobs = [
        (learner, member, X, subproblem, seed)
        for member, subproblem, seed in zip(members, subproblems, seeds, strict=True)
    ]
    return FittedModels(run_jobs(feed_one, jobs, n_jobs=n_jobs))


def feed_one(
    learner: Any, member: Any, X: Any, subproblem: Subproblem, seed: int | None = None
) -> Any:
    """Let a model go on learning, or begin; without any row it stays as it is."""
    kept = np.flatnonzero(subproblem.weight > 0)
    if len(kept) == 0:
        return member
    target, classifies = subproblem.target[kept], kind_of(learner) == "classifier"
    if classifies and not isinstance(subproblem, Labels):
        raise TypeError(
            f"learner {type(learner).__name__} is a classifier, but values are to be "
            "learnt: choose a regressor, such as SGDRegressor()."
        )
    model = seeded_clone(learner, seed) if isinstance(member, Constant) else member
    params = _block_weights(model, subproblem.weight[kept])
    if isinstance(subproblem, OneSidedValues):
        params["side"] = subproblem.side[kept]
    if classifies:
        target = (target > 0).astype(int)
        params["classes"] = np.array([0, 1])
    rows = X if len(kept) == len(subproblem.weight) else _safe_indexing(X, kept)
    with one_thread(), routing_for(model):
        return model.partial_fit(rows, target, **params)


def _block_weights(model: Any, weight: NDArray[np.float64]) -> dict[str, Any]:
    """Weights for ``partial_fit``; none where all are 1, in this block."""
    if np.all(weight == 1.0):
        return {}
    if not takes_block_weights(model):
        raise ValueError(
            f"learner {type(model).__name__} takes no sample weights in partial_fit, "
            "which this reduction needs: choose another, such as SGDClassifier()."
        )
    return {"sample_weight": weight}


def takes_block_weights(learner: Any) -> bool:
    """Whether ``learner.partial_fit`` takes weights.

    Parameters
    ----------
    learner : estimator
        One with ``partial_fit``.

    Returns
    -------
    bool
        Where it is False, only rows of weight 1 can be learnt.

    See Also
    --------
    takes_weights : Whether ``learner.fit`` does.

    Examples
    --------
    >>> from sklearn.linear_model import Perceptron, SGDClassifier
    >>> from softcost.learners import takes_block_weights
    >>> takes_block_weights(SGDClassifier()), takes_block_weights(Perceptron())
    (True, True)
    """
    return "sample_weight" in signature(learner.partial_fit).parameters


# One warning for machines that stop before they reach their tolerance.


def warn_not_converged(learner: Any, converged: NDArray[np.bool_]) -> None:
    """Warn where some machines of a learner stopped early.

    Parameters
    ----------
    learner : estimator with ``tol`` and ``max_iter``
        Named in the warning.
    converged : array of bool
        For every machine, in a fit or in a part of a search.

    Warns
    -----
    ConvergenceWarning
        Where one of them is False.

    See Also
    --------
    softcost.svm.KernelSVC : Warns where ``max_iter`` ends a fit.

    Examples
    --------
    >>> import numpy as np
    >>> import warnings
    >>> from softcost.learners import warn_not_converged
    >>> from softcost.svm import KernelSVC
    >>> with warnings.catch_warnings(record=True) as told:
    ...     warnings.simplefilter("always")
    ...     warn_not_converged(KernelSVC(max_iter=5), np.array([True, False]))
    >>> told[0].category.__name__
    'ConvergenceWarning'
    """
    if np.all(converged):
        return
    # Without counts: parts of a search say the same, and are heard once.
    warnings.warn(
        f"{type(learner).__name__} stopped before it reached tol={learner.tol:g}: "
        f"raise max_iter={learner.max_iter} or tol, or scale the features.",
        ConvergenceWarning,
        stacklevel=3,
    )

"""Base classes of the reductions.

`Reduction` validates the input once, turns labels and costs into a
`softcost.costs.CostProblem`, and predicts the answer with the best score. Its
subclasses are

- `FlatReduction`: independent subproblems, whose outputs are combined into scores;
- `ProbabilityReduction`: one classifier, whose probabilities decide.

Reductions with another structure, such as `FilterTree`, derive from `Reduction` itself.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn import get_config
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.metadata_routing import MetadataRouter, process_routing
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    _check_y,
    _num_samples,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from softcost._sklearn_types import (
    BaseEstimator,
    ClassifierMixin,
    available,
    fit_context,
)
from softcost.costs import (
    CostProblem,
    RowCosts,
    all_answers,
    check_softness,
    class_indices,
    costs_changed,
    costs_of_rows,
    is_labelled,
    resolve_classes,
    row_costs,
)
from softcost.costs.labels import label_array
from softcost.learners import (
    FitParams,
    FittedModels,
    Subproblem,
    SupportsKindFit,
    SupportsMultiFit,
    SupportsPath,
    check_fit_params,
    check_learner,
    feed_subproblems,
    fit_rows,
    fit_subproblems,
    fitted_learners,
    inner_learner,
    is_pairwise,
    last_step,
    seeded_clone,
    weight_params,
)
from softcost.learners.compact import PlainRows, compact_probabilities
from softcost.learners.fit_params import add_to_router
from softcost.learners.fitting import as_numpy
from softcost.metrics import mean_cost

Class = TypeVar("Class", bound=type)


def is_raw(X: Any) -> bool:
    """Whether X is a sequence of texts or dicts, which some pipelines accept.

    Examples
    --------
    >>> is_raw(["a text", "another"]), is_raw([[1.0, 2.0]])
    (True, False)
    """
    if getattr(X, "ndim", 1) != 1 or not hasattr(X, "__len__") or len(X) == 0:
        return False
    first = X.iloc[0] if hasattr(X, "iloc") else X[0]
    return isinstance(first, str | bytes | Mapping)


def is_plain(estimator: Any, X: Any) -> bool:
    """Whether X is an array of numbers as in training: there is nothing to check.

    scikit-learn's validation takes longer than predicting a single row.
    """
    return (
        type(X) is np.ndarray
        and X.ndim == 2
        and X.dtype.kind in "fiub"
        and len(X) > 0
        and X.shape[1] == getattr(estimator, "n_features_in_", None)
        and not hasattr(estimator, "feature_names_in_")
    )


def check_rows(estimator: Any, X: Any, *, reset: bool) -> Any:
    """Check X as far as possible without knowing which input a learner supports.

    Parameters
    ----------
    estimator : estimator
        Gets, or has, ``n_features_in_`` and ``feature_names_in_``.
    X : rows
        Texts, dicts, a table, a sparse matrix or an array of any dimension from 2, for
        instance of images.
    reset : bool
        Whether to set the features from X, or to check X against them.

    Returns
    -------
    rows
        X, in a form whose rows can be indexed.

    Examples
    --------
    >>> check_rows(LogisticRegression(), np.zeros((5, 28, 28)), reset=True).shape
    (5, 28, 28)
    """
    if is_raw(X):
        return X
    n_dimensions = getattr(X, "ndim", 0)
    if n_dimensions < 2 and not hasattr(X, "columns"):
        return validate_data(
            estimator,
            X,
            reset=reset,
            dtype=None,
            ensure_all_finite=False,
            allow_nd=True,
        )
    if _num_samples(X) == 0:
        raise ValueError(
            f"Found array with 0 sample(s) (shape={X.shape}): pass X with at least one "
            "row."
        )
    if n_dimensions > 2:  # there is no number of features
        return X
    validate_data(estimator, X, reset=reset, skip_check_array=True)
    return X.tocsr() if sparse.issparse(X) else X


@dataclass(frozen=True)
class TrainingData:
    """The validated arguments of ``fit``.

    Attributes
    ----------
    X : array, sparse matrix or table of n rows
        The rows.
    rows : RowCosts
        Labels, costs and weights of the rows.
    features : dict
        ``n_features_in_`` and ``feature_names_in_``, if X has them.
    pairwise : bool
        Whether X is a kernel matrix, so that its columns are rows as well.
    fit_params : FitParams or None
        Further arguments of the learner's ``fit``.

    See Also
    --------
    Reduction : A cost-sensitive classifier that is built from ordinary learners.
    softcost.costs.RowCosts : The labels, costs and weights.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import Ridge
    >>> from softcost.reductions import RegressionOneVsAll
    >>> X, y = np.array([[0.0], [1.0], [2.0]]), ["a", "b", "b"]
    >>> model = RegressionOneVsAll(Ridge(), cost_matrix=[[0, 2], [8, 0]])
    >>> data = model.check_data(X, y)
    >>> data.part(np.array([0, 2])).rows.in_users_units
    array([[0., 2.],
           [8., 0.]])
    """

    X: Any
    rows: RowCosts
    features: dict[str, Any] = field(default_factory=dict)
    pairwise: bool = False
    fit_params: FitParams | None = None

    def part(self, chosen: NDArray[np.intp]) -> "TrainingData":
        """The data of some rows, without checking them again.

        Parameters
        ----------
        chosen : array of int
            Indices of the rows.

        Returns
        -------
        TrainingData
            As if only these rows had been passed.
        """
        X = self.rows_to_predict(chosen, chosen)
        params = None if self.fit_params is None else self.fit_params.part(chosen)
        return replace(self, X=X, rows=self.rows.part(chosen), fit_params=params)

    def weighted(self) -> "TrainingData":
        """The rows of positive weight, unless X is a kernel matrix.

        All columns of a kernel matrix are needed to predict. Kernel widths, landmarks
        and inner folds must not depend on rows of weight zero.

        Returns
        -------
        TrainingData
            Itself if no row has weight zero.
        """
        positive = self.rows.weight > 0
        if self.pairwise or positive.all():
            return self
        return self.part(np.flatnonzero(positive))

    def rows_to_predict(self, chosen: NDArray[np.intp], train: NDArray[np.intp]) -> Any:
        """Some rows of X in the form that a model of the training rows needs.

        Parameters
        ----------
        chosen : array of int
            Indices of the rows to predict.
        train : array of int
            Indices of the training rows: the columns to select from a kernel matrix.

        Returns
        -------
        rows
            Of the same type as X.
        """
        if self.pairwise:
            return np.asarray(self.X)[np.ix_(chosen, train)]
        return _safe_indexing(self.X, chosen)


def _check_columns_occur(rows: RowCosts) -> None:
    """Raise an error for columns of costs that are not labels: they may be a mistake.

    A column of an identifier, for instance, would become a class that is predicted.
    """
    unused = np.flatnonzero(np.bincount(rows.y, minlength=rows.n_classes) == 0)
    if len(unused):
        names = ", ".join(repr(name) for name in rows.classes[unused[:6]].tolist())
        raise ValueError(
            f"costs has columns that no row of y is labelled with, {names}. Drop them, "
            "or pass classes= with every class if they are classes, actions= if not."
        )


def _check_right_is_cheapest(rows: RowCosts) -> None:
    """Raise an error if row matrices make mistakes cheap on average.

    They are likely transposed. In single rows it is legitimate: an investigation may
    cost more than a small fraud.
    """
    assert rows.raw_matrices is not None
    mean = rows.raw_matrices.mean(axis=0)
    cheaper = mean < np.diagonal(mean)[:, np.newaxis]
    if cheaper.any():
        true, predicted = (int(place[0]) for place in np.nonzero(cheaper))
        answers = rows.actions.tolist()
        raise ValueError(
            f"costs makes predicting {answers[predicted]!r} for a true "
            f"{answers[true]!r} cheaper than being right, on average over the rows; "
            "arrange it as costs[row, true, predicted], in the order of classes."
        )


# Parts of docstrings that all reductions share; `documented` inserts them.

_COMMON = """cost_matrix : array, table or dict of shape (K, A), default=None
        ``cost_matrix[true, predicted]``. An array is in the order of ``classes`` (by
        default the sorted labels); a labelled table or a dict of dicts is matched by
        name. Additional columns are actions, such as "ask a person".
    classes : array of shape (K,), default=None
        All classes, if the training set may lack some.
    actions : array of shape (A - K,), default=None
        Possible answers other than the classes, in the order of an array's last
        columns. A labelled ``cost_matrix`` names them itself.
    softness : float from 0 to 1, default=0.0
        0 is the hard cost-sensitive algorithm, 1 its regular counterpart. Costs are
        divided by their largest entry and mixed with the error costs,
        ``(1 - softness) * costs + softness * error_costs``.
    error_weight : None, "balanced" or dict, default=None
        Weight of an error by true class in the error costs.
    action_error : float or dict, default=1.0
        Cost of an action in the error costs, where a wrong class costs 1; a dict has a
        number for each action.
    n_jobs : int, default=None
        Number of threads or workers for the subproblems. Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seeds random draws and learners with a random state."""

_ATTRIBUTES = """classes_ : array of shape (K,)
        Sorted labels.
    actions_ : array of shape (A,)
        All possible answers: the classes, then the actions.
    cost_scale_ : float
        The largest cost, by which costs were divided.
    estimators_ : list
        Fitted learners, one for each subproblem (a pair, a class, a node, a draw, a
        round); None if there was nothing to learn. Not available if the learner solves
        all subproblems together, as the kernel machines do: see ``solutions_``.
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)"""

_SECTION = "Attributes\n    ----------\n    {attributes}\n\n    "
_NEXT = ("See Also\n    --------", "Examples\n    --------")  # sections that follow it


def documented(cls: Class) -> Class:
    """Insert the shared parts into a reduction's docstring."""
    if cls.__doc__:  # not under python -OO
        text = cls.__doc__.replace("{common}", _COMMON)
        if "{attributes}" not in text:
            after = next((title for title in _NEXT if title in text), "")
            text = text.replace(after, _SECTION + after, 1) if after else text
        cls.__doc__ = text.replace("{attributes}", _ATTRIBUTES)
    return cls


@documented
class Reduction(ClassifierMixin, BaseEstimator):
    """A cost-sensitive classifier that is built from ordinary learners.

    ``fit`` validates all arguments once, and later steps rely on that. A subclass
    defines the default learner (`default_learner`), fits a
    `softcost.costs.CostProblem` (``_fit``) and computes one score per answer, the
    larger the better (``_decide``).

    Parameters
    ----------
    learner : estimator, default=None
        Solves the subproblems; the default depends on the subclass.
    {common}

    See Also
    --------
    FlatReduction : A reduction to independent subproblems.
    CostSensitiveOneVsOne : Cost-sensitive one-versus-one (CSOVO); one-versus-one (OVO)
        at softness 1.
    softcost.testing.check_cost_estimator : Tests your own reduction.

    Examples
    --------
    A reduction that always predicts the answer with the lowest mean cost on the
    training rows. ``_fit`` gets validated and softened costs, ``_decide`` returns a
    score for every answer.

    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> from softcost.reductions import Reduction
    >>> class BestConstant(Reduction):
    ...     def default_learner(self):
    ...         return DummyClassifier()
    ...     def _fit(self, X, problem):
    ...         self.total_ = problem.weight @ problem.costs
    ...     def _decide(self, X):
    ...         return np.tile(-self.total_, (len(X), 1))
    >>> X, y = np.zeros((4, 1)), ["fine", "fine", "fine", "fraud"]
    >>> costs = {"fine": {"fraud": 1}, "fraud": {"fine": 50}}
    >>> BestConstant(cost_matrix=costs).fit(X, y).predict(X[:2]).tolist()
    ['fraud', 'fraud']
    >>> BestConstant(cost_matrix=costs, softness=1).fit(X, y).predict(X[:2]).tolist()
    ['fine', 'fine']
    """

    _parameter_constraints: ClassVar = {
        "learner": "no_validation",
        "cost_matrix": "no_validation",
        "classes": "no_validation",
        "actions": "no_validation",
        "softness": "no_validation",
        "error_weight": "no_validation",
        "action_error": "no_validation",
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    # Costs belong to the examples, so metadata routing passes them on by default.
    __metadata_request__fit: ClassVar = {"costs": True, "sample_weight": True}
    __metadata_request__score: ClassVar = {"costs": True, "sample_weight": True}

    # The kind of learner that is required: "classifier", "regressor" or "any".
    learner_kind: ClassVar[str] = "any"
    # Whether actions beyond the classes are supported.
    takes_actions: ClassVar[bool] = True
    # Whether ``softness`` and ``cost_matrix`` are used by prediction only, so that they
    # may change after fitting.
    softness_at_predict: ClassVar[bool] = False
    # Whether ``_fit`` has an argument ``params``, further arguments of the learner.
    takes_fit_params: ClassVar[bool] = False
    # Turns raw tables into features, see `on_tables`.
    encoder_: Any = None
    classes_: NDArray[Any]
    cost_scale_: float
    costs_by_example_: bool

    def __init__(
        self,
        learner: Any = None,
        *,
        cost_matrix: Any = None,
        classes: ArrayLike | None = None,
        actions: ArrayLike | None = None,
        softness: float = 0.0,
        error_weight: Any = None,
        action_error: Any = 1.0,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.learner = learner
        self.cost_matrix = cost_matrix
        self.classes = classes
        self.actions = actions
        self.softness = softness
        self.error_weight = error_weight
        self.action_error = action_error
        self.n_jobs = n_jobs
        self.random_state = random_state

    def default_learner(self) -> Any:
        """The learner that is used by default.

        Returns
        -------
        estimator
            Not fitted.
        """
        raise NotImplementedError

    def chosen_learner(self) -> Any:
        """The user's learner, or the default one. A search tunes its parameters.

        Returns
        -------
        estimator
            Not fitted.
        """
        return self.default_learner() if self.learner is None else self.learner

    def working_learner(self) -> Any:
        """The learner that solves the subproblems: the chosen one, wrapped if needed.

        Returns
        -------
        estimator
            Not fitted.
        """
        return self.chosen_learner()

    def configured(self, softness: float, params: dict[str, Any] | None = None) -> Self:
        """A clone with this softness and other parameters.

        Parameters
        ----------
        softness : float from 0 to 1
            Softness of the clone.
        params : dict, default=None
            Parameters of the reduction or of its learner, see `split_params`.

        Returns
        -------
        estimator
            A clone, not fitted.
        """
        reduction_params, learner_params = self.split_params(params or {})
        model = clone(self)
        model.set_params(softness=softness, **reduction_params)
        if learner_params:
            learner = clone(model.chosen_learner())
            learner.set_params(**learner_params)
            model.set_params(learner=learner)
        return model

    def split_params(
        self, params: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Split parameters into those of the reduction and those of its learner.

        The learner's are named ``learner__name``, or just ``name`` if the reduction
        does not have a parameter of that name.

        Parameters
        ----------
        params : dict
            Values by name, such as a candidate of a search.

        Returns
        -------
        reduction_params, learner_params : dict
            The learner's without the prefix.

        Examples
        --------
        >>> from softcost.reductions import FilterTree
        >>> FilterTree().split_params({"order": [1, 0], "C": 2, "learner__tol": 0.1})
        ({'order': [1, 0]}, {'C': 2, 'tol': 0.1})
        """
        names = self.get_params(deep=False)
        reduction_params: dict[str, Any] = {}
        learner_params: dict[str, Any] = {}
        for name, value in params.items():
            if name in names:
                reduction_params[name] = value
            else:
                learner_params[name.removeprefix("learner__")] = value
        return reduction_params, learner_params

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        learner = self.working_learner()
        if hasattr(learner, "__sklearn_tags__"):
            inner = learner.__sklearn_tags__().input_tags
            tags.input_tags.sparse = inner.sparse
            tags.input_tags.allow_nan = inner.allow_nan
            tags.input_tags.pairwise = inner.pairwise
        return tags

    def _check_X(self, X: Any, *, reset: bool) -> Any:
        """Check X for learners that share work; other learners check X themselves."""
        learner = self.working_learner()
        if isinstance(learner, SupportsMultiFit | SupportsPath):
            return validate_data(self, X, reset=reset, **learner.input_checks())
        return check_rows(self, X, reset=reset)

    @fit_context(prefer_skip_nested_validation=False)
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        costs: Any = None,
        **fit_params: Any,
    ) -> Self:
        """Fit to labelled rows and the costs of mistakes on them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Rows in any form that the learner accepts.
        y : array-like of shape (n,)
            True labels.
        sample_weight : array-like of shape (n,), default=None
            Sample weights; ones by default.
        costs : array-like or table of shape (n, A), or callable, default=None
            Cost of each answer for every example; the columns of a table are matched by
            name. An array of shape (n, K, A) is a cost matrix for every example,
            ``costs[n, true, predicted]``; training uses the rows of the true classes.
            A function is called as ``costs(X, y)``. Without ``costs`` and
            ``cost_matrix`` every mistake costs the same.
        **fit_params : dict
            Further arguments of the learner's ``fit``, such as ``eval_set``, whose
            labels are those of y. With scikit-learn's metadata routing, the learner
            must request them.

        Returns
        -------
        self
        """
        data = self.check_data(X, y, costs, sample_weight)
        return self.fit_checked(self.with_fit_params(data, fit_params))

    def get_metadata_routing(self) -> Any:
        """Routing of metadata: costs and weights to the reduction, others to learners.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRouter
            With the requests of the learner's ``fit``.
        """
        router = MetadataRouter(owner=type(self).__name__).add_self_request(self)
        return add_to_router(router, learner=self.chosen_learner())

    def with_fit_params(
        self, data: TrainingData, params: Mapping[str, Any]
    ) -> TrainingData:
        """Add further arguments of the learner's ``fit`` to checked data.

        Parameters
        ----------
        data : TrainingData
            From `check_data`.
        params : mapping
            By name, as in `fit`.

        Returns
        -------
        TrainingData
            With ``fit_params``.
        """
        if not params:
            return data
        if not self.takes_fit_params:
            raise TypeError(
                f"fit got {', '.join(params)}, but {type(self).__name__} passes no "
                "further arguments to its learner. Set them in the learner, or choose "
                "MinimumExpectedCost or CostSensitiveOneVsOne."
            )
        if get_config()["enable_metadata_routing"]:
            params = process_routing(self, "fit", **params).learner.fit
        n_rows, classes = len(data.rows.y), data.rows.classes
        checked = check_fit_params(self.working_learner(), params, n_rows)
        numbered = {
            name: [(X, class_indices(y, classes, argument=name)) for X, y in pairs]
            for name, pairs in checked.eval_sets.items()
        }
        return replace(data, fit_params=replace(checked, eval_sets=numbered))

    def check_data(
        self,
        X: Any,
        y: ArrayLike,
        costs: Any = None,
        sample_weight: ArrayLike | None = None,
        *,
        all_classes: NDArray[Any] | None = None,
        reset: bool = True,
    ) -> TrainingData:
        """Check the arguments of `fit`: the input validation of all reductions.

        Parameters
        ----------
        X, y, costs, sample_weight
            As in `fit`.
        all_classes : array of shape (K,) or None
            All classes, sorted, if they are known and ``classes`` is not set.
        reset : bool
            Whether to set the features from X, or to check X against them.

        Returns
        -------
        TrainingData
            The argument of `fit_checked`.
        """
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but "
                "the target y is None; pass the true labels."
            )
        costs = costs_of_rows(costs, X, y)
        X, pairwise = self._check_input(X, reset=reset)
        labels = _check_y(y)
        check_consistent_length(X, labels)
        # numpy turns a list of numbers and words into words, as scikit-learn does. The
        # cost matrix and later calls with an array would not match these.
        label_array(y if isinstance(y, list | tuple) else labels, "y")
        check_classification_targets(labels)
        weight = _check_sample_weight(
            sample_weight,
            np.empty((_num_samples(X), 1)),
            dtype=np.float64,
            ensure_non_negative=True,
        )
        if not weight.any():
            raise ValueError(
                "sample_weight is zero for every row: give some row a positive weight."
            )
        rows = row_costs(
            y if hasattr(y, "iloc") and np.ndim(y) == 1 else labels,
            cost_matrix=self.cost_matrix,
            costs=costs,
            classes=all_classes if self.classes is None else self.classes,
            error_weight=self.error_weight,
            sample_weight=weight,
            actions=self.actions,
            action_error=self.action_error,
        )
        if costs is not None and self.classes is None and all_classes is None:
            _check_columns_occur(rows)
        if rows.raw_matrices is not None:
            _check_right_is_cheapest(rows)
        return self._training_data(X, rows, pairwise)

    def check_features(self, X: Any, rows: RowCosts) -> TrainingData:
        """Check X alone, if labels and costs of its rows have been checked.

        A search over several reductions checks labels and costs once, since all of its
        reductions have the same. X is checked for each: they support different types.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            As in `fit`.
        rows : RowCosts
            From `check_data` of a reduction with the same costs and classes.

        Returns
        -------
        TrainingData
            What `fit_checked` takes.
        """
        X, pairwise = self._check_input(X, reset=True)
        check_consistent_length(X, rows.y)
        return self._training_data(X, rows, pairwise)

    def _check_input(self, X: Any, *, reset: bool) -> tuple[Any, bool]:
        """Check the learner and X; the flag says whether X is a kernel matrix."""
        check_learner(
            self.chosen_learner(), self.learner_kind, f"this {type(self).__name__}"
        )
        X = self._check_X(X, reset=reset)
        pairwise = is_pairwise(self.working_learner())
        if pairwise and np.shape(X)[0] != np.shape(X)[1]:
            raise ValueError(
                f"X should be a square kernel matrix for this learner, but it has "
                f"shape {np.shape(X)}: pass K(X, X), or choose another kernel."
            )
        return X, pairwise

    def _training_data(self, X: Any, rows: RowCosts, pairwise: bool) -> TrainingData:
        if len(rows.extra) and not self.takes_actions:
            raise ValueError(
                f"actions beyond the classes, such as {rows.extra.tolist()[0]!r}, are "
                f"not for {type(self).__name__}: drop their columns, or choose "
                "MinimumExpectedCost, CostSensitiveOneVsOne or OneSidedRegression."
            )
        names = ("n_features_in_", "feature_names_in_")
        features = {name: getattr(self, name) for name in names if hasattr(self, name)}
        return TrainingData(X, rows, features, pairwise)

    def fit_checked(self, data: TrainingData) -> Self:
        """Fit to data that `check_data` has checked, or to a part of them.

        The data must have been checked with the costs and classes of this estimator.

        Parameters
        ----------
        data : TrainingData
            From `check_data`.

        Returns
        -------
        self
            The fitted estimator.
        """
        self._set_data_attributes(data)
        softness = check_softness(self.softness)
        self._store_costs(data.rows)
        data = data.weighted()
        params = {} if data.fit_params is None else {"params": data.fit_params}
        if len(self.classes_) > 1:
            self._fit(data.X, data.rows.problem(softness), **params)
        return self

    def _set_data_attributes(self, data: TrainingData) -> None:
        """Set the fitted attributes that depend on rows and costs only."""
        self.__dict__.pop("encoder_", None)  # of an earlier search
        for name, value in data.features.items():
            setattr(self, name, value)
        self.classes_ = data.rows.classes
        self._extra = data.rows.extra
        self.cost_scale_ = data.rows.scale
        self.costs_by_example_ = data.rows.by_example
        self._raw_matrix = data.rows.raw_matrix

    @property
    def actions_(self) -> NDArray[Any]:
        """All possible answers, shape (A,): the classes, then the actions."""
        return all_answers(self.classes_, self._extra)

    def _store_costs(self, rows: RowCosts) -> None:
        """Hook for reductions that need the costs for prediction."""

    def _rng(self) -> np.random.RandomState | None:
        return (
            None if self.random_state is None else check_random_state(self.random_state)
        )

    def _fit(self, X: Any, problem: CostProblem) -> None:
        raise NotImplementedError

    def _decide(self, X: Any) -> NDArray[np.float64]:
        """Scores of shape (n, A)."""
        raise NotImplementedError

    def decide(self, X: Any) -> NDArray[np.intp]:
        """Indices of the predicted answers, for rows that have been checked.

        Parameters
        ----------
        X : rows
            From `check_data`.

        Returns
        -------
        array of shape (n,)
            Indices into ``actions_``.
        """
        if len(self.classes_) == 1:
            return np.zeros(_num_samples(X), np.intp)
        return self._scored(X).argmax(axis=1)

    def _scored(self, X: Any) -> NDArray[np.float64]:
        """Scores of shape (n, A), checked for NaN and overflow.

        ``argmax`` would silently choose the first NaN. Minus infinity is allowed, for
        an answer that is never chosen.
        """
        scores = self._decide(X)
        self._require(bool((scores.max(axis=1) < np.inf).all()))
        return scores

    def _require(self, finite: bool) -> None:
        if not finite:
            raise ValueError(
                f"X has rows for which {type(self).__name__} has no finite scores. "
                "Scale the features, as with StandardScaler(), correct values that are "
                "out of range, or choose another learner."
            )

    @property
    def estimators_(self) -> list[Any]:
        """Fitted learners, one per subproblem; None if there was nothing to learn."""
        check_is_fitted(self, "classes_")
        return self._estimators() if len(self.classes_) > 1 else []

    def _estimators(self) -> list[Any]:
        raise NotImplementedError

    @property
    def coef_(self) -> NDArray[np.float64]:
        """Coefficients of all fitted learners, if they have any.

        An array of shape (n_coefficients, n_features), with the rows of each learner in
        the order of ``estimators_``.
        """
        return np.vstack([np.atleast_2d(c) for c in self._by_feature("coef_")])

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Mean importance of each feature over the fitted learners, if they have any.

        An array of shape (n_features,).
        """
        return np.mean(self._by_feature("feature_importances_"), axis=0)

    def _by_feature(self, name: str) -> list[NDArray[np.float64]]:
        """An attribute of all fitted learners that has an entry for each column."""
        learners = [learner for learner in self.estimators_ if learner is not None]
        values = [getattr(last_step(learner), name, None) for learner in learners]
        n_features = getattr(self, "n_features_in_", None)
        arrays = [
            value.toarray() if sparse.issparse(value) else np.asarray(value)
            for value in values
            if value is not None
        ]
        alike = all(array.shape[-1:] == (n_features,) for array in arrays)
        if not arrays or len(arrays) < len(values) or not alike:
            raise AttributeError(
                f"the learners of this {type(self).__name__} have no {name} for the "
                "columns of X."
            )
        return arrays

    def _check_rows(self, X: Any) -> Any:
        """Check rows to predict."""
        if not hasattr(self, "classes_"):
            check_is_fitted(self, "classes_")
        if not self.softness_at_predict:
            self._check_costs_unchanged()
        if self.encoder_ is not None:
            return self.encoder_.transform(X)
        return self._check_X(X, reset=False)

    def on_tables(self, encoder: Any) -> Self:
        """Predict raw tables from now on.

        Parameters
        ----------
        encoder : fitted transformer
            Turns a raw table into the features that the estimator was fitted to.

        Returns
        -------
        self
            With ``encoder_``.
        """
        check_is_fitted(self, "classes_")
        self.encoder_ = encoder
        return self

    def _check_costs_unchanged(self) -> None:
        """Raise an error if costs changed after fitting: they would have no effect."""
        matrix, order = self.cost_matrix, self.classes
        if costs_changed(matrix, self._raw_matrix, self.classes_, order, self._extra):
            raise ValueError(
                f"cost_matrix was changed after fit, but this {type(self).__name__} "
                "was fitted with the earlier costs. Fit it again, or use "
                "MinimumExpectedCost, whose costs may change."
            )

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """One score per answer, the larger the better.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Rows to predict.

        Returns
        -------
        array of shape (n, A), or (n,) for A = 2
            With two answers, positive for the second.
        """
        X = self._check_rows(X)
        if len(self.classes_) == 1:
            return np.zeros((_num_samples(X), 1))
        scores = self._scored(X)
        if scores.shape[1] == 2:
            with np.errstate(over="ignore"):
                difference = scores[:, 1] - scores[:, 0]
            both = np.isfinite(scores).all(axis=1)
            self._require(bool(np.isfinite(difference[both]).all()))
            return difference
        return scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The answer with the best score; the first one in a tie.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Rows to predict.

        Returns
        -------
        array of shape (n,)
            Labels of classes, or names of actions.
        """
        chosen = self.decide(self._check_rows(X))
        return self.actions_[chosen]

    def score(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        costs: Any = None,
    ) -> float:
        """Minus the mean cost of the predictions, in the user's units.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Rows to predict.
        y : array-like of shape (n,)
            True labels.
        sample_weight : array-like of shape (n,), default=None
            Sample weights; ones by default.
        costs : array-like or table of shape (n, A), or callable, default=None
            As in `fit`. Required if the estimator was fitted with costs by example; of
            shape (n, K, A) if it decides by the cost matrix of each row.

        Returns
        -------
        float
            The larger the better; at most 0.
        """
        check_is_fitted(self, "classes_")
        costs = costs_of_rows(costs, X, y)
        if costs is None and self.costs_by_example_:
            raise ValueError(
                "costs is missing: the estimator was fitted with costs by example, so "
                "its score needs the costs of these examples. Pass costs, or enable "
                "scikit-learn's metadata routing, so that cross-validation passes them."
            )
        actions = self.actions_[len(self.classes_) :]
        return -mean_cost(
            y,
            self._predicted_at(X, costs),
            cost_matrix=self.cost_matrix if costs is None else None,
            costs=costs,
            classes=self.classes_ if self.classes is None else self.classes,
            sample_weight=sample_weight,
            actions=actions if len(actions) else None,
        )

    def _predicted_at(self, X: Any, costs: Any) -> NDArray[Any]:
        """Hook for reductions whose predictions depend on the costs of the rows."""
        return self.predict(X)


def _has_partial_fit(reduction: Any) -> bool:
    if not reduction.row_by_row:
        raise AttributeError(
            f"{type(reduction).__name__} needs all rows at once: use fit, or another "
            "reduction, such as CostSensitiveOneVsOne."
        )
    learner = reduction.working_learner()
    if hasattr(learner, "partial_fit"):
        return True
    raise AttributeError(
        f"learner {type(reduction.chosen_learner()).__name__} has no partial_fit: use "
        "fit, or choose a learner that has it, such as SGDClassifier or SGDRegressor."
    )


class IncrementalReduction(Reduction):
    """A reduction that can be fitted to more rows than fit into memory.

    A subclass defines ``row_by_row`` and ``subproblems``, see `FlatReduction`.
    """

    __metadata_request__partial_fit: ClassVar = {
        "classes": True,
        "costs": True,
        "sample_weight": True,
    }
    row_by_row: ClassVar[bool]
    solutions_: Any

    def subproblems(self, problem: CostProblem) -> Iterator[Subproblem]:
        """Yield the subproblems over all rows."""
        raise NotImplementedError

    @available(_has_partial_fit)
    @fit_context(prefer_skip_nested_validation=False)
    def partial_fit(
        self,
        X: Any,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        costs: Any = None,
    ) -> Self:
        """Update the models with a block of rows.

        For tables that do not fit into memory and for streams. The learner must have
        ``partial_fit``, as `sklearn.linear_model.SGDClassifier` does. The first call
        fixes the classes and the scale of costs: a cost matrix is divided by its
        largest entry, costs by example by the largest of the first block.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            The block.
        y : array-like of shape (n,)
            True labels; a block may lack some of the classes.
        classes : array-like of shape (K,), default=None
            All classes, in any order. Required in the first call, unless the parameter
            ``classes`` or a labelled ``cost_matrix`` names them.
        sample_weight : array-like of shape (n,), default=None
            Sample weights; rows of weight zero are ignored.
        costs : array-like or table of shape (n, A), or callable, default=None
            Cost of each answer for every example of the block, as in `fit`.

        Returns
        -------
        self
            The same estimator.
        """
        all_classes = self._all_classes(classes)
        first = not hasattr(self, "classes_")
        if not first:
            self._check_same_costs(costs)
        if isinstance(self.error_weight, str):
            raise ValueError(
                f"error_weight={self.error_weight!r} needs the class sizes of all "
                "rows, which a block does not have. Pass a dict of labels and weights."
            )
        softness = check_softness(self.softness)
        data = self.check_data(
            X, y, costs, sample_weight, all_classes=all_classes, reset=first
        )
        if not first:
            data = self._like_first_block(data)
        if data.rows.n_classes > 1:
            self.solutions_ = feed_subproblems(
                self.working_learner(),
                self._previous_models(),
                data.X,
                list(self.subproblems(data.rows.problem(softness))),
                n_jobs=self.n_jobs,
                rng=self._rng(),
            )
        if first:
            self._set_data_attributes(data)
        return self

    def _all_classes(self, classes: ArrayLike | None) -> NDArray[Any] | None:
        """The classes of all blocks, sorted; None if the cost matrix names them."""
        argument = None if classes is None else np.sort(_checked_classes(classes))
        earlier = getattr(self, "classes_", None)
        if earlier is None and self.classes is not None:
            earlier = np.sort(_checked_classes(self.classes))
        if (
            earlier is None
            and argument is None
            and not is_labelled(cost_matrix=self.cost_matrix)
        ):
            raise ValueError(
                "classes is missing: later blocks may have other labels. Pass all of "
                "them to the first call of partial_fit, or a labelled cost_matrix."
            )
        if earlier is None:
            return argument
        if argument is not None and set(earlier) != set(argument):
            raise ValueError(
                f"classes={argument.tolist()} differ from the earlier classes, "
                f"{earlier.tolist()}. Pass the same, or none after the first call."
            )
        return earlier

    def _check_same_costs(self, costs: Any) -> None:
        """Raise an error if this block has costs of another form than earlier ones."""
        if (costs is not None) != self.costs_by_example_:
            fault = "has no costs" if self.costs_by_example_ else "has costs"
            raise ValueError(
                f"this block {fault} by example, unlike the first block. Pass costs "
                "with every block, or with none."
            )
        self._check_costs_unchanged()

    def _like_first_block(self, data: TrainingData) -> TrainingData:
        """A block with the scale and the answers of the first block."""
        if not np.array_equal(data.rows.actions, self.actions_):
            raise ValueError(
                f"costs has the answers {data.rows.actions.tolist()}, but the first "
                f"block had {self.actions_.tolist()}. Pass the same for all blocks."
            )
        if data.rows.by_example:
            scaled = replace(data.rows, fixed_scale=self.cost_scale_)
            return replace(data, rows=scaled)
        return data

    def _previous_models(self) -> FittedModels | None:
        """Models of earlier blocks; those of `fit` may not support ``partial_fit``."""
        models = getattr(self, "solutions_", None)
        return models if isinstance(models, FittedModels) else None


def _ones(y: NDArray[np.intp]) -> NDArray[np.float64]:
    return np.ones(len(y))


def _checked_classes(classes: ArrayLike) -> NDArray[Any]:
    """A list of distinct classes."""
    labels = np.asarray(classes)
    return resolve_classes(labels, classes=labels, argument="classes")


@documented
class FlatReduction(IncrementalReduction):
    """A reduction to independent subproblems.

    A subclass defines the subproblems and how to combine their outputs.

    Parameters
    ----------
    learner : estimator, default=None
        Solves the subproblems; the default depends on the subclass.
    {common}

    See Also
    --------
    Reduction : A cost-sensitive classifier that is built from ordinary learners.
    RegressionOneVsAll : Plain regression of the costs (CSOVR), one regressor for each
        class.
    softcost.testing.check_cost_estimator : Tests your own reduction.

    Examples
    --------
    One regressor per answer predicts its cost, and the lowest predicted cost wins:

    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import Ridge
    >>> from softcost.learners import Values
    >>> from softcost.reductions import FlatReduction
    >>> class CostRegression(FlatReduction):
    ...     learner_kind = "regressor"
    ...     def default_learner(self):
    ...         return Ridge()
    ...     def subproblems(self, problem):
    ...         for k in range(problem.n_actions):
    ...             yield Values(problem.costs[:, k], problem.weight)
    ...     def n_subproblems(self, n_actions):
    ...         return n_actions
    ...     def combine(self, outputs, n_actions):
    ...         return -outputs
    >>> X, y = load_iris(return_X_y=True)
    >>> model = CostRegression(cost_matrix=[[0, 1, 5], [1, 0, 5], [9, 9, 0]]).fit(X, y)
    >>> model.predict(X[[0, 100]]).tolist()
    [0, 2]
    """

    # Whether a row's target and weight depend on its own costs only. A path then poses
    # all softness values as one problem over repeated rows, which has no matrix. Set it
    # to False if they depend on other rows or on ``problem.matrix``.
    row_by_row: ClassVar[bool] = True
    takes_fit_params: ClassVar[bool] = True
    solutions_: Any

    def subproblems(self, problem: CostProblem) -> Iterator[Subproblem]:
        """Yield the subproblems.

        Parameters
        ----------
        problem : CostProblem
            Labels, softened costs and weights of all rows.

        Yields
        ------
        Subproblem
            Each over all rows; rows of weight zero are ignored.
        """
        raise NotImplementedError

    def n_subproblems(self, n_actions: int) -> int:
        """Number of subproblems.

        Parameters
        ----------
        n_actions : int
            Number of answers: classes and actions.

        Returns
        -------
        int
            The number of items that `subproblems` yields.
        """
        raise NotImplementedError

    def combine(
        self, outputs: NDArray[np.float64], n_actions: int
    ) -> NDArray[np.float64]:
        """Combine the outputs of the subproblems into scores.

        The output of a subproblem without rows of positive weight is NaN; it must not
        affect the decision.

        Parameters
        ----------
        outputs : array of shape (n, n_subproblems)
            Outputs of the learners, in the order of `subproblems`.
        n_actions : int
            Number of answers A.

        Returns
        -------
        array of shape (n, A)
            The larger the better.
        """
        raise NotImplementedError

    def path_subproblems(
        self, rows: RowCosts, softness: Sequence[float]
    ) -> Iterator[Subproblem]:
        """Yield every subproblem at all softness values.

        Parameters
        ----------
        rows : RowCosts
            Labels, costs and weights.
        softness : sequence of float
            All values of a search.

        Yields
        ------
        Subproblem
            Arrays of shape (n_softness, n).
        """
        problems = [rows.problem(value) for value in softness]
        if not self.row_by_row:
            parts = zip(*map(self.subproblems, problems), strict=True)
            for same in parts:
                yield type(same[0]).stacked(same)
            return
        # Rows are independent of each other, so all softness values form one problem.
        together = CostProblem(
            y=np.tile(rows.y, len(problems)),
            costs=np.concatenate([problem.costs for problem in problems]),
            matrix=None,
            weight=np.tile(rows.weight, len(problems)),
        )
        for subproblem in self.subproblems(together):
            yield subproblem.reshaped(len(problems), len(rows.y))

    def _fit(
        self, X: Any, problem: CostProblem, params: FitParams | None = None
    ) -> None:
        learner = self.working_learner()
        by_class = self.row_by_row and problem.matrix is not None
        # With costs by class all rows of a class are alike, so one row stands for them.
        if by_class and isinstance(learner, SupportsKindFit):
            self.solutions_ = learner.fit_kinds(
                X, self._class_subproblems(problem), problem.y, problem.weight
            )
            return
        subproblems = list(self.subproblems(problem))
        self.solutions_ = fit_subproblems(
            learner,
            X,
            subproblems,
            n_jobs=self.n_jobs,
            rng=self._rng(),
            params=None if params is None else self._evaluated(params, problem),
        )

    def _evaluated(self, params: FitParams, problem: CostProblem) -> list[FitParams]:
        """Arguments of ``fit`` for each subproblem; ``eval_set`` has its targets."""
        matrix, number = problem.matrix, self.n_subproblems(problem.n_actions)
        if matrix is None and params.eval_sets:
            raise ValueError(
                "eval_set has no costs, and this reduction was given costs by example: "
                "pass cost_matrix, or choose MinimumExpectedCost."
            )
        posed: dict[str, list[tuple[Any, list[Subproblem]]]] = {
            name: [
                (X, list(self.subproblems(CostProblem(y, matrix[y], matrix, _ones(y)))))
                for X, y in pairs
            ]
            for name, pairs in params.eval_sets.items()
            if matrix is not None
        }
        return [
            params.evaluated(
                self.working_learner(),
                {
                    name: [(X, subproblems[k]) for X, subproblems in sets]
                    for name, sets in posed.items()
                },
            )
            for k in range(number)
        ]

    def _class_subproblems(self, problem: CostProblem) -> list[Subproblem]:
        """The subproblems over one row of weight 1 per class."""
        assert problem.matrix is not None
        n_classes = len(problem.matrix)
        by_class = CostProblem(
            y=np.arange(n_classes),
            costs=problem.matrix,
            matrix=problem.matrix,
            weight=np.ones(n_classes),
        )
        return list(self.subproblems(by_class))

    def _estimators(self) -> list[Any]:
        return fitted_learners(self.solutions_)

    def _decide(self, X: Any) -> NDArray[np.float64]:
        return self.combine(self.solutions_.outputs(X), len(self.actions_))


class ProbabilityReduction(Reduction):
    """A reduction to class probabilities, by default from logistic regression."""

    learner_kind: ClassVar[str] = "classifier"
    estimator_: Any

    def default_learner(self) -> Any:
        return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))

    def _estimators(self) -> list[Any]:
        return [class_learner(self.estimator_)]

    def _check_X(self, X: Any, *, reset: bool) -> Any:
        if not reset and is_plain(self, X):
            return X
        if self.learner is None and sparse.issparse(X):
            raise TypeError(
                "X is sparse, but the default learner centres features: pass "
                "X.toarray(), or a learner that supports sparse data, such as "
                "LogisticRegression()."
            )
        return super()._check_X(X, reset=reset)


class OneClass:
    """A classifier for rows of a single class, which it always predicts."""

    classes_: NDArray[Any]

    def __init__(self, number: int) -> None:
        self.classes_ = np.array([number])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        return np.ones((_num_samples(X), 1))


def class_learner(model: Any) -> Any:
    """The fitted learner inside a model; None for a `OneClass`."""
    return None if isinstance(model, OneClass) else inner_learner(model)


def is_prefitted(learner: Any) -> bool:
    """Whether a learner, or the last step of a pipeline, is a `FrozenEstimator`."""
    last = learner.steps[-1][1] if isinstance(learner, Pipeline) else learner
    return isinstance(last, FrozenEstimator)


def fit_classes(
    learner: Any,
    X: Any,
    rows: NDArray[np.intp],
    y: NDArray[np.intp],
    weight: NDArray[np.float64] | None = None,
    seed: int | None = None,
    fit_params: FitParams | None = None,
) -> Any:
    """Fit a clone to some rows: the unit of parallel work.

    Parameters
    ----------
    learner : classifier
        The learner to clone.
    X : rows
        All rows.
    rows : array of shape (n,)
        Indices of the training rows, possibly repeated.
    y : array of shape (n,)
        Their class indices.
    weight : array of shape (n,) or None
        Their weights, if the learner supports them; rows of weight zero are left out.
    seed : int or None
        Replaces the learner's random states.
    fit_params : FitParams or None
        Further arguments of ``fit``.

    Returns
    -------
    classifier
        Fitted; a `OneClass` if y has a single class.
    """
    if weight is not None:
        positive = weight > 0
        rows, y, weight = rows[positive], y[positive], weight[positive]
    if np.all(y == y[0]):
        return OneClass(y[0])
    model = seeded_clone(learner, seed)
    params = {} if weight is None else weight_params(model, weight)
    if fit_params is not None:
        params |= fit_params.of_rows(rows)
    return fit_rows(model, X, rows, y, params)


def class_probabilities(
    model: Any, X: Any, n_classes: int, columns: NDArray[np.intp] | None = None
) -> NDArray[np.float64]:
    """Probabilities of all classes, shape (n, K).

    A model without probabilities gives 1 to the predicted class. Classes missing from
    the model's training rows get zero. ``columns`` has the class indices of the model's
    labels, if these are not class indices themselves.
    """
    if hasattr(model, "predict_proba"):
        out = np.zeros((_num_samples(X), n_classes))
        columns = as_numpy(model.classes_) if columns is None else columns
        out[:, columns] = as_numpy(model.predict_proba(X))
        return out
    return np.eye(n_classes)[as_numpy(model.predict(X))]


def fast_class_probabilities(
    model: Any, X: Any, n_classes: int, rows: PlainRows | None
) -> NDArray[np.float64]:
    """As `class_probabilities`, by the model's compact form if it has one.

    ``rows`` is ``PlainRows.of(X)``. The form is made at the first call, so this is not
    for models that predict once, as in cross-validation.
    """
    probabilities = compact_probabilities(model, rows)
    if probabilities is None:
        return class_probabilities(model, X, n_classes)
    if len(model.classes_) == n_classes:
        return probabilities
    out = np.zeros((len(probabilities), n_classes))
    out[:, model.classes_] = probabilities
    return out

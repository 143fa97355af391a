"""What all reductions share: input validation, classes, costs, scores."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context, clone
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    _check_y,
    _num_samples,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from softcost.costs import (
    CostProblem,
    RowCosts,
    all_answers,
    check_softness,
    costs_changed,
    is_labelled,
    resolve_classes,
    row_costs,
)
from softcost.learners import (
    FittedModels,
    Subproblem,
    SupportsKindFit,
    SupportsMultiFit,
    SupportsPath,
    check_learner,
    feed_subproblems,
    fit_rows,
    fit_subproblems,
    fitted_learners,
    inner_learner,
    is_pairwise,
    seeded_clone,
    weight_params,
)
from softcost.metrics import mean_cost

# Training data that have been checked once, and parts of them.


def is_raw(X: Any) -> bool:
    """Whether X is a sequence of texts or dicts, for learners that read such.

    Examples
    --------
    >>> is_raw(["a text", "another"]), is_raw([[1.0, 2.0]])
    (True, False)
    """
    if getattr(X, "ndim", 1) != 1 or not hasattr(X, "__len__") or len(X) == 0:
        return False
    first = X.iloc[0] if hasattr(X, "iloc") else X[0]
    return isinstance(first, str | bytes | Mapping)


@dataclass(frozen=True)
class TrainingData:
    """What input validation makes of the arguments of ``fit``.

    Attributes
    ----------
    X : array, sparse matrix or table of n rows
        The rows.
    rows : RowCosts
        Labels, costs and weights of the rows.
    features : dict
        ``n_features_in_`` and ``feature_names_in_``, where X has them.
    pairwise : bool
        Whether X is a kernel matrix: its columns are rows, too.

    See Also
    --------
    Reduction : A cost-sensitive classifier made of other learners.
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

    def part(self, chosen: NDArray[np.intp]) -> "TrainingData":
        """Some of the rows, as if only these had been given.

        Parameters
        ----------
        chosen : array of int
            Numbers of rows.

        Returns
        -------
        TrainingData
            Not checked again.
        """
        X = self.rows_to_predict(chosen, chosen)
        return replace(self, X=X, rows=self.rows.part(chosen))

    def rows_to_predict(self, chosen: NDArray[np.intp], train: NDArray[np.intp]) -> Any:
        """Some rows of X, as a model of the training rows wants to see them.

        Parameters
        ----------
        chosen : array of int
            Numbers of the rows to predict.
        train : array of int
            Numbers of the training rows; they matter where X is a kernel matrix.

        Returns
        -------
        rows
            Of the type of X.
        """
        if self.pairwise:
            return np.asarray(self.X)[np.ix_(chosen, train)]
        return _safe_indexing(self.X, chosen)


def refuse_strangers(rows: RowCosts) -> None:
    """Refuse columns of costs that are no label of any row: they would be predicted."""
    strange = np.flatnonzero(np.bincount(rows.y, minlength=rows.n_classes) == 0)
    if len(strange):
        names = ", ".join(repr(name) for name in rows.classes[strange[:6]].tolist())
        raise ValueError(
            f"costs has columns that no row of y is labelled with, {names}: drop them, "
            "or pass classes= with every class if they are classes, actions= if not."
        )


# What all reductions say of their common parameters, said once.


_COMMON = """cost_matrix : array, table or dict of shape (K, A), default=None
        ``cost_matrix[true, predicted]``. An array goes by the order of ``classes`` (or
        of the sorted labels); a labelled table or a dict of dicts goes by name. Columns
        beyond the classes are actions, such as "ask a person".
    classes : array of shape (K,), default=None
        All classes, where a training set may lack some.
    actions : array of shape (A - K,), default=None
        What may be answered beyond the classes, in the order of an array's last
        columns; a labelled ``cost_matrix`` names them itself.
    softness : float from 0 to 1, default=0.0
        0 is the hard cost-sensitive algorithm, 1 its regular sibling; costs are
        divided by their largest entry and mixed,
        ``(1 - softness) * costs + softness * naive``.
    error_weight : None, "balanced" or dict, default=None
        Weight of an error by true class in what softness mixes in.
    action_error : float or dict, default=1.0
        How much an action beyond the classes counts as an error there; a dict has a
        number for each.
    n_jobs : int, default=None
        Threads or workers for the subproblems. Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seeds what is drawn at random, and learners that take a random state."""

_ATTRIBUTES = """classes_ : array of shape (K,)
        Sorted labels.
    actions_ : array of shape (A,)
        What may be predicted: the classes, then the actions.
    cost_scale_ : float
        What costs were divided by.
    estimators_ : list
        Fitted learners, one for each subproblem (a pair, a class, a node, a draw, a
        round); None where there was nothing to learn. Not there where the learner
        solves all subproblems together, as the kernel machines do: see ``solutions_``.
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)"""

_SECTION = "Attributes\n    ----------\n    {attributes}\n\n    "
_NEXT = ("See Also\n    --------", "Examples\n    --------")  # what comes after it


def documented(cls):
    """Fill in the common parts of a reduction's docstring."""
    if cls.__doc__:  # not under python -OO
        text = cls.__doc__.replace("{common}", _COMMON)
        if "{attributes}" not in text:
            after = next((title for title in _NEXT if title in text), "")
            text = text.replace(after, _SECTION + after, 1) if after else text
        cls.__doc__ = text.replace("{attributes}", _ATTRIBUTES)
    return cls


@documented
class Reduction(ClassifierMixin, BaseEstimator):
    """A cost-sensitive classifier made of other learners.

    The public ``fit`` checks everything and hands on what it found; all that comes
    after trusts it. A subclass says which learner it takes by default
    (`default_learner`), learns from a `softcost.costs.CostProblem` (``_fit``) and gives
    one score per class, the larger the better (``_decide``).

    Parameters
    ----------
    learner : estimator, default=None
        What solves the subproblems; a subclass says which one is taken by default.
    {common}

    See Also
    --------
    FlatReduction : A reduction whose subproblems do not need each other's answers.
    CostSensitiveOneVsOne : Cost-sensitive one-versus-one (CSOVO); one-versus-one (OVO)
        at softness 1.
    softcost.testing.check_cost_estimator : Tests a reduction of your own.

    Examples
    --------
    A reduction of one's own: answer what is cheapest in the mean of the rows that were
    seen, whatever x is. ``_fit`` is given checked and softened costs, ``_decide``
    gives a score for every answer.

    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> from softcost.reductions import Reduction
    >>> class BestConstant(Reduction):
    ...     def default_learner(self):
    ...         return DummyClassifier()
    ...     def _fit(self, X, problem):
    ...         self.paid_ = problem.weight @ problem.costs
    ...     def _decide(self, X):
    ...         return np.tile(-self.paid_, (len(X), 1))
    >>> X, y = np.zeros((4, 1)), ["fine", "fine", "fine", "fraud"]
    >>> prices = {"fine": {"fraud": 1}, "fraud": {"fine": 50}}
    >>> BestConstant(cost_matrix=prices).fit(X, y).predict(X[:2]).tolist()
    ['fraud', 'fraud']
    >>> BestConstant(cost_matrix=prices, softness=1).fit(X, y).predict(X[:2]).tolist()
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

    # Costs belong to the examples: route them without being asked.
    __metadata_request__fit: ClassVar = {"costs": True, "sample_weight": True}
    __metadata_request__score: ClassVar = {"costs": True, "sample_weight": True}

    # What the learner must be: "classifier", "regressor", or "any" of the two.
    learner_kind: ClassVar[str] = "any"
    # Whether it can answer with anything but a class.
    takes_actions: ClassVar[bool] = True
    # Whether only prediction looks at ``softness`` and ``cost_matrix``: they may change
    # after fitting.
    softness_at_predict: ClassVar[bool] = False

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
    ):
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
        """The learner that is used where none is given.

        Returns
        -------
        estimator
            Not fitted.
        """
        raise NotImplementedError

    def chosen_learner(self) -> Any:
        """The learner that was given, or the default one: its parameters are tuned.

        Returns
        -------
        estimator
            Not fitted.
        """
        return self.default_learner() if self.learner is None else self.learner

    def working_learner(self) -> Any:
        """What solves the subproblems: the chosen learner, wrapped where necessary.

        Returns
        -------
        estimator
            Not fitted.
        """
        return self.chosen_learner()

    def configured(self, softness: float, params: dict[str, Any] | None = None) -> Self:
        """A clone with a softness, and with other parameters: see `split_params`.

        Parameters
        ----------
        softness : float from 0 to 1
            That of the clone.
        params : dict, default=None
            Other parameters, of the reduction or of its learner.

        Returns
        -------
        estimator
            A clone, not fitted.
        """
        own, inner = self.split_params(params or {})
        model = clone(self)
        model.set_params(softness=softness, **own)
        if inner:
            learner = clone(model.chosen_learner())
            learner.set_params(**inner)
            model.set_params(learner=learner)
        return model

    def split_params(
        self, params: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Parameters of the reduction itself, and of its learner.

        The learner's go by ``learner__name``, or by ``name`` alone where the reduction
        has no parameter of that name.

        Parameters
        ----------
        params : dict
            By name, such as a candidate of a search.

        Returns
        -------
        own, inner : dict
            Those of the reduction, and those of the learner without the prefix.

        Examples
        --------
        >>> from softcost.reductions import FilterTree
        >>> FilterTree().split_params({"order": [1, 0], "C": 2, "learner__tol": 0.1})
        ({'order': [1, 0]}, {'C': 2, 'tol': 0.1})
        """
        own_names = self.get_params(deep=False)
        own: dict[str, Any] = {}
        inner: dict[str, Any] = {}
        for name, value in params.items():
            if name in own_names:
                own[name] = value
            else:
                inner[name.removeprefix("learner__")] = value
        return own, inner

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
        """As a learner asks that shares work; other learners check for themselves."""
        learner = self.working_learner()
        if isinstance(learner, SupportsMultiFit | SupportsPath):
            return validate_data(self, X, reset=reset, **learner.input_checks())
        if is_raw(X):
            return X
        if getattr(X, "ndim", 0) == 2 or hasattr(X, "columns"):
            if _num_samples(X) == 0:
                raise ValueError(
                    f"Found array with 0 sample(s) (shape={X.shape}): pass X with at "
                    "least one row."
                )
            validate_data(self, X, reset=reset, skip_check_array=True)
            return X.tocsr() if sparse.issparse(X) else X  # rows are picked from it
        return validate_data(self, X, reset=reset, dtype=None, ensure_all_finite=False)

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        *,
        costs: Any = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from examples and what mistakes on them cost.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Rows; anything that the learner itself takes.
        y : array-like of shape (n,)
            True labels.
        costs : array-like or table of shape (n, A), default=None
            What each answer would cost, for every example; the columns of a table go
            by name. Without ``costs`` and ``cost_matrix`` every
            mistake costs the same.
        sample_weight : array-like of shape (n,), default=None
            How much each row counts, by default 1.

        Returns
        -------
        self
        """
        return self.fit_checked(self.check_data(X, y, costs, sample_weight))

    def check_data(
        self,
        X: Any,
        y: ArrayLike,
        costs: Any = None,
        sample_weight: ArrayLike | None = None,
        *,
        known: NDArray[Any] | None = None,
        reset: bool = True,
    ) -> TrainingData:
        """Check the arguments of `fit`: the input validation of all reductions.

        Parameters
        ----------
        X, y, costs, sample_weight
            As in `fit`.
        known : array of shape (K,) or None
            All classes, sorted, where they are known and ``classes`` is not set.
        reset : bool
            Whether the features are those that X has; otherwise X must have them.

        Returns
        -------
        TrainingData
            What `fit_checked` takes.
        """
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but "
                "the target y is None; pass the true labels."
            )
        X, pairwise = self._check_input(X, reset=reset)
        labels = _check_y(y)
        check_consistent_length(X, labels)
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
            classes=known if self.classes is None else self.classes,
            error_weight=self.error_weight,
            sample_weight=weight,
            actions=self.actions,
            action_error=self.action_error,
        )
        if costs is not None and self.classes is None and known is None:
            refuse_strangers(rows)
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

        The data were checked with the price list and the classes of this estimator.

        Parameters
        ----------
        data : TrainingData
            From `check_data`.

        Returns
        -------
        self
            The fitted estimator.
        """
        self._keep_facts(data)
        softness = check_softness(self.softness)
        self._learn_costs(data.rows)
        if len(self.classes_) > 1:
            self._fit(data.X, data.rows.problem(softness))
        return self

    def _keep_facts(self, data: TrainingData) -> None:
        """What is known of rows and prices before anything is learnt."""
        for name, value in data.features.items():
            setattr(self, name, value)
        self.classes_ = data.rows.classes
        self._extra = data.rows.extra
        self.cost_scale_ = data.rows.scale
        self.costs_by_example_ = data.rows.by_example
        self._raw_matrix = data.rows.raw_matrix

    @property
    def actions_(self) -> NDArray[Any]:
        """What may be predicted, shape (A,): the classes, then the actions."""
        return all_answers(self.classes_, self._extra)

    def _learn_costs(self, rows: RowCosts) -> None:
        """For reductions that keep the costs themselves."""

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
        """Numbers of the predicted answers, for rows that have been checked.

        Parameters
        ----------
        X : rows
            As `check_data` gives them.

        Returns
        -------
        array of shape (n,)
            ``actions_[result]`` are the answers.
        """
        if len(self.classes_) == 1:
            return np.zeros(_num_samples(X), np.intp)
        return self._scored(X).argmax(axis=1)

    def _scored(self, X: Any) -> NDArray[np.float64]:
        """Scores, shape (n, A), if they can be compared.

        The first of NaN would win. Minus infinity is for an answer that is never given.
        """
        scores = self._decide(X)
        self._require(bool((scores.max(axis=1) < np.inf).all()))
        return scores

    def _require(self, finite: bool) -> None:
        if not finite:
            raise ValueError(
                f"X has rows that {type(self).__name__} has no finite scores for: "
                "scale the features, as with StandardScaler(), correct what is out of "
                "range, or choose another learner."
            )

    @property
    def estimators_(self) -> list[Any]:
        """Fitted learners, one for each subproblem; None where nothing was to learn."""
        check_is_fitted(self, "classes_")
        return self._estimators() if len(self.classes_) > 1 else []

    def _estimators(self) -> list[Any]:
        raise NotImplementedError

    def _check_rows(self, X: Any) -> Any:
        """Check rows to predict."""
        check_is_fitted(self, "classes_")
        if not self.softness_at_predict:
            self._refuse_new_prices()
        return self._check_X(X, reset=False)

    def _refuse_new_prices(self) -> None:
        """Refuse a price list that was changed after fitting: nobody would notice."""
        given, order = self.cost_matrix, self.classes
        if costs_changed(given, self._raw_matrix, self.classes_, order, self._extra):
            raise ValueError(
                f"cost_matrix was changed after fit, and this {type(self).__name__} "
                "has learnt from the prices before: fit it again, or use "
                "MinimumExpectedCost, whose prices may change."
            )

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """One score per answer, the larger the better; one column for two of them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Rows to predict.

        Returns
        -------
        array of shape (n, A), or (n,) for A = 2: positive for the second
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
        """The answer with the best score; the first of them where scores tie.

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
        *,
        costs: Any = None,
        sample_weight: ArrayLike | None = None,
    ) -> float:
        """Minus the mean cost of the predictions, in the user's units.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Rows to predict.
        y : array-like of shape (n,)
            True labels.
        costs : array-like or table of shape (n, A), default=None
            Needed where the estimator was fitted with costs by example.
        sample_weight : array-like of shape (n,), default=None
            How much each row counts, by default 1.

        Returns
        -------
        float
            The larger the better, 0 at most.
        """
        check_is_fitted(self, "classes_")
        if costs is None and self.costs_by_example_:
            raise ValueError(
                "costs is missing: the estimator was fitted with costs by example, so "
                "its score needs those of these examples; pass costs, or enable "
                "scikit-learn's metadata routing so that cross-validation does."
            )
        actions = self.actions_[len(self.classes_) :]
        return -mean_cost(
            y,
            self.predict(X),
            cost_matrix=self.cost_matrix if costs is None else None,
            costs=costs,
            classes=self.classes_ if self.classes is None else self.classes,
            sample_weight=sample_weight,
            actions=actions if len(actions) else None,
        )


# Reductions that go on learning, one block of rows after the other.


def _goes_on_learning(reduction: Any) -> bool:
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


class LearnsInBlocks(Reduction):
    """What lets a reduction be fitted to more rows than memory holds.

    A subclass has ``row_by_row`` and ``subproblems``, as a `FlatReduction`.
    """

    __metadata_request__partial_fit: ClassVar = {
        "classes": True,
        "costs": True,
        "sample_weight": True,
    }
    row_by_row: ClassVar[bool]
    solutions_: Any

    def subproblems(self, problem: CostProblem) -> Iterator[Subproblem]:
        """The subproblems over all rows, made when they are asked for."""
        raise NotImplementedError

    @available_if(_goes_on_learning)
    @_fit_context(prefer_skip_nested_validation=False)
    def partial_fit(
        self,
        X: Any,
        y: ArrayLike,
        *,
        costs: Any = None,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Go on learning from a block of rows, with a learner that can.

        For tables that do not fit into memory and for streams: the learner, such as
        `sklearn.linear_model.SGDClassifier`, has ``partial_fit``, too. The first call
        fixes the classes and the scale of costs: a price list is divided by its
        largest entry, costs by example by the largest of the first block.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            The block.
        y : array-like of shape (n,)
            True labels; a block may lack some of the classes.
        costs : array-like or table of shape (n, A), default=None
            What each answer would cost, for every example of the block.
        classes : array-like of shape (K,), default=None
            All classes, in any order. Needed at the first call, unless the parameter
            ``classes`` or a labelled ``cost_matrix`` names them.
        sample_weight : array-like of shape (n,), default=None
            Rows of weight zero are as if absent.

        Returns
        -------
        self
            The same estimator, which knows the block, too.
        """
        known = self._all_classes(classes)
        first = not hasattr(self, "classes_")
        if not first:
            self._check_same_prices(costs)
        if isinstance(self.error_weight, str):
            raise ValueError(
                f"error_weight={self.error_weight!r} counts all rows, which blocks do "
                "not show: pass a dict of labels and weights."
            )
        softness = check_softness(self.softness)
        data = self.check_data(X, y, costs, sample_weight, known=known, reset=first)
        if not first:
            data = self._as_before(data)
        if data.rows.n_classes > 1:
            self.solutions_ = feed_subproblems(
                self.working_learner(),
                self._models_before(),
                data.X,
                list(self.subproblems(data.rows.problem(softness))),
                n_jobs=self.n_jobs,
                rng=self._rng(),
            )
        if first:
            self._keep_facts(data)
        return self

    def _all_classes(self, classes: ArrayLike | None) -> NDArray[Any] | None:
        """The classes of all blocks, sorted; None where the price list names them."""
        given = None if classes is None else np.sort(_each_once(classes))
        known = getattr(self, "classes_", None)
        if known is None and self.classes is not None:
            known = np.sort(_each_once(self.classes))
        if (
            known is None
            and given is None
            and not is_labelled(cost_matrix=self.cost_matrix)
        ):
            raise ValueError(
                "classes is missing: later blocks may have other labels, so pass all "
                "of them to the first call of partial_fit, or a cost_matrix with names."
            )
        if known is not None and given is not None and set(known) != set(given):
            raise ValueError(
                f"classes={given.tolist()} differ from those known before, "
                f"{known.tolist()}: pass the same, or none after the first call."
            )
        return given if known is None else known

    def _check_same_prices(self, costs: Any) -> None:
        """Refuse prices of another sort than those of the blocks before."""
        if (costs is not None) != self.costs_by_example_:
            asked = "misses" if self.costs_by_example_ else "has"
            raise ValueError(
                f"this block {asked} costs, by example, other than the first one: pass "
                "costs with every block, or with none."
            )
        self._refuse_new_prices()

    def _as_before(self, data: TrainingData) -> TrainingData:
        """A block with the scale and the answers of the first one."""
        if not np.array_equal(data.rows.actions, self.actions_):
            raise ValueError(
                f"costs are of the answers {data.rows.actions.tolist()}, those of the "
                f"first block of {self.actions_.tolist()}: pass all blocks alike."
            )
        if data.rows.by_example:
            scaled = replace(data.rows, fixed_scale=self.cost_scale_)
            return replace(data, rows=scaled)
        return data

    def _models_before(self) -> FittedModels | None:
        """Models of the blocks before; `fit` may have made some that cannot go on."""
        before = getattr(self, "solutions_", None)
        return before if isinstance(before, FittedModels) else None


def _each_once(classes: ArrayLike) -> NDArray[Any]:
    """A list of classes, checked."""
    labels = np.asarray(classes)
    return resolve_classes(labels, classes=labels, argument="classes")


# Reductions whose subproblems do not need each other's answers.


@documented
class FlatReduction(LearnsInBlocks):
    """A reduction whose subproblems do not need each other's answers.

    A subclass says which subproblems there are and how their outputs combine.

    Parameters
    ----------
    learner : estimator, default=None
        What solves the subproblems; a subclass says which one is taken by default.
    {common}

    See Also
    --------
    Reduction : A cost-sensitive classifier made of other learners.
    RegressionOneVsAll : Plain regression of the costs (CSOVR), one regressor for each
        class.
    softcost.testing.check_cost_estimator : Tests a reduction of your own.

    Examples
    --------
    A reduction of one's own: one regressor for each answer learns what that answer
    costs, and the least predicted cost wins.

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

    # Whether a row's part in each subproblem depends on its own costs only. On a path
    # all softness values are then posed as one problem over repeated rows, which has no
    # matrix. Set it to False where targets or weights depend on other rows, or on
    # ``problem.matrix``.
    row_by_row: ClassVar[bool] = True

    def subproblems(self, problem: CostProblem) -> Iterator[Subproblem]:
        """The subproblems over all rows, made when they are asked for.

        Parameters
        ----------
        problem : CostProblem
            Labels, softened costs and weights of all rows.

        Yields
        ------
        Subproblem
            Each over all rows; those of weight zero do not take part.
        """
        raise NotImplementedError

    def n_subproblems(self, n_actions: int) -> int:
        """How many there are, for so many answers.

        Parameters
        ----------
        n_actions : int
            How many answers there are: the classes and the actions.

        Returns
        -------
        int
            How often `subproblems` yields.
        """
        raise NotImplementedError

    def combine(
        self, outputs: NDArray[np.float64], n_actions: int
    ) -> NDArray[np.float64]:
        """Scores of shape (n, A) from outputs of shape (n, n_subproblems).

        A column is NaN where no row of its subproblem had a weight; it must not decide.

        Parameters
        ----------
        outputs : array of shape (n, n_subproblems)
            Of the learners, in the order of `subproblems`.
        n_actions : int
            A, how many answers there are.

        Returns
        -------
        array of shape (n, A)
            The larger the better.
        """
        raise NotImplementedError

    def path_subproblems(
        self, rows: RowCosts, softness: Sequence[float]
    ) -> Iterator[Subproblem]:
        """Every subproblem at all softness values: arrays of shape (n_softness, n).

        Parameters
        ----------
        rows : RowCosts
            Labels, costs and weights.
        softness : sequence of float
            All values of a search.

        Yields
        ------
        Subproblem
            Arrays have the shape (n_softness, n).
        """
        problems = [rows.problem(value) for value in softness]
        if not self.row_by_row:
            parts = zip(*map(self.subproblems, problems), strict=True)
            for same in parts:
                yield type(same[0]).stacked(same)
            return
        # Each row's part depends on its own costs only: pose all problems as one.
        together = CostProblem(
            y=np.tile(rows.y, len(problems)),
            costs=np.concatenate([problem.costs for problem in problems]),
            matrix=None,
            weight=np.tile(rows.weight, len(problems)),
        )
        for subproblem in self.subproblems(together):
            yield subproblem.reshaped(len(problems), len(rows.y))

    def _fit(self, X: Any, problem: CostProblem) -> None:
        learner = self.working_learner()
        by_class = self.row_by_row and problem.matrix is not None
        # With costs by class all rows of a class are alike, so one row stands for them.
        if by_class and isinstance(learner, SupportsKindFit):
            self.solutions_ = learner.fit_kinds(
                X, self._class_subproblems(problem), problem.y, problem.weight
            )
            return
        self.solutions_ = fit_subproblems(
            learner,
            X,
            list(self.subproblems(problem)),
            n_jobs=self.n_jobs,
            rng=self._rng(),
        )

    def _class_subproblems(self, problem: CostProblem) -> list[Subproblem]:
        """The subproblems over one row of weight 1 for each class."""
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


# Learners fitted to class numbers, and the probabilities they give.


class ProbabilityReduction(Reduction):
    """A reduction to probabilities, by default those of logistic regression."""

    learner_kind: ClassVar[str] = "classifier"
    estimator_: Any

    def default_learner(self) -> Any:
        return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))

    def _estimators(self) -> list[Any]:
        return [class_learner(self.estimator_)]

    def _check_X(self, X: Any, *, reset: bool) -> Any:
        if self.learner is None and sparse.issparse(X):
            raise TypeError(
                "X is sparse, but the default learner centres features: pass "
                "X.toarray(), or a learner that takes sparse data, such as "
                "LogisticRegression()."
            )
        return super()._check_X(X, reset=reset)


class OneClass:
    """What is learnt where all rows are of one class: always that one."""

    def __init__(self, number: int):
        self.classes_ = np.array([number])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        return np.ones((_num_samples(X), 1))


def class_learner(model: Any) -> Any:
    """What the user's learner became; None where all rows were of one class."""
    return None if isinstance(model, OneClass) else inner_learner(model)


def is_prefitted(learner: Any) -> bool:
    """Whether a learner, or the last step of a pipeline, is fitted and stays so."""
    last = learner.steps[-1][1] if isinstance(learner, Pipeline) else learner
    return isinstance(last, FrozenEstimator)


def fit_classes(
    learner: Any,
    X: Any,
    rows: NDArray[np.intp],
    y: NDArray[np.intp],
    weight: NDArray[np.float64] | None = None,
    seed: int | None = None,
) -> Any:
    """Fit a clone to some rows: the unit of parallel work.

    Parameters
    ----------
    learner : classifier
    X : the table
    rows : array of shape (n,)
        Numbers of the rows to learn from; any may occur more than once.
    y : array of shape (n,)
        Numbers of their classes.
    weight : array of shape (n,) or None
        Their weights, for a learner that takes weights; those of weight zero are left
        out.
    seed : int or None

    Returns
    -------
    A fitted classifier; a `OneClass` where y has one class only.
    """
    if weight is not None:
        kept = weight > 0
        rows, y, weight = rows[kept], y[kept], weight[kept]
    if np.all(y == y[0]):
        return OneClass(y[0])
    model = seeded_clone(learner, seed)
    params = {} if weight is None else weight_params(model, weight)
    return fit_rows(model, X, rows, y, params)


def class_probabilities(
    model: Any, X: Any, n_classes: int, columns: NDArray[np.intp] | None = None
) -> NDArray[np.float64]:
    """Probabilities of all classes, shape (n, K); 1 for the prediction without them.

    A class that the model has not seen gets zero. ``columns`` has the numbers of the
    model's classes, where its own labels are not numbers of classes.
    """
    if hasattr(model, "predict_proba"):
        out = np.zeros((_num_samples(X), n_classes))
        out[:, model.classes_ if columns is None else columns] = model.predict_proba(X)
        return out
    return np.eye(n_classes)[model.predict(X)]

"""What all reductions share: input validation, classes, costs, scores."""

from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context, clone
from sklearn.utils import check_random_state
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
    prices_changed,
    row_costs,
)
from softcost.learners import (
    FitsMany,
    WalksPath,
    check_learner,
    takes_pairs,
)
from softcost.metrics import mean_cost
from softcost.reductions._data import TrainingData, is_raw, refuse_strangers
from softcost.reductions._docs import documented


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
        if isinstance(learner, FitsMany | WalksPath):
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
        check_learner(
            self.chosen_learner(), self.learner_kind, f"this {type(self).__name__}"
        )
        X = self._check_X(X, reset=reset)
        pairwise = takes_pairs(self.working_learner())
        if pairwise and np.shape(X)[0] != np.shape(X)[1]:
            raise ValueError(
                f"X should be a square kernel matrix for this learner, but it has "
                f"shape {np.shape(X)}: pass K(X, X), or choose another kernel."
            )
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
        if len(rows.extra) and not self.takes_actions:
            raise ValueError(
                f"actions beyond the classes, such as {rows.extra.tolist()[0]!r}, are "
                f"not for {type(self).__name__}: drop their columns, or choose "
                "MinimumExpectedCost, CostSensitiveOneVsOne or OneSidedRegression."
            )
        if costs is not None and self.classes is None and known is None:
            refuse_strangers(rows)
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
        if prices_changed(given, self._raw_matrix, self.classes_, order, self._extra):
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

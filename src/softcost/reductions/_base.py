"""What all reductions share: input validation, classes, costs, scores."""

from collections.abc import Iterator, Sequence
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

from softcost.costs import CostProblem, RowCosts, check_softness, row_costs
from softcost.learners import (
    FitsKinds,
    FitsMany,
    Subproblem,
    WalksPath,
    fit_subproblems,
)
from softcost.metrics import mean_cost
from softcost.reductions._data import TrainingData


class Reduction(ClassifierMixin, BaseEstimator):
    """A cost-sensitive classifier made of other learners.

    The public ``fit`` checks everything and hands on what it found; all that comes
    after trusts it. A subclass says which learner it takes by default
    (`default_learner`), learns from a `softcost.costs.CostProblem` (``_fit``) and gives
    one score per class, the larger the better (``_decide``).
    """

    _parameter_constraints: ClassVar = {
        "learner": "no_validation",
        "cost_matrix": "no_validation",
        "classes": "no_validation",
        "softness": "no_validation",
        "error_weight": "no_validation",
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    # Costs belong to the examples: route them without being asked.
    __metadata_request__fit: ClassVar = {"costs": True, "sample_weight": True}
    __metadata_request__score: ClassVar = {"costs": True, "sample_weight": True}

    # Whether ``softness`` may change after fitting, and only prediction looks at it.
    softness_at_predict: ClassVar[bool] = False

    def __init__(
        self,
        learner: Any = None,
        *,
        cost_matrix: Any = None,
        classes: ArrayLike | None = None,
        softness: float = 0.0,
        error_weight: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ):
        self.learner = learner
        self.cost_matrix = cost_matrix
        self.classes = classes
        self.softness = softness
        self.error_weight = error_weight
        self.n_jobs = n_jobs
        self.random_state = random_state

    def default_learner(self) -> Any:
        """The learner that is used where none is given."""
        raise NotImplementedError

    def chosen_learner(self) -> Any:
        """The learner that was given, or the default one: its parameters are tuned."""
        return self.default_learner() if self.learner is None else self.learner

    def working_learner(self) -> Any:
        """What solves the subproblems: the chosen learner, wrapped where necessary."""
        return self.chosen_learner()

    def configured(self, softness: float, params: dict[str, Any] | None = None) -> Self:
        """A clone with a softness, and with parameters of its learner."""
        model = clone(self)
        model.set_params(softness=softness)
        if params:
            learner = clone(self.chosen_learner())
            learner.set_params(**params)
            model.set_params(learner=learner)
        return model

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
        if getattr(X, "ndim", 0) == 2 or hasattr(X, "columns"):
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
        y : array-like of shape (n,)
            True labels.
        costs : array-like or table of shape (n, K), default=None
            What predicting each class would cost, for every example; the columns of
            a table go by class name. Without ``costs`` and ``cost_matrix`` every
            mistake costs the same.
        sample_weight : array-like of shape (n,), default=None

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
    ) -> TrainingData:
        """Check the arguments of `fit`: the input validation of all reductions."""
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but "
                "the target y is None; pass the true labels."
            )
        X = self._check_X(X, reset=True)
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
            y if hasattr(y, "iloc") else labels,
            cost_matrix=self.cost_matrix,
            costs=costs,
            classes=self.classes,
            error_weight=self.error_weight,
            sample_weight=weight,
        )
        names = ("n_features_in_", "feature_names_in_")
        features = {name: getattr(self, name) for name in names if hasattr(self, name)}
        return TrainingData(X, rows, features)

    def fit_checked(self, data: TrainingData) -> Self:
        """Fit to data that `check_data` has checked, or to a part of them.

        The price list and the classes of the data are used, whatever this estimator's
        parameters say of them.
        """
        for name, value in data.features.items():
            setattr(self, name, value)
        self.classes_ = data.rows.classes
        self.cost_scale_ = data.rows.scale
        self.costs_by_example_ = data.rows.by_example
        softness = check_softness(self.softness)
        self._learn_costs(data.rows)
        if len(self.classes_) > 1:
            self._fit(data.X, data.rows.problem(softness))
        return self

    def _learn_costs(self, rows: RowCosts) -> None:
        """For reductions that keep the costs themselves."""

    def _rng(self) -> np.random.RandomState | None:
        return (
            None if self.random_state is None else check_random_state(self.random_state)
        )

    def _fit(self, X: Any, problem: CostProblem) -> None:
        raise NotImplementedError

    def _decide(self, X: Any) -> NDArray[np.float64]:
        """Scores of shape (n, K)."""
        raise NotImplementedError

    def decide(self, X: Any) -> NDArray[np.intp]:
        """Numbers of the predicted classes, for rows that have been checked."""
        if len(self.classes_) == 1:
            return np.zeros(_num_samples(X), np.intp)
        return self._decide(X).argmax(axis=1)

    def _check_rows(self, X: Any) -> Any:
        """Check rows to predict."""
        check_is_fitted(self, "classes_")
        return self._check_X(X, reset=False)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """One score per class, the larger the better; one column for two classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)

        Returns
        -------
        array of shape (n, K), or (n,) for K = 2: positive for the second class
        """
        X = self._check_rows(X)
        if len(self.classes_) == 1:
            return np.zeros((_num_samples(X), 1))
        scores = self._decide(X)
        if len(self.classes_) == 2:
            return scores[:, 1] - scores[:, 0]
        return scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The class with the best score; the first of them where scores tie.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)

        Returns
        -------
        array of shape (n,)
        """
        chosen = self.decide(self._check_rows(X))
        return self.classes_[chosen]

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
        y : array-like of shape (n,)
        costs : array-like or table of shape (n, K), default=None
            Needed where the estimator was fitted with costs by example.
        sample_weight : array-like of shape (n,), default=None

        Returns
        -------
        float
        """
        check_is_fitted(self, "classes_")
        if costs is None and self.costs_by_example_:
            raise ValueError(
                "costs is missing: the estimator was fitted with costs by example, so "
                "its score needs those of these examples; pass costs, or enable "
                "scikit-learn's metadata routing so that cross-validation does."
            )
        return -mean_cost(
            y,
            self.predict(X),
            cost_matrix=self.cost_matrix if costs is None else None,
            costs=costs,
            classes=self.classes_ if self.classes is None else self.classes,
            sample_weight=sample_weight,
        )


class FlatReduction(Reduction):
    """A reduction whose subproblems do not need each other's answers.

    A subclass says which subproblems there are and how their outputs combine.
    """

    # Whether an example's part in each subproblem depends on its own costs only.
    by_example: ClassVar[bool] = True

    def subproblems(self, problem: CostProblem) -> Iterator[Subproblem]:
        """The subproblems over all rows, made when they are asked for."""
        raise NotImplementedError

    def n_subproblems(self, n_classes: int) -> int:
        """How many there are."""
        raise NotImplementedError

    def combine(
        self, outputs: NDArray[np.float64], n_classes: int
    ) -> NDArray[np.float64]:
        """Scores of shape (n, K) from outputs of shape (n, n_subproblems)."""
        raise NotImplementedError

    def path_subproblems(
        self, rows: RowCosts, softness: Sequence[float]
    ) -> Iterator[Subproblem]:
        """Every subproblem at all softness values: arrays of shape (n_softness, n)."""
        problems = [rows.problem(value) for value in softness]
        if not self.by_example:
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
        by_class = self.by_example and problem.matrix is not None
        if by_class and isinstance(learner, FitsKinds):  # rows of a class are alike
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

    def _decide(self, X: Any) -> NDArray[np.float64]:
        return self.combine(self.solutions_.outputs(X), len(self.classes_))

"""The one door of all reductions: checks, classes, prices, scores."""

from collections.abc import Iterator
from numbers import Integral
from typing import ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
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

from softcost.costs import check_softness, class_indices, raw_cost_vectors
from softcost.reductions._task import Prices, Task, read_prices
from softcost.reductions.learners import Subproblem, fit_many, shares_work


class Reduction(ClassifierMixin, BaseEstimator):
    """A cost-sensitive classifier made of other learners.

    The public ``fit`` checks everything and hands a `Task` to ``_fit``; ``_decide``
    gives one score per class, the larger the better.
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
        learner=None,
        *,
        cost_matrix=None,
        classes=None,
        softness=0.0,
        error_weight=None,
        n_jobs=None,
        random_state=None,
    ):
        self.learner = learner
        self.cost_matrix = cost_matrix
        self.classes = classes
        self.softness = softness
        self.error_weight = error_weight
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _default_learner(self):
        raise NotImplementedError

    def _learner(self):
        return self._default_learner() if self.learner is None else self.learner

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        learner = self._learner()
        if hasattr(learner, "__sklearn_tags__"):
            inner = learner.__sklearn_tags__().input_tags
            tags.input_tags.sparse = inner.sparse
            tags.input_tags.allow_nan = inner.allow_nan
            tags.input_tags.pairwise = inner.pairwise
        return tags

    def _check_X(self, X, *, reset):
        """Numbers for the kernel machines; other learners check for themselves."""
        if shares_work(self._learner()):
            return validate_data(self, X, reset=reset, **self._learner()._accepts())
        if getattr(X, "ndim", 0) == 2 or hasattr(X, "columns"):
            validate_data(self, X, reset=reset, skip_check_array=True)
            return X.tocsr() if sparse.issparse(X) else X  # rows are picked from it
        return validate_data(self, X, reset=reset, dtype=None, ensure_all_finite=False)

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y, *, costs=None, sample_weight=None):
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
        X, prices = self._enter(X, y, costs, sample_weight)
        self.classes_ = prices.classes
        self.cost_scale_ = prices.scale
        self._example_costs = costs is not None
        task = prices.task(check_softness(self.softness))
        if len(self.classes_) > 1:
            self._fit(X, task)
        return self

    def _enter(self, X, y, costs, sample_weight) -> tuple[object, Prices]:
        """Check what comes in through the door."""
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
        prices = read_prices(
            y if hasattr(y, "iloc") else labels,
            cost_matrix=self.cost_matrix,
            costs=costs,
            classes=self.classes,
            error_weight=self.error_weight,
            sample_weight=weight,
        )
        return X, prices

    def _rng(self):
        return (
            None if self.random_state is None else check_random_state(self.random_state)
        )

    def _fit(self, X, task: Task) -> None:
        raise NotImplementedError

    def _decide(self, X):
        raise NotImplementedError

    def _scores(self, X):
        """One score per class, shape (n, K), the larger the better."""
        check_is_fitted(self, "classes_")
        X = self._check_X(X, reset=False)
        if len(self.classes_) == 1:
            return np.zeros((_num_samples(X), 1))
        return self._decide(X)

    def decision_function(self, X):
        """One score per class, the larger the better; one column for two classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)

        Returns
        -------
        array of shape (n, K), or (n,) for K = 2: positive for the second class
        """
        scores = self._scores(X)
        if len(self.classes_) == 2:
            return scores[:, 1] - scores[:, 0]
        return scores

    def predict(self, X):
        """The class with the best score; the first of them where scores tie.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)

        Returns
        -------
        array of shape (n,)
        """
        best = self._scores(X).argmax(axis=1)
        return self.classes_[best]

    def score(self, X, y, *, costs=None, sample_weight=None):
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
        if costs is None and getattr(self, "_example_costs", False):
            raise ValueError(
                "costs is missing: the estimator was fitted with costs by example, so "
                "its score needs those of these examples; pass costs, or enable "
                "scikit-learn's metadata routing so that cross-validation does."
            )
        known = self.classes_ if self.classes is None else self.classes
        cost_matrix = self.cost_matrix if costs is None else None
        vectors = raw_cost_vectors(
            y, cost_matrix=cost_matrix, costs=costs, classes=known
        )
        chosen = class_indices(self.predict(X), known)
        paid = vectors[np.arange(len(chosen)), chosen]
        return -float(np.average(paid, weights=sample_weight))


class FlatReduction(Reduction):
    """A reduction whose subproblems do not need each other's answers.

    A subclass says which subproblems there are and how their outputs combine.
    """

    # Whether an example's part in each subproblem depends on its own costs only.
    by_example: ClassVar[bool] = True

    def _subproblems(self, task: Task) -> Iterator[Subproblem]:
        raise NotImplementedError

    def _n_subproblems(self, n_classes: int) -> int:
        raise NotImplementedError

    def _combine(self, outputs, n_classes: int):
        """Scores of shape (n, K) from outputs of shape (n, n_subproblems)."""
        raise NotImplementedError

    def _fit(self, X, task):
        subproblems = list(self._subproblems(task))
        self._bank = fit_many(self._learner(), X, subproblems, self.n_jobs, self._rng())

    def _decide(self, X):
        return self._combine(self._bank.outputs(X), len(self.classes_))

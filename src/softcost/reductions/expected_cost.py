"""Minimum expected cost: the Bayes decision from a classifier's probabilities."""

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import _safe_indexing
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import _num_samples, check_is_fitted

from softcost.costs import (
    CostProblem,
    RowCosts,
    all_answers,
    check_action_error,
    check_softness,
    class_costs,
    class_indices,
    costs_of_rows,
    error_costs,
    extra_actions,
    is_row_matrices,
    row_matrices,
    scaled_matrices,
    scaled_matrix,
    softened,
)
from softcost.costs.row_costs import same_costs
from softcost.learners import FitParams, draw_seeds
from softcost.learners.compact import PlainRows
from softcost.reductions.base import (
    ProbabilityReduction,
    class_probabilities,
    documented,
    fast_class_probabilities,
    fit_classes,
    is_prefitted,
)
from softcost.reductions.calibration import (
    METHODS,
    Calibration,
    class_scores,
    held_out_scores,
)


@documented
class MinimumExpectedCost(ProbabilityReduction):
    """The class of lowest expected cost; the most probable class at softness 1.

    With the probabilities p of a classifier,

        g(x) = argmin_k sum_y p(y | x) C[y, k]

    For two classes this is Elkan's threshold [1]_: predict 1 if p(1 | x) exceeds
    ``a / (a + b)``, with ``a = C[0, 1] - C[0, 0]`` and ``b = C[1, 0] - C[1, 1]``.

    Fitting does not use costs, so ``cost_matrix``, ``actions`` and ``softness`` may
    change afterwards: after ``model.set_params(cost_matrix=new)`` it predicts as if it
    had been fitted with the new costs. Pass costs that differ between rows to
    `predict`; after a fit with a cost matrix for every row, ``predict`` needs them. The
    decisions are as good as the calibration of the probabilities.

    Parameters
    ----------
    learner : classifier, default=None
        A classifier with ``predict_proba``, or any classifier with scores if
        ``calibration`` is set; by default logistic regression on standardised features.
        Wrap a fitted classifier in `sklearn.frozen.FrozenEstimator`.
    calibration : {"temperature", "isotonic", "sigmoid"}, default=None
        How to turn scores into probabilities: with one temperature for all classes, or
        with a curve for each class (see `sklearn.calibration.CalibratedClassifierCV`).
        It is fitted to the scores of five-fold cross-validation. With a frozen learner
        it is fitted to the scores of the rows passed to ``fit``, which should not be
        the learner's training rows.
    decide_by : {"row", "prior"}, default="row"
        The probabilities that decide: those of the row, or the class frequencies of the
        training rows, which give all rows the same answer at the same costs.
        `predict_proba` and `expected_costs` use those of the row in both cases.
    {common}

    Attributes
    ----------
    estimator_ : classifier
        Fitted to class indices.
    prior_ : array of shape (K,)
        Class frequencies of the training rows.
    cost_matrix_ : array of shape (K, A)
        The current costs by true class and answer, in the user's units. After a fit
        with costs by example it is their mean for each true class, since the costs of
        new examples are unknown; zero for a class without examples.
    {attributes}

    See Also
    --------
    MetaCost : Fits one classifier to labels of lowest expected cost.

    References
    ----------
    .. [1] Elkan (2001), "The foundations of cost-sensitive learning", IJCAI.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softcost import MinimumExpectedCost
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MinimumExpectedCost(cost_matrix=[[0, 1, 5], [1, 0, 5], [9, 9, 0]])
    >>> model.fit(X, y).predict(X[72:73])
    array([2])
    >>> model = model.set_params(cost_matrix=[[0, 1, 5], [1, 0, 50], [9, 9, 0]])
    >>> model.predict(X[72:73])
    array([1])
    """

    _parameter_constraints: ClassVar = {
        **ProbabilityReduction._parameter_constraints,
        "calibration": [StrOptions(set(METHODS)), None],
        "decide_by": [StrOptions({"row", "prior"})],
    }
    __metadata_request__predict: ClassVar = {"costs": True}

    softness_at_predict: ClassVar[bool] = True
    takes_fit_params: ClassVar[bool] = True
    prior_: Any
    estimator_: Any

    def __init__(
        self,
        learner: Any = None,
        *,
        calibration: str | None = None,
        decide_by: str = "row",
        cost_matrix: Any = None,
        classes: ArrayLike | None = None,
        actions: ArrayLike | None = None,
        softness: float = 0.0,
        error_weight: Any = None,
        action_error: Any = 1.0,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            learner,
            cost_matrix=cost_matrix,
            classes=classes,
            actions=actions,
            softness=softness,
            error_weight=error_weight,
            action_error=action_error,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.calibration = calibration
        self.decide_by = decide_by

    def _store_costs(self, rows: RowCosts) -> None:
        self._error_weight = rows.weight_of_errors
        self._mean_costs = self._mean_scaled = None
        self.__dict__.pop("_row_scale", None)  # of an earlier fit
        if rows.raw_matrices is not None:
            self._row_scale = rows.matrix_scale
        if rows.by_example:
            self._mean_scaled = rows.class_means(rows.costs)
            least = rows.class_means(rows.in_users_units.min(axis=1, keepdims=True))
            self._mean_costs = rows.scale * self._mean_scaled + least

    def _extra_now(self) -> NDArray[Any]:
        """Actions beyond the classes according to the current costs."""
        by_example = self.cost_matrix is None and self._mean_costs is not None
        if by_example or self._has_fitted_costs():
            return self._extra
        order = self.classes_
        return extra_actions(order, actions=self.actions, cost_matrix=self.cost_matrix)

    def _has_fitted_costs(self) -> bool:
        """Whether the costs are obviously those of the fit, which were checked."""
        return self.actions is None and same_costs(
            self.cost_matrix, self._raw_matrix, self.classes_, self.classes, self._extra
        )

    @property
    def actions_(self) -> NDArray[Any]:
        """All possible answers, shape (A,): the classes, then the actions."""
        return all_answers(self.classes_, self._extra_now())

    @property
    def cost_matrix_(self) -> NDArray[np.float64]:
        """Costs by true class and answer, shape (K, A), in the user's units."""
        if self.cost_matrix is None and self._mean_costs is not None:
            return self._mean_costs
        if self._raw_matrix is not None and self._has_fitted_costs():
            return self._raw_matrix.copy()
        return class_costs(
            self.cost_matrix,
            self.classes_,
            classes=self.classes,
            extra=self._extra_now(),
        )

    def _scaled_costs(
        self, raw_matrix: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        """Costs by class and answer, divided by the largest entry."""
        if raw_matrix is None:
            self._require_class_costs()
        if self.cost_matrix is None and self._mean_scaled is not None:
            return self._mean_scaled
        checked = self.cost_matrix_ if raw_matrix is None else raw_matrix
        return scaled_matrix(checked)[0]

    @property
    def calibration_(self) -> Calibration | None:
        """How scores become probabilities; None if the learner has probabilities."""
        return self._calibration

    @property
    def decides_by_row_costs(self) -> bool:
        """Whether `predict` needs ``costs``, the cost matrices of the rows."""
        return self.cost_matrix is None and hasattr(self, "_row_scale")

    def _require_class_costs(self) -> None:
        if self.decides_by_row_costs:
            raise ValueError(
                "costs is missing: the estimator was fitted with a cost matrix for "
                "every row, so it decides a row by the row's own matrix. Pass costs= "
                "of shape (n, K, A) to predict, expected_costs or score."
            )

    def _error_costs(self, extra: NDArray[Any]) -> NDArray[np.float64]:
        counted = check_action_error(self.action_error, extra)
        return error_costs(self._error_weight, counted)

    def _fit(
        self, X: Any, problem: CostProblem, params: FitParams | None = None
    ) -> None:
        learner, rng = self.working_learner(), self._rng()
        self._check_scores(learner, type(learner))
        self._columns: NDArray[np.intp] | None = None
        rows = np.flatnonzero(problem.weight > 0)
        y, weight = problem.y[rows], problem.weight[rows]
        frequency = np.bincount(y, weight, len(self.classes_))
        self.prior_ = frequency / frequency.sum()
        if is_prefitted(learner):  # to the user's labels, not to class indices
            self.estimator_ = learner
            labels = learner.classes_
            self._columns = class_indices(labels, self.classes_, argument="learner")
        else:
            (seed,) = draw_seeds(rng, 1)
            params = None if params is None else params.with_class_numbers(learner)
            self.estimator_ = fit_classes(learner, X, rows, y, weight, seed, params)
            self._check_scores(self.estimator_)
        self._calibration: Calibration | None = None
        if self.calibration is None or np.all(y == y[0]):
            return
        if is_prefitted(learner):
            scores = self._scores(learner, _safe_indexing(X, rows))
        else:
            scores = held_out_scores(
                *(learner, X, rows, y, weight, self._scores),
                n_jobs=self.n_jobs,
                rng=rng,
                fit_params=params,
            )
        self._calibration = Calibration.fitted(self.calibration, scores, y, weight)

    def _check_scores(self, learner: Any, kind: type | None = None) -> None:
        """Raise an error for a learner without probabilities or scores.

        Some learners have the method only after fitting; then their class, ``kind``,
        has it before.
        """
        if hasattr(learner, "predict_proba") or hasattr(kind, "predict_proba"):
            return
        scores = "decision_function"
        if not hasattr(learner, scores) and not hasattr(kind, scores):
            raise TypeError(
                f"learner {type(learner).__name__} has neither predict_proba nor "
                "decision_function, but MinimumExpectedCost needs probabilities. "
                "Choose another learner, or a reduction that needs labels only, such "
                "as CostSensitiveOneVsOne(learner)."
            )
        if self.calibration is None:
            raise TypeError(
                f"learner {type(learner).__name__} has no predict_proba, which "
                "MinimumExpectedCost needs. Pass calibration='sigmoid', which turns "
                "its scores into probabilities, or choose another learner."
            )

    def _scores(self, model: Any, X: Any) -> NDArray[np.float64]:
        """The input of the calibration."""
        return class_scores(
            model,
            X,
            len(self.classes_),
            logarithms=self.calibration == "temperature",
            columns=self._columns,
        )

    def _probabilities(self, X: Any, *, fast: bool = True) -> NDArray[np.float64]:
        """Probabilities; not ``fast`` for a model of a fold, which predicts once."""
        if self._calibration is not None:
            return self._calibration.probabilities(self._scores(self.estimator_, X))
        model, n_classes = self.estimator_, len(self.classes_)
        if not fast or self._columns is not None:
            return class_probabilities(model, X, n_classes, self._columns)
        return fast_class_probabilities(model, X, n_classes, PlainRows.of(X))

    def _deciding(self, X: Any, *, fast: bool = True) -> NDArray[np.float64]:
        """The probabilities that decide, of rows that have been checked."""
        if self.decide_by == "prior":
            return np.tile(self.prior_, (_num_samples(X), 1))
        return self._probabilities(X, fast=fast)

    def _decide(self, X: Any) -> NDArray[np.float64]:
        """The negative expected softened cost."""
        checked = self._raw_matrix if self._has_fitted_costs() else None
        (soft,) = self.soft_matrices([self.softness], raw_matrix=checked)
        return -expected_costs(self._deciding(X), soft)

    def predict(self, X: Any, *, costs: Any = None) -> NDArray[Any]:
        """The answer of lowest expected cost; the first one in a tie.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Rows to predict.
        costs : array-like of shape (n, K, A) or callable, default=None
            Costs by example: ``costs[n]`` is the cost matrix of row n, in the order of
            ``classes`` and then of ``actions``. A function is called as
            ``costs(X, None)``. Row n is decided as if ``cost_matrix``
            were this matrix. Required after a fit with such costs; softness then mixes
            them with errors in the unit of the training costs, so rows with high costs
            follow their costs longer.

        Returns
        -------
        array of shape (n,)
        """
        if costs is None:
            return super().predict(X)
        costs, X = costs_of_rows(costs, X), self._check_rows(X)
        if len(self.classes_) == 1:
            probabilities = np.ones((_num_samples(X), 1))
        else:
            probabilities = self._deciding(X)
        return self._answers_at(probabilities, costs)

    def _answers_at(
        self, probabilities: NDArray[np.float64], costs: Any
    ) -> NDArray[Any]:
        """The answers of lowest expected cost at the costs of the rows."""
        raw = self._row_matrices(costs, len(probabilities))
        decision = self.soft_decision([self.softness], by_row=True)
        return self.actions_[decision.answers(probabilities, raw)[0]]

    def predict_and_price(
        self, X: Any, *, costs: Any = None
    ) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """`predict` and `expected_costs`, from the same probabilities.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Rows to predict.
        costs : array-like of shape (n, K, A), default=None
            Costs by example, as in `predict`.

        Returns
        -------
        labels : array of shape (n,)
        expected_costs : array of shape (n, A)
            In the order of ``actions_``.
        """
        check_is_fitted(self, "classes_")
        costs = costs_of_rows(costs, X)
        if len(self.classes_) == 1 or self.decide_by == "prior":
            return self.predict(X, costs=costs), self.expected_costs(X, costs=costs)
        probabilities = self._probabilities(self._check_rows(X))
        if costs is None:
            (soft,) = self.soft_matrices([self.softness])
            scores = -expected_costs(probabilities, soft)
            self._require(bool((scores.max(axis=1) < np.inf).all()))
            labels = self.actions_[scores.argmax(axis=1)]
        else:
            labels = self._answers_at(probabilities, costs)
        return labels, self._price(probabilities, costs)

    def _predicted_at(self, X: Any, costs: Any) -> NDArray[Any]:
        return self.predict(X, costs=costs if is_row_matrices(costs) else None)

    def decide_each(
        self,
        X: Any,
        softness: Sequence[float],
        *,
        raw_matrix: NDArray[np.float64] | None = None,
        raw_matrices: NDArray[np.float64] | None = None,
    ) -> NDArray[np.intp]:
        """Indices of the predicted answers at each softness.

        The probabilities are computed once.

        Parameters
        ----------
        X : rows
            From `check_data`.
        softness : sequence of float
            Values of softness.
        raw_matrix : array of shape (K, A), default=None
            ``cost_matrix_``, if it has been checked already, as in `soft_matrices`.
        raw_matrices : array of shape (n, K, A), default=None
            The cost matrices of the rows, from `row_matrices`.

        Returns
        -------
        array of shape (n_softness, n)
            Indices into ``actions_``.
        """
        if len(self.classes_) == 1:
            return np.zeros((len(softness), _num_samples(X)), np.intp)
        decision = self.soft_decision(
            softness, raw_matrix=raw_matrix, by_row=raw_matrices is not None
        )
        return decision.answers(self._deciding(X, fast=False), raw_matrices)

    def checked_probabilities(self, X: Any) -> NDArray[np.float64]:
        """`predict_proba` of rows that have been checked.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            From `check_data`.

        Returns
        -------
        array of shape (n, K)
            In the order of ``classes_``.
        """
        return self._probabilities(X, fast=False)

    def soft_decision(
        self,
        softness: Sequence[float],
        *,
        raw_matrix: NDArray[np.float64] | None = None,
        by_row: bool = False,
    ) -> "SoftDecision":
        """How probabilities become answers, at each softness.

        Parameters
        ----------
        softness : sequence of float
            Values between 0 and 1.
        raw_matrix : array of shape (K, A), default=None
            As in `soft_matrices`.
        by_row : bool, default=False
            Whether every row has its own cost matrix.

        Returns
        -------
        SoftDecision
        """
        if not by_row:
            matrices = self.soft_matrices(softness, raw_matrix=raw_matrix)
            return SoftDecision(tuple(softness), matrices)
        checked = tuple(check_softness(value) for value in softness)
        scale = getattr(self, "_row_scale", None)
        errors = self._error_costs(self._extra_now())
        return SoftDecision(checked, None, errors, scale)

    def soft_matrices(
        self,
        softness: Sequence[float],
        *,
        raw_matrix: NDArray[np.float64] | None = None,
    ) -> NDArray[np.float64]:
        """Softened cost matrices, one for each softness.

        Parameters
        ----------
        softness : sequence of float
            Values between 0 and 1.
        raw_matrix : array of shape (K, A), default=None
            ``cost_matrix_``, if it has been checked already: `RowCosts.raw_matrix` of
            the rows that this estimator was fitted to. By default it is checked again.

        Returns
        -------
        array of shape (n_softness, K, A)
            One softened cost matrix for each value.
        """
        extra = self._extra_now() if raw_matrix is None else self._extra
        costs, errors = self._scaled_costs(raw_matrix), self._error_costs(extra)
        return np.array(
            [softened(costs, errors, check_softness(value)) for value in softness]
        )

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of the classes; they do not depend on costs.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Rows to predict.

        Returns
        -------
        array of shape (n, K)
            In the order of ``classes_``.
        """
        X = self._check_rows(X)
        if len(self.classes_) == 1:
            return np.ones((_num_samples(X), 1))
        return self._probabilities(X)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Logarithms of `predict_proba`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Rows to predict.

        Returns
        -------
        array of shape (n, K)
            In the order of ``classes_``; minus infinity for a probability of zero.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def expected_costs(self, X: Any, *, costs: Any = None) -> NDArray[np.float64]:
        """Expected cost of each answer, in the user's units.

        Softness has no effect here.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Rows to predict.
        costs : array-like of shape (n, K, A) or callable, default=None
            Costs by example, as in `predict`; required after a fit with such costs.

        Returns
        -------
        array of shape (n, A)
            ``sum_y p(y | x) C[y, k]``, in the order of ``actions_``.
        """
        return self._price(self.predict_proba(X), costs_of_rows(costs, X))

    def _price(
        self, probabilities: NDArray[np.float64], costs: Any
    ) -> NDArray[np.float64]:
        """Expected costs in the user's units."""
        if costs is None:
            self._require_class_costs()
            return expected_costs(probabilities, self.cost_matrix_)
        matrices = self._row_matrices(costs, len(probabilities))
        return expected_costs(probabilities, matrices)

    def _row_matrices(self, costs: Any, n: int) -> NDArray[np.float64]:
        extra = self._extra_now()
        return row_matrices(costs, self.classes_, n, classes=self.classes, extra=extra)


_IN_CACHE = 2**14  # expected costs that are summed at once
# Entries of row matrices that are decided at once: bounds the memory of temporary
# arrays to a few megabytes.
_BLOCK = 2**18


class SoftDecision(NamedTuple):
    """Decide by probabilities and softened costs, at several values of softness.

    Attributes
    ----------
    softness : tuple of float
        The values.
    matrices : array of shape (n_softness, K, A) or None
        Softened costs by class; None if every row has its own cost matrix.
    errors : array of shape (K, A) or None
        With row matrices: the (weighted) 0/1 costs.
    scale : float or None
        With row matrices: their divisor; None for the largest entry of each.
    """

    softness: tuple[float, ...]
    matrices: NDArray[np.float64] | None
    errors: NDArray[np.float64] | None = None
    scale: float | None = None

    def answers(
        self,
        probabilities: NDArray[np.float64],
        raw_matrices: NDArray[np.float64] | None = None,
    ) -> NDArray[np.intp]:
        """Indices of the answers of lowest expected softened cost.

        Parameters
        ----------
        probabilities : array of shape (n, K)
            ``p(y | x)`` of the classes.
        raw_matrices : array of shape (n, K, A) or None
            The cost matrices of the rows; None if ``matrices`` decide.

        Returns
        -------
        array of shape (n_softness, n)
            The first answer in a tie.
        """
        if self.matrices is not None:
            return cheapest_answers(probabilities, self.matrices)
        assert raw_matrices is not None
        assert self.errors is not None
        n_rows, n_classes, n_answers = raw_matrices.shape
        chosen = np.empty((len(self.softness), n_rows), np.intp)
        size = max(1, _BLOCK // (n_classes * n_answers))
        for start in range(0, n_rows, size):
            block = slice(start, start + size)
            share, raw = probabilities[block], raw_matrices[block]
            if self.scale is None:
                scaled = scaled_matrices(raw)
            else:
                scaled = (raw - raw.min(axis=2, keepdims=True)) / self.scale
            # The expectation is linear, so it is softened instead of the matrices.
            cost = expected_costs(share, scaled)
            error = expected_costs(share, self.errors)
            for number, value in enumerate(self.softness):
                chosen[number, block] = softened(cost, error, value).argmin(axis=1)
        return chosen


def cheapest_answers(
    probabilities: NDArray[np.float64], matrices: NDArray[np.float64]
) -> NDArray[np.intp]:
    """Indices of the answers of lowest expected cost, for each of several matrices.

    Parameters
    ----------
    probabilities : array of shape (n, K)
        ``p(y | x)`` of the classes.
    matrices : array of shape (m, K, A)
        Cost matrices, such as those of several values of softness.

    Returns
    -------
    array of shape (m, n)
        Columns of the matrices; the first one in a tie.

    See Also
    --------
    MinimumExpectedCost : Decides by probabilities.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.reductions import cheapest_answers
    >>> cheapest_answers(np.array([[0.8, 0.2]]), np.array([[[0, 1], [9, 0]]])).tolist()
    [[1]]
    """
    return np.array(
        [(-expected_costs(probabilities, matrix)).argmax(axis=1) for matrix in matrices]
    )


def expected_costs(
    probabilities: NDArray[np.float64], matrix: NDArray[np.float64]
) -> NDArray[np.float64]:
    """``sum_y p(y | x) C[y, k]``, shape (n, A), with one matrix or one per row.

    Examples
    --------
    >>> expected_costs(np.array([[0.25, 0.75]]), np.array([[0.0, 4.0], [8.0, 0.0]]))
    array([[6., 1.]])
    """
    # Class by class: a matrix product would round a row differently in another batch.
    out = np.zeros((len(probabilities), matrix.shape[-1]))
    size = max(1, _IN_CACHE // max(matrix.shape[-1], 1))
    for start in range(0, len(out), size):
        rows = slice(start, start + size)
        share, costs = probabilities[rows], matrix
        if matrix.ndim == 3:
            costs = matrix[rows].swapaxes(0, 1)
        for y in range(probabilities.shape[1]):
            out[rows] += share[:, y : y + 1] * costs[y]
    return out

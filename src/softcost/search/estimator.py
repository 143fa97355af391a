"""Choose softness and the learner's parameters by cross-validation.

The estimator holds the state of a search and assigns all of its fitted attributes.
Preparing, cross-validating, measuring, choosing and refitting are functions of the
modules of those names.
"""

import logging
from collections.abc import Callable, Iterable
from numbers import Integral, Real
from pathlib import Path
from time import perf_counter
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metadata_routing import MetadataRouter
from sklearn.utils.validation import _num_samples, check_is_fitted

from softcost._sklearn_types import (
    BaseComposition,
    ClassifierMixin,
    available,
    fit_context,
)
from softcost.costs import costs_changed, costs_of_rows, row_matrices
from softcost.learners.fit_params import add_to_router
from softcost.metrics import Saving, paired_saving
from softcost.parallel import kept_on_workers
from softcost.reductions import Reduction
from softcost.search.auto import BLEND
from softcost.search.counts import Evidence
from softcost.search.criteria import make_rule
from softcost.search.cross_val import (
    CrossValidation,
    held_out_predictions,
    holdout_confusion,
)
from softcost.search.mixture import RandomizedPair, best_mix, predict_at
from softcost.search.optimism import Optimism, bootstrap_optimism, rule_on_tables
from softcost.search.preference import (
    PairedCosts,
    PreferBlend,
    constant_on_blend,
    not_chosen,
    prefers_blend,
    selection_penalties,
)
from softcost.search.prepare import are_named, given_families, is_auto, prepare
from softcost.search.problem import JointProblem
from softcost.search.progress import CallbackSupportMixin, estimate_listener
from softcost.search.refit import (
    decide_among,
    fit_candidates,
    rows_to_keep,
)
from softcost.search.rules import LeastCost, Rule, decide, reference_rows
from softcost.search.sensitivity import (
    PricedChoice,
    Sensitivity,
    bootstrap_differences,
    box_regret,
    price_intervals,
    scenario_regret,
)
from softcost.search.table import (
    HeldOutRows,
    constant_answer,
    constant_predictions,
    measure,
    realised_costs,
    scikit_learn_results,
    search_evidence,
    tradeoff_table,
)
from softcost.search.time_limit import Deadline, raced_predictions, tell_estimate
from softcost.tables import TableEncoder

_log = logging.getLogger("softcost.search")

# Fitted attributes that only some fits set. A new fit removes those of an earlier one.
_OPTIONAL = (
    "best_estimator_", "refit_time_", "mix_", "portfolio_", "feature_names_in_",
    "holdout_confusion_", "realised_cost_", "skipped_", "candidates_",
    "selection_penalty_", "encoder_",
)  # fmt: skip

# Training data and what refers to them: left out of copies, unless ``keep_data``.
_TRAINING_STATE = ("_problem", "_predicted", "_error_weight", "_chosen_by")


def _is_refitted(search: "SoftCostClassifierCV") -> bool:
    """Whether the search has, or will have, a model to predict with."""
    if hasattr(search, "best_estimator_") or search.refit:
        return True
    raise AttributeError(
        "the search was made with refit=False: set refit=True to predict."
    )


def _has_method(name: str) -> Callable[["SoftCostClassifierCV"], bool]:
    """Whether the chosen candidate, or before a fit every reduction, has a method."""

    def check(search: "SoftCostClassifierCV") -> bool:
        chosen = getattr(search, "best_estimator_", None)
        models = search.given_reductions() if chosen is None else [chosen]
        has_it = bool(models) and all(hasattr(model, name) for model in models)
        return _is_refitted(search) and has_it

    return check


class SoftCostClassifierCV(CallbackSupportMixin, ClassifierMixin, BaseComposition):
    """Cost-and-error sensitive classification, chosen by cross-validation.

    Measures cost and error of reductions on held-out folds, for every softness a and
    every setting of the learner, and refits the candidate that a criterion chooses.
    Softened costs are ``(1 - a) c + a * naive``; hard (a = 0) and regular (a = 1)
    algorithms are among the candidates. For reductions that train on costs, softness is
    a regulariser. `MinimumExpectedCost`, and so the blend of "auto", uses it only to
    decide: there it trades cost for fewer errors on one fitted model, and softness 0 is
    cheapest if the probabilities are right.

    Learners with a path (`softcost.learners.SupportsPath`), such as the kernel machines
    of this package, solve all candidates together: the candidates share one Gram matrix
    and start from each other's solutions. Any other learner is cloned and fitted. The
    results are the same.

    Parameters
    ----------
    reduction : Reduction, list of (name, Reduction) or "auto", default=None
        By default, or with "auto", families that suit the table, see ``portfolio_``.
        All criteria prefer a blend of their probabilities: another family must be
        clearly cheaper, see ``selection_penalty_`` and `not_chosen`. The algorithm of
        the paper is ``OneSidedRegression()``. Pass a list of named reductions to
        compare families of your own on the same folds, in one table. Kernel machines do
        not scale features: scale them first.
    cost_matrix : array, table or dict of shape (K, K), default=None
        ``cost_matrix[true, predicted]``; by default the reduction's.
    classes : array of shape (K,), default=None
        All classes, if the training set may lack some.
    softness : int, float or array of values from 0 to 1, default=11
        Candidate values; an int above 1 is their number, evenly spaced from 0 to 1.
    param_grid : dict, list of dicts or "inverse", default=None
        Candidate values of parameters, as in `sklearn.model_selection.GridSearchCV`: of
        the learner, for instance ``{"C": [1, 10]}`` or ``{"learner__C": [1, 10]}``, and
        of the reduction, such as ``order`` of `FilterTree`. By default C in 2^-2, 2^1,
        2^4, 2^7, 2^10 for the kernel machines and short grids for common learners;
        "inverse" is 2^-10, 2^-7, ..., 2^2. With several families, a dict by family;
        families that it leaves out have their default grid.
    criterion : str, Rule or callable, default="cost"
        How the candidate is chosen:

        - "cost" or ``LeastCost()``: the least cost;
        - "max" or ``MaxOfBoth()``: the least ``max(error, normalised cost)``;
        - "constrained" or ``Budget(error=0.05)``: the least cost with an error of at
          most ``max_error``; a `Budget` may limit other measures, and with a
          ``confidence`` its limits are tested;
        - "tolerance" or ``Tolerance(cost=0.1)``: the least error among costs within
          ``tolerance`` of the least;
        - a function of ``tradeoff_`` that returns a row number, or one value per row,
          of which the least is best.

        Ties go to the largest softness, then to the smallest C. With ``error_weight``
        the error is the weighted one.
    max_error : float, default=None
        For "constrained", the largest cross-validated error. If no candidate is within
        it, the candidate with the least error is chosen, with a warning.
    tolerance : float or "1se", default=None
        For "tolerance": a fraction of the least cost, or its standard error.
    error_weight : None, "balanced" or dict, default=None
        Weight of an error by true class.
    actions, action_error : default=None
        As in the reductions: answers beyond the classes, and how much each counts as an
        error; by default the reduction's.
    categorical_features : mask, column numbers or names, default=None
        With "auto", columns of an array X that hold category codes, whole numbers from
        0; for a data frame, names of columns to treat as categories whatever they look
        like. Other columns of a data frame need no declaration.
    cv : int, splitter or iterable of (train, test), default=None
        An int asks for stratified folds, shuffled if ``random_state`` is set; a fold
        may lack a class. None uses 5 folds, and 3 above 50,000 rows. Above 50,000 rows
        "auto" evaluates candidates on 3 stratified samples instead, each of 30,000
        training and 20,000 held-out rows, and refits the chosen candidate on all rows;
        the test of a ``Budget`` with a confidence always uses folds.
    holdout : float, row numbers or mask, default=None
        Rows that are held out for the test of a ``Budget`` with a confidence: a share,
        drawn at random, or the rows. They take no part in training, nor in the refit.
    time_limit : float, default=None
        Seconds for the whole fit, including the refit. Families run in the given order,
        those of "auto" the fastest first, and each runs one setting before any runs a
        second. The choice is among the finished settings and, with "auto", their blend;
        ``skipped_`` lists the others. One setting always finishes.
    error_score : "raise" or nan, default="raise"
        Whether an error in a candidate's fit ends the search. With nan, the other
        settings finish, ``skipped_`` lists the failed ones, and a warning names the
        first error. Settings then run one after the other, as within a ``time_limit``.
        In both cases an interrupt (Ctrl-C) leaves the finished candidates in
        ``cv_results_``, and `choose` refits one of them.
    refit : bool, default=True
        Whether to fit the chosen candidate to all rows.
    keep_data : bool, default=False
        Whether copies and pickles of the search keep the training data, so that they
        can `choose`, `mix` and refit a `candidate`. Saved models never do.
    n_jobs : int, default=None
        Threads for learners with a path, joblib workers for others and under any joblib
        backend with workers of its own. Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seeds folds, learners and everything else that is random.
    verbose : int, default=0
        Prints progress to standard error. For many rows, first estimates the time from
        samples. Whatever its value, the logger ``softcost.search`` reports size and
        choice of the search at level INFO, and skipped settings as warnings.

    Attributes
    ----------
    best_softness_ : float
        Softness of the chosen candidate.
    best_params_ : dict
        Softness and parameters of the chosen candidate, as in
        ``cv_results_["params"]``.
    best_index_ : int
        Row of the chosen candidate.
    best_score_ : float
        Minus its cost, averaged over the folds.
    best_estimator_ : Reduction
        The chosen candidate, fitted to all rows. Only set if ``refit``.
    tradeoff_ : DataFrame
        One row per candidate: ``family`` (if there are several), softness, the
        learner's parameters, ``cost``, ``error``, ``weighted_error``, ``g_mean`` and
        ``normalized_cost`` with their standard errors (``_se``), and ``on_front``; with
        actions also ``coverage`` and ``error_answered``. Costs are in the user's units;
        means are over all held-out predictions.
    cv_results_ : dict
        In scikit-learn's form: ``params``, ``split0_test_score`` and so on (minus the
        mean cost of a fold), their mean, standard deviation and rank, fit times of
        candidates that were fitted one by one, and the columns of ``tradeoff_``.
    n_splits_ : int
        Number of folds.
    refit_time_ : float
        Seconds that the refit took.
    scorer_ : callable
        Scores candidates by minus the mean cost.
    confusion_ : array of shape (n_candidates, n_folds, K, A)
        Held-out weight by true class and answer.
    realised_cost_ : array of shape (n_candidates, K, A)
        Total cost of the held-out answers by true class and answer. Only set with costs
        by example.
    holdout_confusion_ : array of shape (n_candidates, K, A)
        Weight of the ``holdout`` rows by true class and answer, predicted by candidates
        that were fitted to all other rows.
    guarantee_ : dict or None
        How the limits of a `Budget` are met, see `softcost.search.Decision`.
    encoder_ : TableEncoder
        Turns a raw table into the features of the families. Only set with "auto", if X
        is a data frame or has cells of text.
    constant_ : dict
        The best constant answer, its ``label`` and cross-validated measures: a
        baseline.
    portfolio_ : DataFrame
        ``family``, whether it was ``used``, and ``why``. Only set with "auto".
    selection_penalty_ : array of shape (n_candidates,)
        Added to each candidate's cross-validated cost before candidates are compared.
        Zero for the blend at the lowest softness; slightly more than one standard error
        of the difference for the blend at other softness values and the constant
        answer, and three for any other family. Only set with "auto".
    skipped_ : DataFrame
        ``family`` (None if there is only one), ``params`` and ``why`` of settings that
        did not finish. Only set with a ``time_limit`` or ``error_score=nan``.
    mix_ : RandomizedPair
        After `mix`.
    candidates_ : dict of row number and Reduction
        Fitted candidates, after `keep_candidates`.
    classes_, actions_ : arrays of shape (K,) and (A,)
        Sorted labels; these and the actions.
    cost_matrix_ : array of shape (K, A)
        Costs by true class and answer, in the order of ``actions_``; with costs by
        example, their means.
    error_measure_ : {"error", "weighted_error"}
        The error that counts: the weighted one if ``error_weight`` is set, here or in
        the reduction.
    costs_by_example_ : bool
        Whether the search was fitted with costs by example.
    costs_by_row_ : bool
        Whether it was fitted with a cost matrix for every row, so that `predict` needs
        the matrices of its rows.
    n_samples_ : int
        Number of training rows.
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)

    See Also
    --------
    softcost.reductions.BlendedClassifier : What is preferred by default.
    softcost.search.Budget : The least cost within an error budget.
    softcost.report.TradeoffDisplay : Draws the trade-off.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softcost import OneSidedRegression, SoftCostClassifierCV
    >>> X, y = load_iris(return_X_y=True)
    >>> prices = [[0, 1, 5], [1, 0, 5], [9, 9, 0]]
    >>> search = SoftCostClassifierCV(cost_matrix=prices, random_state=0)
    >>> search.fit(X, y).predict(X[:3])
    array([0, 0, 0])
    >>> search = SoftCostClassifierCV(OneSidedRegression(), cost_matrix=prices)
    >>> len(search.fit(X, y).tradeoff_)  # 5 values of C, 11 of softness
    55
    """

    _parameter_constraints: ClassVar = {
        "reduction": "no_validation",
        "cost_matrix": "no_validation",
        "classes": "no_validation",
        "softness": "no_validation",  # softness_values checks it
        "param_grid": [dict, list, str, None],
        "criterion": [str, callable, Rule],
        "max_error": "no_validation",
        "tolerance": "no_validation",
        "error_weight": "no_validation",
        "actions": "no_validation",
        "action_error": "no_validation",
        "categorical_features": ["array-like", None],
        "cv": ["cv_object"],
        "holdout": "no_validation",
        "time_limit": [Interval(Real, 0, None, closed="neither"), None],
        "error_score": [StrOptions({"raise"}), Real],
        "refit": ["boolean"],
        "keep_data": ["boolean"],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }
    candidates_: dict[int, Reduction]

    __metadata_request__fit: ClassVar = {
        "costs": True,
        "sample_weight": True,
        "groups": True,
    }
    __metadata_request__predict: ClassVar = {"costs": True}
    __metadata_request__score: ClassVar = {"costs": True, "sample_weight": True}
    encoder_: TableEncoder
    classes_: NDArray[Any]
    actions_: NDArray[Any]
    n_samples_: int
    n_splits_: int
    costs_by_example_: bool
    costs_by_row_: bool
    cost_matrix_: NDArray[np.float64]
    confusion_: NDArray[np.float64]
    cv_results_: dict[str, Any]
    constant_: dict[str, Any]
    realised_cost_: NDArray[np.float64]
    selection_penalty_: NDArray[np.float64]
    skipped_: pd.DataFrame
    best_index_: int
    guarantee_: dict[str, Any] | None
    best_params_: dict[str, Any]
    best_softness_: float
    best_score_: float
    best_estimator_: Any  # a Reduction; some have probabilities
    refit_time_: float
    mix_: RandomizedPair

    def __init__(
        self,
        reduction: Any = None,
        *,
        cost_matrix: Any = None,
        classes: ArrayLike | None = None,
        actions: ArrayLike | None = None,
        softness: int | ArrayLike = 11,
        param_grid: Any = None,
        criterion: Any = "cost",
        max_error: float | None = None,
        tolerance: float | str | None = None,
        error_weight: Any = None,
        action_error: Any = None,
        categorical_features: ArrayLike | None = None,
        cv: Any = None,
        holdout: Any = None,
        time_limit: float | None = None,
        error_score: float | str = "raise",
        refit: bool = True,
        keep_data: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.reduction = reduction
        self.cost_matrix = cost_matrix
        self.classes = classes
        self.actions = actions
        self.softness = softness
        self.param_grid = param_grid
        self.criterion = criterion
        self.max_error = max_error
        self.tolerance = tolerance
        self.error_weight = error_weight
        self.action_error = action_error
        self.categorical_features = categorical_features
        self.cv = cv
        self.holdout = holdout
        self.time_limit = time_limit
        self.error_score = error_score
        self.refit = refit
        self.keep_data = keep_data
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inputs = [
            reduction.__sklearn_tags__().input_tags
            for reduction in self.given_reductions()
        ]
        tags.input_tags.sparse = all(family.sparse for family in inputs)
        tags.input_tags.allow_nan = all(family.allow_nan for family in inputs)
        tags.input_tags.pairwise = any(family.pairwise for family in inputs)
        return tags

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters; those of families by ``family__parameter``.

        Parameters
        ----------
        deep : bool, default=True
            Whether to include those of the reduction and its learner.

        Returns
        -------
        dict
            By name.
        """
        return self._get_params("reduction", deep=deep)

    def set_params(self, **params: Any) -> Self:
        """Set parameters; a family by its name, its parameters by ``family__name``.

        Parameters
        ----------
        **params : dict
            By name; nested ones as in scikit-learn.

        Returns
        -------
        self
            The search.
        """
        self._set_params("reduction", **params)
        return self

    def given_reductions(self) -> list[Reduction]:
        """The reductions of the ``reduction`` parameter; none with "auto".

        Returns
        -------
        list of Reduction
            One for each family.
        """
        if is_auto(self.reduction):
            return []
        if are_named(self.reduction):
            return [pair[-1] for pair in self.reduction]
        return list(given_families(self.reduction).values())

    def get_metadata_routing(self) -> Any:
        """Routing of metadata: costs, weights and groups here, others to learners.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRouter
            With the requests of all reductions.
        """
        router = MetadataRouter(owner=type(self).__name__).add_self_request(self)
        families = enumerate(self.given_reductions())
        return add_to_router(
            router, **{f"reduction{number}": family for number, family in families}
        )

    @fit_context(prefer_skip_nested_validation=False)
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        costs: Any = None,
        groups: ArrayLike | None = None,
        **fit_params: Any,
    ) -> Self:
        """Search, choose and refit.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Training rows; anything that the learner supports.
        y : array-like of shape (n,)
            True labels.
        sample_weight : array-like of shape (n,), default=None
            Weight of each row, by default 1.
        costs : array-like or table of shape (n, A), or callable, default=None
            Costs by example: the cost of each answer, given the row's true class. A
            function is called once, as ``costs(X, y)``.
            Pass an array of shape (n, K, A), ``costs[n, true, predicted]``, if the
            whole cost matrix of a row is also known when it is predicted, for instance
            because it depends on an amount. Families with probabilities then decide
            every held-out row by its own matrix, and `predict` needs ``costs``. Costs
            are split with the rows: no metadata routing is needed.
        groups : array-like of shape (n,), default=None
            For splitters that keep groups together.
        **fit_params : dict
            Further arguments of the learner's ``fit``, see `Reduction.fit`.

        Returns
        -------
        self
        """
        rule = make_rule(
            self.criterion, max_error=self.max_error, tolerance=self.tolerance
        )
        deadline = None if self.time_limit is None else Deadline(self.time_limit)
        problem, portfolio = prepare(
            self, X, y, costs, sample_weight, groups, fit_params
        )
        _log.info(
            "cross-validating %d candidates on %d folds of %d rows",
            len(problem.candidates),
            len(problem.folds),
            len(problem.rows.y),
        )
        with kept_on_workers():  # the refit uses the same shared data
            result = self._cross_validated(problem, deadline)
            problem, predictions = result.problem, result.predictions
            rows = problem.rows
            held_out = measure(problem, predictions.numbers)
            table = tradeoff_table(held_out, problem.candidates)
            tested = None if problem.holdout is None else holdout_confusion(problem)

            for name in _OPTIONAL:
                self.__dict__.pop(name, None)
            for name, value in problem.columns.items():
                setattr(self, name, value)
            if problem.encoder is not None:
                self.encoder_ = problem.encoder
            self.classes_, self.actions_ = rows.classes, rows.actions
            self.n_samples_, self.n_splits_ = len(rows.y), len(problem.folds)
            self.costs_by_example_ = rows.by_example
            self.costs_by_row_ = rows.raw_matrices is not None
            self.cost_matrix_ = (
                rows.class_means(rows.in_users_units)
                if rows.raw_matrix is None
                else rows.raw_matrix
            )
            self.error_measure_ = (
                "weighted_error" if problem.weights_errors else "error"
            )
            self.confusion_ = held_out.confusion
            self.tradeoff_ = table
            self.cv_results_ = scikit_learn_results(
                table, problem.candidates, held_out, predictions.times
            )
            self.constant_ = constant_answer(rows, problem.folds, held_out.error_weight)
            if rows.by_example:
                self.realised_cost_ = realised_costs(problem, predictions.numbers)
            if problem.blend is not None:
                self.selection_penalty_ = selection_penalties(
                    PairedCosts.of(problem, predictions.numbers), table
                )
            if tested is not None:
                self.holdout_confusion_ = tested
            if portfolio is not None:
                self.portfolio_ = portfolio
            if result.skipped is not None:
                self.skipped_ = result.skipped
                for setting in self.skipped_.itertuples():
                    _log.warning(
                        "skipped %s %s: %s", setting.family, setting.params, setting.why
                    )
            self._problem = constant_on_blend(problem.quiet())
            self._predicted = predictions.numbers
            self._error_weight = held_out.error_weight
            if result.interrupted:
                raise KeyboardInterrupt
            return self._choose(rule)

    def _cross_validated(
        self, problem: JointProblem, deadline: Deadline | None
    ) -> CrossValidation:
        skips_errors = self.error_score != "raise"
        if deadline is not None or skips_errors:
            return raced_predictions(problem, deadline, skips_errors=skips_errors)
        listener = estimate_listener(self.verbose)
        if listener is not None:
            tell_estimate(problem, listener)
        return held_out_predictions(problem)

    def __getstate__(self) -> dict[str, Any]:
        """Copies and pickles have no training data, unless ``keep_data``."""
        state = super().__getstate__()
        omitted = () if self.keep_data else _TRAINING_STATE
        return {key: value for key, value in state.items() if key not in omitted}

    # Predictions of the chosen candidate.

    @property
    def scorer_(self) -> Any:
        """Minus the mean cost of a model's predictions, by its ``score``."""
        check_is_fitted(self, "tradeoff_")
        return lambda model, X, y, **params: model.score(X, y, **params)

    @available(_is_refitted)
    def predict(self, X: Any, *, costs: Any = None) -> NDArray[Any]:
        """Labels predicted by the chosen candidate, shape (n,).

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Rows to predict.
        costs : array-like of shape (n, K, A) or callable, default=None
            The cost matrix of every row, ``costs[n, true, predicted]``. A function is
            called as ``costs(X, None)``. If the chosen
            candidate is a `MinimumExpectedCost`, it predicts the answer of lowest
            expected cost at the row's own matrix, and after a fit with such costs it
            needs them. A reduction that was trained on costs, such as
            `CostSensitiveOneVsOne`, only uses the features: it checks these costs, but
            its predictions do not depend on them.

        Returns
        -------
        array of shape (n,)
            Labels of classes, or names of actions.
        """
        model, costs = self._chosen(), costs_of_rows(costs, X)
        if costs is not None and not model.softness_at_predict:
            self._check_unused_costs(model, X, costs)
        return predict_at(model, X, costs)

    def _check_unused_costs(self, model: Reduction, X: Any, costs: Any) -> None:
        """Check costs of rows to predict for a reduction that does not use them."""
        extra = self.actions_[len(self.classes_) :]
        n_rows, order = _num_samples(X), model.classes
        row_matrices(costs, self.classes_, n_rows, classes=order, extra=extra)
        if not getattr(self, "costs_by_row_", False):
            raise ValueError(
                f"costs has no effect: the chosen {type(model).__name__} was trained "
                "with other costs. Fit the search with a cost matrix for every row, "
                "or search MinimumExpectedCost, which decides by the costs of a row."
            )

    @available(_is_refitted)
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Scores of the chosen candidate, see `Reduction.decision_function`.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Rows to predict.

        Returns
        -------
        array of shape (n, A), or (n,) for A = 2
            The larger the better.
        """
        return self._chosen().decision_function(X)

    @available(_has_method("predict_proba"))
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of the chosen candidate, if it has them.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Rows to predict.

        Returns
        -------
        array of shape (n, K)
            In the order of ``classes_``.
        """
        chosen: Any = self._chosen()
        return chosen.predict_proba(X)

    @available(_has_method("predict_proba"))
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Logarithms of `predict_proba`.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Rows to predict.

        Returns
        -------
        array of shape (n, K)
            In the order of ``classes_``; minus infinity for a probability of zero.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    @property
    def coef_(self) -> NDArray[np.float64]:
        """Coefficients of the chosen candidate, see `Reduction.coef_`."""
        return self._chosen().coef_

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Importances of the chosen candidate, see `Reduction.feature_importances_`."""
        return self._chosen().feature_importances_

    @available(_has_method("expected_costs"))
    def expected_costs(self, X: Any, *, costs: Any = None) -> NDArray[np.float64]:
        """Expected cost of each answer, if the chosen candidate has probabilities.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Rows to predict.
        costs : array-like of shape (n, K, A) or callable, default=None
            The cost matrix of every row, as in `predict`.

        Returns
        -------
        array of shape (n, A)
            In the user's units.
        """
        chosen: Any = self._chosen()
        return chosen.expected_costs(X, costs=costs)

    @available(_is_refitted)
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
        X : array-like of shape (n, n_features)
            Rows to predict.
        y : array-like of shape (n,)
            True labels.
        sample_weight : array-like of shape (n,), default=None
            Weight of each row, by default 1.
        costs : array-like or table of shape (n, A), or callable, default=None
            Needed if the search was fitted with costs by example; of shape (n, K, A)
            if it was fitted with a cost matrix for every row.

        Returns
        -------
        float
            The larger the better, 0 at most.
        """
        return self._chosen().score(X, y, costs=costs, sample_weight=sample_weight)

    def _chosen(self) -> Reduction:
        check_is_fitted(self, "tradeoff_")
        self._refuse_new_costs()
        return self.best_estimator_

    def _refuse_new_costs(self) -> None:
        """Refuse a cost matrix that was changed after the search was fitted."""
        cost_matrix, order = self.cost_matrix, self.classes
        for reduction in self.given_reductions():  # they all have the same costs
            cost_matrix = reduction.cost_matrix if cost_matrix is None else cost_matrix
            order = reduction.classes if order is None else order
        fitted = None if self.costs_by_example_ else self.cost_matrix_
        extra = self.actions_[len(self.classes_) :]
        if costs_changed(cost_matrix, fitted, self.classes_, order, extra):
            raise ValueError(
                "cost_matrix was changed after fit, and the search has chosen by the "
                "costs before: fit it again, or change those of best_estimator_ if it "
                "is a MinimumExpectedCost."
            )

    # The choice among candidates, and refits without another cross-validation.

    def choose(
        self,
        criterion: Any = "cost",
        *,
        max_error: float | None = None,
        tolerance: float | str | None = None,
    ) -> Self:
        """Choose another candidate, and refit, without a new cross-validation.

        A copy or a saved model has no training data. It chooses among the candidates
        that `keep_candidates` has fitted, by rules that need no test.

        Parameters
        ----------
        criterion, max_error, tolerance
            As in the constructor.

        Returns
        -------
        self
        """
        check_is_fitted(self, "tradeoff_")
        if not self._has_only_candidates():
            self._training_problem("choose")
        return self._choose(
            make_rule(criterion, max_error=max_error, tolerance=tolerance)
        )

    def _choose(self, rule: Rule) -> Self:
        rule = self._with_preference(rule)
        without_data = self._has_only_candidates()
        if without_data:
            decision = decide_among(
                self.candidates_,
                self.tradeoff_,
                rule,
                self._stored_evidence(),
                error=self.error_measure_,
            )
        else:
            decision = decide(
                self.tradeoff_, rule, self._evidence(), error=self.error_measure_
            )
        self._chosen_by = rule
        self.best_index_, self.guarantee_ = decision.row, decision.guarantee
        self.best_params_ = dict(self.cv_results_["params"][self.best_index_])
        self.best_softness_ = self.best_params_["softness"]
        self.best_score_ = float(self.cv_results_["mean_test_score"][self.best_index_])
        if without_data:
            self.best_estimator_ = self.candidates_[self.best_index_]
        elif self.refit:
            started = perf_counter()
            self.best_estimator_ = self._problem.fitted(self.best_index_)
            self.refit_time_ = perf_counter() - started
        _log.info(
            "chose candidate %d, %s: cross-validated cost %.6g",
            self.best_index_,
            self.best_params_,
            -self.best_score_,
        )
        return self

    def _with_preference(self, rule: Rule) -> Rule:
        """The rule as this search applies it: "auto" prefers the blend."""
        penalty = getattr(self, "selection_penalty_", None)
        if penalty is None or not prefers_blend(rule):
            return rule
        return PreferBlend(rule, penalty)

    def _evidence(self) -> Evidence:
        return search_evidence(
            self._problem,
            self.confusion_,
            self._error_weight,
            getattr(self, "holdout_confusion_", None),
        )

    def _stored_evidence(self) -> Evidence:
        """Counts without the training data, for rules that need no test."""
        return Evidence(
            classes=self.classes_,
            confusion=self.confusion_.sum(axis=1),
            n_rows=self.n_samples_,
            error_weight=np.ones(len(self.classes_)),
            cost_matrix=None if self.costs_by_example_ else self.cost_matrix_,
            action_error=np.ones(len(self.actions_) - len(self.classes_)),
        )

    def _has_only_candidates(self) -> bool:
        """Whether there are fitted candidates, but no data to fit others to."""
        return not hasattr(self, "_problem") and hasattr(self, "candidates_")

    def _training_problem(self, method: str) -> JointProblem:
        if not hasattr(self, "_problem"):
            raise ValueError(
                f"{method} refits, and this copy of the search has no training data: "
                "fit it again, or copy a search with keep_data=True; saved models "
                "never have them."
            )
        return self._problem

    def candidate_params(self, index: int) -> dict[str, Any]:
        """Parameters of a row of ``tradeoff_``, without softness and family.

        Parameters
        ----------
        index : int
            Number of a row of ``tradeoff_``.

        Returns
        -------
        dict
            By name.
        """
        check_is_fitted(self, "tradeoff_")
        params = self.cv_results_["params"][index]
        return {
            name: value
            for name, value in params.items()
            if name not in ("family", "softness")
        }

    def candidate(self, index: int) -> Reduction:
        """The candidate of a row of ``tradeoff_``, fitted to all training rows.

        Parameters
        ----------
        index : int
            Number of the row.

        Returns
        -------
        Reduction
        """
        return self.fit_candidates([index])[index]

    def fit_candidates(self, rows: Iterable[int]) -> dict[int, Reduction]:
        """Candidates of several rows, fitted to all training rows.

        Candidates that differ only in how they decide by the same probabilities share
        one fit. The chosen candidate is not fitted again.

        Parameters
        ----------
        rows : iterable of int
            Numbers of rows of ``tradeoff_``.

        Returns
        -------
        dict of int and Reduction
            By row.
        """
        check_is_fitted(self, "tradeoff_")
        rows = list(rows)
        if self._has_only_candidates() and all(row in self.candidates_ for row in rows):
            return {row: self.candidates_[row] for row in rows}
        problem = self._training_problem("candidate")
        for row in rows:
            if not 0 <= row < len(self.tradeoff_):
                raise ValueError(
                    f"index must be a row of tradeoff_, from 0 to "
                    f"{len(self.tradeoff_) - 1}, not {row}."
                )
        fitted = {}
        if hasattr(self, "best_estimator_"):
            fitted[self.best_index_] = self.best_estimator_
        return fit_candidates(problem, rows, fitted)

    def keep_candidates(self, rows: ArrayLike | None = None) -> Self:
        """Fit candidates, so that `choose` also works on copies and saved models.

        Parameters
        ----------
        rows : array-like of row numbers of ``tradeoff_``, default=None
            By default the Pareto front of cost and error, and the choice of the
            criterion "cost". The chosen candidate is always included.

        Returns
        -------
        self
            With ``candidates_``, fitted candidates by row, see `fit_candidates`.

        Examples
        --------
        >>> import copy
        >>> from sklearn.datasets import load_iris
        >>> from softcost import SoftCostClassifierCV
        >>> X, y = load_iris(return_X_y=True)
        >>> search = SoftCostClassifierCV(cost_matrix=[[0, 1, 5], [1, 0, 5], [9, 9, 0]])
        >>> search = search.fit(X, y).keep_candidates()
        >>> copied = copy.deepcopy(search)  # has no training data
        >>> other = copied.choose("constrained", max_error=0.2)
        >>> other.best_index_ in other.candidates_
        True
        """
        check_is_fitted(self, "tradeoff_")
        self._training_problem("keep_candidates")
        table = self.tradeoff_
        if rows is None:
            least = self._with_preference(LeastCost())
            rows = rows_to_keep(table, self.error_measure_, least)
        numbers = {int(row) for row in np.asarray(rows).ravel()} | {self.best_index_}
        if not numbers <= set(range(len(table))):
            raise ValueError(
                f"rows must be rows of tradeoff_, from 0 to {len(table) - 1}, not "
                f"{sorted(numbers)}."
            )
        self.candidates_ = self.fit_candidates(sorted(numbers))
        return self

    def mix(self, max_error: float) -> RandomizedPair:
        """The randomised pair that meets an error budget at the lowest cost.

        If the front is not convex, using one classifier with probability p and another
        otherwise reaches points below it.

        Parameters
        ----------
        max_error : float
            Largest cross-validated (weighted, with ``error_weight``) error.

        Returns
        -------
        RandomizedPair
            Also stored as ``mix_``.
        """
        check_is_fitted(self, "tradeoff_")
        self._training_problem("mix")
        error = self.tradeoff_[self.error_measure_].to_numpy()
        cost = self.tradeoff_["cost"].to_numpy()
        first, second, probability = best_mix(error, cost, max_error)
        self.mix_ = RandomizedPair(
            self.candidate(first),
            self.candidate(second),
            probability,
            random_state=self.random_state,
        )
        return self.mix_

    # Comparisons of the chosen candidate, on held-out predictions.

    def reference_rows(self) -> dict[str, int]:
        """Rows of ``tradeoff_`` to compare: the same wherever results are shown.

        Returns
        -------
        dict of name and row number
            ``"regular"``: the least error of softness 1, the choice of a search that
            ignores costs; ``"hard"``: the least cost of softness 0; ``"chosen"``. With
            "auto" the first two are rows of the blend, which is preferred there. A name
            without candidates is left out.
        """
        check_is_fitted(self, "tradeoff_")
        table, among = self.tradeoff_, None
        if hasattr(self, "selection_penalty_"):
            among = np.flatnonzero(table["family"] == BLEND)
        return reference_rows(
            table, self.best_index_, error=self.error_measure_, among=among
        )

    def optimism(self, n_resamples: int = 200, *, random_state: Any = 0) -> Optimism:
        """How optimistic the cost of the chosen candidate is, as the best of many.

        The least of many cross-validated costs is partly luck. So the choice is
        repeated on B bootstrap samples of the held-out rows, and its cost is measured
        on the rows left out (Tsamardinos, Greasidou and Borboudakis, 2018):

            expected = 1/B sum_b cost(i_b on rows not in sample b),
            i_b = the choice of the criterion on sample b
            optimism = expected - cost(chosen row on all held-out rows)

        No model is trained: the search stores its held-out predictions. Rows of one
        group (``groups`` of `fit`) are drawn together. A sample has fewer distinct rows
        than the table, so the estimate is slightly pessimistic.

        Parameters
        ----------
        n_resamples : int, default=200
            The number B of bootstrap samples.
        random_state : int, RandomState instance or None, default=0
            Seeds the resamples.

        Returns
        -------
        Optimism
            ``cost``, ``expected_cost``, their difference ``optimism``, and the interval
            from ``low`` to ``high`` that contains 95% of the costs of the samples.
        """
        held_out = self._held_out_rows("optimism")
        rule = rule_on_tables(
            self._chosen_by, self.guarantee_, self.best_index_, self.error_measure_
        )
        return bootstrap_optimism(
            held_out,
            self.tradeoff_,
            rule,
            chosen=self.best_index_,
            error=self.error_measure_,
            n_resamples=n_resamples,
            random_state=random_state,
        )

    def not_chosen(self) -> pd.DataFrame:
        """Candidates of other families that look better than the chosen one.

        A candidate looks better if its cross-validated cost is lower and its error is
        not higher. "auto" still prefers the blend, unless another family has a clear
        lead, since the best of many candidates is partly luck. With a `Budget`, only
        candidates within it are listed.

        Returns
        -------
        DataFrame
            The cheapest such candidate of each family, cheapest first: ``row`` of
            ``tradeoff_``, ``family``, ``cost``, ``error``, the ``difference`` between
            the cost of the chosen candidate and this one, its standard error
            ``difference_se``, the ``lead`` over the blend at the lowest softness, and
            the ``required_lead``, which is its ``selection_penalty_``. No rows if the
            search is not "auto".
        """
        held_out = self._held_out_rows("not_chosen")
        preferring = hasattr(self, "selection_penalty_")
        allowed = np.full(len(self.tradeoff_), preferring)
        if self.guarantee_ is not None and self.guarantee_["met"]:
            allowed &= np.isin(np.arange(len(allowed)), self.guarantee_["passed"])
        return not_chosen(
            self.tradeoff_,
            self.best_index_,
            PairedCosts(held_out.rows, held_out.row, held_out.predicted),
            getattr(self, "selection_penalty_", np.zeros(len(allowed))),
            error=self.error_measure_,
            allowed=allowed,
        )

    def saving(self, over: str | int = "constant") -> Saving:
        """Mean saving of the chosen candidate per row, with a 95% interval.

        Measured on the held-out predictions, row by row. The interval allows for the
        choice among all candidates, see `softcost.metrics.paired_saving`.

        Parameters
        ----------
        over : {"constant", "regular", "hard"} or int, default="constant"
            The baseline: always predicting the class that is cheapest on the training
            rows of each fold, a row of `reference_rows`, or a row number of
            ``tradeoff_``.

        Returns
        -------
        Saving
        """
        held_out = self._held_out_rows("saving")
        if over == "constant":
            constant = constant_predictions(held_out.rows, self._problem.folds)
            answers = np.concatenate(constant)
        else:
            references = self.reference_rows()
            rows: dict[Any, int] = {**references}
            rows |= {row: row for row in range(len(self.tradeoff_))}
            if over not in rows:
                raise ValueError(
                    f"over must be 'constant', one of {sorted(references)} or a row of "
                    f"tradeoff_, not {over!r}."
                )
            answers = held_out.predicted[rows[over]]
        return paired_saving(
            held_out.rows.realised_cost(answers, held_out.row),
            held_out.paid,
            chosen=self.best_index_,
            groups=held_out.groups[held_out.row],
            weight=held_out.rows.weight[held_out.row],
        )

    def sensitivity(
        self,
        scenarios: Any = None,
        *,
        price_range: Any = None,
        n_bootstrap: int = 1000,
        confidence: float = 0.95,
        random_state: Any = 0,
    ) -> Sensitivity:
        """How sure the choice is, if costs are estimates and rows are few.

        Costs are linear in the entries of the cost matrix, so everything follows
        exactly from the held-out predictions. No model is trained again.

        Parameters
        ----------
        scenarios : list of cost matrices, or dict by name, default=None
            Alternative costs: the choice in each scenario, and the candidate with the
            least worst regret over all of them.
        price_range : pair of cost matrices, default=None
            The same over all costs between the first and the second.
        n_bootstrap : int, default=1000
            Resamples of the held-out rows for the intervals of differences; rows of one
            group (``groups`` of `fit`) are drawn together.
        confidence : float, default=0.95
            Of these intervals.
        random_state : int, Generator or None, default=0
            Seeds the resamples.

        Returns
        -------
        softcost.search.Sensitivity
            ``prices``: for every entry of the cost matrix, the interval within which
            the same candidate is chosen. ``first``: the entry that changes the choice
            first. ``differences``: intervals of the differences of cost between the
            chosen, hard and regular rows. ``scenarios`` and ``price_range``: regrets,
            if requested.

        Notes
        -----
        With costs by example, an entry is the mean over its rows, and moves by the same
        amount for all of them; normalised costs and scenarios are not supported then.
        Every rule of `softcost.search` is supported, except functions and budgets of
        costs with a confidence.
        """
        held_out = self._held_out_rows("sensitivity")
        priced = self._priced_choice()
        eligible = np.ones(len(self.tradeoff_), bool)
        if self.guarantee_ is not None and self.guarantee_["passed"]:
            passed = self.guarantee_["passed"]
            eligible = np.isin(np.arange(len(eligible)), passed)
        intervals = price_intervals(priced)
        differences = bootstrap_differences(
            held_out,
            # The chosen row first: its differences are those of interest.
            dict(reversed(self.reference_rows().items())),
            n_bootstrap=n_bootstrap,
            confidence=confidence,
            random_state=random_state,
        )
        return Sensitivity(
            chosen=self.best_index_,
            prices=intervals,
            differences=differences,
            scenarios=(
                None
                if scenarios is None
                else scenario_regret(priced, scenarios, eligible)
            ),
            price_range=(
                None
                if price_range is None
                else box_regret(priced, price_range, eligible)
            ),
        )

    def _priced_choice(self) -> PricedChoice:
        n_folds = self.confusion_.shape[1]
        scores = [
            self.cv_results_[f"split{fold}_test_score"] for fold in range(n_folds)
        ]
        return PricedChoice(
            table=self.tradeoff_,
            confusion=self.confusion_,
            fold_costs=-np.column_stack(scores),
            prices=self.cost_matrix_,
            answers=self.actions_.tolist(),
            rule=self._chosen_by,
            evidence=self._evidence(),
            by_example=self.costs_by_example_,
            error=self.error_measure_,
        )

    def _held_out_rows(self, method: str) -> HeldOutRows:
        check_is_fitted(self, "tradeoff_")
        if not hasattr(self, "_predicted"):
            raise ValueError(
                f"{method} needs the held-out predictions, which this copy of the "
                "search does not have: fit it again, or copy a search with "
                "keep_data=True; saved models never have them."
            )
        problem = self._problem
        return HeldOutRows(
            rows=problem.rows,
            groups=problem.groups,
            row=np.concatenate(problem.tests),
            predicted=np.concatenate(self._predicted, axis=1),
            error_weight=self._error_weight,
        )

    # The explorer page. `softcost.report` imports this package, so it is reached
    # through the top-level package, which imports lazily.

    def to_html(self, path: str | Path, **details: Any) -> Path:
        """Write the explorer: one HTML page to choose on the trade-off.

        Parameters
        ----------
        path : str or path
            File to write.
        **details
            Attributes of `softcost.report.ExplorerData`, for instance ``title``.

        Returns
        -------
        Path
        """
        import softcost

        check_is_fitted(self, "tradeoff_")
        data = softcost.report.ExplorerData.from_search(self, **details)
        return softcost.report.write_explorer(path, data)

    def explore(self, **details: Any) -> Any:
        """Show the explorer in a notebook.

        The search itself is shown as scikit-learn's diagram.

        Parameters
        ----------
        **details
            As for `to_html`.

        Returns
        -------
        softcost.report.NotebookPage
            Shown as the page in an ``iframe``.
        """
        import softcost

        check_is_fitted(self, "tradeoff_")
        data = softcost.report.ExplorerData.from_search(self, **details)
        return softcost.report.NotebookPage(softcost.report.notebook_html(data))

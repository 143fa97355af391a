"""Choose softness and the learner's parameters by cross-validation."""

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, _fit_context
from sklearn.utils._param_validation import Interval
from sklearn.utils.metaestimators import _BaseComposition
from sklearn.utils.validation import check_is_fitted

from softcost.parallel import kept_on_workers
from softcost.reductions import Reduction
from softcost.selection import Rule, make_rule
from softcost.soft._available import available, has_method, is_refitted
from softcost.soft._callbacks import CallbackSupportMixin
from softcost.soft._choice import ChoiceMixin, refuse_new_prices
from softcost.soft._estimate import tell_estimate
from softcost.soft._explorer import ExplorerMixin
from softcost.soft._families import are_named, given_families, is_auto
from softcost.soft._held_out import held_out_predictions
from softcost.soft._prepare import prepare
from softcost.soft._race import raced_predictions
from softcost.soft._tabulate import tabulate

# What a copy of a search leaves out.
_LEFT_BEHIND = ("_problem", "_predicted", "_error_weight", "_chosen_by")


class SoftCostClassifierCV(
    ChoiceMixin, ExplorerMixin, CallbackSupportMixin, ClassifierMixin, _BaseComposition
):
    """Cost-and-error sensitive classification, chosen by cross-validation.

    Trains a reduction on softened costs, ``(1 - a) c + a * naive``, for every softness
    a and every setting of the learner, measures cost and error on held-out folds, and
    refits the candidate that a criterion chooses. Hard (a = 0) and regular (a = 1)
    algorithms are among the candidates.

    Learners that declare a path (`softcost.learners.WalksPath`), such as the kernel
    machines of this package, solve all candidates together: those share one Gram matrix
    and start from each other's solutions. Any other learner is cloned and fitted. The
    results are the same.

    Parameters
    ----------
    reduction : Reduction, list of (name, Reduction) or "auto", default=None
        By default, or with "auto", families that suit the table, see ``portfolio_``. A
        blend of their probabilities is preferred under the criterion "cost": a family
        outside it must be clearly cheaper, see ``handicap_``. The paper's is
        ``OneSidedRegression()``. Families of one's own, each with a name, share folds,
        table and choice. Kernel machines see features as they are: scale them.
    cost_matrix : array, table or dict of shape (K, K), default=None
        ``cost_matrix[true, predicted]``; by default that of the reduction.
    classes : array of shape (K,), default=None
        All classes, where the training set may lack some.
    softness : int, float or array of values from 0 to 1, default=11
        The values to try; an int above 1 asks for that many from 0 to 1.
    param_grid : dict, list of dicts or "inverse", default=None
        Values of parameters to try, as for `sklearn.model_selection.GridSearchCV`: of
        the learner, for instance ``{"C": [1, 10]}`` or ``{"learner__C": [1, 10]}``, and
        of the reduction, such as ``order`` of `FilterTree`. By default C in 2^-2, 2^1,
        2^4, 2^7, 2^10 for the kernel machines and short grids for some known learners;
        "inverse" is 2^-10, 2^-7, ..., 2^2. With several families a dict by family, of
        those that are not to have their default.
    criterion : str, Rule or callable, default="cost"
        How the candidate is chosen:

        - "cost" or ``LeastCost()``: the least cost;
        - "max" or ``MaxOfBoth()``: the least ``max(error, normalised cost)``;
        - "constrained" or ``Budget(error=0.05)``: the least cost with an error of at
          most ``max_error``; a `Budget` may limit other measures, and with a
          ``confidence`` its limits are tested;
        - "tolerance" or ``Tolerance(cost=0.1)``: the least error among costs within
          ``tolerance`` of the least;
        - a function of ``tradeoff_``: a row number, or one value per row, of which
          the least is best.

        Ties go to the largest softness, then to the smallest C. With
        ``error_weight`` the error is the weighted one.
    max_error : float, default=None
        For "constrained"; cross-validated. Where no candidate is that good, the one
        with the least error is chosen, with a warning.
    tolerance : float or "1se", default=None
        For "tolerance": a fraction of the least cost, or its standard error.
    error_weight : None, "balanced" or dict, default=None
        Weight of an error by true class.
    actions, action_error : default=None
        As in the reductions: what may be answered beyond the classes, and how much
        each such answer counts as an error; by default those of the reduction.
    cv : int, splitter or iterable of (train, test), default=5
        An int asks for stratified folds, shuffled where ``random_state`` is given; a
        fold may lack a class.
    calibration : float, row numbers or mask, default=None
        Rows to keep for the test of a ``Budget`` with a confidence: a share, drawn at
        random, or which. They take no part in training, nor in the refit.
    time_limit : float, default=None
        Seconds for the cross-validation. Families are tried as they are given, those
        of "auto" the quickest first, each with one setting before any gets a second;
        what is done when the time is up is chosen from, and ``skipped_`` says what is
        not. One setting is always done, and the refit comes on top.
    refit : bool, default=True
        Whether to fit the chosen candidate to all rows.
    keep_data : bool, default=False
        Whether copies and pickles of the search keep the training data, so that they
        can `choose`, `mix` and refit a `candidate`. Saved models never do.
    n_jobs : int, default=None
        Threads for learners with a path, joblib workers for others and under any joblib
        backend with workers of its own. Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seeds folds, learners and what is drawn at random.
    verbose : int, default=0
        Progress on standard error, after an estimate of how long a search of many rows
        will take, by samples of them.

    Attributes
    ----------
    best_softness_ : float
    best_params_ : dict
        Softness and parameters of the chosen candidate, as in
        ``cv_results_["params"]``.
    best_index_ : int
        Row of the chosen candidate.
    best_score_ : float
        Minus its mean cost, the mean of the folds.
    best_estimator_ : Reduction
        Fitted to all rows, if ``refit``.
    tradeoff_ : DataFrame
        One row per candidate: ``family`` (of several), softness, the learner's
        parameters, ``cost``, ``error``, ``weighted_error``, ``g_mean`` and
        ``normalized_cost`` with their standard errors (``_se``), and ``on_front``; with
        actions also ``coverage`` and ``error_answered``. Costs are in the user's units;
        means are over all held-out predictions.
    cv_results_ : dict
        In scikit-learn's form: ``params``, ``split0_test_score`` and so on (minus the
        mean cost of a fold), their mean, standard deviation and rank, fit times where
        candidates were fitted one by one; and the columns of ``tradeoff_``.
    n_splits_ : int
        Number of folds.
    refit_time_ : float
        Seconds that the refit took.
    scorer_ : callable
        What candidates are scored by, minus the mean cost.
    confusion_ : array of shape (n_candidates, n_folds, K, A)
        Held-out weight by true class and answer.
    paid_ : array of shape (n_candidates, K, A)
        With costs by example, what held-out answers cost in all, by true class.
    calibration_confusion_ : array of shape (n_candidates, K, A)
        The same of the calibration rows, by candidates fitted to all others.
    guarantee_ : dict or None
        What is known of the limits of a `Budget`, see `softcost.selection.Decision`.
    constant_ : dict
        The best constant answer, its ``label`` and cross-validated measures: what a
        model has to beat.
    portfolio_ : DataFrame
        For "auto": ``family``, whether it was ``used``, and ``why``.
    handicap_ : array of shape (n_candidates,)
        For "auto": what is added to the cost of each candidate before the least is
        chosen. It is zero for the blend at the least softness, one standard error of
        the difference, and a little more, for the blend at others and for the constant
        answer, and three for a family outside the blend.
    skipped_ : DataFrame
        With a ``time_limit``: ``family`` (None of a single one), ``params`` and ``why``
        of settings that were not tried to the end.
    mix_ : RandomizedPair
        After `mix`.
    kept_ : dict of row number and Reduction
        After `keep`.
    classes_, actions_ : arrays of shape (K,) and (A,)
    cost_matrix_ : array of shape (K, A)
        Costs by true class and answer, in the order of ``actions_``; with costs by
        example, their means.
    error_measure_ : {"error", "weighted_error"}
        The error that counts: the weighted one where ``error_weight`` is given, here or
        in the reduction.
    costs_by_example_ : bool
        Whether costs were given by example.
    n_samples_ : int
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)

    See Also
    --------
    softcost.reductions.BlendedClassifier : What is preferred by default.
    softcost.selection.Budget : The least cost within an error budget.
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
        "softness": [Interval(Real, 0, None, closed="left"), "array-like"],
        "param_grid": [dict, list, str, None],
        "criterion": [str, callable, Rule],
        "max_error": "no_validation",
        "tolerance": "no_validation",
        "error_weight": "no_validation",
        "actions": "no_validation",
        "action_error": "no_validation",
        "cv": ["cv_object"],
        "calibration": "no_validation",
        "time_limit": [Interval(Real, 0, None, closed="neither"), None],
        "refit": ["boolean"],
        "keep_data": ["boolean"],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }
    __metadata_request__fit: ClassVar = {
        "costs": True,
        "sample_weight": True,
        "groups": True,
    }
    __metadata_request__score: ClassVar = {"costs": True, "sample_weight": True}

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
        cv: Any = 5,
        calibration: Any = None,
        time_limit: float | None = None,
        refit: bool = True,
        keep_data: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ):
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
        self.cv = cv
        self.calibration = calibration
        self.time_limit = time_limit
        self.refit = refit
        self.keep_data = keep_data
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inputs = [one.__sklearn_tags__().input_tags for one in self.given_reductions()]
        tags.input_tags.sparse = all(one.sparse for one in inputs)
        tags.input_tags.allow_nan = all(one.allow_nan for one in inputs)
        tags.input_tags.pairwise = any(one.pairwise for one in inputs)
        return tags

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters; those of families by ``family__parameter``.

        Parameters
        ----------
        deep : bool, default=True
            Whether those of the reduction and its learner are wanted, too.

        Returns
        -------
        dict
            By name.
        """
        return self._get_params("reduction", deep=deep)

    def set_params(self, **params: Any) -> Self:
        """Set parameters; a family by its name, its own by ``family__parameter``.

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
        """All that were given, or the default one; none where they are to be chosen.

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

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        *,
        costs: Any = None,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Search, choose and refit.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Rows to learn from; anything that the learner itself takes.
        y : array-like of shape (n,)
            True labels.
        costs : array-like or table of shape (n, A), default=None
            Costs by example. Folds are cut here: no metadata routing is needed.
        sample_weight : array-like of shape (n,), default=None
            How much each row counts, by default 1.
        groups : array-like of shape (n,), default=None
            For splitters that keep groups together.

        Returns
        -------
        self
        """
        rule = self._rule()
        problem, portfolio = prepare(self, X, y, costs, sample_weight, groups)
        skipped = None
        with kept_on_workers():  # for the search, and for the last fit
            if self.time_limit is None:
                tell_estimate(problem, self.verbose)
                problem, predictions = held_out_predictions(problem)
            else:
                raced = raced_predictions(problem, self.time_limit)
                problem, predictions, skipped = raced
            tabulate(self, problem, predictions)
            if skipped is not None:
                self.skipped_ = skipped
            if portfolio is not None:
                self.portfolio_ = portfolio
            return self._choose(rule)

    def _rule(self) -> Rule:
        return make_rule(
            self.criterion, max_error=self.max_error, tolerance=self.tolerance
        )

    def __getstate__(self) -> dict[str, Any]:
        """Training data stay behind when a search is copied, but for ``keep_data``."""
        state = super().__getstate__()
        left = () if self.keep_data else _LEFT_BEHIND
        return {key: value for key, value in state.items() if key not in left}

    def _fitted(self) -> Reduction:
        check_is_fitted(self, "tradeoff_")
        refuse_new_prices(self)
        return self.best_estimator_

    @property
    def scorer_(self) -> Any:
        """Minus the mean cost of a model's predictions, by its ``score``."""
        check_is_fitted(self, "tradeoff_")
        return lambda model, X, y, **params: model.score(X, y, **params)

    @available(is_refitted)
    def predict(self, X: Any) -> NDArray[Any]:
        """Labels predicted by the chosen candidate, shape (n,).

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Rows to predict.

        Returns
        -------
        array of shape (n,)
            Labels of classes, or names of actions.
        """
        return self._fitted().predict(X)

    @available(is_refitted)
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
        return self._fitted().decision_function(X)

    @available(has_method("predict_proba"))
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of the chosen candidate, where it has them.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Rows to predict.

        Returns
        -------
        array of shape (n, K)
            In the order of ``classes_``.
        """
        return self._fitted().predict_proba(X)

    @available(has_method("expected_costs"))
    def expected_costs(self, X: Any) -> NDArray[np.float64]:
        """What predicting each class is expected to cost, where the candidate knows.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Rows to predict.

        Returns
        -------
        array of shape (n, A)
            In the user's units.
        """
        return self._fitted().expected_costs(X)

    @available(is_refitted)
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
        X : array-like of shape (n, n_features)
            Rows to predict.
        y : array-like of shape (n,)
            True labels.
        costs : array-like or table of shape (n, A), default=None
            Needed where the search was fitted with costs by example.
        sample_weight : array-like of shape (n,), default=None
            How much each row counts, by default 1.

        Returns
        -------
        float
            The larger the better, 0 at most.
        """
        return self._fitted().score(X, y, costs=costs, sample_weight=sample_weight)

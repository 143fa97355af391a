"""Choose softness and the learner's parameters by cross-validation."""

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context, clone
from sklearn.utils import _safe_indexing
from sklearn.utils._param_validation import HasMethods, Interval
from sklearn.utils.validation import check_is_fitted

from softcost.costs import (
    check_cost_matrix,
    error_weights,
    raw_cost_vectors,
)
from softcost.reductions import OneSidedRegression, Reduction
from softcost.soft._callbacks import CallbackSupportMixin, tell_callbacks
from softcost.soft._engines import held_out_predictions
from softcost.soft._fit_engine import configured
from softcost.soft._folds import make_folds
from softcost.soft._grids import learner_settings, softness_values
from softcost.soft._mix import RandomizedPair, best_mix
from softcost.soft._progress import reporter
from softcost.soft._rules import check_rule, choose_row
from softcost.soft._table import HeldOut, average_price, tradeoff_table


class SoftCostClassifierCV(CallbackSupportMixin, ClassifierMixin, BaseEstimator):
    """Cost-and-error sensitive classification, chosen by cross-validation.

    Trains a reduction on softened costs, ``(1 - a) c + a * naive``, for every softness
    a and every setting of the learner, measures cost and error on held-out folds, and
    refits the candidate that a criterion chooses. Hard (a = 0) and regular (a = 1)
    algorithms are among the candidates.

    With the kernel machines of this package all candidates, folds and subproblems
    share one Gram matrix and start from each other's solutions; any other learner is
    cloned and fitted. The results are the same.

    Parameters
    ----------
    reduction : Reduction, default=None
        By default `OneSidedRegression` with the perceptron-kernel SVM.
    cost_matrix : array, table or dict of shape (K, K), default=None
        ``cost_matrix[true, predicted]``; by default that of the reduction.
    classes : array of shape (K,), default=None
        All classes, where the training set may lack some.
    softness : int or array of values from 0 to 1, default=11
        The values to try; an int asks for that many from 0 to 1.
    param_grid : dict, list of dicts or "inverse", default=None
        Values of the learner's parameters to try, as for
        `sklearn.model_selection.GridSearchCV`, for instance ``{"C": [1, 10]}``. By
        default C in 2^-2, 2^1, 2^4, 2^7, 2^10 for the kernel machines and short grids
        for some known learners; "inverse" is 2^-10, 2^-7, ..., 2^2.
    criterion : {"cost", "max", "constrained", "tolerance"} or callable, default="cost"
        - "cost": the least cost;
        - "max": the least ``max(error, normalised cost)``;
        - "constrained": the least cost with an error of at most ``max_error``;
        - "tolerance": the least error among costs within ``tolerance`` of the least;
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
    cv : int, splitter or iterable of (train, test), default=5
        An int asks for stratified folds, shuffled where ``random_state`` is given; a
        fold may lack a class.
    refit : bool, default=True
        Whether to fit the chosen candidate to all rows.
    n_jobs : int, default=None
        Threads for the kernel machines, joblib workers for others. Results do not
        depend on it.
    random_state : int, RandomState instance or None, default=None
    verbose : int, default=0
        Progress on standard error.

    Attributes
    ----------
    best_softness_ : float
    best_params_ : dict
        The learner's parameters.
    best_index_ : int
        Row of the chosen candidate.
    best_score_ : float
        Minus its cross-validated mean cost.
    best_estimator_ : Reduction
        Fitted to all rows, if ``refit``.
    tradeoff_ : DataFrame
        One row per candidate: softness, the learner's parameters, ``cost``,
        ``error``, ``weighted_error``, ``g_mean``, ``normalized_cost`` with their
        standard errors (``_se``), and ``on_front``. Costs are in the user's units;
        means are over all held-out predictions.
    cv_results_ : dict
        The same in scikit-learn's form.
    confusion_ : array of shape (n_candidates, n_folds, K, K)
        Held-out weight by true and predicted class.
    mix_ : RandomizedPair
        After `mix`.
    classes_ : array of shape (K,)
    cost_matrix_ : array of shape (K, K)
        Prices by true and predicted class, in the order of ``classes_``; with prices
        by example, their means.
    n_samples_ : int
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features_in_,)

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softcost import SoftCostClassifierCV
    >>> X, y = load_iris(return_X_y=True)
    >>> search = SoftCostClassifierCV(cost_matrix=[[0, 1, 5], [1, 0, 5], [9, 9, 0]])
    >>> search.fit(X, y).predict(X[:3])
    array([0, 0, 0])
    >>> len(search.tradeoff_)
    55
    """

    _parameter_constraints: ClassVar = {
        "reduction": [None, HasMethods(["fit", "predict"])],
        "cost_matrix": "no_validation",
        "classes": "no_validation",
        "softness": [Interval(Integral, 1, None, closed="left"), "array-like"],
        "param_grid": [dict, list, str, None],
        "criterion": [str, callable],
        "max_error": "no_validation",
        "tolerance": "no_validation",
        "error_weight": "no_validation",
        "cv": ["cv_object"],
        "refit": ["boolean"],
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
        reduction=None,
        *,
        cost_matrix=None,
        classes=None,
        softness=11,
        param_grid=None,
        criterion="cost",
        max_error=None,
        tolerance=None,
        error_weight=None,
        cv=5,
        refit=True,
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        self.reduction = reduction
        self.cost_matrix = cost_matrix
        self.classes = classes
        self.softness = softness
        self.param_grid = param_grid
        self.criterion = criterion
        self.max_error = max_error
        self.tolerance = tolerance
        self.error_weight = error_weight
        self.cv = cv
        self.refit = refit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags = self._base().__sklearn_tags__().input_tags
        return tags

    def _base(self) -> Reduction:
        return OneSidedRegression() if self.reduction is None else self.reduction

    def _configured_base(self) -> Reduction:
        """The reduction with what the search says of prices."""
        base = clone(self._base())
        if not isinstance(base, Reduction):
            raise TypeError(
                f"reduction must be one of softcost's reductions, not "
                f"{type(base).__name__}: pass the learner inside one, for instance "
                "CostSensitiveOneVsOne(learner)."
            )
        own = {
            name: getattr(self, name)
            for name in ("cost_matrix", "classes", "error_weight", "n_jobs")
            if getattr(self, name) is not None
        }
        if self.random_state is not None and base.random_state is None:
            own["random_state"] = self.random_state
        return base.set_params(**own)

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y, *, costs=None, sample_weight=None, groups=None):
        """Search, choose and refit.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
        y : array-like of shape (n,)
        costs : array-like or table of shape (n, K), default=None
            Prices by example. Folds are cut here: no metadata routing is needed.
        sample_weight : array-like of shape (n,), default=None
        groups : array-like of shape (n,), default=None
            For splitters that keep groups together.

        Returns
        -------
        self
        """
        check_rule(self.criterion, self.max_error, self.tolerance)
        base = self._configured_base()
        given = X, y, costs, sample_weight, groups
        X, prices = base._enter(X, y, costs, sample_weight)
        weightless = bool((prices.weight == 0).any())
        if weightless and (isinstance(self.cv, Integral) or hasattr(self.cv, "split")):
            return self._fit_rows(*given, rows=np.flatnonzero(prices.weight))
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(base, name):
                setattr(self, name, getattr(base, name))
        self.classes_ = prices.classes
        self._example_costs = costs is not None
        softness = softness_values(self.softness)
        candidates = learner_settings(base._learner(), self.param_grid)
        folds = make_folds(self.cv, prices.y, groups, self.random_state)
        labels = self.classes_[prices.y]
        raw = self._in_users_units(labels, base, costs)
        weight = None if sample_weight is None else prices.weight
        data = (X, labels, None if costs is None else raw, weight)
        predicted = held_out_predictions(
            base, *data, folds, candidates, softness,
            n_jobs=self.n_jobs, progress=self._progress(X, labels),
        )  # fmt: skip
        held_out = HeldOut(
            tests=[test for _, test in folds],
            predicted=predicted,
            y=prices.y,
            costs=raw,
            weight=prices.weight,
            error_weight=error_weights(
                labels, base.error_weight or "balanced", self.classes_
            ),
            unit=average_price(prices),
        )
        self.confusion_ = held_out.confusion()
        rows = [(params, value) for params in candidates for value in softness]
        self.tradeoff_ = tradeoff_table(
            held_out,
            self.confusion_,
            np.array([value for _, value in rows]),
            [params for params, _ in rows],
        )
        self._params = [params for params, _ in rows]
        self.cv_results_ = self._scikit_learn_results()
        self.cost_matrix_ = held_out.prices_by_class(
            base.cost_matrix if costs is None else None
        )
        self.n_samples_ = len(labels)
        self._configured, self._data = base, data
        return self._choose(self.criterion, self.max_error, self.tolerance)

    def _fit_rows(self, X, y, costs, sample_weight, groups, *, rows):
        """Fit to rows of positive weight: the others are absent from folds, too."""
        X, y, costs, sample_weight, groups = (
            None if part is None else _safe_indexing(part, rows)
            for part in (X, y, costs, sample_weight, groups)
        )
        return self.fit(X, y, costs=costs, sample_weight=sample_weight, groups=groups)

    def _in_users_units(self, labels, base: Reduction, costs):
        """Prices of every class for every example, in the order of ``classes_``.

        From here on the reduction has its matrix in that order, too.
        """
        given = self.classes_ if base.classes is None else np.asarray(base.classes)
        order = np.argsort(given, kind="stable")
        base.set_params(classes=self.classes_)
        if costs is not None:
            return raw_cost_vectors(labels, costs=costs, classes=given)[:, order]
        if base.cost_matrix is not None:
            matrix = check_cost_matrix(base.cost_matrix, given)[np.ix_(order, order)]
            base.set_params(cost_matrix=matrix)
        return raw_cost_vectors(
            labels, cost_matrix=base.cost_matrix, classes=self.classes_
        )

    def _progress(self, X, y):
        return tell_callbacks(self, X, y, reporter(self.verbose))

    def _scikit_learn_results(self) -> dict[str, Any]:
        table = self.tradeoff_
        params = [
            {"softness": value, **own}
            for value, own in zip(table["softness"], self._params, strict=True)
        ]
        results: dict[str, Any] = {"params": params}
        for name in params[0]:
            results[f"param_{name}"] = np.ma.array([one[name] for one in params])
        for name in table.columns.difference(["softness", *self._params[0]]):
            results[name] = table[name].to_numpy()
        results["mean_test_score"] = -table["cost"].to_numpy()
        results["std_test_score"] = table["cost_se"].to_numpy() * np.sqrt(
            self.confusion_.shape[1]
        )
        results["rank_test_score"] = (
            table["cost"].rank(method="min").to_numpy().astype(np.int32)
        )
        return results

    def _choose(self, criterion, max_error, tolerance):
        self.best_index_ = choose_row(
            self.tradeoff_,
            criterion,
            max_error=max_error,
            tolerance=tolerance,
            weighted=self._configured.error_weight is not None,
        )
        row = self.tradeoff_.iloc[self.best_index_]
        self.best_softness_ = float(row["softness"])
        self.best_params_ = dict(self._params[self.best_index_])
        self.best_score_ = -float(row["cost"])
        if self.refit:
            self.best_estimator_ = self._refit(self.best_index_)
        return self

    def _refit(self, index: int) -> Reduction:
        """The candidate of a row, fitted to all rows."""
        X, labels, costs, weight = self._data
        model = configured(
            self._configured,
            self._params[index],
            float(self.tradeoff_["softness"].iloc[index]),
        )
        model.fit(X, labels, costs=costs, sample_weight=weight)
        if hasattr(self, "feature_names_in_"):  # X may be an array by now
            model.feature_names_in_ = self.feature_names_in_
        return model

    def choose(self, criterion="cost", *, max_error=None, tolerance=None):
        """Choose another candidate, and refit, without a new cross-validation.

        Parameters
        ----------
        criterion, max_error, tolerance
            As in the constructor.

        Returns
        -------
        self
        """
        check_is_fitted(self, "tradeoff_")
        self._needs_data("choose")
        return self._choose(criterion, max_error, tolerance)

    def mix(self, max_error):
        """The randomised pair that meets an error budget at the lowest cost.

        Where the front is not convex, using one classifier with probability p and
        another otherwise reaches points below it.

        Parameters
        ----------
        max_error : float
            Largest cross-validated (weighted, with ``error_weight``) error.

        Returns
        -------
        RandomizedPair
            Also kept as ``mix_``.
        """
        check_is_fitted(self, "tradeoff_")
        self._needs_data("mix")
        weighted = self._configured.error_weight is not None
        error = self.tradeoff_["weighted_error" if weighted else "error"].to_numpy()
        cost = self.tradeoff_["cost"].to_numpy()
        first, second, probability = best_mix(error, cost, max_error)
        self.mix_ = RandomizedPair(
            self._refit(first),
            self._refit(second),
            probability,
            random_state=self.random_state,
        )
        return self.mix_

    def _needs_data(self, what: str) -> None:
        if not hasattr(self, "_data"):
            raise ValueError(
                f"{what} refits, and the training data did not travel with this saved "
                "search: fit it again."
            )

    def __getstate__(self):
        """Training data stay behind when a search is saved."""
        state = super().__getstate__().copy()
        state.pop("_data", None)
        return state

    def _fitted(self) -> Reduction:
        check_is_fitted(self, "tradeoff_")
        if not hasattr(self, "best_estimator_"):
            raise AttributeError(
                "the search was made with refit=False: set refit=True to predict."
            )
        return self.best_estimator_

    def predict(self, X):
        """Labels predicted by the chosen candidate, shape (n,)."""
        return self._fitted().predict(X)

    def decision_function(self, X):
        """Scores of the chosen candidate, see `Reduction.decision_function`."""
        return self._fitted().decision_function(X)

    def score(self, X, y, *, costs=None, sample_weight=None):
        """Minus the mean cost of the predictions, in the user's units."""
        return self._fitted().score(X, y, costs=costs, sample_weight=sample_weight)

    def to_html(self, path, **details):
        """Write the explorer: one HTML page to choose on the trade-off.

        Parameters
        ----------
        path : str or path
        **details
            Attributes of `softcost.report.ExplorerData`, for instance ``title``.

        Returns
        -------
        Path
        """
        import softcost

        report = softcost.report
        check_is_fitted(self, "tradeoff_")
        data = report.ExplorerData.from_search(self, **details)
        return report.write_explorer(path, data)

    def _repr_html_inner(self):
        """The explorer in a notebook, once there is something to explore."""
        if not hasattr(self, "tradeoff_"):
            return super()._repr_html_inner()
        import softcost

        report = softcost.report
        return report.notebook_html(report.ExplorerData.from_search(self))

    def _repr_mimebundle_(self, **kwargs):
        bundle = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] = self._repr_html_inner()
        return bundle

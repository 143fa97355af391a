"""Choose softness and the learner's parameters by cross-validation."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from numbers import Integral, Real
from pathlib import Path
from time import perf_counter
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, _fit_context
from sklearn.utils._param_validation import Interval
from sklearn.utils.metaestimators import _BaseComposition, available_if
from sklearn.utils.validation import check_is_fitted

from softcost.costs import costs_changed
from softcost.metrics import Saving, paired_saving, pareto_mask
from softcost.parallel import kept_on_workers
from softcost.reductions import Reduction
from softcost.search.auto import BLEND, ClearlyLeastCost, handicaps
from softcost.search.budget import Budget
from softcost.search.counts import Evidence
from softcost.search.criteria import make_rule
from softcost.search.cross_val import HeldOutPredictions, held_out_predictions
from softcost.search.evidence import calibration_confusion, evidence_of
from softcost.search.mixture import RandomizedPair, best_mix
from softcost.search.optimism import HeldOutRows, Optimism, bootstrap_optimism
from softcost.search.prepare import are_named, given_families, is_auto, prepare
from softcost.search.problem import JointProblem
from softcost.search.progress import CallbackSupportMixin
from softcost.search.rules import (
    ByFunction,
    LeastCost,
    Rule,
    decide,
    reference_rows,
)
from softcost.search.sensitivity import SensitivityMixin
from softcost.search.table import (
    HeldOut,
    cheapest_class,
    constant_answer,
    scikit_learn_results,
    tradeoff_table,
)
from softcost.search.time_limit import raced_predictions, tell_estimate

# Candidates that a search keeps fitted, to be chosen without its training data.


class KeptMixin:
    """Keeps fitted candidates, so that copies and saved models can choose them."""

    best_index_: int
    error_measure_: str
    kept_: dict[int, Reduction]
    tradeoff_: pd.DataFrame

    def keep(self, rows: ArrayLike | None = None) -> Self:
        """Fit candidates, so that `choose` works on copies and saved models, too.

        Parameters
        ----------
        rows : array-like of row numbers of ``tradeoff_``, default=None
            By default the front, what no other candidate beats in both cost and the
            error that counts, and what "auto" means by the least cost; the chosen
            candidate is always among them.

        Returns
        -------
        self
            With ``kept_``, fitted candidates by row. Those that differ in nothing but
            how they decide by the same probabilities share what was fitted.

        Examples
        --------
        >>> import copy
        >>> from sklearn.datasets import load_iris
        >>> from softcost import SoftCostClassifierCV
        >>> X, y = load_iris(return_X_y=True)
        >>> search = SoftCostClassifierCV(cost_matrix=[[0, 1, 5], [1, 0, 5], [9, 9, 0]])
        >>> copied = copy.deepcopy(search.fit(X, y).keep())  # without the data
        >>> other = copied.choose("constrained", max_error=0.2)
        >>> other.best_index_ in other.kept_
        True
        """
        check_is_fitted(self, "tradeoff_")
        self._search_problem("keep")  # type: ignore[attr-defined]
        table = self.tradeoff_
        if rows is None:
            points = table[[self.error_measure_, "cost"]].to_numpy()
            least = self._least_cost().choose(table)  # type: ignore[attr-defined]
            rows = [*np.flatnonzero(pareto_mask(points)), least]
        wanted = {int(row) for row in np.asarray(rows).ravel()} | {self.best_index_}
        if not wanted <= set(range(len(table))):
            raise ValueError(
                f"rows must be rows of tradeoff_, from 0 to {len(table) - 1}, not "
                f"{sorted(wanted)}."
            )
        self.kept_ = self.candidates(sorted(wanted))  # type: ignore[attr-defined]
        return self


def choose_kept(search: Any, rule: Rule) -> None:
    """Choose among kept candidates, where the training data are gone."""
    if isinstance(rule, Budget) and rule.confidence is not None:
        raise ValueError(
            "a confidence is tested with the training rows, which this copy of the "
            "search does not have: fit it again, or leave the confidence out."
        )
    rows = np.array(sorted(search.kept_))
    if isinstance(rule, ClearlyLeastCost):
        rule = rule.of(rows)
    n_actions = len(search.actions_) - len(search.classes_)
    evidence = Evidence(
        classes=search.classes_,
        confusion=search.confusion_[rows].sum(axis=1),
        n_rows=search.n_samples_,
        error_weight=np.ones(len(search.classes_)),
        cost_matrix=None if search.costs_by_example_ else search.cost_matrix_,
        action_error=np.ones(n_actions),
    )
    table = search.tradeoff_.iloc[rows].reset_index(drop=True)
    decision = decide(table, rule, evidence, error=search.error_measure_)
    search.best_index_ = int(rows[decision.row])
    search.guarantee_ = decision.guarantee
    if search.guarantee_ is not None:
        passed = [int(rows[row]) for row in search.guarantee_["passed"]]
        search.guarantee_ = {**search.guarantee_, "passed": passed}
    search.best_estimator_ = search.kept_[search.best_index_]


# What can be done with a finished search: choose, compare, refit, mix.


class ChoiceMixin(SensitivityMixin, KeptMixin):
    """Choices on the trade-off of a search, without another cross-validation.

    The search has set ``tradeoff_``, ``cv_results_`` and ``error_measure_``, and keeps
    its problem, with the training data, and the held-out predictions.
    """

    refit: bool
    random_state: Any
    tradeoff_: pd.DataFrame
    cv_results_: dict[str, Any]
    error_measure_: str
    _problem: JointProblem
    _predicted: list[NDArray[Any]]
    _error_weight: NDArray[np.float64]

    def _choose(self, rule: Rule) -> Self:
        if type(rule) is LeastCost:
            rule = self._least_cost()
        self._chosen_by = rule
        if self._is_only_kept():
            choose_kept(self, rule)
        else:
            evidence = evidence_of(self, self._problem, self._error_weight)
            decision = decide(self.tradeoff_, rule, evidence, error=self.error_measure_)
            self.best_index_, self.guarantee_ = decision.row, decision.guarantee
        self.best_params_ = dict(self.cv_results_["params"][self.best_index_])
        self.best_softness_ = self.best_params_["softness"]
        self.best_score_ = float(self.cv_results_["mean_test_score"][self.best_index_])
        if self.refit and not self._is_only_kept():
            started = perf_counter()
            self.best_estimator_ = self._problem.fitted(self.best_index_)
            self.refit_time_ = perf_counter() - started
        return self

    def _least_cost(self) -> Rule:
        """What is meant by the least cost."""
        handicap = getattr(self, "handicap_", None)
        return LeastCost() if handicap is None else ClearlyLeastCost(handicap)

    def _is_only_kept(self) -> bool:
        """Whether there are fitted candidates, but no data to fit others to."""
        return not hasattr(self, "_problem") and hasattr(self, "kept_")

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
        return self.candidates([index])[index]

    def candidates(self, rows: Iterable[int]) -> dict[int, Reduction]:
        """Candidates of several rows, fitted to all training rows.

        Those that differ in nothing but how they decide by the same probabilities are
        fitted once, and share what was fitted; the chosen candidate is the one that is
        there already.

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
        wanted = list(rows)
        if self._is_only_kept() and all(row in self.kept_ for row in wanted):
            return {row: self.kept_[row] for row in wanted}
        problem = self._search_problem("candidate")
        for row in wanted:
            if not 0 <= row < len(self.tradeoff_):
                raise ValueError(
                    f"index must be a row of tradeoff_, from 0 to "
                    f"{len(self.tradeoff_) - 1}, not {row}."
                )
        known = {}
        if hasattr(self, "best_estimator_"):
            known[self.best_index_] = self.best_estimator_
        return problem.fitted_each(wanted, known)

    def reference_rows(self) -> dict[str, int]:
        """Rows of ``tradeoff_`` to compare: the same wherever results are shown.

        Returns
        -------
        dict of name and row number
            ``"regular"``: the least error of softness 1, as one would choose without
            costs; ``"hard"``: the least cost of softness 0; ``"chosen"``. With "auto"
            the first two are of the blend, which is preferred there. A name without
            candidates is left out.
        """
        check_is_fitted(self, "tradeoff_")
        table, among = self.tradeoff_, None
        if hasattr(self, "handicap_"):
            among = np.flatnonzero(table["family"] == BLEND)
        return reference_rows(
            table, self.best_index_, error=self.error_measure_, among=among
        )

    def choose(
        self,
        criterion: Any = "cost",
        *,
        max_error: float | None = None,
        tolerance: float | str | None = None,
    ) -> Self:
        """Choose another candidate, and refit, without a new cross-validation.

        A copy or a saved model has no training data: it chooses among the candidates
        that `keep` has fitted, by rules that need no test.

        Parameters
        ----------
        criterion, max_error, tolerance
            As in the constructor.

        Returns
        -------
        self
        """
        check_is_fitted(self, "tradeoff_")
        if not self._is_only_kept():
            self._search_problem("choose")
        return self._choose(
            make_rule(criterion, max_error=max_error, tolerance=tolerance)
        )

    def mix(self, max_error: float) -> RandomizedPair:
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
        self._search_problem("mix")
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

    def optimism(self, n_resamples: int = 200, *, random_state: Any = 0) -> Optimism:
        """How flattered the chosen candidate is, as the best of so many.

        The least of many cross-validated costs is partly luck. So the choice is
        repeated on B bootstrap samples of the held-out rows, and paid for on the rows
        that are left over (Tsamardinos, Greasidou and Borboudakis, 2018):

            expected = 1/B sum_b cost(i_b on rows not in sample b),
            i_b = what the criterion chooses on sample b
            optimism = expected - cost(chosen row on all held-out rows)

        No model is trained: held-out predictions are kept. Rows of one group
        (``groups`` of `fit`) are drawn together. A sample has fewer distinct rows than
        the table, so that the estimate leans to the careful side.

        Parameters
        ----------
        n_resamples : int, default=200
            The number B of bootstrap samples.
        random_state : int, RandomState instance or None, default=0
            Seeds the resamples.

        Returns
        -------
        Optimism
            ``cost``, ``expected_cost``, their difference ``optimism``, and ``low`` and
            ``high``, between which 95 % of the costs of the samples are.
        """
        return bootstrap_optimism(
            self._held_out_rows("optimism"),
            self.tradeoff_,
            self._rule_on_tables(),
            chosen=self.best_index_,
            error=self.error_measure_,
            n_resamples=n_resamples,
            random_state=random_state,
        )

    def saving(self, over: str | int = "constant") -> Saving:
        """What the chosen candidate saves per row, with an interval of 95 %.

        Measured on the held-out predictions, row by row. The interval allows for the
        choice among all candidates, see `softcost.metrics.paired_saving`.

        Parameters
        ----------
        over : {"constant", "regular", "hard"} or int, default="constant"
            What it is compared with: always answering the class that is cheapest on
            the training rows of each fold, a row of `reference_rows`, or the row of
            ``tradeoff_`` with this number.

        Returns
        -------
        Saving
        """
        held_out = self._held_out_rows("saving")
        if over == "constant":
            always = [
                np.full(len(test), cheapest_class(held_out.rows.part(train)))
                for train, test in self._problem.folds
            ]
            answers = np.concatenate(always)
        else:
            rows: dict[Any, int] = self.reference_rows()
            rows |= {row: row for row in range(len(self.tradeoff_))}
            if over not in rows:
                known = sorted(self.reference_rows())
                raise ValueError(
                    f"over must be 'constant', one of {known} or a row of tradeoff_, "
                    f"not {over!r}."
                )
            answers = held_out.predicted[rows[over]]
        return paired_saving(
            held_out.rows.realised_cost(answers, held_out.row),
            held_out.paid,
            chosen=self.best_index_,
            groups=held_out.groups[held_out.row],
            weight=held_out.rows.weight[held_out.row],
        )

    def _held_out_rows(self, what: str) -> HeldOutRows:
        check_is_fitted(self, "tradeoff_")
        if not hasattr(self, "_predicted"):
            raise ValueError(
                f"{what} needs the held-out predictions, which did not travel with "
                "this copy of the search: fit it again, or copy one with "
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

    def _rule_on_tables(self) -> Rule:
        """The rule, as one that needs no more than a table.

        What a budget let pass by counts or tests stays what it lets pass.
        """
        rule = self._chosen_by
        if not isinstance(rule, Budget) or not rule.needs_counts:
            return rule
        assert self.guarantee_ is not None
        rows = self.guarantee_["passed"] or [self.best_index_]
        least = "cost" if rule.least == "cost" else self.error_measure_
        return ByFunction(lambda table: table[least].where(table.index.isin(rows)))

    def _search_problem(self, what: str) -> JointProblem:
        if not hasattr(self, "_problem"):
            raise ValueError(
                f"{what} refits, and the training data did not travel with this copy "
                "of the search: fit it again, or copy one with keep_data=True; saved "
                "models never have them."
            )
        return self._problem


def refuse_new_prices(search: Any) -> None:
    """Refuse a price list that was changed after the search was fitted."""
    now, order = search.cost_matrix, search.classes
    for base in search.given_reductions():  # they all have the same prices
        now = base.cost_matrix if now is None else now
        order = base.classes if order is None else order
    learnt = None if search.costs_by_example_ else search.cost_matrix_
    extra = search.actions_[len(search.classes_) :]
    if costs_changed(now, learnt, search.classes_, order, extra):
        raise ValueError(
            "cost_matrix was changed after fit, and the search has chosen by the "
            "prices before: fit it again, or change those of best_estimator_ if it is "
            "a MinimumExpectedCost."
        )


# Which methods a search has: those of the model that it chose.


Method = TypeVar("Method", bound=Callable[..., Any])


def available(check: Callable[[Any], bool]) -> Callable[[Method], Method]:
    """scikit-learn's ``available_if``, which keeps the types of a method."""
    return available_if(check)


def is_refitted(search: Any) -> bool:
    """Whether the search has, or will have, a model to predict with."""
    if hasattr(search, "best_estimator_") or search.refit:
        return True
    raise AttributeError(
        "the search was made with refit=False: set refit=True to predict."
    )


def has_method(method: str) -> Callable[[Any], bool]:
    """Whether the chosen candidate, or before a fit every reduction, has a method."""

    def check(search: Any) -> bool:
        chosen = getattr(search, "best_estimator_", None)
        models = search.given_reductions() if chosen is None else [chosen]
        has_it = bool(models) and all(hasattr(one, method) for one in models)
        return is_refitted(search) and has_it

    return check


# The explorer page of a search, in a file or in a notebook.


class ExplorerMixin:
    """Shows a fitted search as a page.

    ``softcost.report`` knows how; it is asked for through the top-level package, which
    imports lazily, so that searches do not depend on it otherwise.
    """

    def to_html(self, path: str | Path, **details: Any) -> Path:
        """Write the explorer: one HTML page to choose on the trade-off.

        Parameters
        ----------
        path : str or path
            Where to.
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

    def _repr_html_inner(self) -> str:
        """The explorer in a notebook, once there is something to explore."""
        if not hasattr(self, "tradeoff_"):
            return super()._repr_html_inner()  # type: ignore[misc]
        import softcost

        report = softcost.report
        return report.notebook_html(report.ExplorerData.from_search(self))

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] = self._repr_html_inner()
        return bundle


# From held-out predictions to what a search has learnt of its candidates.


# What a fit may leave out.
_NOT_ALWAYS = (
    "best_estimator_", "refit_time_", "mix_", "portfolio_", "feature_names_in_",
    "calibration_confusion_", "paid_", "skipped_", "kept_", "handicap_",
)  # fmt: skip


def tabulate(
    search: Any, problem: JointProblem, predictions: HeldOutPredictions
) -> None:
    """Measure held-out predictions: all that is learnt but for the choice."""
    rows, weighted = problem.rows, problem.weights_errors
    counted = rows if weighted else replace(rows, error_weight="balanced")
    held_out = HeldOut.measured(
        rows, problem.tests, predictions.numbers, counted.weight_of_errors
    )
    for name in _NOT_ALWAYS:
        if hasattr(search, name):  # of an earlier fit
            delattr(search, name)
    for name, value in problem.features.items():
        setattr(search, name, value)
    search.classes_, search.actions_ = rows.classes, rows.actions
    search.n_splits_ = len(problem.folds)
    search.n_samples_ = len(rows.y)
    search.costs_by_example_ = rows.by_example
    search.error_measure_ = "weighted_error" if weighted else "error"
    search.cost_matrix_ = rows.raw_matrix
    if search.cost_matrix_ is None:
        search.cost_matrix_ = rows.class_means(rows.in_users_units)
    search.constant_ = constant_answer(rows, problem.folds, held_out.error_weight)
    search.confusion_ = held_out.confusion
    if rows.by_example:
        answers = (problem.tests, predictions.numbers)
        search.paid_ = HeldOut.paid_by_answer(rows, *answers)
    search.tradeoff_ = tradeoff_table(held_out, problem.candidates)
    search.cv_results_ = scikit_learn_results(
        search.tradeoff_, problem.candidates, held_out, predictions.times
    )
    if problem.blend is not None:
        search.handicap_ = handicaps(problem, predictions.numbers, search.tradeoff_)
    search._problem, search._predicted = problem.quiet(), predictions.numbers
    search._error_weight = held_out.error_weight
    if problem.calibration is not None:
        search.calibration_confusion_ = calibration_confusion(problem)


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

    Learners that declare a path (`softcost.learners.SupportsPath`), such as the kernel
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
    cv : int, splitter or iterable of (train, test), default=None
        An int asks for stratified folds, shuffled if ``random_state`` is set; a fold
        may lack a class. None uses 5 folds, and 3 above 50,000 rows. Above 50,000 rows
        "auto" evaluates candidates on 3 stratified samples instead, each of 30,000
        training and 20,000 held-out rows, and refits the chosen candidate on all rows;
        the test of a ``Budget`` with a confidence always uses folds.
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
        What is known of the limits of a `Budget`, see `softcost.search.Decision`.
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
        cv: Any = None,
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

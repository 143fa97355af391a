"""What can be done with a finished search: choose, compare, refit, mix."""

from collections.abc import Iterable
from time import perf_counter
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from softcost.costs import prices_changed
from softcost.metrics import Saving, paired_saving
from softcost.reductions import Reduction
from softcost.selection import (
    Budget,
    ByFunction,
    LeastCost,
    Rule,
    decide,
    make_rule,
    reference_rows,
)
from softcost.soft._constant import cheapest_class
from softcost.soft._evidence import evidence_of
from softcost.soft._kept import KeptMixin, choose_kept
from softcost.soft._mix import RandomizedPair, best_mix
from softcost.soft._optimism import HeldOutRows, Optimism, bootstrap_optimism
from softcost.soft._portfolio import BLEND
from softcost.soft._problem import JointProblem
from softcost.soft._sensitivity import SensitivityMixin
from softcost.soft._steady import ClearlyLeastCost


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
            held_out.rows.paid(answers, held_out.row),
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
    if prices_changed(now, learnt, search.classes_, order, extra):
        raise ValueError(
            "cost_matrix was changed after fit, and the search has chosen by the "
            "prices before: fit it again, or change those of best_estimator_ if it is "
            "a MinimumExpectedCost."
        )

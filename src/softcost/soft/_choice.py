"""What can be done with a finished search: choose, compare, refit, mix."""

from time import perf_counter
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from softcost.costs import class_costs
from softcost.reductions import Reduction
from softcost.selection import Rule, choose_row, make_rule, reference_rows
from softcost.soft._mix import RandomizedPair, best_mix
from softcost.soft._problem import SearchProblem


class ChoiceMixin:
    """Choices on the trade-off of a search, without another cross-validation.

    The search has set ``tradeoff_``, ``cv_results_`` and ``error_measure_``, and keeps
    its problem, with the training data, until it is saved.
    """

    refit: bool
    random_state: Any
    tradeoff_: pd.DataFrame
    cv_results_: dict[str, Any]
    error_measure_: str
    _problem: SearchProblem

    def _choose(self, rule: Rule) -> Self:
        self.best_index_ = choose_row(self.tradeoff_, rule, error=self.error_measure_)
        self.best_params_ = dict(self.cv_results_["params"][self.best_index_])
        self.best_softness_ = self.best_params_["softness"]
        self.best_score_ = float(self.cv_results_["mean_test_score"][self.best_index_])
        if self.refit:
            started = perf_counter()
            self.best_estimator_ = self.candidate(self.best_index_)
            self.refit_time_ = perf_counter() - started
        return self

    def candidate_params(self, index: int) -> dict[str, Any]:
        """Parameters of a row of ``tradeoff_``, without softness."""
        check_is_fitted(self, "tradeoff_")
        params = dict(self.cv_results_["params"][index])
        params.pop("softness")
        return params

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
        check_is_fitted(self, "tradeoff_")
        problem = self._search_problem("candidate")
        if not 0 <= index < len(self.tradeoff_):
            raise ValueError(
                f"index must be a row of tradeoff_, from 0 to "
                f"{len(self.tradeoff_) - 1}, not {index}."
            )
        model = problem.model(problem.candidates[index])
        return model.fit_checked(problem.data)

    def reference_rows(self) -> dict[str, int]:
        """Rows of ``tradeoff_`` to compare: the same wherever results are shown.

        Returns
        -------
        dict of name and row number
            ``"regular"``: the least error of softness 1, as one would choose without
            costs; ``"hard"``: the least cost of softness 0; ``"chosen"``. A name
            without candidates is left out.
        """
        check_is_fitted(self, "tradeoff_")
        return reference_rows(
            self.tradeoff_, self.best_index_, error=self.error_measure_
        )

    def choose(
        self,
        criterion: Any = "cost",
        *,
        max_error: float | None = None,
        tolerance: float | str | None = None,
    ) -> Self:
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

    def _search_problem(self, what: str) -> SearchProblem:
        if not hasattr(self, "_problem"):
            raise ValueError(
                f"{what} refits, and the training data did not travel with this saved "
                "search: fit it again."
            )
        return self._problem


def refuse_new_prices(search: Any) -> None:
    """Refuse a price list that was changed after the search was fitted."""
    base = search.base_reduction()
    now = base.cost_matrix if search.cost_matrix is None else search.cost_matrix
    if search.costs_by_example_:
        changed = now is not None
    else:
        order = base.classes if search.classes is None else search.classes
        found = class_costs(now, search.classes_, classes=order)
        changed = not np.array_equal(found, search.cost_matrix_)
    if changed:
        raise ValueError(
            "cost_matrix was changed after fit, and the search has chosen by the "
            "prices before: fit it again, or change those of best_estimator_ if it is "
            "a MinimumExpectedCost."
        )

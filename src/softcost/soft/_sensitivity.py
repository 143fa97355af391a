"""How sure the choice of a finished search is."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from softcost.selection import Rule
from softcost.sensitivity import (
    PricedChoice,
    Sensitivity,
    box_regret,
    cost_differences,
    price_intervals,
    scenario_regret,
)
from softcost.soft._evidence import evidence_of
from softcost.soft._problem import JointProblem


class SensitivityMixin:
    """What other prices, or other rows, would have made of the choice."""

    tradeoff_: pd.DataFrame
    confusion_: NDArray[np.float64]
    cost_matrix_: Any
    costs_by_example_: bool
    cv_results_: dict[str, Any]
    error_measure_: str
    best_index_: int
    actions_: NDArray[Any]
    guarantee_: dict[str, Any] | None
    _problem: JointProblem
    _predicted: list[NDArray[Any]]
    _error_weight: NDArray[np.float64]
    _chosen_by: Rule

    def sensitivity(
        self,
        scenarios: Any = None,
        *,
        price_range: Any = None,
        n_bootstrap: int = 1000,
        confidence: float = 0.95,
        random_state: Any = 0,
    ) -> Sensitivity:
        """How sure the choice is, when prices are guesses and rows are few.

        Costs are linear in prices, so that all of it follows exactly from the held-out
        predictions; no model is trained again.

        Parameters
        ----------
        scenarios : list of cost matrices, or dict by name, default=None
            Other prices: what would be chosen, and the candidate with the least worst
            regret over all of them.
        price_range : pair of cost matrices, default=None
            The same over all prices between the first and the second.
        n_bootstrap : int, default=1000
            Resamples of the held-out rows for the intervals of differences; rows of one
            group (``groups`` of `fit`) are drawn together.
        confidence : float, default=0.95
            Of these intervals.
        random_state : int, Generator or None, default=0
            Seeds the resamples.

        Returns
        -------
        softcost.sensitivity.Sensitivity
            ``prices``: for every price the interval within which the same candidate is
            chosen. ``first``: the price that turns the choice first. ``differences``:
            intervals of the differences of cost between the chosen, hard and regular
            rows. ``scenarios`` and ``price_range``: regrets, where asked for.

        Notes
        -----
        With costs by example a price is the mean of its kind, and moves by the same
        amount for all examples of the kind; normalised costs and scenarios are refused
        there. Every rule of `softcost.selection` is followed, but for functions and
        budgets of costs with a confidence.
        """
        check_is_fitted(self, "tradeoff_")
        if not hasattr(self, "_predicted"):
            raise ValueError(
                "sensitivity needs the held-out predictions, which did not travel with "
                "this saved search: fit it again."
            )
        priced = self._priced_choice()
        eligible = np.ones(len(self.tradeoff_), bool)
        if self.guarantee_ is not None and self.guarantee_["passed"]:
            passed = self.guarantee_["passed"]
            eligible = np.isin(np.arange(len(eligible)), passed)
        return Sensitivity(
            chosen=self.best_index_,
            prices=price_intervals(priced),
            differences=self._differences(n_bootstrap, confidence, random_state),
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
            evidence=evidence_of(self, self._problem, self._error_weight),
            by_example=self.costs_by_example_,
            error=self.error_measure_,
        )

    def _differences(
        self, n_bootstrap: int, confidence: float, random_state: Any
    ) -> pd.DataFrame:
        problem = self._problem
        rows, tests = problem.rows, np.concatenate(problem.tests)
        predicted = np.concatenate(self._predicted, axis=1)
        # The chosen one first: its differences are what people ask for.
        named = dict(reversed(self.reference_rows().items()))  # type: ignore[attr-defined]
        weight, group = rows.weight[tests], problem.groups[tests]
        counts = _sums(weight, group)
        return cost_differences(
            {
                name: _sums(rows.paid(predicted[row], tests) * weight, group)[
                    counts > 0
                ]
                for name, row in named.items()
            },
            counts[counts > 0],
            n_bootstrap=n_bootstrap,
            confidence=confidence,
            random_state=random_state,
        )


def _sums(values: NDArray[np.float64], group: NDArray[np.intp]) -> NDArray[np.float64]:
    """Sums by group of rows, which are drawn together."""
    return np.bincount(group, values).astype(np.float64, copy=False)

"""Candidates that a search keeps fitted, to be chosen without its training data."""

from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from softcost.metrics import pareto_mask
from softcost.reductions import Reduction
from softcost.selection import Budget, Evidence, Rule, decide
from softcost.soft._steady import ClearlyLeastCost


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

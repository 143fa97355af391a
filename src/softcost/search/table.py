"""Measure held-out predictions: the trade-off table and everything derived from it.

The table has one row per candidate. `scikit_learn_results` has the same numbers in the
form of ``cv_results_``, `constant_answer` those of the best constant prediction,
`search_evidence` the counts that budgets test, and `HeldOutRows` the single rows that
bootstrap estimates resample.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata

from softcost.costs import RowCosts
from softcost.metrics import confusion_counts, measures_from_confusion, pareto_mask
from softcost.search.counts import Evidence
from softcost.search.problem import Candidate, Fold, JointProblem

# Held-out predictions per block: bounds the memory of `HeldOutRows` to a few dozen
# megabytes for hundreds of candidates.
_BLOCK = 4096


@dataclass(frozen=True)
class HeldOut:
    """Cost and confusion of the held-out predictions of all candidates.

    Attributes
    ----------
    confusion : array of shape (n_candidates, n_folds, K, A)
        Weight of rows by true class and answer.
    paid : array of shape (n_candidates, n_folds)
        Total cost in the user's units.
    least : array of shape (n_folds,)
        Total cost of correct predictions.
    unit : float
        Average cost of a mistake.
    error_weight : array of shape (K,)
        Weight of an error by true class.
    action_error : array of shape (A - K,)
        How much each action counts as an error.
    """

    confusion: NDArray[np.float64]
    paid: NDArray[np.float64]
    least: NDArray[np.float64]
    unit: float
    error_weight: NDArray[np.float64]
    action_error: NDArray[np.float64]

    @classmethod
    def measured(
        cls,
        rows: RowCosts,
        tests: Sequence[NDArray[np.intp]],
        predicted: Sequence[NDArray[np.intp]],
        error_weight: NDArray[np.float64],
    ) -> "HeldOut":
        """Measure predictions of shape (n_candidates, n_test) for every fold."""
        weight, cheapest = rows.weight, rows.least_cost() * rows.weight
        folds = list(zip(tests, predicted, strict=True))
        counts = [
            confusion_counts(
                rows.y[test], chosen, rows.n_classes, weight[test], rows.n_actions
            )
            for test, chosen in folds
        ]
        if rows.raw_matrix is not None:
            paid = [(count * rows.raw_matrix).sum(axis=(1, 2)) for count in counts]
        else:  # one candidate at a time: a fold may have a million rows
            paid = [
                np.array(
                    [
                        rows.realised_cost(answers, test) @ weight[test]
                        for answers in chosen
                    ]
                )
                for test, chosen in folds
            ]
        return cls(
            confusion=np.stack(counts, axis=1),
            paid=np.stack(paid, axis=1),
            least=np.array([cheapest[test].sum() for test in tests]),
            unit=rows.average_mistake(),
            error_weight=error_weight,
            action_error=rows.action_error,
        )

    def pooled(self) -> dict[str, NDArray[np.float64]]:
        """Measures over all held-out predictions."""
        return self._measures(self.confusion.sum(1), self.paid.sum(1), self.least.sum())

    def by_fold(self) -> dict[str, NDArray[np.float64]]:
        """Measures of shape (n_candidates, n_folds)."""
        return self._measures(self.confusion, self.paid, self.least)

    def _measures(self, confusion: Any, paid: Any, least: Any) -> dict[str, Any]:
        return measures_from_confusion(
            confusion,
            paid,
            least_cost=least,
            mistake_cost=self.unit,
            error_weight=self.error_weight,
            action_error=self.action_error,
        )


def measure(problem: JointProblem, predicted: Sequence[NDArray[np.intp]]) -> HeldOut:
    """Measure the held-out predictions of a search.

    Without ``error_weight`` the weighted error is the balanced one, for information.
    """
    rows = problem.rows
    weighted = (
        rows if problem.weights_errors else replace(rows, error_weight="balanced")
    )
    return HeldOut.measured(rows, problem.tests, predicted, weighted.weight_of_errors)


def realised_costs(
    problem: JointProblem, predicted: Sequence[NDArray[np.intp]]
) -> NDArray[np.float64]:
    """Total held-out cost by true class and answer, shape (n_candidates, K, A)."""
    rows = problem.rows
    total = np.zeros((len(predicted[0]), rows.n_classes, rows.n_actions))
    for test, answers in zip(problem.tests, predicted, strict=True):
        cost = rows.realised_cost(answers, test) * rows.weight[test]
        total += confusion_counts(
            rows.y[test], answers, rows.n_classes, cost, rows.n_actions
        )
    return total


def tradeoff_table(held_out: HeldOut, candidates: Sequence[Candidate]) -> pd.DataFrame:
    """One row per candidate: pooled means over all held-out predictions.

    Standard errors are those of the mean of the folds. ``on_front`` marks the Pareto
    front of cost and error. With several families, ``family`` is the first column.
    """
    settings = [candidate.settings for candidate in candidates]
    columns: dict[str, Any] = {}
    for name in dict.fromkeys(name for values in settings for name in values):
        columns[name] = [values.get(name, np.nan) for values in settings]
    measured = measured_rows(held_out)
    front = pareto_mask(np.column_stack([measured["error"], measured["cost"]]))
    return pd.DataFrame(columns | measured | {"on_front": front})


def measured_rows(held_out: HeldOut) -> dict[str, NDArray[np.float64]]:
    """Pooled measures of every candidate, and standard errors of the mean of folds."""
    pooled, by_fold = held_out.pooled(), held_out.by_fold()
    n_candidates, n_folds = held_out.confusion.shape[:2]
    columns: dict[str, NDArray[np.float64]] = {}
    for name in pooled:
        columns[name] = pooled[name]
        deviation = np.full(n_candidates, np.nan)
        if n_folds > 1:
            deviation = by_fold[name].std(axis=1, ddof=1)
        columns[f"{name}_se"] = deviation / np.sqrt(n_folds)
    return columns


def scikit_learn_results(
    table: pd.DataFrame,
    candidates: Sequence[Candidate],
    held_out: HeldOut,
    times: Mapping[str, NDArray[np.float64]],
) -> dict[str, Any]:
    """``cv_results_`` as `sklearn.model_selection.GridSearchCV` has it.

    Parameters
    ----------
    table : DataFrame
        The trade-off table; its columns are included under their own names.
    candidates : sequence of Candidate
        One for each row of the table.
    held_out : HeldOut
        Cost of every fold.
    times : dict of arrays of shape (n_candidates, n_folds)
        Seconds for "fit" and "score"; empty if they were not measured.
    """
    params = [candidate.settings for candidate in candidates]
    results: dict[str, Any] = {"params": params}
    names = list(dict.fromkeys(name for values in params for name in values))
    for name in names:
        column = [values.get(name, _ABSENT) for values in params]
        results[f"param_{name}"] = _masked(column)
    for name, seconds in times.items():
        results[f"mean_{name}_time"] = seconds.mean(axis=1)
        results[f"std_{name}_time"] = seconds.std(axis=1)
    scores = -held_out.by_fold()["cost"]
    for fold, fold_scores in enumerate(scores.T):
        results[f"split{fold}_test_score"] = fold_scores
    results["mean_test_score"] = scores.mean(axis=1)
    results["std_test_score"] = scores.std(axis=1)
    ranks = rankdata(-results["mean_test_score"], method="min")
    results["rank_test_score"] = ranks.astype(np.int32)
    for name in table.columns.difference(names):
        results[name] = table[name].to_numpy()
    return results


_ABSENT = object()  # marks a parameter that a candidate's family does not have


def _masked(values: list[Any]) -> Any:
    """Values as a masked array; absent ones are masked."""
    absent = [value is _ABSENT for value in values]
    present = [value for value in values if value is not _ABSENT]
    plain = all(np.ndim(value) == 0 for value in present)
    if plain and not any(absent):
        return np.ma.array(values)
    data = np.empty(len(values), object)
    data[:] = [None if value is _ABSENT else value for value in values]
    return np.ma.array(data, mask=absent)


def cheapest_class(rows: RowCosts) -> int:
    """Number of the answer with the lowest total cost over all rows."""
    return int(rows.totals().argmin())


def constant_predictions(
    rows: RowCosts, folds: Sequence[Fold]
) -> list[NDArray[np.intp]]:
    """For the held-out rows of each fold, the cheapest answer of its training rows."""
    return [
        np.full(len(test), cheapest_class(rows.part(train))) for train, test in folds
    ]


def constant_answer(
    rows: RowCosts, folds: Sequence[Fold], error_weight: NDArray[np.float64]
) -> dict[str, Any]:
    """The cheapest constant prediction and its held-out measures: a baseline.

    Returns
    -------
    dict
        ``label`` (the cheapest on all rows), and the measures of the trade-off table
        with their standard errors.
    """
    predicted = [answers[None] for answers in constant_predictions(rows, folds)]
    tests = [test for _, test in folds]
    held_out = HeldOut.measured(rows, tests, predicted, error_weight)
    measures = {
        name: float(values[0]) for name, values in measured_rows(held_out).items()
    }
    return {"label": rows.actions[[cheapest_class(rows)]].tolist()[0], **measures}


def search_evidence(
    problem: JointProblem,
    confusion: NDArray[np.float64],
    error_weight: NDArray[np.float64],
    holdout: NDArray[np.float64] | None,
) -> Evidence:
    """Counts of a search, for the tests of budgets.

    Parameters
    ----------
    problem : JointProblem
        What was searched.
    confusion : array of shape (n_candidates, n_folds, K, A)
        Held-out weight by true class and answer.
    error_weight : array of shape (K,)
        Weight of an error by true class.
    holdout : array of shape (n_candidates, K, A) or None
        The same counts for rows that took no part in training and choosing.
    """
    split = problem.holdout
    weight = (problem.rows if split is None else split.rows).weight
    weight = weight[weight > 0]
    unit = weight[0]  # weights to counts, if all rows have the same weight
    return Evidence(
        classes=problem.rows.classes,
        confusion=confusion.sum(axis=1) / unit,
        n_rows=len(np.unique(np.concatenate(problem.tests))),
        error_weight=error_weight,
        cost_matrix=problem.rows.raw_matrix,
        holdout=None if holdout is None else holdout / unit,
        action_error=problem.rows.action_error,
        equal_weights=bool((weight == unit).all()),
    )


@dataclass(frozen=True)
class HeldOutRows:
    """Predictions for held-out rows, to be resampled row by row.

    Attributes
    ----------
    rows : RowCosts
        Labels, costs and weights of all rows.
    groups : array of shape (n,)
        Rows with the same number are drawn together.
    row : array of shape (n_predictions,)
        The row that each prediction is for; a row may be held out more than once.
    predicted : array of shape (n_candidates, n_predictions)
        Numbers of the predicted answers.
    error_weight : array of shape (K,)
        Weight of an error by true class.
    """

    rows: RowCosts
    groups: NDArray[np.intp]
    row: NDArray[np.intp]
    predicted: NDArray[Any]
    error_weight: NDArray[np.float64]

    def blocks(self) -> Iterator[tuple[int, NDArray[np.intp], NDArray[Any]]]:
        """True class, rows and predictions, in blocks."""
        truth = self.rows.y[self.row]
        for k in range(self.rows.n_classes):
            places = np.flatnonzero(truth == k)
            for start in range(0, len(places), _BLOCK):
                block = places[start : start + _BLOCK]
                yield k, self.row[block], self.predicted[:, block]

    def paid(self, predictions: NDArray[np.intp]) -> NDArray[np.float64]:
        """Cost of some predictions, shape (n_candidates, n_predictions)."""
        return self.rows.realised_cost(
            self.predicted[:, predictions], self.row[predictions]
        )

    def mean_costs(
        self, counts: NDArray[Any], group_of: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """Only the mean costs of `measured`."""
        paid, total = np.zeros((len(counts), len(self.predicted))), 0.0
        for _, row, predicted in self.blocks():
            weight = counts[:, group_of[row]] * self.rows.weight[row]
            paid += weight @ self.rows.realised_cost(predicted, row).T
            total = total + weight.sum(axis=1, keepdims=True)
        return paid / total

    def measured(
        self, counts: NDArray[Any], group_of: NDArray[np.intp]
    ) -> dict[str, NDArray[np.float64]]:
        """Measures of all candidates on resampled groups of rows.

        Parameters
        ----------
        counts : array of shape (n_resamples, n_groups)
            How often each group was drawn.
        group_of : array of shape (n,)
            The group of each row.

        Returns
        -------
        dict of arrays of shape (n_resamples, n_candidates)
        """
        shape, cheapest = (len(counts), len(self.predicted)), self.rows.least_cost()
        confusion = np.zeros((*shape, self.rows.n_classes, self.rows.n_actions))
        paid, least = np.zeros(shape), np.zeros((len(counts), 1))
        for k, row, predicted in self.blocks():
            weight = counts[:, group_of[row]] * self.rows.weight[row]
            paid += weight @ self.rows.realised_cost(predicted, row).T
            least += (weight @ cheapest[row])[:, None]
            for j in np.unique(predicted):
                confusion[:, :, k, j] += weight @ (predicted == j).T
        return measures_from_confusion(
            confusion,
            paid,
            least_cost=least,
            mistake_cost=self.rows.average_mistake(),
            error_weight=self.error_weight,
            action_error=self.rows.action_error,
        )

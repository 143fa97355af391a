"""The trade-off table: one row per candidate, measured on held-out predictions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata

from softcost.costs import RowCosts
from softcost.metrics import confusion_counts, measures_from_confusion, pareto_mask
from softcost.search.problem import Candidate, Fold


@dataclass(frozen=True)
class HeldOut:
    """What held-out predictions of all candidates cost and where they are wrong.

    Attributes
    ----------
    confusion : array of shape (n_candidates, n_folds, K, A)
        Weight of rows by true class and answer.
    paid : array of shape (n_candidates, n_folds)
        Total cost in the user's units.
    least : array of shape (n_folds,)
        What right predictions would have cost.
    unit : float
        Average cost of a mistake.
    error_weight : array of shape (K,)
    action_error : array of shape (A - K,)
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
        else:  # one model after the other: a fold may have a million rows
            paid = [
                np.array(
                    [rows.realised_cost(one, test) @ weight[test] for one in chosen]
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

    @staticmethod
    def paid_by_answer(
        rows: RowCosts,
        tests: Sequence[NDArray[np.intp]],
        predicted: Sequence[NDArray[np.intp]],
    ) -> NDArray[np.float64]:
        """What was paid in all by true class and answer, shape (n_candidates, K, A)."""
        total = np.zeros((len(predicted[0]), rows.n_classes, rows.n_actions))
        for test, chosen in zip(tests, predicted, strict=True):
            paid = rows.realised_cost(chosen, test) * rows.weight[test]
            total += confusion_counts(
                rows.y[test], chosen, rows.n_classes, paid, rows.n_actions
            )
        return total

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


def tradeoff_table(held_out: HeldOut, candidates: Sequence[Candidate]) -> pd.DataFrame:
    """One row per candidate: pooled means over all held-out predictions.

    Standard errors are those of the mean of the folds. ``on_front`` marks candidates
    that no other beats in both cost and error. ``family`` comes first, where there are
    several.
    """
    settings = [one.settings for one in candidates]
    columns: dict[str, Any] = {}
    for name in dict.fromkeys(name for one in settings for name in one):
        columns[name] = [one.get(name, np.nan) for one in settings]
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


# The trade-off table in scikit-learn's form.


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
        The trade-off table; its columns are there, too, under their own names.
    candidates : sequence of Candidate
        Its rows.
    held_out : HeldOut
    times : dict of arrays of shape (n_candidates, n_folds)
        Seconds for "fit" and "score", if they are known.
    """
    params = [one.settings for one in candidates]
    results: dict[str, Any] = {"params": params}
    names = list(dict.fromkeys(name for one in params for name in one))
    for name in names:
        results[f"param_{name}"] = _masked([one.get(name, _ABSENT) for one in params])
    for name, seconds in times.items():
        results[f"mean_{name}_time"] = seconds.mean(axis=1)
        results[f"std_{name}_time"] = seconds.std(axis=1)
    scores = -held_out.by_fold()["cost"]
    for fold, of_fold in enumerate(scores.T):
        results[f"split{fold}_test_score"] = of_fold
    results["mean_test_score"] = scores.mean(axis=1)
    results["std_test_score"] = scores.std(axis=1)
    ranks = rankdata(-results["mean_test_score"], method="min")
    results["rank_test_score"] = ranks.astype(np.int32)
    for name in table.columns.difference(names):
        results[name] = table[name].to_numpy()
    return results


_ABSENT = object()


def _masked(values: list[Any]) -> Any:
    """Values as a masked array; those that a candidate lacks are masked."""
    absent = [value is _ABSENT for value in values]
    given = [value for value in values if value is not _ABSENT]
    plain = all(np.ndim(value) == 0 for value in given)
    if plain and not any(absent):
        return np.ma.array(values)
    data = np.empty(len(values), object)
    data[:] = [None if value is _ABSENT else value for value in values]
    return np.ma.array(data, mask=absent)


# The best constant answer: what a model has to beat.


def cheapest_class(rows: RowCosts) -> int:
    """Number of the answer that is cheapest for all rows together."""
    return int(rows.totals().argmin())


def constant_answer(
    rows: RowCosts, folds: Sequence[Fold], error_weight: NDArray[np.float64]
) -> dict[str, Any]:
    """The label that is cheapest to answer always, and what that costs, held out.

    In every fold the cheapest class of the training rows answers for the others.

    Returns
    -------
    dict
        ``label`` (by all rows), and the measures of the trade-off table with their
        standard errors.
    """
    predicted = [
        np.full((1, len(test)), cheapest_class(rows.part(train)))
        for train, test in folds
    ]
    tests = [test for _, test in folds]
    held_out = HeldOut.measured(rows, tests, predicted, error_weight)
    found = {name: float(values[0]) for name, values in measured_rows(held_out).items()}
    return {"label": rows.actions[[cheapest_class(rows)]].tolist()[0], **found}

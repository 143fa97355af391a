"""The trade-off table in scikit-learn's form."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata

from softcost.soft._problem import Candidate
from softcost.soft._table import HeldOut


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

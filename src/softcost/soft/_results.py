"""The trade-off table in scikit-learn's form."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from softcost.soft._problem import Candidate


def scikit_learn_results(
    table: pd.DataFrame, candidates: Sequence[Candidate], n_folds: int
) -> dict[str, Any]:
    """``cv_results_`` as `sklearn.model_selection.GridSearchCV` has it.

    Parameters
    ----------
    table : DataFrame
        The trade-off table.
    candidates : sequence of Candidate
        Its rows.
    n_folds : int
    """
    params = [{"softness": one.softness, **one.params} for one in candidates]
    results: dict[str, Any] = {"params": params}
    for name in params[0]:
        results[f"param_{name}"] = np.ma.array([one[name] for one in params])
    for name in table.columns.difference(list(params[0])):
        results[name] = table[name].to_numpy()
    results["mean_test_score"] = -table["cost"].to_numpy()
    results["std_test_score"] = table["cost_se"].to_numpy() * np.sqrt(n_folds)
    results["rank_test_score"] = (
        table["cost"].rank(method="min").to_numpy().astype(np.int32)
    )
    return results

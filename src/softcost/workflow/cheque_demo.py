"""The demonstration: amounts on cheques, read with and without the costs."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from softcost.metrics import paired_saving
from softcost.report import saving_facts
from softcost.search import SoftCostClassifierCV
from softcost.workflow.assessment import measure, saving_percent

TRAINING_ROWS = 300
SPLITS = 10
UNDERPAYMENT = 0.1  # cost of a euro paid too little; a euro paid too much costs 1
REGULAR, CHOSEN = "regular", "softcost"


def cheque_costs() -> np.ndarray:
    """The cost of reading digit j for a true digit i, ``[i, j]``."""
    digits = np.arange(10.0)
    too_much = digits[np.newaxis, :] - digits[:, np.newaxis]
    return np.where(too_much > 0, too_much, -UNDERPAYMENT * too_much)


def cheque_splits(
    seed: int,
) -> tuple[SoftCostClassifierCV, int, dict[str, dict[str, Any]], list[str]]:
    """Train on every split.

    Returns
    -------
    search : SoftCostClassifierCV
        The search of the split with the median saving, which is more typical than
        any fixed split.
    n_test : int
        Number of test rows of every split.
    summary : dict
        Means by model, see `summarise`.
    measures : list of str
        Names of the measures.
    """
    X, y = load_digits(return_X_y=True)
    costs = cheque_costs()
    searches, splits = zip(
        *(evaluate_split(X, y, costs, seed + number) for number in range(SPLITS)),
        strict=True,
    )
    savings = [split[REGULAR]["cost"] - split[CHOSEN]["cost"] for split in splits]
    median = np.argsort(savings, kind="stable")[SPLITS // 2]
    n_test = len(y) - TRAINING_ROWS
    return searches[median], n_test, summarise(splits), list(splits[0][CHOSEN])


def evaluate_split(
    X: Any, y: Any, costs: Any, seed: int
) -> tuple[SoftCostClassifierCV, dict[Any, Any]]:
    """Fit the default to a sample; measure it and the regular model on other rows.

    The regular model is the same blend, but predicts the most probable class.
    """
    train, test = train_test_split(
        np.arange(len(y)), train_size=TRAINING_ROWS, stratify=y, random_state=seed
    )
    search = SoftCostClassifierCV(cost_matrix=costs, random_state=seed)
    search.fit(X[train], y[train])
    rows = search.reference_rows()
    results = {}
    for name, row in ((REGULAR, rows["regular"]), (CHOSEN, rows["chosen"])):
        predicted = search.candidate(row).predict(X[test])
        results[name] = measure(y[test], predicted, costs[y[test]], search.classes_)
    return search, results


def summarise(splits: Sequence[dict[str, dict[str, Any]]]) -> dict[str, dict[str, Any]]:
    """Means and standard errors over the splits, and savings against regular."""
    summary: dict[str, dict[str, Any]] = {}
    regular_costs = [split[REGULAR]["cost"] for split in splits]
    for name in splits[0]:
        facts: dict[str, Any] = {}
        for key in splits[0][name]:
            values = np.array([split[name][key] for split in splits], float)
            facts[key] = float(values.mean())
            facts[f"{key}_se"] = float(values.std(ddof=1) / np.sqrt(len(values)))
        costs = [split[name]["cost"] for split in splits]
        facts["cheaper_than_regular"] = sum(np.less(costs, regular_costs).tolist())
        facts["saving"] = saving_facts(paired_saving(regular_costs, costs))
        summary[name] = facts
    for facts in summary.values():
        facts["saving_percent"] = saving_percent(
            facts["cost"], summary[REGULAR]["cost"]
        )
    return summary

"""The demonstration: amounts on cheques, read with regular, hard and soft models."""

from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from softcost.metrics import paired_saving
from softcost.reductions import OneSidedRegression
from softcost.report import saving_facts
from softcost.search import SoftCostClassifierCV
from softcost.workflow.assessment import measure, saving_percent

N_DIGITS = 1797  # in scikit-learn's table
TRAINING_ROWS = 300
SPLITS = 10
TOO_LITTLE = 0.1  # what a euro paid too little costs; one paid too much costs one
NAMES = {"regular": "regular", "hard": "hard", "chosen": "soft"}


def cheque_costs() -> np.ndarray:
    """What reading digit j for a true digit i costs, ``[i, j]``."""
    digits = np.arange(10.0)
    too_much = digits[np.newaxis, :] - digits[:, np.newaxis]
    return np.where(too_much > 0, too_much, -TOO_LITTLE * too_much)


def cheque_splits(
    seed: int,
) -> tuple[SoftCostClassifierCV, dict[str, dict[str, Any]], list[str]]:
    """Train on every split.

    Returns
    -------
    search : SoftCostClassifierCV
        Of the first split.
    summary : dict
        Means by model, see `summarise`.
    measures : list of str
        Names of the measures.
    """
    X, y = load_digits(return_X_y=True)
    costs = cheque_costs()
    splits = []
    first: SoftCostClassifierCV | None = None
    for number in range(SPLITS):
        search, results = one_split(X, y, costs, seed + number)
        splits.append(results)
        first = first or search
    assert first is not None
    return first, summarise(splits), list(splits[0]["soft"])


def one_split(X, y, costs, seed: int) -> tuple[SoftCostClassifierCV, dict]:
    """Search on a sample; regular, hard and soft measured on all other rows."""
    rows, rest = train_test_split(
        np.arange(len(y)), train_size=TRAINING_ROWS, stratify=y, random_state=seed
    )
    search = SoftCostClassifierCV(
        OneSidedRegression(), cost_matrix=costs, random_state=seed
    )
    search.fit(X[rows] / 16, y[rows])
    results = {}
    for kind, row in search.reference_rows().items():
        predicted = search.candidate(row).predict(X[rest] / 16)
        results[NAMES[kind]] = measure(
            y[rest], predicted, costs[y[rest]], search.classes_
        )
    return search, results


def summarise(splits: list[dict[str, dict[str, Any]]]) -> dict[str, dict[str, Any]]:
    """Means over splits, standard errors, savings, and how often the saving is one."""
    summary: dict[str, dict[str, Any]] = {}
    for name in splits[0]:
        own: dict[str, Any] = {}
        for key in splits[0][name]:
            values = np.array([one[name][key] for one in splits], float)
            own[key] = float(values.mean())
            own[f"{key}_se"] = float(values.std(ddof=1) / np.sqrt(len(values)))
        own["cheaper_than_regular"] = sum(
            one[name]["cost"] < one["regular"]["cost"] for one in splits
        )
        own["saving"] = saving_facts(
            paired_saving(
                [one["regular"]["cost"] for one in splits],
                [one[name]["cost"] for one in splits],
            )
        )
        summary[name] = own
    for own in summary.values():
        own["saving_percent"] = saving_percent(own["cost"], summary["regular"]["cost"])
    return summary

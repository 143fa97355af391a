"""The work behind ``softcost demo``."""

import os
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from softcost.cli.console import (
    bad_input,
    failed_job,
    print_table,
    show_progress,
    stdout_console,
    write_json,
)
from softcost.cli.results import measure, saving_percent
from softcost.files import check_output
from softcost.formatting import format_cost, format_rate, format_saving
from softcost.metrics import paired_saving
from softcost.reductions import OneSidedRegression
from softcost.report import saving_facts
from softcost.search import SoftCostClassifierCV

TRAINING_ROWS = 300
SPLITS = 10
TOO_LITTLE = 0.1  # what a euro paid too little costs; one paid too much costs one
COLUMNS = ("loss per cheque", "misread", "G-mean", "vs regular")
NAMES = {"regular": "regular", "hard": "hard", "chosen": "soft"}
STORY = (
    "A bank's scanner reads amounts on cheques, one digit each. A euro paid too much "
    "is lost; a euro paid too little costs ten cents, since the customer calls and is "
    f"paid the rest. Learn from {TRAINING_ROWS} digits, read {{n_test}} others; "
    f"{SPLITS} random splits (mean ± standard error)."
)


def cheque_costs() -> np.ndarray:
    """What reading digit j for a true digit i costs, ``[i, j]``."""
    digits = np.arange(10.0)
    too_much = digits[np.newaxis, :] - digits[:, np.newaxis]
    return np.where(too_much > 0, too_much, -TOO_LITTLE * too_much)


def run(output: str, seed: int, as_json: bool, quiet: bool) -> None:
    """Train on every split, tell the means, write the page of the first."""
    with bad_input():
        check_output(output)
    X, y = load_digits(return_X_y=True)
    costs = cheque_costs()
    splits = []
    first: SoftCostClassifierCV | None = None
    with failed_job(), show_progress("training", quiet, searches=SPLITS):
        for number in range(SPLITS):
            search, results = one_split(X, y, costs, seed + number)
            splits.append(results)
            first = first or search
    summary = summarise(splits)
    n_test = len(y) - TRAINING_ROWS
    assert first is not None
    with failed_job():
        first.to_html(
            output,
            title="Amounts on cheques",
            currency="€",
            test=pd.DataFrame(summary).T[list(splits[0]["soft"])],
            test_note=f"Means of {SPLITS} random splits, each with {n_test} digits "
            "that took no part. The models above are those of the first.",
            advice={"verdict": _word(summary), "sentences": [_verdict(summary)]},
        )
    if as_json:
        write_json(
            {
                "training_rows": TRAINING_ROWS,
                "test_rows": n_test,
                "splits": SPLITS,
                "models": summary,
                "page": os.path.abspath(output),
            }
        )
        return
    _print_summary(summary, n_test, output)


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


def _print_summary(summary: dict, n_test: int, output: str) -> None:
    out = stdout_console()
    out.print(STORY.format(n_test=n_test))
    out.print()
    print_table(
        [("", "left"), *((name, "right") for name in COLUMNS)],
        [
            (
                name,
                f"{format_cost(own['cost'], own['cost_se'])} €",
                format_rate(own["error"], own["error_se"]),
                format_cost(own["g_mean"], own["g_mean_se"]),
                "" if name == "regular" else format_saving(own["saving_percent"]),
            )
            for name, own in summary.items()
        ],
    )
    out.print()
    out.print(_verdict(summary))
    out.print(f"Choose on the trade-off yourself: open {output}", soft_wrap=True)


def _verdict(summary: dict[str, dict[str, Any]]) -> str:
    """What happened, whichever way it went."""
    soft, regular, hard = (summary[name] for name in ("soft", "regular", "hard"))
    words = (
        f"Soft was cheaper than regular on {soft['cheaper_than_regular']} of {SPLITS} "
        f"splits, hard on {hard['cheaper_than_regular']}. "
    )
    if soft["cost"] >= min(regular["cost"], hard["cost"]):
        return words + "Here the prices do not pay: keep the regular model."
    facts = soft["saving"]
    return words + (
        f"Soft costs least: it saves {facts['saving_percent']:.0f} % of what regular "
        f"costs (95 % interval {facts['low_percent']:.0f} to "
        f"{facts['high_percent']:.0f} %, over the splits), and misreads "
        f"{format_rate(soft['error'])} where regular misreads "
        f"{format_rate(regular['error'])}, but on the cheap side."
    )


def _word(summary: dict[str, dict[str, Any]]) -> str:
    """The verdict in the words of `softcost.report.advice`."""
    facts = summary["soft"]["saving"]
    if facts["shown"]:
        return "better"
    return "not shown to be better" if facts["saving"] > 0 else "not better"

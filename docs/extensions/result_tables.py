"""The tables of the guide that say what reductions, families and guarantees bring.

What a reduction does to cost and error is said by our own runs of the paper's study
(``docs/results/rows.csv.gz``), what the search by default does by
``benchmarks/results/families.json``, and how often limits were broken by
``guarantee.json`` beside it: where they lose as well as where they win.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from softcost.paper import read_rows, select, significance

RUNS = 20
# Regular, hard and soft of each reduction, and how the library calls it.
FAMILIES = {
    "OneSidedRegression": ("OVA", "OSR", "soft-OSR"),
    "CostSensitiveOneVsOne": ("OVO", "CSOVO", "soft-CSOVO"),
    "FilterTree": ("FT", "CSFT", "soft-CSFT"),
    "ZhouLiuRescaling": ("OVO", "CSZL", "soft-CSZL"),
}
PAGES = {
    "inconsistent": "prices drawn freely, many of them on rare classes",
    "consistent": "prices that weights by class can stand for",
}


def cells_of(rows: pd.DataFrame, target: str) -> pd.DataFrame:
    _, cells = select(rows, target)
    return cells[cells["run"] < RUNS]


def decision_table(cells: pd.DataFrame) -> pd.DataFrame:
    """One row per soft reduction: how often it is cheapest, and whom it beats.

    Means are over runs; a win or a loss is a difference at the level of .05 by a
    paired test on the same runs.
    """
    means = cells.groupby(["dataset", "algorithm"])[["cost", "error"]].mean()
    cost, error = means["cost"].unstack(), means["error"].unstack()
    soft = [names[2] for names in FAMILIES.values()]
    cheapest = cost[soft].idxmin(axis=1).value_counts()
    pairs = [(names[2], other) for names in FAMILIES.values() for other in names[1::-1]]
    tests = significance(cells, pairs).set_index(["algorithm", "versus", "metric"])
    rows = []
    for reduction, (regular, hard, name) in FAMILIES.items():
        row: dict[str, Any] = {
            "reduction": f"`{reduction}`",
            "cheapest of the four": f"{cheapest.get(name, 0)} of {len(cost)}",
        }
        for kind, other in (("regular", regular), ("hard", hard)):
            for metric in ("cost", "error"):
                found = tests.loc[(name, other, metric), "paired"]
                better, worse = ((found == word).sum() for word in ("better", "worse"))
                row[f"{metric} against {kind}"] = f"{better} / {worse}"
        saved = 100 * (1 - cost[name] / cost[regular]).median()
        row["median saving against regular"] = f"{saved:.0f} %"
        added = 100 * (error[name] - error[regular]).median()
        row["median error added"] = f"{added:.1f} points"
        rows.append(row)
    return pd.DataFrame(rows)


def markdown(table: pd.DataFrame) -> str:
    lines = ["| " + " | ".join(table.columns) + " |"]
    lines.append("|:---" * len(table.columns) + "|")
    lines += ["| " + " | ".join(row) + " |" for row in table.to_numpy().tolist()]
    return "\n".join(lines)


def page(rows: pd.DataFrame) -> str:
    parts = []
    for target, what in PAGES.items():
        cells = cells_of(rows, target)
        n_sets = cells["dataset"].nunique()
        parts += [
            f"**{target.capitalize()} costs** ({what}), {n_sets} data sets, "
            f"{RUNS} runs; all numbers: [{target}](../results/{target}.md).",
            markdown(decision_table(cells)),
        ]
    return "\n\n".join(parts) + "\n"


PARTS = {
    "sets": "**Data sets of the paper**, plain and class-ratio costs",
    "overlapping": "**Classes that overlap**, one rare and expensive to miss",
    "large": "**Many rows**, kdd99 with the contest's prices and made-up clusters",
}
# What a user would try by hand, and how the study calls it.
BY_HAND = {
    "soft kernel": ("soft-OSR", "soft-CSOVO"),
    "soft linear": ("soft-linear",),
    "soft boosting": ("boosted-trees",),
    "LightGBM": ("LightGBM",),
    "HistGradientBoosting": ("HistGradientBoosting",),
}
CLOSE = 1.05


def families_table(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """One row per model: how its mean test costs compare with those of the default.

    A model is compared on the runs that it has. Cheaper and dearer are by more than
    5 %.
    """
    costs = pd.DataFrame(rows).pivot_table(
        "cost", ["problem", "costs", "run"], "model", sort=False
    )
    table = []
    for model in costs.columns.drop("auto"):
        wanted = list(dict.fromkeys(["auto", "constant", model]))
        both = costs[wanted].dropna().groupby(level=[0, 1]).mean()
        added = both["constant"] / 100  # zero cannot be divided by
        ratio = (both[model] + added) / (both["auto"] + added)
        table.append(
            {
                "model": model,
                "problems": str(len(both)),
                "cost by that of the default": f"{np.exp(np.log(ratio).mean()):.2f}",
                "cheaper": str((ratio < 1 / 1.05).sum()),
                "dearer": str((ratio > 1.05).sum()),
                "dearer than a constant": str((both[model] > both["constant"]).sum()),
            }
        )
    return pd.DataFrame(table).sort_values("cost by that of the default")


def by_hand_costs(document: dict[str, Any]) -> pd.DataFrame:
    """Mean test costs by problem and kind of costs, over the runs that all have.

    Of two soft kernel machines the better one, in the mean over the runs.
    """
    rows = [row for part in ("sets", "large") for row in document["rows"].get(part, [])]
    wide = pd.DataFrame(rows).pivot_table(
        "cost", ["problem", "costs", "run"], "model", sort=False
    )
    wide = wide.dropna(subset=["auto", "LightGBM"])
    means = wide.groupby(level=[0, 1], sort=False).mean()
    found = {
        name: means[[one for one in models if one in means]].min(axis=1)
        for name, models in BY_HAND.items()
    }
    return pd.DataFrame({**found, "default": means["auto"]})


def by_hand_page(document: dict[str, Any]) -> str:
    """Costs of every problem, and how often the default wins and loses."""
    costs = by_hand_costs(document)
    others = list(BY_HAND)
    best = costs[others].min(axis=1)
    lines = [f"| problem | prices | {' | '.join(costs)} |"]
    lines.append("|:---" * (len(costs.columns) + 2) + "|")
    for (problem, kind), row in costs.iterrows():
        cells = [
            "" if np.isnan(value)
            else f"**{value:.3g}**" if value == row.min()
            else f"{value:.3g}"
            for value in row
        ]  # fmt: skip
        lines.append(f"| {problem} | {kind} | {' | '.join(cells)} |")
    cheapest = [str((costs[name] <= costs.min(axis=1)).sum()) for name in costs]
    lines.append(f"| **cheapest** | | {' | '.join(cheapest)} |")
    cheaper = [
        str((CLOSE * costs[name] < costs["default"]).sum()) for name in others
    ]  # fmt: skip
    lines.append(f"| cheaper than the default by 5 % | | {' | '.join(cheaper)} | |")
    dearer = [str((costs[name] > CLOSE * costs["default"]).sum()) for name in others]
    lines.append(f"| dearer by 5 % | | {' | '.join(dearer)} | |")
    within = int((costs["default"] <= CLOSE * best + 1e-12).sum())
    return (
        f"The default is the cheapest, or within 5 % of it, on {within} of "
        f"{len(costs)} problems. Costs are means over test parts of all runs; the best "
        "of each row is in bold, and in hindsight.\n\n" + "\n".join(lines) + "\n"
    )


def families_page(document: dict[str, Any]) -> str:
    parts = []
    for part, what in PARTS.items():
        rows = document["rows"].get(part)
        if not rows:
            continue
        told = document["summary"][part]
        parts += [
            f"{what}: {told['problems']} problems, {told['searches']} searches. The "
            "default costs "
            f"{told['auto_by_best_in_hindsight']:.2f} times what the best single "
            "family in hindsight does (geometric mean; some of that is luck), "
            f"{told['auto_by_best_of_other_runs']:.2f} times what the family does that "
            "is the cheapest in the other runs of a problem, and on "
            f"{told['above_constant']} problems more than the constant answer. "
            "Cheaper and dearer count problems on which the mean cost differs by more "
            "than 5 %.",
            markdown(families_table(rows)),
        ]
    return "\n\n".join(parts) + "\n"


def guarantee_sentences(document: dict[str, Any]) -> str:
    """How often limits were broken, with a test on rows of their own and without."""
    told = {one["search"]: one for one in document["results"]}
    without = told["cross-validated errors"]
    tested = told["tests, calibration rows"]
    return (
        f"In {tested['problems']} simulated problems (`benchmarks/guarantee.py`), "
        "with a confidence of 90 %, the true error was above "
        f"the limit in {tested['broken_share']:.1%} where it was tested on rows kept "
        f"for it, and in {without['broken_share']:.1%} where the cross-validated error "
        "alone was asked. A test also says no where there are too few rows: "
        f"{tested['promised']} of them got a promise.\n"
    )


def setup(app: Any) -> dict[str, bool]:
    directory = Path(app.srcdir)
    results = directory.parent / "benchmarks" / "results"
    families = json.loads((results / "families.json").read_text())
    guarantee = json.loads((results / "guarantee.json").read_text())
    for name, text in {
        "decision-table.inc": page(read_rows(directory / "results" / "rows.csv.gz")),
        "families-table.inc": families_page(families),
        "guarantee.inc": guarantee_sentences(guarantee),
        "by-hand.inc": by_hand_page(families),
    }.items():
        path = directory / "guide" / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    return {"parallel_read_safe": True, "parallel_write_safe": True}

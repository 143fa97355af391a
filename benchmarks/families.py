"""Which family is cheapest, and whether "auto" finds it.

    SOFTCOST_DATA=/path/to/data python benchmarks/families.py --runs 5
    python benchmarks/families.py --part overlapping --runs 5

Part `sets`: the paper's sets without the four largest, smallest first, with costs that
are drawn anew in every run, plain ones and such that it is expensive to take a rare
class for a frequent one (`costs.inconsistent`). A quarter of the rows is the test part,
features are scaled to [0, 1] by the others. Part `overlapping`: two and three Gaussian
classes that overlap, one of them rare and expensive to miss; 10000 rows are the test
part.

One search, `SoftCostClassifierCV("auto")`, is made in every run. What a family alone
would have chosen is the least cost among its rows (the folds are the same); families
that "auto" left out are searched alone. Every chosen candidate, and the best constant
answer, is measured on the test part.

Rows are written as they are made, and what is there is not computed again. At the end,
or with `--summary` only, follow the tables: `families.md` beside the JSON file.
"""

import argparse
import json
import math
import os
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from common import scaled_split, surroundings
from scipy.stats import rankdata

from softcost import CostSensitiveOneVsOne, OneSidedRegression, SoftCostClassifierCV
from softcost.costs import inconsistent, plain
from softcost.datasets import info, load
from softcost.metrics import mean_cost
from softcost.parallel import one_thread
from softcost.selection import LeastCost, choose_row

PACKAGES = ("softcost", "scikit-learn", "numpy", "scipy")
SETS = (
    "zoo", "iris", "wine", "glass", "ecoli", "arrhythmia", "soybean", "vehicle",
    "anneal", "vowel", "solar", "yeast", "mfeat", "segment", "dna", "splice",
    "pageblock", "optdigits",
)  # fmt: skip
KINDS = ("plain", "class-ratio")
FAMILIES = ("soft-OSR", "soft-CSOVO", "boosted-trees", "extra-trees", "linear")
LEFT_OUT = {"soft-OSR": OneSidedRegression, "soft-CSOVO": CostSensitiveOneVsOne}

BASE = {"classes": 2, "n": 600, "rare": 0.05, "ratio": 50, "features": 2, "apart": 1.0}
OVERLAPPING = {
    "two classes": {},
    "three classes": {"classes": 3},
    "300 rows": {"n": 300},
    "1200 rows": {"n": 1200},
    "20 : 1": {"ratio": 20},
    "100 : 1": {"ratio": 100},
    "2 % rare": {"rare": 0.02},
    "10 % rare": {"rare": 0.1},
    "10 features": {"features": 10},
    "three classes, 1200 rows": {"classes": 3, "n": 1200},
}


def overlapping(seed, *, classes, n, rare, ratio, features, apart, n_test=10_000):
    """Gaussian classes in a row, the last one rare, and what missing it costs."""
    rng = np.random.default_rng(seed)
    shares = np.append(np.full(classes - 1, (1 - rare) / (classes - 1)), rare)
    y = rng.choice(classes, size=n + n_test, p=shares)
    X = rng.normal(size=(n + n_test, features))
    X[:, 0] += apart * y
    prices = 1.0 - np.eye(classes)
    prices[-1, :-1] = ratio
    return X[:n], X[n:], y[:n], y[n:], prices, np.arange(classes)


def from_set(name, kind, run):
    """A data set, cut and scaled as in the paper, with costs of a kind."""
    data = load(name)
    X, X_test, y, y_test = scaled_split(data, run)
    rng = np.random.default_rng([run, KINDS.index(kind)])
    sizes = np.array([np.sum(y == label) for label in data.target_names])
    draw = plain(len(sizes), rng) if kind == "plain" else inconsistent(
        np.maximum(sizes, 1), rng
    )  # fmt: skip
    return X, X_test, y, y_test, draw, np.asarray(data.target_names)


def measured(problem, name, run):
    """Rows of one run: auto, every family, the constant answer."""
    X, X_test, y, y_test, prices, classes = problem
    settings = {"cost_matrix": prices, "classes": classes, "random_state": run}

    def test_cost(predicted):
        return mean_cost(y_test, predicted, cost_matrix=prices, classes=classes)

    def row(model, cost, **others):
        return {**name, "run": run, "model": model, "cost": float(cost), **others}

    search = SoftCostClassifierCV("auto", **settings).fit(X, y)
    table, flattered = search.tradeoff_, search.optimism()
    always = np.full(len(y_test), search.constant_["label"])
    rows = [
        row(
            "auto",
            test_cost(search.predict(X_test)),
            family=search.best_params_["family"],
            validated=flattered.cost,
            expected=flattered.expected_cost,
        ),
        row("constant", test_cost(always)),
    ]
    for family in FAMILIES:
        own = np.flatnonzero(table["family"] == family)
        if len(own):
            part = table.iloc[own].reset_index(drop=True)
            model = search.candidate(int(own[choose_row(part, LeastCost())]))
        else:
            model = SoftCostClassifierCV(LEFT_OUT[family](), **settings).fit(X, y)
        taken = bool(len(own))
        rows.append(row(family, test_cost(model.predict(X_test)), in_auto=taken))
    return rows


def units(part, runs, sets=SETS):
    """All runs, the first run of every problem first."""
    for run in range(runs):
        if part == "overlapping":
            for what, changes in OVERLAPPING.items():
                name = {"problem": what, "costs": "rare class"}
                yield name, run, lambda r=run, c=changes: overlapping(r, **(BASE | c))
        else:
            for what in sorted(sets, key=lambda one: info(one).rows):
                for kind in KINDS:
                    name = {"problem": what, "costs": kind}
                    yield name, run, lambda w=what, k=kind, r=run: from_set(w, k, r)


def mean_costs(rows):
    """Mean test costs by problem, kind of costs and model; runs without gaps only."""
    table = pd.DataFrame(rows)
    return table.pivot_table("cost", ["problem", "costs"], "model", sort=False)


def summary(rows):
    """What the study asks, in numbers."""
    costs = mean_costs(rows)
    singles, auto = costs[list(FAMILIES)], costs["auto"]
    # Costs of zero cannot be divided by, and a hundredth of what the constant answer
    # costs is less than a mistake or two of a small test part.
    floor = 1e-2 * costs["constant"]
    ratio = (auto + floor) / (singles.min(axis=1) + floor)
    ranks = pd.DataFrame(
        rankdata(costs[[*FAMILIES, "auto", "constant"]], axis=1),
        columns=[*FAMILIES, "auto", "constant"],
    )
    geometric = {
        family: math.exp(np.log((singles[family] + floor) / (auto + floor)).mean())
        for family in FAMILIES
    }
    frame = pd.DataFrame(rows)
    chosen = frame[frame["model"] == "auto"]
    return {
        "problems": len(costs),
        "searches": len(chosen),
        "auto_by_best_in_hindsight": math.exp(np.log(ratio).mean()),
        "mean_rank": ranks.mean().to_dict(),
        "family_by_auto": geometric,
        "chosen_by_auto": chosen["family"].value_counts().to_dict(),
        "loses_to_constant": losses(frame),
        "by_constant": honesty(frame),
    }


def honesty(frame):
    """Mean costs of what auto chose, divided by the constant's on the test part."""
    key = ["problem", "costs", "run"]
    auto = frame[frame["model"] == "auto"].set_index(key)
    constant = frame[frame["model"] == "constant"].set_index(key)["cost"]
    names = {"validated": "cross-validated", "expected": "expected", "cost": "tested"}
    return {
        name: float((auto[column] / constant).mean()) for column, name in names.items()
    }


def losses(frame):
    """Problems where a model costs more than the constant, by over 2 standard errors.

    With fewer than 3 runs there is no standard error to speak of: any loss counts.
    """
    wide = frame.pivot_table("cost", ["problem", "costs", "run"], "model", sort=False)
    found = {}
    for model in ("auto", *FAMILIES):
        more = (wide[model] - wide["constant"]).groupby(level=[0, 1], sort=False)
        error = more.std() / np.sqrt(more.count())
        error = error.where(more.count() > 2, 0.0)
        found[model] = int((more.mean() > 2 * error).sum())
    return found


def as_markdown(parts):
    """The tables of all parts that have rows."""
    lines = ["# Families", "", "Made by `benchmarks/families.py`.", ""]
    models = [*FAMILIES, "auto", "constant"]
    for part, rows in parts.items():
        if not rows:
            continue
        costs, told = mean_costs(rows), summary(rows)
        runs = pd.DataFrame(rows).groupby(["problem", "costs"], sort=False)["run"]
        planned = len(SETS) * len(KINDS) if part == "sets" else len(OVERLAPPING)
        counts = runs.nunique()
        lines += [
            f"## {part}", "",
            f"{len(counts)} of {planned} problems were run, each {counts.min()} to "
            f"{counts.max()} times. With fewer than 5 runs most differences are luck.",
            "",
            "Mean test cost; the cheapest family of each row in bold.", "",
            "| problem | costs | runs | " + " | ".join(models) + " |",
            "|---|---|---|" + "---|" * len(models),
        ]  # fmt: skip
        for key, row in costs.iterrows():
            best = row[list(FAMILIES)].min()
            cells = [
                f"**{row[m]:.4g}**" if row[m] == best and m in FAMILIES
                else f"{row[m]:.4g}"
                for m in models
            ]  # fmt: skip
            counted = runs.get_group(key).nunique()
            lines.append(f"| {key[0]} | {key[1]} | {counted} | {' | '.join(cells)} |")
        ranks = " | ".join(f"{told['mean_rank'][m]:.2f}" for m in models)
        by_auto = [f"{told['family_by_auto'][m]:.3f}" for m in FAMILIES]
        lost = [told["loses_to_constant"][m] for m in (*FAMILIES, "auto")]
        lines += [
            f"| mean rank | | | {ranks} |",
            f"| divided by auto, geometric mean | | | {' | '.join(by_auto)} | 1 | |",
            f"| dearer than the constant | | | {' | '.join(map(str, lost))} | |",
            "",
            f"{told['searches']} searches on {told['problems']} problems. `auto` by "
            "the best family in hindsight, geometric mean of mean costs: "
            f"{told['auto_by_best_in_hindsight']:.3f}. It chose "
            + ", ".join(f"{k} {v} times" for k, v in told["chosen_by_auto"].items())
            + ". Divided by the constant answer's test cost, what it chose costs on "
            f"average {told['by_constant']['cross-validated']:.3f} cross-validated, "
            f"{told['by_constant']['expected']:.3f} by `optimism()`, and "
            f"{told['by_constant']['tested']:.3f} on the test part.", "",
        ]  # fmt: skip
    return "\n".join(lines)


def save(path, document):
    """Write JSON and tables; a reader sees the old file or the new one."""
    document["surroundings"] = surroundings(PACKAGES)
    document["summary"] = {
        part: summary(rows) for part, rows in document["rows"].items() if rows
    }
    for place, text in (
        (path, json.dumps(document, indent=1, allow_nan=False) + "\n"),
        (path.with_suffix(".md"), as_markdown(document["rows"])),
    ):
        new = place.with_suffix(place.suffix + ".new")
        new.write_text(text)
        os.replace(new, place)


def main():
    """Run what is missing, write as it goes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", choices=["sets", "overlapping"], default="sets")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--sets", type=lambda text: text.split(","), default=SETS)
    parser.add_argument("--summary", action="store_true", help="write the tables only")
    parser.add_argument(
        "--output", type=Path, default=Path(__file__).parent / "results/families.json"
    )
    options = parser.parse_args()
    document = {"rows": {"sets": [], "overlapping": []}}
    if options.output.exists():
        document = json.loads(options.output.read_text())
    rows = document["rows"][options.part]
    done = {(one["problem"], one["costs"], one["run"]) for one in rows}
    runs = 0 if options.summary else options.runs
    for name, run, make in units(options.part, runs, options.sets):
        if (name["problem"], name["costs"], run) in done:
            continue
        with warnings.catch_warnings(), one_thread():
            warnings.simplefilter("ignore")
            found = measured(make(), name, run)
        rows += found
        save(options.output, document)
        told = "  ".join(f"{one['model']} {one['cost']:.4g}" for one in found)
        print(f"{name['problem']}, {name['costs']}, run {run}: {told}", flush=True)
    save(options.output, document)


if __name__ == "__main__":
    main()

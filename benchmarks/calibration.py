"""Compare expected costs with the costs that test rows turn out to have.

    SOFTCOST_DATA=/path/to/data python benchmarks/calibration.py run --tables DIR \\
        [--only credit,iris,...] [--splits 3]
    python benchmarks/calibration.py summary

Tables and costs are those of `automl.py`, with splits of their own. The default is
fitted to seven in ten rows. For the other rows,

- ``expected`` is the mean of ``expected_costs`` of the predicted answers,
- ``realised`` is the mean cost of these answers, ``realised_se`` its standard error,
- ``optimism`` is the ``expected_cost`` of ``search.optimism()``, which uses only the
  training rows.

One line of JSON per table, kind of costs and split is appended to
``results/calibration.jsonl``; existing lines are not computed again. The summary counts
splits and tables (means over their splits) whose expected cost is within 25% of the
realised cost. Test rows are few, so the realised cost is itself uncertain:
``explained`` also counts differences below two standard errors.
"""

import argparse
import json
import time
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
from automl import COSTS, all_tables, draw_costs, read
from common import surroundings
from sklearn.model_selection import train_test_split

from softcost import SoftCostClassifierCV

HERE = Path(__file__).resolve().parent
RECORDS = HERE / "results" / "calibration.jsonl"
SUMMARY = HERE / "results" / "calibration.json"
TEST_SHARE = 0.3
WITHIN = 0.25
KEY = ["table", "costs", "split"]
PACKAGES = ("softcost", "scikit-learn", "numpy", "lightgbm")


def measured(name, table, target, kind, split):
    """The record of one fit."""
    seed = zlib.crc32(f"calibration {name} {split}".encode())
    labels = table[target].astype(str).to_numpy()
    classes, y = np.unique(labels, return_inverse=True)
    X = table.drop(columns=target)
    train, test = train_test_split(
        np.arange(len(y)), test_size=TEST_SHARE, random_state=seed, stratify=y
    )
    costs = draw_costs(kind, np.bincount(y[train]), np.random.default_rng(seed))
    started = time.process_time()
    search = SoftCostClassifierCV(cost_matrix=costs, random_state=seed % 2**31)
    search.fit(X.iloc[train], y[train])
    seconds = time.process_time() - started
    answers = search.predict(X.iloc[test])
    every = np.arange(len(test))
    paid = costs[y[test], answers]
    optimism = search.optimism()
    chosen = search.tradeoff_.iloc[search.best_index_]
    probabilities = search.predict_proba(X.iloc[test])
    likelihood = np.maximum(probabilities[every, y[test]], 1e-6)
    return {
        "table": name,
        "costs": kind,
        "split": split,
        "rows": len(train),
        "classes": len(classes),
        "family": chosen["family"],
        "softness": float(chosen["softness"]),
        "cross_validated": float(chosen["cost"]),
        "optimism": optimism.expected_cost,
        "expected": float(search.expected_costs(X.iloc[test])[every, answers].mean()),
        "realised": float(paid.mean()),
        "realised_se": float(paid.std(ddof=1) / np.sqrt(len(paid))),
        "constant": float(costs[y[test]].mean(axis=0).min()),
        "log_loss": float(-np.log(likelihood).mean()),
        "seconds": seconds,
    }


def load_records():
    if not RECORDS.exists():
        return []
    return [json.loads(line) for line in RECORDS.read_text().splitlines()]


def run(folder, only, n_splits):
    done = {tuple(record[name] for name in KEY) for record in load_records()}
    for name, (path, target) in all_tables(folder).items():
        if only and name not in only:
            continue
        table = read(path, target)
        for split in range(n_splits):
            for kind in COSTS:
                if (name, kind, split) in done:
                    continue
                record = measured(name, table, target, kind, split)
                with RECORDS.open("a") as file:
                    file.write(json.dumps(record) + "\n")
                print(
                    f"{name:14} {kind:7} {split}  {record['family']:10} "
                    f"expected {record['expected']:.3f}  "
                    f"realised {record['realised']:.3f} "
                    f"+- {record['realised_se']:.3f}  "
                    f"optimism {record['optimism']:.3f}",
                    flush=True,
                )


def shares(frame, name):
    """Shares of rows whose estimate is near, and near or explained by chance."""
    gap = (frame[name] - frame["realised"]).abs()
    near = gap <= WITHIN * frame["realised"]
    return {
        "within": float(near.mean()),
        "explained": float((near | (gap <= 2 * frame["realised_se"])).mean()),
        "ratio": float(frame[name].sum() / frame["realised"].sum()),
    }


def summary():
    records = pd.DataFrame(load_records())
    grouped = records.groupby(["table", "costs"])
    tables = grouped[["expected", "optimism", "realised"]].mean()
    tables["realised_se"] = grouped["realised_se"].agg(
        lambda values: np.sqrt((values**2).sum()) / len(values)
    )
    result = {
        "surroundings": surroundings(PACKAGES),
        "splits": len(records),
        "problems": len(tables),
        "by_split": {name: shares(records, name) for name in ("expected", "optimism")},
        "by_table": {name: shares(tables, name) for name in ("expected", "optimism")},
    }
    tables["ratio"] = tables["expected"] / tables["realised"]
    print(tables.round(3).to_string())
    print(json.dumps({key: result[key] for key in ("by_split", "by_table")}, indent=1))
    SUMMARY.write_text(json.dumps(result, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    commands = parser.add_subparsers(dest="command", required=True)
    runs = commands.add_parser("run")
    runs.add_argument("--tables", type=Path)
    runs.add_argument("--only", type=lambda text: text.split(","))
    runs.add_argument("--splits", type=int, default=3)
    commands.add_parser("summary")
    options = parser.parse_args()
    if options.command == "run":
        run(options.tables, options.only, options.splits)
    else:
        summary()


if __name__ == "__main__":
    main()

"""What ``softcost fit`` makes of seven tables, told nothing but target and prices.

    SOFTCOST_DATA=/path/to/data python benchmarks/tables.py [--tables churn,...] \\
        [--methods fit,...] [--json benchmarks/results/tables.json]

Tables: satimage, nursery and pageblock as they are downloaded, with costs drawn as in
the paper (inconsistent ones), three in ten rows for the test; churn, claims, accounts
and payments of `made_tables.py`, whose sizes are those of the training part, with
20,000 more rows for the test. Of the two smallest, churn and claims, there are five
(seeds 0 to 4), as the luck of one training part is worth some percent: costs are means.

Methods: ``softcost fit`` as it comes, and what an analyst would compare it with: one
reduction by name (osr, csovo, mec with boosting, mec with the linear model), LightGBM
with early stopping and the Bayes decision, the best single answer. All but LightGBM are
commands, in processes of their own, with one thread; the processor time of a process
tells everything from its start, also what is compiled. Of LightGBM there is also the
processor time of one fit with its defaults (``plain_seconds``).

What is in the JSON file is not done again; `--methods` does what it names anew.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import made_tables
import numpy as np
import pandas as pd
from common import surroundings
from lightgbm import LGBMClassifier, early_stopping
from sklearn.model_selection import train_test_split

from softcost.costs import inconsistent

RESULTS = Path(__file__).parent / "results" / "tables.json"
SETS = ("pageblock", "satimage", "nursery")
TABLES = ("churn", "claims", *SETS, "accounts", "payments")
COMMANDS = {
    "fit": (),
    "osr": ("--reduction", "osr"),
    "csovo": ("--reduction", "csovo"),
    "mec-boosting": ("--reduction", "mec", "--learner", "boosting"),
    "mec-linear": ("--reduction", "mec", "--learner", "linear"),
}
METHODS = (*COMMANDS, "lightgbm", "constant")
TEST_SHARE = 0.3
TEST_ROWS = 20_000  # of tables that are made
SEEDS = {"churn": 5, "claims": 5}
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def table_of(name, seed):
    """A training and a test part, prices, and the name of the target."""
    if name not in SETS:
        n = made_tables.ROWS[name]
        table, prices = made_tables.TABLES[name](seed, n + TEST_ROWS)
        return *_parts(table, made_tables.TARGET, seed, n), prices, made_tables.TARGET
    path = Path(os.environ["SOFTCOST_DATA"]) / f"{name}.csv.gz"
    table = pd.read_csv(path, dtype={"label": str})
    sizes = table["label"].value_counts().sort_index()
    prices = inconsistent(sizes.to_numpy(), np.random.default_rng(seed))
    prices = pd.DataFrame(prices, sizes.index, sizes.index)
    return *_parts(table, "label", seed, 1 - TEST_SHARE), prices, "label"


def _parts(table, target, seed, train_size):
    return train_test_split(
        table, train_size=train_size, random_state=seed, stratify=table[target]
    )


def by_command(words, folder, target):
    """Test cost and seconds of a command line, and those of the best answer."""
    line = [sys.executable, "-m", "softcost", "fit", "train.csv", "--target", target,
            "--costs", "prices.csv", "--test", "test.csv", "--quiet", "--json",
            *words]  # fmt: skip
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        line, cwd=folder, env=os.environ | ONE_THREAD, check=True, capture_output=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    told = json.loads(done.stdout)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    chosen = told["held_out"]["chosen"]
    family = told["cross_validated"]["chosen"].get("family")
    own = {"cost": chosen["cost"], "error": chosen["error"], "cpu_seconds": seconds}
    return own | {"family": family}, {"cost": told["held_out"]["constant"]["cost"]}


def by_lightgbm(train, test, prices, target, seed):
    """Words as categories, a tenth of the rows to stop by, the least expected cost."""
    y = train[target].astype(str).to_numpy()
    kinds = {
        name: pd.CategoricalDtype(sorted(train[name].dropna().unique()))
        for name in train.columns
        if name != target and not pd.api.types.is_numeric_dtype(train[name])
    }
    X, X_test = (one.drop(columns=target).astype(kinds) for one in (train, test))
    X = X.set_axis([f"x{k}" for k in range(X.shape[1])], axis=1)
    X_test = X_test.set_axis(X.columns, axis=1)
    sizes = pd.Series(y).map(pd.Series(y).value_counts()).to_numpy()
    several = np.flatnonzero(sizes > 1)  # a class of one row is needed for training
    _, held = train_test_split(
        several, test_size=0.1, random_state=seed, stratify=y[several]
    )
    fitted = np.setdiff1d(np.arange(len(y)), held)
    model = LGBMClassifier(
        n_estimators=2000, learning_rate=0.05, n_jobs=1, random_state=seed, verbose=-1
    )
    began = time.process_time()
    model.fit(
        X.iloc[fitted],
        y[fitted],
        eval_set=[(X.iloc[held], y[held])],
        callbacks=[early_stopping(50, verbose=False)],
    )
    seconds = time.process_time() - began
    began = time.process_time()
    LGBMClassifier(n_jobs=1, random_state=seed, verbose=-1).fit(X, y)
    plain = time.process_time() - began
    costs = prices.loc[model.classes_, model.classes_].to_numpy()
    answers = (model.predict_proba(X_test) @ costs).argmin(axis=1)
    true = np.searchsorted(model.classes_, test[target].astype(str).to_numpy())
    return {
        "cost": float(costs[true, answers].mean()),
        "error": float(np.mean(true != answers)),
        "rounds": int(model.best_iteration_),
        "cpu_seconds": seconds,
        "plain_seconds": plain,
    }


def measured(name, method, seed):
    """Means of a method on a table, by method: the constant comes with any other."""
    found = [once(name, method, seed + k) for k in range(SEEDS.get(name, 1))]
    return {each: _mean([one[each] for one in found]) for each in found[0]}


def _mean(rows):
    """Numbers averaged, words as a list, and every cost."""
    if len(rows) == 1:
        return rows[0]
    out = {"costs": [one["cost"] for one in rows]}
    for key in rows[0]:
        values = [one[key] for one in rows]
        told = all(isinstance(one, int | float) for one in values)
        out[key] = float(np.mean(values)) if told else values
    return out


def once(name, method, seed):
    """Results of a method on one table, by method."""
    train, test, prices, target = table_of(name, seed)
    if method == "lightgbm":
        return {method: by_lightgbm(train, test, prices, target, seed)}
    with tempfile.TemporaryDirectory() as folder:
        train.to_csv(Path(folder) / "train.csv", index=False)
        test.to_csv(Path(folder) / "test.csv", index=False)
        prices.to_csv(Path(folder) / "prices.csv")
        own, constant = by_command(COMMANDS[method], folder, target)
    return {method: own, "constant": constant}


def print_results(results):
    """Costs by table and method, and fit beside the best of all others."""
    print("| table | " + " | ".join(METHODS) + " | fit / best | CPU s of fit |")
    print("|---|" + "---:|" * (len(METHODS) + 2))
    for name, rows in results.items():
        cells = [f"{rows[one]['cost']:.4g}" if one in rows else "-" for one in METHODS]
        others = [rows[one]["cost"] for one in METHODS[1:] if one in rows]
        own = rows.get("fit")
        if own and others:
            seconds = f"{own['cpu_seconds']:.0f}"
            cells += [f"{own['cost'] / min(others):.3f}", seconds]
        print(f"| {name} | " + " | ".join(cells) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", default=",".join(TABLES))
    parser.add_argument("--methods", help="do these anew; by default what is missing")
    parser.add_argument("--seed", type=int, default=0, help="the first")
    parser.add_argument("--json", type=Path, default=RESULTS)
    options = parser.parse_args()
    kept = {"results": {}}
    if options.json.exists():
        kept = json.loads(options.json.read_text())
    results = kept["results"]
    for name in options.tables.split(","):
        rows = results.setdefault(name, {})
        missing = [one for one in METHODS[:-1] if one not in rows]
        for method in options.methods.split(",") if options.methods else missing:
            rows |= measured(name, method, options.seed)
            _write(options.json, results, options.seed)
    print_results(results)


def _write(path, results, seed):
    """The results so far."""
    told = surroundings(("softcost", "scikit-learn", "lightgbm", "numpy", "pandas"))
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(
        {"surroundings": told, "seed": seed, "results": results}, indent=1
    )
    path.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

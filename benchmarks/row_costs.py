"""Compare the default with LightGBM and empulse's models if costs depend on the row.

    python benchmarks/row_costs.py --tables DIR [--peer-python PYTHON] [--splits 3]

**Tables.** ``churn`` (``DIR/churn.csv.gz`` with columns ``price_tn`` and so on), from
empulse's ``load_churn_tv_subscriptions``. ``credit`` (``DIR/credit.csv.gz``): an
accepted bad loan costs three quarters of its amount, a rejected good one a tenth.
``pakdd``: empulse's ``load_credit_scoring_pakdd`` with its own costs, a sample of 8,000
rows. Three in ten rows are held out, stratified.

**Methods.** ``softcost``: ``SoftCostClassifierCV(random_state=0)`` with a cost matrix
for every row, on raw columns. ``lightgbm``: ``LGBMClassifier()`` on native categories,
and ``lightgbm-stopped`` with early stopping, each with a Bayes decision at the costs of
each row. ``constant``: always the answer that is cheapest on the training rows.
empulse's models run under ``--peer-python`` with imputed, one-hot encoded and scaled
columns; ``(bayes)`` decides by the probabilities of a model at the costs of each row,
otherwise the model predicts itself. ProfLogit is left out: its costs are the same for
all rows, and it took more than two minutes.

**Result.** Mean cost of held-out rows, and ratios to softcost's as geometric means
over splits: printed, and written to ``results/row_costs.json`` after every split.
``--resume`` keeps the splits in that file.
"""

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

RESULTS = Path(__file__).resolve().parent / "results" / "row_costs.json"
PAKDD_ROWS = 8000
LOSS_GIVEN_DEFAULT = 0.75  # as in empulse
PEER_SECONDS = 120


# ------------------------------------------------------------- empulse, in its process


def peer_models():
    """empulse's models by name; costs are passed to ``fit``."""
    from empulse.models import (
        CSBoostClassifier,
        CSForestClassifier,
        CSLogitClassifier,
        CSThresholdClassifier,
        CSTreeClassifier,
    )
    from lightgbm import LGBMClassifier
    from sklearn.linear_model import LogisticRegression

    boosting = LGBMClassifier(verbose=-1, n_jobs=1, random_state=0)
    logistic = LogisticRegression(max_iter=2000)
    return {
        "CSLogit": CSLogitClassifier(),
        "CSBoost": CSBoostClassifier(boosting),
        "CSTree": CSTreeClassifier(random_state=0),
        "CSForest": CSForestClassifier(random_state=0),
        "CSThreshold-logistic": CSThresholdClassifier(logistic, random_state=0),
        "CSThreshold-lightgbm": CSThresholdClassifier(boosting, random_state=0),
    }


def run_peers(path):
    """Print one JSON line of costs for each model of empulse."""
    data = np.load(path)
    train, test = (
        {
            f"{name}_cost": data[part][:, true, predicted]
            for name, (true, predicted) in (
                ("tn", (0, 0)), ("fp", (0, 1)), ("fn", (1, 0)), ("tp", (1, 1)),
            )
        }
        for part in ("costs_train", "costs_test")
    )  # fmt: skip
    unit = data["costs_train"].mean()  # their optimisers depend on the unit
    train = {name: cost / unit for name, cost in train.items()}
    X, y, X_test, y_test = (data[n] for n in ("X_train", "y_train", "X_test", "y_test"))
    for name, model in peer_models().items():
        started = time.process_time()
        try:
            signal.alarm(PEER_SECONDS)
            fit_costs = {} if name.startswith("CSThreshold") else train
            model.fit(X, y, **fit_costs)
            if name.startswith("CSThreshold"):
                answers = {name: model.predict(X_test, **test)}
            else:
                answers = {name: model.predict(X_test)}
                p = np.asarray(model.predict_proba(X_test))
                answers[f"{name} (bayes)"] = decide(p, data["costs_test"])
        except Exception as error:  # recorded: versions of empulse differ
            print(json.dumps({"method": name, "error": repr(error)[:300]}), flush=True)
            continue
        finally:
            signal.alarm(0)
        for method, answer in answers.items():
            cost = paid(answer.astype(int), y_test, data["costs_test"])
            seconds = time.process_time() - started
            line = {"method": method, "cost": cost, "cpu_seconds": seconds}
            print(json.dumps(line), flush=True)


def decide(probabilities, costs):
    """The answer of lowest expected cost at the costs of each row."""
    return np.einsum("ny,nyk->nk", probabilities, costs).argmin(axis=1)


def paid(answers, y, costs):
    """Mean cost."""
    return float(costs[np.arange(len(y)), y, answers].mean())


def write_pakdd(path):
    """Save empulse's table of credit applications as CSV, with ``price_*`` columns."""
    from empulse.datasets import load_credit_scoring_pakdd

    data = load_credit_scoring_pakdd(backend="pandas")
    table = data.data.copy()
    table["y"] = np.asarray(data.target).astype(int)
    table["price_tn"] = table["price_tp"] = 0.0
    table["price_fp"] = data.instance_costs["fp_cost"]
    table["price_fn"] = LOSS_GIVEN_DEFAULT * data.instance_costs["cl"]
    table.sample(PAKDD_ROWS, random_state=0).to_csv(path, index=False)


# ------------------------------------------------------------------ tables and methods


def read_tables(folder, peer):
    """Features, labels (0 and 1) and costs of shape (n, 2, 2), by table."""
    import pandas as pd

    from softcost.costs import row_cost_matrices

    prices = [f"{name} = price_{name}" for name in ("tn", "fp", "fn", "tp")]
    tables = {}

    def priced(name, table):
        costs = row_cost_matrices(table, prices, [0, 1], positive=1)
        features = table[[c for c in table if not c.startswith("price_") and c != "y"]]
        tables[name] = (features, table["y"].to_numpy(), costs)

    priced("churn", pd.read_csv(folder / "churn.csv.gz"))
    credit = pd.read_csv(folder / "credit.csv.gz")
    y = (credit["Status"] == "bad").to_numpy().astype(int)
    loans = ["fn = 0.75 * Amount", "fp = 0.1 * Amount"]
    costs = row_cost_matrices(credit, loans, [0, 1], positive=1)
    tables["credit"] = (credit.drop(columns="Status"), y, costs)
    if peer is not None:
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / "pakdd.csv"
            done = subprocess.run(
                [peer, __file__, "--write-pakdd", str(path)], check=False
            )
            if done.returncode == 0:
                priced("pakdd", pd.read_csv(path))
    return tables


def with_categories(X):
    """Texts as pandas categories, for LightGBM."""
    texts = [name for name in X if X[name].dtype.kind not in "biuf"]
    return X.astype(dict.fromkeys(texts, "category"))


def methods_here():
    """Methods of this process: functions of training and test rows."""
    from lightgbm import LGBMClassifier, early_stopping
    from sklearn.model_selection import train_test_split

    from softcost import SoftCostClassifierCV

    def default(X, y, costs, X_test, costs_test):
        search = SoftCostClassifierCV(random_state=0).fit(X, y, costs=costs)
        return search.predict(X_test, costs=costs_test), search.best_params_

    def lightgbm(X, y, costs, X_test, costs_test):
        model = LGBMClassifier(verbose=-1, n_jobs=1, random_state=0)
        model.fit(with_categories(X), y)
        return decide(model.predict_proba(with_categories(X_test)), costs_test), None

    def stopped(X, y, costs, X_test, costs_test):
        fit, validate = train_test_split(
            np.arange(len(y)), test_size=0.2, random_state=0, stratify=y
        )
        X = with_categories(X)
        model = LGBMClassifier(
            n_estimators=2000, learning_rate=0.05, verbose=-1, n_jobs=1, random_state=0
        )
        model.fit(
            X.iloc[fit], y[fit], eval_set=[(X.iloc[validate], y[validate])],
            callbacks=[early_stopping(30, verbose=False)],
        )  # fmt: skip
        return decide(model.predict_proba(with_categories(X_test)), costs_test), None

    def constant(X, y, costs, X_test, costs_test):
        best = costs[np.arange(len(y)), y].mean(axis=0).argmin()
        return np.full(len(X_test), best), None

    return {
        "softcost": default, "lightgbm": lightgbm, "lightgbm-stopped": stopped,
        "constant": constant,
    }  # fmt: skip


def run_split(name, split, data, peer):
    """Costs of all methods on one split."""
    from sklearn.model_selection import train_test_split

    from softcost.tables import TableEncoder

    X, y, costs = data
    train, test = train_test_split(
        np.arange(len(y)), test_size=0.3, random_state=split, stratify=y
    )
    X_train, X_test = (X.iloc[rows].reset_index(drop=True) for rows in (train, test))
    records = []
    for method, run in methods_here().items():
        started = time.process_time()
        answers, chosen = run(X_train, y[train], costs[train], X_test, costs[test])
        seconds = time.process_time() - started
        cost = paid(np.asarray(answers).astype(int), y[test], costs[test])
        record = {"method": method, "cost": cost, "cpu_seconds": seconds}
        if chosen is not None:
            record["chosen"] = str(chosen)
        records.append(record)
    if peer is not None:
        encoder = TableEncoder().fit(X_train, y[train])
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / "task.npz"
            np.savez(
                path,
                X_train=np.asarray(encoder.transform(X_train), float),
                X_test=np.asarray(encoder.transform(X_test), float),
                y_train=y[train], y_test=y[test],
                costs_train=costs[train], costs_test=costs[test],
            )  # fmt: skip
            line = [peer, __file__, "--peer-task", str(path)]
            done = subprocess.run(line, check=False, capture_output=True, text=True)
        for text in done.stdout.splitlines():
            if text.startswith("{"):
                records.append(json.loads(text))
    return [{"table": name, "split": split, **record} for record in records]


def summary(records):
    """Geometric mean ratios of costs to softcost's, by method and table."""
    import pandas as pd

    table = pd.DataFrame([one for one in records if "cost" in one])
    costs = table.pivot_table(index=["table", "split"], columns="method", values="cost")
    logs = np.log(costs.div(costs["softcost"], axis=0))
    by_table = np.exp(logs.groupby("table").mean())
    ratios = by_table.T
    ratios["all"] = np.exp(np.log(by_table).mean())
    return ratios.sort_values("all").round(4)


def _too_late(*_):
    raise TimeoutError(f"no result after {PEER_SECONDS} seconds")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=Path)
    parser.add_argument("--peer-python", default=None)
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--only", default=None, help="names of tables: churn,credit")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--peer-task", help=argparse.SUPPRESS)
    parser.add_argument("--write-pakdd", help=argparse.SUPPRESS)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.write_pakdd:
        return write_pakdd(options.write_pakdd)
    if options.peer_task:
        signal.signal(signal.SIGALRM, _too_late)
        return run_peers(options.peer_task)
    from common import surroundings

    where = surroundings(["numpy", "scikit-learn", "lightgbm"])
    where["command"] = (
        "python benchmarks/row_costs.py --tables DIR --peer-python PYTHON"
    )
    if options.peer_python is not None:
        line = "import importlib.metadata as m; print(m.version('empulse'))"
        words = [options.peer_python, "-c", line]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        where["versions"]["empulse"] = done.stdout.strip()
    tables = read_tables(options.tables, options.peer_python)
    names = options.only.split(",") if options.only else list(tables)
    records = []
    if options.resume and RESULTS.exists():
        records = json.loads(RESULTS.read_text())["records"]
    finished = {(record["table"], record["split"]) for record in records}
    for split in range(options.splits):
        for name in names:
            if (name, split) in finished:
                continue
            records += run_split(name, split, tables[name], options.peer_python)
            for record in records:
                if (record["table"], record["split"]) == (name, split):
                    print(json.dumps(record), flush=True)
            ratios = summary(records)
            found = {
                "surroundings": where,
                "cost_ratio_to_softcost": ratios.where(ratios.notna(), None).to_dict(),
                "records": records,
            }
            RESULTS.write_text(json.dumps(found, indent=1) + "\n")
    print(summary(records).to_string())
    return None


if __name__ == "__main__":
    sys.exit(main())

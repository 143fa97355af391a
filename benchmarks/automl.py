"""Compare the default with AutoML systems and common models, by cost.

    python benchmarks/automl.py run --tables DIR [--methods softcost,flaml,...] \\
        [--only credit,iris,...] [--splits 3] [--seconds 30] \\
        [--python autogluon=/path/to/bin/python] [--previous CHECKOUT]
    python benchmarks/automl.py summary

**Tables.** ``DIR`` has ``NAME.csv.gz`` files and an ``index.csv`` with columns
``table`` and ``target``. If ``SOFTCOST_DATA`` is set, the smaller half of the 22
benchmark sets is also used. Three in ten rows are held out, stratified, for each of
three splits. Columns ``price_*`` (costs by row) and classes with fewer than six rows
are left out.

**Costs.** ``random``: uniform numbers, cubed, so few mistakes are expensive. ``ratio``:
``N_k / N_y`` for predicting k when y is true, so missing a rare class is expensive.
Both are scaled to a mean of one.

**Methods.** `automl_methods.py` has all of them. Each method is fitted to raw columns
in a process of its own, with one thread and the same time limit, by the Python that
``--python`` names; a prefix such as ``autogluon`` is enough. The class with the lowest
expected cost is predicted, by the probabilities of the method. softcost decides by
itself. ``previous`` is the default of another checkout of softcost, which needs
numbers, so the table is encoded as ``softcost fit`` did. Methods that do not use costs
are fitted once for both kinds of costs.

**Records.** One line of JSON for each table, split, kind of costs and method is
appended to ``results/automl.jsonl``. Existing lines are not computed again, so a run
can be interrupted. ``--retry`` repeats failures.

**Summary.** ``summary`` prints a table, writes it into ``README.md`` and into
``results/automl.json``. Ratios of costs are geometric means over tables, with a
bootstrap interval over tables. Time limits and latencies are processor time.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
from common import surroundings
from sklearn.model_selection import train_test_split

HERE = Path(__file__).resolve().parent
RECORDS = HERE / "results" / "automl.jsonl"
SUMMARY = HERE / "results" / "automl.json"
README = HERE / "README.md"
BEGIN, END = "<!-- automl: begin -->", "<!-- automl: end -->"

METHODS = (
    "softcost", "previous", "autogluon-medium", "autogluon-best", "flaml", "lightgbm",
    "catboost", "logistic", "constant",
)  # fmt: skip
USES_COSTS = ("softcost", "previous")
COSTS = ("random", "ratio")
# The 11 of the 22 benchmark sets with the fewest rows.
SMALLER_SETS = (
    "zoo", "iris", "wine", "glass", "ecoli", "arrhythmia", "soybean", "vehicle",
    "anneal", "vowel", "solar",
)  # fmt: skip
TEST_SHARE = 0.3
FEWEST_ROWS = 6
KEY = ["table", "split", "costs", "method"]
_THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "LOKY_MAX_CPU_COUNT",
)
ONE_THREAD = dict.fromkeys(_THREADS, "1")
# A part of the constant's cost that is added to both costs of a ratio, so tables
# without any mistake have a ratio.
FLOOR = 0.01
# Probabilities are at least this in the log loss.
LEAST_PROBABILITY = 1e-6
RESAMPLES = 10_000


# ---------------------------------------------------------------- tables and costs


def all_tables(folder):
    """Where each table is and the name of its target, by table."""
    tables = {}
    if folder is not None:
        index = pd.read_csv(folder / "index.csv")
        for name, target in zip(index["table"], index["target"], strict=True):
            tables[name] = (folder / f"{name}.csv.gz", target)
    if os.environ.get("SOFTCOST_DATA"):
        data = Path(os.environ["SOFTCOST_DATA"])
        for name in SMALLER_SETS:
            tables[name] = (data / f"{name}.csv.gz", "label")
    return tables


def read(path, target):
    """The table without costs by row, rows without a label, and rare classes."""
    table = pd.read_csv(path, low_memory=False)
    table = table[table[target].notna()]
    sizes = table[target].map(table[target].value_counts())
    table = table[sizes >= FEWEST_ROWS].reset_index(drop=True)
    return table[[name for name in table if not str(name).startswith("price_")]]


def draw_costs(kind, sizes, rng):
    """A cost matrix with a zero diagonal and a mean of one beside it."""
    n_classes = len(sizes)
    if kind == "random":
        costs = rng.uniform(size=(n_classes, n_classes)) ** 3
    else:
        costs = sizes[np.newaxis, :] / sizes[:, np.newaxis]
    np.fill_diagonal(costs, 0.0)
    return costs * (n_classes * (n_classes - 1) / costs.sum())


def make_task(name, table, target, split, seconds):
    """A split of a table with both cost matrices, see `automl_methods.Task`."""
    seed = zlib.crc32(f"{name} {split}".encode())
    labels = table[target].astype(str).to_numpy()
    classes, y = np.unique(labels, return_inverse=True)
    train, test = train_test_split(
        np.arange(len(y)), test_size=TEST_SHARE, random_state=seed, stratify=y
    )
    sizes = np.bincount(y[train])
    rng = np.random.default_rng(seed)
    return {
        "target": target,
        "classes": classes.tolist(),
        "train": train.tolist(),
        "test": test.tolist(),
        "y_test": y[test],
        "shares": sizes / sizes.sum(),
        "matrices": {kind: draw_costs(kind, sizes, rng) for kind in COSTS},
        "seconds": seconds,
        "seed": int(seed % 2**31),
    }


# ---------------------------------------------------------------- one fit


def fit(method, table, task, kind, python, source):
    """What a method predicts, and what its process used.

    Returns
    -------
    dict
        ``probabilities``, ``decisions`` (None if it does not decide by itself),
        ``measured``; or ``failed``, the last line of its errors.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table.to_csv(folder / "table.csv", index=False)
        fields = ("target", "classes", "train", "test", "seconds", "seed")
        sent = {field: task[field] for field in fields}
        sent["costs"] = task["matrices"][kind].tolist()
        (folder / "task.json").write_text(json.dumps(sent))
        used, errors = _run(method, folder, task["seconds"], python, source)
        if not (folder / "measured.json").exists():
            lines = errors.strip().splitlines() or ["no message"]
            return {"failed": lines[-1][:300], "measured": used}
        decided = folder / "decisions.npy"
        return {
            "probabilities": np.load(folder / "probabilities.npy"),
            "decisions": np.load(decided) if decided.exists() else None,
            "measured": used | json.loads((folder / "measured.json").read_text()),
        }


def _run(method, folder, seconds, python, source):
    """Run the method's process; its processor time, memory and errors."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    environment |= ONE_THREAD | {"TMPDIR": str(folder), "SOFTCOST_QUIET": "1"}
    if source is not None:
        environment["PYTHONPATH"] = str(source)
    with open(folder / "errors.txt", "w+", encoding="utf-8") as errors:
        process = subprocess.Popen(
            [python, str(HERE / "automl_methods.py"), method, str(folder)],
            env=environment,
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
        )
        used = _wait(process, time.monotonic() + 300 + 10 * seconds)
        errors.seek(0)
        return used, errors.read()


def _wait(process, end):
    """Wait for a process until it ends or has to be ended."""
    while True:
        number, status, usage = os.wait4(process.pid, os.WNOHANG)
        if number:
            break
        if time.monotonic() > end:
            os.killpg(process.pid, signal.SIGKILL)
        time.sleep(0.05)
    process.returncode = os.waitstatus_to_exitcode(status)
    return {
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
        "peak_mb": usage.ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10),
    }


def score(result, task, kind):
    """Cost, error and log loss on the test rows, and the constant's cost."""
    costs, y = task["matrices"][kind], task["y_test"]
    probabilities = np.clip(result["probabilities"], LEAST_PROBABILITY, None)
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    decisions = result["decisions"]
    if decisions is None:
        decisions = (probabilities @ costs).argmin(axis=1)
    paid = costs[y, decisions]
    constant = costs[y, (task["shares"] @ costs).argmin()]
    more = paid - constant
    return {
        "cost": float(paid.mean()),
        "error": float(np.mean(decisions != y)),
        "log_loss": float(-np.log(probabilities[np.arange(len(y)), y]).mean()),
        "constant_cost": float(constant.mean()),
        "above_constant": float(more.mean()),
        "above_constant_error": float(more.std(ddof=1) / len(more) ** 0.5),
    }


# ---------------------------------------------------------------- all fits


def run(options):
    """Compute what the records do not have."""
    tables = all_tables(options.tables)
    done = {
        tuple(record[field] for field in KEY)
        for record in load_records(options.records)
        if not (options.retry and "failed" in record)
    }
    options.records.parent.mkdir(parents=True, exist_ok=True)
    # Splits outside, so that every table has one result before any has two.
    for split in range(options.splits):
        for name in options.only or tables:
            path, target = tables[name]
            if all(
                (name, split, kind, method) in done
                for kind in COSTS
                for method in options.methods
            ):
                continue
            table = read(path, target)
            task = make_task(name, table, target, split, options.seconds)
            for method in options.methods:
                missing = [
                    kind for kind in COSTS if (name, split, kind, method) not in done
                ]
                records = measure(name, split, method, table, task, missing, options)
                with open(options.records, "a", encoding="utf-8") as file:
                    for record in records:
                        file.write(json.dumps(record, allow_nan=False) + "\n")
                        _print(record)


def measure(name, split, method, table, task, kinds, options):
    """Records of a method on a split, for some kinds of costs."""
    python = python_of(method, options.python)
    source = {"softcost": HERE.parent / "src"}.get(method)
    if method == "previous":
        source = options.previous / "src"
    features = table.drop(columns=task["target"])
    about = {
        "n_train": len(task["train"]),
        "n_test": len(task["test"]),
        "n_columns": features.shape[1],
        "n_words": int(features.select_dtypes(exclude="number").shape[1]),
        "missing": float(features.isna().to_numpy().mean()),
        "n_classes": len(task["classes"]),
        "seconds": task["seconds"],
    }
    records, result = [], None
    for kind in kinds:
        if result is None or method in USES_COSTS:
            result = fit(method, table, task, kind, python, source)
        record = dict(zip(KEY, (name, split, kind, method), strict=True)) | about
        if "failed" in result:
            record["failed"] = result["failed"]
        else:
            record |= score(result, task, kind)
        records.append(record | result["measured"])
    return records


def python_of(method, pythons):
    """The Python of a method: of the longest prefix that was passed."""
    prefixes = [prefix for prefix in pythons if method.startswith(prefix)]
    return pythons[max(prefixes, key=len)] if prefixes else sys.executable


def load_records(path):
    """The last record of every table, split, kind of costs and method."""
    records = {}
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            records[tuple(record[field] for field in KEY)] = record
    return list(records.values())


def _print(record):
    what = " ".join(str(record[field]) for field in KEY)
    if "failed" in record:
        print(f"{what}: failed: {record['failed']}", flush=True)
        return
    print(
        f"{what}: cost {record['cost']:.4f}, error {record['error']:.3f}, "
        f"log loss {record['log_loss']:.3f}, {record['fit_cpu_seconds']:.1f} CPU s",
        flush=True,
    )


# ---------------------------------------------------------------- summary


def summarise(records, reference):
    """One dict for each method, with means over tables.

    Methods are compared with the reference on the splits that both have. Of a table, a
    kind of costs and a method, the cost is the mean over splits.
    """
    frame = pd.DataFrame(records)
    if "failed" not in frame:
        frame["failed"] = None
    failures = frame[frame["failed"].notna()].groupby("method").size()
    frame = frame[frame["failed"].isna()]
    methods = [name for name in METHODS if name in set(frame["method"])]
    ranks = _ranks(frame, methods)
    rows = []
    for method in methods:
        of_method = frame[frame["method"] == method]
        row = {
            "method": method,
            "tables": int(of_method["table"].nunique()),
            "fits": len(of_method),
            "failures": int(failures.get(method, 0)),
            "mean_rank": ranks.get(method),
            "above_constant": _above_constant(of_method),
        }
        for group in ("all", "raw", "numeric"):
            row[f"ratio_{group}"] = _ratio(frame, reference, method, group)
        row |= _log_loss(frame, reference, method)
        for field in (
            "fit_cpu_seconds", "peak_mb", "one_row_ms", "thousand_rows_ms"
        ):  # fmt: skip
            by_table = of_method.groupby("table")[field].mean()
            row[field] = float(by_table.mean())
        row["largest_fit_cpu_seconds"] = float(of_method["fit_cpu_seconds"].max())
        rows.append(row)
    return rows


def _ranks(frame, methods):
    """Mean rank by cost where every method has a result."""
    wide = frame.pivot_table(
        index=["table", "split", "costs"], columns="method", values="cost"
    )
    # A method with few results must not take the others out.
    common = [m for m in methods if wide[m].notna().mean() > 0.5]
    wide = wide[common].dropna()
    return {m: float(rank) for m, rank in wide.rank(axis=1).mean().items()}


def _above_constant(of_method):
    """Tables and costs whose mean cost exceeds the constant's by two errors."""
    count = 0
    for _, cells in of_method.groupby(["table", "costs"]):
        error = np.sqrt((cells["above_constant_error"] ** 2).sum()) / len(cells)
        count += bool(cells["above_constant"].mean() > 2 * error)
    return count


def _ratio(frame, reference, method, group):
    """Cost of the reference relative to a method's, with a bootstrap interval."""
    if group != "all":
        raw = (frame["n_words"] > 0) | (frame["missing"] > 0)
        frame = frame[raw if group == "raw" else ~raw]
    index = ["table", "split", "costs"]
    wide = frame.pivot_table(index=index, columns="method", values="cost")
    if reference not in wide or method not in wide:
        return None
    floor = FLOOR * frame.groupby(index)["constant_cost"].first()
    pair = pd.DataFrame(
        {"ours": wide[reference] + floor, "other": wide[method] + floor}
    )
    means = pair.dropna().groupby(["table", "costs"]).mean()
    logs = np.log(means["ours"] / means["other"]).groupby("table").mean().to_numpy()
    if not len(logs):
        return None
    rng = np.random.default_rng(0)
    drawn = logs[rng.integers(len(logs), size=(RESAMPLES, len(logs)))].mean(axis=1)
    low, high = np.quantile(drawn, [0.025, 0.975])
    return {
        "ratio": float(np.exp(logs.mean())),
        "low": float(np.exp(low)),
        "high": float(np.exp(high)),
        "tables": len(logs),
    }


def _log_loss(frame, reference, method):
    """Mean log loss of both on the splits that both have."""
    wide = frame.pivot_table(
        index=["table", "split"], columns="method", values="log_loss"
    )
    pair = pd.DataFrame({"method": wide[method], "reference": wide[reference]})
    mean = pair.dropna().groupby("table").mean().mean()
    return {
        "log_loss": float(mean["method"]),
        "reference_log_loss": float(mean["reference"]),
    }


def markdown(rows, reference):
    """The summary as a table."""
    heads = (
        "method", "tables", f"cost of {reference} / method (95% CI)",
        "words or missing", "numeric", "mean rank", "above constant",
        f"log loss ({reference})",
        "CPU s per fit", "memory MB", "1 row ms", "1000 rows ms",
    )  # fmt: skip
    lines = [f"| {' | '.join(heads)} |", "|---|" + "---:|" * (len(heads) - 1)]
    for row in rows:
        whole = row["ratio_all"]
        rank = row["mean_rank"]
        cells = (
            row["method"],
            f"{row['tables']}",
            f"{whole['ratio']:.3f} ({whole['low']:.3f}-{whole['high']:.3f})"
            if whole and row["method"] != reference
            else "",
            _short(row["ratio_raw"]),
            _short(row["ratio_numeric"]),
            "" if rank is None else f"{rank:.2f}",
            f"{row['above_constant']}",
            f"{row['log_loss']:.3f} ({row['reference_log_loss']:.3f})",
            f"{row['fit_cpu_seconds']:.1f}",
            f"{row['peak_mb']:.0f}",
            f"{row['one_row_ms']:.1f}",
            f"{row['thousand_rows_ms']:.0f}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _short(ratio):
    return "" if ratio is None else f"{ratio['ratio']:.3f}"


def write_summary(options):
    """Print the summary; write it as JSON and into the README."""
    records = load_records(options.records)
    if not records:
        sys.exit(f"{options.records} has no records: run the benchmark first.")
    if not any(record["method"] == options.reference for record in records):
        sys.exit(f"{options.records} has no records of {options.reference}.")
    rows = summarise(records, options.reference)
    text = markdown(rows, options.reference)
    print(text)
    document = {
        "surroundings": surroundings(("softcost", "scikit-learn", "numpy", "pandas")),
        "reference": options.reference,
        "methods": rows,
    }
    options.output.write_text(json.dumps(document, indent=1, allow_nan=False) + "\n")
    page = README.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    README.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    runner = commands.add_parser("run", help="compute missing records")
    runner.add_argument("--tables", type=Path, help="folder with index.csv")
    runner.add_argument("--methods", type=_names, default=list(METHODS))
    runner.add_argument("--only", type=_names, help="names of tables")
    runner.add_argument("--splits", type=int, default=3)
    runner.add_argument("--seconds", type=float, default=30, help="limit of a fit")
    runner.add_argument(
        "--python",
        action="append",
        default=[],
        metavar="METHOD=PATH",
        help="Python that runs methods whose names begin like this; repeatable",
    )
    runner.add_argument("--previous", type=Path, help="checkout for method previous")
    runner.add_argument("--retry", action="store_true", help="repeat failures")
    runner.add_argument("--records", type=Path, default=RECORDS)
    reporter = commands.add_parser("summary", help="print and write the summary")
    reporter.add_argument("--records", type=Path, default=RECORDS)
    reporter.add_argument("--output", type=Path, default=SUMMARY)
    reporter.add_argument("--reference", default="softcost", choices=METHODS)
    options = parser.parse_args()
    if options.command == "summary":
        write_summary(options)
        return
    options.python = dict(pair.split("=", 1) for pair in options.python)
    if options.previous is None:
        options.methods = [name for name in options.methods if name != "previous"]
    run(options)


def _names(text):
    return text.split(",")


if __name__ == "__main__":
    main()

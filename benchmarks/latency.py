"""How long a decision takes: one row, a thousand rows, on an idle and a busy machine.

    python benchmarks/latency.py [TABLE ...] [--busy 8] [--autogluon PYTHON]

Fits the default model of each table, saves and loads it, and predicts rows in turns
with ``LGBMClassifier.predict`` and its booster (one thread, 100 rounds), so that all
share the machine's moods. With
``softcost.to_onnx`` and onnxruntime the exported graph takes part, with ``--autogluon``
(a Python with autogluon.tabular) AutoGluon's medium quality, in a process of its own.

Milliseconds are wall-clock time at the 50th and 99th percentile, as a client has them,
and processor time, which other processes disturb less. ``--busy`` repeats single rows
beside processes that never rest. A row of the table ``mixed`` has words, a date and
missing cells, and is passed as a dict and as a data frame.
"""

import argparse
import gc
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import lightgbm
import numpy as np
import pandas as pd
from common import print_row, write_json
from sklearn.datasets import load_digits, load_wine, make_classification

import softcost
from softcost import SoftCostClassifierCV

PACKAGES = [
    "softcost", "lightgbm", "scikit-learn", "numba", "numpy", "pandas", "onnxruntime",
]  # fmt: skip
LIMITS = {"one row": (1.0, 3.0), "dict": (4.0, None), "frame": (4.0, None)}
BATCH, BATCH_RATIO, BUSY_RATIO = 1000, 3.0, 2.0
ROWS, WARM_UP = 1000, 100
PAUSE = 0.005


def nursery():
    data = softcost.datasets.load("nursery")
    return np.asarray(data.data, float), data.target


def made():
    return make_classification(
        20_000, 20, n_informative=10, n_classes=3, random_state=0
    )


def mixed(n=1500):
    """Numbers, words, a date, and missing cells."""
    rng = np.random.default_rng(0)
    columns = {f"x{i}": rng.normal(size=n).round(3) for i in range(12)}
    for i in range(5):
        columns[f"w{i}"] = rng.choice(["red", "green", "blue", "grey"], n)
    days = pd.to_timedelta(rng.integers(0, 700, n), unit="D")
    columns["when"] = (pd.Timestamp("2024-01-01") + days).strftime("%Y-%m-%d")
    score = columns["x0"] + columns["x1"] ** 2 + (columns["w0"] == "red")
    y = np.array(["low", "mid", "high"])[np.digitize(score, [0.3, 1.8])]
    frame = pd.DataFrame(columns).astype({"when": object})
    return frame.mask(rng.random(frame.shape) < 0.1), y


TABLES = {
    "wine": lambda: load_wine(return_X_y=True),
    "digits": lambda: load_digits(return_X_y=True),
    "nursery": nursery,
    "20000x20": made,
    "mixed": mixed,
}


def cost_table(y):
    names = np.unique(y).tolist()
    costs = np.random.default_rng(1).uniform(1, 10, (len(names), len(names))).round(1)
    np.fill_diagonal(costs, 0.0)
    return pd.DataFrame(costs, names, names)


def as_codes(X):
    """Numbers for LightGBM, which does not read words."""
    if isinstance(X, np.ndarray):
        return X
    return np.column_stack(
        [
            X[name] if X[name].dtype == float else pd.factorize(X[name])[0]
            for name in X.columns
        ]
    ).astype(float)


def timed(calls, rows, pause=0.0):
    """Seconds of every call for every row, in turns: wall clock, processor.

    A pause before each call stands for a request that arrives: a process that never
    rests loses its share of a busy machine in the middle of a call.
    """
    for name, call in calls.items():
        for at in range(WARM_UP):
            call(rows[name][at % len(rows[name])])
    wall = {name: [] for name in calls}
    cpu = {name: [] for name in calls}
    gc.collect()
    for at in range(len(next(iter(rows.values())))):
        for name, call in calls.items():
            row = rows[name][at]
            if pause:
                time.sleep(pause)
            started, used = time.perf_counter(), time.process_time()
            call(row)
            cpu[name].append(time.process_time() - used)
            wall[name].append(time.perf_counter() - started)
    return wall, cpu


def summary(wall, cpu):
    return {
        "p50_ms": round(1e3 * float(np.quantile(wall, 0.5)), 4),
        "p99_ms": round(1e3 * float(np.quantile(wall, 0.99)), 4),
        "cpu_p50_ms": round(1e3 * float(np.quantile(cpu, 0.5)), 4),
        "cpu_p99_ms": round(1e3 * float(np.quantile(cpu, 0.99)), 4),
    }


def exported(model, X):
    """A call of the exported graph; None without onnxruntime or ``to_onnx``."""
    try:
        import onnxruntime

        graph = softcost.to_onnx(model)
    except (ImportError, AttributeError):
        return None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(graph.SerializeToString(), options)
    inputs = session.get_inputs()
    if len(inputs) != 1 or not isinstance(X, np.ndarray):
        return None
    kind = np.float32 if "float" in inputs[0].type else np.float64
    return lambda row: session.run(None, {inputs[0].name: row.astype(kind)})


def sampled(X, y):
    """Rows of all classes, one by one."""
    order = np.random.default_rng(2).permutation(len(y))[:ROWS]
    return np.resize(order, ROWS)


def measure(name, n_busy):
    X, y = TABLES[name]()
    with tempfile.TemporaryDirectory() as folder:
        fitted = SoftCostClassifierCV(cost_matrix=cost_table(y), random_state=0)
        softcost.save(fitted.fit(X, y), Path(folder) / "model")
        model = softcost.load(Path(folder) / "model")
    codes, chosen = as_codes(X), sampled(X, y)
    peer = lightgbm.LGBMClassifier(n_jobs=1, verbosity=-1).fit(codes, y)
    booster = peer.booster_
    calls = {
        "lightgbm": peer.predict,
        "lightgbm booster": lambda row: booster.predict(row, num_threads=1),
    }
    single = [codes[[at]] for at in chosen]
    rows = dict.fromkeys(calls, single)
    if isinstance(X, np.ndarray):
        calls["one row"], rows["one row"] = model.predict, rows["lightgbm"]
        graph = exported(model, X)
        if graph is not None:
            calls["onnxruntime"], rows["onnxruntime"] = graph, rows["lightgbm"]
    else:
        calls["dict"] = calls["frame"] = model.predict
        rows["frame"] = [X.iloc[[at]] for at in chosen]
        rows["dict"] = [frame.to_dict("records") for frame in rows["frame"]]
    results = []

    def record(load, pause=0.0):
        wall, cpu = timed(calls, rows, pause)
        results.extend(
            {
                "table": name,
                "load": load,
                "call": call,
                **summary(wall[call], cpu[call]),
            }
            for call in calls
        )

    record("idle")
    if n_busy:
        busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"])
                for _ in range(n_busy)]  # fmt: skip
        try:
            record(f"{n_busy} busy processes", PAUSE)
        finally:
            for process in busy:
                process.kill()
                process.wait()
    return results, batches(name, model, peer, X, codes, chosen)


def batches(name, model, peer, X, codes, chosen):
    """A thousand rows at once."""
    many = X[chosen[:BATCH]] if isinstance(X, np.ndarray) else X.iloc[chosen[:BATCH]]
    calls = {
        "softcost": model.predict,
        "lightgbm": peer.predict,
    }
    rows = {"softcost": [many] * 20, "lightgbm": [codes[chosen[:BATCH]]] * 20}
    for call in calls:
        calls[call](rows[call][0])
    wall, cpu = timed(calls, rows)
    ratio = float(np.median(cpu["softcost"]) / np.median(cpu["lightgbm"]))
    return {
        "table": name,
        "rows": BATCH,
        **{call: summary(wall[call], cpu[call]) for call in calls},
        "cpu_ratio": round(ratio, 2),
    }


AUTOGLUON = """
import json, sys, tempfile, time
import numpy as np, pandas as pd
from autogluon.tabular import TabularPredictor
frame = pd.read_parquet(sys.argv[1])
with tempfile.TemporaryDirectory() as folder:
    model = TabularPredictor("label", path=folder, verbosity=0).fit(
        frame, presets="medium_quality", num_cpus=1)
    model.persist()
    rows, seconds = frame.drop(columns="label"), []
    for at in range(60):
        row = rows.iloc[[at]]
        started = time.perf_counter()
        model.predict(row)
        seconds.append(time.perf_counter() - started)
    many = rows.iloc[np.resize(np.arange(len(rows)), 1000)]
    started = time.perf_counter()
    model.predict(many)
    batch = time.perf_counter() - started
print(json.dumps({"p50_ms": 1e3 * float(np.quantile(seconds[10:], 0.5)),
                  "p99_ms": 1e3 * float(np.quantile(seconds[10:], 0.99)),
                  "thousand_rows_ms": 1e3 * batch}))
"""


def autogluon(python, name):
    X, y = TABLES[name]()
    frame = pd.DataFrame(X)
    frame.columns = [str(column) for column in frame.columns]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.parquet")
        frame.assign(label=y).to_parquet(path)
        done = subprocess.run(
            [python, "-c", AUTOGLUON, path], check=True, capture_output=True, text=True
        )
    found = json.loads(done.stdout.splitlines()[-1])
    return {"table": name, "call": "autogluon medium", "load": "idle"} | {
        key: round(value, 3) for key, value in found.items()
    }


def verdict(result, of_peer):
    """What the targets say about one line."""
    if result["call"] not in LIMITS:
        return ""
    if result["load"] == "idle":
        half, most = LIMITS[result["call"]]
        kept = result["p50_ms"] <= half and (most is None or result["p99_ms"] <= most)
        return "ok" if kept else f"above {half} or {most} ms"
    ratios = [result[key] / of_peer[key] for key in ("p50_ms", "p99_ms")]
    words = f"{ratios[0]:.2f}x and {ratios[1]:.2f}x lightgbm"
    return words + (" ok" if max(ratios) <= BUSY_RATIO else " above 2x")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="*", default=list(TABLES))
    parser.add_argument("--busy", type=int, default=8, help="busy processes; 0: none")
    parser.add_argument("--autogluon", help="a Python with autogluon.tabular")
    parser.add_argument("--output", default="benchmarks/results/latency.json")
    options = parser.parse_args()
    # LightGBM names the columns of an array, and scikit-learn then misses the names.
    warnings.filterwarnings("ignore", message="X does not have valid feature names")
    widths = (9, 17, 16, 9, 9, 9)
    print_row(("table", "load", "call", "p50 ms", "p99 ms", "cpu p50"), widths)
    singles, many = [], []
    for name in options.tables:
        results, batch = measure(name, options.busy)
        if options.autogluon:
            results.append(autogluon(options.autogluon, name))
        peers = {one["load"]: one for one in results if one["call"] == "lightgbm"}
        for one in results:
            cells = [one["table"], one["load"], one["call"], one["p50_ms"]]
            cells += [one["p99_ms"], one.get("cpu_p50_ms", "")]
            one["verdict"] = verdict(one, peers[one["load"]])
            print_row([str(cell) for cell in cells], widths, one["verdict"])
        ratio = batch["cpu_ratio"]
        print(f"{name}: 1000 rows take {ratio} times the processor time of lightgbm")
        singles += results
        many.append(batch | {"ok": ratio <= BATCH_RATIO})
    results = {"single_rows": singles, "batches": many}
    write_json(options.output, PACKAGES, results)


if __name__ == "__main__":
    main()

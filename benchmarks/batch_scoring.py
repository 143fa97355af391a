"""Rows per second and memory of ``softcost predict``, beside LightGBM.

    python benchmarks/batch_scoring.py [--rows 200000 1000000] [--output FILE]

Fits the default model and LightGBM (one thread, 100 rounds) to 20,000 rows of 20
columns. Then ``softcost predict`` and a short program with LightGBM score the same
files, each in a process of its own: Parquet to Parquet and CSV to CSV, in blocks. Rates
are rows per second of processor time without the start of the process, which is
measured with a file of ten rows. Memory is the largest resident size. Targets: at least
half of LightGBM's rate, less than 1 GB, and no more memory for a larger file.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import lightgbm
import numpy as np
import pandas as pd
from common import print_row, write_json
from sklearn.datasets import make_classification

PACKAGES = ["softcost", "lightgbm", "numba", "numpy", "pandas", "pyarrow"]
LIMIT, RATE = 1e9, 0.5
TRAIN, FEW, BLOCK = 20_000, 10, 20_000
PEER = """
import sys, lightgbm, numpy as np, pandas as pd, pyarrow, pyarrow.parquet as parquet
model, data, out = sys.argv[1:]
booster, names = lightgbm.Booster(model_file=model), np.array(list("abc"))
writer = None
if data.endswith("parquet"):
    parts = (part.to_pandas() for part in parquet.ParquetFile(data).iter_batches(BLOCK))
else:
    parts = pd.read_csv(data, chunksize=BLOCK)
for part in parts:
    found = booster.predict(part.to_numpy(), num_threads=1)
    frame = pd.DataFrame(found, columns=names)
    frame["prediction"] = names[found.argmax(axis=1)]
    if out.endswith("parquet"):
        table = pyarrow.Table.from_pandas(frame, preserve_index=False)
        writer = writer or parquet.ParquetWriter(out, table.schema)
        writer.write_table(table)
    else:
        frame.to_csv(out, mode="a", header=False, index=False)
if writer is not None:
    writer.close()
""".replace("BLOCK", str(BLOCK))


# A child counts the memory of the process that started it, so a small one does that.
LAUNCHER = """
import json, os, subprocess, sys
child = subprocess.Popen([sys.executable, *sys.argv[1:]], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(child.pid, 0)
seconds = usage.ru_utime + usage.ru_stime
print(json.dumps([os.waitstatus_to_exitcode(status), seconds, usage.ru_maxrss * 1024]))
"""


def run(*words):
    """Processor seconds and largest resident size of a program."""
    done = subprocess.run(
        [sys.executable, "-c", LAUNCHER, *map(str, words)],
        capture_output=True,
        text=True,
        check=True,
    )
    code, seconds, peak = json.loads(done.stdout)
    if code:
        raise SystemExit(f"{words[:3]} failed: {done.stderr[-500:]}")
    return seconds, peak


def write_files(here, sizes):
    """Training rows, and rows to score in both formats."""
    X, y = make_classification(
        TRAIN + max(sizes), 20, n_informative=10, n_classes=3, random_state=0
    )
    frame = pd.DataFrame(X, columns=[f"x{column}" for column in range(20)])
    labels = np.array(list("abc"))[y]
    train = frame.iloc[:TRAIN].assign(label=labels[:TRAIN])
    train.to_csv(here / "train.csv", index=False)
    costs = pd.DataFrame([[0, 1, 5], [2, 0, 1], [9, 3, 0]], list("abc"), list("abc"))
    costs.to_csv(here / "costs.csv")
    for size in (FEW, *sizes):
        part = frame.iloc[TRAIN : TRAIN + size]
        part.to_parquet(here / f"{size}.parquet")
        part.to_csv(here / f"{size}.csv", index=False)
    return X[:TRAIN], labels[:TRAIN]


def measure(here, size, kind, seconds_to_start):
    commands = {
        "softcost": ("-m", "softcost", "predict", here / "model"),
        "lightgbm": ("-c", PEER, here / "booster.txt"),
    }
    result = {"rows": size, "format": kind}
    for name, words in commands.items():
        output = here / f"out.{kind}"
        data = (here / f"{size}.{kind}",)
        ends = ("-o", output) if name == "softcost" else (output,)
        seconds, peak = run(*words, *data, *ends)
        output.unlink()
        start = seconds_to_start.setdefault((name, kind), seconds)
        result[name] = {
            "cpu_seconds": round(seconds, 2),
            "start_seconds": round(start, 2),
            "rows_per_second": round(size / max(seconds - start, 1e-3)),
            "peak_megabytes": round(peak / 1e6),
        }
    rates = [result[name]["rows_per_second"] for name in commands]
    result["ratio"] = round(rates[0] / rates[1], 2)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[200_000, 1_000_000])
    parser.add_argument("--output", default="benchmarks/results/batch_scoring.json")
    options = parser.parse_args()
    widths = (8, 8, 16, 16, 6, 12, 12)
    results = []
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        X, y = write_files(here, options.rows)
        run(
            "-m", "softcost", "fit", here / "train.csv", "--target", "label",
            "--costs", here / "costs.csv", "--model", here / "model", "--quiet",
        )  # fmt: skip
        peer = lightgbm.LGBMClassifier(n_jobs=1, verbosity=-1).fit(X, y)
        peer.booster_.save_model(here / "booster.txt")
        print_row(
            ("rows", "format", "softcost rows/s", "lightgbm rows/s", "ratio",
             "softcost MB", "lightgbm MB"),
            widths,
        )  # fmt: skip
        start = {}
        for kind in ("parquet", "csv"):
            measure(here, FEW, kind, {})  # compiles, where nothing is compiled yet
            measure(here, FEW, kind, start)
            for size in options.rows:
                one = measure(here, size, kind, start)
                ours, theirs = one["softcost"], one["lightgbm"]
                small = ours["peak_megabytes"] < LIMIT / 1e6
                one["ok"] = one["ratio"] >= RATE and small
                cells = [size, kind, ours["rows_per_second"], theirs["rows_per_second"]]
                cells += [one["ratio"], ours["peak_megabytes"]]
                cells += [theirs["peak_megabytes"]]
                print_row(cells, widths, "ok" if one["ok"] else "missed")
                results.append(one)
    write_json(options.output, PACKAGES, results)


if __name__ == "__main__":
    main()

"""How much memory ``softcost predict`` takes for a file of a million rows.

Writes the rows and a model to a temporary folder, predicts in a process of its own and
prints the largest resident size of that process; the promise is less than 1 GB.

    python benchmarks/predict_memory.py [--rows 1000000] [--format csv|parquet]
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

LIMIT = 1e9


def write_rows(path: Path, rows: int, features: int) -> None:
    rng = np.random.default_rng(0)
    with open(path, "w", encoding="utf-8") as file:
        names = [f"x{number}" for number in range(features)]
        print(*names, "kind", "label", sep=",", file=file)
        for start in range(0, rows, 10_000):
            count = min(10_000, rows - start)
            label = rng.integers(0, 3, count)
            values = rng.normal(label[:, None], 1.0, (count, features)).round(3)
            kind = rng.integers(0, 5, count)
            for row, word, name in zip(values.tolist(), kind, label, strict=True):
                print(*row, f"kind {word}", f"class {name}", sep=",", file=file)


def softcost(*words: object) -> None:
    subprocess.run([sys.executable, "-m", "softcost", *map(str, words)], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--features", type=int, default=10)
    parser.add_argument("--format", choices=["csv", "parquet"], default="csv")
    options = parser.parse_args()
    names = [f"class {number}" for number in range(3)]
    prices = {a: {b: abs(ord(a[-1]) - ord(b[-1])) for b in names} for a in names}
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        (here / "prices.json").write_text(json.dumps(prices))
        write_rows(here / "train.csv", 500, options.features)
        write_rows(here / "rows.csv", options.rows, options.features)
        softcost(
            "fit", here / "train.csv", "--target", "label", "--costs",
            here / "prices.json", "--model", here / "model", "--quiet",
        )  # fmt: skip
        fitted = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
        started = time.monotonic()
        out = here / f"out.{options.format}"
        softcost("predict", here / "model", here / "rows.csv", "-o", out)
        seconds = time.monotonic() - started
        # The largest of all children; fitting 500 rows came first, and is small.
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
        result = {
            "rows": options.rows,
            "input_megabytes": round((here / "rows.csv").stat().st_size / 1e6),
            "output_megabytes": round(out.stat().st_size / 1e6),
            "seconds": round(seconds, 1),
            "fit_peak_megabytes": round(fitted / 1e6),
            "peak_megabytes": round(peak / 1e6),
            "below_limit": peak < LIMIT,
        }
    print(json.dumps(result, indent=2))
    sys.exit(0 if peak < LIMIT else 1)


if __name__ == "__main__":
    main()

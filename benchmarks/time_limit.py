"""Compare time estimates and time limits with the time that fits take.

    python benchmarks/time_limit.py [--rows 2000,5000,20000] [--limits 0.25,0.5,1] \\
        [--output benchmarks/results/time_limit.json]

The default is fitted to made tables (20 columns, 3 classes, mixed signal), first
without a limit, with the estimate that ``verbose=1`` prints, then with limits that are
shares of that time. Times are seconds on a clock, so the machine should be idle. Fits
before the first measurement compile.

``estimate_ratio`` is the estimate over the time; the aim is a factor of two.
``used`` is the time of a limited fit over its limit; the aim is at most 1.2.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
from common import surroundings
from sklearn.datasets import make_classification

from softcost import SoftCostClassifierCV
from softcost.search import progress_to

COSTS = np.array([[0, 1, 5], [2, 0, 4], [9, 7, 0.0]])
PACKAGES = ("softcost", "scikit-learn", "numpy", "lightgbm")


def table(n_rows):
    return make_classification(
        n_rows, 20, n_informative=8, n_classes=3, flip_y=0.1, random_state=0
    )


def timed(n_rows, limit=None):
    """Seconds of a fit, its estimate if there was one, and the fitted search."""
    estimates = []
    search = SoftCostClassifierCV(cost_matrix=COSTS, time_limit=limit, random_state=0)
    started = time.perf_counter()
    with progress_to(lambda done, total: None, estimate=estimates.append):
        search.fit(*table(n_rows))
    seconds = time.perf_counter() - started
    return seconds, estimates[0] if estimates else None, search


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    numbers = {"type": lambda text: [float(part) for part in text.split(",")]}
    parser.add_argument("--rows", default=[2000.0, 5000.0, 20000.0], **numbers)
    parser.add_argument("--limits", default=[0.25, 0.5, 1.0], **numbers)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    timed(300)
    results = []
    for n_rows in map(int, options.rows):
        seconds, estimate, search = timed(n_rows)
        record = {"rows": n_rows, "seconds": seconds, "estimate": estimate}
        if estimate is not None:
            record["estimate_ratio"] = estimate / seconds
        record["limits"] = []
        print(f"{n_rows} rows: {seconds:.1f} s, estimate {estimate}", flush=True)
        for share in options.limits:
            limit = share * seconds
            needed, _, raced = timed(n_rows, limit)
            record["limits"].append(
                {
                    "limit": limit,
                    "seconds": needed,
                    "used": needed / limit,
                    "family": raced.best_params_["family"],
                    "families": raced.tradeoff_["family"].unique().tolist(),
                    "cost": -raced.best_score_,
                    "cost_without_limit": -search.best_score_,
                }
            )
            print("  ", record["limits"][-1], flush=True)
        results.append(record)
    if options.output is not None:
        report = {"surroundings": surroundings(PACKAGES), "results": results}
        options.output.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()

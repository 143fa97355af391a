"""Two versions of the package: the same choices, and how much faster one is.

    python benchmarks/versions.py /path/to/other/checkout --builds native,AVX2

Searches of both families on several sets and price lists are run by both versions, in
processes of their own that take turns, and compared: chosen C and softness, the cost
there, the largest difference in the table of costs, and processor time with one job.
Ties of votes are broken as LIBSVM does, the only way that old versions know.
``--many`` adds one-versus-one of 24 classes (a synthetic set of 2000 rows), which takes
minutes.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from common import BUILDS, environment_of, print_row, write_json
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.datasets import make_classification as classification
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import minmax_scale

C_VALUES = [2.0**power for power in (-2, 1, 4, 7, 10)]
SOFTNESS = np.linspace(0, 1, 11)
FAMILIES = {"OSR": "OneSidedRegression", "CSOVO": "CostSensitiveOneVsOne"}
SETS = {
    "iris": lambda: load_iris(return_X_y=True),
    "wine": lambda: load_wine(return_X_y=True),
    "cancer": lambda: load_breast_cancer(return_X_y=True),
    "digits": lambda: load_digits(return_X_y=True),
    "five": lambda: classification(
        600, 10, n_informative=6, n_classes=5, flip_y=0.05, random_state=0
    ),
    "many": lambda: classification(
        2000, 16, n_informative=12, n_classes=24, n_clusters_per_class=1,
        flip_y=0.02, random_state=0,
    ),
}  # fmt: skip
CASES = [
    (name, family, seed)
    for name in ("iris", "wine", "cancer", "five", "digits")
    for family in FAMILIES
    for seed in (0, 1)
]
MANY = ("many", "CSOVO", 0)
HEADER = ["build", "data", "family", "prices", "before", "after", "ratio", "chosen"]
WIDTHS = [7, 7, 6, 6, 10, 10, 7, 30]


def reduction_of(family):
    """A reduction of the package that is on the path, as all versions know it."""
    import softcost

    reduction = getattr(softcost, FAMILIES[family])()
    if "tie_break" in reduction.get_params():
        reduction.set_params(tie_break="first")
    return reduction


def search(name, family, seed):
    """One search with the package that is on the path."""
    import softcost
    from softcost.costs import inconsistent

    X, y = SETS[name]()
    X, prices = minmax_scale(X), inconsistent(np.bincount(y), seed)
    folds = StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y)
    model = softcost.SoftCostClassifierCV(
        reduction_of(family),
        cost_matrix=prices,
        classes=np.arange(len(prices)),
        softness=SOFTNESS,
        param_grid={"C": C_VALUES},
        cv=list(folds),
        n_jobs=1,
    )
    start = time.process_time()
    model.fit(X, y)
    seconds = time.process_time() - start
    best = model.tradeoff_.iloc[model.best_index_]
    return {
        "seconds": seconds,
        "C": float(best["C"]),
        "softness": float(best["softness"]),
        "cost": float(best["cost"]),
        "costs": [float(cost) for cost in model.tradeoff_["cost"]],
    }


def work(cases):
    """Searches in this process, after one that compiles; JSON on standard output."""
    search("iris", "CSOVO", 0)
    search("iris", "OSR", 0)
    print(json.dumps([search(*case) for case in cases]))


def run(checkout, build, cases):
    """What a version finds, in a process of its own."""
    environment = environment_of(build, PYTHONPATH=str(checkout / "src"))
    command = [sys.executable, __file__, "--work", json.dumps(cases)]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout.splitlines()[-1])


def compare(before, after):
    """Ratio of the medians of seconds, and whether the same point was chosen."""
    old, new = before[0], after[0]
    seconds = [statistics.median(one["seconds"] for one in s) for s in (before, after)]
    differences = np.abs(np.subtract(old["costs"], new["costs"]))
    return {
        "before": seconds[0],
        "after": seconds[1],
        "ratio": seconds[0] / seconds[1],
        "same_choice": all(old[key] == new[key] for key in ("C", "softness")),
        "chosen": [[one["C"], one["softness"], one["cost"]] for one in (old, new)],
        "costs_that_differ": int((differences > 0).sum()),
        "largest_difference": float(differences.max()),
    }


def print_result(result):
    chosen = result["chosen"]
    text = f"C {chosen[1][0]:g}, {chosen[1][1]:g}, {chosen[1][2]:.5f}"
    if not result["same_choice"]:
        text = f"{text} (C {chosen[0][0]:g}, {chosen[0][1]:g}, {chosen[0][2]:.5f})"
    cells = [result[key] for key in ("build", "data", "family", "prices")]
    times = [f"{result[key]:.3f} s" for key in ("before", "after")]
    ratio = f"{result['ratio']:.2f}x"
    verdict = "same" if result["same_choice"] else "ANOTHER"
    print_row([*cells, *times, ratio, text], WIDTHS, verdict)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("other", type=Path, nargs="?", help="checkout to compare with")
    parser.add_argument("--work", type=json.loads, help=argparse.SUPPRESS)
    parser.add_argument("--builds", default="native", help=f"of {','.join(BUILDS)}")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--many", action="store_true", help="24 classes, too")
    parser.add_argument("--output", help="JSON file to write")
    options = parser.parse_args()
    if options.work is not None:
        work(options.work)
        return
    here = Path(__file__).resolve().parents[1]
    print_row(HEADER, WIDTHS)
    results = []
    for build in options.builds.split(","):
        groups = [(CASES, options.repetitions)] + [([MANY], 1)] * options.many
        for cases, repetitions in groups:
            found = {here: [], options.other: []}
            for _ in range(repetitions):
                for checkout in found:
                    found[checkout].append(run(checkout, build, cases))
            for number, (name, family, seed) in enumerate(cases):
                before, after = (
                    [one[number] for one in found[checkout]]
                    for checkout in (options.other, here)
                )
                case = {"build": build, "data": name, "family": family, "prices": seed}
                results.append({**case, **compare(before, after)})
                print_result(results[-1])
    if options.output:
        write_json(options.output, ["softcost", "numpy", "numba"], results)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONWARNINGS", "ignore")
    main()

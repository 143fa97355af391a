"""How a whole search grows with the rows, against one logistic regression.

    python benchmarks/scale.py                                # 10^4 to 10^6 rows
    python benchmarks/scale.py --rows 10000 100000 --learners linear pairs nystroem

A search tries 11 values of softness and 3 of C on 5 folds and refits the best, with two
jobs. Rows have 40 standardised features and 10 classes, each of two clusters. The peer
is one fit of scikit-learn's multinomial ``LogisticRegression`` to the same rows, with
the Bayes decision for the prices, in the same process and right after the search.

Seconds are processor time; ``ratio`` is that of the two, ``wall`` of elapsed times.
``memory`` is the peak of the process beyond what it had before the rows were made, in
units of the rows. Costs are those of 50,000 other rows. ``slope`` is the exponent of
the time in the number of rows, fitted to all sizes.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from common import print_row, write_json
from sklearn.linear_model import LogisticRegression

from softcost import (
    CostSensitiveOneVsOne,
    LinearClassifier,
    OneSidedLinear,
    OneSidedNystroem,
    OneSidedRegression,
    SoftCostClassifierCV,
)

PACKAGES = ["softcost", "numpy", "scipy", "numba", "scikit-learn"]
FEATURES, CLASSES, TEST_ROWS = 40, 10, 50_000
LEARNERS = {
    "linear": OneSidedRegression(OneSidedLinear()),
    "pairs": CostSensitiveOneVsOne(LinearClassifier()),
    "nystroem": OneSidedRegression(OneSidedNystroem(n_landmarks=128)),
}
C_VALUES = [1e-3, 1e-1, 10.0]
TARGETS = {"ratio": 3.0, "memory": 3.0, "slope": 1.2}
WIDTHS = [9, 9, 9, 9, 7, 7, 8, 9, 9]
HEADER = [
    "learner", "rows", "seconds", "peer's", "ratio", "wall", "memory", "cost", "peer's",
]  # fmt: skip


def make_rows(n, seed, dtype):
    """Rows and their classes; clusters are the same for every seed."""
    fixed, rng = np.random.default_rng(0), np.random.default_rng(seed + 1)
    centres = fixed.normal(size=(CLASSES, 2, FEATURES)) * 0.5
    mixing = np.linalg.qr(fixed.normal(size=(FEATURES, FEATURES)))[0]
    mixing = mixing * np.linspace(0.3, 1.5, FEATURES)[:, None]
    scale = np.sqrt((mixing**2).sum(axis=0) + centres.var(axis=(0, 1)))
    y = rng.integers(CLASSES, size=n)
    X = np.empty((n, FEATURES), dtype)
    for start in range(0, n, 10_000):
        part = slice(start, start + 10_000)
        noise = rng.normal(size=(len(y[part]), FEATURES)) @ mixing
        X[part] = (centres[y[part], rng.integers(2, size=len(noise))] + noise) / scale
    return X, y


def prices():
    """Mistakes cost between 1 and 10."""
    matrix = np.random.default_rng(2).uniform(1, 10, (CLASSES, CLASSES))
    np.fill_diagonal(matrix, 0)
    return matrix


def search_with(learner, **settings):
    return SoftCostClassifierCV(
        LEARNERS[learner], cost_matrix=prices(), param_grid={"C": C_VALUES}, n_jobs=2,
        random_state=0, **settings,
    )  # fmt: skip


def timed(work):
    """What it returns, processor time and elapsed time."""
    cpu, wall = time.process_time(), time.perf_counter()
    result = work()
    return result, time.process_time() - cpu, time.perf_counter() - wall


def memory_now():
    """Resident bytes of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def measure(learner, n, dtype):
    """One search and one logistic regression: the work of a process of its own."""
    X, y = make_rows(5_000, 7, dtype)
    search_with(learner, softness=2, cv=2).fit(X, y)  # compiles
    before = memory_now()
    X, y = make_rows(n, 0, dtype)
    search, cpu, wall = timed(lambda: search_with(learner).fit(X, y))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    peer, peer_cpu, peer_wall = timed(lambda: LogisticRegression().fit(X, y))
    X_test, y_test = make_rows(TEST_ROWS, 1, dtype)
    bayes = (peer.predict_proba(X_test) @ prices()).argmin(axis=1)
    return {
        "learner": learner,
        "rows": n,
        "seconds": cpu,
        "wall": wall,
        "peer_seconds": peer_cpu,
        "peer_wall": peer_wall,
        "peer_steps": int(peer.n_iter_[0]),
        "memory": (peak - before) / X.nbytes,
        "cost": float(-search.score(X_test, y_test)),
        "peer_cost": float(prices()[y_test, bayes].mean()),
        "softness": search.best_softness_,
        "C": search.best_params_["C"],
    }


def in_process(learner, n, dtype):
    """`measure` in a process of its own, whose peak is that of this work."""
    words = [sys.executable, __file__, "--measure", learner, str(n), "--dtype", dtype]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def print_result(one):
    ratio = one["seconds"] / one["peer_seconds"]
    print_row(
        [
            one["learner"],
            one["rows"],
            f"{one['seconds']:.1f}",
            f"{one['peer_seconds']:.1f}",
            f"{ratio:.2f}",
            f"{one['wall'] / one['peer_wall']:.2f}",
            f"{one['memory']:.2f}",
            f"{one['cost']:.4f}",
            f"{one['peer_cost']:.4f}",
        ],
        WIDTHS,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[10**4, 10**5, 10**6])
    parser.add_argument(
        "--learners", nargs="+", choices=LEARNERS, default=["linear", "nystroem"]
    )
    parser.add_argument("--dtype", choices=["float32", "float64"], default="float64")
    parser.add_argument("--output")
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        learner, n = options.measure
        print(json.dumps(measure(learner, int(n), options.dtype)))
        return
    print_row(HEADER, WIDTHS)
    results = []
    for learner in options.learners:
        own = []
        for n in options.rows:
            own.append(in_process(learner, n, options.dtype))
            print_result(own[-1])
        results += own
        if len(own) > 1:
            sizes, seconds = ([one[key] for one in own] for key in ("rows", "seconds"))
            slope = float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
            print(f"{learner}: slope {slope:.2f} (target at most {TARGETS['slope']})")
            results.append({"learner": learner, "slope": slope})
    print(f"targets at {max(options.rows)} rows, linear: {TARGETS}")
    if options.output:
        write_json(options.output, PACKAGES, results)


if __name__ == "__main__":
    main()

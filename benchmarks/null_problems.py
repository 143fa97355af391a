"""How often a saving is claimed where features say nothing.

    python benchmarks/null_problems.py [--problems 200] [--json OUT]

Every problem has random features, random labels with unequal shares and random prices,
in two to four classes. No model can be cheaper than always giving the best single
answer, but the best of many cross-validated ones often looks it. Counted are problems
in which the chosen candidate's held-out cost is below that of the best answer (what a
comparison of means would claim), and those in which the interval of
``SoftCostClassifierCV.saving`` lies above zero (what 'softcost fit' claims). With
``--signal`` one feature tells the class in part, to see that real savings are found.
"""

import argparse
import json
import time

import numpy as np
from sklearn.linear_model import LogisticRegression

from softcost import MinimumExpectedCost, OneSidedRegression, SoftCostClassifierCV


def problem(seed, signal):
    """Features, labels and prices."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(100, 600)), int(rng.integers(2, 5))
    y = np.r_[np.arange(k), rng.choice(k, n - k, p=rng.dirichlet(np.full(k, 3.0)))]
    y = np.r_[y, np.repeat(np.arange(k), 5)]  # so that every fold has every class
    X = rng.normal(size=(len(y), 4))
    X[:, 0] += signal * y
    prices = np.exp(rng.uniform(0, np.log(30), (k, k)))
    np.fill_diagonal(prices, 0)
    return X, y, prices


def outcome(seed, signal):
    """Whether a saving appears, and whether it is claimed."""
    X, y, prices = problem(seed, signal)
    if seed % 2:
        reduction, grid = OneSidedRegression(), {"C": [0.25, 1, 4, 16]}
    else:
        learner = LogisticRegression()
        reduction, grid = MinimumExpectedCost(learner), {"C": [0.01, 0.1, 1, 10]}
    search = SoftCostClassifierCV(
        reduction, cost_matrix=prices, param_grid=grid, softness=11, refit=False,
        random_state=seed,
    ).fit(X, y)  # fmt: skip
    found = search.saving()
    return found.saving > 0, found.shown


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="seed of the first")
    parser.add_argument("--signal", type=float, default=0.0)
    parser.add_argument("--json", help="write the counts here")
    options = parser.parse_args()
    started, appeared, claimed = time.perf_counter(), 0, 0
    for seed in range(options.first, options.first + options.problems):
        seems, shown = outcome(seed, options.signal)
        appeared, claimed = appeared + seems, claimed + shown
    result = {
        "problems": options.problems,
        "signal": options.signal,
        "cheaper_by_their_means": int(appeared),
        "claimed": int(claimed),
        "share_claimed": claimed / options.problems,
    }
    print(json.dumps(result), f"{time.perf_counter() - started:.0f} s")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=2)
            file.write("\n")


if __name__ == "__main__":
    main()

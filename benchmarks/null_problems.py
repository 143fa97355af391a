"""How often a saving is claimed where features say nothing.

    python benchmarks/null_problems.py [--problems 200] [--log LINES] [--json OUT]

Every problem has random features, random labels with unequal shares and random prices,
in two to four classes. No model can be cheaper than always giving the best single
answer, but the best of many cross-validated ones often looks it. Counted are problems
in which the chosen candidate's held-out cost is below that of the best answer (what a
comparison of means would claim), and those in which the interval of
``SoftCostClassifierCV.saving`` lies above zero (what 'softcost fit' claims). Families
are those that suit the table, as by default; ``--families single`` takes one reduction.
With ``--signal`` one feature tells the class in part, to see that real savings are
found.
"""

import argparse
import json
from importlib.metadata import version
from pathlib import Path

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


def single(seed):
    """What the oddness of a seed says: a reduction, and values of its learner's C."""
    if seed % 2:
        return OneSidedRegression(), {"C": [0.25, 1, 4, 16]}
    return MinimumExpectedCost(LogisticRegression()), {"C": [0.01, 0.1, 1, 10]}


def outcome(seed, signal, families):
    """Whether a saving appears, and whether it is claimed."""
    X, y, prices = problem(seed, signal)
    reduction, grid = ("auto", None) if families == "auto" else single(seed)
    search = SoftCostClassifierCV(
        reduction, cost_matrix=prices, param_grid=grid, softness=11, refit=False,
        random_state=seed,
    ).fit(X, y)  # fmt: skip
    found = search.saving()
    return {"seed": seed, "cheaper": bool(found.saving > 0), "claimed": found.shown}


def counts(done, options):
    """What came of all problems so far."""
    claimed = sum(one["claimed"] for one in done)
    return {
        "problems": len(done),
        "signal": options.signal,
        "families": options.families,
        "cheaper_by_their_means": sum(one["cheaper"] for one in done),
        "claimed": claimed,
        "share_claimed": claimed / len(done),
        "softcost": version("softcost"),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="seed of the first")
    parser.add_argument("--signal", type=float, default=0.0)
    parser.add_argument("--families", choices=["auto", "single"], default="auto")
    parser.add_argument("--json", help="write the counts here")
    parser.add_argument("--log", help="one line for each problem; those are not redone")
    options = parser.parse_args()
    done = []
    if options.log and Path(options.log).exists():
        done = [json.loads(line) for line in Path(options.log).read_text().splitlines()]
    known = {one["seed"] for one in done}
    for seed in range(options.first, options.first + options.problems):
        if seed in known:
            continue
        done.append(outcome(seed, options.signal, options.families))
        if options.log:
            with open(options.log, "a", encoding="utf-8") as file:
                file.write(json.dumps(done[-1]) + "\n")
    result = counts(done, options)
    print(json.dumps(result))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=2)
            file.write("\n")


if __name__ == "__main__":
    main()

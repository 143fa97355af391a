"""How often the true error of a chosen candidate exceeds its budget.

    python benchmarks/guarantee.py --output benchmarks/results/guarantee.json

Draws many small problems from Gaussian classes, so that the true error of a model can
be measured on as many fresh rows as wanted. In each, three searches over the same
candidates choose under one error budget: by cross-validated errors alone, by tests on
cross-validated predictions (``confidence``), and by tests on holdout rows
(``confidence`` and ``holdout``). Counted is how often the true error of the chosen
model, on fresh rows, is above the budget; searches that say themselves that no
candidate is within it promise nothing, and are told apart.

The budget lies 0.01 to 0.05 above the least error that any model can have, where some
candidates are within it and others are not.
"""

import argparse
import warnings

import numpy as np
from common import print_row, write_json
from scipy.stats import binom
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from softcost import Budget, MinimumExpectedCost, SoftCostClassifierCV

PACKAGES = ("softcost", "scikit-learn", "numpy", "scipy")
N_TRAIN, N_TRUTH = 1500, 40_000
CONFIDENCE, CALIBRATION = 0.9, 1 / 3
N_CLASSES, N_FEATURES = 3, 4
WIDTHS = (34, 9, 9, 9, 9, 9)


class Problem:
    """Gaussian classes, prices that are not symmetric, and a budget."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.means = self.rng.normal(0, 1, (N_CLASSES, N_FEATURES))
        self.shares = self.rng.dirichlet(np.full(N_CLASSES, 5.0))
        self.prices = 10 ** self.rng.uniform(0, 2, (N_CLASSES, N_CLASSES))
        np.fill_diagonal(self.prices, 0.0)
        X, y = self.rows(N_TRUTH)
        scores = -0.5 * ((X[:, None] - self.means) ** 2).sum(axis=2)
        least = np.mean((scores + np.log(self.shares)).argmax(axis=1) != y)
        self.budget = float(least + self.rng.uniform(0.01, 0.05))

    def rows(self, n):
        y = self.rng.choice(N_CLASSES, n, p=self.shares)
        return self.means[y] + self.rng.normal(0, 1, (n, N_FEATURES)), y


def run(seed):
    """For each way to choose: whether it says the budget is met, true error, cost."""
    problem = Problem(seed)
    X, y = problem.rows(N_TRAIN)
    X_new, y_new = problem.rows(N_TRUTH)
    plain = Budget(error=problem.budget)
    tested = Budget(error=problem.budget, confidence=CONFIDENCE)
    found = {}

    def measure(name, search):
        predicted = search.predict(X_new)
        found[name] = {
            "met": bool(search.guarantee_["met"]),
            "error": float(np.mean(predicted != y_new)),
            "cost": float(problem.prices[y_new, predicted].mean()),
            "budget": problem.budget,
        }

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        search = make_search(problem, plain).fit(X, y)
        measure("cross-validated errors", search)
        measure("tests, cross-validated", search.choose(tested))
        search = make_search(problem, tested, holdout=CALIBRATION).fit(X, y)
        measure("tests, calibration rows", search)
    return found


def make_search(problem, criterion, **settings):
    return SoftCostClassifierCV(
        MinimumExpectedCost(LinearDiscriminantAnalysis()),
        cost_matrix=problem.prices,
        classes=np.arange(N_CLASSES),
        softness=11,
        param_grid={"tol": [1e-4]},  # one setting: candidates differ in softness only
        criterion=criterion,
        random_state=0,
        **settings,
    )


def summary(name, runs):
    """How often a search promised the budget and broke it."""
    ours = [one[name] for one in runs]
    n, broken = (
        len(ours),
        sum(one["met"] and one["error"] > one["budget"] for one in ours),
    )
    promised = sum(one["met"] for one in ours)
    return {
        "search": name,
        "problems": n,
        "promised": promised,
        "broken": broken,
        "broken_share": broken / n,
        "broken_share_of_promises": broken / promised if promised else None,
        "allowed_share": None if name == "cross-validated errors" else 1 - CONFIDENCE,
        "most_by_chance": int(binom.ppf(0.99, n, 1 - CONFIDENCE)),
        "mean_cost": float(np.mean([one["cost"] for one in ours])),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--problems", type=int, default=500)
    parser.add_argument("--output", help="write the results here, as JSON")
    options = parser.parse_args()
    runs = [run(seed) for seed in range(options.problems)]
    print_row(("chosen by", "problems", "promised", "broken", "share", "cost"), WIDTHS)
    results = [summary(name, runs) for name in runs[0]]
    for one in results:
        print_row(
            (one["search"], one["problems"], one["promised"], one["broken"],
             f"{one['broken_share']:.1%}", f"{one['mean_cost']:.3f}"),
            WIDTHS,
        )  # fmt: skip
    if options.output:
        write_json(options.output, PACKAGES, results)


if __name__ == "__main__":
    main()

"""The whole search against what a user of other packages would run.

    python benchmarks/search.py                          # digits and vowel
    python benchmarks/search.py digits segment satimage vowel --output search.json
    python benchmarks/search.py digits --builds native,AVX2  # as if there were no more

5 values of C x 11 of softness x 5 folds, and the refit of the best. Peers:

(a) ``grid``: scikit-learn's GridSearchCV over costsensitive's RegressionOneVsRest of
    SVRs (for one-sided regression) and WeightedAllPairs of SVCs (for one-versus-one),
    with the perceptron kernel as a function;
(b) ``expert``: a loop over SVCs on one precomputed Gram matrix, in joblib workers.

Everyone has two jobs. A peer runs every ``--every``-th candidate only (by default every
6th: all values of C, 10 of 55 candidates), and its time is multiplied accordingly: a
whole run takes from minutes to hours; the table says so with a ~. Ours is the median
of ``--repetitions`` whole searches. Cost and error are cross-validated, of the chosen
candidate; a sampled peer can only choose among its sample. ``memory`` is the peak of
one search in Gram matrices.
"""

import argparse
import os
import statistics
import sys
import time
import tracemalloc
import warnings
from itertools import combinations

import numpy as np
from common import add_build_option, perceptron, print_row, run_builds, write_json
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.preprocessing import minmax_scale
from sklearn.svm import SVC, SVR

from softcost import CostSensitiveOneVsOne, OneSidedRegression, SoftCostClassifierCV
from softcost.costs import as_cost_vectors, inconsistent, soften
from softcost.datasets import load
from softcost.metrics import cost_scorer
from softcost.svm import pair_votes

PACKAGES = ["softcost", "numpy", "scipy", "numba", "scikit-learn", "costsensitive"]
C_VALUES = [2.0**power for power in (-2, 1, 4, 7, 10)]
SOFTNESS = np.linspace(0, 1, 11)
JOBS = 2
WIDTHS = [9, 6, 7, 10, 12, 8, 8, 8, 17, 15]
HEADER = [
    "data", "family", "peer", "ours", "peer's", "ratio", "target", "memory",
    "cost", "error",
]  # fmt: skip
TARGETS = {
    ("digits", "OSR", "grid"): 800,
    ("segment", "OSR", "grid"): 250,
    ("satimage", "OSR", "grid"): 600,
    ("digits", "CSOVO", "grid"): 400,
    ("segment", "CSOVO", "grid"): 60,
    ("satimage", "CSOVO", "grid"): 250,
    ("digits", "CSOVO", "expert"): 30,
    ("segment", "CSOVO", "expert"): 30,
}
REDUCTIONS = {"OSR": OneSidedRegression(), "CSOVO": CostSensitiveOneVsOne()}


class Peer(ClassifierMixin, BaseEstimator):
    """costsensitive, which has no parameters to search, in scikit-learn's manner."""

    def __init__(self, family="OSR", C=1.0, softness=0.0, matrix=None):
        self.family = family
        self.C = C
        self.softness = softness
        self.matrix = matrix

    def fit(self, X, y):
        from costsensitive import RegressionOneVsRest, WeightedAllPairs

        self.classes_ = np.arange(len(self.matrix))
        costs = as_cost_vectors(y, cost_matrix=self.matrix, classes=self.classes_)
        costs = soften(costs, y, self.softness, classes=self.classes_)
        if self.family == "OSR":
            learner = SVR(kernel=perceptron, C=self.C)
            self.model_ = RegressionOneVsRest(learner).fit(X, costs)
        else:
            learner = SVC(kernel=perceptron, C=self.C)
            self.model_ = WeightedAllPairs(learner).fit(X, costs)
        return self

    def predict(self, X):
        return np.asarray(self.model_.predict(X), int)


def candidates(every):
    """A spread-out part of the grid; C runs fastest, so that each is in it."""
    pairs = [(C, float(a)) for a in SOFTNESS for C in C_VALUES]
    return pairs[::every]


def folds_of(X, y):
    return list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))


def grid_search(family, X, y, matrix, every):
    """Seconds of a whole search, extrapolated, and cost and error of its choice."""
    sample = candidates(every)
    grid = [{"C": [C], "softness": [a]} for C, a in sample]
    search = GridSearchCV(
        Peer(family, matrix=matrix),
        grid,
        scoring={
            "cost": cost_scorer(matrix, classes=np.arange(len(matrix))),
            "accuracy": "accuracy",
        },
        refit=False,
        cv=folds_of(X, y),
        n_jobs=JOBS,
        error_score="raise",
    )
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search.fit(X, y)
    seconds = time.perf_counter() - start
    best = int(search.cv_results_["mean_test_cost"].argmax())
    found = -search.cv_results_["mean_test_cost"][best]
    error = 1 - search.cv_results_["mean_test_accuracy"][best]
    return seconds * len(SOFTNESS) * len(C_VALUES) / len(sample), found, error


def expert_unit(gram, y, matrix, train, test, C, softness):
    """Held-out predictions of one candidate on one fold."""
    costs = as_cost_vectors(
        y[train], cost_matrix=matrix, classes=np.arange(len(matrix))
    )
    costs = soften(costs, y[train], softness, classes=np.arange(len(matrix)))
    inner, outer = gram[np.ix_(train, train)], gram[np.ix_(test, train)]
    outputs = []
    for i, j in combinations(range(len(matrix)), 2):
        gain = costs[:, j] - costs[:, i]
        rows = np.flatnonzero(gain)
        machine = SVC(kernel="precomputed", C=C).fit(
            inner[np.ix_(rows, rows)], gain[rows] > 0, sample_weight=np.abs(gain[rows])
        )
        outputs.append(machine.decision_function(outer[:, rows]))
    return pair_votes(np.column_stack(outputs), len(matrix)).argmax(axis=1)


def expert_search(X, y, matrix, every):
    """As `grid_search`, for the loop over one Gram matrix."""
    sample, folds = candidates(every), folds_of(X, y)
    start = time.perf_counter()
    gram = perceptron(X, X)
    jobs = [(one, fold) for one in sample for fold in folds]
    done = Parallel(n_jobs=JOBS)(
        delayed(expert_unit)(gram, y, matrix, *fold, *one) for one, fold in jobs
    )
    seconds = time.perf_counter() - start
    paid, wrong = np.zeros(len(sample)), np.zeros(len(sample))
    for number, ((_, (_, test)), predicted) in enumerate(zip(jobs, done, strict=True)):
        paid[number // len(folds)] += matrix[y[test], predicted].sum() / len(y)
        wrong[number // len(folds)] += (y[test] != predicted).sum() / len(y)
    best = int(paid.argmin())
    scale = len(SOFTNESS) * len(C_VALUES) / len(sample)
    return seconds * scale, float(paid[best]), float(wrong[best])


def our_search(family, X, y, matrix):
    search = SoftCostClassifierCV(
        REDUCTIONS[family],
        cost_matrix=matrix,
        classes=np.arange(len(matrix)),
        softness=SOFTNESS,
        param_grid={"C": C_VALUES},
        cv=folds_of(X, y),
        n_jobs=JOBS,
    )
    start = time.perf_counter()
    search.fit(X, y)
    return time.perf_counter() - start, search


def peak_memory(family, X, y, matrix):
    """Largest memory of one search, in Gram matrices of single precision."""
    tracemalloc.start()
    our_search(family, X, y, matrix)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / (4 * len(X) ** 2)


def data_of(name):
    if name == "digits":
        X, y = load_digits(return_X_y=True)
    else:
        X, labels = load(name, return_X_y=True)
        y = np.unique(labels, return_inverse=True)[1]
    return minmax_scale(X), y, inconsistent(np.bincount(y), 0)


def bench(name, family, options):
    X, y, matrix = data_of(name)
    some = np.random.default_rng(0).permutation(len(y))[:500]
    our_search(family, X[some], y[some], matrix)  # compiled
    times = [our_search(family, X, y, matrix) for _ in range(options.repetitions)]
    ours = statistics.median(seconds for seconds, _ in times)
    chosen = times[0][1].tradeoff_.iloc[times[0][1].best_index_]
    memory = peak_memory(family, X, y, matrix)
    for peer in options.peers:
        if peer == "expert" and family == "OSR":
            continue
        arguments = X, y, matrix, options.every
        if peer == "grid":
            seconds, cost, error = grid_search(family, *arguments)
        else:
            seconds, cost, error = expert_search(*arguments)
        yield {
            "data": name,
            "family": family,
            "peer": peer,
            "n": len(y),
            "classes": len(matrix),
            "ours_seconds": ours,
            "peer_seconds": seconds,
            "peer_sampled": f"{len(candidates(options.every))} of 55 candidates",
            "ratio": seconds / ours,
            "target": TARGETS.get((name, family, peer)),
            "memory_in_gram_matrices": memory,
            "cost": [float(chosen["cost"]), float(cost)],
            "error": [float(chosen["error"]), float(error)],
            "softness": float(chosen["softness"]),
            "C": float(chosen["C"]),
        }


def print_result(result):
    target = result["target"]
    verdict = "" if target is None else "met" if result["ratio"] >= target else "MISSED"
    cells = [
        result["data"],
        result["family"],
        result["peer"],
        f"{result['ours_seconds']:.3f} s",
        f"~{result['peer_seconds']:.1f} s",
        f"{result['ratio']:.0f}x",
        "" if target is None else f"{target}x",
        f"{result['memory_in_gram_matrices']:.2f}",
        " / ".join(f"{value:.5f}" for value in result["cost"]),
        " / ".join(f"{value:.4f}" for value in result["error"]),
    ]
    print_row(cells, WIDTHS, verdict)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="*", default=["digits", "vowel"])
    parser.add_argument("--families", nargs="+", default=list(REDUCTIONS))
    parser.add_argument("--peers", nargs="+", default=["grid", "expert"])
    parser.add_argument("--every", type=int, default=6, help="share of a peer's grid")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--output", help="JSON file to write")
    add_build_option(parser)
    options = parser.parse_args(arguments)
    if options.builds:
        results = run_builds(options.builds, arguments or sys.argv[1:])
        if options.output:
            write_json(options.output, PACKAGES, results)
        return
    os.environ.setdefault("PYTHONWARNINGS", "ignore")
    print_row(HEADER, WIDTHS)
    results = []
    for name in options.data:
        for family in options.families:
            for result in bench(name, family, options):
                print_result(result)
                results.append(result)
    if options.output:
        write_json(options.output, PACKAGES, results)


if __name__ == "__main__":
    main()

"""The reductions against the packages that have them, side by side in one process.

    python benchmarks/reductions.py                       # everything, a few minutes
    python benchmarks/reductions.py pairs --quick
    python benchmarks/reductions.py --output benchmarks/results/reductions.json

Parts: ``pairs`` (cost-sensitive one-versus-one and weighted all-pairs on digits with
the perceptron kernel, against costsensitive), ``regular`` (one-versus-one, against
scikit-learn), ``regression`` (one-versus-all, against costsensitive), ``tree`` (filter
trees, against costsensitive, whose upper nodes train on the losing side), ``linear``
(many rows and a linear model, against Vowpal Wabbit).

Ours and the peer take turns; every ratio is that of their medians. Seconds are
processor time with one thread, and compiling is not counted. ``cost`` and ``error`` are
those of the test part, ours and the peer's: costsensitive scales the weights of each
pair to mean 1, so with prices it solves other problems at the same C than we do; with
even prices the same ones.
"""

import argparse
import statistics
import time
from pathlib import Path

import numpy as np
from common import perceptron, print_row, write_json
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_digits, make_classification
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import train_test_split
from sklearn.multiclass import OneVsOneClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeRegressor
from threadpoolctl import threadpool_limits

from softcost import (
    CostSensitiveOneVsOne,
    FilterTree,
    KernelSVC,
    RegressionOneVsAll,
    WeightedAllPairs,
)
from softcost.costs import inconsistent

try:
    import costsensitive
except ImportError:
    costsensitive = None
try:
    import vowpalwabbit
except ImportError:
    vowpalwabbit = None

PACKAGES = [
    "softcost", "numpy", "scipy", "numba", "scikit-learn", "costsensitive",
    "vowpalwabbit",
]  # fmt: skip
COLUMNS = {  # and their widths
    "part": 10,
    "case": 34,
    "n": 6,
    "fit": 9,
    "peer fit": 9,
    "ratio": 7,
    "predict": 9,
    "peer predict": 12,
    "predict ratio": 13,
    "cost": 15,
    "error": 13,
}
TARGETS = {"ratio": 20, "predict ratio": 40}  # for pairs with a callable kernel


class SharedGram(ClassifierMixin, BaseEstimator):
    """An SVC on one Gram matrix for all pairs: rows are numbers of rows of it.

    costsensitive picks rows of X only, so this is how to give it a precomputed kernel.
    """

    gram: np.ndarray

    def fit(self, rows, y, sample_weight=None):
        self.rows_ = rows[:, 0]
        self.svc_ = SVC(kernel="precomputed")
        kernel = self.gram[np.ix_(self.rows_, self.rows_)]
        self.svc_.fit(kernel, y, sample_weight=sample_weight)
        return self

    def predict(self, rows):
        return self.svc_.predict(self.gram[np.ix_(rows[:, 0], self.rows_)])


class Csoaa:
    """Vowpal Wabbit's cost-sensitive one-against-all, one pass over lines of text."""

    def __init__(self, n_classes):
        options = f"--csoaa {n_classes} --quiet"
        self.workspace = vowpalwabbit.Workspace(options)

    def fit(self, lines, costs):
        for line, row in zip(lines, costs, strict=True):
            prices = " ".join(f"{k + 1}:{cost:g}" for k, cost in enumerate(row))
            self.workspace.learn(prices + line)
        return self

    def predict(self, lines):
        return np.array([self.workspace.predict(line) for line in lines]) - 1


def seconds_of(call):
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def take_turns(calls, repetitions):
    """Median seconds of all calls, and what they returned at last."""
    taken = [[] for _ in calls]
    results = [None] * len(calls)
    for _ in range(repetitions):
        for side, call in enumerate(calls):
            seconds, results[side] = seconds_of(call)
            taken[side].append(seconds)
    return [statistics.median(seconds) for seconds in taken], results


def compare(part, case, task, ours, peer, options, targets=None):
    """Fit and predict with both in turns.

    ``ours`` and ``peer`` are functions that fit, and what each predicts from.
    """
    (fit_ours, rows_ours), (fit_peer, rows_peer) = ours, peer
    (fit, peer_fit), models = take_turns([fit_ours, fit_peer], options.repetitions)
    (predict, peer_predict), chosen = take_turns(
        [lambda: models[0].predict(rows_ours), lambda: models[1].predict(rows_peer)],
        options.repetitions,
    )
    y, prices = task
    return {
        "part": part,
        "case": case,
        "n": len(y),
        "fit": fit,
        "peer fit": peer_fit,
        "ratio": peer_fit / fit,
        "predict": predict,
        "peer predict": peer_predict,
        "predict ratio": peer_predict / predict,
        "cost": [float(prices[y, labels].mean()) for labels in chosen],
        "error": [float(np.mean(labels != y)) for labels in chosen],
        "same": float(np.mean(chosen[0] == chosen[1])),
        "targets": targets,
    }


def missing(part, package):
    return {"part": part, "case": f"{package} is not installed: no comparison"}


def digits(options):
    X, y = load_digits(return_X_y=True)
    if options.quick:
        X, y = X[:600], y[:600]
    parts = train_test_split(X / 16, y, test_size=0.25, stratify=y, random_state=0)
    return *parts, inconsistent(np.bincount(parts[2]), 0)


def bench_pairs(options):
    if costsensitive is None:
        yield missing("pairs", "costsensitive")
        return
    X, X_new, y, y_new, prices = digits(options)
    even = 1 - np.eye(10)
    SharedGram.gram = perceptron(np.vstack([X, X_new]), np.vstack([X, X_new]))
    rows = np.arange(len(X) + len(X_new))[:, None]
    # The peer's weights have mean 1: with this C ours are as large on average.
    weights = np.abs(prices[y][:, :, None] - prices[y][:, None, :])
    matched = prices.max() / weights[weights > 0].mean()
    cases = [
        (CostSensitiveOneVsOne, True, "same C", 1.0, prices, TARGETS),
        (CostSensitiveOneVsOne, True, "C matched", matched, prices, None),
        (CostSensitiveOneVsOne, True, "even prices", 1.0, even, None),
        (WeightedAllPairs, False, "same C", 1.0, prices, None),
    ]
    for reduction, by_difference, name, C, matrix, targets in cases:
        ours = reduction(KernelSVC(C=C), cost_matrix=matrix)
        peers = {
            "SVC(callable)": (SVC(kernel=perceptron), X, X_new, targets),
            "SVC(precomputed)": (SharedGram(), rows[: len(X)], rows[len(X) :], None),
        }
        for kernel, (learner, train, test, goal) in peers.items():
            peer = costsensitive.WeightedAllPairs(learner, by_difference, njobs=1)
            yield compare(
                "pairs",
                f"{'CSOVO' if by_difference else 'WAP'}, {name}, {kernel}",
                (y_new, prices),
                (lambda m=ours: m.fit(X, y), X_new),
                (lambda p=peer, t=train, m=matrix: p.fit(t, m[y]), test),
                options,
                goal,
            )


def bench_regular(options):
    X, X_new, y, y_new, prices = digits(options)
    learner = LogisticRegression(max_iter=1000)
    cases = {
        "OneVsOneClassifier(SVC(callable))": (
            CostSensitiveOneVsOne(),
            OneVsOneClassifier(SVC(kernel=perceptron)),
        ),
        "SVC(callable)": (CostSensitiveOneVsOne(), SVC(kernel=perceptron)),
        "OneVsOneClassifier(logistic)": (
            CostSensitiveOneVsOne(learner),
            OneVsOneClassifier(learner),
        ),
    }
    for name, (ours, peer) in cases.items():
        yield compare(
            "regular",
            name,
            (y_new, prices),
            (lambda m=ours: m.fit(X, y), X_new),
            (lambda m=peer: m.fit(X, y), X_new),
            options,
        )


def bench_regression(options):
    if costsensitive is None:
        yield missing("regression", "costsensitive")
        return
    X, X_new, y, y_new, prices = digits(options)
    for name, regressor in {
        "Ridge": Ridge(),
        "tree": DecisionTreeRegressor(max_depth=12, random_state=0),
    }.items():
        peer = costsensitive.RegressionOneVsRest(regressor, njobs=1)
        ours = RegressionOneVsAll(regressor, cost_matrix=prices)
        yield compare(
            "regression",
            f"RegressionOneVsRest({name})",
            (y_new, prices),
            (lambda m=ours: m.fit(X, y), X_new),
            (lambda m=peer: m.fit(X, prices[y]), X_new),
            options,
        )


def bench_tree(options):
    if costsensitive is None:
        yield missing("tree", "costsensitive")
        return
    X, X_new, y, y_new, prices = digits(options)
    learner = LogisticRegression(max_iter=1000)
    peer = costsensitive.FilterTree(learner, njobs=1)
    yield compare(
        "tree",
        "FilterTree(logistic)",
        (y_new, prices),
        (lambda: FilterTree(learner, cost_matrix=prices).fit(X, y), X_new),
        (lambda: peer.fit(X, prices[y]), X_new),
        options,
    )


def bench_linear(options):
    if vowpalwabbit is None:
        yield missing("linear", "vowpalwabbit")
        return
    X, y = make_classification(
        5_000 if options.quick else 50_000,
        50,
        n_informative=20,
        n_classes=10,
        n_clusters_per_class=1,
        random_state=0,
    )
    X, X_new, y, y_new = train_test_split(X, y, test_size=0.25, random_state=0)
    prices = inconsistent(np.bincount(y), 0)
    lines, lines_new = (
        [" | " + " ".join(f"{j}:{v:.6g}" for j, v in enumerate(x)) for x in rows]
        for rows in (X, X_new)
    )
    yield compare(
        "linear",
        "Vowpal Wabbit --csoaa, one pass",
        (y_new, prices),
        (lambda: RegressionOneVsAll(cost_matrix=prices).fit(X, y), X_new),
        (lambda: Csoaa(10).fit(lines, prices[y]), lines_new),
        options,
    )


PARTS = {
    "pairs": bench_pairs,
    "regular": bench_regular,
    "regression": bench_regression,
    "tree": bench_tree,
    "linear": bench_linear,
}


def shown(result, column):
    value = result.get(column)
    if value is None:
        return ""
    if "ratio" in column:
        return f"{value:.1f}x"
    if column in ("cost", "error"):
        return " / ".join(f"{one:.4f}"[: 7 if column == "cost" else 6] for one in value)
    if isinstance(value, float):
        return f"{1e3 * value:.1f} ms"
    return str(value)


def print_result(result):
    verdict = ""
    if result.get("targets"):
        missed = [
            f"{name} MISSED {goal}x"
            for name, goal in result["targets"].items()
            if result[name] < goal
        ]
        verdict = ", ".join(missed) or "met"
    cells = [shown(result, column) for column in COLUMNS]
    print_row(cells, COLUMNS.values(), verdict)


def warm_up(options):
    """Compile what will be timed."""
    X, X_new, y, _, prices = digits(options)
    CostSensitiveOneVsOne(cost_matrix=prices).fit(X[:200], y[:200]).predict(X_new)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; default all")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="small sizes only")
    parser.add_argument("--output", type=Path, help="JSON file to write")
    options = parser.parse_args(arguments)
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    print_row(COLUMNS, COLUMNS.values())
    results = []
    with threadpool_limits(1):
        warm_up(options)
        for part in options.parts or PARTS:
            for result in PARTS[part](options):
                print_result(result)
                results.append(result)
    if options.output:
        write_json(options.output, PACKAGES, results)


if __name__ == "__main__":
    main()

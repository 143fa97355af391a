"""The solvers against scikit-learn, side by side in one process.

    python benchmarks/solver.py                       # everything, about ten minutes
    python benchmarks/solver.py gram fit --quick      # some parts, small
    python benchmarks/solver.py --builds native,AVX2,SSE --output solver.json

Parts: ``gram`` (a binary machine on a given Gram matrix), ``growth`` (the same from
1000 to 10000 rows), ``fit`` (one-sided regression of all classes of digits, with the
Gram matrix), ``predict`` (2000 rows of digits), ``estimators`` (what a user calls, from
data to a fitted model), ``scan`` (the vector passes against their plain twins),
``instructions`` (of the vector passes, for other processors) and ``compile`` (what the
first fit and the first search on a machine take more than the next). Ours and the peer
take turns, every ratio is that of their medians, and compiling is not counted. Seconds
are processor time of this one process, with one thread: on a shared machine the clock
on the wall favours short calls, which are seldom interrupted. Only ratios mean
anything.

``peers`` runs only when it is named: fits of 500 to 100,000 rows against scikit-learn,
scikit-learn-intelex and ThunderSVM, as far as they are installed, in wall time with two
threads (see ``solver_peers.py``).
"""

import argparse
import os
import statistics
import sys
import time
from pathlib import Path

import numpy as np
from common import add_build_option, perceptron, print_row, run_builds, write_json
from passes import PROCESSORS, a_pass, per_step, scanning
from sklearn.datasets import load_digits, make_classification
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.preprocessing import minmax_scale
from sklearn.svm import SVC, SVR
from solver_compile import seconds_to_compile
from solver_peers import bench_peers
from threadpoolctl import threadpool_limits

from softcost import CostSensitiveOneVsOne, OneSidedRegression
from softcost.costs import inconsistent
from softcost.datasets import load
from softcost.learners import OneSidedValues
from softcost.solvers import kernels, passes, plain_passes, smo
from softcost.solvers.row_store import Gram
from softcost.svm import KernelSVC, OneSidedSVR

PACKAGES = [
    "softcost", "numpy", "scipy", "numba", "llvmlite", "scikit-learn",
    "scikit-learn-intelex", "thundersvm",
]  # fmt: skip
COLUMNS = {  # and their widths
    "part": 12,
    "case": 24,
    "n": 6,
    "C": 3,
    "ours": 12,
    "peer": 13,
    "ratio": 7,
    "target": 7,
    "difference": 10,
}
_TURN = 0.2  # seconds that a turn lasts at least


def seconds_of(call, times):
    """Mean processor seconds of some calls, and the last result."""
    start = time.process_time()
    for _ in range(times):
        result = call()
    return (time.process_time() - start) / times, result


def take_turns(ours, peer, repetitions):
    """Median seconds of both, and what they returned at last.

    Short calls are repeated within a turn, so that both sides see the same machine.
    """
    calls = ours, peer
    times = [max(1, int(_TURN / seconds_of(call, 1)[0])) for call in calls]
    taken = ([], [])
    results = [None, None]
    for _ in range(repetitions):
        for side, call in enumerate(calls):
            seconds, results[side] = seconds_of(call, times[side])
            taken[side].append(seconds)
    return *(statistics.median(t) for t in taken), *results


def row(part, case, n, C, seconds, target=None, difference=None):
    ours, peer = seconds
    return {
        "part": part,
        "case": case,
        "n": n,
        "C": C,
        "ours": ours,
        "peer": peer,
        "ratio": None if peer is None or ours is None else peer / ours,
        "target": target,
        "difference": difference,
    }


def digits():
    X, y = load_digits(return_X_y=True)
    return X / 16, y


def halves(y):
    """Every other class against the rest: an honest, not too easy binary problem."""
    return np.where(np.unique(y, return_inverse=True)[1] % 2, 1.0, -1.0)


def real_set(name):
    """Rows and binary labels of a registered set, or None where it is not here."""
    if not os.environ.get("SOFTCOST_DATA"):
        return None
    X, y = load(name, return_X_y=True)
    return minmax_scale(X), halves(y)


def synthetic(n):
    X, y = make_classification(
        n, 16, n_informative=10, n_clusters_per_class=4, flip_y=0.05, random_state=0
    )
    return minmax_scale(X), np.where(y, 1.0, -1.0)


def some_rows(X, y, n, seed=0):
    chosen = np.random.default_rng(seed).permutation(len(X))[:n]
    return X[chosen], y[chosen]


def binary_sets(sizes):
    """Named sets with enough rows for each of the sizes."""
    X, y = digits()
    sets = {"digits": (X, halves(y)), "synthetic": synthetic(max(sizes))}
    sets |= {name: real_set(name) for name in ("segment", "satimage")}
    for name, data in sets.items():
        for n in sizes:
            if data is not None and len(data[0]) >= n:
                yield name, *some_rows(*data, n)


def against_svc(case, X, y, C, repetitions, part="gram", target=None, peer=True):
    """One binary machine on a given Gram matrix, ours and scikit-learn's."""
    n = len(y)
    gram = kernels.gram_matrix(X)
    rows, lower, upper = Gram(gram), np.minimum(C * y, 0), np.maximum(C * y, 0)

    def ours():
        return smo.solve(rows, y, lower, upper)

    if not peer:
        ours_seconds, *_ = take_turns(ours, ours, repetitions)
        return row(part, case, n, C, (ours_seconds, None))
    K = gram[:, :n].astype(np.float64)

    def theirs():
        return SVC(kernel="precomputed", C=C).fit(K, y)

    *seconds, solution, machine = take_turns(ours, theirs, repetitions)
    beta = np.zeros(n)
    beta[machine.support_] = machine.dual_coef_[0]
    objective = beta @ (K @ beta) / 2 - y @ beta
    difference = solution.objective / objective - 1
    return row(part, case, n, C, seconds, target, difference)


def bench_gram(options):
    sizes = [1000] if options.quick else [1000, 1500, 2000, 2500]
    for name, X, y in binary_sets(sizes):
        for C in (1.0, 16.0):
            yield against_svc(name, X, y, C, options.repetitions, target=14)


def bench_growth(options):
    """Ours at every size; scikit-learn at the largest, where the target is."""
    largest = 2000 if options.quick else 10_000
    case, data = "pendigit", real_set("pendigit")
    if data is None:
        case, data = "synthetic", synthetic(largest)
    sizes = [n for n in (1000, 2000, 4000, 7000, 10_000) if n <= largest]
    for C in (1.0, 16.0):
        seconds = []
        for n in sizes:
            X, y = some_rows(*data, n)
            last = n == sizes[-1]
            target = 10 if n == 10_000 else None
            result = against_svc(
                case, X, y, C, options.repetitions, "growth", target, peer=last
            )
            seconds.append(result["ours"])
            yield result
        power = np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
        print(f"growth at C = {C:g}: about n^{power:.2f}", file=sys.stderr)


def one_sided_columns(y, seed=0):
    """Targets 2c - 1 and sides of each class, for random asymmetric prices."""
    prices = np.random.default_rng(seed).random((y.max() + 1, y.max() + 1))
    np.fill_diagonal(prices, 0)
    costs = prices[y]
    for k in range(costs.shape[1]):
        yield 2 * costs[:, k] - 1, np.where(y == k, 1.0, -1.0)


def bench_fit(options):
    X, y = digits()
    columns = list(one_sided_columns(y))
    weight = np.ones(len(y))
    edge = 10.0

    for C in (1.0, 16.0):

        def ours(C=C):
            problems = [
                OneSidedValues(target, weight, side) for target, side in columns
            ]
            return OneSidedSVR(C=C).fit_many(X, problems)

        def theirs(C=C):
            return [
                SVR(kernel=perceptron, C=C, epsilon=edge).fit(X, target - side * edge)
                for target, side in columns
            ]

        *seconds, machines, regressors = take_turns(ours, theirs, options.repetitions)
        outputs = machines.outputs(X)
        peers = np.column_stack([r.predict(X) for r in regressors])
        for k, (target, side) in enumerate(columns):  # the far edge is out of reach
            assert (side * (peers[:, k] - target) > -2 * edge).all()
        difference = np.abs(outputs - peers).max()
        yield row("fit", "digits, 10 columns", len(y), C, seconds, 55, difference)


def bench_predict(options):
    X, y = digits()
    rng = np.random.default_rng(0)
    new = X[rng.integers(0, len(X), 2000)] + 0.1 * rng.standard_normal((2000, 64))
    for C in (1.0, 16.0):
        ours = KernelSVC(C=C).fit(X, y)
        peer = SVC(kernel=perceptron, C=C).fit(X, y)
        *seconds, a, b = take_turns(
            lambda ours=ours: ours.predict(new),
            lambda peer=peer: peer.predict(new),
            options.repetitions,
        )
        yield row("predict", "digits, 2000 rows", 1797, C, seconds, 14, np.mean(a != b))


def share_that_differs(a, b, X):
    return float(np.mean(a.predict(X) != b.predict(X)))


def a_fit(case, X, y, C, ours, peer, target, repetitions):
    """One fit of an estimator, ours and the peer's, from data to a fitted model."""
    *seconds, a, b = take_turns(
        lambda: ours.fit(X, y), lambda: peer.fit(X, y), repetitions
    )
    difference = share_that_differs(a, b, X)
    return row("estimators", case, len(y), C, seconds, target, difference)


def bench_estimators(options):
    C, turns = 2.0, options.repetitions
    X, y = digits()
    kernel = perceptron(X, X)
    yield a_fit(
        "KernelSVC, precomputed", kernel, halves(y), C,
        KernelSVC(kernel="precomputed", C=C), SVC(kernel="precomputed", C=C), 2, turns,
    )  # fmt: skip
    for n in (500, 1000, 2000) if options.quick else (500, 1000, 2000, 4000, 8000):
        yield a_fit(
            "KernelSVC, rbf", *synthetic(n), C,
            KernelSVC(kernel="rbf", C=C), SVC(kernel="rbf", C=C), 2.5, turns,
        )  # fmt: skip
    yield a_fit(
        "KernelSVC, rbf, digits", X, halves(y), C,
        KernelSVC(kernel="rbf", C=C), SVC(kernel="rbf", C=C), 2.5, turns,
    )  # fmt: skip
    prices = inconsistent(np.bincount(y), 0)
    for name, peers in (("perceptron", perceptron), ("rbf", "rbf")):
        regression = OneSidedRegression(OneSidedSVR(name, C), cost_matrix=prices)
        pairs = CostSensitiveOneVsOne(KernelSVC(name, C), cost_matrix=prices)
        machine = SVC(kernel=peers, C=C)
        yield a_fit(
            f"OneSidedRegr., {name}", X, y, C,
            regression, OneVsRestClassifier(machine), 8, turns,
        )  # fmt: skip
        yield a_fit(
            f"CostSens.OvO, {name}", X, y, C,
            pairs, OneVsOneClassifier(machine), 2, turns,
        )  # fmt: skip


def bench_scan(options):
    """The plain twin stands for what a failure to vectorise would cost."""
    vector, plain = scanning(passes), scanning(plain_passes)
    rng = np.random.default_rng(0)
    for n in (1024, 8192):
        times = 2_000_000 // n * (1 if options.quick else 10)
        gradient, *rest = a_pass(n, rng)
        fixed = *rest, times
        for name in vector:
            ours, twin = vector[name], plain[name]
            for loop in (ours, twin):
                loop(gradient.copy(), *fixed[:-1], 1)
            *seconds, a, b = take_turns(
                lambda loop=ours, g=gradient, f=fixed: loop(g.copy(), *f),
                lambda loop=twin, g=gradient, f=fixed: loop(g.copy(), *f),
                options.repetitions,
            )
            yield row("scan", name, n, None, seconds, None, float(a != b))


def bench_compile(options):
    """What compiling takes, with an empty cache."""
    seconds = seconds_to_compile(1 if options.quick else 3)
    yield row("compile", "first fit and search", 150, None, (seconds, None))


def bench_instructions(options):
    """Instructions that a pass takes for 64 rows, from cross-compiling."""
    for processor in PROCESSORS:
        for name, loop in scanning(passes).items():
            loop(*a_pass(64, np.random.default_rng(0)), 1)
            result = row("instructions", f"{name}, {processor}", 64, None, (None, None))
            yield {**result, "instructions": per_step(loop, processor)}


PARTS = {
    "gram": bench_gram,
    "growth": bench_growth,
    "fit": bench_fit,
    "predict": bench_predict,
    "estimators": bench_estimators,
    "scan": bench_scan,
    "instructions": bench_instructions,
    "compile": bench_compile,
}
BY_NAME = {"peers": bench_peers}  # parts that run only if they are named


def shown(value, column):
    if value is None:
        return ""
    if column in ("ours", "peer"):
        return f"{1e3 * value:.2f} ms"
    if column in ("ratio", "target"):
        return f"{value:.1f}x"
    if column == "difference":
        return f"{value:.1e}"
    return f"{value:g}" if column == "C" else str(value)


def print_result(result):
    verdict = ""
    if result["target"] is not None:
        verdict = "met" if result["ratio"] >= result["target"] else "MISSED"
    if "instructions" in result:
        verdict = f"{result['instructions']} instructions"
    if "processor_ratio" in result:
        if verdict == "met" and result["processor_ratio"] < 1:
            verdict = "MISSED"
        verdict += f", processor {result['processor_ratio']:.1f}x"
        verdict += "" if result["same"] else ", ANOTHER SOLUTION"
    cells = [shown(result[column], column) for column in COLUMNS]
    print_row(cells, COLUMNS.values(), verdict)


def print_means(results):
    """Geometric means of the ratios of each part."""
    for part in dict.fromkeys(result["part"] for result in results):
        ratios = [r["ratio"] for r in results if r["part"] == part and r["ratio"]]
        if len(ratios) > 1:
            mean = np.exp(np.mean(np.log(ratios)))
            print(f"{part}: geometric mean {mean:.1f}x of {len(ratios)}")


def warm_up():
    """Compile what will be timed."""
    X, y = synthetic(50)
    against_svc("", X, y, 1.0, 1)
    KernelSVC().fit(X, y).predict(X)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = ", ".join(PARTS | BY_NAME)
    parser.add_argument("parts", nargs="*", help=f"of {names}; default all but peers")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="small sizes only")
    parser.add_argument("--threads", type=int, default=2, help="of peers")
    parser.add_argument("--most-rows", type=int, default=100_000, help="of peers")
    parser.add_argument(
        "--most-seconds", type=float, default=300.0, help="for one fit of a peer"
    )
    parser.add_argument("--output", type=Path, help="JSON file to write")
    add_build_option(parser)
    options = parser.parse_args(arguments)
    unknown = set(options.parts) - set(PARTS | BY_NAME)
    if unknown:
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    if options.builds:
        results = run_builds(options.builds, arguments or sys.argv[1:])
        if options.output:
            write_json(options.output, PACKAGES, results)
        return
    print_row(COLUMNS, COLUMNS.values())
    results = []
    for part in options.parts or PARTS:
        with threadpool_limits(options.threads if part in BY_NAME else 1):
            warm_up()
            for result in (PARTS | BY_NAME)[part](options):
                print_result(result)
                results.append(result)
    print_means(results)
    if options.output:
        write_json(options.output, PACKAGES, results)


if __name__ == "__main__":
    main()

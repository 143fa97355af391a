"""Binary fits of other packages for the part ``peers`` of ``solver.py``.

Each package is called as its users call it, with the same kernel, C, tolerance and
cache. Ours and the peer take turns. Wall time counts, with as many threads as a package
uses by itself (``--threads`` limits OpenMP, and with it softcost); processor time is
that of all threads. Both must reach the same objective and make the same predictions.
"""

import importlib
import statistics
import sys
import time

import numpy as np
from common import perceptron
from sklearn.datasets import make_classification
from sklearn.preprocessing import scale

from softcost.svm import KernelSVC

CACHE = 2000  # MB, softcost's default; scikit-learn's own would be 200
PEERS = {  # name: module with an SVC
    "scikit-learn": "sklearn.svm",
    "sklearnex": "sklearnex.svm",
    "thundersvm": "thundersvm",
}
SIZES = (500, 1000, 2500, 5000, 12_000, 30_000, 100_000)
MOST_PRECOMPUTED = 12_000  # rows: the matrix has 1.2 GB in double precision
C_VALUES = (1.0, 4.0, 64.0)
GROWTH = 2.2  # exponent by which the time of a larger fit is predicted
_TURN = 0.2  # seconds that a turn lasts at least
SAME_OBJECTIVE = 1e-3
SAME_PREDICTIONS = 1e-3  # share of rows that may differ: those nearest to the boundary


def installed_peers():
    """The SVC of every package that can be imported; others are reported."""
    peers = {}
    for name, module in PEERS.items():
        try:
            peers[name] = importlib.import_module(module).SVC
        except (ImportError, OSError) as error:  # OSError: a missing CUDA library
            print(f"{name} is left out: {error}", file=sys.stderr)
    return peers


def table(n):
    """Standardised rows of 20 features, and two classes that overlap."""
    X, y = make_classification(
        n, 20, n_informative=12, n_clusters_per_class=4, flip_y=0.03, random_state=0
    )
    return scale(X), y


def objective(machine, y, X):
    """The dual objective, from outputs for the support vectors."""
    support, beta = machine.support_, np.ravel(machine.dual_coef_)
    outputs = np.ravel(machine.decision_function(X[support]))
    kernel_part = outputs - float(np.ravel(machine.intercept_)[0])
    return beta @ kernel_part / 2 - np.where(y[support], 1.0, -1.0) @ beta


def seconds_of(call, times):
    """Mean wall and processor seconds of some calls, and the last result."""
    wall, processor = time.perf_counter(), time.process_time()
    for _ in range(times):
        result = call()
    seconds = time.perf_counter() - wall, time.process_time() - processor
    return np.array(seconds) / times, result


def compare(ours, peer, repetitions):
    """Median wall and processor seconds of both, and both machines."""
    calls = ours, peer
    first = [seconds_of(call, 1)[0][0] for call in calls]
    times = [max(1, int(_TURN / seconds)) for seconds in first]
    if max(first) > 20:
        repetitions = 1
    taken, machines = ([], []), [None, None]
    for _ in range(repetitions):
        for side, call in enumerate(calls):
            seconds, machines[side] = seconds_of(call, times[side])
            taken[side].append(seconds)
    medians = [
        [statistics.median(turn[clock] for turn in side) for clock in (0, 1)]
        for side in taken
    ]
    return *medians, *machines


def cases(sizes):
    """Kernels with their rows: an rbf of features, and a perceptron's matrix."""
    for n in sizes:
        X, y = table(n)
        yield "rbf", X, y, 1.0 / (X.shape[1] * X.var())
        if n <= MOST_PRECOMPUTED:
            yield "precomputed", perceptron(X, X), y, 1.0


def bench_peers(options):
    """Rows of results for every kernel, size, C and peer."""
    peers = installed_peers()
    largest = 2500 if options.quick else options.most_rows
    last = {}  # time of each peer's previous fit, by kernel and C
    for kernel, X, y, gamma in cases([n for n in SIZES if n <= largest]):
        for C in C_VALUES:
            for name, peer in peers.items():
                n, key = len(y), (kernel, C, name)
                before = last.get(key, (0.0, 1))
                if before[0] * (n / before[1]) ** GROWTH > options.most_seconds:
                    print(f"{name}, n = {n}, C = {C:g}: too slow", file=sys.stderr)
                    continue
                settings = {"kernel": kernel, "C": C, "gamma": gamma, "tol": 1e-3}
                mine = KernelSVC(**settings, cache_size=CACHE)
                other = peer(**settings, cache_size=CACHE)
                result = a_comparison(
                    mine, other, X, y, max(1, options.repetitions // 2)
                )
                last[key] = result["peer"], n
                yield {
                    "part": "peers",
                    "case": f"{name}, {kernel}",
                    "n": n,
                    "C": C,
                    "target": 3.0 if n <= 12_000 else 1.5,
                    **result,
                }


def a_comparison(mine, other, X, y, repetitions):
    """Times, ratios and differences of two machines on the same rows."""
    ours, theirs, a, b = compare(
        lambda: mine.fit(X, y), lambda: other.fit(X, y), repetitions
    )
    some = X[: min(len(y), 3000)]
    here, there = objective(a, y, X), objective(b, y, X)
    result = {
        "ours": ours[0],
        "peer": theirs[0],
        "ratio": theirs[0] / ours[0],
        "ours_processor": ours[1],
        "peer_processor": theirs[1],
        "processor_ratio": theirs[1] / ours[1],
        "difference": abs(here / there - 1),
        "predictions_differ": float(np.mean(a.predict(some) != b.predict(some))),
    }
    same = (
        result["difference"] <= SAME_OBJECTIVE
        and result["predictions_differ"] <= SAME_PREDICTIONS
    )
    return {**result, "same": same}

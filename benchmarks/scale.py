"""How time, memory and cost grow with the rows, for what a user would run.

    python benchmarks/scale.py --kdd99 --resume --output benchmarks/results/scale.json
    python benchmarks/scale.py --rows 10000 --methods osr-linear logistic
    SOFTCOST_DATA=... python benchmarks/scale.py --rows 0 --kdd99

Searches of ours try 11 values of softness and 3 of C (5 for kernels) on 5 folds and
refit the best, with two jobs; others are single fits. Rows
have 40 standardised features and 10 classes, each of two clusters; costs and errors are
those of 50,000 other rows. ``--kdd99`` adds the paper's part of that set: a random
40 %, three quarters of it to learn from, features in [0, 1], the contest's prices.

Each line is the work of a process of its own. Seconds are processor time of the fit,
compiled beforehand; the file that Vowpal Wabbit reads is written before. ``memory`` is
the peak of the process beyond what it had before the rows were made (they count), in
units of the rows. ``ratio`` is the time relative to logistic regression. Slopes are
exponents of the time in the number of rows, fitted from 10^4 rows on. BLAS has one
thread: those that wait would count. With ``--output`` lines of the file that are not
measured again stay, and a table is written beside it; with ``--resume`` those that are
there are not measured again: about an hour in all, which may be cut anywhere.

What the formulas of the guide say (docs/guide/large.md, scale_formulas.py) stands
beside what was measured, from 10^4 rows on.
"""

import argparse
import hashlib
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from common import print_row, write_json
from scale_formulas import checked
from scale_methods import METHODS, csoaa_file, csoaa_of

PACKAGES = [
    "softcost", "numpy", "scipy", "numba", "scikit-learn", "lightgbm", "costsensitive",
    "vowpalwabbit",
]  # fmt: skip
FEATURES, CLASSES, TEST_ROWS = 40, 10, 50_000
KDD_ROWS, KDD_METHODS = 197_608, [name for name in METHODS if name != "sgd"]
FITTED_FROM = 10_000
WIDTHS = [8, 16, 8, 9, 7, 8, 8, 8, 8]
HEADER = [
    "data", "method", "rows", "seconds", "ratio", "memory", "GB", "cost", "error",
]  # fmt: skip


def make_rows(n, seed, dtype="float64"):
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


def random_prices(seed=2):
    """Mistakes cost between 1 and 10."""
    matrix = np.random.default_rng(seed).uniform(1, 10, (CLASSES, CLASSES))
    np.fill_diagonal(matrix, 0)
    return matrix


def kdd99(learning, run=0):
    """Rows to learn from, or to test with, and the contest's prices."""
    from common import scaled_split

    from softcost.datasets import load

    data = load("kdd99")
    chosen = np.random.default_rng(run).permutation(len(data.target))[:KDD_ROWS]
    data.data, data.target = data.data[chosen], data.target[chosen]
    X, X_test, y, y_test = scaled_split(data, run)
    names = data.target_names
    X, y = (X, y) if learning else (X_test, y_test)
    prices = data.cost_matrix.loc[names, names].to_numpy()
    return np.ascontiguousarray(X), np.searchsorted(names, y), prices


def rows_to_learn(n):
    if n == 0:
        return kdd99(learning=True)
    return *make_rows(n, 0), random_prices()


def rows_to_test(n):
    if n == 0:
        return kdd99(learning=False)
    return *make_rows(TEST_ROWS, 1), random_prices()


def memory_now():
    """Resident bytes of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def timed(work):
    """What it returns, processor time and elapsed time."""
    cpu, wall = time.process_time(), time.perf_counter()
    result = work()
    return result, time.process_time() - cpu, time.perf_counter() - wall


def measure(name, n):
    """One method on one set of rows: the work of a process of its own. 0 is kdd99."""
    method = METHODS[name]
    if method.package == "softcost":  # compiles
        X, y = make_rows(5_000, 7)
        method.fit(X, y, random_prices(), softness=2, cv=2)
    before = memory_now()
    X, y, prices = rows_to_learn(n)
    if name == "csoaa":
        with csoaa_file(X, y, prices) as path:
            found = timed(lambda: csoaa_of(path, len(prices)))
    else:
        found = timed(lambda: method.fit(X, y, prices))
    (predict, chosen), cpu, wall = found
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    X_test, y_test, _ = rows_to_test(n)
    parts = np.array_split(np.arange(len(y_test)), 10)
    answers = np.concatenate([predict(X_test[part]) for part in parts])
    paid = prices[y_test, answers]
    return {
        "data": "kdd99" if n == 0 else "clusters",
        "method": name,
        "what": method.what,
        "package": method.package,
        "rows": len(y),
        "features": X.shape[1],
        "seconds": cpu,
        "wall": wall,
        "memory": (peak - before) / X.nbytes,
        "peak": peak,
        "data_bytes": X.nbytes,
        "cost": float(paid.mean()),
        "cost_se": float(paid.std() / len(paid) ** 0.5),
        "error": float(np.mean(answers != y_test)),
        "chosen": chosen,
        "predictions": hashlib.sha256(answers.astype(np.int8).tobytes()).hexdigest(),
        "load": os.getloadavg()[0],
        "date": time.strftime("%Y-%m-%d"),
    }


def in_process(name, n):
    """`measure` in a process of its own, whose peak is that of this work."""
    words = [sys.executable, __file__, "--measure", name, str(n)]
    # Threads that wait count as work where they spin.
    quiet = os.environ | {"OMP_WAIT_POLICY": "PASSIVE", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(words, capture_output=True, text=True, env=quiet)
    if done.returncode:
        print(f"{name} with {n} rows failed: {done.stderr.strip().splitlines()[-1]}")
        return None
    return json.loads(done.stdout.splitlines()[-1])


def key_of(one):
    return one["data"], one["rows"], list(METHODS).index(one["method"])


def slopes_of(results):
    """Exponents of the time in the number of rows."""
    out = []
    for name in METHODS:
        own = [
            one
            for one in results
            if one["method"] == name
            and one["data"] == "clusters"
            and one["rows"] >= FITTED_FROM
        ]
        if len(own) > 1:
            sizes, seconds = ([one[key] for one in own] for key in ("rows", "seconds"))
            slope = float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
            out.append({"method": name, "slope": slope, "rows": sizes})
    return out


def formulas_of(results):
    """Lines of searches that the guide has formulas for."""
    found = [checked(one) for one in results if one["rows"] >= FITTED_FROM]
    return [one for one in found if one is not None]


def megabytes(size):
    return "" if size is None else f"{size / 1e6:.0f}"


def print_result(one, results):
    peers = {
        key_of(other)[:2]: other["seconds"]
        for other in results
        if other["method"] == "logistic"
    }
    ratio = one["seconds"] / peers.get(key_of(one)[:2], np.nan)
    print_row(
        [
            one["data"],
            one["method"],
            one["rows"],
            f"{one['seconds']:.1f}",
            f"{ratio:.2f}",
            f"{one['memory']:.2f}",
            f"{one['peak'] / 1e9:.2f}",
            f"{one['cost']:.4f}",
            f"{one['error']:.4f}",
        ],
        WIDTHS,
    )


def table_of(results):
    """All results as Markdown, and what the targets of the searches come to."""
    measured = [one for one in results if "seconds" in one]
    peers = {
        key_of(one)[:2]: one["seconds"]
        for one in measured
        if one["method"] == "logistic"
    }
    lines = ["# Scale", "", *__doc__.split("\n\n")[2:], ""]
    for title, chosen in (
        ("clusters", [one for one in measured if one["data"] == "clusters"]),
        ("kdd99", [one for one in measured if one["data"] == "kdd99"]),
    ):
        if not chosen:
            continue
        lines += [
            f"## {title}",
            "",
            "| rows | what | package | seconds | ratio | memory | GB | cost | error |",
            "|---|---|---|---|---|---|---|---|---|",
        ]
        for one in chosen:
            peer = peers.get(key_of(one)[:2])
            ratio = "" if peer is None else f"{one['seconds'] / peer:.2f}"
            lines.append(
                f"| {one['rows']} | {one['what']} | {one['package']} "
                f"| {one['seconds']:.1f} | {ratio} | {one['memory']:.1f} "
                f"| {one['peak'] / 1e9:.2f} | {one['cost']:.4f} "
                f"| {100 * one['error']:.2f} % |"
            )
        lines.append("")
    lines += ["## Growth", "", "| what | exponent | from | to |", "|---|---|---|---|"]
    lines += [
        f"| {METHODS[one['method']].what} | {one['slope']:.2f} "
        f"| {min(one['rows'])} | {max(one['rows'])} |"
        for one in slopes_of(measured)
    ]
    lines += [
        "",
        "## Formulas",
        "",
        "| what | rows | seconds | by formula | MB beyond rows | by formula |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {METHODS[one['formula_of']].what} | {one['rows']} "
        f"| {one['measured']:.1f} | {one['by_formula']:.1f} "
        f"| {one['bytes'] / 1e6:.0f} | {megabytes(one['bytes_by_formula'])} |"
        for one in formulas_of(measured)
    ]
    return "\n".join(lines) + "\n"


def write(output, results):
    """All results as JSON, and a table beside it."""
    if output and results:
        write_json(
            output, PACKAGES, results + slopes_of(results) + formulas_of(results)
        )
        Path(output).with_suffix(".md").write_text(table_of(results))


def known_results(path):
    if path is None or not Path(path).exists():
        return []
    found = json.loads(Path(path).read_text())["results"]
    return [one for one in found if "seconds" in one]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    sizes = [10**3, 10**4, 10**5, 10**6]
    parser.add_argument("--rows", type=int, nargs="+", default=sizes, help="0: none")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--kdd99", action="store_true")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--output")
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        name, n = options.measure
        print(json.dumps(measure(name, int(n))))
        return
    results = sorted(known_results(options.output), key=key_of)
    work = [
        (name, n)
        for n in options.rows
        for name in options.methods
        if 0 < n <= METHODS[name].most
    ]
    if options.kdd99:
        work += [(name, 0) for name in options.methods if name in KDD_METHODS]
    if options.resume:
        known = {
            (one["method"], one["rows"] if one["data"] == "clusters" else 0)
            for one in results
        }
        work = [one for one in work if one not in known]
    print_row(HEADER, WIDTHS)
    for name, n in work:
        found = in_process(name, n)
        if found is None:
            continue
        results = [one for one in results if key_of(one) != key_of(found)] + [found]
        results.sort(key=key_of)
        print_result(found, results)
        write(options.output, results)
    write(options.output, results)
    for one in slopes_of(results):
        print(f"{one['method']}: time grows as rows^{one['slope']:.2f}")


if __name__ == "__main__":
    main()

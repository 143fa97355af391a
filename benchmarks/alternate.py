"""The solvers of two versions in one process, taking turns on the same problems.

    python benchmarks/alternate.py /path/to/other/checkout --builds native,AVX2

One binary machine on a given Gram matrix (the sets and sizes of ``solver.py gram``).
Turns follow each other within a second, so that both versions see the same machine,
however busy it is; the ratio is the median of those of neighbouring turns.
"""

import argparse
import importlib
import statistics
import sys
from pathlib import Path

import numpy as np
from common import add_build_option, print_row, run_builds, write_json
from solver import binary_sets, seconds_of
from threadpoolctl import threadpool_limits

WIDTHS = [10, 6, 4, 12, 12, 7, 10]
HEADER = ["data", "n", "C", "before", "after", "ratio", "difference"]
PARTS = ("kernels", "row_store", "smo")
RENAMED = {"row_store": "rows"}  # new name: name in older versions


def solver_of(checkout, name):
    """Modules of a version, separate from those that were loaded before.

    numba also distinguishes types by name, and is slow if two have the same name.
    """
    loaded = [
        module for module in sys.modules if module.partition(".")[0] == "softcost"
    ]
    for module in loaded:
        del sys.modules[module]
    sys.path.insert(0, str(checkout / "src"))
    folder = checkout / "src" / "softcost" / "solvers"
    names = [
        part if (folder / f"{part}.py").exists() else RENAMED[part] for part in PARTS
    ]
    parts = [importlib.import_module(f"softcost.solvers.{part}") for part in names]
    del sys.path[0]
    assert all(Path(part.__file__).is_relative_to(checkout) for part in parts)
    parts[1].Gram.__name__ = f"Gram{name}"
    return parts


def a_fit(version, X, y, C):
    kernels, rows, smo = version
    gram = rows.Gram(kernels.gram_matrix(X))
    lower, upper = np.minimum(C * y, 0), np.maximum(C * y, 0)
    return lambda: smo.solve(gram, y, lower, upper)


def compare(versions, X, y, C, turns):
    """Seconds of both, the median ratio of their turns, and of their objectives."""
    calls = [a_fit(version, X, y, C) for version in versions]
    times = [max(1, int(0.05 / seconds_of(call, 1)[0])) for call in calls]
    taken = [
        [seconds_of(call, count) for call, count in zip(calls, times, strict=True)]
        for _ in range(turns)
    ]
    before, after = taken[-1][0][1].objective, taken[-1][1][1].objective
    seconds = [statistics.median(turn[side][0] for turn in taken) for side in (0, 1)]
    ratio = statistics.median(turn[0][0] / turn[1][0] for turn in taken)
    return *seconds, ratio, after / before - 1


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("other", type=Path, help="checkout to compare with")
    parser.add_argument("--sizes", type=int, nargs="+", default=[500, 1000, 1500, 2500])
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--output", help="JSON file to write")
    add_build_option(parser)
    options = parser.parse_args(arguments)
    packages = ["numpy", "numba", "llvmlite"]
    if options.builds:
        results = run_builds(options.builds, arguments or sys.argv[1:])
        if options.output:
            write_json(options.output, packages, results)
        return
    cases = list(binary_sets(options.sizes))  # before any version is unloaded
    here = Path(__file__).resolve().parents[1]
    checkouts = options.other.resolve(), here
    versions = [solver_of(one, name) for one, name in zip(checkouts, "AB", strict=True)]
    print_row(HEADER, WIDTHS)
    results = []
    with threadpool_limits(1):
        for name, X, y in cases:
            for C in (1.0, 16.0):
                found = compare(versions, X, y, C, options.turns)
                before, after, ratio, difference = found
                results.append(
                    {
                        "data": name,
                        "n": len(y),
                        "C": C,
                        "before": before,
                        "after": after,
                        "ratio": ratio,
                        "difference": difference,
                    }
                )
                times = [f"{1e3 * seconds:.2f} ms" for seconds in (before, after)]
                cells = [name, len(y), f"{C:g}", *times, f"{ratio:.2f}x"]
                print_row([*cells, f"{difference:.1e}"], WIDTHS)
    ratios = [result["ratio"] for result in results]
    mean = np.exp(np.mean(np.log(ratios)))
    print(f"geometric mean {mean:.2f}x of {len(ratios)}, least {min(ratios):.2f}x")
    if options.output:
        write_json(options.output, packages, results)


if __name__ == "__main__":
    main()

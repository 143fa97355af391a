"""How time and memory grow with rows and classes: the table and plot of the guide.

    python benchmarks/growth.py --write           # about twenty minutes on two cores
    python benchmarks/growth.py --rows 500 1000 --classes 2 4    # a trial

Every measurement is a process of its own with one thread: it works once on few rows,
which compiles and imports everything, then on all of them. Time is processor time;
memory is the growth of the process's peak beyond what it held before. Exponents are
those of straight lines through the logarithms of the larger half of the sizes.
``--write`` replaces the section of docs/guide/large.md and its plot.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from common import print_row, write_json
from sklearn.datasets import make_classification
from sklearn.preprocessing import scale

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE, PLOT = DOCS / "guide" / "large.md", DOCS / "images" / "growth.svg"
BEGIN, END = "<!-- growth: begin -->\n", "<!-- growth: end -->\n"
SECTION = """\
### Measured growth

How time and memory grew with n rows ({classes} classes) and with K classes ({rows:,} \
rows), for 20 features, on one thread. Kernel machines have an rbf kernel and C = 4; \
searches use the default grids. Memory is that beyond the table. \
`benchmarks/growth.py --write` makes the table and the plot.

{table}
![Processor seconds against rows and against classes](../images/growth.svg)
"""
ROWS, CLASSES = (1000, 2000, 4000, 8000, 16_000), (2, 4, 8, 16)
FIXED_ROWS, FIXED_CLASSES = 2000, 4  # while the other grows
WARM_UP = 400  # rows
WIDTHS = (28, 7, 8, 10, 10)


def reduction(name):
    import softcost

    return getattr(softcost, name)(
        softcost.OneSidedSVR("rbf", 4.0)
        if name == "OneSidedRegression"
        else softcost.KernelSVC("rbf", 4.0)
    )


def search(first):
    from softcost import SoftCostClassifierCV

    return SoftCostClassifierCV(*first, n_jobs=1)


# Name: a function that makes an estimator, and whether to time its prediction.
TASKS = {
    "fit, one-sided regression": (lambda: reduction("OneSidedRegression"), False),
    "fit, one-versus-one": (lambda: reduction("CostSensitiveOneVsOne"), False),
    "search, one-sided regression": (
        lambda: search([reduction("OneSidedRegression")]),
        False,
    ),
    "default search": (lambda: search([]), False),
    "predict, one-sided regression": (lambda: reduction("OneSidedRegression"), True),
}


def table(n, n_classes):
    """Rows of 20 features, their classes and a cost matrix."""
    X, y = make_classification(
        n, 20, n_informative=14, n_classes=n_classes, n_clusters_per_class=1,
        flip_y=0.02, random_state=0,
    )  # fmt: skip
    costs = 0.1 + np.random.default_rng(0).random((n_classes, n_classes))
    np.fill_diagonal(costs, 0.0)
    return scale(X), y, costs


def peak():
    """Bytes of the process's peak memory so far."""
    unit = 1 if sys.platform == "darwin" else 1024
    return unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def measure(task, n, n_classes):
    """Processor seconds and additional bytes of a task, in this process."""
    make, predicts = TASKS[task]
    for rows in (min(WARM_UP, n), n):
        X, y, costs = table(rows, n_classes)
        model = make().set_params(cost_matrix=costs)
        work = (lambda m=model, X=X, y=y: m.fit(X, y)) if not predicts else None
        if predicts:
            model.fit(X, y)
            new = np.repeat(X, -(-n // len(X)), axis=0)[:n]
            work = lambda m=model, new=new: m.predict(new)  # noqa: E731
        before, start = peak(), time.process_time()
        work()
    return {"seconds": time.process_time() - start, "bytes": peak() - before}


def in_a_process(task, n, n_classes):
    command = [sys.executable, __file__, "--measure", json.dumps([task, n, n_classes])]
    limits = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}
    done = subprocess.run(
        command,
        env={**os.environ, **limits, "PYTHONWARNINGS": "ignore", "SOFTCOST_QUIET": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def exponent(sizes, values):
    """The slope of logarithms over the larger half of the sizes; None if too small."""
    half = slice(len(sizes) // 2 - 1 if len(sizes) > 2 else 0, None)
    sizes, values = np.asarray(sizes[half], float), np.asarray(values[half], float)
    if (values <= 0).any():
        return None
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def lines_of(results, key, fixed):
    """For each task: sizes along an axis, seconds and bytes, in increasing order."""
    other = "classes" if key == "rows" else "rows"
    for task in dict.fromkeys(result["task"] for result in results):
        chosen = [r for r in results if r["task"] == task and r[other] == fixed]
        chosen.sort(key=lambda result: result[key])
        if len(chosen) > 1:
            yield task, chosen


def shown(value):
    return "-" if value is None else f"{value:.1f}"


def markdown(results):
    """The table of exponents, with the largest case measured."""
    by_class = dict(lines_of(results, "classes", FIXED_ROWS))
    lines = [
        "| | time ~ n^ | time ~ K^ | memory ~ n^ | largest n | seconds | MB |",
        "|---|---|---|---|---|---|---|",
    ]
    for task, cases in lines_of(results, "rows", FIXED_CLASSES):
        rows = [case["rows"] for case in cases]
        time_n = exponent(rows, [case["seconds"] for case in cases])
        memory_n = exponent(rows, [case["bytes"] for case in cases])
        wide = by_class.get(task, [])
        time_k = (
            exponent([c["classes"] for c in wide], [c["seconds"] for c in wide])
            if wide
            else None
        )
        last = cases[-1]
        cells = [task, shown(time_n), shown(time_k), shown(memory_n)]
        cells += [f"{last['rows']:,}", f"{last['seconds']:.2g}"]
        cells += [f"{last['bytes'] / 2**20:.0f}"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def draw(results, path):
    """Time along rows and along classes, on logarithmic axes."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "growth"  # the same file for the same numbers
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for axis, key, fixed, label in (
        (axes[0], "rows", FIXED_CLASSES, f"rows ({FIXED_CLASSES} classes)"),
        (axes[1], "classes", FIXED_ROWS, f"classes ({FIXED_ROWS:,} rows)"),
    ):
        for task, cases in lines_of(results, key, fixed):
            seconds = [case["seconds"] for case in cases]
            axis.loglog([case[key] for case in cases], seconds, "o-", label=task)
        axis.set(xlabel=label, ylabel="processor seconds")
    axes[0].legend(fontsize="small")
    figure.savefig(path, metadata={"Date": None})


def write_page(text):
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    section = SECTION.format(table=text, rows=FIXED_ROWS, classes=FIXED_CLASSES)
    PAGE.write_text(f"{before}{BEGIN}{section}{END}{after}", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=ROWS)
    parser.add_argument("--classes", type=int, nargs="+", default=CLASSES)
    parser.add_argument("--tasks", nargs="+", default=list(TASKS), choices=TASKS)
    parser.add_argument("--measure", type=json.loads, help=argparse.SUPPRESS)
    parser.add_argument("--write", action="store_true", help="into the guide")
    parser.add_argument("--output", help="JSON file to write")
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(*options.measure)))
        return
    cases = [(n, FIXED_CLASSES) for n in options.rows]
    cases += [(FIXED_ROWS, k) for k in options.classes]
    print_row(["task", "rows", "classes", "seconds", "MB"], WIDTHS)
    results = []
    for task in options.tasks:
        for n, n_classes in dict.fromkeys(cases):
            result = in_a_process(task, n, n_classes)
            results.append({"task": task, "rows": n, "classes": n_classes, **result})
            numbers = f"{result['seconds']:.3f}", f"{result['bytes'] / 2**20:.0f}"
            print_row([task, n, n_classes, *numbers], WIDTHS)
    text = markdown(results)
    print(text)
    if options.write:
        write_page(text)
        draw(results, PLOT)
    if options.output:
        write_json(options.output, ["softcost", "numpy", "scikit-learn"], results)


if __name__ == "__main__":
    main()

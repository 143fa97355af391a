"""What the benchmarks share: surroundings of a run, tables, JSON."""

import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import MinMaxScaler

# What numba is told to build for; SSE is what every x86 processor has.
BUILDS = {"native": None, "AVX2": "x86-64-v3", "SSE": "x86-64"}


def environment_of(build, **others):
    """The environment in which numba builds for less than this processor."""
    environment = {**os.environ, **others}
    if BUILDS[build] is not None:
        environment["NUMBA_CPU_NAME"] = BUILDS[build]
        environment["NUMBA_CPU_FEATURES"] = ""
    return environment


def add_build_option(parser):
    parser.add_argument(
        "--builds",
        type=lambda text: text.split(","),
        help=f"of {','.join(BUILDS)}: run once for each, in processes of their own",
    )


def run_builds(builds, arguments):
    """Run this script for each build and collect its results, with their build."""
    kept = list(arguments)
    for option in ("--builds", "--output"):
        if option in kept:
            at = kept.index(option)
            del kept[at : at + 2]
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for build in builds:
            print(f"== {build}", flush=True)
            output = Path(folder) / f"{build}.json"
            subprocess.run(
                [sys.executable, sys.argv[0], *kept, "--output", str(output)],
                env=environment_of(build, NUMBA_CACHE_DIR=f"{folder}/{build}"),
                check=True,
            )
            found = json.loads(output.read_text())["results"]
            results += [{"build": build, **one} for one in found]
    return results


def perceptron(A, B):
    """The kernel as a user of scikit-learn would write it."""
    return -cdist(A, B)


def scaled_split(data, run):
    """A random quarter for testing; features in [0, 1] by the rest, as in the paper.

    Returns
    -------
    X, X_test, y, y_test : ndarray
    """
    X, X_test, y, y_test = train_test_split(
        data.data, data.target, test_size=0.25, random_state=run
    )
    scaler = MinMaxScaler().fit(X)
    return scaler.transform(X), scaler.transform(X_test), y, y_test


def mean_and_error(values):
    """The mean and its standard error."""
    return float(np.mean(values)), float(np.std(values, ddof=1) / len(values) ** 0.5)


def errors_of_ova(data, run):
    """Sizes of the classes in training, and the wrong predictions of a test part."""
    from sklearn.metrics import confusion_matrix

    from softcost import OneSidedRegression, OneSidedSVR

    X, X_test, y, y_test = scaled_split(data, run)
    model = OneSidedRegression(
        OneSidedSVR(C=16.0), softness=1.0, classes=data.target_names
    ).fit(X, y)
    predicted = model.predict(X_test)
    wrong = confusion_matrix(y_test, predicted, labels=data.target_names).astype(float)
    np.fill_diagonal(wrong, 0.0)
    sizes = np.array([np.sum(y == label) for label in data.target_names])
    return np.maximum(sizes, 1), wrong / len(y_test)


def beyond(cost, error):
    """Relative standard error of a cost that is not that of its error."""
    return float(np.sqrt(max(0.0, cost**2 - error**2)))


def cost_of_an_error(target, dataset):
    """Published cost of an error of OVA or OVO, and its relative spread.

    They never look at costs; the one whose error is known better is taken.
    """
    from softcost.paper import published_values

    table = published_values()
    table = table[(table["target"] == target) & (table["dataset"] == dataset)]
    candidates = []
    for algorithm in ("OVA", "OVO"):
        rows = table[table["algorithm"] == algorithm].set_index("metric")
        spread = rows["published_se"] / rows["published_mean"]
        mean = rows["published_mean"] * rows["unit"]
        candidates.append(
            (
                spread["error"],
                mean["cost"] / mean["error"],
                beyond(spread["cost"], spread["error"]),
            )
        )
    return min(candidates)[1:]


def version_of(package):
    """Its version, or None where it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def processor():
    """The name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    names = (line.partition(": ")[2] for line in lines if line.startswith("model name"))
    return next(names, platform.processor())


def surroundings(packages):
    """What the numbers depend on."""
    return {
        "command": " ".join(["python", *sys.argv]),
        "date": time.strftime("%Y-%m-%d"),
        "processor": processor(),
        "processors": os.cpu_count(),
        "load": os.getloadavg() if hasattr(os, "getloadavg") else None,
        "system": platform.platform(),
        "python": platform.python_version(),
        "versions": {name: version_of(name) for name in packages},
    }


def print_row(cells, widths, verdict=""):
    """One line of a table, right-aligned."""
    line = "  ".join(f"{c:>{w}}" for c, w in zip(cells, widths, strict=True))
    print(f"{line}  {verdict}".rstrip(), flush=True)


def write_json(path, packages, results):
    """Results with their surroundings, as a file."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    document = {"surroundings": surroundings(packages), "results": results}
    path.write_text(json.dumps(document, indent=1, allow_nan=False) + "\n")
    print(f"written: {path}")

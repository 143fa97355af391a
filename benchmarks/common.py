"""What the benchmarks share: surroundings of a run, tables, JSON."""

import json
import os
import platform
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from scipy.spatial.distance import cdist


def perceptron(A, B):
    """The kernel as a user of scikit-learn would write it."""
    return -cdist(A, B)


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

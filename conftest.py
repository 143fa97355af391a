"""How tests are spread over worker processes."""

import os
import sys
from pathlib import Path

# Tests look at standard error, and may be the first to compile.
os.environ.setdefault("SOFTCOST_QUIET", "1")
WORKER = os.environ.get("PYTEST_XDIST_WORKER")

if WORKER:
    # There is one worker per core: OpenMP threads of several workers would wait for
    # each other in busy loops. Before scikit-learn and LightGBM are imported.
    os.environ.setdefault("OMP_NUM_THREADS", "1")

if WORKER and "NUMBA_CACHE_DIR" not in os.environ:
    # Workers that write the same cache at the same time may spoil it: each keeps its
    # own, and so do the processes that its tests start. Before numba is imported.
    cache = Path(__file__).parent / ".pytest_cache" / "numba" / WORKER
    os.environ["NUMBA_CACHE_DIR"] = str(cache)


def names_single_tests(config):
    """Whether tests are named one by one, as in ``pytest file.py::test``."""
    return any("::" in argument for argument in config.args)


def pytest_configure(config):
    """Run a test that is named, whatever its markers."""
    default = config.option.markexpr in config.getini("addopts")
    if default and names_single_tests(config):
        config.option.markexpr = ""


def pytest_runtest_teardown():
    """Close figures: those of examples in docstrings stay open otherwise."""
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def pytest_xdist_auto_num_workers(config):
    """One worker per core at our disposal; none for tests that are named one by one."""
    if names_single_tests(config):
        return 0
    if told := os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS"):
        return int(told)
    from joblib import cpu_count  # knows affinity and containers

    return min(cpu_count(), 16)

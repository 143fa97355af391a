"""Fits as processes: interrupted, without a place to cache, and cached."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import softcost

LONG_FIT = """
import signal
import sys
import threading
import time
signal.signal(signal.SIGINT, signal.default_int_handler)  # none in the background
import numpy as np
from softcost import KernelSVC, OneSidedRegression, OneSidedSVR
from softcost import SoftCostClassifierCV

def is_solving():
    for frame in sys._current_frames().values():
        while frame is not None:
            if frame.f_globals["__name__"].startswith("softcost.solvers."):
                return True
            frame = frame.f_back
    return False

def report_solving():
    while not is_solving():
        time.sleep(0.01)
    print("solving", flush=True)

rng = np.random.default_rng(0)
X = rng.normal(size=(10_000, 5))
y = rng.integers(0, 3, len(X))
model = {model}
model.fit(X[:100], y[:100])  # compile: an interrupt should meet a solver at work
try:
    threading.Thread(target=report_solving, daemon=True).start()
    model.fit(X, y)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    sys.exit(3)
print("finished", flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="interrupts are sent as POSIX signals")
@pytest.mark.parametrize(
    "model",
    [
        "KernelSVC(C=1e4)",
        "SoftCostClassifierCV(OneSidedRegression(), n_jobs=2)",
        *(
            pytest.param(other, marks=pytest.mark.slow)
            for other in (
                "OneSidedRegression(OneSidedSVR(C=1e4), n_jobs=2)",
                "SoftCostClassifierCV(OneSidedRegression())",
            )
        ),
    ],
)
def test_an_interrupt_ends_a_long_fit(model):
    child = subprocess.Popen(
        [sys.executable, "-c", LONG_FIT.format(model=model)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout.readline() == "solving\n", child.communicate()[1]
    child.send_signal(signal.SIGINT)
    out, err = child.communicate()
    assert out == "interrupted\n", err
    assert child.returncode == 3


WITHOUT_CACHE = """
import numba.core.caching as caching

def refuse(*args, **kwargs):
    raise OSError("read-only file system")

caching.tempfile.TemporaryFile = refuse
import numpy as np
import softcost.svm  # with all that is compiled
from softcost.solvers.smo import spread

spread(*np.ones((3, 2)))  # one of the small ones: compiling all takes a while
print(type(spread._cache).__name__)
"""


def test_nowhere_to_cache_still_works():
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_CACHE], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "NullCache\n"


def test_compiled_code_is_kept_on_disk():
    code = (
        "import numpy as np; from softcost import KernelSVC; "
        "from softcost.solvers.smo import advance; "
        "X = np.arange(20.0)[:, None]; KernelSVC().fit(X, X[:, 0] > 9); "
        "print(*(sum(counts.values()) for counts in advance.stats[1:]))"
    )
    for _ in range(2):  # at the first time it may not be there yet
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
    hits, misses = (int(count) for count in done.stdout.split())
    assert hits > 0
    assert misses == 0


def test_an_edit_of_one_solver_file_outdates_code_of_all(tmp_path):
    package = Path(softcost.__file__).parent
    copy = tmp_path / "site" / "softcost"
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__"))
    code = (
        "from softcost.solvers.smo import spread; import numpy as np; "
        "spread(*np.ones((3, 2))); print(sum(spread.stats.cache_hits.values()))"
    )
    environment = {
        **os.environ,
        "PYTHONPATH": str(copy.parent),
        "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
    }

    def hits():
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return int(done.stdout)

    assert [hits(), hits()] == [0, 1]
    with (copy / "solvers" / "kernels.py").open("a") as other:
        other.write("# edited\n")
    assert hits() == 0


@pytest.mark.parametrize("ending", ["nbi", pytest.param("nbc", marks=pytest.mark.slow)])
def test_a_damaged_cache_is_written_anew(tmp_path, ending):
    code = (
        "from softcost.solvers.smo import spread; import numpy as np; "
        "spread(*np.ones((3, 2))); print(sum(spread.stats.cache_hits.values()))"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}

    def hits():
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return int(done.stdout)

    assert hits() == 0
    for file in tmp_path.rglob(f"*.{ending}"):
        content = file.read_bytes()
        file.write_bytes(content[: len(content) // 2])
    assert [hits(), hits()] == [0, 1]


def test_importing_the_package_imports_nothing_heavy():
    code = (
        "import sys, softcost; print(*{'numpy', 'numba', 'sklearn'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""


def test_estimators_are_imported_without_numba():
    """It is imported for compiled code alone, when a machine is fitted."""
    code = (
        "import sys, softcost\n"
        "softcost.SoftCostClassifierCV, softcost.OneSidedNystroem, softcost.load\n"
        "import softcost.persistence.types_softcost\n"
        "print('numba' in sys.modules)\n"
        "softcost.KernelSVC().fit([[0.0], [1.0]], [0, 1])\n"
        "print('numba' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "True"]


def test_lazy_imports_leave_the_garbage_collector_as_it_was():
    code = (
        "import gc, softcost\n"
        "softcost.costs, print(gc.isenabled()), gc.disable()\n"
        "softcost.load, print(gc.isenabled())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["True", "False"]

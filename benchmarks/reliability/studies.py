"""``softcost reproduce`` killed with one job, two jobs and Dask: no row is lost."""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from commands import counted, ended, started

from softcost.cli import reproduce  # noqa: F401
from softcost.paper import Store

PLAN = (
    "reproduce inconsistent --datasets iris --algorithms OVA,OSR,CSOVO --runs 3 "
    "--quiet --json --store"
)
CLUSTER = """
from distributed import Client, LocalCluster
with LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster:
    Client(cluster).wait_for_workers(2)
    print(cluster.scheduler_address, flush=True)
    input()
"""


def run(count):
    """A third of the kills each; rows are some of the right ones, and then all."""
    cluster = subprocess.Popen(
        [sys.executable, "-c", CLUSTER], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    try:
        ways = {
            "one job": "--jobs 1",
            "two jobs": "--jobs 2",
            "Dask": f"--dask {cluster.stdout.readline().strip()}",
        }
        tally, here = Counter(), os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                wanted = _rows_of(f"{PLAN} whole.sqlite --jobs 1", "whole.sqlite")
                for name, option in ways.items():
                    line = f"{PLAN} store.sqlite {option}"
                    _kill(line, count // len(ways), wanted, name, tally)
            finally:
                os.chdir(here)
    finally:
        cluster.communicate("\n")
    return counted(dict(tally), ("killed", "ended"))


def _rows(store):
    with Store(store, write=False) as found:
        return {row.key: row[1:] for row in found.rows().itertuples(index=False)}


def _rows_of(line, store):
    if ended(started(line)) != 0:
        raise RuntimeError(f"does not work: {line}")
    return _rows(store)


def _remove(store):
    for path in Path().glob(f"{store}*"):
        path.unlink()


def _kill(line, count, wanted, name, tally):
    store, rng = "store.sqlite", random.Random(0)
    for _ in range(2):  # the first may compile, and so take longer
        _remove(store)
        begun = time.monotonic()
        if _rows_of(line, store) != wanted:
            tally[f"{name}: other rows"] += 1
        longest = time.monotonic() - begun
    _remove(store)
    for _ in range(count):
        child = started(line)
        time.sleep(rng.uniform(0.05, 0.5) * longest)
        os.kill(child, signal.SIGKILL)
        code = ended(child)
        found = _rows(store) if Path(store).exists() else {}
        if not found.items() <= wanted.items():
            tally[f"{name}: other rows"] += 1
        else:
            tally[f"{name}: {'ended' if code == 0 else 'killed'}"] += 1
        if len(found) == len(wanted):
            _remove(store)
    if 2 * tally[f"{name}: killed"] < count:
        tally[f"{name}: too few were killed"] += 1
    if _rows_of(line, store) != wanted:
        tally[f"{name}: rows are missing"] += 1

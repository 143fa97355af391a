"""How long a reproduction of the paper takes on so many workers, from measured times.

    SOFTCOST_DATA=... python benchmarks/cluster_plan.py measure --minutes 10
    python benchmarks/cluster_plan.py plan --workers 1,10,100

``measure`` runs units of one run of the main table (one family of algorithms on one
data set and kind of costs; each on one thread), small data sets first, and keeps their
processor time as it goes; what is there is not measured again. ``plan`` gives every
unit of twenty runs of both main tables to the worker that is free first, the longest
first. Units of data sets that have not been measured are taken from a power law,
seconds = a n^p for each family, fitted to those that have, and are told apart: it is
rather too low for them, as small sets are dominated by what does not grow. Left out are
what a worker needs once (imports, compilation: some 20 s) and the way of the data.
"""

import argparse
import heapq
import json
import time
from pathlib import Path

import numpy as np

from softcost.datasets import info
from softcost.paper import TARGETS, make_request, plan, run_unit
from softcost.paper.cell import load_data

RESULTS = Path(__file__).parent / "results" / "cluster_plan.json"
TABLES = ("inconsistent", "consistent")
RUNS = 20


def rows_of(dataset):
    return int(info(dataset).rows)


def units_of(target, runs, checksum=lambda name: ""):
    """Units of a table, small data sets first; to be run they need the checksums."""
    for name in sorted(TARGETS[target].datasets, key=rows_of):
        facts = {name: (rows_of(name), checksum(name))}
        yield from plan(make_request(target, [name], runs=runs), facts)


def label(unit):
    return f"{unit.dataset} {unit.family}"


def measure(times, minutes, store):
    """Processor seconds of the units of one run, as far as they are not known."""
    until = time.monotonic() + 60 * minutes
    for unit in units_of(
        "inconsistent", 1, lambda name: load_data(name, None).checksum
    ):
        if label(unit) in times:
            continue
        if time.monotonic() > until:
            return
        started = time.process_time()
        run_unit(unit)
        times[label(unit)] = round(time.process_time() - started, 3)
        print(f"{label(unit)}: {times[label(unit)]} s", flush=True)
        store()


def power_laws(times):
    """For each family: a and p of ``a n^p``, by least squares of logarithms."""
    laws = {}
    for family in {name.split()[1] for name in times}:
        known = [
            (rows_of(name.split()[0]), seconds)
            for name, seconds in times.items()
            if name.split()[1] == family and seconds > 0
        ]
        n, seconds = np.log(np.array(known, float)).T
        power, constant = np.polyfit(n, seconds, 1) if len(known) > 1 else (2.0, 0.0)
        laws[family] = (float(np.exp(constant)), float(power))
    return laws


def makespan(seconds, workers):
    """When the last worker is done, each taking the longest unit that is left."""
    free = [0.0] * workers
    for one in sorted(seconds, reverse=True):
        heapq.heapreplace(free, free[0] + one)
    return max(free)


def make_plan(times, workers):
    laws = power_laws(times)
    seconds, guessed, unknown = [], 0.0, set()
    for target in TABLES:
        for unit in units_of(target, RUNS):
            known = times.get(label(unit))
            if known is None:
                constant, power = laws[unit.family]
                known = constant * rows_of(unit.dataset) ** power
                guessed += known
                unknown.add(unit.dataset)
            seconds.append(known)
    whole = sum(seconds)
    return {
        "units": len(seconds),
        "cpu_hours": round(whole / 3600, 2),
        "longest_unit_seconds": round(max(seconds), 1),
        "share_extrapolated": round(guessed / whole, 3),
        "extrapolated": sorted(unknown),
        "laws": {name: [float(f"{x:.3g}") for x in law] for name, law in laws.items()},
        "minutes": {str(n): round(makespan(seconds, n) / 60, 1) for n in workers},
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["measure", "plan"])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--workers", default="1,10,100")
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    found = {"times": {}}
    if options.output.exists():
        found = json.loads(options.output.read_text())

    def store():
        options.output.write_text(json.dumps(found, indent=1) + "\n")

    if options.what == "measure":
        measure(found["times"], options.minutes, store)
    else:
        workers = [int(one) for one in options.workers.split(",")]
        found["plan"] = make_plan(found["times"], workers)
        print(json.dumps(found["plan"], indent=1))
        store()


if __name__ == "__main__":
    main()

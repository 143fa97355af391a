"""Kill ``softcost reproduce`` at random moments, resume it, and compare all rows.

    python benchmarks/kill_resume.py [--kills 50] [--jobs 1] [--seed 0]

Every round starts the command, waits for the first row that it stores, waits a random
while longer, and sends SIGKILL to the parent. Then the rows must be some of those of
an uninterrupted run, each once, and the store sound; the last round is left alone and
must end with all of them, bit for bit. A store that is full before all kills are spent
is set aside and a new one begun.
"""

import argparse
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def command(store, options):
    return [
        sys.executable, "-m", "softcost", "reproduce", "inconsistent", "--quiet",
        "--json", "--datasets", options.datasets, "--runs", str(options.runs),
        "--jobs", str(options.jobs), "--store", str(store),
    ]  # fmt: skip


def read(store, query):
    """Ask a store that another process may be writing to."""
    if not store.is_file():
        return []
    db = sqlite3.connect(store, timeout=30)
    try:
        return db.execute(query).fetchall()
    except sqlite3.OperationalError:
        return []  # no table yet
    finally:
        db.close()


def count(store):
    return sum(n for (n,) in read(store, "SELECT COUNT(*) FROM results"))


def cells(store):
    rows = read(store, "SELECT * FROM results")
    by_key = {row[0]: row for row in rows}
    assert len(by_key) == len(rows), "a row is there twice"
    return by_key


def check(store, reference):
    """Whatever is there is right, complete by unit, and the file is sound."""
    assert read(store, "PRAGMA integrity_check") == [("ok",)], "the store is damaged"
    here = cells(store)
    assert here.items() <= reference.items(), "a row differs from the uninterrupted run"
    done = read(store, "SELECT unit FROM attempts WHERE status = 'done'")
    assert len(set(done)) == len(done), "a unit was computed twice"
    assert {unit for (unit,) in done} == {key.split("/")[0] for key in here}
    return here


def kill_once(store, options, rng):
    """Start, wait for a new row and a while longer, kill; whether it was in time."""
    before = count(store)
    process = subprocess.Popen(command(store, options), stdout=subprocess.DEVNULL)
    while process.poll() is None and count(store) == before:
        time.sleep(0.002)
    time.sleep(rng.uniform(0, options.longest))
    alive = process.poll() is None
    if alive:
        os.kill(process.pid, signal.SIGKILL)
    process.wait()
    return alive


def finish(store, options):
    subprocess.run(command(store, options), check=True, stdout=subprocess.DEVNULL)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--datasets", default="iris,wine")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--longest", type=float, default=1.0, help="seconds, at most")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    rng = random.Random(options.seed)
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "whole.sqlite"
        finish(whole, options)
        reference = cells(whole)
        kills, stores, seen = 0, 0, []
        while kills < options.kills:
            stores += 1
            store = Path(folder) / f"killed-{stores}.sqlite"
            while kills < options.kills and kill_once(store, options, rng):
                kills += 1
                seen.append(len(check(store, reference)))
            finish(store, options)
            assert check(store, reference) == reference, "rows are missing"
    print(
        json.dumps(
            {
                "kills": kills,
                "stores": stores,
                "jobs": options.jobs,
                "rows": len(reference),
                "rows_at_kill": seen,
                "seconds": round(time.monotonic() - started),
                "equal": True,
            }
        )
    )


if __name__ == "__main__":
    main()

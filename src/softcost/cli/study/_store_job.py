"""The work behind the commands about a file of results."""

from pathlib import Path
from typing import Any

from softcost.cli.console import bad_input, print_table, say, stdout_console, write_json
from softcost.cli.study._records import records
from softcost.paper import Store


def run_status(store: Path, as_json: bool) -> None:
    """Say what a file of results has, and what failed in it."""
    with bad_input(), Store(store, write=False) as results:
        rows, failures = results.rows(), results.failures()
        log = results.attempts()
    groups = rows.groupby(["dataset", "costs", "algorithm"], sort=False)["run"]
    counts = groups.nunique().reset_index(name="runs")
    seconds = float(log["seconds"].sum())
    if as_json:
        write_json(
            {
                "store": str(store),
                "cells": len(rows),
                "seconds": seconds,
                "counts": records(counts),
                "failures": records(failures),
            }
        )
        return
    say(f"{store}: {len(rows)} cells, {seconds:.0f} s of work")
    wide = counts.groupby(["dataset", "costs"], sort=False)
    print_table(
        [("data set", "left"), ("costs", "left"), ("algorithms and runs", "left")],
        [(*map(str, names), _brief(part)) for names, part in wide],
    )
    for row in failures.itertuples():
        line = f"failed {row.attempts} x: {row.name}: {row.message}"
        stdout_console().print(line, soft_wrap=True)


def _brief(part: Any) -> str:
    """``20: OVA OSR, 5: OVO``."""
    by_runs = part.groupby("runs", sort=False)["algorithm"].agg(" ".join)
    return ", ".join(f"{runs}: {names}" for runs, names in by_runs.items())


def run_export(file: Path, store: Path) -> None:
    """Write all cells of a file of results as CSV."""
    with bad_input(), Store(store, write=False) as results:
        count = results.export(file)
    say(f"{count} cells in {file}")


def run_import(file: Path, store: Path) -> None:
    """Add cells from such a CSV; equal ones that are there already are skipped."""
    with bad_input(), Store(store) as results:
        added, known = results.import_rows(file)
    say(f"{added} cells added to {store}, {known} known")

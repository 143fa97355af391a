"""``softcost reproduce``: the paper's tables and figures, beside published values."""

import math
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from softcost._extras import install_hint
from softcost.cli.console import (
    FAILED,
    BadInput,
    JobFailed,
    bad_input,
    print_table,
    say,
    stdout_console,
    write_json,
)

# The targets and their lines in the help, so that the help imports no experiment; a
# test holds them to the targets themselves.
TARGETS = {
    "alpha-selection": (
        "Two ways to choose softness: by cost, by max(error, normalised cost)."
    ),
    "inconsistent": (
        "Cost and error of eleven algorithms on 22 sets, inconsistent costs."
    ),
    "consistent": "Cost and error of eleven algorithms on 22 sets, consistent costs.",
    "sers": "Prices of confusing bacteria; the spectra are SYNTHETIC.",
    "emphasis": ("One class made expensive, 10^2 to 10^6 times: hard and soft OSR."),
    "unbalanced": "Weighted error as the basic criterion, on ten unbalanced sets.",
    "kdd99": "Intrusion detection with the contest's prices, weighted error.",
    "kdd99-balanced": (
        "Intrusion detection, each price divided by the size of its class."
    ),
    "softness-curve": "Test cost and error against softness, on vowel.",
}

STORE = "softcost-results.sqlite"

store_option = click.option(
    "--store",
    type=click.Path(dir_okay=False, path_type=Path),
    default=STORE,
    show_default=True,
    help="File of results; made where it does not exist.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Write strict JSON.")


@click.group()
def reproduce() -> None:
    """Rerun the paper's tables and figures, beside the published numbers.

    Results are kept in a file, and what is in it is not computed again: after an
    interruption give the same command once more. Numbers are mean and standard error
    over the runs; 'off by' is ours minus the published mean, in combined standard
    errors.
    """


def _names(context: Any, parameter: Any, value: str | None) -> list[str] | None:
    if value is None:
        return None
    return [name.strip() for name in value.split(",") if name.strip()]


_OPTIONS: list[Callable[..., Any]] = [
    click.option("--datasets", callback=_names, help="Only these: iris,wine,..."),
    click.option("--algorithms", callback=_names, help="Only these: OVA,soft-OSR,..."),
    click.option(
        "--runs", type=click.IntRange(1), default=20, show_default=True, metavar="N"
    ),
    click.option(
        "--matrices",
        type=click.Choice(["paper", "class-ratio", "both"]),
        default="paper",
        show_default=True,
        help="Benchmark costs of the eight sets where the paper's cannot have been "
        "drawn by class sizes: as there, by class sizes, or both.",
    ),
    click.option(
        "--grid",
        type=click.Choice(["C", "1/C"]),
        default="C",
        show_default=True,
        help="How the paper's lambda is read.",
    ),
    click.option(
        "--max-rows",
        type=click.IntRange(20),
        metavar="N",
        help="Use a random sample of larger sets.",
    ),
    click.option(
        "--add",
        multiple=True,
        metavar="[NAME=]MODULE:FACTORY",
        help="One more row: a scikit-learn classifier, made by a class or function.",
    ),
    store_option,
    click.option(
        "--jobs",
        type=click.IntRange(1),
        default=1,
        show_default=True,
        metavar="N",
        help="Processes on this machine; results do not depend on it.",
    ),
    click.option("--dask", metavar="ADDRESS", help="Use this Dask scheduler instead."),
    click.option(
        "--cache-size",
        type=click.FloatRange(1),
        metavar="MB",
        help="Memory of each process for kernel values; results do not depend on it.  "
        "[default: 2000]",
    ),
    click.option(
        "--data-dir",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        help="Look here first; then in the directory named by SOFTCOST_DATA.",
    ),
    json_option,
    click.option("--quiet", is_flag=True, help="No progress."),
]


def _add_target(name: str, title: str) -> None:
    @click.pass_context
    def run(context: click.Context, **options: Any) -> None:
        if not _run_target(name, **options):
            context.exit(FAILED)

    for option in reversed(_OPTIONS):
        run = option(run)
    reproduce.command(name, help=title)(run)


for _name, _title in TARGETS.items():
    _add_target(_name, _title)


@reproduce.command()
@json_option
def artificial(as_json: bool) -> None:
    """The introductory figures: the best lines between two Gaussian classes.

    Nothing is drawn at random and nothing is stored: error and cost are exact. The
    JSON has the points of both figures.
    """
    _run_artificial(as_json)


@reproduce.command()
@store_option
@json_option
def status(store: Path, as_json: bool) -> None:
    """Say what a file of results has, and what failed in it."""
    _run_status(store, as_json)


@reproduce.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@store_option
def export(file: Path, store: Path) -> None:
    """Write all cells of a file of results as CSV."""
    _run_export(file, store)


@reproduce.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@store_option
def import_(file: Path, store: Path) -> None:
    """Add cells from such a CSV; equal ones that are there already are skipped."""
    _run_import(file, store)


@reproduce.command()
@click.argument("store", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "-o",
    "--output",
    "directory",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    metavar="DIR",
    help="Directory of the report; made where it does not exist.",
)
@click.option(
    "--runs",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    metavar="N",
    help="Use the first N runs, where there are more.",
)
def pages(store: Path, directory: Path, runs: int) -> None:
    """Write tables, figures and verdicts from a file of results.

    STORE is what 'softcost reproduce' keeps its results in, or what 'softcost
    reproduce export' wrote of them (.csv or .csv.gz). The report is Markdown (start at
    README.md) and HTML (index.html): tables in the paper's form, ours beside the
    published numbers, significance, figures, and which of the paper's claims hold.
    Algorithms added with --add are in it, too.
    """
    from softcost import paper

    try:
        with bad_input():
            files = paper.write_report(store, directory, runs=runs)
    except (ImportError, OSError) as error:
        raise BadInput(str(error)) from error
    say(f"{len(files)} files; open {directory / 'index.html'}")


# Compute, and show the tables.


_EVERY = 10.0  # seconds between lines of progress


def _run_target(
    target: str,
    *,
    add: tuple[str, ...],
    as_json: bool,
    quiet: bool,
    data_dir: Path | None,
    **options: Any,
) -> bool:
    """Rerun a target and show it; whether all of its units could be computed."""
    from softcost import paper

    with bad_input():
        added = dict(paper.import_model(spec) for spec in add)
    result = _reproduce(
        _Progress(quiet), target, add=added, data_home=data_dir, **options
    )
    if as_json:
        write_json(
            {
                "target": target,
                "executed": result.executed,
                "failed": [
                    {"unit": str(unit), "message": message}
                    for unit, message in result.failed
                ],
                "rows": _records(result.table),
            }
        )
    else:
        _print_tables(result.table)
    if result.failed:
        unit, message = result.failed[0]
        say(
            f"{len(result.failed)} units failed, the first of them {unit}: {message}. "
            "The same command tries them again."
        )
    return not result.failed


def _reproduce(progress: "_Progress", target: str, **options: Any) -> Any:
    """Plan and run.

    Before the first report of progress only the request, the data and the store are
    read and checked. After it, units that fail are recorded by themselves; an
    exception is a fault of ours, unless a file or a scheduler is out of reach.
    """
    from softcost import paper

    if options["dask"] is not None and find_spec("distributed") is None:
        raise BadInput(f"--dask needs dask and distributed: {install_hint('dask')}")
    try:
        return paper.reproduce(target, progress=progress, **options)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise (JobFailed if progress.begun else BadInput)(str(error)) from error
    except (ValueError, TypeError) as error:
        if progress.planned:
            raise
        raise BadInput(str(error)) from error


class _Progress:
    """Lines on standard error, now and then; failures at once."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet
        self.planned = self.begun = False
        self._started = time.monotonic()
        self._shown = 0.0
        self._known = 0

    def __call__(self, done: int, total: int, outcome: Any) -> None:
        if outcome is None:
            self.planned, self._known = True, done
            if not self.quiet:
                say(f"{total} units, {done} of them known")
            return
        self.begun = True
        if outcome.cells is None:
            say(f"failed: {outcome.unit}: {outcome.message}")
        now = time.monotonic()
        if self.quiet or (now - self._shown < _EVERY and done < total):
            return
        self._shown = now
        rest = (now - self._started) / max(done - self._known, 1) * (total - done)
        say(f"{done} of {total} units, {rest:.0f} s left")


def _print_tables(table: Any) -> None:
    """Tables of two metrics each: one line per data set and algorithm."""
    metrics = list(dict.fromkeys(table["metric"]))
    for start in range(0, len(metrics), 2):
        _print_table(table[table["metric"].isin(metrics[start : start + 2])])


def _print_table(table: Any) -> None:
    from softcost.paper.result_tables import beside_table

    shown = beside_table(table)
    lines: list[Any] = []
    before = None
    for row in shown.rows:
        place = row[:2]
        lines.append(["", "", *row[2:]] if place == before else row)
        before = place
    print_table([(column.heading, column.align) for column in shown.columns], lines)


def _run_artificial(as_json: bool) -> None:
    """Show the introductory figures."""
    from softcost import paper

    front = paper.artificial_front()
    if as_json:
        lines = paper.artificial_lines()
        write_json({"front": _records(front), "lines": _records(lines)})
        return
    print_table(
        [("costs", "left")]
        + [(name, "right") for name in ("softness", "offset", "error", "cost")],
        [
            (
                str(row["scale"]),
                f"{row['softness']:g}",
                *(f"{row[name]:.5f}" for name in ("b", "error", "cost")),
            )
            for row in front.to_dict("records")
        ],
    )


# Files of results.


def _run_status(store: Path, as_json: bool) -> None:
    """Say what a file of results has, and what failed in it."""
    from softcost.paper import Store

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
                "counts": _records(counts),
                "failures": _records(failures),
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


def _run_export(file: Path, store: Path) -> None:
    """Write all cells of a file of results as CSV."""
    from softcost.paper import Store

    with bad_input(), Store(store, write=False) as results:
        count = results.export(file)
    say(f"{count} cells in {file}")


def _run_import(file: Path, store: Path) -> None:
    """Add cells from such a CSV; equal ones that are there already are skipped."""
    from softcost.paper import Store

    with bad_input(), Store(store) as results:
        added, known = results.import_rows(file)
    say(f"{added} cells added to {store}, {known} known")


def _records(table: Any) -> list[dict[str, Any]]:
    """Rows of a frame; what is missing as null."""
    return [
        {
            name: None if isinstance(value, float) and math.isnan(value) else value
            for name, value in row.items()
        }
        for row in table.to_dict("records")
    ]

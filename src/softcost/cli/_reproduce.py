"""``softcost reproduce``: the paper's tables and figures, beside published values."""

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from softcost.cli._errors import FAILED, bad_input, say
from softcost.cli._output import print_table, write_json

STORE = "softcost-results.sqlite"
_EVERY = 10.0  # seconds between lines of progress

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
    "emphasis": "One class made expensive, 10^2 to 10^6 times: hard and soft OSR.",
    "unbalanced": "Weighted error as the basic criterion, on ten unbalanced sets.",
    "kdd99": "Intrusion detection with the contest's prices, weighted error.",
    "kdd99-balanced": (
        "Intrusion detection, each price divided by the size of its class."
    ),
    "softness-curve": "Test cost and error against softness, on vowel.",
}

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
    """Rerun the paper's tables and figures, beside the printed numbers.

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
        _run(context, name, **options)

    for option in reversed(_OPTIONS):
        run = option(run)
    reproduce.command(name, help=title)(run)


for _name, _title in TARGETS.items():
    _add_target(_name, _title)


def _run(
    context: click.Context,
    target: str,
    *,
    add: tuple[str, ...],
    as_json: bool,
    quiet: bool,
    data_dir: Path | None,
    **options: Any,
) -> None:
    from softcost import paper

    with bad_input():
        added = dict(paper.import_model(spec) for spec in add)
        result = paper.reproduce(
            target,
            add=added,
            data_home=data_dir,
            progress=_progress(quiet),
            **options,
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
        _print(result.table)
    if result.failed:
        unit, message = result.failed[0]
        say(
            f"{len(result.failed)} units failed, the first of them {unit}: {message}. "
            "The same command tries them again."
        )
        context.exit(FAILED)


def _records(table: Any) -> list[dict[str, Any]]:
    """Rows of a frame; what is missing as null."""
    return [
        {
            name: None if isinstance(value, float) and math.isnan(value) else value
            for name, value in row.items()
        }
        for row in table.to_dict("records")
    ]


def _progress(quiet: bool) -> Callable[[int, int, Any], None]:
    """Lines on standard error, now and then; failures at once."""
    started, shown, begun = time.monotonic(), [0.0], [0]

    def show(done: int, total: int, outcome: Any) -> None:
        if outcome is None:
            begun[0] = done
            if not quiet:
                say(f"{total} units, {done} of them known")
            return
        if outcome.cells is None:
            say(f"failed: {outcome.unit}: {outcome.message}")
        now = time.monotonic()
        if quiet or (now - shown[0] < _EVERY and done < total):
            return
        shown[0] = now
        rest = (now - started) / max(done - begun[0], 1) * (total - done)
        say(f"{done} of {total} units, {rest:.0f} s left")

    return show


def _print(table: Any) -> None:
    """Tables of two metrics each: one line per data set and algorithm."""
    metrics = list(dict.fromkeys(table["metric"]))
    for start in range(0, len(metrics), 2):
        _print_part(table[table["metric"].isin(metrics[start : start + 2])])


def _print_part(table: Any) -> None:
    from softcost.paper import beside_table

    shown = beside_table(table)
    lines: list[Any] = []
    before = None
    for row in shown.rows:
        place = row[:2]
        lines.append(["", "", *row[2:]] if place == before else row)
        before = place
    print_table([(column.heading, column.align) for column in shown.columns], lines)


@reproduce.command()
@json_option
def artificial(as_json: bool) -> None:
    """The introductory figures: the best lines between two Gaussian classes.

    Nothing is drawn at random and nothing is stored: error and cost are exact. The
    JSON has the points of both figures.
    """
    from softcost.paper import artificial_front, artificial_lines

    front = artificial_front()
    if as_json:
        lines = artificial_lines()
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


@reproduce.command()
@store_option
@json_option
def status(store: Path, as_json: bool) -> None:
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
        click.echo(f"failed {row.attempts} x: {row.name}: {row.message}")


def _brief(part: Any) -> str:
    """``20: OVA OSR, 5: OVO``."""
    by_runs = part.groupby("runs", sort=False)["algorithm"].agg(" ".join)
    return ", ".join(f"{runs}: {names}" for runs, names in by_runs.items())


@reproduce.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@store_option
def export(file: Path, store: Path) -> None:
    """Write all cells of a file of results as CSV (.csv or .csv.gz)."""
    from softcost.paper import Store

    with bad_input(), Store(store, write=False) as results:
        count = results.export(file)
    say(f"{count} cells in {file}")


@reproduce.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@store_option
def import_(file: Path, store: Path) -> None:
    """Add cells from such a CSV; equal ones that are there already are skipped."""
    from softcost.paper import Store

    with bad_input(), Store(store) as results:
        added, known = results.import_rows(file)
    say(f"{added} cells added to {store}, {known} known")

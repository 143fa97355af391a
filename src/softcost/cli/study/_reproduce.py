"""``softcost reproduce``: the paper's tables and figures, beside published values."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from softcost.cli.console import FAILED
from softcost.cli.study._targets import TARGETS

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
        from softcost.cli.study._reproduce_job import run_target

        if not run_target(name, **options):
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
    from softcost.cli.study._reproduce_job import run_artificial

    run_artificial(as_json)


@reproduce.command()
@store_option
@json_option
def status(store: Path, as_json: bool) -> None:
    """Say what a file of results has, and what failed in it."""
    from softcost.cli.study._store_job import run_status

    run_status(store, as_json)


@reproduce.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@store_option
def export(file: Path, store: Path) -> None:
    """Write all cells of a file of results as CSV."""
    from softcost.cli.study._store_job import run_export

    run_export(file, store)


@reproduce.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@store_option
def import_(file: Path, store: Path) -> None:
    """Add cells from such a CSV; equal ones that are there already are skipped."""
    from softcost.cli.study._store_job import run_import

    run_import(file, store)

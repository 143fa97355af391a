"""``softcost costs``: make a price list, or check one."""

import click

from softcost.cli.console import check_files


@click.group()
def costs() -> None:
    """Make a price list, or check one."""


@costs.command()
@click.argument("data")
@click.option("--target", required=True, metavar="COL", help="Column with the classes.")
@click.option(
    "-o",
    "--output",
    default="-",
    show_default=True,
    metavar="OUT.csv",
    help="Where it goes; - for standard output.",
)
@click.option(
    "--action",
    "actions",
    multiple=True,
    metavar="NAME",
    help='An answer that is no class, such as "ask a person"; may be repeated.',
)
@click.option("--json", "as_json", is_flag=True, help="Write strict JSON.")
def template(
    data: str, target: str, output: str, actions: tuple[str, ...], as_json: bool
) -> None:
    """Write a price list to fill in, with the classes of a table.

    A CSV table with true classes in rows and predicted ones in columns; every mistake
    costs 1 until you say otherwise. Comments tell how many rows each class has. An
    action is one more column, with a price for every true class.
    """
    check_files(data)
    from softcost.cli.costs._template import run_template

    run_template(data, target, output, actions, as_json)


@costs.command()
@click.argument("file")
@click.option("--data", metavar="DATA", help="Compare with the classes of a table.")
@click.option("--target", metavar="COL", help="Its column with the classes.")
@click.option("--json", "as_json", is_flag=True, help="Write strict JSON.")
def check(file: str, data: str | None, target: str | None, as_json: bool) -> None:
    """Say in words what a price list means, and what is odd about it."""
    check_files(file, data)
    from softcost.cli.costs._check import run_check

    run_check(file, data, target, as_json)

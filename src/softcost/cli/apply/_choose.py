"""``softcost choose``: another model of a trade-off, without training again."""

import click

from softcost.cli.console import check_files, read_recalls, read_tolerance


@click.command()
@click.argument("model")
@click.option(
    "--max-error",
    type=click.FloatRange(0, 1),
    metavar="RATE",
    help="The least cost with at most this error, such as 0.05.",
)
@click.option(
    "--min-recall",
    multiple=True,
    callback=read_recalls,
    metavar="CLASS=RATE",
    help="The least cost that finds this share of a class, such as fraud=0.9.",
)
@click.option(
    "--tolerance",
    callback=read_tolerance,
    metavar="FRACTION",
    help="The least error within this fraction (or 1se) of the least cost.",
)
@click.option("-o", "--output", required=True, metavar="OUT", help="The other model.")
@click.option("--json", "as_json", is_flag=True, help="Write strict JSON.")
def choose(
    model: str,
    max_error: float | None,
    min_recall: dict[str, float] | None,
    tolerance: float | str | None,
    output: str,
    as_json: bool,
) -> None:
    """Take another model of a trade-off, without training again.

    MODEL is a file that 'softcost fit --model' wrote with the models of its front
    (--keep front). Without an option it is the one that 'softcost fit' takes without
    limits. Exits with 3 where none is within the limits; the nearest is written all
    the same.
    """
    check_files(model)
    from softcost.cli.apply._choose_job import run

    run(model, max_error, min_recall, tolerance, output, as_json)

"""``softcost compare``: which of two models is cheaper, and whether that is chance."""

import click

from softcost.cli.console import check_files


@click.command()
@click.argument("first")
@click.argument("second")
@click.argument("data")
@click.option("--target", required=True, metavar="COL", help="Column with the classes.")
@click.option("--costs", metavar="FILE", help="Other prices than those of FIRST.")
@click.option(
    "--cost-columns",
    metavar="PREFIX",
    help="Prices by row, in columns called PREFIX and the name of a class.",
)
@click.option("--json", "as_json", is_flag=True, help="Write strict JSON.")
def compare(
    first: str,
    second: str,
    data: str,
    target: str,
    costs: str | None,
    cost_columns: str | None,
    as_json: bool,
) -> None:
    """Compare two models on rows whose classes are known.

    FIRST and SECOND are files that 'softcost fit --model' or softcost.save wrote, DATA
    is a table that neither was fitted to. Prints cost and error of both, and how much
    SECOND saves on the same rows, with intervals of 95 %.
    """
    check_files(first, second, data)
    from softcost.cli.apply._compare_job import run

    run(first, second, data, target, costs, cost_columns, as_json)

"""``softcost evaluate``: what a model costs on rows whose classes are known."""

import click

from softcost.cli.console import check_files


@click.command()
@click.argument("model")
@click.argument("data")
@click.option("--target", required=True, metavar="COL", help="Column with the classes.")
@click.option("--costs", metavar="FILE", help="Other prices than the model's own.")
@click.option(
    "--cost-columns",
    metavar="PREFIX",
    help="Prices by row, in columns called PREFIX and the name of a class.",
)
@click.option("--json", "as_json", is_flag=True, help="Write strict JSON.")
def evaluate(
    model: str,
    data: str,
    target: str,
    costs: str | None,
    cost_columns: str | None,
    as_json: bool,
) -> None:
    """Measure a model on rows whose classes are known.

    Prints cost, error, weighted error and G-mean, what the model saves against the
    best single answer, with an interval, the recall of every class, the confusion of
    true and predicted classes, and the mistakes that cost most.
    """
    check_files(model, data)
    from softcost.cli.apply._evaluate_job import run

    run(model, data, target, costs, cost_columns, as_json)

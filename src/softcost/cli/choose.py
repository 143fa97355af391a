"""``softcost choose``: another model of a trade-off, without training again."""

from typing import Any

import click

from softcost.cli.console import (
    BudgetMissed,
    check_files,
    failed_job,
    measure_cells,
    print_table,
    read_recalls,
    read_tolerance,
    stdout_console,
    write_json,
)
from softcost.formatting import format_params


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
    from softcost.workflow import choose_model

    with failed_job():
        result = choose_model(
            model,
            output,
            max_error=max_error,
            min_recall=min_recall,
            tolerance=tolerance,
        )
    before, chosen, guarantee = (
        result[name] for name in ("before", "chosen", "guarantee")
    )
    if as_json:
        write_json({"model": output, "before": before, "chosen": chosen})
    else:
        _print(before, chosen, output)
    if guarantee is not None and not guarantee["met"]:
        raise BudgetMissed(guarantee["missing"])


def _print(before: dict[str, Any], after: dict[str, Any], output: str) -> None:
    from softcost.metrics import reported_measures

    headlines = reported_measures(False, headline=True)
    measures = [measure for measure in headlines if measure.name in after]
    columns = [("", "left"), ("softness", "right"), ("parameters", "left")]
    columns += [(measure.heading, "right") for measure in measures]
    rows = []
    for name, one in (("before", before), ("chosen", after)):
        family = {"family": one["family"]} if "family" in one else {}
        rows.append(
            [
                name,
                f"{one['softness']:g}",
                format_params(family | one["params"]),
                *measure_cells(one, measures),
            ]
        )
    print_table(columns, rows)
    out = stdout_console()
    if before == after:
        out.print("This is the model that was chosen before.")
    out.print(f"model:  {output}", soft_wrap=True)

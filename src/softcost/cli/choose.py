"""``softcost choose``: another model of the trade-off, without training again."""

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
    say_note,
    stdout_console,
    write_json,
)
from softcost.formatting import format_model


@click.command()
@click.argument("model")
@click.option(
    "--candidate",
    type=click.IntRange(0),
    metavar="N",
    help="Choose the candidate with this number, as on the explorer page.",
)
@click.option(
    "--costs",
    metavar="FILE",
    help="Choose by another price list. Models that decide by probabilities use it.",
)
@click.option(
    "--max-error",
    type=click.FloatRange(0, 1),
    metavar="RATE",
    help="Choose the lowest cost with at most this error, e.g. 0.05.",
)
@click.option(
    "--min-recall",
    multiple=True,
    callback=read_recalls,
    metavar="CLASS=RATE",
    help="Choose the lowest cost that finds this share of a class, e.g. fraud=0.9.",
)
@click.option(
    "--tolerance",
    callback=read_tolerance,
    metavar="FRACTION",
    help="Choose the lowest error within this fraction (or 1se) of the lowest cost.",
)
@click.option(
    "-o", "--output", required=True, metavar="OUT", help="File for the chosen model."
)
@click.option("--json", "as_json", is_flag=True, help="Write strict JSON.")
def choose(model: str, output: str, as_json: bool, **options: Any) -> None:
    """Choose another model of the trade-off, without training again.

    MODEL is a file that 'softcost fit --model' wrote with the models of the Pareto
    front (--keep front). Without an option, softcost chooses as 'softcost fit' does
    without limits. If no model is within the limits, softcost writes the nearest one
    and exits with 3.
    """
    check_files(model, options["costs"])
    from softcost.workflow import choose_model

    with failed_job():
        result = choose_model(model, output, **options, tell=say_note)
    guarantee = result["guarantee"]
    if as_json:
        write_json(
            {"model": output, "before": result["before"], "chosen": result["chosen"]}
        )
    else:
        _print(model, options["costs"], result, output)
    if guarantee is not None and not guarantee["met"]:
        raise BudgetMissed(guarantee["missing"])


def _print(model: str, costs: str | None, result: dict[str, Any], output: str) -> None:
    from softcost.metrics import reported_measures

    before, after = result["before"], result["chosen"]
    headlines = reported_measures(False, headline=True)
    measures = [measure for measure in headlines if measure.name in after]
    columns = [("", "left"), ("candidate", "right"), ("model", "left")]
    columns += [(measure.heading, "right") for measure in measures]
    rows = [
        [
            name,
            str(facts["candidate"]),
            format_model(facts),
            *measure_cells(facts, measures),
        ]
        for name, facts in (("before", before), ("chosen", after))
    ]
    print_table(columns, rows)
    out = stdout_console()
    if before["candidate"] == after["candidate"]:
        out.print(f"This is the model that {model} already uses.")
    if costs is not None:
        out.print(f"Costs are those of {costs}, for predictions at the previous costs.")
        out.print(
            "The chosen model decides by probabilities and uses the new costs from now "
            "on. Measure it with 'softcost evaluate'."
            if result["redecides"]
            else "The chosen model was trained with the previous costs and predicts as "
            "before. Run 'softcost fit' to train it with the new ones."
        )
    out.print(f"model:  {output}", soft_wrap=True)

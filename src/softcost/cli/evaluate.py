"""``softcost evaluate``: what a model costs on rows whose classes are known."""

from typing import Any

import click

from softcost.cli.console import (
    check_files,
    failed_job,
    measure_cells,
    print_table,
    say_note,
    stdout_console,
    write_json,
)
from softcost.formatting import format_cost, format_rate

_MOST_CLASSES_SHOWN = 12


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
    from softcost.workflow import evaluate_model

    with failed_job():
        result = evaluate_model(
            model, data, target, costs=costs, cost_columns=cost_columns, tell=say_note
        )
    if as_json:
        write_json(result)
    else:
        _print_result(result)


def _print_result(result: dict[str, Any]) -> None:
    from softcost.metrics import reported_measures

    out = stdout_console()
    measures = reported_measures(bool(result["actions"]))
    columns = ["rows", *(measure.heading for measure in measures), "prices"]
    cells = [str(result["rows"]), *measure_cells(result, measures), result["prices"]]
    print_table([(name, "right") for name in columns], [cells])
    always = result["constant"]
    out.print(
        f"Always answering {always['label']} costs {format_cost(always['cost'])}, the "
        "least that a single answer can here.",
        soft_wrap=True,
    )
    for sentence in result["advice"]["sentences"]:
        out.print(sentence, soft_wrap=True)
    out.print()
    names, counts = result["classes"], result["confusion"]
    wide = len(names) > _MOST_CLASSES_SHOWN
    headings = [("true class", "left"), ("rows", "right"), ("recall", "right")]
    if not wide:
        answers = [*names, *result["actions"]]
        headings += [(f"→ {name}", "right") for name in answers]
    print_table(
        headings,
        [
            (
                name,
                str(sum(row)),
                format_rate(result["recall"][name]),
                *([] if wide else map(str, row)),
            )
            for name, row in zip(names, counts, strict=True)
        ],
    )
    out.print()
    if not result["most_expensive_mistakes"]:
        out.print("No mistake cost anything.")
        return
    total = result["cost"] * result["rows"]
    out.print("The mistakes that cost most:")
    for one in result["most_expensive_mistakes"]:
        part = f", {100 * one['cost'] / total:.0f} % of all" if total > 0 else ""
        out.print(
            f"  {one['times']} x predicted {one['predicted']} for a true "
            f"{one['true']}: {one['cost']:.4g}{part}",
            soft_wrap=True,
        )

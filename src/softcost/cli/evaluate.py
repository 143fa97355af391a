"""``softcost evaluate``: the cost of a model on rows whose classes are known."""

from typing import Any

import click

from softcost.cli.console import (
    check_files,
    decimal_option,
    failed_job,
    measure_cells,
    print_table,
    say,
    say_note,
    stdout_console,
    table_options,
    write_json,
)
from softcost.formatting import format_cost, format_rate

_MOST_CLASSES_SHOWN = 12


@click.command()
@click.argument("model")
@click.argument("data")
@click.option("--target", required=True, metavar="COL", help="Column with the classes.")
@click.option(
    "--costs", metavar="FILE", help="Price list to use instead of the model's costs."
)
@click.option(
    "--cost-columns",
    metavar="PREFIX",
    help="Costs by row, in columns named PREFIX followed by a class.",
)
@click.option(
    "--cost",
    multiple=True,
    metavar="FORMULA",
    help="Decide and measure by other costs by row, e.g. 'fn = amount'. Repeatable.",
)
@click.option(
    "--positive",
    metavar="CLASS",
    help="Positive class of tn, fp, fn and tp [default: the rarer class].",
)
@click.option(
    "--answers",
    multiple=True,
    metavar="COL",
    help="Compare with another system's answers in this column, e.g. the current "
    "process. Repeatable.",
)
@table_options(labels=True)
@decimal_option
@click.option("--json", "as_json", is_flag=True, help="Write strict JSON.")
def evaluate(
    model: str,
    data: str,
    target: str,
    costs: str | None,
    cost_columns: str | None,
    cost: tuple[str, ...],
    positive: str | None,
    answers: tuple[str, ...],
    as_json: bool,
    **reading: Any,
) -> None:
    """Measure a model on rows whose classes are known.

    Prints cost, error, weighted error and G-mean, the saving over the best constant
    answer with a confidence interval, the recall of every class, the confusion matrix,
    and the most expensive mistakes. --answers adds another system, such as your
    current process, to the comparison.
    """
    check_files(model, data)
    from softcost.workflow import evaluate_model

    with failed_job():
        result = evaluate_model(
            model,
            data,
            target,
            costs=costs,
            cost_columns=cost_columns,
            cost=cost,
            positive=positive,
            answers=answers,
            tell=say_note,
            **reading,
        )
    for sentence in result["warnings"]:
        say(f"warning: {sentence}")
    if as_json:
        write_json(result)
    else:
        _print_result(result)


def _is_sure(saving: dict[str, Any]) -> bool:
    """Whether the interval of a saving, or of an extra cost, does not include 0."""
    return saving["shown"] or (saving["high"] is not None and saving["high"] < 0)


def _print_result(result: dict[str, Any]) -> None:
    from softcost.metrics import reported_measures
    from softcost.report import saving_words

    out = stdout_console()
    measures = reported_measures(bool(result["actions"]))
    out.print(f"{result['rows']} rows, prices {result['prices']}")
    systems = [result | {"name": "model"}, *result["others"]]
    cells = [measure_cells(system, measures) for system in systems]
    print_table(  # measures in rows: a narrow terminal has no room for all in columns
        [("", "left"), *((system["name"], "right") for system in systems)],
        zip([measure.heading for measure in measures], *cells, strict=True),
    )
    always = result["constant"]
    out.print(
        f"Always answering {always['label']} costs {format_cost(always['cost'])}; no "
        "other constant answer costs less on these rows.",
        soft_wrap=True,
    )
    for sentence in result["advice"]["sentences"]:
        out.print(sentence, soft_wrap=True)
    for system in result["others"]:
        chance = "" if _is_sure(system["saving"]) else " This may be chance."
        out.print(
            f"Compared with {system['name']}, the model "
            f"{saving_words(system['saving'])}.{chance}",
            soft_wrap=True,
        )
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
        out.print("There was no mistake that costs anything.")
        return
    total = result["cost"] * result["rows"]
    out.print("Most expensive mistakes:")
    for mistake in result["most_expensive_mistakes"]:
        part = f", {100 * mistake['cost'] / total:.0f}% of all" if total > 0 else ""
        out.print(
            f"  {mistake['times']} x predicted {mistake['predicted']} for a true "
            f"{mistake['true']}: {mistake['cost']:.4g}{part}",
            soft_wrap=True,
        )

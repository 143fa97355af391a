"""``softcost explain``: importance of columns, and reasons for one prediction."""

from typing import Any

import click

from softcost.cli.console import (
    BadInput,
    check_files,
    decimal_option,
    failed_job,
    print_importance,
    print_table,
    say_note,
    stdout_console,
    table_options,
    write_json,
)
from softcost.formatting import format_cost


@click.command()
@click.argument("model")
@click.argument("data")
@click.option("--target", metavar="COL", help="Column with the classes.")
@click.option(
    "--row",
    type=click.IntRange(1),
    metavar="N",
    help="Explain the prediction for this row; 1 is the first below the header.",
)
@click.option(
    "--costs", metavar="FILE", help="Price list to use instead of the model's costs."
)
@click.option(
    "--cost-columns",
    metavar="PREFIX",
    help="Costs by row, in columns named PREFIX followed by a class.",
)
@click.option(
    "--rows",
    type=click.IntRange(2),
    help="Rows to measure on, drawn at random if DATA has more [default: 2000, or 200 "
    "with --row].",
)
@click.option(
    "--repeats",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    help="Shuffles of each column.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**32 - 1),
    default=0,
    show_default=True,
    help="Random seed.",
)
@table_options(labels=True)
@decimal_option
@click.option("--json", "as_json", is_flag=True, help="Write strict JSON.")
def explain(
    model: str,
    data: str,
    target: str | None,
    row: int | None,
    costs: str | None,
    cost_columns: str | None,
    rows: int | None,
    repeats: int,
    seed: int,
    as_json: bool,
    skip_unlabelled: bool,
    **reading: Any,
) -> None:
    """Show how much each column saves, or explain one prediction.

    With --target, softcost shuffles the values of a column among the rows and measures
    how much more the predictions cost, in the units of the prices. Use rows that the
    model was not trained on. Columns with the same information replace each other, so
    each of them alone saves little.

    With --row, softcost explains the prediction for one row: which columns speak for
    it, and how often it would change with the values of other rows.
    """
    check_files(model, data)
    from softcost.workflow import explain_model, explain_row

    if (target is None) == (row is None):
        raise BadInput(
            "give --target COL for the importance of columns, or --row N to explain "
            "one prediction."
        )
    with failed_job():
        if row is not None:
            facts = explain_row(
                model, data, row, rows=rows or 200, seed=seed, tell=say_note, **reading
            )
        else:
            facts = explain_model(
                model,
                data,
                str(target),
                costs=costs,
                cost_columns=cost_columns,
                rows=rows or 2_000,
                repeats=repeats,
                seed=seed,
                skip_unlabelled=skip_unlabelled,
                tell=say_note,
                **reading,
            )
    currency = facts.pop("currency")
    if as_json:
        write_json(facts)
    elif row is not None:
        _print_row(facts, currency)
    else:
        print_importance(facts, currency, None)


def _print_row(facts: dict[str, Any], currency: str) -> None:
    out = stdout_console()
    unit = f", {currency}" if currency else ""
    out.print(
        f"Row {facts['row']} of {facts['data']}: {facts['prediction']}", soft_wrap=True
    )
    if facts["answers"] is not None:
        ranked = sorted(facts["answers"].items(), key=lambda item: item[1])
        print_table(
            [("answer", "left"), (f"expected cost{unit}", "right")],
            [(name, format_cost(cost)) for name, cost in ranked],
        )
        out.print()
    headings = [("column", "left"), ("value", "left")]
    headings += [(f"support{unit}", "right")] * (facts["lead"] is not None)
    print_table(
        [*headings, ("prediction changes", "right"), ("to", "left")],
        [
            (
                column["column"],
                column["value"],
                *([] if column["support"] is None else [f"{column['support']:+.4g}"]),
                _share(column["changes"]),
                column["instead"] or "",
            )
            for column in facts["columns"]
        ],
    )
    out.print(
        f"The value of each column is replaced by the values of {facts['rows']} other "
        "rows. Support is the decrease of the prediction's lead over the next best "
        "answer.",
        soft_wrap=True,
    )


def _share(value: float) -> str:
    """A share in percent; a small one does not look like none."""
    return "<1%" if 0 < value < 0.005 else f"{100 * value:.0f}%"

"""``softcost explain``: what each column is worth to a model."""

from typing import Any

import click

from softcost.cli.console import (
    check_files,
    decimal_option,
    failed_job,
    print_importance,
    say_note,
    table_options,
    write_json,
)


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
@click.option(
    "--rows",
    type=click.IntRange(2),
    default=2_000,
    show_default=True,
    help="Measure on so many rows, drawn at random where DATA has more.",
)
@click.option(
    "--repeats",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    help="How often each column is shuffled.",
)
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True)
@table_options(labels=True)
@decimal_option
@click.option("--json", "as_json", is_flag=True, help="Write strict JSON.")
def explain(
    model: str,
    data: str,
    target: str,
    costs: str | None,
    cost_columns: str | None,
    rows: int,
    repeats: int,
    seed: int,
    as_json: bool,
    **reading: Any,
) -> None:
    """Tell what each column saves, in the units of the prices.

    The values of one column are shuffled among the rows, and it is measured how much
    more the model's answers cost then. DATA has the columns of the training and the
    target; take rows that the model was not trained on. Columns that say the same stand
    in for each other, so that each alone saves little.
    """
    check_files(model, data)
    from softcost.workflow import explain_model

    with failed_job():
        facts = explain_model(
            model,
            data,
            target,
            costs=costs,
            cost_columns=cost_columns,
            rows=rows,
            repeats=repeats,
            seed=seed,
            tell=say_note,
            **reading,
        )
    currency = facts.pop("currency")
    if as_json:
        write_json(facts)
    else:
        print_importance(facts, currency, None)

"""``softcost compare``: which of two models is cheaper, and whether that is chance."""

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


@click.command()
@click.argument("first")
@click.argument("second")
@click.argument("data")
@click.option("--target", required=True, metavar="COL", help="Column with the classes.")
@click.option(
    "--costs", metavar="FILE", help="Price list to use instead of the costs of FIRST."
)
@click.option(
    "--cost-columns",
    metavar="PREFIX",
    help="Costs by row, in columns named PREFIX followed by a class.",
)
@table_options(labels=True)
@decimal_option
@click.option("--json", "as_json", is_flag=True, help="Write strict JSON.")
def compare(
    first: str,
    second: str,
    data: str,
    target: str,
    costs: str | None,
    cost_columns: str | None,
    as_json: bool,
    **reading: Any,
) -> None:
    """Compare two models on rows whose classes are known.

    FIRST and SECOND are files that 'softcost fit --model' or softcost.save wrote. DATA
    is a table that neither was fitted to. Prints the cost and error of both, and the
    saving of SECOND on the same rows, with 95% intervals.
    """
    check_files(first, second, data)
    from softcost.workflow import compare_models

    with failed_job():
        result = compare_models(
            first,
            second,
            data,
            target,
            costs=costs,
            cost_columns=cost_columns,
            tell=say_note,
            **reading,
        )
    for sentence in result["warnings"]:
        say(f"warning: {sentence}")
    if as_json:
        write_json(result)
    else:
        _print_result(result)


def _print_result(result: dict[str, Any]) -> None:
    from softcost.metrics import reported_measures

    measures = reported_measures(False, headline=True)
    print_table(
        [("", "left"), *((measure.heading, "right") for measure in measures)],
        [
            (model["model"], *measure_cells(model, measures))
            for model in result["models"]
        ],
    )
    out = stdout_console()
    out.print(
        f"{result['rows']} rows, {result['different_answers']} of them answered "
        f"differently; prices {result['prices']}.",
        soft_wrap=True,
    )
    first, second = (model["model"] for model in result["models"])
    for sentence in _sentences(first, second, result):
        out.print(sentence, soft_wrap=True)


def _sentences(first: str, second: str, result: dict[str, Any]) -> list[str]:
    from softcost.report import saving_words

    cost, error = result["cost_saving"], result["error_saving"]
    saved = f"{second} {saving_words(cost)}."
    if cost["shown"]:
        words = f"{second} is cheaper than {first}: {saved}"
    elif cost["high"] is not None and cost["high"] < 0:
        words = f"{second} is more expensive than {first}: {saved}"
    else:
        words = f"Neither is shown to be cheaper: {saved}"
    return [words, f"It makes {_errors(error)} in 100 rows."]


def _errors(facts: dict[str, Any]) -> str:
    """How many fewer, or more."""
    fewer, low, high = (facts[name] for name in ("saving", "low", "high"))
    word = "fewer" if fewer >= 0 else "more"
    sign = 100 if fewer >= 0 else -100
    text = f"{sign * fewer:.4g} {word} errors"
    if low is None or high is None:
        return text
    ends = sorted((sign * low, sign * high))
    return f"{text} (95% CI {ends[0]:.4g} to {ends[1]:.4g})"

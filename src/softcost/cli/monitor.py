"""``softcost monitor``: is a model in use still as good as expected?"""

from typing import Any

import click

from softcost.cli.console import (
    AlarmRaised,
    check_files,
    decimal_option,
    failed_job,
    format_interval,
    print_table,
    say,
    say_note,
    stdout_console,
    table_options,
    write_json,
)
from softcost.formatting import format_cost

_MOST_COLUMNS = 5


@click.command()
@click.argument("model")
@click.argument("log")
@click.option("--date", required=True, metavar="COL", help="Column with the dates.")
@click.option(
    "--truth",
    required=True,
    metavar="COL",
    help="Column with the true classes; empty where not known yet.",
)
@click.option(
    "--answer",
    metavar="COL",
    help="Column with the answers given [default: the model's predictions].",
)
@click.option(
    "--every",
    type=click.Choice(["day", "week", "month", "quarter", "year"]),
    default="month",
    show_default=True,
    help="Length of a period.",
)
@click.option(
    "--since",
    metavar="DATE",
    help="Leave out rows before this date, e.g. when you last refitted: 2026-01-31.",
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
    "--max-cost",
    type=float,
    metavar="COST",
    help="Largest mean cost that is in order [default: upper end of the cost that "
    "'softcost fit' expected].",
)
@click.option(
    "--false-alarms",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Probability of ever raising an alarm if nothing has changed.",
)
@click.option("--report", metavar="OUT.html", help="Write a page.")
@table_options()
@decimal_option
@click.option("--json", "as_json", is_flag=True, help="Write strict JSON.")
def monitor(
    model: str,
    log: str,
    date: str,
    truth: str,
    as_json: bool,
    report: str | None,
    **options: Any,
) -> None:
    """Compare the cost of a model in use with its expected cost.

    LOG is a table with a row for each decision: its date, the answer that was given,
    and the true class once it is known. If LOG also has the model's columns, softcost
    monitors their drift and shows the costs that the model expected.

    softcost raises an alarm, and ends with exit code 4, if the mean cost is above the
    limit, or if the mix of classes or the values of a column have changed. You may
    monitor a growing log as often as you like: if nothing has changed, the probability
    of ever raising an alarm stays below --false-alarms.
    """
    check_files(model, log)
    from softcost.workflow import monitor_model

    with failed_job():
        result = monitor_model(
            model, log, date, truth, report=report, tell=say_note, **options
        )
    for sentence in result["warnings"]:
        say(f"warning: {sentence}")
    if as_json:
        write_json(result)
    else:
        _print_result(result)
        if report is not None:
            stdout_console().print(f"report: {report}", soft_wrap=True)
    if result["alarms"]:
        names = dict.fromkeys(alarm["test"] for alarm in result["alarms"])
        raise AlarmRaised(
            f"alarm ({', '.join(names)}). Refit the model with recent rows, or check "
            "the log. Once you have acted, pass --since DATE to start over."
        )


def _print_result(result: dict[str, Any]) -> None:
    out = stdout_console()
    out.print(
        f"{result['rows']} rows from {result['first']} to {result['last']}, "
        f"{result['labelled']} with a known class; prices {result['prices']}",
        soft_wrap=True,
    )
    _print_periods(result)
    limit = result["limit"]
    source = ""
    if limit["source"] == "training":
        source = (
            ", the upper end of the 95% interval of the expected cost, "
            f"{format_cost(limit['expected'])}"
        )
    out.print(f"Limit: {format_cost(limit['cost'])}{source}.", soft_wrap=True)
    _print_columns(result)
    for alarm in result["alarms"]:
        out.print(f"ALARM in {alarm['period']}: {alarm['sentence']}", soft_wrap=True)
    if not result["alarms"]:
        out.print(f"No alarm ({', '.join(result['tested'])}).", soft_wrap=True)


def _print_periods(result: dict[str, Any]) -> None:
    unit = f", {result['currency']}" if result["currency"] else ""
    periods = [*result["periods"], result["total"] | {"period": "all"}]
    columns = [("period", "left"), ("rows", "right")]
    some_unlabelled = result["labelled"] < result["rows"]
    columns += [("labelled", "right")] * some_unlabelled
    columns += [(f"cost{unit}", "right"), ("95% CI", "right")]
    has_expected = result["total"]["expected"] is not None
    columns += [("expected", "right")] * has_expected
    rows = []
    for facts in periods:
        cells = [facts["period"], str(facts["rows"])]
        cells += [str(facts["labelled"])] * some_unlabelled
        cells += [_cost(facts["cost"]), format_interval(facts["low"], facts["high"])]
        rows.append([*cells, *[_cost(facts["expected"])] * has_expected])
    print_table(columns, rows)


def _print_columns(result: dict[str, Any]) -> None:
    """The columns that changed most, and the mix of classes."""
    tested = result["columns"][:_MOST_COLUMNS]
    if result["classes"] is not None:
        tested = [{"column": "(classes)"} | result["classes"], *tested]
    if not tested:
        return
    rows = []
    for facts in tested:
        most = facts["most_changed"]
        words = ""
        if most is not None:
            words = (
                f"{most['value']}: {100 * most['now']:.0f}% of rows, "
                f"{100 * most['before']:.0f}% in training"
            )
        shift = "-" if facts["shift"] is None else f"{100 * facts['shift']:.0f}%"
        rows.append([facts["column"], shift, words])
    print_table([("column", "left"), ("shift", "right"), ("largest change", "left")],
                rows)  # fmt: skip


def _cost(value: float | None) -> str:
    return "-" if value is None else format_cost(value)

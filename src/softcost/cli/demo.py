"""``softcost demo``: the main job on bundled data, in seconds."""

import os
from typing import Any

import click

from softcost.cli.console import (
    bad_input,
    failed_job,
    print_table,
    show_progress,
    stdout_console,
    write_json,
)
from softcost.files import check_output
from softcost.formatting import format_cost, format_rate, format_saving

COLUMNS = ("loss per cheque", "misread", "G-mean", "vs regular")
STORY = (
    "A bank's scanner reads amounts on cheques, one digit each. A euro paid too much "
    "is lost; a euro paid too little costs ten cents, since the customer calls and is "
    "paid the rest. Learn from {training_rows} digits, read {n_test} others; "
    "{splits} random splits (mean ± standard error)."
)


@click.command()
@click.option(
    "-o",
    "--output",
    default="softcost-demo.html",
    show_default=True,
    metavar="OUT.html",
    help="Where the explorer page goes.",
)
@click.option("--seed", type=click.IntRange(0, 2**31), default=0, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Write strict JSON.")
@click.option("--quiet", is_flag=True, help="No progress.")
def demo(output: str, seed: int, as_json: bool, quiet: bool) -> None:
    """Show the main job on bundled data, in seconds.

    A bank reads amounts on cheques: scikit-learn's digits. What is paid too much is
    lost; what is paid too little costs a tenth, since the customer calls and is paid
    the rest. Trains without prices (regular), on the prices alone (hard) and on both
    (soft), and measures them on digits that none of them has seen.
    """
    with bad_input():
        check_output(output)
    import pandas as pd

    from softcost.workflow.cheque_demo import (
        SPLITS,
        TRAINING_ROWS,
        cheque_splits,
    )

    with failed_job(), show_progress("training", quiet, searches=SPLITS):
        search, n_test, summary, measures = cheque_splits(seed)
    verdict = _verdict(summary, SPLITS)
    with failed_job():
        search.to_html(
            output,
            title="Amounts on cheques",
            currency="€",
            test=pd.DataFrame(summary).T[measures],
            test_note=f"Means of {SPLITS} random splits, each with {n_test} digits "
            "that took no part. The models above are those of the first.",
            advice={"verdict": _word(summary), "sentences": [verdict]},
        )
    if as_json:
        write_json(
            {
                "training_rows": TRAINING_ROWS,
                "test_rows": n_test,
                "splits": SPLITS,
                "models": summary,
                "page": os.path.abspath(output),
            }
        )
        return
    out = stdout_console()
    story = {"training_rows": TRAINING_ROWS, "n_test": n_test, "splits": SPLITS}
    out.print(STORY.format(**story))
    out.print()
    _print_summary(summary)
    out.print()
    out.print(verdict)
    out.print(f"Choose on the trade-off yourself: open {output}", soft_wrap=True)


def _print_summary(summary: dict[str, dict[str, Any]]) -> None:
    print_table(
        [("", "left"), *((name, "right") for name in COLUMNS)],
        [
            (
                name,
                f"{format_cost(own['cost'], own['cost_se'])} €",
                format_rate(own["error"], own["error_se"]),
                format_cost(own["g_mean"], own["g_mean_se"]),
                "" if name == "regular" else format_saving(own["saving_percent"]),
            )
            for name, own in summary.items()
        ],
    )


def _verdict(summary: dict[str, dict[str, Any]], splits: int) -> str:
    """What happened, whichever way it went."""
    soft, regular, hard = (summary[name] for name in ("soft", "regular", "hard"))
    words = (
        f"Soft was cheaper than regular on {soft['cheaper_than_regular']} of {splits} "
        f"splits, hard on {hard['cheaper_than_regular']}. "
    )
    if soft["cost"] >= min(regular["cost"], hard["cost"]):
        return words + "Here the prices do not pay: keep the regular model."
    facts = soft["saving"]
    return words + (
        f"Soft costs least: it saves {facts['saving_percent']:.0f} % of what regular "
        f"costs (95 % interval {facts['low_percent']:.0f} to "
        f"{facts['high_percent']:.0f} %, over the splits), and misreads "
        f"{format_rate(soft['error'])} where regular misreads "
        f"{format_rate(regular['error'])}, but on the cheap side."
    )


def _word(summary: dict[str, dict[str, Any]]) -> str:
    """The verdict in the words of `softcost.report.advice`."""
    facts = summary["soft"]["saving"]
    if facts["shown"]:
        return "better"
    return "not shown to be better" if facts["saving"] > 0 else "not better"

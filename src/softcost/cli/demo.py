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

COLUMNS = ("loss per digit", "misread", "vs regular")
STORY = (
    "A bank's scanner reads amounts on cheques, digit by digit. A euro paid too much "
    "is lost. A euro paid too little costs ten cents, because the customer calls and "
    "gets the rest. Trained on {training_rows} digits, tested on {n_test} others; mean "
    "± standard error of {splits} random splits."
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

    A bank reads amounts on cheques: scikit-learn's digits. A euro paid too much is
    lost; a euro paid too little costs ten cents, because the customer calls and gets
    the rest. Fits the default model and compares it, on held-out digits, with the
    regular model, which predicts the most probable digit.
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
            test_note=f"Means of {SPLITS} random splits with {n_test} held-out digits "
            "each. The models above are those of the split with the median saving.",
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
    out.print(f"Open {output} to explore the trade-off.", soft_wrap=True)


def _print_summary(summary: dict[str, dict[str, Any]]) -> None:
    print_table(
        [("", "left"), *((name, "right") for name in COLUMNS)],
        [
            (
                name,
                f"{format_cost(facts['cost'], facts['cost_se'])} €",
                format_rate(facts["error"], facts["error_se"]),
                "" if name == "regular" else format_saving(facts["saving_percent"]),
            )
            for name, facts in summary.items()
        ],
    )


def _verdict(summary: dict[str, dict[str, Any]], splits: int) -> str:
    """The result in words, whichever way it went."""
    chosen, regular = summary["softcost"], summary["regular"]
    wins = (
        "softcost is cheaper than the regular model on "
        f"{chosen['cheaper_than_regular']} of {splits} splits. "
    )
    if chosen["cost"] >= regular["cost"]:
        return wins + "On average it is not: keep the regular model."
    facts = chosen["saving"]
    return wins + (
        f"It saves {facts['saving_percent']:.0f}% of the loss (95% CI over the splits: "
        f"{facts['low_percent']:.0f} to {facts['high_percent']:.0f}%). It "
        f"misreads {format_rate(chosen['error'])} instead of "
        f"{format_rate(regular['error'])}, but its mistakes are the cheap ones: it "
        "reads a doubtful digit as the smaller one."
    )

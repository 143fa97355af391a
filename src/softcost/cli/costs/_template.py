"""The work behind ``softcost costs template``."""

import csv
import io

import click

from softcost.cli.console import BadInput, bad_input, failed_job, say_note, write_json
from softcost.cli.costs._classes import class_counts
from softcost.files import STREAM, atomic_write, check_output

CORNER = "true \\ predicted"


ACTION_PRICE = 0.25  # less than a guess between two classes


def run_template(
    data: str, target: str, output: str, actions: tuple[str, ...], as_json: bool
) -> None:
    """Write a matrix of ones, and a column for each action."""
    if as_json and output != STREAM:
        raise BadInput("--json goes to standard output; leave out -o.")
    with bad_input():
        if output != STREAM:
            if not output.lower().endswith(".csv"):
                raise ValueError(f"{output} must end with .csv; the template is a CSV.")
            check_output(output, reads=[data])
        counts = class_counts(data, target, say_note)
        check_actions(actions, counts)
    text = template_text(counts, actions)
    if as_json:
        matrix = {
            true: {name: float(name != true) for name in counts}
            | dict.fromkeys(actions, ACTION_PRICE)
            for true in counts
        }
        write_json({"class_counts": counts, "actions": actions, "costs": matrix})
    elif output == STREAM:
        click.echo(text, nl=False)
    else:
        with failed_job(), atomic_write(output, reads=[data]) as place:
            place.write_text(text, encoding="utf-8", newline="")


def check_actions(actions: tuple[str, ...], counts: dict[str, int]) -> None:
    """Refuse names that a price list cannot have."""
    for name in actions:
        if not name.strip() or name != name.strip():
            raise ValueError(
                f"--action {name!r} has no name, or spaces around it; write a name."
            )
        if name in counts:
            raise ValueError(
                f"--action {name!r} is a class of the table; classes have columns "
                "already."
            )
        if actions.count(name) > 1:
            raise ValueError(f"--action {name!r} is given twice; give it once.")


def template_text(counts: dict[str, int], actions: tuple[str, ...] = ()) -> str:
    """The template as CSV, with comments before the header."""
    names = list(counts)
    first, second = names[0], names[1]
    lines = [
        "# What each mistake costs. Rows are true classes, columns predicted ones:",
        f"# the number in row {_line(first)}, column {_line(second)} is the price of "
        f"predicting {_line(second)} for a true {_line(first)}.",
        *(
            f"# Column {_line(name)}: the price of that answer, by true class."
            for name in actions
        ),
        "# Rows of each class in the data:",
        *(f"#   {_line(name)}: {count}" for name, count in counts.items()),
    ]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([CORNER, *names, *actions])
    for true in names:
        prices = [int(name != true) for name in names]
        writer.writerow([true, *prices, *(ACTION_PRICE for _ in actions)])
    return "\n".join(lines) + "\n" + out.getvalue()


def _line(name: str) -> str:
    return " ".join(name.split())

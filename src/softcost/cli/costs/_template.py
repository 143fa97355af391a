"""The work behind ``softcost costs template``."""

import csv
import io

import click

from softcost.cli.console import (
    STREAM,
    BadInput,
    bad_input,
    failed_job,
    say_note,
    write_json,
)
from softcost.cli.costs._classes import class_counts
from softcost.files import atomic_write, check_output

CORNER = "true \\ predicted"


def run_template(data: str, target: str, output: str, as_json: bool) -> None:
    """Write a matrix of ones."""
    if as_json and output != STREAM:
        raise BadInput("--json goes to standard output; leave out -o.")
    with bad_input():
        if output != STREAM:
            if not output.lower().endswith(".csv"):
                raise ValueError(f"{output} must end with .csv; the template is a CSV.")
            check_output(output, reads=[data])
        counts = class_counts(data, target, say_note)
    if as_json:
        matrix = {
            true: {name: float(name != true) for name in counts} for true in counts
        }
        write_json({"class_counts": counts, "costs": matrix})
    elif output == STREAM:
        click.echo(template_text(counts), nl=False)
    else:
        with failed_job(), atomic_write(output, reads=[data]) as place:
            place.write_text(template_text(counts), encoding="utf-8", newline="")


def template_text(counts: dict[str, int]) -> str:
    """The template as CSV, with comments before the header."""
    names = list(counts)
    first, second = names[0], names[1]
    lines = [
        "# What each mistake costs. Rows are true classes, columns predicted ones:",
        f"# the number in row {_line(first)}, column {_line(second)} is the price of "
        f"predicting {_line(second)} for a true {_line(first)}.",
        "# Rows of each class in the data:",
        *(f"#   {_line(name)}: {count}" for name, count in counts.items()),
    ]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([CORNER, *names])
    for true in names:
        writer.writerow([true, *(int(name != true) for name in names)])
    return "\n".join(lines) + "\n" + out.getvalue()


def _line(name: str) -> str:
    return " ".join(name.split())

"""What the command line says of columns, and what is told of them before training."""

from collections.abc import Sequence
from typing import cast

import pandas as pd

from softcost.cli.console import print_table, say, say_note
from softcost.cli.train._job import Job
from softcost.tables import Asked, Order, Surveyed, named_columns

_ORDERS = ("dmy", "mdy", "ymd")
_MOST_SHOWN = 40  # columns; of more, only those with something to say


def what_was_asked(job: Job, raw: pd.DataFrame) -> Asked:
    """The options on columns, by column."""
    names = {
        option: named_columns(raw, texts, f"--{option}", job.data)
        for option, texts in (("nominal", job.nominal), ("number", job.number))
    }
    dates: dict[str, Order | None] = {}
    for text in job.date:
        order: Order | None = None
        before, equals, last = text.rpartition("=")
        if equals and last in _ORDERS and text not in raw.columns:
            text, order = before, cast(Order, last)
        dates |= dict.fromkeys(named_columns(raw, [text], "--date", job.data), order)
    _check_once(names | {"date": list(dates)}, job.target)
    return Asked(
        nominal=frozenset(names["nominal"]),
        number=frozenset(names["number"]),
        dates=dates,
        decimal=job.decimal,
        tokens=frozenset(
            part.strip() for text in job.missing for part in text.split(",")
        ),
    )


def _check_once(names: dict[str, list[str]], target: str) -> None:
    said: dict[str, str] = {target: "target"}
    for option, own in names.items():
        for name in own:
            if name in said:
                raise ValueError(
                    f"--{option} {name!r} is also given to --{said[name]}; say one of "
                    "them."
                )
            said[name] = option


def tell_columns(job: Job, columns: Sequence[Surveyed], notes: Sequence[str]) -> None:
    """Print how every column was read, on standard error."""
    for sentence in notes:
        say_note(sentence)
    shown = columns
    if len(columns) > _MOST_SHOWN:
        shown = [one for one in columns if one.left_out or one.remarks]
    if shown:
        headings = ("column", "read as", "missing", "examples", "remarks")
        print_table(
            [(one, "right" if one == "missing" else "left") for one in headings],
            [
                (
                    one.name,
                    "left out"
                    if one.left_out
                    else one.kind.replace("nominal", "words"),
                    str(one.missing or ""),
                    "; ".join(one.examples),
                    one.left_out or "; ".join(one.remarks),
                )
                for one in shown
            ],
            to_stderr=True,
        )
    rest = len(columns) - len(shown)
    if rest:
        say(f"{rest} more columns are read without a remark.")
    if any(one.left_out for one in columns):
        say(
            "columns that were left out can be kept by saying what they hold, with "
            "--number, --nominal or --date."
        )

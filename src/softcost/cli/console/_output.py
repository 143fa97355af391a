"""Results on standard output: a table for people, strict JSON for programs."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from softcost.cli.console._formatting import visible

if TYPE_CHECKING:
    from rich.console import Console

PIPED_WIDTH = 160


def write_json(value: Any) -> None:
    """Write one strict JSON document; NaN and infinity are refused.

    Characters that could steer a terminal are escaped, as JSON allows; letters are not.

    Examples
    --------
    >>> from softcost.cli.console import write_json
    >>> write_json({"rows": 150})
    {
      "rows": 150
    }
    """
    text = json.dumps(value, indent=2, allow_nan=False, ensure_ascii=False)
    click.echo(re.sub(r"[^ -~\n]", _escaped, text))


def _escaped(found: re.Match[str]) -> str:
    """A character of a JSON text, escaped unless it can be seen."""
    one = found[0]
    return (
        one if one.isprintable() else json.dumps(one)[1:-1].replace("\x7f", "\\u007f")
    )


def stdout_console(to_stderr: bool = False) -> "Console":
    """A console for results, without colour codes where it is no terminal."""
    from rich.console import Console

    class Terminal(Console):
        """Texts of users cannot steer it."""

        def print(self, *objects: Any, **options: Any) -> None:
            shown = (visible(one) if isinstance(one, str) else one for one in objects)
            super().print(*shown, **options)

    terminal = Terminal(markup=False, highlight=False, emoji=False, stderr=to_stderr)
    if not terminal.is_terminal:
        terminal.width = max(terminal.width, PIPED_WIDTH)
    return terminal


def print_table(
    columns: Sequence[tuple[str, str]],
    rows: Iterable[Sequence[str]],
    styles: Iterable[str] | None = None,
    to_stderr: bool = False,
) -> None:
    """Print a table.

    Parameters
    ----------
    columns : sequence of (heading, justify)
        Headings, each with "left" or "right".
    rows : iterable of sequences of str
        One sequence per row, shown as it is.
    styles : iterable of str, default=None
        A style for each row, on a terminal.
    to_stderr : bool, default=False
        For what goes along with the results.
    """
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for heading, justify in columns:
        table.add_column(
            visible(heading),
            justify="right" if justify == "right" else "left",
            overflow="fold",
        )
    rows = list(rows)
    for row, style in zip(rows, styles or [""] * len(rows), strict=True):
        table.add_row(*map(visible, row), style=style or None)
    stdout_console(to_stderr).print(table)

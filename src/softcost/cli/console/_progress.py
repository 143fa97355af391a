"""Progress with the time that is left, on standard error."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from softcost.cli.console._errors import say

if TYPE_CHECKING:
    from pandas import DataFrame

_SECONDS_BETWEEN_LINES = 5.0
_SILENT_AT_FIRST = 2.0
_SHARE_AT_FIRST = 0.05  # of the work, before which nobody knows how long it takes

Show = Callable[[float], None]


@contextmanager
def show_progress(what: str, quiet: bool, searches: int = 1) -> Iterator[None]:
    """Show how far searches inside the block are: a bar, or lines now and then.

    Where families are chosen by the table, it is said which, before they are tried.

    Nothing is shown of work that takes less than two seconds where standard error is
    no terminal.
    """
    if quiet:
        yield
        return
    from softcost.soft import progress_to

    def estimate(seconds: float) -> None:
        say(f"{what}: about {seconds:.0f} s to go, by samples of the rows.")

    told: dict[str, Any] = {"portfolio": _tell_portfolio, "estimate": estimate}
    if sys.stderr.isatty():
        with _bar(what) as show, progress_to(_joined(show, searches), **told):
            yield
    else:
        with progress_to(_joined(_lines(what), searches), **told):
            yield


def _tell_portfolio(table: "DataFrame") -> None:
    """Say at once which families suit the table, and which do not, and why."""
    used = table["used"]
    say(f"trying what suits this table: {', '.join(table['family'][used])}.")
    for why, names in table[~used].groupby("why", sort=False)["family"]:
        say(f"not {', '.join(names)}: {why}.")


def _joined(show: Show, searches: int) -> Callable[[int, int], None]:
    """Several searches, one after the other, as one share of the work."""
    over, before = [0], [0]

    def listener(done: int, total: int) -> None:
        if done < before[0]:
            over[0] += 1
        before[0] = done
        show(min((over[0] + done / max(total, 1)) / searches, 1.0))

    return listener


@contextmanager
def _bar(what: str) -> Iterator[Show]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=1.0)
        yield lambda share: bar.update(task, completed=share)


def _lines(what: str) -> Show:
    """Lines now and then.

    How much time is left is said once more than the first piece is done, which compiles
    and is no guide.
    """
    started = time.monotonic()
    shown = [started + _SILENT_AT_FIRST - _SECONDS_BETWEEN_LINES]
    first: list[tuple[float, float]] = []

    def show(share: float) -> None:
        now = time.monotonic()
        if not first:
            first.append((now, share))
        begun, before = first[0]
        if now - shown[0] < _SECONDS_BETWEEN_LINES:
            return
        shown[0] = now
        line = f"{what}: {100 * share:.0f} %"
        if share > before and share >= _SHARE_AT_FIRST:
            rest = (now - begun) * (1 - share) / (share - before)
            line += f", {rest:.0f} s left"
        click.echo(line, err=True)

    return show

"""Exit codes, and errors as one sentence on standard error."""

import codecs
import json
import os
import re
import shutil
import sys
import textwrap
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import click

from softcost.files import NO_ROOM, STREAM, existing_file
from softcost.formatting import visible

if TYPE_CHECKING:
    from pandas import DataFrame
    from rich.console import Console

    from softcost.metrics import Measure


OK = 0
FAILED = 1
BAD_INPUT = 2
BUDGET_MISSED = 3
ALARM = 4
INTERRUPTED = 130

EPILOG = """\b
Exit codes:
  0    done
  1    the job failed; a traceback is a bug in softcost, please report it
  2    wrong command line or bad input
  3    done, but no model is within the budget
  4    done, and 'softcost monitor' raises an alarm
  130  interrupted
"""

_LONGEST = 1500  # characters of a message, whatever it quotes

FAULT = (
    "This is a bug in softcost, not in your input. Please report it with all of these "
    "lines and the command."
)


class BadInput(click.ClickException):
    """What the user gave cannot be used."""

    exit_code = BAD_INPUT


class JobFailed(click.ClickException):
    """The input was fine, but the job could not be done."""

    exit_code = FAILED


class BudgetMissed(click.ClickException):
    """The job is done, but what was asked of the model does not hold."""

    exit_code = BUDGET_MISSED


class AlarmRaised(click.ClickException):
    """The job is done, and the model in use needs attention."""

    exit_code = ALARM


@contextmanager
def bad_input() -> Iterator[None]:
    """Turn complaints about what the user gave into `BadInput`.

    Put it around reading and checking of what the user gave, and around nothing else:
    a ValueError, TypeError or OSError in there speaks of the user's input. Everywhere
    else these are faults of ours and keep their traceback.

    Examples
    --------
    >>> from softcost.cli.console import bad_input
    >>> with bad_input():
    ...     raise ValueError("target='x' is not a column.")
    Traceback (most recent call last):
    softcost.cli.console.BadInput: target='x' is not a column.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except (ValueError, TypeError, OSError) as error:
        raise BadInput(str(error)) from error


@contextmanager
def failed_job() -> Iterator[None]:
    """Turn what a machine lacks, memory or room on a disk, into `JobFailed`.

    Put it around the work, after the input has been checked.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except (MemoryError, OSError) as error:
        raise JobFailed(exhausted_resource(error) or str(error)) from error


# Standard streams that are closed, full or limited to ASCII.

_ASCII = {"±": "+-", "→": "->", "…": "...", "≤": "<=", "≥": ">="}


def prepare_streams() -> None:
    """Make the standard streams safe to write to, whatever the caller passed.

    A closed stream becomes the null device: otherwise the next file that is opened
    gets its number, and a message of a native library would end up in that file.
    Characters that the encoding lacks are replaced instead of ending the command.
    """
    for number, (name, mode) in enumerate(
        [("stdin", "r"), ("stdout", "w"), ("stderr", "w")]
    ):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number, this one
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))
        stream = getattr(sys, name)
        if mode == "w" and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="softcost-ascii")


def _replaced(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    parts = [_ASCII.get(c) or c.encode("ascii", "backslashreplace") for c in text]
    plain = "".join(p if isinstance(p, str) else p.decode() for p in parts)
    return plain, error.end


codecs.register_error("softcost-ascii", _replaced)


def discard_output() -> None:
    """Send what is left in buffers to the null device.

    Otherwise Python writes it when the process ends, and fails again.
    """
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(null, stream.fileno())
    os.close(null)


def exhausted_resource(error: BaseException) -> str | None:
    """A sentence if memory or disk space ran out, else None."""
    if isinstance(error, OSError) and error.errno in NO_ROOM:
        return f"cannot write the output: {os.strerror(error.errno).lower()}."
    limit = _memory_limit()
    # A library whose memory cannot be mapped fails to load.
    unloaded = isinstance(error, ImportError) or "shared object" in str(error)
    if not isinstance(error, MemoryError) and (limit is None or not unloaded):
        return None
    if isinstance(error, MemoryError) and str(error):
        return str(error)
    allowed = (
        f" This process may use {limit / 1e9:.1f} GB (ulimit -v)." if limit else ""
    )
    return f"there is not enough memory.{allowed}"


def _memory_limit() -> int | None:
    try:
        import resource
    except ImportError:  # Windows
        return None
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if limit == resource.RLIM_INFINITY else limit


def say(message: str) -> None:
    """Write one line of bounded length, ``softcost: message``, to standard error."""
    line = " ".join(message.split())
    if len(line) > _LONGEST:
        line = f"{line[: _LONGEST // 2]} ... {line[-_LONGEST // 2 :]}"
    text = f"softcost: {visible(line)}"
    if _bars:  # above the bar, not at its end
        _bars[-1].print(_wrapped(text, _bars[-1].width, "  "), soft_wrap=True)
        return
    if sys.stderr.isatty():
        text = _wrapped(text, shutil.get_terminal_size().columns, "  ")
    with suppress(OSError):  # a full disk behind standard error: the exit code remains
        click.echo(text, err=True)


_bars: list["Console"] = []  # consoles on which a progress bar is drawn


def _wrapped(text: str, width: int, indent: str = "") -> str:
    """Text in lines that break between words; a word that is too long stays whole.

    Examples
    --------
    >>> print(_wrapped("an answer of three words", 20))
    an answer of three
    words
    """
    lines = [
        textwrap.fill(
            line,
            max(width, 20),
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
        for line in text.split("\n")
    ]
    return "\n".join(lines)


def say_note(sentence: str) -> None:
    """Say what was assumed."""
    say(f"note: {sentence}")


def exit_with(error: BaseException) -> int:
    """Say what an expected error has to say, and return its exit code."""
    if isinstance(error, click.UsageError):
        say(_with_help(error))
        return BAD_INPUT
    if isinstance(error, click.ClickException):
        say(error.format_message())
        return error.exit_code
    if isinstance(error, click.Abort):
        if isinstance(error.__cause__ or error.__context__, EOFError):
            say("the input ended too early.")
            return FAILED
        say("interrupted.")
        return INTERRUPTED
    raise error


def _with_help(error: click.UsageError) -> str:
    message = error.format_message()
    if error.ctx is None:
        return message
    return f"{message.rstrip('.')}; see '{error.ctx.command_path} --help'."


# Options that several commands read in the same way.


def read_tolerance(context: Any, option: Any, text: str | None) -> float | str | None:
    """A fraction, or ``1se``."""
    if text is None or text == "1se":
        return text
    try:
        value = float(text)
        if value >= 0 and value < float("inf"):
            return value
    except ValueError:
        pass
    raise click.BadParameter(f"{text!r} is neither a fraction such as 0.1 nor 1se")


def read_recalls(
    context: Any, option: Any, texts: tuple[str, ...]
) -> dict[str, float] | None:
    """``fraud=0.9``, as often as there are classes."""
    recalls = {}
    for text in texts:
        label, equals, rate = text.rpartition("=")
        try:
            recalls[label] = float(rate)
        except ValueError:
            equals = ""
        if not equals or not label or not 0 <= recalls[label] <= 1:
            raise click.BadParameter(
                f"{text!r} is not of the form CLASS=RATE, with a rate from 0 to 1"
            )
    return recalls or None


# Results on standard output: a table for people, strict JSON for programs.


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
            shown = [visible(item) if isinstance(item, str) else item
                     for item in objects]  # fmt: skip
            if self.is_terminal and options.get("soft_wrap"):
                # A terminal breaks long lines within words.
                shown = [_wrapped(item, self.width) if isinstance(item, str) else item
                         for item in shown]  # fmt: skip
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
    most_width: int | None = None,
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
    most_width : int, default=None
        Largest width in characters; None for the width of the terminal.
    """
    from rich import box
    from rich.table import Table

    rows = [[visible(cell) for cell in row] for row in rows]
    console = stdout_console(to_stderr)
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    width = console.width if most_width is None else min(console.width, most_width)
    widths = _column_widths(columns, rows, width)
    for (heading, justify), column_width in zip(columns, widths, strict=True):
        table.add_column(
            visible(heading),
            justify="right" if justify == "right" else "left",
            overflow="fold",
            width=column_width,
        )
    for row, style in zip(rows, styles or [""] * len(rows), strict=True):
        table.add_row(*row, style=style or None)
    console.print(table)


_GAP = 3  # characters between columns of a table


def _column_widths(
    columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[str]], width: int
) -> list[int | None]:
    """Widths at which numbers stay on one line and texts break between words.

    Left to itself, rich shrinks all columns alike, and breaks within words. Columns of
    text give way instead, the widest first, down to their longest word. None if even
    that is too wide.
    """
    from rich.cells import cell_len

    cells = [[visible(head), *(row[place] for row in rows)]
             for place, (head, _) in enumerate(columns)]  # fmt: skip
    widest = [max(map(cell_len, texts)) for texts in cells]
    narrowest = [
        most if justify == "right" and len(rows) > 0
        else max(cell_len(word) for text in texts for word in [*text.split(), ""])
        for (_, justify), texts, most in zip(columns, cells, widest, strict=True)
    ]  # fmt: skip
    room = width - _GAP * (len(columns) - 1)
    if sum(narrowest) > room:  # break headings of numbers as well
        narrowest = [
            max(cell_len(word) for text in texts for word in [*text.split(), ""])
            for texts in cells
        ]
    if sum(narrowest) > room:
        return [None] * len(columns)
    while sum(widest) > room:
        spare = [most - least for most, least in zip(widest, narrowest, strict=True)]
        wide = [most if left > 0 else -1
                for most, left in zip(widest, spare, strict=True)]  # fmt: skip
        widest[wide.index(max(wide))] -= 1
    return list(widest)


# Places to read from and to write to.


def check_files(*paths: str | None) -> None:
    """Refuse files that are not there, before anything slow is imported.

    Parameters
    ----------
    *paths : str or None
        What is to be read; "-" is standard input, None was not given.
    """
    with bad_input():
        for path in paths:
            if path is not None and path != STREAM:
                existing_file(path)


# Progress with the time that is left, on standard error.


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
    from softcost.search import progress_to

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
    console = Console(stderr=True, markup=False, highlight=False, emoji=False)
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(what, total=1.0)
        _bars.append(console)
        try:
            yield lambda share: bar.update(task, completed=share)
        finally:
            _bars.remove(console)


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
        line = f"{what}: {100 * share:.0f}%"
        if share > before and share >= _SHARE_AT_FIRST:
            rest = (now - begun) * (1 - share) / (share - before)
            line += f", {rest:.0f} s left"
        click.echo(line, err=True)

    return show


# Warnings of libraries as lines on standard error.


@contextmanager
def warnings_as_lines(quiet: bool) -> Iterator[None]:
    """Warnings as one line each on standard error, at the end."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    heard = dict.fromkeys(str(one.message).partition("\n")[0] for one in caught)
    for text in [] if quiet else list(heard)[:5]:
        say(f"warning: {text}")


# Measures and importance of columns, for several commands.


def measure_cells(
    results: Mapping[str, Any], measures: "Iterable[Measure]"
) -> list[str]:
    """Measures as cells of a table, with standard errors if the results have them."""
    return [
        measure.format(results[measure.name], results.get(measure.standard_error))
        for measure in measures
    ]


MOST_SHOWN = 10


def print_importance(
    facts: dict[str, Any], currency: str = "", most: int | None = MOST_SHOWN
) -> None:
    """A table of columns, the most important first."""
    from softcost.formatting import format_cost

    if all(one["saving"] == 0 for one in facts["columns"]):
        stdout_console().print("No column changes the cost of the answers.")
        return
    shown = facts["columns"][:most]
    unit = f", {currency}" if currency else ""
    headings = [("column", "left"), (f"importance{unit}", "right")]
    headings += [("95% CI", "right"), ("", "left")]
    print_table(
        headings,
        [
            (
                one["column"],
                format_cost(one["saving"]),
                format_interval(one["low"], one["high"]),
                "" if one["shown"] else "may be chance",
            )
            for one in shown
        ],
    )
    rest = len(facts["columns"]) - len(shown)
    words = f"{rest} more columns matter less. " if rest else ""
    stdout_console().print(
        f"{words}Importance is the extra cost per row when the column is shuffled, on "
        f"{facts['rows']} rows.",
        soft_wrap=True,
    )


def format_interval(low: float | None, high: float | None) -> str:
    return "-" if low is None or high is None else f"{low:.4g} to {high:.4g}"


# Options of all commands that read tables.


merge_option = click.option(
    "--merge",
    multiple=True,
    callback=lambda context, option, texts: _read_merges(texts),
    metavar="OLD=NEW",
    help='Replace a label by another, e.g. "Adelei=Adelie"; "n/a=" makes it missing. '
    "Repeatable.",
)


decimal_option = click.option(
    "--decimal",
    type=click.Choice([".", ","]),
    help="Decimal separator of DATA [default: as in the training table].",
)


def table_options(labels: bool = False) -> Callable[[Any], Any]:
    """Options on the place of a table in its file, and on rows without a label."""

    def decorate(command: Any) -> Any:
        if labels:
            command = click.option(
                "--skip-unlabelled",
                is_flag=True,
                help="Leave out rows without a label.",
            )(command)
        command = click.option(
            "--header-row",
            callback=_read_header_row,
            metavar="N[-M]",
            help="Row with the column names, e.g. 3, or 3-4 for two rows "
            "[default: detected].",
        )(command)
        return click.option(
            "--sheet",
            metavar="NAME",
            help="Sheet of an Excel workbook, by name or number [default: detected].",
        )(command)

    return decorate


def _read_header_row(
    context: Any, option: Any, text: str | None
) -> int | tuple[int, int] | None:
    """``3``, or ``3-4``."""
    if text is None:
        return None
    first, dash, last = text.partition("-")
    if first.strip().isdecimal() and (not dash or last.strip().isdecimal()):
        rows = (int(first), int(last or first))
        if 1 <= rows[0] <= rows[1]:
            return rows if dash else rows[0]
    raise click.BadParameter(f"{text!r} is not a row such as 3, or rows such as 3-4")


def _read_merges(texts: tuple[str, ...]) -> dict[str, str]:
    """``OLD=NEW``, as often as there are labels to replace."""
    merges: dict[str, str] = {}
    for text in texts:
        old, equals, new = (part.strip() for part in text.partition("="))
        if not equals or not old or old == new:
            raise click.BadParameter(f"{text!r} is not of the form OLD=NEW")
        if old in merges:
            raise click.BadParameter(f"{old!r} is replaced twice; name it once")
        merges[old] = new
    return merges

"""Exit codes, and errors as one sentence on standard error."""

from collections.abc import Iterator
from contextlib import contextmanager

import click

from softcost.cli.console._formatting import visible

OK = 0
FAILED = 1
BAD_INPUT = 2
BUDGET_MISSED = 3
INTERRUPTED = 130

EPILOG = """\b
Exit codes:
  0    done
  1    the job failed; with a traceback: a fault of softcost, please report it
  2    wrong command line or bad input
  3    done, but no model is within the budget that was asked for
  130  interrupted
"""

_LONGEST = 1500  # characters of a message, whatever it quotes

FAULT = (
    "This is a fault of softcost, not of what you gave it: please report it, with all "
    "of these lines and the command."
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
    softcost.cli.console._errors.BadInput: target='x' is not a column.
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
        raise JobFailed(str(error) or "there is not enough memory.") from error


def say(message: str) -> None:
    """Write one line of bounded length, ``softcost: message``, to standard error."""
    line = " ".join(message.split())
    if len(line) > _LONGEST:
        line = f"{line[: _LONGEST // 2]} ... {line[-_LONGEST // 2 :]}"
    click.echo(f"softcost: {visible(line)}", err=True)


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

"""Exit codes, and errors as one sentence on standard error."""

from collections.abc import Iterator
from contextlib import contextmanager

import click

OK = 0
FAILED = 1
BAD_INPUT = 2
INTERRUPTED = 130

EPILOG = """\b
Exit codes:
  0    done
  1    the job failed
  2    wrong command line or bad input
  130  interrupted
"""


class BadInput(click.ClickException):
    """What the user gave cannot be used."""

    exit_code = BAD_INPUT


class JobFailed(click.ClickException):
    """The input was fine, but the job could not be done."""

    exit_code = FAILED


@contextmanager
def bad_input() -> Iterator[None]:
    """Turn the library's complaints about its arguments into `BadInput`.

    Put it around calls whose ValueError, TypeError or OSError speaks of what the
    user gave; any other exception is a fault of ours and keeps its traceback.

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
def trained() -> Iterator[None]:
    """Complaints of learners as one sentence."""
    try:
        with bad_input():
            yield
    except MemoryError as error:
        raise JobFailed(str(error) or "there is not enough memory.") from None


def say(message: str) -> None:
    """Write one line, ``softcost: message``, to standard error."""
    click.echo(f"softcost: {' '.join(message.split())}", err=True)


def exit_with(error: BaseException) -> int:
    """Say what an expected error has to say, and return its exit code."""
    if isinstance(error, click.UsageError):
        say(_with_help(error))
        return BAD_INPUT
    if isinstance(error, click.ClickException):
        say(error.format_message())
        return error.exit_code
    if isinstance(error, click.Abort):
        if isinstance(error.__cause__, EOFError):
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

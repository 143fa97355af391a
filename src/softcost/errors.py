"""Errors in what a user passed, as opposed to errors in softcost."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class InputError(ValueError):
    """A file, a table or an option cannot be used; the message says what to do."""


@contextmanager
def input_errors() -> Iterator[None]:
    """Turn errors about the user's input into `InputError`.

    Put it around code that reads and checks input, and around nothing else: a
    ValueError, TypeError or OSError in there is about the input. Elsewhere such an
    exception is a bug in softcost and keeps its traceback.

    Examples
    --------
    >>> from softcost.errors import input_errors
    >>> with input_errors():
    ...     raise TypeError("target must be a column name.")
    Traceback (most recent call last):
    softcost.errors.InputError: target must be a column name.
    """
    try:
        yield
    except (BrokenPipeError, InputError):
        raise
    except (ValueError, TypeError, OSError) as error:
        raise InputError(str(error)) from error


_on_command_line: ContextVar[bool] = ContextVar("on_command_line", default=False)


@contextmanager
def command_line_names() -> Iterator[None]:
    """Have messages inside the block name options instead of arguments."""
    token = _on_command_line.set(True)
    try:
        yield
    finally:
        _on_command_line.reset(token)


def on_command_line() -> bool:
    """Whether the user of the library is the command line."""
    return _on_command_line.get()


def argument(name: str) -> str:
    """How messages call an argument: ``max_error``, or ``--max-error``.

    Examples
    --------
    >>> from softcost.errors import argument, command_line_names
    >>> argument("max_error")
    'max_error'
    >>> with command_line_names():
    ...     argument("max_error")
    '--max-error'
    """
    return f"--{name.replace('_', '-')}" if on_command_line() else name

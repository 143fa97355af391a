"""Warnings of libraries as lines on standard error."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from softcost.cli.console._errors import say


@contextmanager
def warnings_as_lines(quiet: bool) -> Iterator[None]:
    """Warnings as one line each on standard error, at the end."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    heard = dict.fromkeys(str(one.message).partition("\n")[0] for one in caught)
    for text in [] if quiet else list(heard)[:5]:
        say(f"warning: {text}")

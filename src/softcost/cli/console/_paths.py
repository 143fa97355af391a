"""Places to read from and to write to."""

import os
from pathlib import Path

from softcost.cli.console._errors import bad_input

STREAM = "-"


def shown_name(path: str) -> str:
    """What a message calls a place to read from."""
    return "standard input" if path == STREAM else path


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


def existing_file(path: str) -> Path:
    """A file that is there."""
    if not os.path.exists(path):
        raise FileNotFoundError(f"there is no file {path}.")
    if os.path.isdir(path):
        raise IsADirectoryError(f"{path} is a directory; name a file in it.")
    return Path(path)

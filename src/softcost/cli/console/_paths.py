"""Places to read from and to write to."""

import os
from pathlib import Path

STREAM = "-"


def shown_name(path: str) -> str:
    """What a message calls a place to read from."""
    return "standard input" if path == STREAM else path


def existing_file(path: str) -> Path:
    """A file that is there."""
    if not os.path.exists(path):
        raise FileNotFoundError(f"there is no file {path}.")
    if os.path.isdir(path):
        raise IsADirectoryError(f"{path} is a directory; name a file in it.")
    return Path(path)

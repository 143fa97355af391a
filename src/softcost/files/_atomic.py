"""Atomic writes: a file is there as a whole or not at all."""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Write to a file beside the wanted one, and rename it at the end.

    Where the block fails, what was there before stays, and nothing else is left. A
    device or a pipe is written to directly.

    Parameters
    ----------
    path : path-like

    Yields
    ------
    Path
        Where to write.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_write(Path(folder) / "a.txt") as path:
    ...         _ = path.write_text("done")
    ...     [file.name for file in Path(folder).iterdir()]
    ['a.txt']
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(f"{path} is a directory; name a file in it.")
    if target.exists() and not stat.S_ISREG(target.stat().st_mode):
        yield target
        return
    if not target.parent.is_dir():
        raise FileNotFoundError(f"there is no directory {target.parent} to write into.")
    # The suffixes stay, since writers look at them.
    beside = target.with_name(f".{secrets.token_hex(6)}.{target.name[-80:]}")
    try:
        os.close(os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        yield beside
        with open(beside, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(beside, target)
    except PermissionError:
        raise PermissionError(f"{path} cannot be written: permission denied.") from None
    finally:
        with suppress(OSError):
            beside.unlink()

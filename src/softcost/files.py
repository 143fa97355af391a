"""The one way to write a file: as a whole or not at all, and never over an input."""

import errno
import os
import secrets
import socket
import stat
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

PathLike = str | os.PathLike[str]
STREAM = "-"
_MARK = "softcost"
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG, errno.EIO)


def check_output(
    path: PathLike, *, reads: Sequence[PathLike] = (), writes: Sequence[PathLike] = ()
) -> None:
    """Refuse a place for an output, before any work is done.

    Refused are directories, devices and pipes, places that cannot be written, files
    that are read (by whatever name or link; "-" is standard input) and files that
    another output goes to.

    Parameters
    ----------
    path : path-like
    reads : sequence of path-like
        What the same job reads.
    writes : sequence of path-like
        Where its other outputs go.

    Examples
    --------
    >>> check_output("rows.csv", reads=["./rows.csv"])
    Traceback (most recent call last):
    ValueError: rows.csv is read and cannot be the output, too; name another file.
    """
    target = Path(os.path.realpath(path))
    if any(_same_file(target, other) for other in reads):
        raise ValueError(
            f"{path} is read and cannot be the output, too; name another file."
        )
    if any(_same_file(target, other) for other in writes if os.fspath(other) != STREAM):
        raise ValueError(f"{path} is to hold two outputs; name a file for each.")
    if target.is_dir():
        raise IsADirectoryError(f"{path} is a directory; name a file in it.")
    if target.exists() and not stat.S_ISREG(target.stat().st_mode):
        raise OSError(f"{path} is a device or a pipe; name a file.")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"there is no directory {target.parent} to write into.")
    if not os.access(target.parent, os.W_OK):
        raise PermissionError(f"{path} cannot be written: permission denied.")


def _same_file(target: Path, other: PathLike) -> bool:
    try:
        if os.fspath(other) == STREAM:
            return os.path.samestat(target.stat(), os.fstat(0))
        if target.exists() and os.path.exists(other):
            return os.path.samefile(target, other)
    except OSError:
        return False
    return target == Path(os.path.realpath(other))


@contextmanager
def atomic_write(
    path: PathLike, *, reads: Sequence[PathLike] = (), writes: Sequence[PathLike] = ()
) -> Iterator[Path]:
    """Write to a file beside the wanted one, and rename it at the end.

    A link is followed: its target is written. Where the block fails, what was there
    before stays, and nothing else is left; what a killed process has left beside the
    file is removed. The file is on the disk when the block ends.

    Parameters
    ----------
    path : path-like
    reads, writes
        As in `check_output`, whose refusals these are.

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
    check_output(path, reads=reads, writes=writes)
    target = Path(os.path.realpath(path))
    _remove_leftovers(target)
    beside = _beside(target)
    try:
        os.close(os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        yield beside
        with open(beside, "rb+") as file:
            os.fsync(file.fileno())
        if target.exists():
            os.chmod(beside, stat.S_IMODE(target.stat().st_mode))
        os.replace(beside, target)
        _sync_folder(target.parent)
    except PermissionError:
        raise PermissionError(f"{path} cannot be written: permission denied.") from None
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        reason = os.strerror(error.errno).lower()
        raise OSError(f"{path} cannot be written: {reason}.") from error
    finally:
        with suppress(OSError):
            beside.unlink()


def _host() -> str:
    return f"{zlib.crc32(socket.gethostname().encode()):08x}"


def _beside(target: Path) -> Path:
    """A name that identifies the writing process, with the suffixes of the target."""
    writer = f".{_MARK}-{_host()}-{os.getpid()}-{secrets.token_hex(4)}"
    return target.with_name(writer + _ending(target))


def _ending(target: Path) -> str:
    """The end of the target's name: names are limited in bytes, not in characters."""
    return "." + os.fsencode(target.name)[-80:].decode("utf-8", "ignore")


def _remove_leftovers(target: Path) -> None:
    """Remove files that dead processes of this machine have left."""
    ending = _ending(target)
    with suppress(OSError):
        for name in os.listdir(target.parent):
            parts = name.split("-")
            ours = name.startswith(f".{_MARK}-{_host()}-") and name.endswith(ending)
            if ours and len(parts) > 3 and not _is_alive(parts[2]):
                target.with_name(name).unlink()


def _is_alive(text: str) -> bool:
    if os.name == "nt" or not text.isdecimal():
        return True  # cannot be checked
    try:
        os.kill(int(text), 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _sync_folder(folder: Path) -> None:
    """Write the new name to the disk as well, if the folder can be synced."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


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

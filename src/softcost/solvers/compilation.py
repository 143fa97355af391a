"""Compile functions with numba, and cache them on disk if possible.

numba trusts its cache files. One that is damaged, that names a type which no longer
exists, or that does not fit on the disk ends a fit with a traceback, or the process
with a signal. Here every file ends with a digest; a file that cannot be used is removed
and the function is compiled again, with one warning.

The files are pickles, so whoever can write them can run code. Only folders and files
that no other user can change are used.
"""

import hashlib
import io
import multiprocessing
import os
import stat
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import event
from numba.core.caching import FunctionCache, IndexDataCacheFile

_DIGEST = hashlib.sha256().digest_size
_said: set[str] = set()


class CheckedFile(IndexDataCacheFile):
    """Index and data of one function, each with its digest at the end.

    numba does not read beyond the end of a pickle.
    """

    def load(self, key: Any) -> Any:
        try:
            return super().load(key)
        except Exception as error:  # unpickling may raise anything
            self.drop(error)
            return None

    def save(self, key: Any, data: Any) -> None:
        # Named by key: processes that write at the same time write the same file.
        number = int(hashlib.sha256(repr(key).encode()).hexdigest()[:12], 16)
        try:
            index = self._load_index()
            self._save_data(self._data_name(number), data)
            self._save_index(index | {key: self._data_name(number)})
        except Exception as error:
            say_once(f"compiled code cannot be kept in {self._cache_path} ({error})")

    def drop(self, error: Exception) -> None:
        """Remove all compiled code of the function."""
        with suppress(OSError):
            os.unlink(self._index_path)
        say_once(
            f"compiled code in {self._cache_path} cannot be used and is compiled again "
            f"({type(error).__name__}: {str(error)[:100]})"
        )

    def _load_index(self) -> Any:
        _check_file(self._index_path)
        return super()._load_index()

    def _load_data(self, name: str) -> Any:
        _check_file(self._data_path(name))
        return super()._load_data(name)

    @contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[Any]:
        with super()._open_for_write(filepath) as file:
            buffer = io.BytesIO()
            yield buffer
            content = buffer.getvalue()
            file.write(content + hashlib.sha256(content).digest())


class CheckedCache(FunctionCache):
    """The cache of one function.

    Parameters
    ----------
    function : function
    stamp : str
        Code that was compiled with another stamp is not used.
    """

    def __init__(self, function: Any, stamp: str):
        super().__init__(function)
        folder: str = self.cache_path
        if not is_private(folder):
            folder = self._use_private_folder(folder)
        self._cache_path = folder
        self._cache_file = CheckedFile(
            cache_path=folder,
            filename_base=f"{self._impl.filename_base}.checked",
            source_stamp=stamp,
        )

    def _use_private_folder(self, shared: str) -> str:
        caches = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
        private = caches / "softcost" / "compiled" / Path(shared).name
        if not is_private(private):
            raise RuntimeError("no folder for compiled code is private")
        private.mkdir(mode=0o700, parents=True, exist_ok=True)
        say_once(
            f"compiled code in {shared} is not used, since other users can change it; "
            f"softcost uses {private.parent}. Set NUMBA_CACHE_DIR to a folder that "
            "only you can write"
        )
        locator = self._impl.locator
        locator.get_cache_path = lambda: str(private)
        return str(private)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:  # the file is intact, but of another numba
            self._cache_file.drop(error)
            return None


def is_private(path: str | os.PathLike[str]) -> bool:
    """Whether only this user and root can change a file or folder.

    The folders above it count as well, since whoever can write one of them can replace
    what is below. In a folder with the sticky bit, such as /tmp, only the owner can. A
    path that does not exist is judged by the folders above it.
    """
    if not hasattr(os, "geteuid"):  # Windows: the user's folders are private
        return True
    path = Path(os.path.realpath(path))
    for place in (path, *path.parents):
        try:
            status = place.stat()
        except FileNotFoundError:
            continue
        # Many systems give each user a group of the same number and let it write.
        writers = stat.S_IWOTH | (stat.S_IWGRP if status.st_gid != os.geteuid() else 0)
        is_open = status.st_mode & writers and not status.st_mode & stat.S_ISVTX
        if is_open or status.st_uid not in (os.geteuid(), 0):
            return False
    return True


def _check_file(path: str) -> None:
    try:
        with open(path, "rb") as file:
            content = file.read()
    except FileNotFoundError:
        return
    if not is_private(path):
        raise ValueError("other users can change it")
    if hashlib.sha256(content[:-_DIGEST]).digest() != content[-_DIGEST:]:
        raise ValueError("damaged")


def say_once(text: str) -> None:
    """Warn, once per process for all functions."""
    kind = text.partition(" (")[0]
    if kind not in _said:
        _said.add(kind)
        warnings.warn(f"{text}.", RuntimeWarning, stacklevel=2)


# At most 60 columns: a terminal would break a longer line within a word.
_NOTICE = "softcost: compiling for this processor, once; please wait."


class CompilingNotice(event.Listener):
    """Print a line on standard error when numba first compiles a softcost function.

    The first fit on a machine takes longer than others. numba calls its listeners only
    if it compiles, not if it loads code from its cache. Worker processes print
    nothing, since their parent does.
    """

    def __init__(self) -> None:
        self.said = False

    def on_start(self, event: Any) -> None:
        function = event.data["dispatcher"].py_func
        if self.said or not function.__module__.startswith("softcost."):
            return
        self.said = True
        if multiprocessing.parent_process() is not None:
            return
        if sys.stderr is not None and not os.environ.get("SOFTCOST_QUIET"):
            print(_NOTICE, file=sys.stderr, flush=True)

    def on_end(self, event: Any) -> None:
        """Do nothing: the start is announced."""


def announce_compiling() -> None:
    """Announce the first compilation of this process."""
    event.register("numba:compile", CompilingNotice())


Function = TypeVar("Function", bound=Callable[..., Any])

# Reference counts of arrays would be a third of the compiled code, and no caller is
# written in C. Functions that create arrays need the counts: see `allocating`.
_OPTIONS = {
    "nogil": True,
    "error_model": "numpy",
    "boundscheck": False,
    "no_cfunc_wrapper": True,
    "_nrt": False,
}


@cache
def _stamp_of(source: str) -> str:
    """A hash of all solver sources and of one more file.

    numba keeps compiled code as long as the function's own file is the same, although
    functions of other files are compiled into it.
    """
    digest = hashlib.sha256()
    for path in sorted({Path(source), *Path(__file__).parent.glob("*.py")}):
        digest.update(path.read_bytes())
    return digest.hexdigest()


announce_compiling()


@contextmanager
def _compiler_on() -> Iterator[None]:
    """Compile although NUMBA_DISABLE_JIT is set: this code cannot run as Python."""
    disabled, numba.config.DISABLE_JIT = numba.config.DISABLE_JIT, 0
    try:
        yield
    finally:
        numba.config.DISABLE_JIT = disabled


def _compile(function: Function, **options: Any) -> Function:
    with _compiler_on():
        compiled = numba.njit(**{**_OPTIONS, **options})(function)
    if numba.config.DISABLE_JIT:  # compiling happens at the first call
        compiled._compiler.compile = _compiler_on()(compiled._compiler.compile)
    # RuntimeError is numba's "no locator available", nowhere to cache.
    with suppress(RuntimeError, OSError):
        compiled._cache = CheckedCache(
            function, _stamp_of(function.__code__.co_filename)
        )
    return compiled


def jit(function: Function) -> Function:
    """Compile ``function`` for plain arrays, without the interpreter's lock.

    Floating-point arithmetic is strict (no ``fastmath``), so results do not depend
    on how the compiler rearranges an expression. If neither the package directory nor
    the user's cache directory can be written, every process compiles the function
    instead of failing at import.
    """
    return _compile(function)


def internal(function: Function) -> Function:
    """As `jit`, for functions that only compiled code calls; they need no wrapper."""
    return _compile(function, no_cpython_wrapper=True)


def allocating(function: Function) -> Function:
    """As `jit`, for functions that create arrays; others fill arrays of the caller."""
    return _compile(function, _nrt=True)


def inline(function: Function) -> Function:
    """As `jit`, for short functions whose statements are copied into their callers.

    A compilation of its own would take a tenth of a second.
    """
    return _compile(function, inline="always")

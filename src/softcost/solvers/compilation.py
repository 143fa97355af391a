"""One way to compile: cached on disk where that is possible, never failing for it."""

import hashlib
import io
import multiprocessing
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import event
from numba.core.caching import FunctionCache, IndexDataCacheFile

# Compiled code on disk that is checked before it runs.
#
# numba trusts its files: one that is damaged, that names a type which is gone, or that
# does not fit on the disk ends the fit with a traceback, or the process with a signal.
# Here every file ends with a digest, and whatever cannot be used is dropped and
# compiled again, which is said once.


_DIGEST = hashlib.sha256().digest_size
_said: set[str] = set()


class CheckedFile(IndexDataCacheFile):
    """Index and data of one function, each with its digest at the end.

    What follows the end of a pickle is not read by numba.
    """

    def load(self, key: Any) -> Any:
        try:
            return super().load(key)
        except Exception as error:  # unpickling may raise anything
            self.drop(error)
            return None

    def save(self, key: Any, data: Any) -> None:
        # A file by key: processes that write at the same time write the same.
        number = int(hashlib.sha256(repr(key).encode()).hexdigest()[:12], 16)
        try:
            kept = self._load_index()
            self._save_data(self._data_name(number), data)
            self._save_index(kept | {key: self._data_name(number)})
        except Exception as error:
            say_once(f"compiled code cannot be kept in {self._cache_path} ({error})")

    def drop(self, error: Exception) -> None:
        """Forget all that is kept of the function."""
        with suppress(OSError):
            os.unlink(self._index_path)
        say_once(
            f"compiled code in {self._cache_path} cannot be used and is compiled again "
            f"({type(error).__name__}: {str(error)[:100]})"
        )

    def _load_index(self) -> Any:
        _check_digest(self._index_path)
        return super()._load_index()

    def _load_data(self, name: str) -> Any:
        _check_digest(self._data_path(name))
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
        Code that was compiled under another stamp is not used.
    """

    def __init__(self, function: Any, stamp: str):
        super().__init__(function)
        self._cache_file = CheckedFile(
            cache_path=self._cache_path,
            filename_base=f"{self._impl.filename_base}.checked",
            source_stamp=stamp,
        )

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:  # the file was intact, but not of this numba
            self._cache_file.drop(error)
            return None


def _check_digest(path: str) -> None:
    try:
        with open(path, "rb") as file:
            content = file.read()
    except FileNotFoundError:
        return
    if hashlib.sha256(content[:-_DIGEST]).digest() != content[-_DIGEST:]:
        raise ValueError("damaged")


def say_once(text: str) -> None:
    """Warn, once in a process whatever the function."""
    kind = text.partition(" (")[0]
    if kind not in _said:
        _said.add(kind)
        warnings.warn(f"{text}.", RuntimeWarning, stacklevel=2)


# Say that compiling has begun: the first fit on a machine takes longer than others.


_NOTICE = (
    "softcost: compiling for this processor; this takes some seconds, once "
    "(SOFTCOST_QUIET=1 hides this line)."
)


class CompilingNotice(event.Listener):
    """One line on standard error when numba first compiles a function of softcost.

    numba tells its listeners where it really compiles, and not where it finds code in
    its cache. Workers of another process say nothing: that process does.
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
        """Nothing to say."""


def announce_compiling() -> None:
    """Have compiling announced, once in this process."""
    event.register("numba:compile", CompilingNotice())


Function = TypeVar("Function", bound=Callable[..., Any])

# Counting the references to arrays would be a third of the code that is compiled, and
# nobody calls from C. What makes arrays has to count: see `allocating`.
_OPTIONS = {
    "nogil": True,
    "error_model": "numpy",
    "boundscheck": False,
    "no_cfunc_wrapper": True,
    "_nrt": False,
}


def _stamp_of_sources() -> str:
    """A hash of all solver sources.

    numba keeps compiled code as long as the function's own file is the same, although
    functions of other files are compiled into it.
    """
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


_STAMP = _stamp_of_sources()
announce_compiling()


@contextmanager
def _compiler_on() -> Iterator[None]:
    """Compile although NUMBA_DISABLE_JIT is set: this code cannot run as Python."""
    told, numba.config.DISABLE_JIT = numba.config.DISABLE_JIT, 0
    try:
        yield
    finally:
        numba.config.DISABLE_JIT = told


def _compile(function: Function, **options: Any) -> Function:
    with _compiler_on():
        compiled = numba.njit(**{**_OPTIONS, **options})(function)
    if numba.config.DISABLE_JIT:  # compiling happens at the first call
        compiled._compiler.compile = _compiler_on()(compiled._compiler.compile)
    # RuntimeError is numba's "no locator available", nowhere to cache.
    with suppress(RuntimeError, OSError):
        compiled._cache = CheckedCache(function, _STAMP)
    return compiled


def jit(function: Function) -> Function:
    """Compile ``function`` for plain arrays, without the interpreter's lock.

    Floating-point arithmetic is strict (no ``fastmath``), so results do not depend
    on what the compiler makes of an expression. Where neither the package directory
    nor the user's cache directory can be written, the function is compiled anew in
    every process instead of failing at import.
    """
    return _compile(function)


def internal(function: Function) -> Function:
    """As `jit`, for what only compiled code calls: Python needs no way in."""
    return _compile(function, no_cpython_wrapper=True)


def allocating(function: Function) -> Function:
    """As `jit`, for functions that make arrays; others are handed what they fill."""
    return _compile(function, _nrt=True)


def inline(function: Function) -> Function:
    """As `jit`, and part of whoever calls it: for short functions in a hot loop.

    Their statements are copied into the caller, so that they cost no compilation of
    their own; each one would take a tenth of a second.
    """
    return _compile(function, inline="always")

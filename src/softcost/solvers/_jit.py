"""One way to compile: cached on disk where that is possible, never failing for it."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba

Function = TypeVar("Function", bound=Callable[..., Any])

_OPTIONS = {"nogil": True, "error_model": "numpy", "boundscheck": False}


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


def _or_else(call: Callable[..., Any], otherwise: Callable[[], Any]) -> Any:
    def guarded(*args: Any) -> Any:
        try:
            return call(*args)
        except Exception:  # whatever unpickling a strange file may raise
            return otherwise()

    return guarded


def _use_stamp(cache_file: Any) -> None:
    """Let all sources decide what is current, and a file that cannot be read be none.

    A damaged file, or one that names a class that has gone since, would otherwise
    raise at every call instead of being written anew.
    """
    cache_file._source_stamp = _STAMP
    cache_file._load_index = _or_else(cache_file._load_index, dict)
    cache_file.load = _or_else(cache_file.load, lambda: None)


def _compile(function: Function, **options: Any) -> Function:
    try:
        compiled = numba.njit(cache=True, **_OPTIONS, **options)(function)
    except RuntimeError:  # numba: "no locator available", nowhere to cache
        return numba.njit(**_OPTIONS, **options)(function)
    cache_file = getattr(compiled._cache, "_cache_file", None)
    if cache_file is not None:  # private to numba, so it may go
        _use_stamp(cache_file)
    return compiled


def jit(function: Function) -> Function:
    """Compile ``function`` for plain arrays, without the interpreter's lock.

    Floating-point arithmetic is strict (no ``fastmath``), so results do not depend
    on what the compiler makes of an expression. Where neither the package directory
    nor the user's cache directory can be written, the function is compiled anew in
    every process instead of failing at import.
    """
    return _compile(function)


def inline(function: Function) -> Function:
    """As `jit`, and part of whoever calls it: for short functions in a hot loop.

    Their statements are copied into the caller, so that they cost no compilation of
    their own; each one would take a tenth of a second.
    """
    return _compile(function, inline="always")

"""One way to compile: cached on disk where that is possible, never failing for it."""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import numba

from softcost.solvers._cache import CheckedCache
from softcost.solvers._notice import announce_compiling

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

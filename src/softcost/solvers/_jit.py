"""One way to compile: cached on disk where that is possible, never failing for it."""

from collections.abc import Callable
from typing import Any, TypeVar

import numba

Function = TypeVar("Function", bound=Callable[..., Any])

_OPTIONS = {"nogil": True, "error_model": "numpy", "boundscheck": False}


def _compile(function: Function, **options: bool) -> Function:
    try:
        return numba.njit(cache=True, **_OPTIONS, **options)(function)
    except RuntimeError:  # numba: "no locator available", nowhere to cache
        return numba.njit(**_OPTIONS, **options)(function)


def jit(function: Function) -> Function:
    """Compile ``function`` for plain arrays, without the interpreter's lock.

    Floating-point arithmetic is strict (no ``fastmath``), so results do not depend
    on what the compiler makes of an expression. Where neither the package directory
    nor the user's cache directory can be written, the function is compiled anew in
    every process instead of failing at import.
    """
    return _compile(function)


def inline(function: Function) -> Function:
    """As `jit`, and part of whoever calls it: for short functions in a hot loop."""
    return _compile(function, forceinline=True)

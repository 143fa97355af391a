"""Threads of this process: as many as wanted, or one for BLAS and OpenMP."""

import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from threading import Event, Lock
from typing import Any

from threadpoolctl import ThreadpoolController


class Stopped(Exception):
    """Raised inside a worker whose work is no longer wanted."""


def in_threads(
    work: Callable[[Any, Callable[[], None]], Any], items: Iterable[Any], threads: int
) -> list[Any]:
    """``[work(item, proceed) for item in items]`` in so many threads, in order.

    Work calls ``proceed`` now and then. After an interrupt, or a failure of another
    item, that call raises `Stopped`, so that Ctrl-C does not wait for the end.
    """
    if threads <= 1:
        return [work(item, lambda: None) for item in items]
    stop = Event()

    def proceed() -> None:
        if stop.is_set():
            raise Stopped

    with ThreadPoolExecutor(threads) as pool:
        try:
            return list(pool.map(lambda item: work(item, proceed), items))
        except BaseException:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


class _Limit:
    """One thread for BLAS and OpenMP while anybody wants it.

    The limit belongs to the process, so users are counted: the first one sets it, the
    last one lifts it. Otherwise two overlapping blocks in two threads would restore
    each other's limit and leave the libraries at one thread for good.
    """

    def __init__(self) -> None:
        self._lock, self._users, self._modules = Lock(), 0, 0
        self._limits = ExitStack()

    def set(self) -> None:
        with self._lock:
            self._users += 1
            loaded = len(sys.modules)
            if self._users == 1 or loaded != self._modules:  # libraries may be new
                self._modules = loaded
                self._limits.enter_context(_libraries(loaded).limit(limits=1))

    def lift(self) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0:
                self._limits.close()


_limit = _Limit()


@contextmanager
def one_thread() -> Iterator[None]:
    """A context where BLAS and OpenMP have one thread.

    Sums then do not depend on the number of jobs.
    """
    _limit.set()
    try:
        yield
    finally:
        _limit.lift()


@lru_cache(maxsize=1)
def _libraries(_n_modules: int) -> ThreadpoolController:
    """The loaded libraries, looked up again only when modules were imported."""
    return ThreadpoolController()

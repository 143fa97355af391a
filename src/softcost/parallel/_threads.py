"""Threads of this process: as many as wanted, or one for BLAS and OpenMP."""

import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from threading import Event, Lock
from typing import Any

from threadpoolctl import OpenBLASController, ThreadpoolController


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


class _BlasLimit:
    """One thread for BLAS while anybody wants it.

    That limit belongs to the process, so users are counted: the first one sets it, the
    last one lifts it, in whichever thread. Otherwise two overlapping blocks in two
    threads would restore each other's limit and leave BLAS at one thread for good.
    """

    def __init__(self) -> None:
        self._lock, self._users, self._modules = Lock(), 0, 0
        self._limits: list[Any] = []

    def set(self) -> None:
        with self._lock:
            self._users += 1
            loaded = len(sys.modules)
            if self._users == 1 or loaded != self._modules:  # libraries may be new
                self._modules = loaded
                self._limits.append(_libraries(loaded).limit(limits=1, user_api="blas"))
                _give_up_control()

    def lift(self) -> None:
        with self._lock:
            self._users -= 1
            while self._limits and self._users == 0:
                self._limits.pop().restore_original_limits()
            _give_up_control()


def _give_up_control() -> None:
    """Let any thread lift the limit: newer threadpoolctl keeps it for who set it."""
    clear = getattr(OpenBLASController, "clear_controlling_thread", None)
    if clear is not None:
        clear()


_blas = _BlasLimit()


@contextmanager
def one_thread() -> Iterator[None]:
    """A context where BLAS and OpenMP have one thread.

    Sums then do not depend on the number of jobs.
    """
    _blas.set()
    # The limit of OpenMP belongs to a thread: every user sets their own.
    openmp = _libraries(len(sys.modules)).limit(limits=1, user_api="openmp")
    try:
        yield
    finally:
        openmp.restore_original_limits()
        _blas.lift()


@lru_cache(maxsize=1)
def _libraries(_n_modules: int) -> ThreadpoolController:
    """The loaded libraries, looked up again only when modules were imported."""
    return ThreadpoolController()

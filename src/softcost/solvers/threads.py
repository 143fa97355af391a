"""Threads that stop when they are told to."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any


class Stopped(Exception):
    """Raised inside a worker whose work is no longer wanted."""


def in_threads(
    work: Callable[[Any, Callable[[], None]], Any], items: Iterable, threads: int
) -> list:
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

"""Parallel work: threads of this process, and joblib workers.

Compiled code releases the interpreter's lock, so it runs in threads of this process
(`in_threads`) and shares memory. Everything else is split into pure functions that
joblib runs (`run_jobs`). So is compiled code when the user has chosen a joblib backend
with workers of its own (loky, multiprocessing, dask, ...).
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from threading import Event, Lock
from typing import Any

from joblib import Parallel, cpu_count, delayed
from joblib.parallel import get_active_backend
from threadpoolctl import OpenBLASController, ThreadpoolController

Progress = Callable[[int, int], None]


def has_own_workers() -> bool:
    """Whether the user chose a joblib backend whose workers share no memory with us.

    Without a choice (``joblib.parallel_config(backend=...)``) compiled work stays in
    threads of this process.
    """
    backend, _ = get_active_backend(prefer="threads")
    return not getattr(backend, "supports_sharedmem", False)


def local_threads(n_jobs: int | None) -> int:
    """How many threads of this machine ``n_jobs`` asks for.

    A cluster's backend would count the cluster's cores; these are our own.

    Examples
    --------
    >>> local_threads(2), local_threads(None)
    (2, 1)
    """
    if n_jobs is None:
        _, n_jobs = get_active_backend()
    if n_jobs == 0:
        raise ValueError("n_jobs is 0; give 1 or more, or -1 for all cores.")
    backend, _ = get_active_backend(prefer="threads")
    if getattr(backend, "supports_sharedmem", False):
        return int(backend.effective_n_jobs(n_jobs))
    if n_jobs is None:
        return 1
    return int(n_jobs) if n_jobs > 0 else max(cpu_count() + 1 + int(n_jobs), 1)


def available_threads() -> int:
    """How many threads compiled code may use here: as many as OpenMP would.

    This respects ``OMP_NUM_THREADS``, limits by threadpoolctl and by joblib's worker
    processes, and processor quotas of containers.
    """
    from sklearn.utils._openmp_helpers import _openmp_effective_n_threads

    return int(_openmp_effective_n_threads())


def run_jobs(
    function: Callable[..., Any],
    arguments: Iterable[Sequence[Any]],
    *,
    shared: Sequence[Any] = (),
    n_jobs: int | None = None,
    progress: Progress = lambda done, total: None,
) -> list[Any]:
    """``[function(*shared, *one) for one in arguments]`` by joblib, in order.

    Parameters
    ----------
    function : callable
        A pure function of a module, so that it can travel.
    arguments : iterable of sequences
    shared : sequence
        What all jobs need: on a cluster it travels once to each worker, and a worker
        that dies takes no only copy with it.
    n_jobs : int or None
        As in joblib.
    progress : callable
        Told the number of finished jobs and of all, where the backend returns results
        one by one; otherwise once, at the end.
    """
    jobs = list(arguments)
    done: list[Any] = []
    for result in stream_jobs(function, jobs, shared=shared, n_jobs=n_jobs):
        done.append(result)
        progress(len(done), len(jobs))
    return done


def stream_jobs(
    function: Callable[..., Any],
    arguments: Iterable[Sequence[Any]],
    *,
    shared: Sequence[Any] = (),
    n_jobs: int | None = None,
) -> Iterator[Any]:
    """As `run_jobs`, one result after the other: for results that are large.

    Backends that cannot do that (multiprocessing, and those made of it) return all at
    the end.
    """
    backend, _ = get_active_backend()
    client = getattr(backend, "client", None)  # of a Dask cluster
    if client is not None and _is_on_a_worker():
        # A job of a job: sent to others, it would take its rows along.
        yield from (function(*shared, *job) for job in arguments)
        return
    if client is not None:
        shared = _on_all_workers(client, shared)
    one_by_one = getattr(backend, "supports_return_generator", False)
    parallel = Parallel(n_jobs=n_jobs, return_as="generator" if one_by_one else "list")
    yield from parallel(delayed(function)(*shared, *job) for job in arguments)


@contextmanager
def kept_on_workers() -> Iterator[None]:
    """A context in which what calls of `run_jobs` share stays on a cluster's workers.

    So an object travels once for all of them; it must not change meanwhile.
    """
    token = _kept.set({})
    try:
        yield
    finally:
        _kept.reset(token)


_kept: ContextVar[dict[int, tuple[Any, Any]] | None] = ContextVar("kept", default=None)


def _is_on_a_worker() -> bool:
    from distributed.worker import thread_state

    return hasattr(thread_state, "execution_state")


def _on_all_workers(client: Any, shared: Sequence[Any]) -> list[Any]:
    """Put objects on every worker of a Dask cluster.

    joblib by itself would put large arrays, but not what is inside of other objects,
    on some worker, from where the others fetch them: until then, it has the only copy.
    """
    scattered = _kept.get()
    scattered = {} if scattered is None else scattered
    new = [item for item in shared if id(item) not in scattered]
    futures = client.scatter(new, broadcast=True, hash=False) if new else []
    for item, future in zip(new, futures, strict=True):
        scattered[id(item)] = (
            item,
            future,
        )  # the object itself, so that its id stays its own
    return [scattered[id(item)][1] for item in shared]


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

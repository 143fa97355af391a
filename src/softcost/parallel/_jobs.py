"""Pure functions run by joblib, whichever backend is active."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from joblib import Parallel, cpu_count, delayed
from joblib.parallel import get_active_backend

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
        yield from (function(*shared, *one) for one in arguments)
        return
    if client is not None:
        shared = _on_all_workers(client, shared)
    one_by_one = getattr(backend, "supports_return_generator", False)
    parallel = Parallel(n_jobs=n_jobs, return_as="generator" if one_by_one else "list")
    yield from parallel(delayed(function)(*shared, *one) for one in arguments)


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
    known = _kept.get()
    known = {} if known is None else known
    new = [one for one in shared if id(one) not in known]
    futures = client.scatter(new, broadcast=True, hash=False) if new else []
    for one, future in zip(new, futures, strict=True):
        known[id(one)] = (
            one,
            future,
        )  # the object itself, so that its id stays its own
    return [known[id(one)][1] for one in shared]

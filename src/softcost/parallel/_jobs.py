"""Pure functions run by joblib, whichever backend is active."""

from collections.abc import Callable, Iterable, Iterator, Sequence
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
    n_jobs: int | None = None,
    progress: Progress = lambda done, total: None,
) -> list[Any]:
    """``[function(*one) for one in arguments]`` by joblib, in order.

    Parameters
    ----------
    function : callable
        A pure function of a module, so that it can travel.
    arguments : iterable of sequences
        Large arrays as arguments of their own, not inside other objects: backends
        send an argument once to each worker.
    n_jobs : int or None
        As in joblib.
    progress : callable
        Told the number of finished jobs and of all, where the backend returns results
        one by one; otherwise once, at the end.
    """
    jobs = list(arguments)
    done: list[Any] = []
    for result in stream_jobs(function, jobs, n_jobs=n_jobs):
        done.append(result)
        progress(len(done), len(jobs))
    return done


def stream_jobs(
    function: Callable[..., Any],
    arguments: Iterable[Sequence[Any]],
    *,
    n_jobs: int | None = None,
) -> Iterator[Any]:
    """As `run_jobs`, one result after the other: for results that are large.

    Backends that cannot do that (multiprocessing, and those made of it) return all at
    the end.
    """
    backend, _ = get_active_backend()
    one_by_one = getattr(backend, "supports_return_generator", False)
    parallel = Parallel(n_jobs=n_jobs, return_as="generator" if one_by_one else "list")
    yield from parallel(delayed(function)(*one) for one in arguments)

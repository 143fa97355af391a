"""Run units: here, in processes of this machine, or on a Dask cluster.

Wherever it runs, a unit is the same function of the same arguments on one thread, and
this process is the only one that writes results down.
"""

import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
import time
import traceback
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any

from softcost._extras import install_hint
from softcost.paper.cell import run_unit
from softcost.paper.planning import Unit

_STRIKES = 3  # deaths of a worker after which a unit counts as failed


@dataclass(frozen=True)
class Outcome:
    """What became of a unit: its cells, or a message of what went wrong."""

    unit: Unit
    cells: list[dict[str, Any]] | None
    message: str
    seconds: float


def attempt(
    unit: Unit,
    data_home: str | None,
    added: Any = None,
    cache_size: float | None = None,
) -> Outcome:
    """Run a unit; an exception becomes a message."""
    started = time.perf_counter()
    try:
        cells, message = run_unit(unit, data_home, added, cache_size), ""
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        cells = None
        message = (
            f"{type(error).__name__}: {error} ({os.path.basename(where.filename)}, "
            f"line {where.lineno})"
        )
    return Outcome(unit, cells, message, time.perf_counter() - started)


def execute(
    units: Iterable[Unit],
    *,
    jobs: int = 1,
    dask: str | None = None,
    data_home: str | None = None,
    added: Mapping[str, Any] | None = None,
    cache_size: float | None = None,
) -> Iterator[Outcome]:
    """Run units, and give their outcomes as they come.

    Parameters
    ----------
    units : iterable of Unit
    jobs : int, default=1
        Processes on this machine; 1 runs in this one.
    dask : str, default=None
        Address of a Dask scheduler; ``jobs`` is then not used.
    data_home : str, default=None
    added : mapping of name to estimator, default=None
    cache_size : float, default=None
        Memory of a unit for kernel values in megabytes; None for the default.
    """
    models = dict(added or {})
    tasks = [(unit, data_home, models.get(unit.family), cache_size) for unit in units]
    if dask is not None:
        return _on_dask(tasks, dask)
    if jobs > 1 and len(tasks) > 1:
        return _in_processes(tasks, min(jobs, len(tasks)))
    return (attempt(*task) for task in tasks)


def _in_processes(tasks: list[tuple[Any, ...]], jobs: int) -> Iterator[Outcome]:
    """Units in processes; those in a process that dies are run again, alone."""
    waiting, suspects = deque(tasks), deque[tuple[Any, ...]]()
    strikes: Counter[Unit] = Counter()
    while waiting or suspects:
        lost: list[tuple[Any, ...]] = []
        yield from _until_broken(waiting, suspects, jobs, lost)
        for task in lost:
            unit = task[0]
            strikes[unit] += 1
            if strikes[unit] < _STRIKES:
                suspects.append(task)
                continue
            message = (
                f"the process that ran it died {_STRIKES} times (killed, or out of "
                "memory): use fewer jobs, or more memory"
            )
            yield Outcome(unit, None, message, 0.0)


def _until_broken(
    waiting: deque[tuple[Any, ...]],
    suspects: deque[tuple[Any, ...]],
    jobs: int,
    lost: list[tuple[Any, ...]],
) -> Iterator[Outcome]:
    """Work with one pool until all is done or a process dies; then fill ``lost``."""
    context = multiprocessing.get_context("spawn")
    # Workers end when the other end is closed, by us or by our own death.
    watched, held = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(
        jobs, mp_context=context, initializer=_start_worker, initargs=(watched,)
    )
    running: dict[Future[Outcome], tuple[Any, ...]] = {}
    try:
        while waiting or suspects or running:
            if not _submit(pool, running, waiting, suspects, jobs):
                lost.extend(running.values())
                return
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            yield from _finished(running, done)
            if done & running.keys():
                lost.extend(running.values())
                return
    finally:
        held.close()
        watched.close()
        pool.shutdown(wait=True, cancel_futures=True)


def _submit(
    pool: ProcessPoolExecutor,
    running: dict[Future[Outcome], tuple[Any, ...]],
    waiting: deque[tuple[Any, ...]],
    suspects: deque[tuple[Any, ...]],
    jobs: int,
) -> bool:
    """Keep the processes busy, a suspect alone; whether the pool still works."""
    while len(running) < (1 if suspects else jobs) and (waiting or suspects):
        queue = suspects if suspects else waiting
        task = queue.popleft()
        try:
            running[pool.submit(attempt, *task)] = task
        except BrokenProcessPool:
            queue.appendleft(task)
            return False
        if queue is suspects:
            break
    return True


def _finished(
    running: dict[Future[Outcome], tuple[Any, ...]], done: set[Future[Outcome]]
) -> Iterator[Outcome]:
    """Outcomes of what is done; a unit whose process died stays among the running."""
    for future in done:
        error = future.exception()
        if isinstance(error, BrokenProcessPool):
            continue
        unit = running.pop(future)[0]
        if error is None:
            yield future.result()
        else:
            yield Outcome(unit, None, f"{type(error).__name__}: {error}", 0.0)


def _start_worker(watched: Any) -> None:
    """Leave Ctrl-C to the parent, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        multiprocessing.connection.wait([watched])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _on_dask(tasks: list[tuple[Any, ...]], address: str) -> Iterator[Outcome]:
    """Units on a cluster; Dask itself gives the units of a lost worker to another."""
    try:
        from distributed import Client, as_completed
    except ImportError as error:
        raise ValueError(
            f"dask needs the packages dask and distributed: {install_hint('dask')}"
        ) from error
    try:
        client = Client(address, set_as_default=False, timeout=30)
    except (OSError, TimeoutError) as error:
        raise OSError(
            f"dask={address!r} does not answer; start a scheduler there."
        ) from error
    with client:
        futures = {
            client.submit(
                attempt, *task, key=f"softcost-{task[0].key}", pure=False
            ): task[0]
            for task in tasks
        }
        with client.as_current():
            finished = as_completed(list(futures))
        for future in finished:
            unit = futures.pop(future)
            if future.status == "finished":
                yield future.result()
            else:
                lost = future.exception() if future.status == "error" else None
                reason = f"{type(lost).__name__}: {lost}" if lost else future.status
                yield Outcome(unit, None, f"lost on the cluster: {reason}", 0.0)
            future.release()

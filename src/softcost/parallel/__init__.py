"""Work done side by side: threads of this process, and joblib's workers.

Two kinds of work are told apart. Compiled code releases the interpreter's lock, so it
runs in threads of this process (`in_threads`) and shares memory. Everything else, and
all work where the user has chosen a joblib backend with workers of their own (loky,
multiprocessing, dask, ...), is cut into pure functions that joblib runs (`run_jobs`).
"""

from softcost.parallel._jobs import (
    has_own_workers,
    kept_on_workers,
    local_threads,
    run_jobs,
    stream_jobs,
)
from softcost.parallel._threads import Stopped, in_threads, one_thread

__all__ = [
    "Stopped",
    "has_own_workers",
    "in_threads",
    "kept_on_workers",
    "local_threads",
    "one_thread",
    "run_jobs",
    "stream_jobs",
]

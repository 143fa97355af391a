"""Say that compiling has begun: the first fit on a machine takes longer than others."""

import multiprocessing
import os
import sys
from typing import Any

from numba.core import event

_NOTICE = (
    "softcost: compiling for this processor; this takes some seconds, once "
    "(SOFTCOST_QUIET=1 hides this line)."
)


class CompilingNotice(event.Listener):
    """One line on standard error when numba first compiles a function of softcost.

    numba tells its listeners where it really compiles, and not where it finds code in
    its cache. Workers of another process say nothing: that process does.
    """

    def __init__(self) -> None:
        self.said = False

    def on_start(self, event: Any) -> None:
        function = event.data["dispatcher"].py_func
        if self.said or not function.__module__.startswith("softcost."):
            return
        self.said = True
        if multiprocessing.parent_process() is not None:
            return
        if sys.stderr is not None and not os.environ.get("SOFTCOST_QUIET"):
            print(_NOTICE, file=sys.stderr, flush=True)

    def on_end(self, event: Any) -> None:
        """Nothing to say."""


def announce_compiling() -> None:
    """Have compiling announced, once in this process."""
    event.register("numba:compile", CompilingNotice())

"""A lock for compiled code that runs in several threads at once.

Python's locks need the interpreter, which compiled code does without. Whoever waits
here asks again and again, so what is done under the lock should take microseconds.
"""

import sys

from numba.core import types
from numba.extending import intrinsic

from softcost.solvers._jit import inline

if sys.platform == "win32":

    @inline
    def _let_others_run():
        pass

else:  # the thread that has the lock may wait for this one's processor
    _let_others_run = types.ExternalFunction("sched_yield", types.int32())


@intrinsic
def _exchange(typingctx, flag, value):
    """Set ``flag[0]`` and return what it was, as one step that no thread can split."""

    def codegen(context, builder, signature, args):
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        return builder.atomic_rmw("xchg", data, args[1], "seq_cst")

    return types.int64(flag, types.int64), codegen


@inline
def acquire(flag):
    """Wait until ``flag`` (one number, int64) is 0, and set it to 1."""
    while _exchange(flag, 1) != 0:
        _let_others_run()


@inline
def release(flag):
    """Let the next one in."""
    _exchange(flag, 0)

"""scikit-learn's callbacks (1.9 and newer), such as its progress bars."""

from collections.abc import Callable
from typing import Any

try:
    from sklearn.callback import CallbackSupportMixin
except ImportError:  # before 1.9 there are none

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing to support."""


__all__ = ["CallbackSupportMixin", "tell_callbacks"]


def tell_callbacks(
    estimator: Any, X: Any, y: Any, progress: Callable[[int, int], None]
) -> Callable[[int, int], None]:
    """Have callbacks of an estimator follow ``progress(done, total)``, too.

    Every piece of work is a subtask of the fit.
    """
    if not getattr(estimator, "_skl_callbacks", None):
        return progress
    data = {"estimator": estimator, "X": X, "y": y, "metadata": {}}
    contexts: list[Any] = []

    def follow(done: int, total: int) -> None:
        if not contexts:
            contexts.append(estimator._init_callback_context(max_subtasks=total))
            contexts[0].call_on_fit_task_begin(**data)
        piece = contexts[0].subcontext(task_name="piece")
        piece.call_on_fit_task_begin(**data)
        piece.call_on_fit_task_end(**data, reconstruction_attributes={})
        if done == total:
            contexts[0].call_on_fit_task_end(**data, reconstruction_attributes={})
            contexts.clear()
        progress(done, total)

    return follow

"""Progress of a search: listeners, lines on standard error, scikit-learn callbacks."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Self

import pandas as pd

Progress = Callable[[int, int], None]
TellPortfolio = Callable[[pd.DataFrame], None]
Estimate = Callable[[float], None]

_listener: ContextVar[Progress | None] = ContextVar("listener", default=None)
_portfolio: ContextVar[TellPortfolio | None] = ContextVar("portfolio", default=None)
_estimate: ContextVar[Estimate | None] = ContextVar("estimate", default=None)


@contextmanager
def progress_to(
    listener: Progress,
    *,
    portfolio: TellPortfolio | None = None,
    estimate: Estimate | None = None,
) -> Iterator[None]:
    """Report the progress of searches inside the block.

    Parameters
    ----------
    listener : callable
        Called with the number of finished and of all pieces of work.
    portfolio : callable, default=None
        With "auto", called with ``portfolio_`` before the cross-validation.
    estimate : callable or None, default=None
        Called before a long search with the seconds that it will take, estimated from
        samples of its rows. None for no estimate.

    Yields
    ------
    None
        As a context manager.

    See Also
    --------
    SoftCostClassifierCV : Cost-and-error sensitive classification, chosen by
        cross-validation.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softcost import OneSidedRegression, SoftCostClassifierCV
    >>> from softcost.search import progress_to
    >>> X, y = load_iris(return_X_y=True)
    >>> calls = []
    >>> with progress_to(lambda done, total: calls.append((done, total))):
    ...     search = SoftCostClassifierCV(OneSidedRegression(), softness=2)
    ...     _ = search.fit(X, y)
    >>> done, total = calls[-1]
    >>> done == total
    True
    """
    listeners: dict[ContextVar[Any], Any] = {
        _listener: listener,
        _portfolio: portfolio,
        _estimate: estimate,
    }
    tokens = [(variable, variable.set(value)) for variable, value in listeners.items()]
    try:
        yield
    finally:
        for variable, token in tokens:
            variable.reset(token)


def part_of(progress: Progress, number: int, n_parts: int) -> Progress:
    """The progress of one of several parts, in percent of the part.

    In percent, because the number of pieces of a part is unknown before it begins.
    """
    if n_parts == 1:
        return progress
    reported = [0]

    def tell(done: int, total: int) -> None:
        percent = 100 * done // total
        if percent > reported[0]:
            reported[0] = percent
            progress(100 * number + percent, 100 * n_parts)

    return tell


def tell_portfolio(table: pd.DataFrame, verbose: int) -> None:
    """Report the families of "auto" to the listener, or on standard error."""
    tell = _portfolio.get()
    if tell is not None:
        tell(table)
    elif verbose and _listener.get() is None:
        names = ", ".join(table["family"][table["used"]])
        print(f"softcost: trying {names}", file=sys.stderr)


def silent(done: int, total: int) -> None:
    """Report nothing."""


def estimate_listener(verbose: int) -> Estimate | None:
    """The listener for the estimated time, if there is one."""
    if _listener.get() is not None:
        return _estimate.get()
    if not verbose:
        return None
    return lambda seconds: print(
        f"softcost: about {seconds:.0f} s to go, by samples of the rows",
        file=sys.stderr,
    )


def reporter(verbose: int) -> Progress:
    """The listener, or lines on standard error if ``verbose``, or `silent`."""
    listener = _listener.get()
    if listener is not None:
        return listener
    if not verbose:
        return silent
    started, shown = time.monotonic(), [0.0]

    def show(done: int, total: int) -> None:
        now = time.monotonic()
        if done == total or now - shown[0] > 1:
            shown[0] = now
            rest = (now - started) / done * (total - done)
            print(
                f"softcost: {done} of {total} parts, {rest:.0f} s left",
                file=sys.stderr,
            )

    return show


if TYPE_CHECKING:

    class CallbackSupportMixin:
        """`sklearn.callback.CallbackSupportMixin`."""

        def set_callbacks(self, *callbacks: Any) -> Self: ...

else:
    try:
        from sklearn.callback import CallbackSupportMixin
    except ImportError:  # scikit-learn before 1.9 has no callbacks

        class CallbackSupportMixin:
            """Does nothing."""


def tell_callbacks(
    estimator: Any, X: Any, y: Any, progress: Callable[[int, int], None]
) -> Callable[[int, int], None]:
    """Progress that also calls the scikit-learn callbacks of an estimator.

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

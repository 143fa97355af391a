"""How far a search has got, told to whoever asks."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

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
    """Have searches inside the block report how far they are.

    Parameters
    ----------
    listener : callable
        Called with the number of pieces of work that are done, and of all.
    portfolio : callable, default=None
        Called with ``portfolio_`` before anything is tried, where families are chosen
        by the table.
    estimate : callable or None, default=None
        Called, before a search begins that will take long, with the seconds that
        it will take by what samples of its rows take. None for no estimate.

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
    told: dict[ContextVar[Any], Any] = {
        _listener: listener,
        _portfolio: portfolio,
        _estimate: estimate,
    }
    tokens = [(variable, variable.set(value)) for variable, value in told.items()]
    try:
        yield
    finally:
        for variable, token in tokens:
            variable.reset(token)


def part_of(progress: Progress, number: int, n_parts: int) -> Progress:
    """The progress of one of several pieces of work, told in hundredths of it.

    How much there is to do is only known once a piece begins.
    """
    if n_parts == 1:
        return progress
    told = [0]

    def tell(done: int, total: int) -> None:
        hundredths = 100 * done // total
        if hundredths > told[0]:
            told[0] = hundredths
            progress(100 * number + hundredths, 100 * n_parts)

    return tell


def tell_portfolio(table: pd.DataFrame, verbose: int) -> None:
    """Say which families will be tried: to the listener, or on standard error."""
    tell = _portfolio.get()
    if tell is not None:
        tell(table)
    elif verbose and _listener.get() is None:
        names = ", ".join(table["family"][table["used"]])
        print(f"softcost: trying {names}", file=sys.stderr)


def silent(done: int, total: int) -> None:
    """Tell nobody."""


def estimate_listener(verbose: int) -> Estimate | None:
    """Who wants to know how long a search will take."""
    if _listener.get() is not None:
        return _estimate.get()
    if not verbose:
        return None
    return lambda seconds: print(
        f"softcost: about {seconds:.0f} s to go, by samples of the rows",
        file=sys.stderr,
    )


def reporter(verbose: int) -> Progress:
    """The listener; lines on standard error for ``verbose``; or nothing."""
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


# scikit-learn's callbacks (1.9 and newer), such as its progress bars.


try:
    from sklearn.callback import CallbackSupportMixin
except ImportError:  # before 1.9 there are none

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing to support."""


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

"""One thread that answers; requests that wait meanwhile are answered together.

A model has costs per call and costs per row. Under load several requests wait for the
thread: it takes all of them and calls the model once. Without load nothing waits, and
nothing is delayed.
"""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from queue import SimpleQueue
from typing import Any

import numpy as np

from softcost.errors import InputError
from softcost.parallel import one_thread
from softcost.service.answers import RowModel

UNPROCESSABLE, TOO_LARGE, FAILED, BUSY = 422, 413, 500, 503
Answers = list[dict[str, Any]]


class Refusal(Exception):
    """A request that is not answered: an HTTP status, and a sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


@dataclass
class _Request:
    model: RowModel
    rows: list[Any]
    future: asyncio.Future[Answers]
    result: Answers | Refusal | None = None


class RequestQueue:
    """Takes rows, gives answers.

    Parameters
    ----------
    most_rows : int
        About the number of rows that are answered at once.
    most_waiting : int
        Requests beyond this number are refused.
    answered : callable
        Called with the answers of every request.
    failed : callable
        Called with an unexpected exception.
    """

    def __init__(
        self,
        most_rows: int,
        most_waiting: int,
        answered: Callable[[Answers], None],
        failed: Callable[[Exception], None],
    ) -> None:
        self._most_rows, self._most_waiting = most_rows, most_waiting
        self._answered, self._failed = answered, failed
        self._queue: SimpleQueue[_Request | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    async def ask(self, model: RowModel, rows: list[Any]) -> Answers:
        """The model's answers for rows; raises a `Refusal`."""
        if self._queue.qsize() >= self._most_waiting:
            raise Refusal(BUSY, "too many requests are waiting; try again later.")
        future = asyncio.get_running_loop().create_future()
        self._queue.put(_Request(model, rows, future))
        return await future

    def close(self) -> None:
        """Answer what is waiting, and end the thread."""
        self._queue.put(None)
        self._thread.join()

    def _work(self) -> None:
        with one_thread():  # more threads only get in each other's way
            while self._turn():
                pass

    def _turn(self) -> bool:
        """Answer what is waiting; whether there may be more to come."""
        requests: list[_Request] = []
        n_rows, request = 0, self._queue.get()
        while request is not None:
            requests.append(request)
            n_rows += len(request.rows)
            if n_rows >= self._most_rows or self._queue.empty():
                break
            request = self._queue.get()
        # After a reload, requests for the old and for the new model may meet.
        for _, group in groupby(requests, key=lambda each: id(each.model)):
            self._answer(list(group))
        if requests:
            with suppress(RuntimeError):  # the service has ended
                requests[0].future.get_loop().call_soon_threadsafe(_settle, requests)
        return request is not None

    def _answer(self, group: list[_Request]) -> None:
        """Call the model once; if it refuses a row, once for each request."""
        model = group[0].model
        group, prepared = self._prepare(group)
        if not group:
            return
        try:
            with model.stored.refusing_rows():
                answers = model.answer(prepared.X, prepared.unlike, prepared.costs)
        except Exception as error:
            if len(group) > 1:
                for each in group:
                    self._answer([each])
            else:
                group[0].result = self._refusal(error, InputError)
            return
        ends = np.cumsum([len(each.rows) for each in group]).tolist()
        for each, end in zip(group, ends, strict=True):
            each.result = answers[end - len(each.rows) : end]
        self._answered(answers)

    def _prepare(self, group: list[_Request]) -> tuple[list[_Request], Any]:
        """Parse all rows at once; the requests whose rows can be read."""
        model = group[0].model
        try:
            return group, model.prepare([row for each in group for row in each.rows])
        except Exception as error:
            if len(group) == 1:
                group[0].result = self._refusal(error, ValueError)
                return [], None
        readable = [each for each in group if self._prepare([each])[0]]
        if len(readable) < len(group):
            return self._prepare(readable) if readable else ([], None)
        for each in group:  # rows that cannot be read together
            self._answer([each])
        return [], None

    def _refusal(self, error: Exception, about_rows: type[Exception]) -> Refusal:
        if isinstance(error, about_rows):
            return Refusal(UNPROCESSABLE, str(error))
        self._failed(error)
        return Refusal(FAILED, "the service failed on this request; see its log.")


def _settle(requests: list[_Request]) -> None:
    """Hand over results, in the thread of the event loop."""
    for request in requests:
        if request.future.done():  # the client has gone
            continue
        if isinstance(request.result, Refusal):
            request.future.set_exception(request.result)
        else:
            request.future.set_result(request.result or [])

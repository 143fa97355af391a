"""One thread that answers; what waits meanwhile is answered together.

A model has costs by call and costs by row. Under load several requests wait for the
thread: it takes all of them, and asks the model once. Without load nothing waits, and
nothing is delayed.
"""

import asyncio
import json
import threading
import traceback
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

import numpy as np
import pandas as pd

from softcost.cli.apply.service._answers import Prepared, RowModel
from softcost.cli.apply.service._requests import (
    UNPROCESSABLE,
    Asked,
    Refusal,
    read_rows,
)
from softcost.cli.console import BadInput, say
from softcost.parallel import one_thread

FAILED, BUSY = 500, 503


@dataclass(frozen=True)
class _Request:
    body: bytes
    future: asyncio.Future[bytes]

    def settle(self, result: bytes | Exception) -> None:
        """Hand over an answer, from whichever thread, unless nobody waits any more."""

        def settle() -> None:
            if self.future.done():
                return
            if isinstance(result, Exception):
                self.future.set_exception(result)
            else:
                self.future.set_result(result)

        self.future.get_loop().call_soon_threadsafe(settle)


class Desk:
    """Takes bodies of requests, gives answers as JSON.

    Parameters
    ----------
    most_rows : int
        Of one request; about as many are also answered at once.
    most_waiting : int
        Requests beyond are turned away.
    """

    def __init__(self, model: RowModel, most_rows: int, most_waiting: int) -> None:
        self.model, self.most_rows, self.most_waiting = model, most_rows, most_waiting
        self.answered = 0
        self._queue: SimpleQueue[_Request | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    async def ask(self, body: bytes) -> bytes:
        """The answer to a body; a `Refusal` says what is wrong with it."""
        if self._queue.qsize() >= self.most_waiting:
            raise Refusal(BUSY, "too many requests are waiting; ask again later.")
        future = asyncio.get_running_loop().create_future()
        self._queue.put(_Request(body, future))
        return await future

    def close(self) -> None:
        """Answer what is waiting, and end the thread."""
        self._queue.put(None)
        self._thread.join()

    def _work(self) -> None:
        with one_thread():  # more of them only get into each other's way
            going = True
            while going:
                going = self._turn()

    def _turn(self) -> bool:
        """Answer what is waiting; whether there may be more to come."""
        waiting: list[_Request] = []
        prepared: list[tuple[_Request, Asked, Prepared]] = []
        going, rows = True, 0
        while going and rows < self.most_rows:
            if waiting and self._queue.empty():
                break
            request = self._queue.get()
            if request is None:
                going = False
            else:
                waiting.append(request)
                rows += self._prepare(request, prepared)
        if len(prepared) > 1:
            self._answer_together(prepared)
        else:
            self._answer_alone(prepared)
        return going

    def _prepare(
        self, request: _Request, prepared: list[tuple[_Request, Asked, Prepared]]
    ) -> int:
        """Read a body; how many rows it has."""
        try:
            asked = read_rows(request.body, self.model, self.most_rows)
            if not asked.rows:
                request.settle(b"[]")
                return 0
            prepared.append((request, asked, self.model.prepare(asked.rows)))
            return len(asked.rows)
        except Refusal as refusal:
            request.settle(refusal)
        except ValueError as error:
            request.settle(Refusal(UNPROCESSABLE, str(error)))
        except Exception:
            request.settle(_fault())
        return 0

    def _answer_together(
        self, prepared: list[tuple[_Request, Asked, Prepared]]
    ) -> None:
        """Ask the model once; where it refuses some row, once for each request."""
        try:
            X = _joined([one.X for _, _, one in prepared])
            unlike = [names for _, _, one in prepared for names in one.unlike]
            answers = iter(self.model.answer(X, unlike))
        except Exception:
            self._answer_alone(prepared)
            return
        for request, asked, _ in prepared:
            self._reply(request, asked, [next(answers) for _ in asked.rows])

    def _answer_alone(self, prepared: list[tuple[_Request, Asked, Prepared]]) -> None:
        for request, asked, one in prepared:
            try:
                with self.model.stored.refusing_rows():
                    answers = self.model.answer(one.X, one.unlike)
            except BadInput as refused:
                request.settle(Refusal(UNPROCESSABLE, refused.message))
            except Exception:
                request.settle(_fault())
            else:
                self._reply(request, asked, answers)

    def _reply(self, request: _Request, asked: Asked, answers: list[Any]) -> None:
        self.answered += len(answers)
        value = answers[0] if asked.single else answers
        request.settle(json.dumps(value, allow_nan=False).encode("ascii"))


def _fault() -> Refusal:
    """Tell whoever runs the service what went wrong; the client, that it did."""
    traceback.print_exc()
    say("the request above failed; this is a fault of softcost, please report it.")
    return Refusal(FAILED, "the service failed on this request; its terminal says how.")


def _joined(parts: list[Any]) -> Any:
    if isinstance(parts[0], pd.DataFrame):
        return pd.concat(parts, ignore_index=True)
    return np.concatenate(parts)

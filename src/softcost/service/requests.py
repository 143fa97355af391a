"""Rows in the body of a request: strict JSON, checked before a model sees it."""

import asyncio
import json
import threading
import traceback
from collections import Counter
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

import numpy as np
import pandas as pd

from softcost.errors import InputError
from softcost.parallel import one_thread
from softcost.service.answers import Prepared, RowModel
from softcost.tables.cells import Tell, silent

BAD_REQUEST, UNPROCESSABLE, TOO_LARGE = 400, 422, 413


class Refusal(Exception):
    """A request that is not answered: a status of HTTP, and a sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


@dataclass(frozen=True)
class RowBatch:
    """Rows of one request; ``single`` where one was given, not a list of them."""

    rows: list[Any]
    single: bool


def read_rows(body: bytes, model: RowModel, most: int) -> RowBatch:
    """The rows of a body, of the form that the model wants.

    Parameters
    ----------
    most : int
        How many rows there may be.
    """
    found = _strict_json(body)
    single = not _is_list_of_rows(found, model)
    rows = [found] if single else found
    if len(rows) > most:
        raise Refusal(
            TOO_LARGE, f"there are {len(rows)} rows in a request; at most {most}."
        )
    for number, row in enumerate(rows, start=1):
        _check_row(row, number, model)
    return RowBatch(rows, single)


def _strict_json(body: bytes) -> Any:
    try:
        return json.loads(
            body.decode("utf-8"),
            parse_constant=_no_constant,
            object_pairs_hook=_no_name_twice,
        )
    except UnicodeDecodeError:
        raise Refusal(BAD_REQUEST, "the body is not text in UTF-8.") from None
    except RecursionError:
        raise Refusal(BAD_REQUEST, "the body is nested too deeply.") from None
    except ValueError as error:
        reason = str(error)[:200].rstrip(".")
        raise Refusal(BAD_REQUEST, f"the body is not JSON ({reason}).") from None


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number of JSON; give null for an empty cell")


def _no_name_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        (twice, _), *_ = Counter(name for name, _ in pairs).most_common(1)
        raise ValueError(f"{twice[:60]!r} is there twice in one object")
    return found


def _is_list_of_rows(found: Any, model: RowModel) -> bool:
    if not isinstance(found, list):
        return False
    named = model.columns is not None
    return named or not found or isinstance(found[0], list)


def _check_row(row: Any, number: int, model: RowModel) -> None:
    """Refuse a row of another form."""
    if model.columns is not None:
        if not isinstance(row, dict):
            raise Refusal(
                UNPROCESSABLE,
                f"row {number} is not an object; give the cells by name, as in "
                f'{{"{model.columns[0]}": ...}}.',
            )
        cells = [row[name] for name in model.columns if name in row]
    else:
        if not isinstance(row, list) or len(row) != model.n_columns:
            raise Refusal(
                UNPROCESSABLE,
                f"row {number} is not a list of {model.n_columns} numbers, one for "
                "each column of the model, which has no names for them.",
            )
        cells = row
    if any(isinstance(cell, list | dict) for cell in cells):
        raise Refusal(
            UNPROCESSABLE,
            f"row {number} has a cell that is a list or an object; cells are numbers, "
            "texts, true, false or null.",
        )


# One thread that answers; what waits meanwhile is answered together.
#
# A model has costs by call and costs by row. Under load several requests wait for the
# thread: it takes all of them, and asks the model once. Without load nothing waits, and
# nothing is delayed.


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


class RequestQueue:
    """Takes bodies of requests, gives answers as JSON.

    Parameters
    ----------
    most_rows : int
        Of one request; about as many are also answered at once.
    most_waiting : int
        Requests beyond are turned away.
    tell : callable, default=silent
        Called with a line for the operator if a request fails.
    """

    def __init__(
        self, model: RowModel, most_rows: int, most_waiting: int, tell: Tell = silent
    ) -> None:
        self.model, self.most_rows, self.most_waiting = model, most_rows, most_waiting
        self.tell = tell
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
        prepared: list[tuple[_Request, RowBatch, Prepared]] = []
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
        self, request: _Request, prepared: list[tuple[_Request, RowBatch, Prepared]]
    ) -> int:
        """Read a body; how many rows it has."""
        try:
            batch = read_rows(request.body, self.model, self.most_rows)
            if not batch.rows:
                request.settle(b"[]")
                return 0
            prepared.append((request, batch, self.model.prepare(batch.rows)))
            return len(batch.rows)
        except Refusal as refusal:
            request.settle(refusal)
        except ValueError as error:
            request.settle(Refusal(UNPROCESSABLE, str(error)))
        except Exception:
            request.settle(_fault(self.tell))
        return 0

    def _answer_together(
        self, prepared: list[tuple[_Request, RowBatch, Prepared]]
    ) -> None:
        """Ask the model once; where it refuses some row, once for each request."""
        try:
            X = _joined([one.X for _, _, one in prepared])
            unlike = [names for _, _, one in prepared for names in one.unlike]
            costs = None
            if prepared[0][2].costs is not None:
                costs = _joined([one.costs for _, _, one in prepared])
            answers = iter(self.model.answer(X, unlike, costs))
        except Exception:
            self._answer_alone(prepared)
            return
        for request, batch, _ in prepared:
            self._reply(request, batch, [next(answers) for _ in batch.rows])

    def _answer_alone(
        self, prepared: list[tuple[_Request, RowBatch, Prepared]]
    ) -> None:
        for request, batch, one in prepared:
            try:
                with self.model.stored.refusing_rows():
                    answers = self.model.answer(one.X, one.unlike, one.costs)
            except InputError as refused:
                request.settle(Refusal(UNPROCESSABLE, str(refused)))
            except Exception:
                request.settle(_fault(self.tell))
            else:
                self._reply(request, batch, answers)

    def _reply(self, request: _Request, batch: RowBatch, answers: list[Any]) -> None:
        self.answered += len(answers)
        value = answers[0] if batch.single else answers
        request.settle(json.dumps(value, allow_nan=False).encode("ascii"))


def _fault(tell: Tell) -> Refusal:
    """Tell whoever runs the service what went wrong; the client, that it did."""
    traceback.print_exc()
    tell("the request above failed; this is a fault of softcost, please report it.")
    return Refusal(FAILED, "the service failed on this request; its terminal says how.")


def _joined(parts: list[Any]) -> Any:
    if isinstance(parts[0], pd.DataFrame):
        return pd.concat(parts, ignore_index=True)
    return np.concatenate(parts)

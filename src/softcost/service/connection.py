"""Connections that do not wait for ever.

Uvicorn (0.54) has a timeout for idle connections only: the first byte of a request
cancels it. Heads, bodies and responses may take any time, and unfinished ones count
against ``limit_concurrency``, so a few hundred of them keep all other clients out.
"""

import asyncio
import json
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

_LATE = "the request did not arrive in time."


class TimedConnection(H11Protocol):
    """HTTP/1.1 with deadlines for heads, bodies and reading clients.

    Parameters
    ----------
    seconds : float
        Time for a head to arrive, idle time included; the same again for a body, and
        for a client to read on.
    most : int
        Connections at a time. Beyond, those that have kept the service waiting for the
        longest time are closed.
    waiting : dict
        Connections that keep the service waiting, the first one for the longest time;
        shared by all connections.
    """

    def __init__(
        self,
        *args: Any,
        seconds: float,
        most: int,
        waiting: dict["TimedConnection", None],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self._seconds, self._most, self._waiting = seconds, most, waiting
        self._awaited: Any = None  # a state of h11: of a head or of a body
        self._arrives: asyncio.TimerHandle | None = None
        self._drains: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Wait for the first head."""
        super().connection_made(transport)
        self._watch()
        if len(self.connections) > self._most and self._waiting:
            next(iter(self._waiting)).transport.abort()

    def data_received(self, data: bytes) -> None:
        """Read on; a part of what is awaited does not extend its deadline."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Wait for the next head, or until the client has read the response."""
        super().on_response_complete()
        if self.transport.is_closing():
            self._drains = self.loop.call_later(self._seconds, self.transport.abort)
        else:
            self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the deadlines."""
        super().connection_lost(exc)
        self._waiting.pop(self, None)
        for timer in (self._arrives, self._drains):
            if timer is not None:
                timer.cancel()

    def pause_writing(self) -> None:
        """The client does not read: wait for it, for a while."""
        super().pause_writing()
        self._drains = self.loop.call_later(self._seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """The client has read on."""
        super().resume_writing()
        if self._drains is not None:
            self._drains.cancel()

    def _watch(self) -> None:
        """Start or stop the deadline of what the client is to send next."""
        state = self.conn.their_state
        awaited = state if state in (h11.IDLE, h11.SEND_BODY) else None
        if awaited is self._awaited or self.transport.is_closing():
            return
        self._awaited = awaited
        self._waiting.pop(self, None)
        if self._arrives is not None:
            self._arrives.cancel()
        if awaited is not None:
            self._waiting[self] = None
            self._arrives = self.loop.call_later(self._seconds, self._expire)

    def _expire(self) -> None:
        begun = self._awaited is h11.SEND_BODY or bool(self.conn.trailing_data[0])
        if begun and self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            body = json.dumps({"error": _LATE}).encode("ascii")
            headers = [
                (b"content-type", b"application/json"),
                (b"content-length", str(len(body)).encode("ascii")),
                (b"connection", b"close"),
            ]
            response = h11.Response(status_code=408, headers=headers, reason=b"Timeout")
            for event in (response, h11.Data(data=body), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.abort()

"""The service as an ASGI application."""

import asyncio
import ipaddress
import json
import signal
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from softcost._extras import install_hint
from softcost.errors import InputError, argument, input_errors
from softcost.service.answers import RowModel
from softcost.service.openapi import POLICY, openapi_document, service_page
from softcost.service.requests import TOO_LARGE, Refusal, RequestQueue
from softcost.tables.cells import Tell, silent
from softcost.workflow.stored_model import open_model

_JSON = "application/json"
_WRONG_TYPE, _TOO_SLOW, _WRONG_HOST = 415, 408, 421


@dataclass(frozen=True)
class Limits:
    """What one client may ask for.

    Attributes
    ----------
    body : int
        Bytes of a request.
    rows : int
        Rows of a request.
    seconds : float
        For a body to arrive.
    waiting : int
        Requests that wait for an answer at a time.
    """

    body: int
    rows: int
    seconds: float = 10.0
    waiting: int = 1000


def make_app(
    model: RowModel,
    limits: Limits,
    hosts: Iterable[str] = (),
    tell: Tell = silent,
) -> Starlette:
    """An application that answers rows.

    Parameters
    ----------
    hosts : iterable of str
        Names of this machine that clients may use, beside its addresses and
        "localhost". A page of a stranger whose own name leads here (DNS rebinding)
        is turned away by this.
    tell : callable, default=silent
        Called with a line for the operator if a request fails.
    """
    queue = RequestQueue(model, limits.rows, limits.waiting, tell)
    document = openapi_document(model, limits.rows)
    page = service_page(model, document)

    async def answer(request: Request) -> Response:
        kind = request.headers.get("content-type", "").partition(";")[0]
        if kind.strip().lower() != _JSON:
            raise Refusal(_WRONG_TYPE, f"the body must have the type {_JSON}.")
        body = await _body(request, limits)
        return Response(await queue.ask(body), media_type=_JSON)

    async def health(request: Request) -> Response:
        return _json({"status": "ok", "rows_answered": queue.answered})

    async def describe(request: Request) -> Response:
        return _json(document)

    async def show(request: Request) -> Response:
        headers = {"content-security-policy": POLICY, "referrer-policy": "no-referrer"}
        return Response(page, media_type="text/html", headers=headers)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        await asyncio.to_thread(queue.close)

    return Starlette(
        routes=[
            Route("/", show),
            Route("/health", health),
            Route("/openapi.json", describe),
            Route("/predict", answer, methods=["POST"]),
        ],
        middleware=[Middleware(_KnownHosts, hosts=frozenset(hosts))],
        exception_handlers={Refusal: _refused, HTTPException: _not_found},
        lifespan=lifespan,
    )


async def _body(request: Request, limits: Limits) -> bytes:
    """A whole body, as far as it is small enough and comes in time."""
    too_large = Refusal(
        TOO_LARGE, f"the body is larger than {limits.body} bytes; send fewer rows."
    )
    length = request.headers.get("content-length", "0")
    if length.isdecimal() and (len(length) > 18 or int(length) > limits.body):
        raise too_large
    parts, size = [], 0
    try:
        async with asyncio.timeout(limits.seconds):
            async for part in request.stream():
                size += len(part)
                if size > limits.body:
                    raise too_large
                parts.append(part)
    except TimeoutError:
        raise Refusal(_TOO_SLOW, "the body did not arrive in time.") from None
    except ClientDisconnect:
        raise Refusal(_TOO_SLOW, "the body ended too early.") from None
    return b"".join(parts)


def _refused(request: Request, refusal: Any) -> Response:
    # What is left of a body that nobody reads would be taken for the next request.
    closes = {"connection": "close"} if refusal.status in (TOO_LARGE, _TOO_SLOW) else {}
    return _json({"error": str(refusal)}, refusal.status, closes)


def _not_found(request: Request, error: Any) -> Response:
    sentence = "there is POST /predict, GET /health, GET /openapi.json and GET /."
    return _json({"error": sentence}, error.status_code, dict(error.headers or {}))


def _json(value: Any, status: int = 200, headers: Any = None) -> Response:
    """Strict JSON, in ASCII whatever names hold."""
    text = json.dumps(value, allow_nan=False)
    return Response(text, status, headers, media_type=_JSON)


class _KnownHosts:
    """Turns away requests that are made for another host."""

    def __init__(self, app: Any, hosts: frozenset[str]) -> None:
        self.app = app
        self.hosts = {"localhost", *(name.lower() for name in hosts)}

    async def __call__(
        self,
        scope: Any,
        receive: Callable[[], Awaitable[Any]],
        send: Callable[[Any], Awaitable[None]],
    ) -> None:
        if scope["type"] == "http":
            given = [value for name, value in scope["headers"] if name == b"host"]
            if len(given) != 1 or not self._is_known(given[0].decode("latin-1")):
                sentence = (
                    "this service answers to its address and to localhost only; "
                    f"whoever runs it can add a name with {argument('allow_host')}."
                )
                refusal = _json({"error": sentence}, _WRONG_HOST)
                await refusal(scope, receive, send)
                return
        await self.app(scope, receive, send)

    def _is_known(self, given: str) -> bool:
        name = host_name(given)
        if name.lower() in self.hosts:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True


def host_name(given: str) -> str:
    """A Host header without its port.

    Examples
    --------
    >>> host_name("[::1]:8000"), host_name("localhost:8000"), host_name("127.0.0.1")
    ('::1', 'localhost', '127.0.0.1')
    """
    if given.startswith("["):
        return given[1:].partition("]")[0]
    return given.partition(":")[0]


# The work behind ``softcost serve``.


_LISTEN = 512  # connections that wait to be accepted
_KEPT_OPEN = 30  # seconds that a connection may idle
_LAST_ANSWERS = 10  # seconds for requests that are under way when it is stopped
_CONNECTIONS = 500  # beyond, a client is told that the service is busy
_LARGEST_HEAD = 32 * 1024


def run(
    path: str,
    host: str,
    port: int,
    allowed: Sequence[str],
    max_body: float,
    max_rows: int,
    tell: Tell = silent,
) -> None:
    """Answer requests until a signal comes; ``tell`` gets lines for the operator."""
    try:
        import starlette  # noqa: F401
        import uvicorn
    except ImportError:
        raise InputError(
            f"serve needs starlette and uvicorn: {install_hint('serve')}."
        ) from None
    from softcost.service.answers import RowModel

    with input_errors():
        model = RowModel(open_model(path))
        listening = _listen(host, port)
    limits = Limits(round(max_body * 2**20), max_rows)
    server = uvicorn.Server(
        uvicorn.Config(
            make_app(model, limits, allowed, tell),
            access_log=False,
            log_config=None,
            log_level="critical",  # of malformed requests the client is told
            timeout_keep_alive=_KEPT_OPEN,
            timeout_graceful_shutdown=_LAST_ANSWERS,
            limit_concurrency=_CONNECTIONS,
            h11_max_incomplete_event_size=_LARGEST_HEAD,
            http="h11",
            ws="none",
            loop="asyncio",
            server_header=False,
        )
    )
    _say_where(listening, path, tell)
    _run_until_stopped(server, listening)
    tell("stopped.")


def _listen(host: str, port: int) -> socket.socket:
    """A socket that listens, so that its port is known before anything is said."""
    listening = None
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(found[0], found[1])
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(found[4])
        listening.listen(_LISTEN)
    except OSError as error:
        if listening is not None:
            listening.close()
        reason = error.strerror or str(error)
        raise ValueError(
            f"nothing can listen on {host} port {port} ({reason}); choose another "
            f"{argument('port')}, or 0 for any that is free."
        ) from None
    return listening


def _say_where(listening: socket.socket, path: str, tell: Tell) -> None:
    address, port = listening.getsockname()[:2]
    shown = f"[{address}]" if ":" in address else address
    tell(f"serving {path} on http://{shown}:{port}/ until it is stopped (Ctrl-C).")
    if not (address.startswith("127.") or address == "::1"):
        tell(
            "warning: whoever reaches this machine can ask, and nothing is encrypted; "
            "put it behind a proxy that asks who they are."
        )


def _run_until_stopped(server: Any, listening: socket.socket) -> None:
    """Run; the first signal lets requests under way end, and is no error."""

    def stop(*_: Any) -> None:
        server.should_exit = True

    # Uvicorn has handlers of its own while it runs, and hands the signal on to these.
    before = {one: signal.signal(one, stop) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        server.run(sockets=[listening])
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
        listening.close()

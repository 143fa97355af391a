"""The service as an ASGI application: a gate in front of FastAPI."""

import base64
import hashlib
import hmac
import ipaddress
import json
import time
import traceback
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Annotated, Any

from fastapi import APIRouter, Body, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import PlainTextResponse
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from softcost._version import __version__
from softcost.errors import argument
from softcost.service.answers import RowModel
from softcost.service.contract import (
    Health,
    Problem,
    answer_type,
    body_type,
    explain,
)
from softcost.service.request_queue import (
    FAILED,
    TOO_LARGE,
    UNPROCESSABLE,
    Refusal,
    RequestQueue,
)
from softcost.service.telemetry import Metrics, event, log
from softcost.tables.cells import Tell, silent

_JSON = "application/json"
_BAD_REQUEST, _NO_TOKEN, _WRONG_TYPE, _WRONG_HOST = 400, 401, 415, 421
_GATE = {
    _NO_TOKEN: "The bearer token is missing or wrong.",
    408: "The request did not arrive in time.",
    TOO_LARGE: "The body is too large.",
    _WRONG_HOST: "The request is for another host.",
}
_PROBLEMS = {
    _BAD_REQUEST: "The body is not JSON.",
    _WRONG_TYPE: "The content type is not application/json.",
    UNPROCESSABLE: "A row cannot be read; the sentence names row and column.",
    FAILED: "The service failed on this request.",
    503: "Too many requests are waiting.",
}
_OPEN = ("/", "/health")  # paths that need no token
_PATHS = {*_OPEN, "/predict", "/metrics", "/openapi.json"}

Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]


@dataclass(frozen=True)
class Limits:
    """What clients may do.

    Attributes
    ----------
    body : int
        Bytes of a request.
    rows : int
        Rows of a request.
    seconds : float
        For a head to arrive, and again for a body.
    waiting : int
        Requests that wait for an answer at a time.
    connections : int
        Connections at a time.
    """

    body: int = 2**20
    rows: int = 1000
    seconds: float = 10.0
    waiting: int = 1000
    connections: int = 4000


class Service:
    """Answers the requests of known hosts with the token, if there is one.

    Parameters
    ----------
    model : RowModel
        The model, until `use` replaces it.
    limits : Limits
        What clients may do.
    hosts : sequence of str
        Names of this machine that clients may use, beside its addresses and
        "localhost". Refuses pages of strangers whose name leads here (DNS rebinding).
    token : str or None
        Clients must send it in an ``Authorization: Bearer`` header.
    tell : callable, default=silent
        Called with a sentence for the operator if a request fails.
    """

    def __init__(
        self,
        model: RowModel,
        limits: Limits,
        hosts: Sequence[str] = (),
        token: str | None = None,
        tell: Tell = silent,
    ) -> None:
        self.limits: Limits = limits
        self.token: str | None = token
        self._tell = tell
        self.hosts: set[str] = {"localhost", *(name.lower() for name in hosts)}
        self.metrics: Metrics = Metrics()
        self.queue: RequestQueue = RequestQueue(
            limits.rows, limits.waiting, self.metrics.count, self._failed
        )
        self.use(model)

    def use(self, model: RowModel) -> None:
        """Answer further requests with a model."""
        self._app = _make_app(model, self)
        self.metrics.loads.labels("ok").inc()

    def _failed(self, error: Exception) -> None:
        traceback.print_exception(error)
        log.error("request failed", exc_info=error)
        self._tell("the request above failed; this is a bug in softcost: report it.")

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Check, read and pass on a request; count and log its response."""
        begin, status = time.perf_counter(), 0  # 0: gone before there was a response

        async def sending(message: Any) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            self._check(scope)
            body = await _read(scope, receive, self.limits.body)
            if body is not None:
                begin = time.perf_counter()
                await self._app(scope, _replayed(body, receive), sending)
        except Refusal as refusal:
            await _refuse(refusal, scope, receive, sending)
        except Exception as error:
            self._failed(error)  # FastAPI has sent a response
        seconds = time.perf_counter() - begin
        path = scope["path"] if scope["path"] in _PATHS else "other"
        self.metrics.seconds.labels(path, status).observe(seconds)
        if log.handlers:
            event(
                "request",
                method=scope["method"],
                path=scope["path"],
                status=status,
                ms=round(1000 * seconds, 3),
                client=(scope.get("client") or [None])[0],
                **scope.get("state", {}),
            )

    def _check(self, scope: Any) -> None:
        """Raise a `Refusal` for another host, or without the token."""
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1 or not self._is_known(hosts[0].decode("latin-1")):
            raise Refusal(
                _WRONG_HOST,
                "this service answers to its address and to localhost only; its "
                f"operator can add a name with {argument('allow_host')}.",
            )
        if self.token is None or scope["path"] in _OPEN:
            return
        sent = dict(scope["headers"]).get(b"authorization", b"")
        scheme, _, token = sent.partition(b" ")
        same = hmac.compare_digest(token.strip(), self.token.encode("ascii"))
        if scheme.lower() != b"bearer" or not same:
            raise Refusal(
                _NO_TOKEN, "send the token as a header, 'Authorization: Bearer TOKEN'."
            )

    def _is_known(self, host: str) -> bool:
        name = host_name(host)
        if name.lower() in self.hosts:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True


def host_name(host: str) -> str:
    """A Host header without its port.

    Examples
    --------
    >>> host_name("[::1]:8000"), host_name("localhost:8000"), host_name("127.0.0.1")
    ('::1', 'localhost', '127.0.0.1')
    """
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]


# Bodies are read before FastAPI gets a request, whatever its path: a body of limited
# size is read to its end, so the connection can be used again. `TimedConnection` ends
# bodies that take too long.


def _has_body(scope: Any) -> bool:
    headers = dict(scope["headers"])
    return (
        b"transfer-encoding" in headers or headers.get(b"content-length", b"0") != b"0"
    )


async def _read(scope: Any, receive: Receive, most: int) -> bytes | None:
    """The body of a request; None if the client has gone."""
    if not _has_body(scope):
        return b""
    too_large = Refusal(
        TOO_LARGE, f"the body is larger than {most} bytes; send fewer rows."
    )
    length = dict(scope["headers"]).get(b"content-length", b"0")
    if length.isdigit() and (len(length) > 18 or int(length) > most):
        raise too_large
    body, more = bytearray(), True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        body += message["body"]
        if len(body) > most:
            raise too_large
        more = message["more_body"]
    return bytes(body)


def _replayed(body: bytes, receive: Receive) -> Receive:
    messages = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Any:
        return messages.pop() if messages else await receive()

    return replayed


async def _refuse(refusal: Refusal, scope: Any, receive: Receive, send: Send) -> None:
    """Respond before the body has been read, and close the connection behind it."""
    response = _json({"error": str(refusal)}, refusal.status)
    if refusal.status == _NO_TOKEN:
        response.headers["www-authenticate"] = "Bearer"
    unread = _has_body(scope)
    if unread:
        response.headers["connection"] = "close"
    start = {"status": refusal.status, "headers": response.raw_headers}
    await send({"type": "http.response.start", **start})
    await send({"type": "http.response.body", "body": response.body, "more_body": True})
    # A connection that is closed with bytes unread is reset, and a client that is still
    # sending would not get the response.
    while unread:
        unread = (await receive()).get("more_body", False)
    await send({"type": "http.response.body", "body": b""})


# The application behind the gate.


def _strict_json(body: bytes) -> Any:
    """JSON with one meaning only: no NaN, and no name twice in an object."""
    if not body:
        raise Refusal(_BAD_REQUEST, "the body is not JSON (it is empty).")
    try:
        return json.loads(
            body.decode("utf-8"),
            parse_constant=_no_constant,
            object_pairs_hook=no_name_twice,
        )
    except UnicodeDecodeError:
        raise Refusal(_BAD_REQUEST, "the body is not text in UTF-8.") from None
    except RecursionError:
        raise Refusal(_BAD_REQUEST, "the body is nested too deeply.") from None
    except ValueError as error:
        reason = str(error)[:200].rstrip(".")
        raise Refusal(_BAD_REQUEST, f"the body is not JSON ({reason}).") from None


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number of JSON; give null for an empty cell")


def no_name_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON; a ValueError if a name occurs twice."""
    value = dict(pairs)
    if len(value) < len(pairs):
        (twice, _), *_ = Counter(name for name, _ in pairs).most_common(1)
        raise ValueError(f"{twice[:60]!r} is there twice in one object")
    return value


class _StrictRequest(Request):
    """A request with `_strict_json`, from which FastAPI takes the body."""

    value: Any

    async def json(self) -> Any:
        return self.value


class _JsonRoute(APIRoute):
    """A route for strict JSON and nothing else.

    A browser sends other types for pages of strangers without asking the service.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def strict(request: Request) -> Response:
            kind = request.headers.get("content-type", "").partition(";")[0]
            if kind.strip().lower() != _JSON:
                raise Refusal(_WRONG_TYPE, f"the body must have the type {_JSON}.")
            request = _StrictRequest(request.scope, request.receive)
            request.value = _strict_json(await request.body())
            return await handle(request)

        return strict


def _problems(texts: Mapping[int, str | None]) -> dict[int | str, dict[str, Any]]:
    return {
        status: {"model": Problem, "description": text}
        for status, text in texts.items()
        if text is not None
    }


def _make_app(model: RowModel, service: Service) -> FastAPI:
    anyone = _problems({**_GATE, _NO_TOKEN: None})
    gate = anyone if service.token is None else _problems(_GATE)
    body: Any = body_type(model, service.limits.rows)
    answer: Any = answer_type(model)
    json_routes, routes = APIRouter(route_class=_JsonRoute), APIRouter()

    @json_routes.post(
        "/predict",
        response_model=answer | list[answer],
        responses=gate | _problems(_PROBLEMS),
    )
    async def predict(
        rows: Annotated[body, Body(examples=[model.example()])],
        request: Request,
    ) -> Response:
        """Answer one row, or a list of rows."""
        single = isinstance(rows, dict) or (
            len(rows) > 0 and not isinstance(rows[0], list | dict)
        )
        every = [rows] if single else rows
        request.state.rows = len(every)
        answers = await service.queue.ask(model, every) if every else []
        return _json(answers[0] if single else answers)

    @routes.get("/health", response_model=Health, responses=anyone)
    async def health() -> Response:
        """Whether the service answers."""
        return _json({"status": "ok"})

    @routes.get("/metrics", response_class=PlainTextResponse, responses=gate)
    async def metrics() -> Response:
        """Numbers of requests, decisions, expected costs and drift, for Prometheus."""
        return Response(service.metrics.text(), media_type=Metrics.media_type)

    @routes.get("/", include_in_schema=False)
    async def show() -> Response:
        headers = {"content-security-policy": POLICY, "referrer-policy": "no-referrer"}
        return Response(PAGE, media_type="text/html", headers=headers)

    async def invalid(request: Request, error: Any) -> Response:
        return _json({"error": explain(error.errors()[0], model)}, UNPROCESSABLE)

    app = FastAPI(
        title="softcost serve",
        version=__version__,
        description="Answers of one model for rows of a table.",
        docs_url=None,  # their scripts come from elsewhere
        redoc_url=None,
        separate_input_output_schemas=False,
        exception_handlers={
            Refusal: _refused,
            RequestValidationError: invalid,
            HTTPException: _not_found,
            Exception: _broken,
        },
    )
    app.include_router(json_routes)
    app.include_router(routes)
    if service.token is not None:
        document = app.openapi()
        schemes = {"token": {"type": "http", "scheme": "bearer"}}
        document["components"]["securitySchemes"] = schemes
        document["security"] = [{"token": []}]
        document["paths"]["/health"]["get"]["security"] = []
    return app


def _json(value: Any, status: int = 200, headers: Any = None) -> Response:
    """Strict JSON, in ASCII whatever names hold."""
    text = json.dumps(value, allow_nan=False)
    return Response(text, status, headers, media_type=_JSON)


async def _refused(request: Request, refusal: Any) -> Response:
    return _json({"error": str(refusal)}, refusal.status)


async def _not_found(request: Request, error: Any) -> Response:
    sentence = "there is POST /predict and GET /, /health, /metrics, /openapi.json."
    return _json({"error": sentence}, error.status_code, dict(error.headers or {}))


async def _broken(request: Request, error: Exception) -> Response:
    return _json({"error": "the service failed on this request; see its log."}, FAILED)


# The service's own page. It needs nothing from elsewhere, and its policy lets no other
# script run. It describes the model from the OpenAPI document, for which it asks with
# the token of whoever looks at it.


def _part(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


_STYLE, _SCRIPT = _part("page.css"), _part("page.js")
PAGE = (
    _part("page.html").replace("<!--style-->", _STYLE).replace("<!--script-->", _SCRIPT)
)
POLICY = (
    f"default-src 'none'; style-src {_digest(_STYLE)}; script-src {_digest(_SCRIPT)}; "
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)

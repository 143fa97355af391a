"""Processes of the service: sockets, workers and signals."""

import ipaddress
import multiprocessing
import os
import signal
import socket
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from softcost._extras import install_hint
from softcost.errors import InputError, argument, input_errors
from softcost.tables.cells import Tell, silent
from softcost.workflow.stored_model import open_model

if TYPE_CHECKING:
    from softcost.service.app import Limits, Service

TOKEN_VARIABLE = "SOFTCOST_TOKEN"
_SHORTEST_TOKEN = 16  # characters
_BACKLOG = 512  # connections that wait to be accepted
_LAST_ANSWERS = 10  # seconds for requests that are under way when it is stopped
_LARGEST_HEAD = 32 * 1024
_SPARE_FILES = 100  # beside connections


@dataclass(frozen=True)
class ServeOptions:
    """What ``softcost serve`` was asked for.

    Attributes
    ----------
    path : str
        The model file.
    hosts : tuple of str
        Names of this machine that clients may use.
    max_body : float
        Megabytes of a request.
    max_rows : int
        Rows of a request.
    token_file : str or None
        File with the bearer token; otherwise the environment may have one.
    log : str or None
        File for lines of JSON; "-" for standard output.
    """

    path: str
    host: str = "127.0.0.1"
    port: int = 8000
    hosts: tuple[str, ...] = ()
    max_body: float = 1.0
    max_rows: int = 1000
    workers: int = 1
    token_file: str | None = None
    log: str | None = None


def serve(options: ServeOptions, tell: Tell = silent) -> None:
    """Answer requests until a signal comes; ``tell`` gets lines for the operator."""
    try:
        import fastapi  # noqa: F401
        import prometheus_client  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise InputError(
            f"serve needs {error.name}: {install_hint('serve')}."
        ) from None
    with input_errors():
        open_model(options.path)
        token = _read_token(options.token_file)
        if options.log not in (None, "-"):
            Path(str(options.log)).open("a").close()
        listening = _listen(options.host, options.port, token)
    with listening:
        if options.workers > 1:
            _supervise(options, listening, token, tell)
        else:
            work(options, listening, token, tell)
    tell("stopped.")


def _tell_where(options: ServeOptions, listening: socket.socket, tell: Tell) -> None:
    """Print the address, once signals are handled."""
    address, port = listening.getsockname()[:2]
    shown = f"[{address}]" if ":" in address else address
    tell(
        f"serving {options.path} on http://{shown}:{port}/ until it is stopped "
        "(Ctrl-C)."
    )


def _read_token(path: str | None) -> str | None:
    """The token, from a file or from the environment."""
    if path is None:
        token, place = os.environ.get(TOKEN_VARIABLE), TOKEN_VARIABLE
    else:
        token, place = Path(path).read_text(encoding="utf-8").strip(), path
    if token is None:
        return None
    if len(token) < _SHORTEST_TOKEN or not token.isascii() or not token.isprintable():
        raise ValueError(
            f"the token in {place} must have at least {_SHORTEST_TOKEN} characters, "
            "all printable ASCII; create one with 'openssl rand -hex 32'."
        )
    return token


def _listen(host: str, port: int, token: str | None) -> socket.socket:
    """A socket that listens, so its port is known before anything is printed."""
    listening = None
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        loopback = ipaddress.ip_address(str(found[4][0]).partition("%")[0]).is_loopback
        if token is None and not loopback:
            raise ValueError(
                f"{argument('host')} {host} can be reached from other machines, so the "
                f"service needs a token: give {argument('token_file')} FILE, or set "
                f"{TOKEN_VARIABLE}. Create one with 'openssl rand -hex 32'."
            )
        listening = socket.socket(found[0], found[1])
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(found[4])
        listening.listen(_BACKLOG)
    except OSError as error:
        if listening is not None:
            listening.close()
        reason = error.strerror or str(error)
        raise ValueError(
            f"nothing can listen on {host} port {port} ({reason}); choose another "
            f"{argument('port')}, or 0 for any that is free."
        ) from None
    return listening


# One worker: an event loop for connections, a thread for the model.


def make_server(service: "Service") -> Any:
    """The service behind uvicorn, with deadlines for clients."""
    from functools import partial

    import uvicorn

    from softcost.service.connection import TimedConnection

    limits = service.limits
    connection = partial(
        TimedConnection, seconds=limits.seconds, most=limits.connections, waiting={}
    )
    config = uvicorn.Config(
        service,
        http=connection,  # type: ignore[arg-type]
        lifespan="off",
        ws="none",
        loop="asyncio",
        interface="asgi3",
        access_log=False,
        log_config=None,
        log_level="critical",  # a malformed request is the client's business
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=max(1, round(limits.seconds)),
        timeout_graceful_shutdown=_LAST_ANSWERS,
        h11_max_incomplete_event_size=_LARGEST_HEAD,
    )
    return uvicorn.Server(config)


def work(
    options: ServeOptions,
    listening: socket.socket,
    token: str | None,
    tell: Tell,
    ready: Any = None,
) -> None:
    """Answer requests until SIGINT or SIGTERM; load the model again on SIGHUP.

    ``ready`` gets True before the first request, in a worker of several.
    """
    from softcost.service.answers import RowModel
    from softcost.service.app import Limits, Service
    from softcost.service.telemetry import event, write_log

    def load() -> RowModel:
        model = RowModel(open_model(options.path))
        model.warm_up()
        return model

    def reload() -> None:
        try:
            service.use(load())
        except Exception as error:
            service.metrics.loads.labels("failed").inc()
            event("reload failed", model=options.path, error=str(error))
            tell(f"kept the old model: {error}")
        else:
            event("reloaded", model=options.path)
            tell(f"loaded {options.path} again.")

    write_log(options.log)
    body = round(options.max_body * 2**20)
    limits = Limits(body, options.max_rows, connections=_allow_connections(Limits()))
    service = Service(load(), limits, options.hosts, token, tell)
    server = make_server(service)

    def stop(*_: Any) -> None:
        server.should_exit = True

    handlers = {signal.SIGINT: stop, signal.SIGTERM: stop}
    if hasattr(signal, "SIGHUP"):
        # In a thread, so that the old model answers meanwhile.
        handlers[signal.SIGHUP] = lambda *_: threading.Thread(target=reload).start()
    # Uvicorn has handlers of its own while it runs, and hands the signal on to these.
    before = {number: signal.signal(number, how) for number, how in handlers.items()}
    if ready is None:
        _tell_where(options, listening, tell)
    else:
        parent = multiprocessing.parent_process()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        threading.Thread(target=_stop_with, args=(parent, stop), daemon=True).start()
        ready.send(True)
    event("started", model=options.path)
    try:
        server.run(sockets=[listening])
    finally:
        service.queue.close()
        event("stopped")
        for number, handler in before.items():
            signal.signal(number, handler)


def _stop_with(parent: Any, stop: Callable[[], None]) -> None:
    parent.join()
    stop()


def _allow_connections(limits: "Limits") -> int:
    """How many connections fit into the limit of open files, which is raised."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = limits.connections + _SPARE_FILES
        if soft < wanted:
            soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        return min(limits.connections, soft - _SPARE_FILES)
    return limits.connections


# Several workers: processes that accept from one socket.

_SIGNALS = {
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGCHLD")
    if hasattr(signal, name)
}


def _supervise(
    options: ServeOptions, listening: socket.socket, token: str | None, tell: Tell
) -> None:
    """Start workers, replace those that end, and pass signals on to them."""
    from softcost.service.telemetry import SHARED

    if not hasattr(signal, "pthread_sigmask"):
        raise InputError(f"{argument('workers')} needs signals of POSIX; leave it out.")
    context = multiprocessing.get_context("spawn")  # libraries with threads cannot fork
    arguments = (options, listening, token, tell)
    workers: dict[Any, Any] = {}  # and what tells whether they have served
    signals: SimpleQueue[int] = SimpleQueue()

    def start() -> None:
        ready, sender = context.Pipe(duplex=False)
        worker = context.Process(target=work, args=(*arguments, sender))
        # Signals wait until the worker handles them.
        signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        worker.start()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        sender.close()
        workers[worker] = ready

    before = {
        number: signal.signal(number, lambda number, _: signals.put(number))
        for number in _SIGNALS
    }
    failed = False
    with tempfile.TemporaryDirectory(prefix="softcost-serve-") as folder:
        os.environ[SHARED] = folder
        try:
            for _ in range(options.workers):
                start()
            _tell_where(options, listening, tell)
            while not failed:
                number = signals.get()
                if number == signal.SIGHUP:
                    _send(workers, number)
                elif number != signal.SIGCHLD:
                    break
                for worker in [each for each in workers if not each.is_alive()]:
                    tell(f"worker {worker.pid} ended with code {worker.exitcode}.")
                    failed |= not _has_served(workers.pop(worker))
                    if not failed:
                        start()
        finally:
            _send(workers, signal.SIGTERM)
            for worker in workers:
                worker.join()
            del os.environ[SHARED]
            for number, handler in before.items():
                signal.signal(number, handler)
    if failed:
        raise InputError(
            f"a worker ended right after its start; leave out {argument('workers')} to "
            "see why."
        )


def _has_served(ready: Any) -> bool:
    """Whether a worker that has ended would not do so for ever."""
    with ready, suppress(EOFError):
        return bool(ready.recv())
    return False


def _send(workers: Any, number: int) -> None:
    for worker in workers:
        with suppress(ProcessLookupError):
            os.kill(worker.pid, number)

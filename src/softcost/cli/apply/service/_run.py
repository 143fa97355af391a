"""The work behind ``softcost serve``."""

import signal
import socket
from collections.abc import Sequence
from typing import Any

from softcost.cli.apply._model_file import open_model
from softcost.cli.console import BadInput, bad_input, say

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
) -> None:
    """Answer requests until a signal comes."""
    try:
        import starlette  # noqa: F401
        import uvicorn
    except ImportError:
        raise BadInput(
            "serve needs starlette and uvicorn: pip install 'softcost[serve]'."
        ) from None
    from softcost.cli.apply.service._answers import RowModel
    from softcost.cli.apply.service._app import Limits, make_app

    with bad_input():
        model = RowModel(open_model(path))
        listening = _listen(host, port)
    limits = Limits(round(max_body * 2**20), max_rows)
    server = uvicorn.Server(
        uvicorn.Config(
            make_app(model, limits, allowed),
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
    _say_where(listening, path)
    _run_until_stopped(server, listening)
    say("stopped.")


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
            "--port, or 0 for any that is free."
        ) from None
    return listening


def _say_where(listening: socket.socket, path: str) -> None:
    address, port = listening.getsockname()[:2]
    shown = f"[{address}]" if ":" in address else address
    say(f"serving {path} on http://{shown}:{port}/ until it is stopped (Ctrl-C).")
    if not (address.startswith("127.") or address == "::1"):
        say(
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

"""Clients that are slow, silent or rude keep nobody else out."""

import http.client
import json
import socket
from contextlib import ExitStack

import pytest

pytest.importorskip("fastapi", reason="serve needs its extra")

GOOD = {"Größe": 1, "price, net": "2.5", "kind": None}
HEAD = (
    b"POST /predict HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
)


def connect(served):
    return socket.create_connection(("127.0.0.1", served.port))


def read_all(connection):
    """Whatever comes until the service closes the connection."""
    parts = []
    try:
        while part := connection.recv(65_536):
            parts.append(part)
    except ConnectionError:  # it was closed with bytes unread
        pass
    return b"".join(parts)


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"", None),
        (b"GET /health HT", 408),
        (b"GET /health HTTP/1.1\r\nhost: loc", 408),
        (HEAD + b"content-length: 9\r\n\r\n{", 408),
        (HEAD + b"transfer-encoding: chunked\r\n\r\n1\r\n{\r\n", 408),
        (
            b"POST /nowhere HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n",
            408,
        ),
        (b"GET / HTTP/1.1\r\nhost: evil.example\r\ncontent-length: 9\r\n\r\n", 421),
        (HEAD + b"content-length: 99999999\r\n\r\n[", 413),
    ],
    ids=["silence", "path", "head", "body", "chunks", "404", "421", "413"],
)
def test_unfinished_requests_end(menu, serving, sent, status):
    """On every path, with a response if there was something to respond to."""
    with serving(menu.model, seconds=0.3) as served, connect(served) as slow:
        slow.sendall(sent)
        told = read_all(slow)
    if status is None:
        assert told == b""
    else:
        assert f" {status} ".encode() in told.splitlines()[0]
        head, _, body = told.partition(b"\r\n\r\n")
        assert b"connection: close" in head
        assert list(json.loads(body)) == ["error"]


def test_a_trickle_does_not_extend_the_deadline(menu, serving):
    """A byte now and then, on a path that nobody reads."""
    with serving(menu.model, seconds=0.5) as served, connect(served) as slow:
        head = b"POST /nowhere HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100000"
        slow.sendall(head + b"\r\n\r\n")
        slow.settimeout(0.05)
        told = None
        while told is None:  # for ever, if every byte extended the deadline
            try:
                slow.sendall(b".")
                told = slow.recv(65_536)
            except TimeoutError:
                continue
            except ConnectionError:
                told = b""
        assert told == b"" or b" 408 " in told.splitlines()[0]


def test_half_open_clients_keep_nobody_out(menu, serving):
    with serving(menu.model) as served, ExitStack() as stack:
        for number in range(600):
            slow = stack.enter_context(connect(served))
            slow.sendall(HEAD if number % 2 else b"GET /heal")
        assert served.ask(None, "/health", "GET", {}) == (200, {"status": "ok"})
        assert served.ask(json.dumps(GOOD))[0] == 200


def test_the_longest_wait_ends_first_if_there_are_too_many(menu, serving):
    with serving(menu.model, most=5) as served, ExitStack() as stack:
        waiting = [stack.enter_context(connect(served)) for _ in range(5)]
        for slow in waiting:
            slow.sendall(b"GET /heal")
        assert served.ask(None, "/health", "GET", {})[0] == 200
        assert read_all(waiting[0]) == b""
        waiting[4].sendall(b"th HTTP/1.1\r\nhost: localhost\r\n\r\n")
        assert b" 200 " in waiting[4].recv(65_536).splitlines()[0]


def test_a_client_that_reads_nothing_is_left(menu, serving):
    """Its responses fill the buffers of both sides."""
    body = json.dumps([GOOD] * 900).encode()
    request = HEAD + b"content-length: %d\r\n\r\n" % len(body) + body
    with serving(menu.model, seconds=0.5) as served, connect(served) as greedy:
        greedy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        try:
            while True:  # until the service hangs up
                greedy.sendall(request)
        except ConnectionError:
            pass
        assert served.ask(None, "/health", "GET", {})[0] == 200


def test_a_connection_is_used_again_after_a_body_that_nobody_wanted(served):
    """The body is not taken for the next request."""
    connection = http.client.HTTPConnection("127.0.0.1", served.port)
    smuggled = b"GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n"
    connection.request("POST", "/nowhere", smuggled)
    response = connection.getresponse()
    assert (response.status, b"error" in response.read()) == (404, True)
    opened = connection.sock
    connection.request("GET", "/health")
    assert json.loads(connection.getresponse().read()) == {"status": "ok"}
    assert connection.sock is opened
    connection.close()


def test_a_large_body_gets_its_response(menu, serving):
    """Although the service does not want it: the connection is not reset."""
    with serving(menu.model, body=8192) as served:
        for _ in range(5):
            status, told = served.ask(b" " * 5_000_000)
            assert (status, "8192" in told["error"]) == (413, True)

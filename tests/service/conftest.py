"""A service in this process, asked over real sockets."""

import http.client
import json
import socket
import threading
from contextlib import contextmanager

import pytest

JSON = {"content-type": "application/json"}


class Served:
    """A running service, and ways to ask it."""

    def __init__(self, service, model, port):
        self.service, self.model, self.port = service, model, port

    def ask(self, body, path="/predict", method="POST", headers=JSON):
        """Status and body of an answer, over a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        finally:
            connection.close()

    def predict(self, rows):
        status, found = self.ask(json.dumps(rows))
        assert status == 200, found
        return found

    def send(self, raw):
        """Whatever comes back for bytes that need not be HTTP."""
        with socket.create_connection(("127.0.0.1", self.port)) as connection:
            connection.sendall(raw)
            connection.shutdown(socket.SHUT_WR)
            parts = []
            try:
                while part := connection.recv(65_536):
                    parts.append(part)
            except ConnectionError:  # the service need not listen to the end
                pass
            return b"".join(parts)


@contextmanager
def running(path, *, rows=1000, body=2**20, seconds=600.0, most=4000, **options):
    pytest.importorskip("fastapi", reason="serve needs its extra")
    from softcost.service.answers import RowModel
    from softcost.service.app import Limits, Service
    from softcost.service.process import make_server
    from softcost.workflow.stored_model import open_model

    model = RowModel(open_model(str(path)))
    service = Service(model, Limits(body, rows, seconds, connections=most), **options)
    server = make_server(service)
    with socket.create_server(("127.0.0.1", 0), backlog=1000) as listening:
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            yield Served(service, model, listening.getsockname()[1])
        finally:
            server.should_exit = True
            thread.join()
            service.queue.close()


@pytest.fixture(scope="session")
def serving():
    """Start a service with a model of a file."""
    return running


@pytest.fixture(scope="module")
def served(menu):
    with running(menu.model) as found:
        yield found

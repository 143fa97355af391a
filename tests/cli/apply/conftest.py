"""A service in this process, asked over real sockets."""

import http.client
import json
import socket
import threading
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest

JSON = {"content-type": "application/json"}


class Served:
    """A running service, and ways to ask it."""

    def __init__(self, model, port):
        self.model, self.port = model, port

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
def running(path, *, rows=1000, body=2**20, seconds=600.0, hosts=()):
    uvicorn = pytest.importorskip("uvicorn", reason="serve needs its extra")
    from softcost.cli.stored_model import open_model
    from softcost.service.answers import RowModel
    from softcost.service.app import Limits, make_app

    model = RowModel(open_model(str(path)))
    app = make_app(model, Limits(body, rows, seconds), hosts)
    server = uvicorn.Server(
        uvicorn.Config(app, log_config=None, log_level="critical", ws="none")
    )
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            yield Served(model, listening.getsockname()[1])
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="session")
def serving():
    """Start a service with a model of a file."""
    return running


@pytest.fixture(scope="module")
def served(menu):
    with running(menu.model) as found:
        yield found


@pytest.fixture(scope="session")
def priced(menu, softcost):
    """A model that knows what answers are expected to cost, and may ask a person."""
    path = menu.folder / "priced.softcost"
    prices = menu.folder / "with-action.json"
    asked = {name: {**row, "ask": 0.7} for name, row in menu.prices.items()}
    prices.write_text(json.dumps(asked), encoding="utf-8")
    result = softcost(
        "fit", menu.data, "--target", "class", "--costs", prices, "--reduction", "mec",
        "--learner", "linear", "--softness", "0,0.5", "--cv", "3", "--quiet",
        "--model", path,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    return path


@pytest.fixture(scope="module")
def models(softcost, tmp_path_factory):
    """A folder with rows to compare on, a model of both columns and one of noise."""
    folder = tmp_path_factory.mktemp("models")
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    table = pd.DataFrame({"a": rng.normal(size=300) + 2 * y, "b": rng.normal(size=300)})
    table["t"] = np.array(["no", "yes"])[y]
    table.iloc[:150].to_csv(folder / "train.csv", index=False)
    table.iloc[150:].to_csv(folder / "new.csv", index=False)
    (folder / "prices.csv").write_text(",no,yes\nno,0,1\nyes,3,0\n")
    for name, drop in (("good", "b"), ("poor", "a")):
        words = ("--costs", folder / "prices.csv", "--drop", drop, "--quiet")
        line = "--target t --softness 2 --param C=1 --cv 2"
        result = softcost(
            "fit", folder / "train.csv", *words, *line.split(), "--model", folder / name
        )
        assert result.exit_code == 0, result.output
    return folder

"""Tokens, metrics, logs, reloads and workers."""

import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections import Counter

import pytest

pytest.importorskip("fastapi", reason="serve needs its extra")

GOOD = {"Größe": 1, "price, net": "2.5", "kind": None}
TOKEN = "0123456789abcdef-secret"
JSON = {"content-type": "application/json"}
posix = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


def bearer(token):
    return {**JSON, "authorization": f"Bearer {token}"}


def samples(served, headers=None):
    """Metrics by name and labels."""
    parser = pytest.importorskip("prometheus_client.parser")
    connection = http.client.HTTPConnection("127.0.0.1", served.port)
    connection.request("GET", "/metrics", headers=headers or {})
    text = connection.getresponse().read().decode()
    connection.close()
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in parser.text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_a_token_is_asked_for(menu, serving):
    body = json.dumps(GOOD)
    with serving(menu.model, token=TOKEN) as served:
        for path, method in (
            ("/predict", "POST"),
            ("/openapi.json", "GET"),
            ("/metrics", "GET"),
            ("/nowhere", "GET"),
        ):
            for headers in (JSON, bearer("0123456789abcdef"), bearer(""), bearer("ü")):
                status, told = served.ask(body, path, method, headers)
                assert status == 401
                assert "Bearer" in told["error"]
            basic = {**JSON, "authorization": f"Basic {TOKEN}"}
            assert served.ask(body, path, method, basic)[0] == 401
        assert served.ask(body, headers=bearer(TOKEN))[0] == 200
        assert served.ask(None, "/health", "GET", {})[0] == 200
        document = served.ask(None, "/openapi.json", "GET", bearer(TOKEN))[1]
        assert document["security"] == [{"token": []}]
        assert "401" in document["paths"]["/predict"]["post"]["responses"]


@pytest.mark.bad_input
def test_other_machines_need_a_token(menu, softcost, monkeypatch, tmp_path):
    monkeypatch.delenv("SOFTCOST_TOKEN", raising=False)
    for host in ("0.0.0.0", "::"):
        result = softcost("serve", menu.model, "--host", host, "--port", "0")
        assert result.exit_code == 2
        assert "--token-file" in result.stderr
    short = tmp_path / "token"
    short.write_text("secret\n")
    result = softcost("serve", menu.model, "--token-file", short)
    assert result.exit_code == 2
    assert "16 characters" in result.stderr
    result = softcost("serve", menu.model, "--token-file", tmp_path / "none")
    assert result.exit_code == 2


def test_metrics_count_decisions_costs_and_drift(menu, priced, serving):
    rows = [{**GOOD, "Größe": size} for size in (0, 0.5, 1, 2)]
    rows.append({**GOOD, "kind": "never seen"})
    with serving(priced) as served:
        answers = served.predict(rows) + [served.predict(row) for row in rows]
        served.ask(b"{")
        found = samples(served)
    for name in {answer["prediction"] for answer in answers}:
        times = sum(answer["prediction"] == name for answer in answers)
        assert found["softcost_decisions_total", name] == times
    costs = [answer["expected_cost"] for answer in answers]
    assert found[("softcost_expected_cost_count",)] == len(costs)
    assert found[("softcost_expected_cost_sum",)] == pytest.approx(sum(costs))
    assert found["softcost_drift_flags_total", "kind"] == 2
    assert found["softcost_request_seconds_count", "/predict", "200"] == 6
    assert found["softcost_request_seconds_count", "/predict", "400"] == 1


def test_a_reload_changes_the_model_and_loses_no_request(menu, priced, serving):
    from softcost.service.answers import RowModel
    from softcost.workflow.stored_model import open_model

    with serving(menu.model) as served:
        wanted = [served.predict(GOOD)]
        other = RowModel(open_model(str(priced)))
        answers, stop = [], threading.Event()

        def ask():
            while not stop.is_set():
                answers.append(served.predict(GOOD))

        clients = [threading.Thread(target=ask) for _ in range(4)]
        for client in clients:
            client.start()
        for model in [other, served.model] * 5:
            served.service.use(model)
            wanted.append(served.predict(GOOD))
        stop.set()
        for client in clients:
            client.join()
        assert "expected_cost" in wanted[1]
        assert wanted[::2] == [wanted[0]] * 6
        assert wanted[1::2] == [wanted[1]] * 5
        assert all(answer in wanted[:2] for answer in answers)
        assert samples(served)["softcost_model_loads_total", "ok"] == 11


class Command:
    """The real command; its first line says where it listens."""

    def __init__(self, *args):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "softcost", "serve", *map(str, args), "--port", "0"],
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        line = self.process.stderr.readline()
        port = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
        assert port, line + self.process.stderr.read()
        self.port = int(port[1])

    def ask(self, path="/health", body=None, headers=JSON):
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        connection.request("POST" if body else "GET", path, body, headers)
        response = connection.getresponse()
        status, text = response.status, response.read()
        connection.close()
        return status, json.loads(text)


@posix
def test_sighup_loads_the_file_again(menu, priced, tmp_path):
    model, log = tmp_path / "m.softcost", tmp_path / "log.jsonl"
    shutil.copy(menu.model, model)
    command = Command(model, "--log", log)
    body = json.dumps(GOOD)
    with command.process as process:
        assert "scores" in command.ask("/predict", body)[1]
        os.replace(shutil.copy(priced, tmp_path / "new"), model)
        process.send_signal(signal.SIGHUP)
        assert "loaded" in process.stderr.readline()
        assert "expected_cost" in command.ask("/predict", body)[1]
        model.write_bytes(b"no model")
        process.send_signal(signal.SIGHUP)
        assert "kept the old model" in process.stderr.readline()
        assert "expected_cost" in command.ask("/predict", body)[1]
        process.send_signal(signal.SIGTERM)
        assert process.stderr.read() == "softcost: stopped.\n"
    assert process.returncode == 0
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    # A client has its answer before the request is in the log.
    assert Counter(line["event"] for line in lines) == {
        "started": 1, "request": 3, "reloaded": 1, "reload failed": 1, "stopped": 1,
    }  # fmt: skip
    request = next(line for line in lines if line["event"] == "request")
    assert (request["method"], request["path"]) == ("POST", "/predict")
    assert (request["status"], request["rows"]) == (200, 1)
    assert request["ms"] > 0
    assert "2.5" not in json.dumps({**request, "ms": 0, "time": ""})  # no data


def started(log, n):
    """Processes of workers, once n of them have started."""
    while True:
        lines = log.read_text().splitlines() if log.exists() else []
        events = [json.loads(line) for line in lines if line.endswith("}")]
        pids = [one["process"] for one in events if one["event"] == "started"]
        if len(pids) == n:
            return pids


@posix
def test_workers_share_a_port_and_their_metrics(menu, tmp_path):
    log = tmp_path / "log.jsonl"
    command = Command(menu.model, "--workers", "2", "--log", log)
    body = json.dumps(GOOD)
    with command.process as process:
        first = command.ask("/predict", body)
        assert first[0] == 200
        workers = started(log, 2)
        process.send_signal(signal.SIGHUP)
        assert "loaded" in process.stderr.readline()
        assert "loaded" in process.stderr.readline()
        assert [command.ask("/predict", body) for _ in range(20)] == [first] * 20
        # A worker that dies is replaced, and what it has counted stays.
        os.kill(workers[0], signal.SIGKILL)
        assert f"worker {workers[0]} ended" in process.stderr.readline()
        started(log, 3)
        assert command.ask("/predict", body) == first
        metrics = samples(command).items()
        assert (
            sum(n for key, n in metrics if key[0] == "softcost_decisions_total") == 22
        )
        process.send_signal(signal.SIGTERM)
        assert process.stderr.read() == "softcost: stopped.\n"
    assert process.returncode == 0


@pytest.mark.slow
def test_schemathesis_finds_nothing(menu, priced, serving, tmp_path):
    """Requests made from the OpenAPI document, and against it."""
    pytest.importorskip("schemathesis")
    for model in (menu.model, priced):
        with serving(model) as served:
            url = f"http://127.0.0.1:{served.port}/openapi.json"
            result = subprocess.run(
                [sys.executable, "-m", "schemathesis.cli", "run", url, "--checks",
                 "all", "--no-color", "--max-examples", "50", "--seed", "1"],
                capture_output=True, text=True, cwd=tmp_path,
            )  # fmt: skip
            assert result.returncode == 0, result.stdout[-3000:]

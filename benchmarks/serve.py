"""Whether ``softcost serve`` holds a load of single rows, and survives bad clients.

    python benchmarks/serve.py [--rate 1000] [--seconds 60] [--workers 2] [--minutes 10]

Fits models of one made-up table (12 columns of numbers, 5 of words, a date; 1,500
rows) and serves each on 127.0.0.1. Requests of one row are due at fixed moments,
whether or not earlier ones have been answered; the time of an answer counts from the
moment at which its request was due. Answers to single requests must be those of
``softcost predict``, and answers under load the same bytes. Then come 600 clients with
unfinished heads, malformed requests, minutes of a tenth of the load for the memory, and
schemathesis if it is on the PATH. The exit code is 1 if an answer is wrong or
missing, the rate is not held, or the service is gone.
"""

import argparse
import asyncio
import http.client
import itertools
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
from common import write_json

MODELS = {
    "default": (),
    "boosted trees": ("--reduction", "mec", "--learner", "boosting"),
    "linear machines": ("--reduction", "mec", "--learner", "linear"),
    "kernel machines": ("--reduction", "osr"),
}
PACKAGES = [
    "softcost",
    "fastapi",
    "uvicorn",
    "h11",
    "pydantic",
    "scikit-learn",
    "numpy",
]
_LATE = 1.0  # seconds that the last answer may come after the last request was due


def make_table(n=1500, seed=0):
    rng = np.random.default_rng(seed)
    columns = {f"x{i}": rng.normal(size=n).round(3) for i in range(12)}
    for i in range(5):
        columns[f"w{i}"] = rng.choice(["red", "green", "blue", "ä b"], n)
    days = pd.to_timedelta(rng.integers(0, 700, n), unit="D")
    columns["when"] = (pd.Timestamp("2024-01-01") + days).strftime("%Y-%m-%d")
    score = columns["x0"] + columns["x1"] ** 2 + (columns["w0"] == "red")
    columns["class"] = np.array(["low", "mid", "high"])[np.digitize(score, [0.3, 1.8])]
    return pd.DataFrame(columns)


def softcost(*words):
    subprocess.run([sys.executable, "-m", "softcost", *map(str, words)], check=True)


class Service:
    """The command in a process of its own."""

    def __init__(self, model, workers):
        words = ["serve", str(model), "--port", "0", "--workers", str(workers)]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "softcost", *words],
            stderr=subprocess.PIPE,
            text=True,
        )
        self.said = [self.process.stderr.readline()]
        self.port = int(re.search(r":(\d+)/", self.said[0])[1])
        reader = threading.Thread(target=self._listen, daemon=True)
        reader.start()

    def _listen(self):
        self.said += list(self.process.stderr)

    def _pids(self):
        """The process and its workers."""
        pids = [self.process.pid]
        for pid in pids:
            path = Path(f"/proc/{pid}/task/{pid}/children")
            pids += [int(child) for child in path.read_text().split()]
        return pids

    def cpu_seconds(self):
        spent = 0
        for pid in self._pids():
            ticks = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1]
            spent += sum(map(int, ticks.split()[11:13]))
        return spent / os.sysconf("SC_CLK_TCK")

    def megabytes(self):
        texts = [Path(f"/proc/{pid}/status").read_text() for pid in self._pids()]
        sizes = [int(re.search(r"VmRSS:\s+(\d+)", text)[1]) for text in texts]
        return round(sum(sizes) / 1024, 1)

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port)

    async def open(self):
        return await asyncio.open_connection("127.0.0.1", self.port)

    def stop(self):
        self.process.terminate()
        return self.process.wait()


async def exchange(stream, request):
    """Send a request; the status and the body of its response."""
    reader, writer = stream
    writer.write(request)
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(re.search(rb"content-length: (\d+)", head)[1])
    return int(head[9:12]), await reader.readexactly(length)


def as_request(body):
    head = "POST /predict HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json"
    return f"{head}\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body


async def ask_at_rate(service, bodies, wanted, rate, seconds, clients):
    """Ask at a fixed rate; the times of the answers, and what was wrong."""
    loop = asyncio.get_running_loop()
    requests = [as_request(body) for body in bodies]
    total, turn = int(rate * seconds), itertools.count()
    times, problems = [], []
    start = loop.time() + 0.5

    async def client():
        stream = await service.open()
        for number in turn:
            if number >= total:
                break
            due = start + number / rate
            if due > loop.time():
                await asyncio.sleep(due - loop.time())
            at = number % len(requests)
            try:
                status, answer = await exchange(stream, requests[at])
                if status != 200 or answer != wanted[at]:
                    problems.append(f"{status}: {answer.decode()} for {wanted[at]}")
            except (OSError, EOFError) as error:
                problems.append(repr(error))
                stream = await service.open()
            times.append(loop.time() - due)
        stream[1].close()

    await asyncio.gather(*(client() for _ in range(clients)))
    return times, problems, loop.time() - start


def load(service, bodies, wanted, rate, seconds, clients):
    """Ask at a fixed rate; what came back, and when."""
    before, own = service.cpu_seconds(), time.process_time()
    times, problems, took = asyncio.run(
        ask_at_rate(service, bodies, wanted, rate, seconds, clients)
    )
    spent = service.cpu_seconds() - before
    ms = 1000 * np.quantile(times, [0.5, 0.99, 1.0])
    return {
        "requests": len(times),
        "seconds": round(took, 2),
        "held": took <= seconds + _LATE,
        "errors": len(problems),
        "first_errors": problems[:3],
        "answer_ms_median": round(float(ms[0]), 2),
        "answer_ms_99": round(float(ms[1]), 2),
        "answer_ms_most": round(float(ms[2]), 2),
        "server_cpu_ms_per_request": round(1000 * spent / max(len(times), 1), 3),
        "client_cpu_ms_per_request": round(
            1000 * (time.process_time() - own) / max(len(times), 1), 3
        ),
        "load_average": [round(value, 1) for value in os.getloadavg()],
    }


def expected_answers(service, bodies, predicted):
    """The service's answers to single requests, which must be those of predict.

    Later answers, of requests that are answered together, must be equal to them.
    """

    async def ask_alone():
        stream = await service.open()
        answers = [await exchange(stream, as_request(body)) for body in bodies]
        stream[1].close()
        return answers

    answers = []
    for at, (status, body) in enumerate(asyncio.run(ask_alone())):
        answer, row = json.loads(body), predicted.iloc[at]
        if status != 200 or answer["prediction"] != row["prediction"]:
            raise SystemExit(f"row {at + 1}: {answer} instead of {dict(row)}")
        for name, value in answer.get("expected_costs", {}).items():
            if not np.isclose(value, float(row[f"expected_cost_{name}"]), rtol=1e-12):
                raise SystemExit(f"row {at + 1}: {answer} instead of {dict(row)}")
        answers.append(body)
    return answers


def half_open(service, clients):
    """Seconds until /health answers, with clients whose heads never end."""
    sockets = [
        socket.create_connection(("127.0.0.1", service.port)) for _ in range(clients)
    ]
    for connection in sockets:
        connection.sendall(b"POST /predict HTTP/1.1\r\nhost: loc")
    seconds = []
    for _ in range(10):
        start, connection = time.monotonic(), service.connect()
        connection.request("GET", "/health")
        status = connection.getresponse().status
        seconds.append(time.monotonic() - start if status == 200 else float("inf"))
        connection.close()
    for connection in sockets:
        connection.close()
    return round(max(seconds), 3)


def schemathesis(service):
    """The last lines of schemathesis with all its checks; None if it is not here."""
    if shutil.which("schemathesis") is None:
        return None
    url = f"http://127.0.0.1:{service.port}/openapi.json"
    command = ["schemathesis", "run", url, "--checks", "all", "--no-color"]
    result = subprocess.run(command, capture_output=True, text=True)
    lines = [line.strip()[:200] for line in result.stdout.splitlines() if line.strip()]
    return {"exit_code": result.returncode, "summary": lines[-5:]}


def malformed(rng, good):
    """Bytes that are no good request, of one of many kinds.

    Also says whether a server can tell that it has all of it.
    """
    body = good
    head = {
        "host": "localhost",
        "content-type": "application/json",
        "content-length": None,
    }
    first = "POST /predict HTTP/1.1"
    kind = rng.integers(12)
    if kind == 0:
        body = body[: rng.integers(len(body))]
    elif kind == 1:
        body = rng.bytes(rng.integers(1, 400))
    elif kind == 2:
        body = b"[" * rng.integers(1, 200_000)
    elif kind == 3:
        body = b'{"x0": ' + b"9" * rng.integers(1, 20_000) + b"}"
    elif kind == 4:
        head["content-length"] = str(rng.integers(0, 10**12))
    elif kind == 5:
        head["host"] = "evil.example"
    elif kind == 6:
        head["content-type"] = "text/plain"
    elif kind == 7:
        first = f"{rng.choice(['GET', 'PUT', 'BREW'])} /{'a/' * rng.integers(99)}.. "
    elif kind == 8:
        head["x-long"] = "y" * int(rng.integers(40_000, 100_000))
    elif kind == 9:
        head["transfer-encoding"] = "chunked"
    elif kind == 10:
        return rng.bytes(rng.integers(1, 3000)), False
    else:
        body = body.replace(b":", rng.choice([b": NaN,", b"::", b": [", b': {"a":']), 1)
    head["content-length"] = head["content-length"] or str(len(body))
    lines = [first, *(f"{name}: {value}" for name, value in head.items()), "", ""]
    raw = "\r\n".join(lines).encode() + body
    if rng.random() < 0.2:
        return raw[: rng.integers(1, len(raw))], False
    return raw, kind not in (4, 9)


def attack(service, good, count):
    """Send malformed requests, each over a connection of its own."""
    rng = np.random.default_rng(0)
    statuses = {}
    for _ in range(count):
        told = b""
        try:
            with socket.create_connection(("127.0.0.1", service.port)) as connection:
                raw, whole = malformed(rng, good)
                connection.sendall(raw)
                if not whole:  # or it would be waited for
                    connection.shutdown(socket.SHUT_WR)
                told = connection.recv(65_536)
        except ConnectionError:
            pass
        status = told.split()[1].decode() if told.startswith(b"HTTP/") else "hung up"
        statuses[status] = statuses.get(status, 0) + 1
    return dict(sorted(statuses.items()))


def trial(folder, name, options, bodies):
    model, out = folder / "model.softcost", folder / "out.csv"
    softcost(
        "fit", folder / "t.csv", "--target", "class", "--costs", folder / "p.csv",
        "--quiet", "--model", model, *MODELS[name],
    )  # fmt: skip
    softcost("predict", model, folder / "t.csv", "-o", out)
    service = Service(model, options.workers)
    wanted = expected_answers(service, bodies, pd.read_csv(out, dtype=str))
    load(service, bodies, wanted, options.rate, 2.0, options.clients)  # to warm up
    found = load(
        service, bodies, wanted, options.rate, options.seconds, options.clients
    )
    found["health_seconds_with_600_half_open"] = half_open(service, 600)
    found["malformed"] = attack(service, bodies[0], options.malformed)
    memory = [service.megabytes()]
    for _ in range(options.minutes):
        calm = options.rate / 10
        minute = load(service, bodies, wanted, calm, 60.0, options.clients)
        found["errors"] += minute["errors"]
        memory.append(service.megabytes())
    found["megabytes_each_minute"] = memory
    found["schemathesis"] = schemathesis(service)
    found["exit_code"] = service.stop()
    found["said"] = [line for line in service.said[1:] if "stopped" not in line]
    answered = {status[0] for status in found["malformed"]} <= {"2", "4", "h"}
    found["passed"] = bool(
        found["held"]
        and answered
        and not (found["errors"] or found["exit_code"] or found["said"])
        and found["health_seconds_with_600_half_open"] < 1
        and not (found["schemathesis"] or {}).get("exit_code")
    )
    return {"model": name, "rate": options.rate, "workers": options.workers, **found}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rate", type=float, default=1000.0)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--malformed", type=int, default=1000)
    parser.add_argument("--minutes", type=int, default=10)
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    table = make_table()
    rows = table.drop(columns="class").to_dict("records")
    bodies = [json.dumps(row).encode() for row in rows[:200]]
    results = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table.to_csv(folder / "t.csv", index=False)
        prices = ",low,mid,high\nlow,0,1,4\nmid,2,0,1\nhigh,9,3,0\n"
        (folder / "p.csv").write_text(prices)
        for model in options.models:
            results.append(trial(folder, model, options, bodies))
            print(json.dumps(results[-1], indent=2), flush=True)
    if options.output:
        write_json(options.output, PACKAGES, results)
    sys.exit(0 if all(one["passed"] for one in results) else 1)


if __name__ == "__main__":
    main()

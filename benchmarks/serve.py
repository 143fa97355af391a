"""Whether ``softcost serve`` holds a load of single rows, and survives bad requests.

    python benchmarks/serve.py [--rate 200] [--seconds 60] [--malformed 1000]

Fits two models of one made-up table (12 columns of numbers, 5 of words, a date; 1,500
rows), the default kernel machines and boosted trees with the Bayes decision, and serves
each on 127.0.0.1 in a process of its own. Requests of one row are due at fixed moments,
whether or not earlier ones have been answered; the time of an answer counts from the
moment at which its request was due. Every answer is compared with that of ``softcost
predict``. Then come malformed requests, seeded, and the rows once more. The exit code
is 1 where an answer is wrong or missing, the rate is not held, or the service is gone.
"""

import argparse
import http.client
import itertools
import json
import os
import re
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
    "kernel machines": (),
    "boosted trees": ("--reduction", "mec", "--learner", "boosting"),
}
PACKAGES = ["softcost", "starlette", "uvicorn", "h11", "scikit-learn", "numpy"]
JSON = {"content-type": "application/json"}
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

    def __init__(self, model):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "softcost", "serve", str(model), "--port", "0"],
            stderr=subprocess.PIPE,
            text=True,
        )
        self.said = [self.process.stderr.readline()]
        self.port = int(re.search(r":(\d+)/", self.said[0])[1])
        reader = threading.Thread(target=self._listen, daemon=True)
        reader.start()

    def _listen(self):
        self.said += list(self.process.stderr)

    def cpu_seconds(self):
        ticks = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1]
        user, system = ticks.split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def megabytes(self):
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) / 1024

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port)

    def stop(self):
        self.process.terminate()
        return self.process.wait()


def load(service, bodies, wanted, rate, seconds, clients):
    """Ask at a fixed rate; what came back, and when."""
    total = int(rate * seconds)
    turn, lock = itertools.count(), threading.Lock()
    times, problems = [], []
    start = time.monotonic() + 0.5

    def client():
        connection = service.connect()
        while True:
            with lock:
                number = next(turn)
            if number >= total:
                connection.close()
                return
            due = start + number / rate
            time.sleep(max(0.0, due - time.monotonic()))
            at = number % len(bodies)
            try:
                connection.request("POST", "/predict", bodies[at], JSON)
                response = connection.getresponse()
                found = json.loads(response.read())
                if response.status != 200 or found["prediction"] != wanted[at]:
                    problems.append(f"{response.status}: {found}")
            except (OSError, http.client.HTTPException) as error:
                problems.append(repr(error))
                connection = service.connect()
            times.append(time.monotonic() - due)

    before = service.cpu_seconds()
    threads = [threading.Thread(target=client) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = time.monotonic() - start
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
    }


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
    wanted = pd.read_csv(out, dtype=str)["prediction"].tolist()
    service = Service(model)
    load(service, bodies, wanted, options.rate, 2.0, options.clients)  # to warm up
    first = service.megabytes()
    found = load(
        service, bodies, wanted, options.rate, options.seconds, options.clients
    )
    found["malformed"] = attack(service, bodies[0], options.malformed)
    after = load(service, bodies, wanted, options.rate, 2.0, options.clients)
    found["errors_after"] = after["errors"]
    found["megabytes"] = [round(first), round(service.megabytes())]
    found["exit_code"] = service.stop()
    found["said"] = [line for line in service.said[1:] if "stopped" not in line]
    answered = {status[0] for status in found["malformed"]} <= {"2", "4", "h"}
    clean = not (found["errors"] or after["errors"] or found["exit_code"])
    found["passed"] = bool(found["held"] and clean and answered and not found["said"])
    return {"model": name, "rate": options.rate, **found}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rate", type=float, default=200.0)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--malformed", type=int, default=1000)
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
        for model in MODELS:
            results.append(trial(folder, model, options, bodies))
            print(json.dumps(results[-1], indent=2), flush=True)
    if options.output:
        write_json(options.output, PACKAGES, results)
    sys.exit(0 if all(one["passed"] for one in results) else 1)


if __name__ == "__main__":
    main()

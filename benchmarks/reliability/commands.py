"""Commands that are killed or interrupted at random moments.

They run in forks of this process, which has imported everything: so signals arrive
while they read, search, fit, predict and write, and not while Python starts.
"""

import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd

import softcost
from softcost.cli import main
from softcost.cli.apply import _evaluate_job, _predict_job, _writers  # noqa: F401
from softcost.cli.train import _fit_job  # noqa: F401

ROWS = 600
FIT = "fit rows.csv --target t --costs prices.json --softness 2 --param C=1 --cv 2"
_FIRST = 0.02  # seconds, after which click is there to catch Ctrl-C
LINES = {
    "fit": f"{FIT} --learner linear --quiet --model out.softcost --report out.html",
    "predict": "predict model.softcost rows.csv -o out.csv --rows-at-once 20",
}
OTHERS = {
    "evaluate": "evaluate model.softcost rows.csv --target t",
    "template": "costs template rows.csv --target t -o out.csv",
}


def prepare():
    """Rows, prices and a model in the present directory."""
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=ROWS)
    X = rng.normal(size=(ROWS, 4)) + y[:, None]
    table = pd.DataFrame(X, columns=list("abcd")).assign(t=np.array(["x", "y", "z"])[y])
    table.to_csv("rows.csv", index=False)
    prices = {"x": {"y": 1, "z": 5}, "y": {"x": 2, "z": 5}, "z": {"x": 9, "y": 8}}
    Path("prices.json").write_text(json.dumps(prices))
    if _ended(_started(LINES["fit"])) != 0:
        raise RuntimeError("fit does not work")
    os.replace("out.softcost", "model.softcost")


def _started(line, naive=False):
    """A fork that has begun the command."""
    begun, tell = os.pipe()
    child = os.fork()
    if child:
        os.close(tell)
        os.read(begun, 1)
        os.close(begun)
        return child
    signal.signal(signal.SIGINT, signal.default_int_handler)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(os.open("said", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
    if naive:
        _writers.atomic_write = _in_place
    code = 1
    try:
        os.write(tell, b"!")
        main(line.split(), prog_name="softcost")
    except SystemExit as end:
        code = end.code or 0
    finally:
        sys.stderr.flush()
        os._exit(code)


@contextmanager
def _in_place(path, reads=()):
    yield Path(path)


def _ended(child):
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def _outputs():
    return {path.name: path.read_bytes() for path in Path().glob("out.*")}


def _sound(name, content, whole):
    """Whether an output is a whole one; models by what they hold."""
    if name.endswith(".softcost"):
        try:
            return softcost.load(name) is not None
        except ValueError:
            return False
    if name.endswith(".html"):
        return content.rstrip().endswith(b"</html>")
    return content == whole[name]


def _duration(line):
    started = time.monotonic()
    if _ended(_started(line)) != 0:
        raise RuntimeError(f"does not work: {line}")
    return time.monotonic() - started


def _signalled(line, sent, rng, longest, naive=False):
    """Send a signal within the time that a command takes; its exit code."""
    child = _started(line, naive)
    time.sleep(rng.uniform(_FIRST, longest))
    os.kill(child, sent)
    return _ended(child)


def _campaign(count, lines, sent, judge, naive=False):
    tally, rng, here = Counter(), random.Random(0), os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            prepare()
            for name, line in lines.items():
                longest = 1.1 * _duration(line)
                whole = _outputs()
                for _ in range(count // len(lines)):
                    code = _signalled(line, sent, rng, longest, naive)
                    torn = [one for one, content in _outputs().items()
                            if not _sound(one, content, whole)]  # fmt: skip
                    tally[f"{name}: {judge(code, torn)}"] += 1
                    for one, content in whole.items():
                        Path(one).write_bytes(content)
                _duration(line)  # removes what killed ones have left
                left = sum(one.startswith(".") for one in os.listdir())
                tally[f"{name}: left behind"] += left
        finally:
            os.chdir(here)
    return {one: n for one, n in tally.items() if n}


def _killed(code, torn):
    if torn:
        return "half a file"
    return "killed" if code == -signal.SIGKILL else "ended" if code == 0 else "failed"


def _interrupted(code, torn):
    said = Path("said").read_text()
    if torn:
        return "half a file"
    if code == 130 and said.strip() == "softcost: interrupted.":
        return "interrupted"
    return "ended" if code == 0 else f"code {code}"


def _count(tally, good):
    tried = sum(n for one, n in tally.items() if "left behind" not in one)
    fine = sum(n for one, n in tally.items() if one.partition(": ")[2] in good)
    left = sum(n for one, n in tally.items() if "left behind" in one)
    return tried, tried - fine + left, tally


def kill(count):
    """SIGKILL: outputs are the old ones or the new ones."""
    tally = _campaign(count, LINES, signal.SIGKILL, _killed)
    return _count(tally, ("killed", "ended"))


def control(count):
    """The same with a naive writer of predictions, which has to fail."""
    lines = {"predict": LINES["predict"]}
    tally = _campaign(count, lines, signal.SIGKILL, _killed, naive=True)
    return count, int(not tally.get("predict: half a file")), tally


def interrupt(count):
    """Ctrl-C: one sentence, exit code 130, and outputs as for SIGKILL."""
    tally = _campaign(count, LINES | OTHERS, signal.SIGINT, _interrupted)
    return _count(tally, ("interrupted", "ended"))

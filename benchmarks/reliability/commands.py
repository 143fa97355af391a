"""Commands that are killed or interrupted, at random moments or in every phase.

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
from softcost.workflow import evaluation, predictions, training  # noqa: F401

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
STUDY = {
    "reproduce": "reproduce inconsistent --datasets iris --algorithms OVA,OSR --runs 2"
    " --quiet --json --store out.sqlite"
}
# The functions with which phases begin: of a package, by name.
PHASES = {
    "fit": [
        ("softcost.workflow", "with_defaults"),
        ("softcost.workflow", "read_training_table"),
        ("softcost.tables", "table_pieces"), ("softcost.workflow", "_costs_of"),
        ("softcost.workflow", "make_model"), ("softcost.search", "fit"),
        ("softcost.search", "prepare"), ("softcost.linear", "solve"),
        ("softcost.search", "_choose"), ("softcost.reductions", "fit_checked"),
        ("softcost.persistence", "save"), ("softcost.persistence", "encode"),
        ("softcost.persistence", "decode"), ("softcost.files", "atomic_write"),
        ("softcost.files", "_sync_folder"), ("softcost.report", "write_explorer"),
    ],
    "predict": [
        ("softcost.persistence", "describe"), ("softcost.persistence", "load"),
        ("softcost.persistence", "decode"), ("softcost.workflow", "open_writer"),
        ("softcost.tables", "table_pieces"),
        ("softcost.tables", "typed_columns"),
        ("softcost.workflow", "predict_and_score"), ("softcost.workflow", "write"),
        ("softcost.files", "_sync_folder"),
    ],
    "evaluate": [
        ("softcost.persistence", "load"), ("softcost.workflow", "read_pieces"),
        ("softcost.reductions", "predict"), ("softcost.workflow", "_result"),
    ],
    "template": [
        ("softcost.tables", "table_pieces"), ("softcost.files", "atomic_write"),
    ],
    "reproduce": [
        ("softcost.paper", "make_request"), ("softcost.paper", "load_data"),
        ("softcost.paper", "plan"), ("softcost.paper", "_open"),
        ("softcost.paper", "attempt"), ("softcost.paper", "add"),
        ("softcost.paper", "rows"), ("softcost.paper", "summarize"),
    ],
}  # fmt: skip


def prepare():
    """Rows, prices and a model in the present directory."""
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=ROWS)
    X = rng.normal(size=(ROWS, 4)) + y[:, None]
    table = pd.DataFrame(X, columns=list("abcd")).assign(t=np.array(["x", "y", "z"])[y])
    table.to_csv("rows.csv", index=False)
    prices = {"x": {"y": 1, "z": 5}, "y": {"x": 2, "z": 5}, "z": {"x": 9, "y": 8}}
    Path("prices.json").write_text(json.dumps(prices))
    if ended(started(LINES["fit"])) != 0:
        raise RuntimeError("fit does not work")
    os.replace("out.softcost", "model.softcost")


def started(line, before=lambda: None):
    """A fork that has begun the command, after it has called a function."""
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
    before()
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


def _naively():
    predictions.atomic_write = _in_place


def ended(child):
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def outputs():
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


def duration(line):
    begun = time.monotonic()
    if ended(started(line)) != 0:
        raise RuntimeError(f"does not work: {line}")
    return time.monotonic() - begun


def _signalled(line, sent, rng, longest, before):
    """Send a signal within the time that a command takes; its exit code."""
    child = started(line, before)
    time.sleep(rng.uniform(_FIRST, longest))
    os.kill(child, sent)
    return ended(child)


@contextmanager
def folder():
    """A directory of its own with rows, prices and a model."""
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        try:
            prepare()
            yield Path(place)
        finally:
            os.chdir(here)


def _campaign(count, lines, sent, judge, before=lambda: None):
    tally, rng = Counter(), random.Random(0)
    with folder():
        for name, line in lines.items():
            longest = 1.1 * duration(line)
            whole = outputs()
            for _ in range(count // len(lines)):
                code = _signalled(line, sent, rng, longest, before)
                tally[f"{name}: {judge(code, torn_ones(whole))}"] += 1
                for one, content in whole.items():
                    Path(one).write_bytes(content)
            duration(line)  # removes what killed ones have left
            left = sum(one.startswith(".") for one in os.listdir())
            tally[f"{name}: left behind"] += left
    return {one: n for one, n in tally.items() if n}


def torn_ones(whole):
    """Names of outputs that are not whole."""
    return [name for name, content in outputs().items()
            if not _sound(name, content, whole)]  # fmt: skip


def _killed(code, torn):
    if torn:
        return "half a file"
    return "killed" if code == -signal.SIGKILL else "ended" if code == 0 else "failed"


def interrupted(code, torn):
    said = Path("said").read_text()
    if torn:
        return "half a file"
    if code == 130 and said.strip() == "softcost: interrupted.":
        return "interrupted"
    return "ended" if code == 0 else f"code {code}"


def counted(tally, good):
    tried = sum(n for one, n in tally.items() if "left behind" not in one)
    fine = sum(n for one, n in tally.items() if one.partition(": ")[2] in good)
    left = sum(n for one, n in tally.items() if "left behind" in one)
    return tried, tried - fine + left, tally


def kill(count):
    """SIGKILL: outputs are the old ones or the new ones."""
    tally = _campaign(count, LINES, signal.SIGKILL, _killed)
    return counted(tally, ("killed", "ended"))


def control(count):
    """The same with a naive writer of predictions, which has to fail."""
    lines = {"predict": LINES["predict"]}
    tally = _campaign(count, lines, signal.SIGKILL, _killed, _naively)
    return count, int(not tally.get("predict: half a file")), tally


def interrupt(count):
    """Ctrl-C: one sentence, exit code 130, and outputs as for SIGKILL."""
    tally = _campaign(count, LINES | OTHERS, signal.SIGINT, interrupted)
    return counted(tally, ("interrupted", "ended"))


def _at(module, name):
    """Have Ctrl-C arrive when a function begins."""

    def seen(frame, event, argument):
        here = frame.f_code.co_name == name
        if event == "call" and here and frame.f_globals["__name__"].startswith(module):
            sys.setprofile(None)
            Path("reached").touch()
            os.kill(os.getpid(), signal.SIGINT)

    return lambda: sys.setprofile(seen)


def phases(count):
    """Ctrl-C at the beginning of every phase of every command, once each."""
    tally = Counter()
    with folder():
        Path("out.sqlite").unlink(missing_ok=True)
        for command, places in PHASES.items():
            line = (LINES | OTHERS | STUDY)[command]
            duration(line)
            whole = outputs()
            for module, name in places[:count]:
                Path("reached").unlink(missing_ok=True)
                if command in STUDY:
                    Path("out.sqlite").unlink()
                code = ended(started(line, _at(module, name)))
                torn = [] if command in STUDY else torn_ones(whole)
                found = interrupted(code, torn)
                reached = Path("reached").exists()
                tally[f"{command}: {found if reached else f'{name} not reached'}"] += 1
                if command in STUDY:
                    duration(line)  # the rest, from where it was
    return counted(dict(tally), ("interrupted",))

"""What ``softcost predict`` opens, beside the model, the rows and its output.

An audit hook of Python's counts: files, sockets, programs and libraries. Every model is
used twice, since modules and compiled code are read when they are first needed.
"""

import os
import sys
from collections import Counter
from pathlib import Path

from commands import ended, folder, started
from models import contents, rows

EVENTS = ("open", "socket.connect", "subprocess.Popen", "os.system", "ctypes.dlopen")
LINE = "predict some.softcost rows.csv -o out.csv"


def _watch():
    """Predict once; from then on write down what is opened."""
    from click.testing import CliRunner

    from softcost.cli import main

    CliRunner().invoke(main, LINE.split())
    log = os.open("log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)

    def hook(event, arguments):
        if event in EVENTS and isinstance(arguments[0], str | os.PathLike):
            os.write(log, f"{event} {os.fspath(arguments[0])}\n".encode())

    sys.addaudithook(hook)


def _is_own(line, place):
    event, _, name = line.partition(" ")
    path = Path(os.path.realpath(name))
    ours = path == place or path.parent == place
    return event == "open" and ours


def run(count):
    """Of every model: what was opened, and what of it was not its to open."""
    tally = Counter()
    X, _ = rows()
    with folder() as place:
        Path("rows.csv").write_text(
            "a,b,c,d\n" + "".join(",".join(map(str, row)) + "\n" for row in X)
        )
        for content in contents()[:count]:
            Path("some.softcost").write_bytes(content)
            Path("log").unlink(missing_ok=True)
            code = ended(started(LINE, _watch))
            lines = Path("log").read_text().splitlines() if Path("log").exists() else []
            others = [one for one in lines if not _is_own(one, place.resolve())]
            if code == 0 and lines and not others:
                tally["model, rows and output"] += 1
            else:
                tally[f"code {code}: {others[:2]}"] += 1
    tried = sum(tally.values())
    return tried, tried - tally["model, rows and output"], dict(tally)

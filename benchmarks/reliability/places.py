"""Places that cannot be written, two writers of one place, and inputs that are spoilt.

File systems that are full or read-only are made in a name space of their own
(``unshare``), which needs no rights on most machines.
"""

import copy
import json
import os
import resource
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
from commands import FIT, LINES, OTHERS, counted, ended, folder, outputs, started

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "models"))
from crafted import mutated_structure, opened, signed

WRITERS = {
    "fit": f"{FIT} --learner linear --quiet --model {{}}/out.softcost",
    "report": f"{FIT} --learner linear --quiet --report {{}}/out.html",
    "predict": "predict model.softcost rows.csv -o {}/out.csv --rows-at-once 50",
    "template": "costs template rows.csv --target t -o {}/out.csv",
    "reproduce": "reproduce inconsistent --datasets iris --algorithms OVA --runs 2"
    " --quiet --store {}/out.sqlite",
}
KINDS = ("full", "read-only", "quota")


def run(count):
    """Every command that writes, into every kind of place; then two at once."""
    command = ["unshare", "-rm", sys.executable, __file__]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"no name space of its own here: {done.stderr[-500:]}")
    tally = json.loads(done.stdout)
    return counted(tally, ("one sentence", "one of the two", "one refused"))


def _said():
    return Path("said").read_text()


def _judge(code, place, before):
    """Of a command that cannot write: one sentence, nothing lost, nothing left."""
    said = _said()
    if code not in (1, 2) or said.count("\n") != 1 or not said.startswith("softcost: "):
        return f"code {code}: {said[-80:]}"
    now = {one.name: one.read_bytes() for one in place.iterdir()}
    old = {name: one for name, one in now.items() if not name.startswith("out.sqlite")}
    return "one sentence" if old == before else "something else is there"


def _limited():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (400, 400))  # what is said is shorter


def _spoilt_places():
    tally = Counter()
    place = Path("place")
    place.mkdir()
    for kind in KINDS:
        for name, line in WRITERS.items():
            if (kind, name) == ("quota", "template"):  # which is shorter, too
                continue
            if kind != "quota":
                _mount("mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", place)
            before = {"old": b"precious"}
            (place / "old").write_bytes(before["old"])
            if kind == "full":
                _fill(place / "filler")
                before["filler"] = (place / "filler").read_bytes()
            elif kind == "read-only":
                _mount("mount", "-o", "remount,ro", place)
            limit = _limited if kind == "quota" else lambda: None
            code = ended(started(line.format(place), limit))
            tally[f"{kind}, {name}: {_judge(code, place, before)}"] += 1
            if kind == "quota":
                for one in place.iterdir():
                    one.unlink()
            else:
                _mount("umount", place)
    return tally


def _mount(*words):
    subprocess.run([str(one) for one in words], check=True)


def _fill(path):
    with open(path, "wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(1024))
        except OSError:
            return


def _two_writers():
    """Both write one file: it is that of one; both write one store: one is refused."""
    tally = Counter()
    for name in ("fit", "predict", "template"):
        line = (LINES | OTHERS)[name]
        ended(started(line))
        whole = outputs()
        children = [started(line), started(line)]
        codes = [ended(child) for child in children]
        same = all(
            one == whole[name] or name.endswith((".softcost", ".html"))
            for name, one in outputs().items()
        )
        right = codes == [0, 0] and same and set(outputs()) == set(whole)
        tally[f"two writers, {name}: {'one of the two' if right else codes}"] += 1
    line = WRITERS["reproduce"].format(".").replace("--runs 2", "--runs 9")
    children = [started(line), started(line)]
    codes = sorted(ended(child) for child in children)
    right = codes == [0, 2] or codes == [0, 0]  # one may end before the other begins
    tally[f"two writers, reproduce: {'one refused' if right else codes}"] += 1
    return tally


LISTS = {
    "prices.json": None,
    "prices.csv": ",x,y,z\nx,0,1,5\ny,2,0,5\nz,9,8,0\n",
    "prices.toml": "[x]\ny = 1\nz = 5\n[y]\nx = 2\nz = 5\n[z]\nx = 9\ny = 8\n",
    "prices.yaml": "x: {y: 1, z: 5}\ny: {x: 2, z: 5}\nz: {x: 9, y: 8}\n",
}


def price_lists(count):
    """Damaged price lists: one sentence, or a price list."""
    tally = Counter()
    with folder():
        for name, text in LISTS.items():
            good = text.encode() if text else Path(name).read_bytes()
            for seed in range(count // len(LISTS)):
                rng = np.random.default_rng(seed)
                raw = bytearray(good)
                for place in rng.integers(0, len(raw), rng.integers(1, 4)):
                    raw[place] = rng.integers(256)
                if rng.random() < 0.2:
                    del raw[rng.integers(len(raw)) :]
                Path(name).write_bytes(raw)
                code = ended(started(f"costs check {name}"))
                said = _said()
                sentence = said.startswith("softcost: ") and said.count("\n") == 1
                kind = "read" if code == 0 else "refused" if code == 2 and sentence \
                    else f"code {code}: {said[-80:]}"  # fmt: skip
                tally[f"{name}: {kind}"] += 1
    return counted(dict(tally), ("read", "refused"))


def manifests(count):
    """Changed manifests, with right checksums: one sentence, or the same answers."""
    tally = Counter()
    with folder():
        good = Path("model.softcost").read_bytes()
        line = "predict model.softcost rows.csv -o out.csv"
        ended(started(line))
        wanted = Path("out.csv").read_bytes()
        for seed in range(count):
            manifest, members = opened(good)
            changed = mutated_structure(
                copy.deepcopy(manifest), np.random.default_rng(seed)
            )
            try:
                content = signed(changed, members)
            except (TypeError, ValueError):  # 10**400 is no JSON of ours
                continue
            Path("model.softcost").write_bytes(content)
            Path("out.csv").write_bytes(wanted)
            code = ended(started(line))
            said = _said()
            sentence = said.startswith("softcost: ") and said.count("\n") == 1
            same = Path("out.csv").read_bytes() == wanted
            kind = "the same" if code == 0 and same else (
                "refused" if code == 2 and sentence and same
                else f"code {code}: {said[-80:]}"
            )  # fmt: skip
            tally[f"manifest: {kind}"] += 1
    return counted(dict(tally), ("the same", "refused"))


if __name__ == "__main__":
    with folder():
        found = _spoilt_places() + _two_writers()
    os.write(1, json.dumps(found).encode())

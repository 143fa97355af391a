"""SIGKILL while a file is written: the old one or the new one, never half of one.

The naive control writes the same bytes to the place itself, and has to fail, or the
kills would prove nothing.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

OURS = """
import sys
from softcost.files import atomic_write
print("ready", flush=True)
while True:
    for letter in (b"a", b"b"):
        with atomic_write(sys.argv[1]) as place, open(place, "wb") as file:
            for _ in range(200):
                file.write(letter * 50_000)
"""
NAIVE = OURS.replace(
    "atomic_write(sys.argv[1]) as place, open(place", "open(sys.argv[1]"
)
SIZE = 200 * 50_000


def run(count, program=OURS):
    """How many kills left a whole file, and how many did not."""
    tally = Counter()
    rng = random.Random(0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "out"
        for _ in range(count):
            path.write_bytes(b"a" * SIZE)
            command = [sys.executable, "-c", program, str(path)]
            process = subprocess.Popen(command, stdout=subprocess.PIPE)
            process.stdout.readline()
            time.sleep(rng.uniform(0, 0.2))
            process.send_signal(signal.SIGKILL)
            process.wait()
            process.stdout.close()
            content = path.read_bytes()
            whole = len(content) == SIZE and content in (b"a" * SIZE, b"b" * SIZE)
            tally["whole" if whole else "half a file"] += 1
        left = len(os.listdir(folder)) - 1
    tally["left beside it, at the end"] = left
    return count, tally["half a file"] + max(left - 1, 0), dict(tally)


def control(count):
    """The naive writer fails at least once."""
    _, failures, tally = run(count, NAIVE)
    return count, int(failures == 0), tally

"""Damaged caches of compiled code: the same predictions, whatever is in the files."""

import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

PROGRAM = """
import numpy as np
from softcost import KernelSVC
X = np.random.default_rng(0).normal(size=(60, 3))
print(KernelSVC().fit(X, np.arange(60) % 3).decision_function(X).sum())
"""


def run(count):
    """How many damaged caches came to what."""
    tally = Counter()
    with tempfile.TemporaryDirectory() as folder:
        wanted = _answer(folder)
        files = sorted(one for one in Path(folder).rglob("*.nb?") if one.is_file())
        for seed in range(count):
            rng = np.random.default_rng(seed)
            for path in files:
                if path.exists() and rng.random() < 0.5:
                    raw = bytearray(path.read_bytes())
                    if raw and rng.random() < 0.3:
                        del raw[rng.integers(len(raw)) :]
                    for place in rng.integers(0, max(len(raw), 1), 9 if raw else 0):
                        raw[place] = rng.integers(256)
                    path.write_bytes(raw)
            tally["the same" if _answer(folder) == wanted else "failed"] += 1
    return count, tally["failed"], dict(tally)


def _answer(folder):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=os.environ | {"NUMBA_CACHE_DIR": folder},
        capture_output=True,
        text=True,
    )
    return done.stdout if done.returncode == 0 else done.stderr

"""Damaged files of results: refused in one sentence, or the same rows."""

import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

from softcost.paper import Store, reproduce


def run(count):
    """How many damaged stores came to what."""
    tally = Counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "results.sqlite"
        reproduce("inconsistent", path, datasets=["iris"], runs=3)
        with Store(path, write=False) as store:
            wanted = store.rows()
        content = path.read_bytes()
        for seed in range(count):
            path.write_bytes(_damaged(content, seed))
            tally[_outcome(path, wanted)] += 1
    failures = sum(n for one, n in tally.items() if one not in ("refused", "the same"))
    return count, failures, dict(tally)


def _damaged(content, seed):
    rng = np.random.default_rng(seed)
    raw = bytearray(content)
    if seed % 4 == 0:
        del raw[rng.integers(len(raw)) :]
    for place in rng.integers(0, len(raw), rng.integers(1, 40)):
        raw[place] = rng.integers(256)
    return raw


def _outcome(path, wanted):
    try:
        with Store(path, write=False) as store:
            store.failures(), store.attempts()
            same = store.rows().equals(wanted)
    except (ValueError, OSError) as error:
        return "refused" if "\n" not in str(error) else "more than one sentence"
    except Exception as error:
        return type(error).__name__
    return "the same" if same else "other numbers"

"""How long the first fit and the first search on a machine compile."""

import os
import statistics
import subprocess
import sys
import tempfile

FIRST = """
import time
import numpy as np
from sklearn.datasets import load_iris
from softcost import KernelSVC, OneSidedRegression, SoftCostClassifierCV

X, y = load_iris(return_X_y=True)
prices = 1 - np.eye(3)

def seconds():
    start = time.process_time()
    KernelSVC().fit(X, y).predict(X)
    SoftCostClassifierCV(OneSidedRegression(), cost_matrix=prices).fit(X, y)
    return time.process_time() - start

print(seconds() - seconds())
"""


def seconds_to_compile(repetitions):
    """Processor seconds, the median of fresh processes with empty caches."""
    seconds = []
    for _ in range(repetitions):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [sys.executable, "-c", FIRST],
                env={**os.environ, "NUMBA_CACHE_DIR": folder},
                capture_output=True,
                text=True,
                check=True,
            )
        seconds.append(float(done.stdout))
    return statistics.median(seconds)

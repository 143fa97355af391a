"""Bad inputs of the API and the command line: every test marked ``bad_input``."""

import sys
from collections import Counter
from contextlib import redirect_stdout
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TESTS = [ROOT / "tests" / name for name in (
    "costs", "metrics", "selection", "reductions", "cli",
)]  # fmt: skip
OPTIONS = ["-n", "0", "-q", "-p", "no:cacheprovider", "--rootdir", str(ROOT)]


class Outcomes:
    """A plugin of pytest: what tests came to."""

    def __init__(self):
        self.by_test = {}

    def pytest_runtest_logreport(self, report):
        good = report.passed and self.by_test.get(report.nodeid, True)
        self.by_test[report.nodeid] = good


def run(count):
    """All of them, however many are asked for: one sentence, or a failure."""
    seen = Outcomes()
    with redirect_stdout(sys.stderr):
        code = pytest.main([*OPTIONS, "-m", "bad_input", *map(str, TESTS)], [seen])
    tally = Counter()
    for name, good in seen.by_test.items():
        where = "the command line" if "tests/cli/" in name else "the API"
        tally[f"refused by {where}" if good else "failed"] += 1
    if code not in (0, 1):  # not even collected
        tally["failed"] += 1
    return sum(tally.values()), tally["failed"], dict(tally)

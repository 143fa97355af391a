"""Problems of all kinds by hypothesis: a documented error, or sound predictions."""

import sys
from collections import Counter
from pathlib import Path

from hypothesis import HealthCheck, given, seed, settings

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "soft"))
from any_problem import outcome, problems

AT_ONCE = 500


def run(count):
    """How many problems came to what, in batches with seeds of their own."""
    tally = Counter()

    @given(problems())
    def one(problem):
        try:
            tally[outcome(problem)] += 1
        except Exception as error:
            tally[f"{type(error).__name__}: {error}"[:80]] += 1

    for number, start in enumerate(range(0, count, AT_ONCE)):
        size = min(AT_ONCE, count - start)
        limits = settings(
            max_examples=size, deadline=None, database=None,
            suppress_health_check=list(HealthCheck),
        )  # fmt: skip
        seed(number)(limits(one))()
    tried = sum(tally.values())
    return tried, tried - tally["refused"] - tally["predicts"], dict(tally)

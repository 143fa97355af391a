"""Problems of all kinds by hypothesis: a documented error, or sound predictions."""

import sys
from collections import Counter
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "soft"))
from any_problem import OUTCOMES, outcome, problems

AT_ONCE = 500


def run(count):
    """How many problems came to what, in batches with seeds of their own."""
    tally = Counter()
    for number, start in enumerate(range(0, count, AT_ONCE)):
        _batch(number, min(AT_ONCE, count - start), tally)
    tried = sum(tally.values())
    return tried, tried - sum(tally[one] for one in OUTCOMES), dict(tally)


def _batch(number, size, tally):
    @seed(number)
    @settings(
        max_examples=size, deadline=None, database=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(problems())
    def one(problem):
        try:
            tally[outcome(problem)] += 1
        except Exception as error:
            name = f"{problem['name']} with {problem['learner']}"
            tally[f"{name}: {type(error).__name__}: {error}"[:120]] += 1

    one()

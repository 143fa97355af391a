"""Whatever is asked for: a documented error, or sound predictions."""

from any_problem import OUTCOMES, outcome, problems
from hypothesis import given


@given(problems())
def test_any_problem_is_refused_or_solved(problem):
    assert outcome(problem) in OUTCOMES

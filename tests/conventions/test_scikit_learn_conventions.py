"""scikit-learn's own checks, for every reduction, every learner and the search."""

import pytest
from convention_cases import SCIKIT_LEARN_CASES


@pytest.mark.parametrize(
    ("estimator", "check"), [case.param() for case in SCIKIT_LEARN_CASES]
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)

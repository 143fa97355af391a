"""Our own checks of costs, for every reduction and the search."""

from unittest import SkipTest

import pytest
from convention_cases import COST_CASES


@pytest.mark.parametrize(("estimator", "check"), [case.param() for case in COST_CASES])
def test_costs(estimator, check):
    try:
        check(estimator)
    except SkipTest as reason:
        pytest.skip(str(reason))

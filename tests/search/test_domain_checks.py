"""Our own checks of prices, for the search."""

from unittest import SkipTest

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold

from softcost import CostSensitiveOneVsOne, OneSidedRegression, SoftCostClassifierCV
from softcost.testing import cost_estimator_checks

# Not stratified: some checks have one row of each class.
GRID = {"softness": [0, 0.5, 1], "param_grid": {"C": [1.0, 16.0]}, "cv": KFold(2)}
SEARCHES = {
    "paths": SoftCostClassifierCV(OneSidedRegression(), **GRID),
    "clones": SoftCostClassifierCV(CostSensitiveOneVsOne(LogisticRegression()), **GRID),
}


@pytest.mark.parametrize(
    "check",
    cost_estimator_checks(softness=False, actions=True),
    ids=lambda check: check.__name__,
)
@pytest.mark.parametrize("search", SEARCHES)
def test_prices(search, check):
    try:
        check(SEARCHES[search])
    except SkipTest as reason:
        pytest.skip(str(reason))

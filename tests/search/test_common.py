"""scikit-learn's own checks."""

from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from softcost import (
    CostSensitiveOneVsOne,
    MinimumExpectedCost,
    OneSidedRegression,
    SoftCostClassifierCV,
)

GRID = {"softness": [0.0, 1.0], "param_grid": {"C": [1.0, 16.0]}, "cv": 3}


@parametrize_with_checks(
    [
        SoftCostClassifierCV(OneSidedRegression(), **GRID),
        SoftCostClassifierCV(CostSensitiveOneVsOne(LogisticRegression()), **GRID),
        SoftCostClassifierCV(
            [
                ("csovo", CostSensitiveOneVsOne(LogisticRegression())),
                ("bayes", MinimumExpectedCost(LogisticRegression())),
            ],
            **(GRID | {"param_grid": {"csovo": {"C": [1.0]}}}),
        ),
    ]
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)

"""scikit-learn's own checks, for every reduction."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from softcost.reductions import (
    ClippedTargetRegressor,
    CostSensitiveOneVsOne,
    FilterTree,
    OneSidedRegression,
    RegressionOneVsAll,
    WeightedAllPairs,
    ZhouLiuRescaling,
)


@parametrize_with_checks(
    [
        ClippedTargetRegressor(),
        CostSensitiveOneVsOne(),
        FilterTree(),
        OneSidedRegression(),
        RegressionOneVsAll(),
        WeightedAllPairs(),
        ZhouLiuRescaling(),
    ]
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)

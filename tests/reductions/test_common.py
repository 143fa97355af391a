"""scikit-learn's own checks, for every reduction."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from softcost.reductions import (
    ClippedTargetRegressor,
    Costing,
    CostSensitiveOneVsOne,
    FilterTree,
    MetaCost,
    MinimumExpectedCost,
    OneSidedBoosting,
    OneSidedRegression,
    RegressionOneVsAll,
    StochasticEnsembleBoosting,
    WeightedAllPairs,
    ZhouLiuRescaling,
)


@parametrize_with_checks(
    [
        ClippedTargetRegressor(),
        CostSensitiveOneVsOne(),
        Costing(),
        FilterTree(),
        MetaCost(n_resamples=10),
        MinimumExpectedCost(),
        OneSidedBoosting(),
        OneSidedRegression(),
        RegressionOneVsAll(),
        StochasticEnsembleBoosting(n_rounds=10),
        WeightedAllPairs(),
        ZhouLiuRescaling(),
    ]
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)

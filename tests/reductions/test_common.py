"""scikit-learn's own checks, for every reduction."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from softcost.reductions import CATALOGUE, ClippedTargetRegressor, OneSidedBoosting

# As many learners as a check needs, where the default is many.
FEW = {"metacost": {"n_resamples": 10}, "gbse": {"n_rounds": 10}}


@parametrize_with_checks(
    [
        *(entry.load()(**FEW.get(name, {})) for name, entry in CATALOGUE.items()),
        ClippedTargetRegressor(),
        OneSidedBoosting(),
    ]
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)

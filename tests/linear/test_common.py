"""scikit-learn's own checks."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from softcost.linear import LinearClassifier, OneSidedLinear


@parametrize_with_checks(
    [LinearClassifier(), LinearClassifier(loss="logistic"), OneSidedLinear()]
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)

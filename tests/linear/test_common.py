"""scikit-learn's own checks."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from softcost.linear import (
    LinearClassifier,
    NystroemClassifier,
    OneSidedLinear,
    OneSidedNystroem,
)


@parametrize_with_checks(
    [
        LinearClassifier(),
        LinearClassifier(loss="logistic"),
        OneSidedLinear(),
        NystroemClassifier(),
        NystroemClassifier(kernel="rbf", n_landmarks=5),
        OneSidedNystroem(),
    ]
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)

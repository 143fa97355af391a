"""scikit-learn's own checks."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from softcost.svm import KernelSVC, OneSidedSVR


@parametrize_with_checks([KernelSVC(), KernelSVC(kernel="rbf"), OneSidedSVR()])
def test_scikit_learn_conventions(estimator, check):
    check(estimator)

"""Probabilities of scores."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from softcost import KernelSVC, OneSidedRegression
from softcost.reductions import SoftmaxScores

X, y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[y]


@parametrize_with_checks([SoftmaxScores(LogisticRegression())])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("sharpness", [0.5, 1.0, 8.0])
def test_probabilities_are_those_of_a_logistic_model_with_the_same_scores(sharpness):
    model = LogisticRegression(max_iter=1000)
    ours = SoftmaxScores(model, sharpness=sharpness).fit(X, NAMES)
    exact = model.fit(X, NAMES).predict_proba(X) ** sharpness
    exact /= exact.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(ours.predict_proba(X), exact, rtol=1e-9)
    np.testing.assert_array_equal(ours.predict(X), model.predict(X))
    assert ours.classes_.tolist() == model.classes_.tolist()


def test_two_classes_have_one_score():
    two = y < 2
    model = LogisticRegression().fit(X[two], NAMES[two])
    ours = SoftmaxScores(LogisticRegression(), sharpness=1.0).fit(X[two], NAMES[two])
    np.testing.assert_allclose(
        ours.predict_proba(X), model.predict_proba(X), rtol=1e-9, atol=1e-300
    )


def test_weights_of_rows_reach_the_classifier():
    weight = np.where(y == 1, 3.0, 1.0)
    many = np.repeat(np.arange(len(y)), weight.astype(int))
    weighted = SoftmaxScores(KernelSVC(tol=1e-6)).fit(X, y, sample_weight=weight)
    repeated = SoftmaxScores(KernelSVC(tol=1e-6)).fit(X[many], y[many])
    np.testing.assert_allclose(
        weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-4
    )


def test_machines_for_each_class_predict_as_they_do_alone():
    machines = OneSidedRegression(softness=1.0)
    ours = SoftmaxScores(machines).fit(X, NAMES)
    np.testing.assert_array_equal(ours.predict(X), machines.fit(X, NAMES).predict(X))


@pytest.mark.bad_input
@pytest.mark.parametrize(
    ("given", "argument"),
    [
        ({"sharpness": 0}, "sharpness"),
        ({"sharpness": -1.0}, "sharpness"),
        ({"classifier": None}, "classifier"),
        ({"classifier": "svm"}, "classifier"),
    ],
)
def test_bad_input(given, argument):
    with pytest.raises(ValueError, match=f"'{argument}' parameter of SoftmaxScores"):
        SoftmaxScores(**({"classifier": KernelSVC()} | given)).fit(X, y)

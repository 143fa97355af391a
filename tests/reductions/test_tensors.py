"""Tensors reach learners that accept them, and come back as numpy arrays."""

import os
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

from softcost import (
    Costing,
    CostSensitiveOneVsOne,
    FilterTree,
    MetaCost,
    MinimumExpectedCost,
    SoftCostClassifierCV,
)

torch = pytest.importorskip("torch")
PRICES = [[0, 1, 5], [2, 0, 5], [9, 8, 0]]


class OnTensors(ClassifierMixin, BaseEstimator):
    """Accepts nothing but tensors, and returns them."""

    def fit(self, X, y, sample_weight=None):
        assert isinstance(X, torch.Tensor)
        self.model_ = GaussianNB().fit(X.numpy(), np.asarray(y), sample_weight)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        assert isinstance(X, torch.Tensor)
        return torch.asarray(self.model_.predict(X.numpy()))

    def predict_proba(self, X):
        assert isinstance(X, torch.Tensor)
        return torch.asarray(self.model_.predict_proba(X.numpy()))


@pytest.mark.parametrize("labels", [np.asarray, torch.asarray])
@pytest.mark.parametrize(
    "make",
    [
        MinimumExpectedCost,
        lambda learner: MinimumExpectedCost(learner, calibration="temperature"),
        CostSensitiveOneVsOne,
        FilterTree,
        lambda learner: MetaCost(learner, n_resamples=2, random_state=0),
        Costing,
        lambda learner: SoftCostClassifierCV(
            MinimumExpectedCost(learner), softness=[0.0, 1.0], cv=3
        ),
    ],
)
def test_predictions_are_those_on_arrays(make, labels):
    X, y = load_iris(return_X_y=True)
    weight = np.linspace(0, 2, len(y))
    expected = make(GaussianNB()).set_params(cost_matrix=PRICES).fit(X, y, weight)
    model = make(OnTensors()).set_params(cost_matrix=PRICES)
    model.fit(torch.asarray(X), labels(y), weight)
    predicted = model.predict(torch.asarray(X))
    assert isinstance(predicted, np.ndarray)
    # Probabilities break ties between votes of GaussianNB, but not of OnTensors.
    assert np.mean(predicted == expected.predict(X)) > 0.95
    assert model.score(torch.asarray(X), labels(y)) <= 0


DISPATCHED = """
import numpy as np, torch
from sklearn import config_context
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import Ridge
from softcost import MinimumExpectedCost, RegressionOneVsAll, SoftCostClassifierCV

X, y = load_iris(return_X_y=True)
prices = [[0, 1, 5], [2, 0, 5], [9, 8, 0]]
for make in (
    lambda: MinimumExpectedCost(LinearDiscriminantAnalysis(), cost_matrix=prices),
    lambda: RegressionOneVsAll(Ridge(solver="svd"), cost_matrix=prices),
    lambda: SoftCostClassifierCV(
        MinimumExpectedCost(LinearDiscriminantAnalysis()), cost_matrix=prices,
        softness=[0.0, 1.0], cv=3,
    ),
):
    expected = make().fit(X, y).predict(X)
    with config_context(array_api_dispatch=True):
        model = make().fit(torch.asarray(X), torch.asarray(y))
        np.testing.assert_array_equal(model.predict(torch.asarray(X)), expected)
"""


def test_scikit_learns_dispatch():
    """Targets and weights are converted to the library of X."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", DISPATCHED],
        env=os.environ | {"SCIPY_ARRAY_API": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr

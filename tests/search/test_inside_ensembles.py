"""Estimators inside scikit-learn's ensembles, which encode the labels."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.naive_bayes import GaussianNB

from softcost import CostSensitiveOneVsOne, MinimumExpectedCost, SoftCostClassifierCV

X, NUMBERS = load_iris(return_X_y=True)
Y = np.array(["setosa", "versicolor", "virginica"])[NUMBERS]
PRICES = pd.DataFrame(
    [[0.0, 1, 5], [1, 0, 5], [9, 9, 0]], index=np.unique(Y), columns=np.unique(Y)
)


def ensembles(model):
    yield VotingClassifier([("ours", model), ("bayes", GaussianNB())])
    yield StackingClassifier([("ours", model), ("bayes", GaussianNB())], cv=2)
    yield BaggingClassifier(model, n_estimators=2, random_state=0)


MODELS = {
    "reduction": MinimumExpectedCost(GaussianNB()),
    "pairs": CostSensitiveOneVsOne(GaussianNB()),
    "search": SoftCostClassifierCV(MinimumExpectedCost(GaussianNB()), softness=2, cv=2),
}


@pytest.mark.parametrize("name", MODELS)
def test_the_message_names_a_remedy_that_works(name):
    model = MODELS[name].set_params(cost_matrix=PRICES)
    for ensemble in ensembles(model):
        with pytest.raises(ValueError, match=r"encoded y.*as an array"):
            ensemble.fit(X, Y)
    for ensemble in ensembles(model.set_params(cost_matrix=PRICES.to_numpy())):
        assert (ensemble.fit(X, Y).predict(X) == Y).mean() > 0.8


def test_other_wrong_labels_have_no_such_remedy():
    model = MinimumExpectedCost(GaussianNB(), cost_matrix=PRICES)
    with pytest.raises(ValueError, match="does not name") as wrong:
        model.fit(X, NUMBERS + 7)
    assert "encoded" not in str(wrong.value)


@pytest.mark.parametrize("form", [list, lambda y: np.array(y, object), pd.Series])
@pytest.mark.parametrize("model", [MinimumExpectedCost(), SoftCostClassifierCV()])
def test_numbers_and_words_as_labels(model, form):
    costs = {0: {"a": 1, 2: 2}, "a": {0: 1, 2: 3}, 2: {0: 1, "a": 4}}
    with pytest.raises(TypeError, match="y mixes labels"):
        model.set_params(cost_matrix=costs).fit(X, form([0, "a", 2] * 50))


def test_labels_that_are_not_scalars():
    costs = {(1, 2): {"a": 1}, "a": {(1, 2): 1}}
    with pytest.raises(ValueError, match="one label per row"):
        MinimumExpectedCost(cost_matrix=costs).fit(X, NUMBERS)

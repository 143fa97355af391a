"""Copies of a search, with the training data or without."""

import copy
import io

import joblib
import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from softcost import (
    CostSensitiveOneVsOne,
    FilterTree,
    KernelSVC,
    LinearClassifier,
    SoftCostClassifierCV,
    load,
    save,
)

MATRIX = np.array([[0, 1, 5], [1, 0, 5], [9, 9, 0.0]])


def through_a_file(search):
    buffer = io.BytesIO()
    joblib.dump(search, buffer)
    buffer.seek(0)
    return joblib.load(buffer)


def searched(learner=None, **params):
    learner = LogisticRegression(max_iter=1000) if learner is None else learner
    X, y = load_iris(return_X_y=True)
    search = SoftCostClassifierCV(
        CostSensitiveOneVsOne(learner), cost_matrix=MATRIX, softness=3, cv=2, **params
    )
    return X, search.fit(X, y)


@pytest.mark.parametrize("copied", [copy.deepcopy, through_a_file])
@pytest.mark.parametrize("learner", [None, KernelSVC()])
def test_copies_choose_where_they_keep_the_data(copied, learner):
    X, search = searched(learner, keep_data=True, verbose=1)
    other = copied(search).choose("max")
    search.choose("max")
    assert other.best_index_ == search.best_index_
    np.testing.assert_array_equal(
        other.decision_function(X), search.decision_function(X)
    )


@pytest.mark.parametrize("copied", [copy.deepcopy, through_a_file])
def test_other_copies_say_that_they_cannot(copied):
    X, search = searched()
    other = copied(search)
    np.testing.assert_array_equal(other.predict(X), search.predict(X))
    for refit in (other.choose, lambda: other.mix(0.5), lambda: other.candidate(0)):
        with pytest.raises(ValueError, match="keep_data=True"):
            refit()


def test_saved_models_never_keep_data(tmp_path):
    X, search = searched(KernelSVC(), keep_data=True)
    save(search, tmp_path / "model")
    loaded = load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict(X), search.predict(X))
    with pytest.raises(ValueError, match="saved models never have them"):
        loaded.choose()


@pytest.mark.parametrize("reduction", [CostSensitiveOneVsOne, FilterTree])
@pytest.mark.parametrize(
    "learner", [KernelSVC(max_iter=1), LinearClassifier(max_iter=1)]
)
def test_a_search_says_that_max_iter_ended_it(reduction, learner):
    X, y = load_iris(return_X_y=True)
    search = SoftCostClassifierCV(
        reduction(learner), cost_matrix=MATRIX, softness=2, cv=2, refit=False
    )
    with pytest.warns(ConvergenceWarning, match="raise max_iter=1"):
        search.fit(X, y)
    with pytest.warns(ConvergenceWarning, match="raise max_iter=1"):
        reduction(learner, cost_matrix=MATRIX).fit(X, y)

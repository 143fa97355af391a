"""A search gives the same bits whichever joblib backend runs it."""

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression

from softcost import parallel
from softcost.reductions import CostSensitiveOneVsOne, FilterTree, OneSidedRegression
from softcost.search import SoftCostClassifierCV

MATRIX = np.array([[0, 1, 5], [2, 0, 4], [9, 7, 0.0]])
REDUCTIONS = {
    "flat": OneSidedRegression(),
    "pairs": CostSensitiveOneVsOne(),
    "tree": FilterTree(),
    "cloned": CostSensitiveOneVsOne(LogisticRegression(max_iter=1000)),
}


def searched(reduction, n_jobs=2):
    X, y = load_wine(return_X_y=True)
    # Some rows twice, with other labels in between.
    X, y = np.r_[X, X[::7]], np.r_[y, y[3::7][: len(X[::7])]]
    y = np.r_[y, np.zeros(len(X) - len(y), int)]
    search = SoftCostClassifierCV(
        reduction, cost_matrix=MATRIX, softness=3, cv=3, n_jobs=n_jobs, random_state=1
    )
    search.set_params(param_grid={"C": [0.25, 16.0]})
    search.fit(X / X.std(axis=0), y)
    return search, search.decision_function(X / X.std(axis=0))


@pytest.fixture(scope="module")
def alone():
    return {name: searched(one, n_jobs=1) for name, one in REDUCTIONS.items()}


def same(found, expected):
    search, scores = found
    alone, expected_scores = expected
    np.testing.assert_array_equal(
        search.tradeoff_.to_numpy(float), alone.tradeoff_.to_numpy(float)
    )
    np.testing.assert_array_equal(scores, expected_scores)


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_backends_of_this_machine(name, backend, alone):
    with parallel_config(backend=backend, n_jobs=2):
        same(searched(REDUCTIONS[name], n_jobs=None), alone[name])


def test_progress_is_told_by_backends_without_generators():
    told = []
    with parallel_config(backend="multiprocessing", n_jobs=2):
        found = parallel.run_jobs(
            divmod, [(7, 2), (9, 4)], progress=lambda *one: told.append(one)
        )
    assert found == [(3, 1), (2, 1)]
    assert told == [(1, 2), (2, 2)]

"""A search gives the same bits whichever joblib backend runs it."""

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.datasets import load_iris, load_wine
from sklearn.linear_model import LogisticRegression

from softcost import parallel
from softcost.reductions import CostSensitiveOneVsOne, FilterTree, OneSidedRegression
from softcost.soft import SoftCostClassifierCV

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


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed")
    cluster = distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address=":0",
    )
    with cluster, distributed.Client(cluster) as connected:
        yield connected


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


@pytest.mark.parametrize("name", REDUCTIONS)
def test_dask(name, alone, client):
    with parallel_config(backend="dask"):
        same(searched(REDUCTIONS[name], n_jobs=None), alone[name])


def test_the_default_learner_works_on_the_cluster_and_rows_travel_once(client):
    # Functions of a test are sent as they are: workers cannot import this module.

    def watch(dask_worker):
        """Keep the rows that every piece of work on this worker is given."""
        from softcost.soft import _walk_jobs

        solve, dask_worker.given = _walk_jobs.solve_block, []

        def watched(X, *others):
            dask_worker.given.append(X)
            return solve(X, *others)

        dask_worker.original, _walk_jobs.solve_block = solve, watched

    def unwatch(dask_worker):
        """How many pieces of work there were, and how many copies of the rows."""
        from softcost.soft import _walk_jobs

        _walk_jobs.solve_block = dask_worker.original
        return len(dask_worker.given), len({id(X) for X in dask_worker.given})

    X, y = load_iris(return_X_y=True)
    client.run(watch)
    with parallel_config(backend="dask"):
        SoftCostClassifierCV(cost_matrix=MATRIX, softness=11, cv=6).fit(X, y)
    done = client.run(unwatch).values()
    assert sum(pieces for pieces, _ in done) == 6  # all folds
    assert all(copies <= 1 for _, copies in done)


def test_local_threads_are_those_of_this_machine(client):
    with parallel_config(backend="dask"):
        assert parallel.has_own_workers()
        assert parallel.local_threads(3) == 3
        assert parallel.local_threads(None) >= 1
    assert not parallel.has_own_workers()


def test_progress_is_told_by_backends_without_generators():
    told = []
    with parallel_config(backend="multiprocessing", n_jobs=2):
        found = parallel.run_jobs(
            divmod, [(7, 2), (9, 4)], progress=lambda *one: told.append(one)
        )
    assert found == [(3, 1), (2, 1)]
    assert told == [(1, 2), (2, 2)]

"""Searches on a real Dask cluster: a scheduler and two worker processes.

Functions of a test are sent as they are: workers cannot import this module.
"""

import os
import signal

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from joblib import parallel_config
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

from softcost import MinimumExpectedCost, parallel
from softcost.cli import main
from softcost.reductions import CostSensitiveOneVsOne, FilterTree, OneSidedRegression
from softcost.search import SoftCostClassifierCV, progress_to

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.slow

MATRIX = np.array([[0, 1, 5], [2, 0, 4], [9, 7, 0.0]])
REDUCTIONS = {
    "flat": OneSidedRegression(),
    "pairs": CostSensitiveOneVsOne(),
    "tree": FilterTree(),
    "cloned": CostSensitiveOneVsOne(LogisticRegression(max_iter=1000)),
}


@pytest.fixture(scope="module")
def client():
    cluster = distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address=":0",
    )
    with cluster, distributed.Client(cluster) as connected:
        yield connected


def made_up(n=240, n_features=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features))
    y = np.digitize(X[:, 0] + 0.5 * rng.normal(size=n), [-0.6, 0.6])
    return np.r_[X, X[::9]], np.r_[y, y[::-9][: len(X[::9])]]  # some rows twice


def searched(reduction, X, y, cv=4):
    search = SoftCostClassifierCV(
        reduction, cost_matrix=MATRIX, softness=3, cv=cv, random_state=1
    )
    search.set_params(param_grid={"C": [0.25, 16.0]})
    return search.fit(X, y)


def assert_same(found, expected, X, exactly=True):
    """The same bits, of every candidate and of the chosen model.

    Learners from elsewhere may round otherwise where an array lies otherwise in memory.
    """
    pd.testing.assert_frame_equal(found.tradeoff_, expected.tradeoff_, check_exact=True)
    np.testing.assert_allclose(
        found.decision_function(X),
        expected.decision_function(X),
        rtol=0 if exactly else 1e-9,
    )


@pytest.mark.parametrize("name", REDUCTIONS)
def test_a_cluster_gives_the_same_bits(name, client):
    X, y = made_up()
    with parallel_config(backend="dask"):
        found = searched(REDUCTIONS[name], X, y)
    assert_same(found, searched(REDUCTIONS[name], X, y), X, exactly=name != "cloned")


@pytest.mark.parametrize("name", ["flat", "cloned"])
def test_the_data_travel_once_to_each_worker(name, client):
    """Counted as bytes that reach the workers, which all of the work does need.

    Sent with each of the six folds they would be several times as many.
    """

    def watch(dask_worker):
        from distributed.comm import tcp

        dask_worker.bytes_read, dask_worker.from_frames = 0, tcp.from_frames

        async def counted(frames, **options):
            dask_worker.bytes_read += sum(memoryview(one).nbytes for one in frames)
            return await dask_worker.from_frames(frames, **options)

        tcp.from_frames = counted

    def unwatch(dask_worker):
        from distributed.comm import tcp

        tcp.from_frames = dask_worker.from_frames
        return dask_worker.bytes_read

    X, y = made_up(300, 1000)
    client.amm.stop()  # from time to time it drops copies that nobody asks for just now
    client.run(watch)
    with parallel_config(backend="dask"):
        searched(REDUCTIONS[name], X, y, cv=6)
    read = client.run(unwatch).values()
    assert len(read) == 2
    assert all(X.nbytes <= one < 2 * X.nbytes for one in read), (read, X.nbytes)


def test_costs_of_rows_travel_once_too(client):
    """They are inside of another object, which joblib would send with every job."""

    def watch(dask_worker):
        from softcost.search import path_engine

        solve, dask_worker.given = path_engine.solve_block, []

        def watched(X, rows, *others):
            dask_worker.given.append((X, rows))
            return solve(X, rows, *others)

        dask_worker.original, path_engine.solve_block = solve, watched

    def unwatch(dask_worker):
        """How many pieces of work there were, and how many copies of what they need."""
        from softcost.search import path_engine

        path_engine.solve_block = dask_worker.original
        given = dask_worker.given
        return len(given), len({(id(X), id(rows)) for X, rows in given})

    X, y = load_iris(return_X_y=True)
    client.run(watch)
    with parallel_config(backend="dask"):
        SoftCostClassifierCV(OneSidedRegression(), softness=11, cv=6).fit(
            X, y, costs=MATRIX[y]
        )
    done = client.run(unwatch).values()
    assert sum(pieces for pieces, _ in done) == 6  # all folds
    assert all(copies <= 1 for _, copies in done)


def test_a_killed_worker_loses_nothing(client):
    X, y = made_up()
    killed = []

    def kill(done, total):
        """A worker, when the first piece of work is done."""
        if not killed and done < total:
            killed.append(next(iter(client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)

    with parallel_config(backend="dask"), progress_to(kill):
        found = searched(OneSidedRegression(), X, y, cv=8)
    assert killed
    assert_same(found, searched(OneSidedRegression(), X, y, cv=8), X)
    client.wait_for_workers(2)  # the other tests have two again


def test_local_threads_are_those_of_this_machine(client):
    with parallel_config(backend="dask"):
        assert parallel.has_own_workers()
        assert parallel.local_threads(3) == 3
        assert parallel.local_threads(None) >= 1
    assert not parallel.has_own_workers()


@pytest.fixture
def table(tmp_path):
    X, y = made_up(60, 3)
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=[f"k{one}" for one in y])
    frame.to_csv(tmp_path / "t.csv", index=False)
    names = [f"k{one}" for one in range(3)]
    pd.DataFrame(MATRIX, names, names).to_csv(tmp_path / "p.csv")
    return tmp_path


def fit(folder, name, *options):
    words = [
        "fit", folder / "t.csv", "--target", "y", "--costs", folder / "p.csv",
        "--model", folder / name, "--softness", "3", "--cv", "3", "--quiet", *options,
    ]  # fmt: skip
    return CliRunner().invoke(main, [str(word) for word in words])


def test_the_command_line_on_a_cluster(client, table):
    assert fit(table, "here").exit_code == 0
    result = fit(table, "there", "--dask", client.scheduler.address)
    assert result.exit_code == 0, result.stderr
    answers = []
    for name in ("here", "there"):
        words = ["predict", str(table / name), str(table / "t.csv")]
        answers.append(CliRunner().invoke(main, words).stdout)
    assert answers[0] == answers[1]
    assert answers[0].count("\n") > 60


def test_a_cluster_that_is_not_there(table, monkeypatch):
    monkeypatch.setattr("softcost.workflow.training._PATIENCE", 0.5)
    result = fit(table, "model", "--dask", "tcp://127.0.0.1:1")
    assert result.exit_code == 2
    assert "tcp://127.0.0.1:1 does not answer" in result.stderr
    result = fit(table, "model", "--dask", "tcp://127.0.0.1:1", "--jobs", "2")
    assert result.exit_code == 2
    assert "--jobs" in result.stderr


# LightGBM 4.5 with scikit-learn 1.6
@pytest.mark.filterwarnings("ignore:.*__sklearn_tags__:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:'force_all_finite' was renamed:FutureWarning")
@pytest.mark.filterwarnings("ignore:Parameter n_jobs will be ignored:UserWarning")
def test_rows_that_no_machine_holds(client):
    """LightGBM learns where the parts of a Dask array are; prices come afterwards."""
    array = pytest.importorskip("dask.array")
    lightgbm = pytest.importorskip("lightgbm")
    from sklearn.frozen import FrozenEstimator

    X, y = made_up(900)
    rows = array.from_array(X, chunks=(250, -1))
    labels = array.from_array(y, chunks=250)
    learner = lightgbm.DaskLGBMClassifier(
        client=client, n_estimators=20, num_leaves=7, random_state=0, verbose=-1
    )
    local = learner.fit(rows, labels).to_local()
    few = slice(0, 30)  # MinimumExpectedCost itself learns nothing from rows
    model = MinimumExpectedCost(FrozenEstimator(local), cost_matrix=MATRIX)
    model.fit(X[few], y[few])
    lazily = rows.map_blocks(model.predict, dtype=y.dtype, drop_axis=1)
    found = lazily.compute()
    expected = local.predict_proba(X) @ MATRIX
    np.testing.assert_array_equal(found, expected.argmin(axis=1))
    paid = MATRIX[y, found].mean()
    assert paid < min(MATRIX[y].mean(axis=0))  # than any single answer

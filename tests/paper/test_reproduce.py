"""Run, resume, repeat: the same rows, whatever runs them."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

from softcost import OneSidedRegression
from softcost.paper import Store, import_model, reproduce, select, summarize

SMALL = {"datasets": ["iris"], "algorithms": ["OVA", "OSR", "OVO"], "runs": 2}


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """What one process computes."""
    folder = tmp_path_factory.mktemp("reference")
    return reproduce("inconsistent", folder / "results.sqlite", **SMALL)


def test_run_thrice_execute_once(tmp_path, reference):
    path = tmp_path / "results.sqlite"
    counts = [reproduce("inconsistent", path, **SMALL) for _ in range(3)]
    assert [count.executed for count in counts] == [4, 0, 0]
    for count in counts:
        pd.testing.assert_frame_equal(count.cells, reference.cells)
        pd.testing.assert_frame_equal(count.table, reference.table)
    more = reproduce("inconsistent", path, **SMALL | {"runs": 3})
    assert more.executed == 2


def test_little_memory_gives_the_same_rows(tmp_path):
    one_run = SMALL | {"algorithms": ["OVA"], "runs": 1}
    expected = reproduce("inconsistent", tmp_path / "expected", **one_run)
    little = reproduce("inconsistent", tmp_path / "l", **one_run, cache_size=0.05)
    assert little.executed == expected.executed > 0
    pd.testing.assert_frame_equal(little.cells, expected.cells)


def test_targets_share_cells(tmp_path):
    path = tmp_path / "results.sqlite"
    reproduce("inconsistent", path, **SMALL)
    other = reproduce("alpha-selection", path, datasets=["iris"], runs=2)
    assert other.executed == 0
    assert set(other.table["algorithm"]) == {"soft-OSR", "soft-OSR-max"}


def test_a_store_alone_gives_the_table(tmp_path):
    path = tmp_path / "results.sqlite"
    add = {"GNB": GaussianNB()}
    whole = SMALL | {"algorithms": None, "runs": 1, "add": add}
    result = reproduce("inconsistent", path, **whole)
    reproduce("consistent", path, **SMALL | {"runs": 1})
    reproduce("unbalanced", path, datasets=["iris"], runs=2)
    with Store(path, write=False) as store:
        rows = store.rows()
    request, cells = select(rows, "inconsistent")
    assert (request.datasets, request.runs) == (("iris",), 1)
    pd.testing.assert_frame_equal(summarize(cells, request), result.table)
    weighted = select(rows, "unbalanced")[1]
    assert set(weighted["algorithm"]) == {"weighted-OVA", "OSR", "soft-OSR", "GNB"}
    assert select(rows, "sers")[1].empty
    assert select(rows.assign(version=0), "inconsistent")[1].empty
    with pytest.raises(ValueError, match="stores of their own"):
        select(pd.concat([rows, rows.assign(data="x")]), "inconsistent")


def test_both_kinds_of_matrices(tmp_path):
    path = tmp_path / "results.sqlite"
    options = SMALL | {"algorithms": ["OVA"], "runs": 1}
    both = reproduce("inconsistent", path, matrices="both", **options)
    assert set(both.table["costs"]) == {"plain", "class-ratio"}
    errors = both.cells[both.cells["algorithm"] == "OVA"].set_index("costs")["error"]
    assert errors["plain"] == errors["class-ratio"]  # it saw no costs
    assert reproduce("inconsistent", path, **options).executed == 0


def test_failures_are_kept_and_tried_again(tmp_path, switched):
    path = tmp_path / "results.sqlite"
    options = SMALL | {"runs": 1, "add": {"other": switched("fail always")}}
    first = reproduce("inconsistent", path, **options)
    ((unit, message),) = first.failed
    assert unit.family == "other"
    assert "RuntimeError: the switch was on" in message
    assert set(first.table["algorithm"]) == {"OVA", "OSR", "OVO"}
    with Store(path, write=False) as store:
        assert len(store.failures()) == 1
    switched("fail once")
    assert len(reproduce("inconsistent", path, **options).failed) == 1
    third = reproduce("inconsistent", path, **options)
    assert (third.executed, third.failed) == (1, [])
    assert "other" in set(third.table["algorithm"])
    with Store(path, write=False) as store:
        assert store.failures().empty
        assert store.attempts()["status"].tolist().count("failed") == 2


def test_processes_give_the_same_rows_though_one_dies(tmp_path, switched, reference):
    options = SMALL | {"jobs": 2, "add": {"other": switched("die")}}
    result = reproduce("inconsistent", tmp_path / "results", **options)
    assert not (tmp_path / "switch").exists()
    assert result.failed == []
    kept = result.cells[result.cells["family"] != "other"].reset_index(drop=True)
    pd.testing.assert_frame_equal(kept, reference.cells)
    assert len(result.cells) == len(reference.cells) + 2


@pytest.mark.slow
def test_a_unit_that_always_kills_its_process_fails_alone(
    tmp_path, switched, monkeypatch
):
    monkeypatch.setattr("softcost.paper.execute._STRIKES", 2)
    options = SMALL | {"runs": 1, "jobs": 2, "add": {"other": switched("die always")}}
    result = reproduce("inconsistent", tmp_path / "results", **options)
    ((unit, message),) = result.failed
    assert unit.family == "other"
    assert "died 2 times" in message
    assert set(result.table["algorithm"]) == {"OVA", "OSR", "OVO"}


def test_added_algorithms_are_one_more_row(tmp_path):
    path = tmp_path / "results.sqlite"
    ours = OneSidedRegression()
    options = SMALL | {"algorithms": ["OVA"]}
    result = reproduce(
        "inconsistent", path, add={"GNB": GaussianNB(), "hard": ours}, **options
    )
    assert result.failed == []
    assert set(result.table["algorithm"]) == {"OVA", "GNB", "hard"}
    assert ours.cost_matrix is None
    mine = result.table.set_index(["algorithm", "metric"])
    assert pd.isna(mine.loc[("GNB", "cost"), "published_mean"])
    # Other parameters are another algorithm.
    again = reproduce(
        "inconsistent", path, add={"GNB": GaussianNB(var_smoothing=1e-6)}, **options
    )
    assert again.executed == 2


def test_import_of_models(tmp_path, switched):
    switched("")
    name, model = import_model("switched_model:Switched")
    assert (name, type(model).__name__) == ("Switched", "Switched")
    for spec in ("GaussianNB", "=a:b", "a:", "nothing.here:X", "math:nothing"):
        with pytest.raises(ValueError, match="add="):
            import_model(spec)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"target": "inconsistant"}, "did you mean 'inconsistent'"),
        ({"algorithms": ["soft-OST"]}, "did you mean"),
        ({"algorithms": ["OVA", "xyz"]}, "choose from OVA"),
        ({"datasets": ["irs"]}, "did you mean 'iris'"),
        ({"runs": 0}, "at least 1"),
        ({"jobs": 0}, "at least 1"),
        ({"max_rows": 3}, "at least 20"),
        ({"cache_size": 0}, "positive"),
        ({"matrices": "any"}, "choose one"),
        ({"add": {"OVA": GaussianNB()}}, "taken"),
    ],
)
def test_wrong_requests_write_nothing(tmp_path, options, complaint):
    path = tmp_path / "results.sqlite"
    target = options.pop("target", "inconsistent")
    with pytest.raises(ValueError, match=complaint):
        reproduce(target, path, **options)
    assert not list(tmp_path.iterdir())
    with pytest.raises(TypeError, match="scikit-learn classifiers"):
        reproduce("inconsistent", path, add={"x": 3})


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
@pytest.mark.slow
def test_killed_and_resumed():
    script = Path(__file__).parents[2] / "benchmarks" / "kill_resume.py"
    if not script.is_file():
        pytest.skip("the benchmarks are not here")
    subprocess.run(
        [sys.executable, script, "--kills", "3", "--datasets", "iris", "--runs", "12",
         "--longest", "0.2"],
        check=True,
    )  # fmt: skip


@pytest.fixture
def cluster(tmp_path):
    """A scheduler and two worker processes without nannies."""
    pytest.importorskip("distributed")
    file = tmp_path / "scheduler.json"
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path]),
        "PYTHONWARNINGS": "ignore",
        "DASK_DISTRIBUTED__DASHBOARD__LINK": "",
        # On a busy machine nobody is given up.
        "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "1 hour",
        "DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": "1 hour",
        "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "1 hour",
    }
    started = []

    def start(*arguments):
        log = open(tmp_path / f"{arguments[0]}-{len(started)}.log", "w")  # noqa: SIM115
        started.append(
            subprocess.Popen(
                [sys.executable, "-m", "dask", *arguments],
                env=environment, stdout=log, stderr=log, cwd=tmp_path,
            )
        )  # fmt: skip
        log.close()

    start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
          "--scheduler-file", str(file))  # fmt: skip
    while not (file.is_file() and file.read_text().endswith("}")):
        assert started[0].poll() is None, "the scheduler did not start"
        time.sleep(0.05)
    for _ in range(2):
        start("worker", "--scheduler-file", str(file), "--no-nanny", "--nthreads", "1",
              "--no-dashboard", "--host", "127.0.0.1")  # fmt: skip
    yield json.loads(file.read_text())["address"]
    for process in started:
        process.kill()
        process.wait()


@pytest.mark.slow
def test_dask_gives_the_same_rows_though_a_worker_dies(
    tmp_path, cluster, switched, reference
):
    options = SMALL | {"dask": cluster, "add": {"other": switched("die")}}
    result = reproduce("inconsistent", tmp_path / "results", **options)
    assert not (tmp_path / "switch").exists()
    assert result.failed == []
    kept = result.cells[result.cells["family"] != "other"].reset_index(drop=True)
    pd.testing.assert_frame_equal(kept, reference.cells)
    assert len(result.cells) == len(reference.cells) + 2

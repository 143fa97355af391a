"""``softcost reproduce``."""

import json

import pytest
from click.testing import CliRunner

from softcost.cli import main
from softcost.cli.reproduce import TARGETS
from softcost.paper import TARGETS as KNOWN
from softcost.paper.document import heading

SMALL = ["--datasets", "iris", "--algorithms", "OVA,OSR", "--runs", "2"]


@pytest.fixture
def reproduce(tmp_path):
    """Call the command; it keeps its results in a folder of the test."""

    def run(command, *args):
        own = [] if command == "artificial" else ["--store", str(tmp_path / "store")]
        return CliRunner().invoke(
            main, ["reproduce", command, *args, *own], prog_name="softcost"
        )

    return run


def test_the_help_lists_the_targets_in_their_own_words():
    assert {name: target.title for name, target in KNOWN.items()} == TARGETS
    for target in KNOWN.values():
        assert all(heading(metric, 1.0) for metric in target.metrics)


def test_ours_beside_the_published_numbers(reproduce):
    first = reproduce("inconsistent", *SMALL)
    assert first.exit_code == 0
    assert "2 units, 0 of them known" in first.stderr
    assert "18.34 ± 4.48" in first.stdout
    second = reproduce("inconsistent", *SMALL, "--json", "--quiet")
    assert second.stderr == ""
    answer = json.loads(second.stdout)
    assert (answer["executed"], answer["failed"]) == (0, [])
    row = answer["rows"][0]
    assert (row["dataset"], row["algorithm"], row["metric"]) == ("iris", "OVA", "cost")
    assert (row["published_mean"], row["runs"]) == (18.34, 2)
    spread = (row["se"] ** 2 + row["published_se"] ** 2) ** 0.5
    off = (row["mean"] - row["published_mean"]) / spread
    assert row["difference"] == pytest.approx(off)


def test_one_run_has_no_standard_error(reproduce):
    answer = reproduce("inconsistent", *SMALL[:-1], "1", "--json", "--quiet")
    assert {row["se"] for row in json.loads(answer.stdout)["rows"]} == {None}
    assert reproduce("inconsistent", *SMALL[:-1], "1").exit_code == 0


@pytest.mark.parametrize(
    ("target", "options", "columns"),
    [
        ("emphasis", ["--datasets", "iris"], ["recall of expensive class %"]),
        ("unbalanced", ["--datasets", "wine"], ["weighted error, sum", "G-mean %"]),
        ("softness-curve", ["--datasets", "iris"], ["OSR@0.3"]),
        ("sers", ["--algorithms", "soft-OSR"], ["1.02 ± 0.10"]),
        ("consistent", ["--datasets", "iris"], ["consistent"]),
        ("alpha-selection", ["--datasets", "wine"], ["soft-OSR-max"]),
    ],
)
def test_every_small_target_runs(reproduce, target, options, columns):
    answer = reproduce(target, *options, "--runs", "1", "--quiet")
    assert answer.exit_code == 0, answer.stderr
    for text in columns:
        assert text in answer.stdout


def test_the_artificial_figures(reproduce):
    assert "0.13312" in reproduce("artificial").stdout
    figures = json.loads(reproduce("artificial", "--json").stdout)
    assert set(figures) == {"front", "lines"}


def test_status_export_and_import(reproduce, tmp_path):
    assert reproduce("status").exit_code == 2
    reproduce("inconsistent", *SMALL)
    answer = reproduce("status")
    assert "2: OSR OVA soft-OSR" in answer.stdout
    rows = str(tmp_path / "rows.csv")
    assert "8 cells" in reproduce("export", rows).stderr
    assert "0 cells added" in reproduce("import", rows).stderr
    (tmp_path / "store").unlink()
    assert "8 cells added" in reproduce("import", rows).stderr
    again = reproduce("inconsistent", *SMALL, "--json")
    assert json.loads(again.stdout)["executed"] == 0
    counts = json.loads(reproduce("status", "--json").stdout)["counts"]
    assert {row["runs"] for row in counts} == {2}


def test_failures_have_an_exit_code_and_are_told(reproduce, switched, tmp_path):
    switched("fail always")
    (tmp_path / "broken_model.py").write_text(
        "from switched_model import Switched\n"
        f"def make():\n    return Switched({str(tmp_path / 'switch')!r})\n"
    )
    add = ["--add", "mine=broken_model:make"]
    answer = reproduce("inconsistent", *SMALL, *add, "--json", "--quiet")
    assert answer.exit_code == 1
    assert len(json.loads(answer.stdout)["failed"]) == 2
    assert "2 units failed" in answer.stderr
    assert "failed 1 x: iris plain mine run 0" in reproduce("status").stdout


@pytest.mark.parametrize(
    "options",
    [
        ["--datasets", "irs"],
        ["--algorithms", "SVM"],
        ["--add", "nonsense"],
        ["--dask", "tcp://127.0.0.1:1"],
    ],
)
def test_bad_input_is_one_sentence(reproduce, options, monkeypatch):
    distributed = pytest.importorskip("distributed")

    def refuse(*args, **kwargs):
        raise OSError("Timed out")

    monkeypatch.setattr(distributed, "Client", refuse)
    answer = reproduce("inconsistent", *SMALL, "--quiet", *options)
    assert answer.exit_code == 2
    assert answer.stderr.count("\n") == 1
    assert answer.stdout == ""

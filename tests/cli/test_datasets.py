"""``softcost datasets``."""

import json

import pytest
from click.testing import CliRunner

from softcost.cli import main
from softcost.cli.console import write_json
from softcost.datasets import info, list_datasets


@pytest.fixture
def datasets(monkeypatch):
    """Call the command with SOFTCOST_DATA unset or set."""

    def run(*args, data=None):
        if data is None:
            monkeypatch.delenv("SOFTCOST_DATA", raising=False)
        else:
            monkeypatch.setenv("SOFTCOST_DATA", str(data))
        return CliRunner().invoke(main, ["datasets", *args], prog_name="softcost")

    return run


def by_name(result):
    assert result.exit_code == 0
    return {entry["name"]: entry for entry in json.loads(result.stdout)["datasets"]}


def test_json_has_every_set_with_its_facts(datasets):
    found = by_name(datasets("--json"))
    assert list(found) == list_datasets()
    for name, entry in found.items():
        assert entry["rows"] == info(name).rows
        assert entry["features"] == info(name).features
        assert entry["classes"] == dict(info(name).class_counts)


def test_where_each_set_would_come_from(datasets):
    found = by_name(datasets("--json"))
    assert found["iris"]["source"] == "scikit-learn"
    assert found["glass"]["source"] == "OpenML"
    assert found["glass"]["where"] == "OpenML 41"
    assert found["solar"]["source"] == "missing"
    assert "solar.csv.gz" in found["solar"]["where"]
    assert found["sers"]["source"] == "generated"


def test_data_dir_comes_before_the_environment(datasets, tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
        (folder / "solar.csv").touch()
    (second / "glass.csv.gz").touch()
    found = by_name(datasets("--json", "--data-dir", str(first), data=second))
    assert found["solar"]["where"] == str(first / "solar.csv")
    assert found["glass"]["where"] == str(second / "glass.csv.gz")
    assert found["glass"]["source"] == "file"


def test_all_measured_sets_are_files_where_the_data_are(datasets, data_dir):
    found = by_name(datasets("--json", data=data_dir))
    generated = {name for name, e in found.items() if e["source"] == "generated"}
    files = {name for name, e in found.items() if e["source"] == "file"}
    assert generated == {"artificial", "sers"}
    assert files == set(found) - generated


def test_table_has_a_row_for_every_set(datasets):
    result = datasets()
    assert result.exit_code == 0
    rows = {line.split()[0]: line.split() for line in result.stdout.splitlines()}
    for name in list_datasets():
        entry = info(name)
        facts = [entry.rows, entry.features, len(entry.classes)]
        assert rows[name][1:4] == [str(fact) for fact in facts]


def test_brackets_in_a_path_are_shown_as_they_are(datasets, tmp_path):
    folder = tmp_path / "[red]x"
    folder.mkdir()
    (folder / "glass.csv").touch()
    shown = "".join(datasets("--data-dir", str(folder)).stdout.split())
    assert "[red]x/glass.csv" in shown


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_json_is_strict(value):
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json({"cost": value})

"""``softcost doctor``."""

import json
import shutil
import tempfile
from importlib import metadata
from pathlib import Path

import pytest
from click.testing import CliRunner

from softcost.cli import main
from softcost.cli.doctor import (
    _REQUIREMENT,
    check_blas,
    check_data,
    check_disk,
    check_package,
    check_python,
    check_sqlite,
    check_writable,
)


def doctor(*args):
    return CliRunner().invoke(main, ["doctor", *args], prog_name="softcost")


def test_report_names_everything_the_package_needs():
    result = doctor("--json")
    report = json.loads(result.stdout)
    names = [check["name"] for check in report["checks"]]
    required = [
        _REQUIREMENT.match(requirement).group(1)
        for requirement in metadata.requires("softcost")
        if "extra ==" not in requirement
    ]
    assert len(required) >= 10
    places = ["disk", "compiled code", "downloads", "temporary files", "SOFTCOST_DATA"]
    machine = ["softcost", "python", "cores", "BLAS", "SQLite"]
    assert set(required + places + machine) <= set(names)
    assert report["ok"] is (result.exit_code == 0)
    for check in report["checks"]:
        assert check["status"] in ("ok", "warn", "fail")
        assert bool(check["remedy"]) == (check["status"] != "ok")


def test_a_failure_is_exit_code_1(monkeypatch, tmp_path):
    monkeypatch.setenv("SOFTCOST_DATA", str(tmp_path / "gone"))
    for args in ([], ["--json"]):
        result = doctor(*args)
        assert result.exit_code == 1
        assert "is not a directory" in " ".join(result.stdout.split())
        assert result.stderr == ""
    assert json.loads(doctor("--json").stdout)["ok"] is False


@pytest.mark.parametrize(
    ("requirement", "extra", "status"),
    [
        ("click>=8.1", "", "ok"),
        ("click>=999.1", "", "fail"),
        ("click>=999.1", "plot", "warn"),
        ("click", "", "ok"),
        ("no-such-package-anywhere>=1", "", "fail"),
        ("no-such-package-anywhere>=1", "plot", "ok"),
    ],
)
def test_packages(requirement, extra, status):
    check = check_package(requirement, extra)
    assert check.status == status
    assert check.name == requirement.partition(">")[0]
    if extra and "no-such" in requirement:
        assert "pip install 'matplotlib" in check.found


def test_versions_are_compared_as_numbers(monkeypatch):
    monkeypatch.setattr(metadata, "version", lambda name: "10.0.1")
    assert check_package("click>=9.2").status == "ok"
    assert check_package("click>=10.1").status == "fail"


def test_python_and_sqlite_have_oldest_versions():
    assert check_python((3, 10, 14)).status == "fail"
    assert check_python((3, 11, 0)).status == "ok"
    assert check_sqlite("3.9.2").status == "fail"
    assert check_sqlite("3.24.0").status == "ok"


def test_writable_directories(tmp_path, monkeypatch):
    def ask(*folders):
        return check_writable("cache", list(folders), "Do something.")

    assert ask(tmp_path).found == str(tmp_path)
    assert "made when needed" in ask(tmp_path / "a" / "b").found
    file = tmp_path / "file"
    file.touch()
    assert ask(file / "below").status == "warn"
    assert ask(file / "below", tmp_path).status == "ok"
    assert list(tmp_path.iterdir()) == [file]

    def deny(dir):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(tempfile, "TemporaryFile", deny)
    assert ask(tmp_path).status == "warn"
    assert ask(tmp_path).remedy == "Do something."


def test_a_broken_blas_is_a_finding_not_a_crash(monkeypatch):
    def broken(name):
        raise ImportError("libopenblas.so is missing")

    monkeypatch.setattr("softcost.cli.doctor.import_module", broken)
    (check,) = check_blas()
    assert check.status == "fail"
    assert "libopenblas" in check.found


def test_little_room_on_the_disk_is_a_warning(monkeypatch, tmp_path):
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: usage._replace(free=5e8))
    assert check_disk(tmp_path).status == "warn"


def test_the_data_directory(tmp_path, monkeypatch, data_dir):
    assert check_data(None).status == "warn"
    assert check_data("").status == "warn"
    assert check_data(str(tmp_path / "gone")).status == "fail"
    monkeypatch.setenv("SOFTCOST_DATA", str(tmp_path))
    (tmp_path / "glass.csv").touch()
    assert "1 of 23" in check_data(str(tmp_path)).found
    monkeypatch.setenv("SOFTCOST_DATA", str(data_dir))
    assert check_data(str(Path(data_dir))).status == "ok"

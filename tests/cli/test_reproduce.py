"""``softcost reproduce pages``."""

import json

import pytest
from click.testing import CliRunner

from softcost.cli import main
from softcost.paper import reproduce
from softcost.paper.reproduction import import_model


def softcost(*args):
    return CliRunner().invoke(main, [str(arg) for arg in args], prog_name="softcost")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Three runs on iris and wine, with an algorithm of somebody else."""
    path = tmp_path_factory.mktemp("store") / "results.sqlite"
    name, model = import_model("GNB=sklearn.naive_bayes:GaussianNB")
    options = {"datasets": ["iris", "wine"], "runs": 3, "matrices": "both"}
    reproduce("inconsistent", path, add={name: model}, **options)
    reproduce("emphasis", path, datasets=["iris"], runs=2)
    reproduce("sers", path, runs=2, algorithms=["OVA", "OSR", "soft-OSR"])
    return path


@pytest.fixture(scope="module")
def report(store, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages") / "report"
    answer = softcost("reproduce", "pages", store, "-o", folder)
    assert answer.exit_code == 0, answer.stderr
    assert str(folder / "index.html") in answer.stderr
    return folder


def test_a_page_for_every_target_that_is_there(report):
    pages = {path.stem for path in report.glob("*.html")}
    markdown = {path.stem for path in report.glob("*.md")}
    assert markdown - {"README"} == pages - {"index"}
    assert pages == {
        "index", "verdicts", "artificial", "inconsistent", "emphasis",
        "alpha-selection", "sers",
    }  # fmt: skip
    assert "SYNTHETIC" in (report / "sers.md").read_text("utf-8")


def test_ours_beside_the_published_numbers(report, store):
    page = (report / "inconsistent.md").read_text("utf-8")
    assert "18.34 ± 4.48" in page
    asked = ["--datasets", "iris,wine", "--runs", "3", "--store", store, "--json"]
    answer = softcost("reproduce", "inconsistent", *asked, "--quiet")
    rows = json.loads(answer.stdout)["rows"]
    for row in rows:
        start = f"| {row['dataset']} | {row['costs']} | {row['algorithm']} | 3 |"
        (line,) = [line for line in page.splitlines() if line.startswith(start)]
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        first = 4 if row["metric"] == "cost" else 7
        assert cells[first].startswith(f"{row['mean']:.2f}")
        assert cells[first + 2] == f"{row['difference']:+.1f}"


def test_an_added_algorithm_is_one_more_row(report):
    page = (report / "inconsistent.md").read_text("utf-8")
    assert page.count("| GNB | 3 |") == 4  # two sets, two kinds of costs
    assert "Added algorithms: GNB" in (report / "README.md").read_text("utf-8")


@pytest.mark.parametrize(
    "ending", [pytest.param(".csv", marks=pytest.mark.slow), ".csv.gz"]
)
def test_an_export_gives_the_same_report(report, store, tmp_path, ending):
    rows = tmp_path / f"results.sqlite{ending}"
    softcost("reproduce", "export", rows, "--store", store)
    assert softcost("reproduce", "pages", rows, "-o", tmp_path / "out").exit_code == 0
    for path in report.rglob("*.*"):
        other = tmp_path / "out" / path.relative_to(report)
        same = other.read_bytes().replace(f".sqlite{ending}".encode(), b".sqlite")
        assert same == path.read_bytes(), path.name


def test_fewer_runs_than_there_are(store, tmp_path):
    answer = softcost("reproduce", "pages", store, "-o", tmp_path, "--runs", "2")
    assert answer.exit_code == 0, answer.stderr
    page = (tmp_path / "inconsistent.md").read_text("utf-8")
    assert "| iris | plain | OVA | 2 |" in page
    assert "| iris | plain | OVA | 3 |" not in page
    first = (tmp_path / "README.md").read_text("utf-8")
    assert "all runs in the file" in first


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a,b\n1,2\n", "not an export"),
        (b"\x89PNG\r\n", "not an export"),
        (b'"' + b"x" * 200_000, "not an export"),
        (b"SQLite format 3\0 broken", "not a store"),
    ],
)
def test_other_files_are_refused(tmp_path, content, message):
    path = tmp_path / "other"
    path.write_bytes(content)
    answer = softcost("reproduce", "pages", path, "-o", tmp_path / "out")
    assert answer.exit_code == 2
    assert message in answer.stderr
    assert answer.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_an_empty_store_and_a_missing_one(tmp_path):
    from softcost.paper import Store

    Store(tmp_path / "empty").close()
    answer = softcost("reproduce", "pages", tmp_path / "empty", "-o", tmp_path / "out")
    assert answer.exit_code == 2
    assert "softcost reproduce" in answer.stderr
    assert (
        softcost(
            "reproduce", "pages", tmp_path / "no", "-o", tmp_path / "out"
        ).exit_code
        == 2
    )


def test_one_row_twice_is_refused(store, tmp_path):
    rows = tmp_path / "rows.csv"
    softcost("reproduce", "export", rows, "--store", store)
    lines = rows.read_text("utf-8").splitlines(keepends=True)
    rows.write_text("".join([*lines, lines[-1]]), "utf-8")
    answer = softcost("reproduce", "pages", rows, "-o", tmp_path / "out")
    assert answer.exit_code == 2
    assert "has a cell twice" in answer.stderr


def test_costs_by_class_sizes_alone(tmp_path):
    path = tmp_path / "store"
    options = {"datasets": ["iris"], "algorithms": ["OVA"], "runs": 2}
    reproduce("inconsistent", path, matrices="class-ratio", **options)
    answer = softcost("reproduce", "pages", path, "-o", tmp_path / "out")
    assert answer.exit_code == 0, answer.stderr
    assert "class-ratio" in (tmp_path / "out" / "inconsistent.md").read_text("utf-8")

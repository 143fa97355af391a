"""The committed results: rows that belong to this code, and the report of them."""

from pathlib import Path

import pytest

from softcost.paper import (
    TARGETS,
    findings_of,
    make_request,
    plan,
    read_rows,
    write_report,
)
from softcost.paper.planning import BALANCED, cell_key

RESULTS = Path(__file__).parents[1] / "docs" / "results"
ROWS = RESULTS / "rows.csv.gz"
SHOWN = set(TARGETS) - {"kdd99", "kdd99-balanced"}

pytestmark = pytest.mark.skipif(
    not ROWS.is_file(), reason="the results are not part of this copy"
)


@pytest.fixture(scope="module")
def everything():
    return read_rows(ROWS)


@pytest.fixture(scope="module")
def rows(everything):
    return everything[everything["run"] < 20].reset_index(drop=True)


@pytest.mark.slow
def test_the_pages_are_those_of_the_rows(tmp_path, monkeypatch):
    # Drawn by other versions of matplotlib in other places: that they are there is all.
    monkeypatch.setattr(
        "matplotlib.figure.Figure.savefig", lambda self, path, **_: path.touch()
    )
    written = write_report(ROWS, tmp_path)
    pages = {path.stem for path in written if path.suffix == ".md"}
    assert {"README", "verdicts", "artificial"} | SHOWN <= pages
    for path in written:
        kept = RESULTS / path.relative_to(tmp_path)
        if path.suffix == ".md":
            assert path.read_text("utf-8") == kept.read_text("utf-8")
        elif path.suffix == ".svg":
            assert kept.is_file()


def test_the_results_stay_light():
    known = {".md", ".svg", ".gz", ".sh"}
    tracked = [path for path in RESULTS.rglob("*") if path.suffix in known]
    assert sum(path.stat().st_size for path in tracked) < 4e6


@pytest.mark.parametrize("target", sorted(SHOWN))
def test_every_run_is_there(rows, target):
    facts = {name: (0, part.iloc[0]) for name, part in rows.groupby("dataset")["data"]}
    known = set(rows["key"])
    matrices = "both" if target in ("inconsistent", "alpha-selection") else "paper"
    for unit in plan(make_request(target, runs=20, matrices=matrices), facts):
        assert all(cell_key(unit, name) in known for name in unit.algorithms)


def test_errors_are_those_of_the_paper(rows):
    """On balanced sets, of the algorithms whose every detail is known."""
    agreement = findings_of(rows, "inconsistent")["agreement"]
    (row,) = agreement[
        agreement["what"].str.startswith("OVA") & (agreement["metric"] == "error")
    ].to_dict("records")
    assert row["cells"] == 72
    assert row["share"] >= 0.85


@pytest.mark.parametrize("target", ["inconsistent", "consistent"])
def test_every_cell_outside_has_its_line(rows, target):
    found = findings_of(rows, target)
    same = found["table"][found["table"]["as_in_paper"]]
    outside = found["outside"]
    assert len(outside) == (~same["near"] & same["published_mean"].notna()).sum()
    assert outside["explanation"].str.len().min() > 0


def test_further_runs_continue_the_others(everything):
    further = everything[everything["run"] >= 20]
    facts = {
        name: (0, part.iloc[0]) for name, part in everything.groupby("dataset")["data"]
    }
    known = set(further["key"])
    for target in ("inconsistent", "consistent"):
        request = make_request(
            target, sorted(set(BALANCED) - {"usps"}), ["OVA", "OVO"], runs=40
        )
        for unit in plan(request, facts):
            keys = {cell_key(unit, name) for name in unit.algorithms}
            assert unit.run < 20 or keys <= known
            known -= keys
    assert not known

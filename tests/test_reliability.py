"""The table of what was attacked is that of the committed results."""

import ast
import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"

pytestmark = pytest.mark.skipif(
    not RESULTS.is_dir(), reason="the benchmarks are not in this copy"
)


@pytest.fixture(scope="module")
def campaign():
    sys.path.insert(0, str(ROOT / "benchmarks" / "reliability"))
    try:
        import campaign

        yield campaign
    finally:
        del sys.path[0]


def test_the_page_has_the_table_of_the_results(campaign):
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    assert campaign.with_table(text) == text


def test_nothing_failed_and_all_was_tried_often_enough(campaign):
    found = json.loads((RESULTS / "reliability.json").read_text())
    assert set(found) <= set(campaign.PARTS)
    assert sum(part["failed"] for part in found.values()) == 0
    wanted = {
        "damaged": 2000, "crafted": 500, "examples": 10_000, "commands": 200,
        "kills": 200, "studies": 60, "inputs": 300,
    }  # fmt: skip
    for part, least in wanted.items():
        assert found[part]["tried"] >= least


def test_phases_that_are_interrupted_begin_with_functions_that_exist(campaign):
    from commands import PHASES

    known = {
        (path.relative_to(ROOT / "src").with_suffix("").parts, node.name)
        for path in (ROOT / "src").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
    }
    for package, wanted in {pair for ones in PHASES.values() for pair in ones}:
        parts = tuple(package.split("."))
        assert any(
            place[: len(parts)] == parts and name == wanted for place, name in known
        ), (package, wanted)

"""The table of what was attacked is that of the committed results."""

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
    for part, least in {"damaged": 2000, "crafted": 500, "examples": 10_000}.items():
        assert found[part]["tried"] >= least

"""``softcost demo``: a story, a table and a page."""

import numpy as np
import pytest

from softcost.cli.demo import _verdict
from softcost.workflow import cheque_demo
from softcost.workflow.cheque_demo import cheque_costs, summarise


def test_prices_are_what_the_story_says():
    prices = cheque_costs()
    assert prices[1, 8] == 7  # an 8 read for a 1: seven euros lost
    assert prices[8, 1] == pytest.approx(0.7)
    assert not np.diagonal(prices).any()


def test_demo_ends_in_a_table_and_a_page(softcost, strict, tmp_path, monkeypatch):
    monkeypatch.setattr(cheque_demo, "SPLITS", 2)
    monkeypatch.chdir(tmp_path)
    result = softcost("demo", "--quiet")
    assert result.exit_code == 0, result.output
    for word in ("cheques", "vs regular", "softcost-demo.html"):
        assert word in result.stdout
    assert "<html" in (tmp_path / "softcost-demo.html").read_text(encoding="utf-8")
    page = tmp_path / "other.html"
    report = strict(softcost("demo", "--json", "--quiet", "-o", page).stdout)
    assert report["page"] == str(page)
    assert list(report["models"]) == ["regular", "softcost"]
    regular, chosen = report["models"].values()
    saved = 100 * (regular["cost"] - chosen["cost"]) / regular["cost"]
    assert chosen["saving_percent"] == pytest.approx(saved)


def test_the_verdict_says_what_happened():
    def split(*costs):
        return {
            name: {"cost": cost, "error": 0.1}
            for name, cost in zip(("regular", "softcost"), costs, strict=True)
        }

    won = summarise([split(2.0, 1.0), split(1.0, 1.5)])
    assert won["softcost"]["cheaper_than_regular"] == 1
    assert "It saves 17% of the loss" in _verdict(won, 2)
    lost = summarise([split(1.0, 2.0), split(1.0, 1.5)])
    assert "keep the regular model" in _verdict(lost, 2)


def test_a_page_that_cannot_be_written_is_said_at_once(softcost, tmp_path):
    result = softcost("demo", "-o", tmp_path / "no" / "page.html")
    assert result.exit_code == 2
    assert "there is no directory" in result.stderr

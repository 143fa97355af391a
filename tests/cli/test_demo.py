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
    monkeypatch.setattr(cheque_demo, "SPLITS", 3)
    monkeypatch.chdir(tmp_path)
    result = softcost("demo", "--quiet")
    assert result.exit_code == 0, result.output
    for word in ("cheques", "hard", "soft", "vs regular", "softcost-demo.html"):
        assert word in result.stdout
    assert "<html" in (tmp_path / "softcost-demo.html").read_text(encoding="utf-8")
    page = tmp_path / "other.html"
    told = strict(softcost("demo", "--json", "--quiet", "-o", page).stdout)
    assert told["page"] == str(page)
    assert list(told["models"]) == ["regular", "hard", "soft"]
    regular, soft = told["models"]["regular"], told["models"]["soft"]
    saved = 100 * (regular["cost"] - soft["cost"]) / regular["cost"]
    assert soft["saving_percent"] == pytest.approx(saved)


def test_the_verdict_says_what_happened():
    def split(*costs):
        names = ("regular", "hard", "soft")
        return {
            name: {"cost": cost, "error": 0.1, "g_mean": 0.9}
            for name, cost in zip(names, costs, strict=True)
        }

    won = summarise([split(2.0, 3.0, 1.0), split(1.0, 4.0, 1.5)])
    assert won["soft"]["cheaper_than_regular"] == 1
    assert "Soft costs least" in _verdict(won, 2)
    lost = summarise([split(1.0, 3.0, 2.0), split(1.0, 4.0, 1.5)])
    assert "do not pay" in _verdict(lost, 2)


def test_a_page_that_cannot_be_written_is_said_at_once(softcost, tmp_path):
    result = softcost("demo", "-o", tmp_path / "no" / "page.html")
    assert result.exit_code == 2
    assert "there is no directory" in result.stderr

"""`benchmarks/foreign_learners.py`: what works is what the guide's table says."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(
    not (ROOT / "benchmarks").is_dir(), reason="the benchmarks are not in this copy"
)


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import foreign_learners

    yield foreign_learners
    sys.modules.pop("foreign_learners", None)


@pytest.mark.parametrize("check", ["probabilities", "weights", "sampling", "search"])
@pytest.mark.parametrize(
    "learner", ["TabPFN-style", "XGBoost", "CatBoost", "skorch (PyTorch)"]
)
def test_learners_of_other_libraries(script, learner, check):
    try:
        text = script.outcome(learner, check)
    except ImportError as error:
        pytest.skip(f"{error.name} is not installed")
    assert not text.startswith("NO ADVICE"), text
    assert (text == "") == ((learner, check) not in script.ADVICE)


def test_the_guide_has_the_table(script):
    guide = (ROOT / "docs" / "guide" / "extending.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| ([^|]+?) \|(.*)\|$", guide, re.MULTILINE))
    for learner in script.LEARNERS:
        cells = [cell.strip() for cell in rows[learner].split("|")]
        for check, cell in zip(script.CHECKS, cells, strict=True):
            works = (learner, check) not in script.ADVICE
            assert (cell == "works") == works, (learner, check)

"""A sample of `benchmarks/combinations.py`, and that it notices a difference."""

import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.skipif(
    not (ROOT / "benchmarks").is_dir(), reason="the benchmarks are not in this copy"
)


@pytest.fixture
def combinations(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import combinations

    yield combinations
    sys.modules.pop("combinations", None)


@pytest.mark.parametrize("number", range(8))
def test_random_combinations_agree_with_a_computation_by_hand(combinations, number):
    combination = combinations.drawn(np.random.default_rng([number, 31]))
    assert combinations.difference(combination) == ""


def test_a_wrong_computation_is_noticed(combinations, monkeypatch):
    right = combinations.fitted_by_hand

    def wrong(combination, X, costs, weight, y, softness):
        return right(combination, X, costs.T[::-1].T, weight, y, softness)

    monkeypatch.setattr(combinations, "fitted_by_hand", wrong)
    draws = (combinations.drawn(np.random.default_rng([k, 31])) for k in range(30))
    asymmetric = [draw for draw in draws if draw.costs == "array"][:3]
    assert all(combinations.difference(draw) for draw in asymmetric)

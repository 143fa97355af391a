"""Savings in words."""

import pytest

from softcost.metrics import Saving
from softcost.report import advice, saving_facts, saving_words


def facts(saving, low, high, before=10.0):
    return saving_facts(Saving(saving=saving, low=low, high=high, before=before))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ((1, 0.5, 1.5), "saves 1 EUR per row, 10% (95% CI 5 to 15%)"),
        ((1, -0.5, 2.5), "saves 1 EUR per row, 10% (95% CI -5 to 25%)"),
        ((-1, -2, -0.5), "costs 1 EUR more per row, 10% (95% CI 5 to 20%)"),
        ((-1, -2, 0.001), "costs 1 EUR more per row, 10% (95% CI 0 to 20%)"),
        ((-1, -2, 1, 0), "costs 1 EUR more per row (95% CI -1 to 2)"),
        ((1, -float("inf"), float("inf")), "saves 1 EUR per row"),
    ],
)
def test_nothing_saves_less_than_nothing(given, words):
    assert saving_words(facts(*given), "EUR") == words


def test_what_costs_more_than_the_regular_model_is_said_so():
    better = facts(5, 4, 6)
    sentence = advice("a", better, facts(-1, -2, -0.5))["sentences"][1]
    assert sentence.startswith("Compared with the regular model, it costs 1 more")
    assert "chance" not in sentence
    sentence = advice("a", better, facts(-1, -2, 0.5))["sentences"][1]
    assert sentence.endswith("This may be chance.")

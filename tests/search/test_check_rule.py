"""The check for rules accepts ours, and finds what is wrong with others."""

from dataclasses import dataclass

import numpy as np
import pytest

from softcost.search import (
    CRITERIA,
    Budget,
    ByFunction,
    LeastCost,
    LeastError,
    MaxOfBoth,
    Rule,
    Tolerance,
    least_row,
)
from softcost.search.preference import PreferBlend
from softcost.testing import check_rule

OURS = [
    LeastCost(),
    LeastError(),
    MaxOfBoth(),
    Tolerance(cost=0.1),
    Tolerance(cost="1se"),
    Budget(error=0.5),
    Budget(g_mean=0.5, cost=0.9),
    Budget(error=1e-9),  # which nothing keeps
    ByFunction(lambda table: table["cost"] * table["error"]),
]


@pytest.mark.parametrize("rule", OURS, ids=lambda rule: type(rule).__name__)
def test_our_rules_pass(rule):
    check_rule(rule)


def test_no_rule_is_forgotten():
    known = set(Rule.__subclasses__()) & {type(one) for one in OURS}
    ours = {one for one in Rule.__subclasses__() if one.__module__.startswith("softc")}
    # Needs a table with families: tests/search/test_preference.py.
    assert ours - {PreferBlend} == known
    assert len(CRITERIA) <= len(OURS)


@dataclass
class Broken(Rule):
    wrong: str

    def describe(self):
        return "" if self.wrong == "silent" else "something"

    def choose(self, table, *, error="error"):
        best = least_row(table, table["cost"])
        if self.wrong == "float":
            return float(best)
        if self.wrong == "outside":
            return len(table)
        if self.wrong == "changes":
            table["cost"] = 0.0
        if self.wrong == "order":
            return 0
        if self.wrong == "hardest":
            return int(np.lexsort([table["softness"], table["cost"]])[0])
        return best

    def __eq__(self, other):
        return self.wrong != "unequal"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("silent", "describe should say"),
        ("float", "a number, not a label"),
        ("outside", "the number of a row"),
        ("changes", "the table that was given"),
        ("order", "another order of the rows"),
        ("hardest", "the softest should be chosen"),
        ("unequal", "a copy should be equal"),
    ],
)
def test_what_is_wrong_is_found(wrong, message):
    check_rule(Broken("nothing"))
    with pytest.raises(AssertionError, match=message):
        check_rule(Broken(wrong))

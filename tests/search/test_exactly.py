"""Rules, limits and tails on small tables, against what can be counted by hand."""

import math
import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta, binom

from softcost.search import (
    Budget,
    Evidence,
    LeastCost,
    LeastError,
    Limit,
    MaxOfBoth,
    Tolerance,
    choose_row,
    decide,
    least_row,
    make_rule,
    reference_rows,
)
from softcost.search.budget import (
    holm_passed,
    missing_by_estimate,
    missing_by_test,
    safest_first,
)
from softcost.search.counts import binomial_tail, hoeffding_bentkus_tail, recalls_tail

TABLE = pd.DataFrame(
    {
        "softness": [0.0, 0.25, 0.5, 0.75, 1.0],
        "cost": [2.0, 2.5, 3.0, 4.0, 8.0],
        "cost_se": [0.6, 9.0, 9.0, 9.0, 9.0],
        "error": [0.5, 0.4, 0.3, 0.3, 0.1],
        "weighted_error": [0.1, 0.2, 0.3, 0.4, 0.5],
        "normalized_cost": [0.1, 0.2, 0.35, 0.4, 0.9],
        "g_mean": [0.2, 0.5, 0.6, 0.7, 0.8],
        "coverage": [0.9, 0.8, 0.7, 0.6, 0.5],
    }
)


@pytest.mark.parametrize(
    ("rule", "row"),
    [
        (LeastCost(), 0),
        (LeastError(), 4),
        (MaxOfBoth(), 2),
        (Tolerance(0), 0),
        (Tolerance(0.25), 1),
        (Tolerance(0.2499), 0),
        (Tolerance(0.5), 2),
        (Tolerance(1.0), 2),  # of equal errors the cheaper one
        (Tolerance(3), 4),
        (Tolerance("1se"), 1),
        (Budget(error=0.5), 0),
        (Budget(error=0.4), 1),
        (Budget(error=0.39), 2),
        (Budget(error=0.1), 4),
        (Budget(error=1), 0),
        (Budget(g_mean=0.6), 2),
        (Budget(g_mean=0.61), 3),
        (Budget(coverage=0.7), 0),
        (Budget(coverage=0.9, error=0.5), 0),
        (Budget(weighted_error=0.2, error=0.4), 1),
        (Budget(cost=3.0), 2),  # the least error among these costs
        (Budget(cost=2.99), 1),
        (Budget(normalized_cost=0.4), 2),
        (Budget(cost=8, error=0.3), 2),
    ],
)
def test_what_is_chosen(rule, row):
    assert rule.choose(TABLE) == row
    assert choose_row(TABLE, rule) == row
    assert decide(TABLE, rule, counted([[9, 1], [1, 9]])).row == row


def test_costs_below_zero_have_a_tolerance_upwards():
    table = TABLE.assign(cost=TABLE["cost"] - 10)  # the least is -8
    assert Tolerance(0.0625).choose(table) == 1
    assert Tolerance(0.06).choose(table) == 0


def test_errors_that_count():
    assert LeastError().choose(TABLE, error="weighted_error") == 0
    assert Budget(error=0.2).choose(TABLE, error="weighted_error") == 0
    assert Tolerance(0.5).choose(TABLE, error="weighted_error") == 0
    assert MaxOfBoth().choose(TABLE, error="weighted_error") == 0
    found = reference_rows(TABLE, chosen=2)
    assert found == {"regular": 4, "hard": 0, "chosen": 2}


def test_ties_go_to_the_next_key_and_then_to_softness():
    table = TABLE.assign(cost=1.0)
    assert least_row(table, table["cost"]) == 4
    assert least_row(table, table["cost"], [5, 4, 3, 3, 5]) == 3
    assert least_row(table.assign(softness=0.5), table["cost"]) == 0
    assert least_row(table, [1, 1 + 1e-13, 2, 2, 2]) == 1
    assert least_row(table, [1, 1 + 1e-11, 2, 2, 2]) == 0
    assert least_row(table, [-1 + 1e-13, -1, 0, 0, 0]) == 1


def test_the_nearest_where_nothing_is_within():
    """Costs count in parts of their limit, other measures as they are."""
    with pytest.warns(UserWarning, match="no candidate has"):
        assert Budget(error=0.05).choose(TABLE) == 4
    with pytest.warns(UserWarning, match="no candidate has"):
        assert Budget(cost=1).choose(TABLE) == 0
    with pytest.warns(UserWarning, match="no candidate has"):
        assert Budget(cost=0).choose(TABLE) == 0
    # Errors beyond the limit: .4 .3 .2 .2 0; costs, in parts of theirs: 0 0 .2 .6 2.2.
    with pytest.warns(UserWarning, match="no candidate has"):
        assert Budget(error=0.1, cost=2.5).choose(TABLE) == 2
    # Costs: 1 1.5 2 3 7 times the limit beyond it.
    with pytest.warns(UserWarning, match="with error 0.5 and cost 2,"):
        assert Budget(error=0.1, cost=1).choose(TABLE) == 0


def test_one_limit_prefers_room_and_several_do_not():
    """Of equal costs the one farther within a single limit; with two the softer."""
    table = TABLE.assign(
        cost=1.0, softness=[0, 0, 0, 0, 1], error=[0.2, 0.1, 0.3, 0.3, 0.3]
    )
    assert Budget(error=0.4).choose(table) == 1
    assert Budget(error=0.4, coverage=0.1).choose(table) == 4


def test_what_a_budget_tells():
    found = decide(TABLE, Budget(error=0.4, g_mean=0.3), counted([[9, 1], [1, 9]]))
    told = found.guarantee
    assert found.row == 1
    assert told["met"] is True
    assert told["passed"] == [1, 2, 3, 4]
    assert (told["kind"], told["confidence"], told["rows"]) == ("none", None, None)
    assert told["missing"] is None
    assert told["limits"] == [
        {"measure": "error", "label": None, "at_least": False, "bound": 0.4,
         "estimate": 0.4},
        {"measure": "g_mean", "label": None, "at_least": True, "bound": 0.3,
         "estimate": 0.5},
    ]  # fmt: skip
    with pytest.warns(UserWarning, match="no candidate has"):
        told = decide(TABLE, Budget(error=0.01), counted([[9, 1], [1, 9]])).guarantee
    assert told["met"] is False
    assert told["passed"] == []
    assert "with error 0.1," in told["missing"]


def test_only_broken_limits_are_told_of():
    limits = [Limit("error", 0.1), Limit("g_mean", 0.5)]
    text = missing_by_estimate(limits, [np.array([0.2]), np.array([0.5])], 0)
    assert "the nearest, with error 0.2, is" in text
    assert "an error of at most 0.1 and a G-mean of at least 0.5" in text


BAD = [
    ({"recall": {}}, "recall must be a dict"), ({"recall": [0.5]}, "recall must be"),
    ({"recall": {"a": 1.1}}, "recall of 'a'"), ({"recall": {"a": -0.1}}, "recall of"),
    ({"recall": {"a": True}}, "recall of"), ({"recall": {"a": "x"}}, "recall of"),
    ({"error": True}, "error rate"), ({"error": 1.01}, "error rate"),
    ({"error": -0.01}, "error rate"), ({"g_mean": 1.01}, "g_mean must be from 0 to 1"),
    ({"coverage": -1}, "coverage must be"), ({"cost": -1}, "not negative"),
    ({"cost": math.inf}, "not negative"), ({"cost": math.nan}, "not negative"),
    ({"cost": "1"}, "not negative"), ({"weighted_error": True}, "not negative"),
    ({"error": 0.1, "confidence": 0}, "confidence"),
    ({"error": 0.1, "confidence": 1}, "confidence"),
    ({"error": 0.1, "confidence": "x"}, "confidence"),
    ({"error": 0.1, "confidence": True}, "confidence"), ({}, "no limit"),
]  # fmt: skip


@pytest.mark.bad_input
@pytest.mark.parametrize(("given", "words"), BAD)
def test_bad_limits(given, words):
    with pytest.raises(ValueError, match=words):
        Budget(**given)


def test_limits_at_their_ends():
    for given in (
        {"error": 0}, {"error": 1}, {"cost": 0}, {"recall": {"a": 0}},
        {"recall": {"a": 1}}, {"weighted_error": 7}, {"g_mean": 1},
    ):  # fmt: skip
        assert len(Budget(**given).limits()) == 1
    for wrong in (-0.1, "2se", None, math.nan):
        with pytest.raises(ValueError, match="tolerance must be"):
            Tolerance(wrong)


def test_words_stand_for_rules():
    assert make_rule("cost") == LeastCost()
    assert make_rule("max") == MaxOfBoth()
    assert make_rule("constrained", max_error=0.2) == Budget(error=0.2)
    assert make_rule("tolerance", tolerance="1se") == Tolerance("1se")
    assert make_rule(Budget(error=1)) == Budget(error=1)
    for word, given in (
        ("cost", {"max_error": 0.1}), ("constrained", {}), ("tolerance", {}),
        ("tolerance", {"max_error": 0.1}), ("cost", {"tolerance": 0.1}),
        (Budget(error=1), {"max_error": 0.1}), (len, {"tolerance": 0.1}),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="need each other"):
            make_rule(word, **given)
    with pytest.raises(TypeError, match="the class LeastCost"):
        make_rule(LeastCost)
    for word in ("cheap", 3, None):
        with pytest.raises(ValueError, match="criterion must be one of"):
            make_rule(word)


@pytest.mark.parametrize("row", [-1, 5, 99, 1.5, "a", None])
def test_rows_that_are_not_there(row):
    with pytest.raises((ValueError, TypeError)):
        choose_row(TABLE, lambda table: row)


def test_functions_choose_rows_or_values():
    assert choose_row(TABLE, lambda table: 0) == 0
    assert choose_row(TABLE, lambda table: 4) == 4
    assert choose_row(TABLE, lambda table: -table["cost"]) == 4
    gaps = [math.nan, 3.0, 2.0, math.inf, 4.0]
    assert choose_row(TABLE, lambda table: gaps) == 2
    with pytest.raises(ValueError, match="criterion must return"):
        choose_row(TABLE, lambda table: [math.nan] * 5)


def test_rules_say_what_they_do():
    text = "the least cost among those with an error of at most 0.1"
    assert Budget(error=0.1).describe() == text
    sure = Budget(error=0.1, confidence=0.95).describe()
    assert sure == f"{text}, with a confidence of 0.95"
    assert make_rule(len).describe() == "the best value of len"


def test_six_classes_are_named():
    held = Evidence(np.arange(9), np.ones((1, 9, 9)), 81, np.ones(9))
    with pytest.raises(ValueError, match=r"classes are 0, 1, 2, 3, 4, 5\.$"):
        held.number_of("x")


def counted(*confusions, n_rows=None, **details):
    """Evidence of candidates, of three classes where they have three rows."""
    confusion = np.array(confusions, float)
    names = np.array(["ham", "spam", "eggs"])[: confusion.shape[1]]
    n_rows = int(confusion[0].sum()) if n_rows is None else n_rows
    details = {"error_weight": np.ones(len(names))} | details
    return Evidence(names, confusion, n_rows, **details)


COUNTS = [[6, 3, 1], [2, 7, 1], [0, 2, 8]]
PRICES = np.array([[0.0, 1.0, 4.0], [2.0, 0.0, 6.0], [3.0, 8.0, 1.0]])


def test_measures_of_counts():
    held = counted(COUNTS, error_weight=np.array([1.0, 2.0, 3.0]), cost_matrix=PRICES)
    shares = np.array(COUNTS) / 30
    off = 1 - np.eye(3)
    normal = PRICES - PRICES.min(axis=1, keepdims=True)
    for measure, wanted in (
        ("error", (shares * off).sum()),
        ("weighted_error", (shares * off * [[1], [2], [3]]).sum()),
        ("cost", (shares * PRICES).sum()),
        ("normalized_cost", (shares * normal).sum() / (normal.sum() / 6)),
        ("g_mean", (0.6 * 0.7 * 0.8) ** (1 / 3)),
        ("coverage", 1.0),
    ):
        assert held.means(Limit(measure, 0.5))[0] == pytest.approx(wanted)
    for label, wanted in (("ham", 0.6), ("spam", 0.7), ("eggs", 0.8)):
        assert held.means(Limit("recall", 0.5, label))[0] == pytest.approx(wanted)
    with pytest.raises(ValueError, match="not a class; the classes are 'ham', 'spam'"):
        held.recalls("bacon")
    with pytest.raises(ValueError, match="costs are by example"):
        counted(COUNTS).means(Limit("cost", 1))
    with pytest.raises(ValueError, match="has no cost"):
        Limit("cost", 1).values(TABLE[["error"]], held)


def test_actions_count_as_they_are_told_to():
    asking = [[8, 1, 1], [0, 6, 4]]
    for share, wanted in ((None, 6 / 20), (np.array([0.2]), 2 / 20)):
        held = counted(asking, action_error=share)
        assert held.means(Limit("error", 0.5))[0] == pytest.approx(wanted)
        assert held.means(Limit("coverage", 0.5))[0] == pytest.approx(0.75)


def test_a_class_without_rows_has_no_say():
    held = counted([[5, 5, 0], [0, 0, 0], [0, 1, 9]])
    assert held.means(Limit("g_mean", 0.5))[0] == pytest.approx(math.sqrt(0.5 * 0.9))
    assert held.recalls("spam").tolist() == [0.0]
    assert held.recalls("ham").tolist() == [0.5]


def exactly(n, losses, rate):
    """The binomial tail in whole numbers."""
    rate = Fraction(rate).limit_denominator(1000)
    each = [
        math.comb(n, k) * rate**k * (1 - rate) ** (n - k) for k in range(losses + 1)
    ]
    return float(sum(each))


def test_tails_of_counts():
    for n, losses, rate in ((10, 0, 0.1), (10, 3, 0.4), (30, 5, 0.25), (7, 6, 0.5)):
        assert binomial_tail(losses, n, rate) == pytest.approx(exactly(n, losses, rate))
    assert binomial_tail(10, 10, 0.3) == 1
    assert binomial_tail(12, 10, 0.3) == 1
    assert binomial_tail(2.4, 10, 0.3) == pytest.approx(exactly(10, 3, 0.3))
    assert binomial_tail(2 + 1e-12, 10, 0.3) == pytest.approx(exactly(10, 2, 0.3))
    assert binomial_tail(0, 0, 0.3) == 1


def test_p_values_of_limits():
    held = counted(COUNTS, error_weight=np.array([1.0, 2.0, 3.0]), cost_matrix=PRICES)
    assert held.p_values(Limit("error", 0.4))[0] == pytest.approx(exactly(30, 9, 0.4))
    recall = Limit("recall", 0.5, "eggs")
    assert held.p_values(recall)[0] == pytest.approx(exactly(10, 2, 0.5))
    assert held.p_values(Limit("cost", 8))[0] == 0  # nothing can cost more
    assert held.p_values(Limit("error", 1))[0] == 0
    cost = Limit("cost", 4)
    mean = held.means(cost)[0] / 8
    entropy = mean * math.log(mean / 0.5) + (1 - mean) * math.log((1 - mean) / 0.5)
    bentkus = math.e * binom.cdf(math.ceil(30 * mean - 1e-9), 30, 0.5)
    wanted = min(1.0, math.exp(-30 * entropy), bentkus)
    assert held.p_values(cost)[0] == pytest.approx(wanted)
    asked = counted([[8, 1, 1], [0, 6, 4]]).p_values(Limit("coverage", 0.5))[0]
    assert asked == pytest.approx(exactly(20, 5, 0.5))
    # A row that is held out twice is one row.
    twice = counted(np.array(COUNTS) * 2, n_rows=30)
    assert twice.p_values(Limit("error", 0.4))[0] == pytest.approx(exactly(30, 9, 0.4))
    assert twice.p_values(recall)[0] == pytest.approx(exactly(10, 2, 0.5))


def test_tails_of_means():
    assert hoeffding_bentkus_tail([0.1, 0.2], 50, 0.0).tolist() == [1, 1]
    assert hoeffding_bentkus_tail([0.1, 0.2], 50, 1.0).tolist() == [0, 0]
    assert hoeffding_bentkus_tail(0.7, 50, 0.5) == 1
    few, many = hoeffding_bentkus_tail(0.1, np.array([20, 200]), 0.3)
    assert 0 < many < few < 1
    close = hoeffding_bentkus_tail(0.0, 10, 0.5)  # Hoeffding's: (1 - limit)^n
    assert close == pytest.approx(0.5**10)


def test_tails_of_recalls():
    """At the tail itself the bounds' geometric mean is the limit."""
    right, sizes = np.array([[18.0, 27.0]]), np.array([[20.0, 30.0]])
    (level,) = recalls_tail(right, sizes, 0.7)
    bounds = beta.ppf(level / 2, right, sizes - right + 1)
    assert bounds.prod() == pytest.approx(0.7**2, rel=1e-6)
    nothing = np.array([[0.0, 27.0]])
    assert recalls_tail(nothing, sizes, 0.1).tolist() == [1.0]
    assert recalls_tail(right, sizes, 0.99).tolist() == [1.0]
    assert recalls_tail(right, sizes, 0.0)[0] == pytest.approx(math.exp(-30))
    one = recalls_tail(np.array([[1.0, 1.0]]), np.array([[1.0, 1.0]]), 0.1)
    assert 0 < one[0] < 1
    # One of 40 found: the bound of its recall is that of a first success.
    rare = np.array([1.0, 40.0]), np.array([40.0, 40.0])
    level = recalls_tail(*rare, 0.05)
    bounds = 1 - (1 - level / 2) ** (1 / 40), (level / 2) ** (1 / 40)
    assert np.prod(bounds) == pytest.approx(0.05**2, rel=1e-6)
    (level,) = recalls_tail(right, sizes, 0.7)
    held = counted([[18, 2], [3, 27]])
    assert held.p_values(Limit("g_mean", 0.7))[0] == pytest.approx(level)


def test_corrections_for_many():
    tails = np.array([0.01, 0.2, 0.02, 0.03])
    assert holm_passed(tails, 0.05).tolist() == [0]
    assert holm_passed(tails, 0.06).tolist() == [0, 2, 3]
    assert holm_passed(tails, 0.2).tolist() == [0, 2, 3, 1]
    assert holm_passed(tails, 0.04).tolist() == [0]
    assert holm_passed(tails, 0.03).tolist() == []
    # From the safest to the cheapest, without what others beat or equal.
    tail, key = np.array([0.1, 0.2, 0.3, 0.3, 0.4]), np.array([5.0, 6.0, 3.0, 3.0, 1.0])
    assert safest_first(tail, key).tolist() == [0, 2, 4]


def judged(rule, holdout, *confusions):
    held = counted(*confusions, holdout=holdout)
    errors, means = held.means(Limit("error", 1)), held.means(Limit("g_mean", 1))
    cost = np.arange(len(errors), 0.0, -1)
    table = pd.DataFrame(
        {"softness": 0.0, "cost": cost, "error": errors, "g_mean": means}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return decide(table, rule, held).guarantee


def test_what_a_test_tells():
    good, bad = [[50, 0], [2, 48]], [[50, 0], [20, 30]]
    rule = Budget(error=0.1, confidence=0.9)
    told = judged(rule, np.array([good, bad], float), good, bad)
    assert told["met"] is True
    assert (told["kind"], told["rows"]) == ("exact", 100)
    assert told["method"] == "fixed sequence along the front"
    assert told["confidence"] == 0.9
    assert told["passed"] == [0]
    (limit,) = told["limits"]
    assert limit["tested"] == limit["estimate"] == pytest.approx(0.02)
    assert limit["p_value"] == pytest.approx(exactly(100, 2, 0.1))
    told = judged(rule, None, good, bad)
    assert (told["kind"], told["method"], told["rows"]) == ("approximate", "Holm", 100)
    assert told["passed"] == [0]


def test_a_tail_that_is_the_level_itself_is_enough():
    """No error in one row, at a limit of a half, has a tail of a half."""
    one = [[1, 0], [0, 0]]
    for holdout in (np.array([one], float), None):
        told = judged(Budget(error=0.5, confidence=0.5), holdout, one)
        assert told["met"] is True
        told = judged(Budget(error=0.49, confidence=0.5), holdout, one)
        assert told["met"] is False


def test_what_is_missing_for_a_test():
    half = [[40, 10], [10, 40]]
    told = judged(Budget(error=0.1, confidence=0.9), np.array([half], float), half)
    most = max(k for k in range(100) if exactly(100, k, 0.1) <= 0.1)
    assert told["met"] is False
    assert f"at most {most} errors would have passed" in told["missing"]
    assert "confidence of 0.9: the nearest, with 0.2 in 100 rows" in told["missing"]
    rule = Budget(recall={"spam": 0.9}, confidence=0.9)
    told = judged(rule, np.array([half], float), half)
    most = max(k for k in range(50) if exactly(50, k, 0.1) <= 0.1)
    assert f"at most {most} " in told["missing"]
    assert "in 50 rows of the class would have passed" in told["missing"]
    few = [[4, 1], [1, 4]]
    told = judged(Budget(error=0.1, confidence=0.9), np.array([few], float), few)
    needed = next(n for n in range(1, 99) if 0.9**n <= 0.1)
    assert (
        f"not even 0 errors would do, since that takes {needed} rows" in told["missing"]
    )
    told = judged(Budget(error=0, confidence=0.9), np.array([few], float), few)
    assert "no sample can prove" in told["missing"]
    told = judged(Budget(g_mean=0.9, confidence=0.9), np.array([few], float), few)
    assert "allow more, or give more rows" in told["missing"]
    one = [[24, 20], [20, 24]]
    told = judged(Budget(error=0.05, confidence=0.9), np.array([one], float), one)
    most = max(k for k in range(88) if exactly(88, k, 0.05) <= 0.1)
    assert most == 1
    assert "at most 1 error would have passed" in told["missing"]
    # A tail that is the level itself passes: none in one row, at a limit of a half.
    alone = counted([[0, 1], [0, 0]])
    assert "at most 0 errors would have passed" in missing_by_test(
        Limit("error", 0.5), alone, 0, 0.5, 0.5
    )

"""The paper's claims, asked of the published numbers and of made-up ones."""

import pandas as pd
import pytest

from softcost.paper import TARGETS, published_symbols, published_table
from softcost.paper.claims import CLAIMS
from softcost.paper.questions import Evidence

CLEARLY = "soft has a clearly lower error than hard"
AT_SIMILAR = "soft has a lower error than hard at a cost that is not clearly higher"


def made_up(numbers, dataset="iris", costs="plain", runs=20):
    """A table of (algorithm, metric): (mean, se)."""
    return pd.DataFrame(
        [
            (dataset, costs, algorithm, metric, mean, se, runs)
            for (algorithm, metric), (mean, se) in numbers.items()
        ],
        columns=["dataset", "costs", "algorithm", "metric", "mean", "se", "runs"],
    )


def claim_of(target, text):
    (claim,) = (c for c in CLAIMS if c.target == target and c.text.startswith(text))
    return claim


def answer(table, target, text, algorithm, tests=None):
    claim = claim_of(target, text)
    subject = next(names for names in claim.subjects if names[0] == algorithm)
    return dict(claim.ask(Evidence(table, tests), subject))


@pytest.mark.parametrize(
    ("target", "counts"),
    [("inconsistent", [8, 7, 5, 0]), ("consistent", [10, 6, 6, 0])],
)
def test_the_published_symbols_are_counted(target, counts):
    table = published_table(target)
    claim = claim_of(target, CLEARLY)
    found = {
        (subject[0], place)
        for subject in claim.subjects
        for place, yes in claim.ask(Evidence(table), subject)
        if yes
    }
    by_algorithm = [sum(name == s[0] for name, _ in found) for s in claim.subjects]
    assert by_algorithm == counts
    symbols = published_symbols()
    better = symbols[
        (symbols["target"] == target)
        & (symbols["metric"] == "error")
        & (symbols["published"] == "better")
    ]
    assert found == set(zip(better["soft"], better["dataset"], strict=True))


def test_what_the_paper_says_of_itself_is_not_always_so():
    table = published_table("inconsistent")
    hard = "hard has a higher cost than regular"
    places = {"vowel": True, "dna": False}
    assert places.items() <= answer(table, "inconsistent", hard, "OSR").items()
    assert answer(table, "inconsistent", hard, "CSOVO")["dna"]
    lowest = "soft-OSR has the lowest cost"
    found = answer(table, "inconsistent", lowest, "soft-OSR")
    assert sum(found.values()) == claim_of("inconsistent", lowest).stated[0] - 1


@pytest.mark.parametrize(
    ("cost", "error", "expected"),
    [
        ((1.0, 0.1), (2.0, 0.1), True),
        ((1.1, 0.1), (2.0, 0.1), True),  # a higher cost, but not clearly
        ((2.0, 0.1), (2.0, 0.1), False),  # clearly
        ((1.0, 0.1), (3.1, 0.1), False),  # more errors
    ],
)
def test_a_lower_error_must_not_be_bought(cost, error, expected):
    table = made_up(
        {
            ("soft-OSR", "cost"): cost,
            ("soft-OSR", "error"): error,
            ("OSR", "cost"): (1.0, 0.1),
            ("OSR", "error"): (3.0, 0.1),
        }
    )
    found = answer(table, "inconsistent", AT_SIMILAR, "soft-OSR")
    assert found == {"iris": expected}
    # Nothing is said of algorithms that are not there.
    assert answer(table, "inconsistent", AT_SIMILAR, "soft-CSFT") == {}


@pytest.mark.parametrize("word", ["better", "=", "worse"])
@pytest.mark.parametrize("turned", [False, True])
def test_the_stated_test_decides_what_is_clear(word, turned):
    """Means are far apart, so that the unpaired test would always say so."""
    low, high = (2.0, 0.1), (3.0, 0.1)
    table = made_up({("soft-OSR", "error"): low, ("OSR", "error"): high})
    pair = ("OSR", "soft-OSR") if turned else ("soft-OSR", "OSR")
    tests = pd.DataFrame(
        [("iris", "plain", "error", *pair, word)],
        columns=["dataset", "costs", "metric", "algorithm", "versus", "stated"],
    )
    found = answer(table, "inconsistent", CLEARLY, "soft-OSR", tests)
    assert found == {"iris": word != "="}
    assert answer(table, "inconsistent", CLEARLY, "soft-OSR") == {"iris": True}


def test_equal_means_are_equal_whatever_the_order_of_their_sum():
    table = made_up(
        {("CSZL", "error"): (0.1 + 0.2, 0.1), ("CSOVO", "error"): (0.3, 0.1)}
    )
    assert 0.1 + 0.2 != 0.3
    for one, other in (("CSZL", "CSOVO"), ("CSOVO", "CSZL")):
        assert Evidence(table).difference("iris", "error", one, other)[0] == 0
    assert Evidence(table).marked("iris", "error", "star") == {"CSZL", "CSOVO"}


def test_large_recalls_are_good():
    numbers = {("OSR", "recall_product"): (10.0, 1.0)}
    claim = "soft-OSR has a clearly higher product of recalls than OSR"
    for mean, expected in ((20.0, True), (5.0, False), (11.0, False)):
        table = made_up(numbers | {("soft-OSR", "recall_product"): (mean, 1.0)})
        assert answer(table, "unbalanced", claim, "soft-OSR") == {"iris": expected}


def test_emphasis_looks_along_the_costs():
    def kind(costs, soft, recall):
        numbers = {
            ("soft-OSR", "cost"): (soft, 0.1),
            ("OSR", "emphasized_recall"): (recall, 1.0),
        }
        return made_up(numbers, costs=costs)

    flat, never = "the cost of soft, in units", "hard never predicts"
    same = pd.concat([kind("emphasis-1e2", 1.0, 50), kind("emphasis-1e6", 1.1, 1)])
    assert answer(same, "emphasis", flat, "soft-OSR") == {"iris": True}
    assert answer(same, "emphasis", never, "OSR") == {"iris": True}
    other = pd.concat([kind("emphasis-1e2", 1.0, 1), kind("emphasis-1e6", 3.0, 50)])
    assert answer(other, "emphasis", flat, "soft-OSR") == {"iris": False}
    assert answer(other, "emphasis", never, "OSR") == {"iris": False}


def test_the_curve_may_be_lowest_between():
    names = TARGETS["softness-curve"].algorithms
    for lowest, expected in ((0, False), (4, True), (10, False)):
        costs = {
            (name, "cost"): (1.0 - (n == lowest), 0.1) for n, name in enumerate(names)
        }
        found = answer(made_up(costs), "softness-curve", "the cost is lowest", "OSR")
        assert found == {"iris": expected}


@pytest.mark.parametrize(
    ("means", "expected"),
    [((2.0, 3.0, 1.0), True), ((2.0, 1.0, 3.0), True), ((4.0, 3.0, 1.0), False)],
)
def test_between_is_between(means, expected):
    names = ("soft-OSR", "OSR", "OVA")
    table = made_up(
        {(n, "error"): (mean, 0.1) for n, mean in zip(names, means, strict=True)}
    )
    text = "soft lies between hard and regular"
    assert answer(table, "inconsistent", text, "soft-OSR") == {"iris": expected}


def test_marks_and_ranks_look_at_all_algorithms():
    names = TARGETS["inconsistent"].algorithms
    table = pd.concat(
        made_up(
            {(n, "cost"): (float(rank), 1.5) for rank, n in enumerate(order)}, dataset
        )
        for dataset, order in (("iris", names), ("wine", names[::-1]))
    )
    best = "soft-OSR is among the best in cost"
    found = answer(table, "inconsistent", best, "soft-OSR")
    assert found == {"iris": False, "wine": False}
    near = table.assign(se=3.0)
    assert answer(near, "inconsistent", best, "soft-OSR")["iris"]
    ranks = Evidence(table).mean_ranks("cost")
    assert set(ranks.values()) == {(len(names) + 1) / 2}
    text = "soft-OSR and soft-CSOVO have the lowest mean ranks"
    assert answer(table, "inconsistent", text, "soft-OSR") == {"all sets": False}
    first = table.assign(
        mean=table["mean"] - 99 * table["algorithm"].isin(["soft-OSR", "soft-CSOVO"])
    )
    assert answer(first, "inconsistent", text, "soft-OSR") == {"all sets": True}


def test_every_claim_is_about_something_known():
    assert len(CLAIMS) >= 20
    for claim in CLAIMS:
        target = TARGETS[claim.target]
        assert set(claim.datasets) <= set(target.datasets)
        known = {*target.algorithms, "OSR"}
        assert all(set(subject) <= known for subject in claim.subjects)
        assert len(claim.stated) in (0, len(claim.subjects))
        assert len({(c.target, c.text) for c in CLAIMS}) == len(CLAIMS)


def test_one_run_says_nothing():
    table = published_table("inconsistent").assign(se=float("nan"), runs=1)
    for claim in CLAIMS:
        if claim.target == "inconsistent":
            assert not any(dict(claim.ask(Evidence(table), s)) for s in claim.subjects)


def test_misprints_are_marked_but_not_compared():
    table = published_table("unbalanced")
    wrong = [("cost", name, "soft-OSR") for name in table["dataset"].unique()]
    asked = Evidence(table, distrusted=wrong)
    assert asked.difference("zoo", "cost", "soft-OSR", "OSR") is None
    assert asked.difference("zoo", "weighted_error", "soft-OSR", "OSR") is not None
    assert asked.marked("zoo", "cost", "star") == {"OSR"}

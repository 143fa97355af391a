"""The paper's claims, asked of the published numbers and of made-up ones."""

import pandas as pd
import pytest

from softcost.paper import TARGETS, published_symbols, published_table, verdicts
from softcost.paper.findings._claims import CLAIMS, claim_answers

CLEARLY = "soft has a clearly lower error than hard"
AT_SIMILAR = "soft has a lower error than hard at a similar cost"


def made_up(numbers, dataset="iris", costs="plain", runs=20):
    """A table of (algorithm, metric): (mean, se)."""
    return pd.DataFrame(
        [
            (dataset, costs, algorithm, metric, mean, se, runs)
            for (algorithm, metric), (mean, se) in numbers.items()
        ],
        columns=["dataset", "costs", "algorithm", "metric", "mean", "se", "runs"],
    )


def answer(table, target, claim, algorithm):
    answers = claim_answers(table, target)
    chosen = (answers["claim"] == claim) & (answers["algorithm"] == algorithm)
    return dict(zip(answers["place"][chosen], answers["holds"][chosen], strict=True))


@pytest.mark.parametrize(
    ("target", "counts"),
    [("inconsistent", [8, 7, 5, 0]), ("consistent", [10, 6, 6, 0])],
)
def test_the_published_symbols_are_counted(target, counts):
    answers = claim_answers(published_table(target), target)
    part = answers[answers["claim"] == CLEARLY]
    by_algorithm = part.groupby("algorithm", sort=False)["holds"]
    assert by_algorithm.sum().tolist() == counts
    assert (by_algorithm.size() == 22).all()
    symbols = published_symbols()
    better = symbols[
        (symbols["target"] == target)
        & (symbols["metric"] == "error")
        & (symbols["published"] == "better")
    ]
    said = part[part["holds"]]
    expected = set(zip(better["soft"], better["dataset"], strict=True))
    assert set(zip(said["algorithm"], said["place"], strict=True)) == expected


def test_what_the_paper_says_of_itself_is_not_always_so():
    table = published_table("inconsistent")
    hard = "hard has a higher cost than regular"
    assert answer(table, "inconsistent", hard, "OSR") == {
        "vowel": True,
        "dna": False,
    }
    assert answer(table, "inconsistent", hard, "CSOVO") == {
        "vowel": True,
        "dna": True,
    }


@pytest.mark.parametrize(
    ("cost", "error", "expected"),
    [
        ((1.0, 0.1), (2.0, 0.1), True),
        ((1.1, 0.1), (2.0, 0.1), True),  # more_expensive, but not clearly
        ((2.0, 0.1), (2.0, 0.1), False),  # clearly more_expensive
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


def test_large_recalls_are_good():
    numbers = {("OSR", "recall_product"): (10.0, 1.0)}
    claim = "soft has a higher product of recalls than hard"
    for mean, expected in ((20.0, True), (5.0, False)):
        table = made_up(numbers | {("soft-OSR", "recall_product"): (mean, 1.0)})
        assert answer(table, "unbalanced", claim, "soft-OSR") == {"iris": expected}


def test_emphasis_looks_along_the_prices():
    def kind(costs, soft, recall):
        numbers = {
            ("soft-OSR", "cost"): (soft, 0.1),
            ("OSR", "emphasized_recall"): (recall, 1.0),
        }
        return made_up(numbers, costs=costs)

    flat = "the cost of soft, in units of the emphasis u, does not depend on u"
    never = "hard never predicts the class that is expensive to predict"
    same = pd.concat([kind("emphasis-1e2", 1.0, 50), kind("emphasis-1e6", 1.1, 1)])
    assert answer(same, "emphasis", flat, "soft-OSR") == {"iris": True}
    assert answer(same, "emphasis", never, "OSR") == {"iris": True}
    other = pd.concat([kind("emphasis-1e2", 1.0, 1), kind("emphasis-1e6", 3.0, 50)])
    assert answer(other, "emphasis", flat, "soft-OSR") == {"iris": False}
    assert answer(other, "emphasis", never, "OSR") == {"iris": False}


def test_the_curve_may_be_lowest_between():
    claim = "the cost is lowest for a softness between 0 and 1"
    names = TARGETS["softness-curve"].algorithms
    for lowest, expected in ((0, False), (4, True), (10, False)):
        costs = {
            (name, "cost"): (1.0 - (n == lowest), 0.1) for n, name in enumerate(names)
        }
        costs["mine", "cost"] = (9.0, 0.1)  # no point of the curve
        found = answer(made_up(costs), "softness-curve", claim, "OSR")
        assert found == {"iris": expected}


def test_the_print_agrees_with_any_part_of_itself():
    published = published_table("inconsistent")
    for dataset in published["dataset"].unique():
        part = published[published["dataset"] == dataset]
        found = verdicts(part, published, "inconsistent")
        assert (found["verdict"] == "agrees").all()
        assert (found["of"] == 1).all()
        assert (found["holds"] == found["published_holds"]).all()


def test_only_sets_that_both_have_count():
    published = published_table("inconsistent")
    known = published[published["dataset"].isin(["vowel", "dna"])]
    more = pd.concat([known, known.replace({"dataset": {"dna": "mine"}})])
    found = verdicts(more.drop_duplicates(), published, "inconsistent")
    assert set(found["of"]) == {2}
    hard = found[found["claim"] == "hard has a higher cost than regular"]
    assert hard["same"].tolist() == [2, 2, 2]


def test_half_the_answers_are_not_enough():
    published = published_table("inconsistent")
    two = published[published["dataset"].isin(["vowel", "dna"])]
    swap = {"CSFT": "FT", "FT": "CSFT"}
    on_dna = (two["dataset"] == "dna") & two["algorithm"].isin(list(swap))
    ours = two.assign(
        algorithm=two["algorithm"].mask(on_dna, two["algorithm"].map(swap))
    )
    found = verdicts(ours, published, "inconsistent").set_index(["claim", "algorithm"])
    row = found.loc[("hard has a higher cost than regular", "CSFT")]
    assert (row["same"], row["of"], row["verdict"]) == (1, 2, "differs")
    assert row["not_on"] == "dna"


def test_verdicts_compare_with_the_print():
    published = published_table("inconsistent")
    swapped = {"soft-OSR": "OSR", "OSR": "soft-OSR"}
    ours = published.assign(algorithm=published["algorithm"].replace(swapped))
    found = verdicts(ours, published, "inconsistent")
    row = found[(found["claim"] == AT_SIMILAR) & (found["algorithm"] == "soft-OSR")]
    (row,) = row.to_dict("records")
    assert row["verdict"] == "differs"
    assert row["holds"] < 5 < 15 < row["published_holds"]
    assert len(row["not_on"].split(", ")) == row["of"] - row["holds"]


def test_a_figure_counts_as_claimed():
    numbers = {("soft-OSR", "error"): (2.0, 0.1), ("OSR", "error"): (1.0, 0.1)}
    table = made_up(numbers, costs="emphasis-1e2")
    (row,) = verdicts(table, published_table("emphasis"), "emphasis").to_dict("records")
    assert (row["holds"], row["same"], row["verdict"]) == (0, 0, "differs")
    assert pd.isna(row["published_holds"])


def test_every_claim_is_about_something_known():
    for claim in CLAIMS:
        for name in claim.targets:
            target = TARGETS[name]
            assert set(claim.datasets) <= set(target.datasets)
            for pair in claim.pairs:
                known = {*target.algorithms, "OSR", ""}
                assert set(pair) <= known


def test_one_run_says_nothing():
    table = published_table("inconsistent").assign(se=float("nan"), runs=1)
    assert claim_answers(table, "inconsistent").empty
    assert verdicts(table, published_table("inconsistent"), "inconsistent").empty

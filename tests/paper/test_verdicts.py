"""Verdicts: they see agreement, and they can fail."""

import numpy as np
import pandas as pd
import pytest

from softcost.paper import published_table, verdicts
from softcost.paper.anomalies import misprinted
from softcost.paper.claim_verdicts import (
    ABOVE,
    CHANCE,
    NOT_RUN,
    OPPOSITE,
    OTHER_COUNTS,
    SAME_COUNTS,
    _shuffled,
)
from softcost.paper.claims import CLAIMS

MAIN = ("inconsistent", "consistent")
TESTS = ["dataset", "costs", "metric", "algorithm", "versus", "stated", "as_in_paper"]


def findings_like(table):
    """A table as if it were ours, without tests."""
    return {
        "table": table.assign(as_in_paper=True, costs="plain"),
        "tests": pd.DataFrame(columns=TESTS),
    }


def judged(tables):
    found = {name: findings_like(table) for name, table in tables.items()}
    return verdicts(found).set_index("number")


def test_the_paper_agrees_with_itself():
    found = judged({name: published_table(name) for name in MAIN})
    own = found[found["target"].isin(MAIN)]
    assert set(own["verdict"]) <= {ABOVE, SAME_COUNTS}
    assert (own["verdict"] == ABOVE).sum() > 10
    assert (own["same"] == own["compared"]).all()
    assert (own["ours"] == own["published"]).all()
    assert (own["differs"] == "").all()
    rest = found[~found["target"].isin(MAIN)]["verdict"]
    assert rest.str.startswith((NOT_RUN, "cannot be tested")).all()


def test_shuffled_data_sets_are_found_out():
    """What the old rule, half of the answers, could not see."""
    published = published_table("inconsistent")
    names = published["dataset"].unique()
    above, told, half = 0, 0, 0
    for number in range(5):
        order = np.random.default_rng(number).permutation(names)
        moved = dict(zip(names, order, strict=True))
        found = judged({"inconsistent": published.replace({"dataset": moved})})
        own = found[found["target"] == "inconsistent"]
        above += (own["verdict"] == ABOVE).sum()
        told += own["verdict"].isin([ABOVE, CHANCE, OPPOSITE]).sum()
        half += (2 * own["same"] > own["compared"]).sum()
    assert above <= 0.2 * told
    assert half > 0.8 * told


def answers(*rows):
    return [
        {f"set {n}": bool(yes) for n, yes in enumerate(row) if yes is not None}
        for row in rows
    ]


@pytest.mark.parametrize(
    ("ours", "published", "verdict"),
    [
        ([1, 0] * 10, [1, 0] * 10, ABOVE),
        ([1, 0] * 10, [0, 1] * 10, OPPOSITE),
        ([1, 0] * 10, [1, 1, 0, 0] * 5, CHANCE),
        ([1] * 20, [1] * 20, SAME_COUNTS),
        ([1] * 20, [1] * 15 + [0] * 5, OTHER_COUNTS),
        ([1], [0], OTHER_COUNTS),
    ],
)
def test_the_verdict(ours, published, verdict):
    assert _shuffled(CLAIMS[0], answers(ours), answers(published))[2] == verdict


def test_chance_is_what_shuffling_gives_on_average():
    ours = [[1] * 6 + [0] * 4, [1] * 3 + [0] * 7]
    published = [[1, 0] * 5, [0] * 8 + [1] * 2]
    chance = _shuffled(CLAIMS[0], answers(*ours), answers(*published))[0]
    exact = sum(
        (sum(a) * sum(b) + (10 - sum(a)) * (10 - sum(b))) / 10
        for a, b in zip(ours, published, strict=True)
    )
    assert chance == pytest.approx(exact, abs=0.05)


def test_data_sets_are_shuffled_with_all_algorithms():
    """Copies of one row of answers are no more evidence than the row."""
    one, other = [1, 0, 1, 1, 0, 0, 1, 0], [1, 0, 1, 1, 0, 1, 0, 0]
    alone = _shuffled(CLAIMS[0], answers(one), answers(other))
    copied = _shuffled(CLAIMS[0], answers(*[one] * 9), answers(*[other] * 9))
    assert copied[1] == alone[1]
    assert copied[0] == pytest.approx(9 * alone[0])


def test_answers_that_are_not_there_do_not_count():
    ours, published = [1, 0, 1, 0, 1, 0], [1, 0, None, None, 1, 0]
    assert _shuffled(CLAIMS[0], answers(ours), answers(published))[0] <= 4


def test_a_figure_counts_as_claimed_everywhere():
    rows = [
        ("iris", kind, name, "error", mean, 0.1, 20)
        for kind in ("emphasis-1e2", "emphasis-1e3")
        for name, mean in (("soft-OSR", 2.0), ("OSR", 1.0))
    ]
    columns = ["dataset", "costs", "algorithm", "metric", "mean", "se", "runs"]
    table = pd.DataFrame(rows, columns=columns).assign(as_in_paper=True)
    empty = pd.DataFrame(columns=TESTS)
    found = verdicts({"emphasis": {"table": table, "tests": empty}})
    lower = found[found["claim"] == "soft has a lower error than hard"]
    (row,) = lower.to_dict("records")
    assert (row["ours"], row["of"], row["chance"]) == ((0,), (2,), 1.0)
    assert row["verdict"] == "as claimed on no set"


@pytest.mark.parametrize("target", ["kdd99", "kdd99-balanced"])
def test_kdd99_is_judged_as_soon_as_it_is_there(target):
    found = judged({target: published_table(target)})
    own = found[found["target"] == target]
    assert len(own) > 1
    assert (own["verdict"] == SAME_COUNTS).all()
    assert (own["compared"] == 4).all()
    others = found[found["target"] == ({"kdd99", "kdd99-balanced"} - {target}).pop()]
    assert (others["verdict"] == NOT_RUN).all()


def test_misprints_are_not_asked():
    found = judged({"consistent": published_table("consistent")})
    claim = found["claim"] == "soft has a lower cost than regular"
    row = found[claim & (found["target"] == "consistent")].iloc[0]
    trees = [
        name
        for name in published_table("consistent")["dataset"].unique()
        if not misprinted("consistent", "cost", name, "FT")
    ]
    assert row["of"] == (22, 22, len(trees), 22)
    assert len(trees) < 22

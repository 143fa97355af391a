"""Savings with intervals that hold whichever candidate was chosen."""

import numpy as np
import pytest
from scipy import stats

from softcost import OneSidedRegression, SoftCostClassifierCV
from softcost.metrics import paired_saving, savings


def test_one_candidate_has_students_interval():
    rng = np.random.default_rng(0)
    before, after = rng.gamma(2, 3, 40), rng.gamma(2, 2, 40)
    found = paired_saving(before, after)
    wanted = stats.ttest_rel(before, after).confidence_interval(0.95)
    assert found.saving == pytest.approx((before - after).mean())
    assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high))
    assert found.before == pytest.approx(before.mean())
    assert found.percent(found.before / 2) == pytest.approx(50)


def test_groups_are_drawn_as_one():
    """Rows that repeat others say nothing new."""
    rng = np.random.default_rng(1)
    before, after = rng.gamma(2, 3, 30), rng.gamma(2, 2, 30)
    once = paired_saving(before, after)
    again = paired_saving(
        np.tile(before, 4), np.tile(after, 4), groups=np.tile(np.arange(30), 4)
    )
    assert (again.saving, again.low, again.high) == pytest.approx(
        (once.saving, once.low, once.high)
    )
    alone = paired_saving(np.tile(before, 4), np.tile(after, 4))
    assert alone.low > again.low


def test_weights_count_rows():
    rng = np.random.default_rng(2)
    before, after = rng.gamma(2, 3, 20), rng.gamma(2, 2, 20)
    weight = rng.integers(1, 4, 20)
    rows = np.repeat(np.arange(20), weight)
    heavy = paired_saving(before, after, weight=weight)
    spelled = paired_saving(before[rows], after[rows], groups=rows)
    assert (heavy.saving, heavy.low) == pytest.approx((spelled.saving, spelled.low))


def test_the_best_of_many_is_not_flattered():
    """Thirty candidates that save nothing: the best is shown in few of the problems."""
    shown = naive = 0
    problems = 100
    for seed in range(problems):
        rng = np.random.default_rng(seed)
        before = 5 + rng.gamma(2, 1, 80)
        after = before + rng.normal(0, 1, (30, 80))
        best = int(after.mean(axis=1).argmin())
        shown += paired_saving(before, after, chosen=best).shown
        naive += paired_saving(before, after[best]).shown
    assert shown <= 0.05 * problems + 3 * np.sqrt(problems * 0.05 * 0.95)
    assert naive > 3 * shown


def test_more_candidates_make_wider_intervals():
    rng = np.random.default_rng(3)
    before, after = rng.gamma(2, 3, 60), rng.gamma(2, 2, (10, 60))
    reach = [
        paired_saving(before, after[:count]).saving
        - paired_saving(before, after[:count]).low
        for count in (1, 2, 10)
    ]
    assert reach[0] < reach[1] < reach[2]
    same = np.repeat(after[:1], 10, axis=0)
    alike = paired_saving(before, same)
    assert alike.saving - alike.low == pytest.approx(reach[0], rel=0.03)


def test_the_reach_is_a_quantile_of_the_largest_t():
    """Of Student's t in several dimensions, with the correlations of the savings."""
    rng = np.random.default_rng(5)
    shared = rng.normal(size=12)
    after = np.array([shared + rng.normal(size=12), 3 * shared, rng.normal(size=12)])
    saved = -after
    errors = saved.std(axis=1, ddof=1) / np.sqrt(12)
    law = stats.multivariate_t(shape=np.corrcoef(saved), df=11, seed=0)
    for level in (0.8, 0.95):
        found = paired_saving(np.zeros(12), after, chosen=1, level=level)
        reach = (found.saving - found.low) / errors[1]
        assert (found.high - found.saving) / errors[1] == pytest.approx(reach)
        box = law.cdf(np.full(3, reach), lower_limit=np.full(3, -reach))
        assert box == pytest.approx(level, abs=0.015)


def test_nobody_saves_more_than_everything():
    found = paired_saving([5.0, 0.0, 1.0], [0.0, 0.0, 0.0])
    assert found.high == found.before == 2.0
    earning = paired_saving([5.0, 0.0, 1.0], [0.0, 0.0, -0.1])
    assert earning.high > earning.before


def test_degenerate_rows():
    found = paired_saving([1.0, 1.0], [1.0, 1.0])
    assert (found.saving, found.low, found.high, found.shown) == (0, 0, 0, False)
    assert not paired_saving([5.0], [1.0]).shown
    assert paired_saving([0.0, 0.0], [1.0, 2.0]).percent(1.0) is None
    with pytest.raises(ValueError, match="same rows"):
        paired_saving([1.0, 2.0], [1.0])
    for after in ([], lambda rows: np.zeros((1, 0))):
        with pytest.raises(ValueError, match="before has no rows; pass"):
            paired_saving([], after)


def test_a_search_saves_what_its_table_says():
    rng = np.random.default_rng(4)
    y = rng.integers(0, 3, 150)
    X = rng.normal(size=(150, 2)) + np.c_[y, y == 1]
    prices = [[0, 1, 5], [1, 0, 5], [9, 9, 0]]
    search = SoftCostClassifierCV(
        OneSidedRegression(), cost_matrix=prices, softness=3
    ).fit(X, y)
    table, rows = search.tradeoff_, search.reference_rows()
    chosen = table["cost"].iloc[search.best_index_]
    for over, before in (
        ("constant", search.constant_["cost"]),
        ("regular", table["cost"].iloc[rows["regular"]]),
    ):
        found = search.saving(over)
        assert found.before == pytest.approx(before)
        assert found.saving == pytest.approx(before - chosen)
        assert found.low < found.saving < found.high
    with pytest.raises(ValueError, match="over must be"):
        search.saving("nothing")


def test_blocks_give_the_same_as_one_piece(monkeypatch):
    """Also where groups go on from block to block, or end with one."""
    rng = np.random.default_rng(3)
    before, after = rng.gamma(2, 3, 60), rng.gamma(2, 2, (4, 60))
    weight = rng.integers(1, 4, 60)
    for groups in (None, rng.integers(7, size=60), np.repeat([3, 1, 2], 20)):
        told = {"chosen": 2, "groups": groups, "weight": weight}
        whole = paired_saving(before, after, **told)
        for size in (1, 7, 20):
            monkeypatch.setattr(savings, "_BLOCK", size)
            asked = paired_saving(before, lambda rows: after[:, rows], **told)
            for name in ("saving", "low", "high", "before"):
                assert getattr(asked, name) == pytest.approx(getattr(whole, name))
        monkeypatch.undo()

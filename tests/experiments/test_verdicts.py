"""Marks, tests and claims, on the printed numbers and on made-up runs."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_ind, ttest_rel

from softcost.experiments import (
    agreement,
    claims,
    mark_best,
    printed_table,
    printed_tests,
    significance,
)
from softcost.experiments._verdicts import SIBLINGS, p_value


@pytest.fixture
def cells():
    """Twelve runs of all algorithms: soft ones cheaper, by shared noise."""
    rng = np.random.default_rng(0)
    names = dict.fromkeys(name for siblings in SIBLINGS for name in siblings)
    rows = []
    for run in range(12):
        common = rng.normal(size=2)
        for name in names:
            shift = -0.4 if name.startswith("soft") else 0.0
            cost, error = common + shift + 0.1 * rng.normal(size=2)
            rows.append(("iris", "plain", name, run, cost, error))
    return pd.DataFrame(
        rows, columns=["dataset", "costs", "algorithm", "run", "cost", "error"]
    )


def test_p_values_are_students(cells):
    a, b = (
        cells[cells["algorithm"] == name]["cost"].to_numpy() for name in ("OSR", "OVA")
    )
    n = len(a)
    errors = [values.std(ddof=1) / np.sqrt(n) for values in (a, b)]
    p = p_value(a.mean(), errors[0], n, b.mean(), errors[1], n)
    assert p == pytest.approx(ttest_ind(a, b).pvalue)
    assert p_value(1, 0, n, 1, 0, n) == 1
    assert p_value(1, 0, n, 2, 0, n) == 0


def test_significance_by_both_tests(cells):
    answers = significance(cells)
    assert len(answers) == 16
    by_run = cells.pivot(index="run", columns="algorithm", values="cost")
    costs = answers[answers["metric"] == "cost"]
    for row in costs.to_dict("records"):
        a, b = by_run[row["soft"]], by_run[row["versus"]]
        for column, test in (("unpaired", ttest_ind), ("paired", ttest_rel)):
            clear = test(a, b).pvalue < 0.05
            expected = ("better" if a.mean() < b.mean() else "worse") if clear else "="
            assert row[column] == expected
    assert set(costs["paired"]) == {"better"}
    # Runs that one of them lacks do not count.
    less = cells[(cells["algorithm"] != "OVA") | (cells["run"] < 5)]
    row = significance(less).set_index(["metric", "soft", "versus"])
    assert row.loc[("cost", "soft-OSR", "OVA"), "runs"] == 5
    assert row.loc[("cost", "soft-OSR", "OSR"), "runs"] == 12
    assert significance(cells[cells["run"] == 0]).empty


@pytest.mark.parametrize(
    ("task", "clearly"), [("inconsistent", [8, 7, 5, 0]), ("consistent", [10, 6, 6, 0])]
)
def test_claims_count_the_printed_symbols(task, clearly):
    answers = claims(printed_table(task))
    part = answers[answers["claim"] == "soft has a clearly lower error than hard"]
    assert part["holds"].tolist() == clearly
    assert (part["of"] == 22).all()
    symbols = printed_tests()
    symbols = symbols[(symbols["task"] == task) & (symbols["metric"] == "error")]
    better = symbols[symbols["printed"] == "better"]
    for row in part.to_dict("records"):
        assert row["holds"] == (better["soft"] == row["algorithm"]).sum()
        assert len(row["not_on"].split(", ")) == 22 - row["holds"]


def test_claims_need_one_kind_of_costs_and_skip_what_is_missing():
    table = printed_table("inconsistent")
    with pytest.raises(ValueError, match="pick one"):
        claims(pd.concat([table, table.assign(costs="other")]))
    few = claims(table[table["dataset"].isin(["iris", "dna"])])
    assert set(few["of"]) == {1, 2}
    none = claims(table[table["algorithm"] != "OSR"])
    assert (none[none["algorithm"] == "soft-OSR"]["of"].isin([0, 22])).all()


def test_marks():
    table = pd.DataFrame(
        {
            "dataset": "iris",
            "costs": "plain",
            "metric": ["cost"] * 4 + ["g_mean"] * 2,
            "algorithm": ["a", "b", "c", "d", "a", "b"],
            "mean": [3.0, 1.0, 1.5, 1.6, 80.0, 90.0],
            "se": [9.0, 0.5, 0.1, 5.0, 1.0, 1.0],
        }
    )
    marked = mark_best(table)
    assert marked["star"].tolist() == [False, True, False, False, False, True]
    assert marked["bold"].tolist() == [False, True, True, False, False, True]
    assert "star" not in table


def test_agreement_counts_what_is_in_print():
    table = pd.DataFrame(
        {
            "metric": ["cost"] * 4,
            "costs": ["plain"] * 3 + ["class-ratio"],
            "mean": [1.0, 2.0, 0.0, 9.0],
            "se": [0.1, 0.1, 0.0, 0.1],
            "printed_mean": [1.1, 3.0, 0.0, np.nan],
            "printed_se": [0.1, 0.1, 0.0, np.nan],
        }
    )
    spread = np.hypot(table["se"], table["printed_se"])
    spread = spread.where(spread > 0)
    table["difference"] = (table["mean"] - table["printed_mean"]) / spread
    (row,) = agreement(table).to_dict("records")
    assert (row["costs"], row["cells"], row["within"]) == ("plain", 3, 2)

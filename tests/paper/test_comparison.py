"""Marks, tests and distances from the published values, on made-up runs."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student
from scipy.stats import ttest_ind, ttest_rel

from softcost.paper import (
    agreement,
    mark_best,
    outside,
    published_table,
    published_values,
    significance,
)
from softcost.paper.anomalies import ANOMALIES, OTHER_RULES
from softcost.paper.comparison import error_costs, p_value, rank_agreement, standings
from softcost.paper.planning import SIBLINGS
from softcost.paper.summary import published_class_sizes


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
        a, b = by_run[row["algorithm"]], by_run[row["versus"]]
        for column, test in (("unpaired", ttest_ind), ("paired", ttest_rel)):
            clear = test(a, b).pvalue < 0.05
            expected = ("better" if a.mean() < b.mean() else "worse") if clear else "="
            assert row[column] == expected
        better, worse = (
            ttest_rel(one, other, alternative="less").pvalue < 0.1
            for one, other in ((a, b), (b, a))
        )
        assert row["stated"] == ("better" if better else "worse" if worse else "=")
    assert set(costs["paired"]) == {"better"}
    # Runs that one of them lacks do not count.
    less = cells[(cells["algorithm"] != "OVA") | (cells["run"] < 5)]
    row = significance(less).set_index(["metric", "algorithm", "versus"])
    assert row.loc[("cost", "soft-OSR", "OVA"), "runs"] == 5
    assert row.loc[("cost", "soft-OSR", "OSR"), "runs"] == 12
    assert significance(cells[cells["run"] == 0]).empty


@pytest.mark.parametrize("metric", ["cost", "recall_product"])
@pytest.mark.parametrize("p", [0.04, 0.08, 0.12, 0.3])
def test_the_stated_test_is_paired_and_one_tailed_at_a_tenth(metric, p):
    """Differences whose one-tailed p is known, on runs that differ much more."""
    runs = 10
    spread = np.linspace(-1, 1, runs)
    step = student.isf(p, runs - 1) * np.std(spread, ddof=1) / runs**0.5
    level = 100.0 * np.arange(runs)
    sign = -1 if metric == "recall_product" else 1
    cells = pd.DataFrame(
        {
            "dataset": "iris",
            "costs": "plain",
            "algorithm": ["soft-OSR"] * runs + ["OSR"] * runs,
            "run": [*range(runs), *range(runs)],
            metric: [*level, *(level + sign * (spread + step))],
        }
    )
    for pair, word in (
        (("soft-OSR", "OSR"), "better"),
        (("OSR", "soft-OSR"), "worse"),
    ):
        (row,) = significance(cells, [pair], [metric]).to_dict("records")
        assert row["stated"] == (word if p < 0.1 else "=")
        assert row["unpaired"] == "="


def test_standings():
    published = published_table("consistent")
    swapped = published.replace({"algorithm": {"OVA": "OSR", "OSR": "OVA"}})
    found = standings(swapped, "consistent").set_index(["metric", "algorithm"])
    for name in ("rank", "bold", "star"):
        for metric in ("cost", "error"):
            ours, theirs = (
                found.loc[metric, name],
                found.loc[metric, f"{name}_published"],
            )
            assert (ours["OVA"], ours["OSR"]) == (theirs["OSR"], theirs["OVA"])
            assert ours["OVO"] == theirs["OVO"]
    cost = published[published["metric"] == "cost"]
    wide = cost.pivot(index="dataset", columns="algorithm", values="mean")
    lowest = wide.eq(wide.min(axis=1), axis=0).sum()
    assert found.loc["cost", "star_published"].to_dict() == lowest.to_dict()
    same = standings(published, "consistent")
    tau, p = rank_agreement(same[same["metric"] == "cost"], "test")
    assert tau == pytest.approx(1)
    assert p < 0.01
    worst = same.assign(rank=-same["rank"])
    tau, p = rank_agreement(worst[worst["metric"] == "cost"], "test")
    assert tau == pytest.approx(-1)
    assert p > 0.99


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


def test_agreement_counts_what_is_in_paper():
    table = pd.DataFrame(
        {
            "metric": ["cost"] * 4,
            "costs": ["plain"] * 3 + ["class-ratio"],
            "mean": [1.0, 2.0, 0.0, 9.0],
            "se": [0.1, 0.1, 0.0, 0.1],
            "published_mean": [1.1, 3.0, 0.0, np.nan],
            "published_se": [0.1, 0.1, 0.0, np.nan],
        }
    )
    spread = np.hypot(table["se"], table["published_se"])
    spread = spread.where(spread > 0)
    table["difference"] = (table["mean"] - table["published_mean"]) / spread
    (row,) = agreement(table).to_dict("records")
    assert (row["costs"], row["cells"], row["within"]) == ("plain", 3, 2)


def beside(algorithm, metric, ours, theirs, dataset="iris"):
    """A row of a table, with standard errors of 1."""
    unit = 1e-3 if metric == "cost" else 1e-2
    return {
        "dataset": dataset, "costs": "plain", "algorithm": algorithm, "metric": metric,
        "unit": unit, "mean": ours, "se": 1.0, "published_mean": theirs,
        "published_se": 1.0, "difference": (ours - theirs) / 2**0.5,
    }  # fmt: skip


def explanations(*rows, target="inconsistent"):
    found = outside(pd.DataFrame(rows), target)
    names = zip(found["algorithm"], found["metric"], strict=True)
    return dict(zip(names, found["explanation"], strict=True))


def test_other_costs_explain_what_looks_at_them():
    found = explanations(
        beside("OVA", "cost", 10.0, 20.0),
        beside("OVA", "error", 5.0, 5.0),
        beside("OVO", "error", 5.0, 9.0),
        beside("OSR", "error", 5.0, 9.0),
        beside("soft-OSR", "error", 5.0, 6.0),
    )
    words = "other costs, it seems: an error of OVA costs 0.4 in the paper, 0.2 here"
    assert found == {
        ("OVA", "cost"): words,
        ("OVO", "error"): "unexplained",
        ("OSR", "error"): words,
    }


def test_costs_are_the_same_where_ova_is():
    ours = [beside("OSR", "cost", 1.0, 9.0), beside("OVA", "cost", 5.0, 5.0)]
    errors = beside("OVA", "error", 5.0, 5.0)
    assert set(explanations(*ours, errors).values()) == {"unexplained"}
    other_errors = beside("OVA", "error", 5.0, 20.0)
    more_expensive = [ours[0], beside("OVA", "cost", 5.0, 20.0), other_errors]
    assert set(explanations(*more_expensive).values()) == {"unexplained"}


def test_known_misprints_come_first():
    rows = [
        beside("OVA", "cost", 10.0, 20.0, "mfeat"),
        beside("OVA", "error", 5.0, 5.0, "mfeat"),
        beside("FT", "cost", 5.0, 9.0, "mfeat"),
    ]
    assert "other costs" in explanations(*rows)["FT", "cost"]
    assert "digit for digit" in explanations(*rows, target="consistent")["FT", "cost"]


def test_misprints_name_what_is_in_paper():
    table = published_values()
    for anomaly in ANOMALIES:
        part = table[table["target"] == (anomaly.target or "inconsistent")]
        if anomaly.metric:
            part = part[part["metric"] == anomaly.metric]
        assert set(anomaly.datasets) <= set(part["dataset"])
        assert set(anomaly.algorithms) <= set(part["algorithm"])
        assert len(part) > 0


def test_the_misprints_are_misprints():
    """They can be seen in the published numbers themselves."""
    table = published_values().set_index(["target", "metric", "dataset", "algorithm"])
    values = table["published_mean"]
    copied, own = ANOMALIES[0], ANOMALIES[1]
    for dataset in copied.datasets:
        one = values["inconsistent", "cost", dataset, "FT"]
        assert values["consistent", "cost", dataset, "FT"] == one
    for dataset in own.datasets:
        ova = values["inconsistent", "cost", dataset, "OVA"]
        assert values["unbalanced", "cost", dataset, "soft-OSR"] == ova
    errors = table["published_se"]
    for row in published_class_sizes().itertuples():
        place = (row.dataset, "weighted-OVA")
        size = -(-row.rows // 4)  # of the test part
        for numbers in (values, errors):
            mean = numbers[("unbalanced", "weighted_error", *place)] / size
            shown = numbers[("unbalanced", "cost", *place)]
            assert shown == pytest.approx(1000 * mean, abs=0.011 + 5 / size)


def test_the_cost_of_an_error_has_its_own_spread():
    table = pd.DataFrame(
        [beside("OVA", "cost", 10.0, 20.0), beside("OVA", "error", 5.0, 4.0)]
    )
    (row,) = error_costs(table).to_dict("records")
    assert (row["ours"], row["published"]) == pytest.approx((0.2, 0.5))
    assert row["log_ratio"] == pytest.approx(np.log(2.5))
    relative = [1 / 10, 1 / 20, 1 / 5, 1 / 4]
    assert row["se"] == pytest.approx(np.linalg.norm(relative))
    # An error that never happens has no cost.
    never = table.assign(mean=[0.0, 0.0])
    assert error_costs(never)["log_ratio"].isna().all()
    assert explanations(*never.to_dict("records"))["OVA", "cost"] == "unexplained"


BENCHMARKS = Path(__file__).parents[2] / "benchmarks" / "results"


@pytest.mark.skipif(not BENCHMARKS.is_dir(), reason="no benchmarks in this copy")
def test_other_rules_are_named_where_the_benchmarks_say_so():
    by_target = {rule.target: set(rule.datasets) for rule in OTHER_RULES}
    found = json.loads((BENCHMARKS / "consistent_costs.json").read_text())["results"]
    once = {
        row["dataset"]
        for row in found
        if abs(row["readings"]["once/inverse"]["off"]) <= 2
    }
    assert by_target["consistent"] == once
    sizes = json.loads((BENCHMARKS / "class_sizes.json").read_text())["results"]
    permuted = {
        row["dataset"]
        for row in sizes["costs"]
        if row["rules"]["once"]["within"] and not row["rules"]["published"]["within"]
    } | {
        row["dataset"]
        for row in sizes["weighted_errors"]
        if abs(row["rules"]["each"]["off"]) <= 2 < abs(row["rules"]["published"]["off"])
    }
    assert by_target["inconsistent"] == by_target["unbalanced"] == permuted


def test_other_rules_do_not_explain_what_never_sees_costs():
    rows = [
        beside("OVA", "error", 5.0, 9.0, "zoo"),
        beside("OSR", "error", 5.0, 9.0, "zoo"),
    ]
    found = explanations(*rows)
    assert found["OVA", "error"] == "unexplained"
    assert "wrong classes" in found["OSR", "error"]
    assert (
        explanations(*rows, target="alpha-selection")["OSR", "error"] == "unexplained"
    )

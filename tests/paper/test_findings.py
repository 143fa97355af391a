"""What a store says about a target: on made-up cells."""

import numpy as np
import pandas as pd
import pytest

from softcost.datasets import info
from softcost.paper import (
    TARGETS,
    MixedResults,
    findings_of,
    published_values,
    significance,
    verdicts,
)
from softcost.paper.anomalies import explain
from softcost.paper.claim_verdicts import ABOVE
from softcost.paper.findings import class_sizes, overview, readings
from softcost.paper.planning import BALANCED, DATASETS, GRIDS, PLAIN, version_of

PAPER = published_values().set_index(["target", "metric", "dataset", "algorithm"])


def make_cells(target, datasets, costs, runs=6, shift=0.0):
    """Cells around the published means; ``shift`` moves them, in their units."""
    rng = np.random.default_rng(0)
    known = TARGETS[target]
    rows = []
    for dataset in datasets:
        for kind in costs:
            for algorithm in known.algorithms:
                for run in range(runs):
                    row = {
                        "dataset": dataset, "costs": kind, "algorithm": algorithm,
                        "family": known.family_of(algorithm), "run": run,
                        "version": version_of(known.family_of(algorithm)),
                        "recalls": "1/2 1/2 1/2", "rows": None,
                        "made_of": "",
                    }  # fmt: skip
                    for metric in dict.fromkeys(["cost", "error", *known.metrics]):
                        place = (target, metric, dataset, algorithm)
                        mean, unit = 5.0, 1e-2
                        if place in PAPER.index:
                            mean, unit = PAPER.loc[place, ["published_mean", "unit"]]
                        value = mean + shift + 0.1 * rng.normal()
                        row[metric] = value * unit
                    rows.append(row)
    return pd.DataFrame(rows)


def test_cells_like_the_published_agree_with_them():
    cells = make_cells("inconsistent", BALANCED, ["class-ratio"])
    plain = make_cells("inconsistent", BALANCED[:7], ["plain"])
    own = cells[~cells["dataset"].isin(BALANCED[:7])]
    found = findings_of(pd.concat([plain, own], ignore_index=True), "inconsistent")
    assert (found["agreement"]["share"] == 1).all()
    assert found["agreement"]["cells"].tolist() == [132, 132, 72, 72]
    assert found["outside"].empty
    judged = verdicts({"inconsistent": found}).set_index("claim")
    row = judged[judged["target"] == "inconsistent"].loc[
        "soft has a lower cost than regular"
    ]
    assert row["verdict"] == ABOVE
    assert row["same"] >= 44  # of 48, as some means are near


def test_costs_by_class_sizes_are_shown_but_not_compared():
    plain = make_cells("inconsistent", ["iris"], ["plain"])
    other = make_cells("inconsistent", ["iris"], ["class-ratio"], shift=50.0)
    found = findings_of(pd.concat([other, plain], ignore_index=True), "inconsistent")
    assert set(found["table"]["costs"]) == {"plain", "class-ratio"}
    near = found["agreement"].set_index(["what", "metric"])[["cells", "within"]]
    assert near.loc[("all", "cost")].tolist() == [11, 11]
    other = "costs by class sizes, where the paper's were plain"
    assert near.loc[(other, "cost")].tolist() == [11, 0]
    assert found["outside"].empty
    tests = found["tests"]
    assert tests["costs"].tolist()[:8] == ["plain"] * 8
    assert tests["published"].notna().sum() == 12  # as many as the paper has symbols
    assert set(tests["costs"][tests["published"].notna()]) == {"plain"}


def test_targets_that_share_cells_keep_to_their_own_sets():
    rows = make_cells("inconsistent", ["iris"], ["plain"])
    rows = pd.concat(
        [
            rows,
            make_cells("alpha-selection", ["iris"], ["plain"]).query(
                "algorithm == 'soft-OSR-max'"
            ),
            make_cells("inconsistent", ["zoo"], ["class-ratio"]),
        ],
        ignore_index=True,
    )
    selected = findings_of(rows, "alpha-selection")["table"]
    assert set(selected["dataset"]) == {"iris"}
    assert set(findings_of(rows, "inconsistent")["table"]["dataset"]) == {"iris", "zoo"}
    assert findings_of(rows, "consistent") is None


def test_cells_of_older_code_do_not_count():
    rows = make_cells("inconsistent", ["iris"], ["plain"])
    old = rows.assign(version=rows["version"] - 1)
    assert findings_of(old, "inconsistent") is None
    trees = rows["family"] == "CSFT"
    half_old = rows.assign(version=rows["version"] - trees)
    left = findings_of(half_old, "inconsistent")["table"]["algorithm"]
    assert not {"FT", "CSFT", "soft-CSFT"} & set(left)
    assert "CSOVO" in set(left)


def test_other_data_are_not_held_to_the_paper():
    found = findings_of(make_cells("sers", ["sers"], ["own"], shift=30.0), "sers")
    assert found["agreement"].empty
    assert found["outside"].empty
    assert len(found["table"]) == 22
    assert found["table"]["published_mean"].notna().all()
    assert found["table"]["difference"].isna().all()
    assert not found["tests"]["as_in_paper"].any()


def test_costs_of_the_main_table_explain_others():
    weighted = make_cells("unbalanced", ["yeast"], ["class-ratio"], shift=20.0)
    main = make_cells("inconsistent", ["yeast"], ["class-ratio"])
    costly = main.assign(cost=2 * main["cost"])
    for rows, word in (
        (costly, "other costs, it seems"),
        (main, "costs seem drawn"),
    ):
        both = pd.concat([weighted, rows], ignore_index=True)
        outside = findings_of(both, "unbalanced")["outside"]
        part = outside[(outside["algorithm"] == "OSR") & (outside["metric"] == "cost")]
        assert part["explanation"].str.startswith(word).all()
        assert len(part) == 1


@pytest.mark.parametrize(("metric", "word"), [("cost", "worse"), ("g_mean", "better")])
def test_larger_is_worse_or_better(metric, word):
    cells = pd.DataFrame(
        [
            ("iris", "plain", name, run, value + 0.01 * run)
            for name, value in (("soft-OSR", 5.0), ("OSR", 1.0))
            for run in range(5)
        ],
        columns=["dataset", "costs", "algorithm", "run", metric],
    )
    (row,) = significance(cells, [("soft-OSR", "OSR")], [metric]).to_dict("records")
    assert (row["unpaired"], row["paired"]) == (word, word)


def test_samples_are_not_held_to_the_paper():
    cells = make_cells("inconsistent", ["iris", "wine"], ["plain"])
    cells["rows"] = cells["rows"].where(cells["dataset"] != "wine", 100)
    found = findings_of(cells, "inconsistent")
    compared = found["table"][found["table"]["as_in_paper"]]
    assert set(compared["dataset"]) == {"iris"}
    judged = verdicts({"inconsistent": found})
    assert judged["of"].dropna().map(max).max() == 1
    assert set(found["tests"].groupby("dataset")["as_in_paper"].all().items()) == {
        ("iris", True), ("wine", False),
    }  # fmt: skip


def test_misprints_are_not_asked():
    cells = make_cells("unbalanced", ["wine", "yeast"], ["class-ratio"])
    cells["costs"] = cells["costs"].where(cells["dataset"] != "wine", "plain")
    judged = verdicts({"unbalanced": findings_of(cells, "unbalanced")})
    found = judged.set_index("claim").sort_index()
    assert found.loc["soft-OSR has a lower weighted error than OSR", "of"] == (2,)
    # soft-OSR's published costs are another algorithm's.
    row = found.loc["the cost of soft-OSR is not clearly different from that of OSR"]
    assert row["of"] == (2,)
    assert row["published"] is None


def test_numbers_made_in_another_way_are_asked():
    cells = make_cells("inconsistent", ["wine", "usps"], ["class-ratio"])
    cells["costs"] = cells["costs"].where(cells["dataset"] != "wine", "plain")
    found = verdicts({"inconsistent": findings_of(cells, "inconsistent")})
    lower = found[found["claim"] == "soft has a clearly lower error than hard"]
    assert lower["of"].iloc[0] == (2, 2, 2, 2)
    assert "kernel" in explain("inconsistent", "error", "usps", "OSR")


def add(cells, name, dataset, costs):
    """Cells of an added algorithm, like those of another."""
    like = cells[cells["algorithm"] == cells["algorithm"].iloc[0]]
    return pd.concat(
        [
            cells,
            like.assign(
                algorithm=name, family=name, version=1, dataset=dataset, costs=costs
            ),
        ],
        ignore_index=True,
    )


def test_added_algorithms_are_where_others_are():
    cells = add(
        make_cells("softness-curve", ["vowel"], ["plain"]), "GNB", "iris", "plain"
    )
    assert set(findings_of(cells, "softness-curve")["table"]["dataset"]) == {"vowel"}
    beside = add(cells, "GNB", "vowel", "plain")
    found = findings_of(beside, "softness-curve")
    assert "GNB" in set(found["table"]["algorithm"])
    judged = verdicts({"softness-curve": found}).set_index("target")
    assert judged.loc["softness-curve", "of"] == (1,)  # the curve is without it


def test_two_versions_of_an_added_algorithm_are_refused_by_name():
    cells = add(
        make_cells("inconsistent", ["iris"], ["plain"]), "mine", "iris", "plain"
    )
    twice = pd.concat([cells, cells[cells["algorithm"] == "mine"]], ignore_index=True)
    with pytest.raises(MixedResults, match="mine on iris"):
        findings_of(twice, "inconsistent")


@pytest.mark.parametrize(
    ("target", "costs"),
    [
        ("softness-curve", "plain"), ("unbalanced", "class-ratio"),
        ("inconsistent", "class-ratio"), ("consistent", "consistent"),
        ("emphasis", "emphasis-1e2"),
    ],
)  # fmt: skip
def test_one_kind_of_cells_is_enough(target, costs):
    dataset = "yeast" if target == "unbalanced" else "iris"
    found = findings_of(make_cells(target, [dataset], [costs]), target)
    assert set(found["table"]["dataset"]) == {dataset}


def test_balanced_sets_are_balanced():
    for name in DATASETS:
        sizes = info(name).class_counts.values()
        assert (max(sizes) <= 2.5 * min(sizes)) == (name in BALANCED)


def test_readings_of_lambda():
    as_c = make_cells("inconsistent", ["iris", "wine"], ["plain"])
    assert readings(as_c) is None
    inverse = make_cells("inconsistent", ["iris"], ["plain"], shift=50.0)
    inverse["made_of"] = GRIDS["1/C"]
    both = pd.concat([as_c, inverse], ignore_index=True)
    found = readings(both)
    assert set(found["dataset"]) == {"iris"}
    assert len(found) == 22
    assert found["balanced"].all()
    assert found["near_c"].all()
    assert (found["mean_inverse"] - found["mean_c"]).between(49.5, 50.5).all()
    assert not found["near_inverse"].any()
    # Other pages do not see them.
    one, other = (findings_of(rows, "inconsistent")["table"] for rows in (as_c, both))
    pd.testing.assert_frame_equal(one, other)


def test_class_distributions_are_those_of_the_paper():
    sizes = class_sizes()
    assert sizes["dataset"].tolist() == list(TARGETS["unbalanced"].datasets)
    assert sizes["same"].all()


def test_the_overview_counts_runs_and_rules_apart():
    sizes = [name for name in BALANCED if name in PLAIN]
    rest = [name for name in BALANCED if name not in PLAIN]
    plain = make_cells("inconsistent", sizes, ["plain"])
    own = make_cells("inconsistent", rest, ["class-ratio"])
    first = pd.concat([plain, own], ignore_index=True)
    more = first.assign(run=first["run"] + first["run"].max() + 1)
    far = pd.concat([first, more.assign(error=9.0, cost=9.0)], ignore_index=True)
    found = {"inconsistent": findings_of(first, "inconsistent"), "consistent": None}
    near = overview(found, far).near.set_index(["what", "metric"])["within"]
    assert near["tables", "error"] >= 66
    assert near["all runs", "error"] < near["tables", "error"]
    assert "rule" not in near.index
    by_size = make_cells("inconsistent", PLAIN, ["class-ratio"], shift=50.0)
    both = pd.concat([first, by_size], ignore_index=True)
    found = {"inconsistent": findings_of(both, "inconsistent"), "consistent": None}
    near = overview(found, both).near.set_index(["what", "metric"])["within"]
    assert near["tables", "error"] >= 66
    assert 0 < near["rule", "error"] <= 6 * len(rest)
    assert "all runs" not in near.index


def test_the_overview_knows_what_an_error_costs():
    cells = make_cells("inconsistent", ["ecoli", "optdigits"], ["class-ratio"])
    costly = cells["dataset"] == "ecoli"
    cells["cost"] *= 1 + costly
    found = {"inconsistent": findings_of(cells, "inconsistent")}
    costs = overview(found, cells).error_costs.set_index("dataset")
    assert costs["other"].to_dict() == {"ecoli": True, "optdigits": False}
    assert costs["ratio"]["ecoli"] == pytest.approx(0.5, rel=0.1)
    assert costs["near"].all()

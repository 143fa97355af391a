"""What a store says about a target: on made-up cells."""

import numpy as np
import pandas as pd
import pytest

from softcost.experiments import TARGETS, findings, printed, significance
from softcost.experiments._plan import COMPARABLE, version_of

PAPER = printed().set_index(["task", "metric", "dataset", "algorithm"])


def make_cells(target, datasets, costs, runs=6, shift=0.0):
    """Cells around the printed means; ``shift`` moves them, in units of the print."""
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
                        "recalls": "1/2 1/2 1/2",
                    }  # fmt: skip
                    for metric in known.metrics:
                        place = (target, metric, dataset, algorithm)
                        mean, unit = 5.0, 1e-2
                        if place in PAPER.index:
                            mean, unit = PAPER.loc[place, ["printed_mean", "unit"]]
                        value = mean + shift + 0.1 * rng.normal()
                        row[metric] = value * unit
                    rows.append(row)
    return pd.DataFrame(rows)


def test_cells_like_the_print_agree_with_it():
    cells = make_cells("inconsistent", COMPARABLE, ["class-ratio"])
    plain = make_cells("inconsistent", COMPARABLE[:7], ["plain"])
    own = cells[~cells["dataset"].isin(COMPARABLE[:7])]
    found = findings(pd.concat([plain, own], ignore_index=True), "inconsistent")
    assert (found["agreement"]["share"] == 1).all()
    assert found["agreement"]["cells"].tolist() == [132, 132, 72, 72]
    assert found["outside"].empty
    means = found["verdicts"]["claim"] == "soft has a lower error than hard"
    assert found["verdicts"]["same"][means].min() >= 11  # of 12, as some means are near


def test_costs_by_class_sizes_are_shown_but_not_compared():
    plain = make_cells("inconsistent", ["iris"], ["plain"])
    other = make_cells("inconsistent", ["iris"], ["class-ratio"], shift=50.0)
    found = findings(pd.concat([other, plain], ignore_index=True), "inconsistent")
    assert set(found["table"]["costs"]) == {"plain", "class-ratio"}
    near = found["agreement"].set_index(["what", "metric"])[["cells", "within"]]
    assert near.loc[("all", "cost")].tolist() == [11, 11]
    other = "the same sets with costs by class sizes"
    assert near.loc[(other, "cost")].tolist() == [11, 0]
    assert found["outside"].empty
    tests = found["tests"]
    assert tests["costs"].tolist()[:8] == ["plain"] * 8
    assert tests["printed"].notna().sum() == 12  # as many as the paper has symbols
    assert set(tests["costs"][tests["printed"].notna()]) == {"plain"}


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
    selected = findings(rows, "alpha-selection")["table"]
    assert set(selected["dataset"]) == {"iris"}
    assert set(findings(rows, "inconsistent")["table"]["dataset"]) == {"iris", "zoo"}
    assert findings(rows, "consistent") is None


def test_cells_of_older_code_do_not_count():
    rows = make_cells("inconsistent", ["iris"], ["plain"])
    old = rows.assign(version=rows["version"] - 1)
    assert findings(old, "inconsistent") is None
    trees = rows["family"] == "CSFT"
    half_old = rows.assign(version=rows["version"] - trees)
    left = findings(half_old, "inconsistent")["table"]["algorithm"]
    assert not {"FT", "CSFT", "soft-CSFT"} & set(left)
    assert "CSOVO" in set(left)


def test_other_data_are_not_held_to_the_print():
    found = findings(make_cells("sers", ["sers"], ["own"], shift=30.0), "sers")
    assert found["agreement"].empty
    assert found["outside"].empty
    assert len(found["table"]) == 22
    assert len(found["verdicts"]) > 0


def test_prices_of_the_main_table_explain_others():
    weighted = make_cells("unbalanced", ["yeast"], ["class-ratio"], shift=20.0)
    main = make_cells("inconsistent", ["yeast"], ["class-ratio"])
    dearer = main.assign(cost=2 * main["cost"])
    for rows, word in ((dearer, "the costs differ"), (main, "unexplained")):
        both = pd.concat([weighted, rows], ignore_index=True)
        outside = findings(both, "unbalanced")["outside"]
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

"""What the site is built with: tables of results, pages from elsewhere, link check."""

import importlib.util
import json
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).parents[2]
DOCS, RESULTS = ROOT / "docs", ROOT / "benchmarks" / "results"


def module(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


check_links = module(DOCS / "check_links.py")
result_tables = module(DOCS / "extensions" / "result_tables.py")
root_pages = module(DOCS / "extensions" / "root_pages.py")


def test_broken_links_and_anchors_are_found(tmp_path):
    (tmp_path / "index.html").write_text(
        '<a href="other.html#there">1</a> <a href="other.html#gone">2</a>'
        '<a href="lost.html">3</a> <a href="https://elsewhere/">4</a>'
        '<a href="#here" id="here">5</a> <img src="lost.png">'
    )
    (tmp_path / "other.html").write_text('<p id="there">')
    assert check_links.broken_links(tmp_path) == [
        "index.html: lost.html",
        "index.html: lost.png",
        "index.html: other.html#gone",
    ]


def test_links_of_root_pages_follow(tmp_path):
    (tmp_path / "docs" / "guide").mkdir(parents=True)
    (tmp_path / "docs" / "guide" / "start.md").write_text("# Start")
    (tmp_path / "SECURITY.md").write_text(
        "[a](CHANGELOG.md) [b](docs/guide/start.md#x) [c](src/code.py) [d](https://e/)"
    )
    text = root_pages.page_text(tmp_path, "SECURITY.md", tmp_path / "docs")
    assert text == (
        "[a](changelog.md) [b](../guide/start.md#x) `src/code.py` [d](https://e/)"
    )


def test_decision_table_counts_what_the_cells_say():
    # Two sets, three runs each: soft-OSR is cheapest on one of them, and dearer than
    # its regular sibling on the other.
    cost = {
        "a": {"OVA": 3.0, "OSR": 2.0, "soft-OSR": 1.0},
        "b": {"OVA": 1.0, "OSR": 2.0, "soft-OSR": 3.0},
    }
    names = [name for family in result_tables.FAMILIES.values() for name in family]
    cells = pd.DataFrame(
        {
            "dataset": data,
            "costs": "plain",
            "algorithm": name,
            "run": run,
            "cost": cost[data].get(name, 2.5) + 0.01 * run * (1 + names.index(name)),
            "error": 0.1,
        }
        for data in cost
        for name in dict.fromkeys(names)
        for run in range(3)
    )
    table = result_tables.decision_table(cells).set_index("reduction")
    row = table.loc["`OneSidedRegression`"]
    assert row["cheapest of the four"] == "1 of 2"
    assert row["cost against regular"] == "1 / 1"
    assert row["cost against hard"] == "1 / 1"
    assert row["error against regular"] == "0 / 0"
    assert row["median error added"] == "0.0 points"


def test_the_table_of_families_compares_on_the_same_runs():
    # "other" has one run of the first problem only, in which it costs half.
    costs = {"auto": (2.0, 4.0), "constant": (8.0, 8.0), "other": (1.0, None)}
    rows = [
        {"problem": problem, "costs": "plain", "run": run, "model": model, "cost": cost}
        for problem in ("a", "b")
        for model, of_runs in costs.items()
        for run, cost in enumerate(of_runs)
        if cost is not None and (model != "other" or problem == "a")
    ]
    table = result_tables.families_table(rows).set_index("model")
    assert table.loc["other", "problems"] == "1"
    assert table.loc["other", "cost by that of the default"] == f"{1.08 / 2.08:.2f}"
    assert table.loc["other", "cheaper"] == "1"
    assert table.loc["constant", "problems"] == "2"
    assert table.loc["constant", "dearer"] == "2"
    summary = {"problems": 2, "searches": 4, "auto_by_best_in_hindsight": 1.0,
               "auto_by_best_of_other_runs": 0.9, "above_constant": 0}  # fmt: skip
    document = {"rows": {"sets": rows, "overlapping": []}, "summary": {"sets": summary}}
    assert "2 problems, 4 searches" in result_tables.families_page(document)


def test_what_one_would_try_by_hand_is_told_problem_by_problem():
    costs = {
        "auto": 1.0, "constant": 9.0, "soft-OSR": 3.0, "soft-CSOVO": 2.0,
        "soft-linear": 1.04, "boosted-trees": 0.5, "LightGBM": 4.0,
        "HistGradientBoosting": 5.0,
    }  # fmt: skip
    rows = [
        {"problem": problem, "costs": "plain", "run": run, "model": model}
        | {"cost": cost + 0.5 * (problem == "b" and model == "boosted-trees")}
        for problem in "ab"
        for run in (0, 1)
        for model, cost in costs.items()
    ]
    document = {"rows": {"sets": rows, "overlapping": []}}
    table = result_tables.by_hand_costs(document)
    assert table.loc[("a", "plain"), "soft kernel"] == 2.0
    assert table["soft boosting"].tolist() == [0.5, 1.0]
    page = result_tables.by_hand_page(document)
    assert "within 5 % of it, on 1 of 2 problems" in page
    assert "| a | plain | 2 | 1.04 | **0.5** | 4 | 5 | 1 |" in page
    assert "| **cheapest** | | 0 | 0 | 2 | 0 | 0 | 1 |" in page
    assert "| cheaper than the default by 5 % | | 0 | 0 | 1 | 0 | 0 | |" in page
    assert "| dearer by 5 % | | 2 | 0 | 0 | 2 | 2 | |" in page


def test_the_guide_says_how_often_limits_were_broken():
    document = json.loads((RESULTS / "guarantee.json").read_text())
    told = result_tables.guarantee_sentences(document)
    assert "500 simulated problems" in told
    for one in document["results"]:
        said = f"{one['broken_share']:.1%}" in told
        assert said == (one["search"] != "tests, cross-validated")

"""Several families on the page, in a real browser."""

import re
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from made_up import made_up
from sklearn.datasets import load_wine
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import minmax_scale

from softcost import (
    CostSensitiveOneVsOne,
    MinimumExpectedCost,
    OneSidedRegression,
    SoftCostClassifierCV,
)
from softcost.metrics import pareto_mask
from softcost.report import ExplorerData, SoftnessCurveDisplay, TradeoffDisplay
from softcost.search import choose_row
from softcost.search.auto import FAMILIES

NAMES = ["soft-OSR", "CSOVO", "<script>trees</script>"]


@pytest.fixture(scope="module")
def searched():
    X, y = load_wine(return_X_y=True)
    X = minmax_scale(X + np.random.default_rng(0).normal(size=X.shape) * X.std(axis=0))
    trees = ExtraTreesClassifier(10, random_state=0)
    search = SoftCostClassifierCV(
        [
            (NAMES[0], OneSidedRegression()),
            (NAMES[1], CostSensitiveOneVsOne(LogisticRegression())),
            (NAMES[2], MinimumExpectedCost(trees)),
        ],
        cost_matrix=[[0, 1, 9], [3, 0, 2], [5, 4, 0]],
        param_grid={
            NAMES[0]: {"C": [0.5, 4.0]},
            NAMES[1]: {"C": [0.1, 1.0]},
            NAMES[2]: {"min_samples_leaf": [1, 5]},
        },
        softness=5,
        cv=3,
    )
    return search.fit(X, y)


def shown(page):
    """Rows that the chart shows."""
    points = page.locator('#chart [role="radio"]')
    return set(points.evaluate_all("all => all.map(one => Number(one.dataset.row))"))


def selected(page):
    here = page.locator('[role="radio"][aria-checked="true"]')
    return int(here.get_attribute("data-row"))


def key(page, number):
    return page.locator("#families button").nth(number)


def check_shown(page, table, names):
    rows = np.flatnonzero(table["family"].isin(names))
    assert shown(page) == set(rows.tolist())
    front = page.locator("#chart .on-front").evaluate_all(
        "all => all.map(one => Number(one.dataset.row))"
    )
    part = table.iloc[rows]
    expected = rows[pareto_mask(part[["error", "cost"]].to_numpy())]
    assert sorted(front) == expected.tolist()
    return rows


def looks_of(page):
    """How many colours and how many shapes the legend has."""
    looks = page.locator("#families .shape").evaluate_all(
        "all => all.map(one => [getComputedStyle(one).fill, one.getAttribute('d')])"
    )
    return len({fill for fill, _ in looks}), len({shape for _, shape in looks})


def test_as_many_families_as_auto_may_try_can_be_told_apart(searched, open_page):
    data = ExplorerData.from_search(searched)
    names = np.resize(FAMILIES, len(data.table))
    page = open_page(replace(data, table=data.table.assign(family=names)))
    assert page.locator("#families button").count() == len(FAMILIES)
    assert looks_of(page) == (len(FAMILIES), len(FAMILIES))


def test_families_have_colours_and_shapes_of_their_own(searched, open_page):
    page = open_page(ExplorerData.from_search(searched))
    assert page.locator("#families button").all_inner_texts() == NAMES
    assert looks_of(page) == (3, 3)
    rows = range(len(searched.tradeoff_))
    for row in rows:
        number = NAMES.index(searched.tradeoff_["family"].iloc[row])
        point = page.locator(f'#chart [data-row="{row}"]')
        assert f"family-{number}" in point.get_attribute("class").split()
    assert "3 families" in page.locator("#facts").inner_text()
    assert page.heard == []


def test_the_legend_filters(searched, open_page):
    table = searched.tradeoff_
    page = open_page(ExplorerData.from_search(searched))
    check_shown(page, table, NAMES)
    assert selected(page) == searched.best_index_
    left = list(NAMES)
    first = NAMES.index(searched.best_params_["family"])
    for number in (first, (first + 1) % 3):
        key(page, number).click()
        left.remove(NAMES[number])
        assert key(page, number).get_attribute("aria-pressed") == "false"
        rows = check_shown(page, table, left)
        part = table.iloc[rows].reset_index(drop=True)
        assert selected(page) == rows[choose_row(part)]
        page.locator("#every").set_checked(True)
        assert page.locator("#table tbody tr").count() == len(rows)
    key(page, (first + 2) % 3).click()  # the last one stays
    rows = check_shown(page, table, left)
    budget = float(np.median(table["error"].iloc[rows]))
    page.locator("#budget").fill(f"{100 * budget:.3f}")
    part = table.iloc[rows].reset_index(drop=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        row = choose_row(part, "constrained", max_error=round(budget, 5))
    assert selected(page) == rows[row]
    page.locator("#no-budget").click()
    key(page, first).click()
    assert selected(page) == searched.best_index_
    assert page.heard == []


def test_what_is_picked_is_shown(searched, open_page):
    page = open_page(ExplorerData.from_search(searched))
    hard = searched.reference_rows()["hard"]
    family = searched.tradeoff_["family"].iloc[hard]
    for number in range(3):
        if NAMES[number] == family:
            key(page, number).click()
    assert hard not in shown(page)
    page.locator("#legend button", has_text="Hard").click()
    assert selected(page) == hard
    assert hard in shown(page)
    assert key(page, NAMES.index(family)).get_attribute("aria-pressed") == "true"


def test_words_and_tables_say_the_family(searched, open_page):
    page = open_page(ExplorerData.from_search(searched))
    assert searched.best_params_["family"] in page.locator("#verdict-how").inner_text()
    page.locator("#all summary").click()
    heads = page.locator("#table th").all_inner_texts()
    assert heads[:3] == ["No.", "Family", "Softness"]
    cells = page.locator("#table tbody tr").first.locator("td").all_inner_texts()
    assert cells[1] in NAMES
    assert "None" not in cells
    row = searched.best_index_
    assert f"search.candidate({row})" in page.locator("#lines").inner_text()
    assert page.evaluate("window.ran") is None


def test_the_page_shows_the_expected_cost_of_the_choice(searched, open_page):
    data = ExplorerData.from_search(searched)
    found = searched.optimism(100)
    assert data.expected == (found.expected_cost, found.low, found.high)
    page = open_page(data)
    text = page.locator("#expected").inner_text()
    assert f"{len(searched.tradeoff_)} models" in text
    headline = page.locator("#sentence").inner_text()
    told = float(re.search(r"Expect ([\d.]+)", headline)[1])
    assert told == pytest.approx(found.expected_cost, rel=1e-2)
    other = int(searched.tradeoff_["cost"].argmax())
    page.locator("#zoom").evaluate("button => button.hidden || button.click()")
    page.locator(f'#chart [data-row="{other}"]').dispatch_event("click")
    assert not page.locator("#expected").is_visible()


def test_one_reduction_has_no_families_on_the_page(open_page):
    page = open_page(made_up())
    assert not page.locator("#families-row").is_visible()
    assert page.locator(".family").count() == 0
    assert not page.locator("#expected").is_visible()


def test_lines_may_differ_by_family():
    data = made_up(n_settings=2, n_softness=3)
    table = data.table.assign(family=["a"] * 3 + ["b"] * 3)
    from dataclasses import replace

    from softcost.report.explorer import page_data

    lines = {"a": "fit a --softness {softness}", "b": "fit b --param C={C}"}
    told = page_data(replace(data, table=table, command=lines))["commands"]
    assert told[1] == "fit a --softness 0.5"
    assert told[4] == "fit b --param C=2"


def test_displays_take_families(searched):
    pytest.importorskip("matplotlib").use("agg")
    for display in (TradeoffDisplay, SoftnessCurveDisplay):
        assert display.from_estimator(searched) is not None
    assert isinstance(searched.tradeoff_, pd.DataFrame)


def test_a_blend_that_is_not_the_cheapest_is_explained(open_page):
    data = made_up()
    table = data.table.assign(family="linear")
    table.loc[4, "family"] = "blend"
    cheapest = int(table["cost"].argmin())
    assert cheapest != 4
    listed = {
        "row": cheapest, "family": "linear", "cost": 0.125, "error": 0.1,
        "difference": 0.0625, "difference_se": 0.5, "lead": 0.0625,
        "required_lead": 1.25,
    }  # fmt: skip
    blended = replace(
        data, table=table, chosen=4, regular=None, hard=None, not_chosen=[listed],
        penalty=np.where(table["family"] == "blend", 0.0, 1.25),
    )  # fmt: skip
    page = open_page(blended)
    note = page.locator("#not-chosen")
    for text in ("linear", "0.125", "0.0625 ± 0.500", "1.25"):
        assert text in note.inner_text()
    page.locator(f'[role="radio"][data-row="{cheapest}"]').dispatch_event("click")
    assert note.is_hidden()
    assert "would choose blend" in page.locator("#turns-hint").inner_text()
    assert page.heard == []

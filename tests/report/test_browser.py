"""The explorer in a real browser."""

import csv
import io
import os
import re
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from made_up import made_up

import softcost
from softcost.metrics import pareto_mask
from softcost.search import (
    Budget,
    Evidence,
    LeastCost,
    PricedChoice,
    choose_row,
    price_intervals,
)
from softcost.search.preference import PreferBlend

LONG = (
    *(f"alternaria leaf spot number {k} of a long list" for k in range(16)),
    "大豆の病気",
    "إصابة مبيدات",
    "x",
)

SCRIPT = "window.ran=1"
INJECTIONS = [
    f"<script>{SCRIPT}</script>",
    f"</script><script>{SCRIPT}</script>",
    f"</ScRiPt ><script>{SCRIPT}//",
    f"<!--<script>{SCRIPT}</script>",
    f"--><script>{SCRIPT}</script>",
    f"]]><script>{SCRIPT}</script>",
    f"</title><script>{SCRIPT}</script>",
    f"</style><script>{SCRIPT}</script>",
    f"</textarea><script>{SCRIPT}</script>",
    f"</noscript><script>{SCRIPT}</script>",
    f"<img src=x onerror={SCRIPT}>",
    f'"><img src=x onerror="{SCRIPT}">',
    f"'><img src=x onerror='{SCRIPT}'>",
    f"<svg onload={SCRIPT}>",
    f"<svg><script>{SCRIPT}</script></svg>",
    f"<svg><animate onbegin={SCRIPT} attributeName=x dur=1s>",
    f"<body onload={SCRIPT}>",
    f"<iframe src=\"javascript:parent.{SCRIPT}\"></iframe>",
    f"<iframe srcdoc='<script>parent.{SCRIPT}</script>'></iframe>",
    f"<object data=\"javascript:{SCRIPT}\"></object>",
    "<embed src=https://example.org/x.swf>",
    "<link rel=stylesheet href=https://example.org/x.css>",
    "<base href=https://example.org/>",
    f"<meta http-equiv=refresh content=\"0;url=javascript:{SCRIPT}\">",
    f"<a href=\"javascript:{SCRIPT}\">click</a>",
    f"<input autofocus onfocus={SCRIPT}>",
    f"<details open ontoggle={SCRIPT}>",
    f"<video><source onerror={SCRIPT}></video>",
    f"<audio src=x onerror={SCRIPT}>",
    f"<marquee onstart={SCRIPT}>",
    f"<math><mi xlink:href=\"javascript:{SCRIPT}\">x</mi></math>",
    f"<form action=\"javascript:{SCRIPT}\"><button>go</button></form>",
    "<style>@import 'https://example.org/x.css';</style>",
    "<style>*{background:url(https://example.org/x)}</style>",
    f"<template><script>{SCRIPT}</script></template>",
    f"javascript:{SCRIPT}",
    f"data:text/html,<script>{SCRIPT}</script>",
    f'" onmouseover="{SCRIPT}',
    f"' onfocus='{SCRIPT}' autofocus='",
    f"`${{{SCRIPT}}}`",
    f"${{{SCRIPT}}}",
    f"{{{{constructor.constructor('{SCRIPT}')()}}}}",
    f"\\u003cscript\\u003e{SCRIPT}\\u003c/script\\u003e",
    f"&lt;script&gt;{SCRIPT}&lt;/script&gt;",
    f"&#60;script&#62;{SCRIPT}",
    f"%3Cscript%3E{SCRIPT}%3C/script%3E",
    f"\u2028{SCRIPT}\u2029",
    f'"}});{SCRIPT};({{"',
    f"\\\";{SCRIPT}//",
    f"'-({SCRIPT})-'",
    "__proto__",
    "constructor",
    "{{script}}{{policy}}",
    "=HYPERLINK(\"https://example.org\")",
    "+cmd|' /C calc'!A0",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "\t=1+1",
]  # fmt: skip


def selected(page):
    here = page.locator('[role="radio"][aria-checked="true"]')
    return int(here.get_attribute("data-row"))


def set_slider(page, position):
    page.locator("#softness").evaluate(
        "(slider, value) => { slider.value = value;"
        " slider.dispatchEvent(new Event('input')); }",
        position,
    )


def matrix_of(page, selector="#confusion"):
    rows = page.locator(f"{selector} tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.querySelectorAll('td')]"
        ".map(cell => cell.textContent))"
    )
    return np.array(
        [[0.0 if text == "·" else float(text.replace(",", "")) for text in row]
         for row in rows]
    )  # fmt: skip


def shown_costs(page):
    labels = page.locator('[role="radio"]').evaluate_all(
        "points => points.map(point => [Number(point.dataset.row),"
        " point.getAttribute('aria-label')])"
    )
    return {row: float(re.search(r"cost ([\d.]+)", text)[1]) for row, text in labels}


def set_price(page, cell, price):
    page.locator(f'#prices [data-cell="{cell}"]').fill(str(price))


def test_the_page_opens_on_the_choice_of_the_search(open_page):
    data = made_up()
    page = open_page(data)
    assert selected(page) == data.chosen
    assert page.locator("h1").inner_text() == data.title
    sentence = page.locator("#sentence").inner_text()
    assert f"{100 * data.table['error'][data.chosen]:.2f}% errors" in sentence
    assert "regular model" in page.locator("#advice").inner_text()
    np.testing.assert_array_equal(matrix_of(page), data.confusion[data.chosen])
    assert page.heard == []


def test_the_slider_moves_the_choice_and_the_tables(open_page):
    data = made_up()
    page = open_page(data)
    for position, value in enumerate(np.linspace(0, 1, 5)):
        set_slider(page, position)
        rows = np.flatnonzero(data.table["softness"] == value)
        best = rows[data.table["cost"].to_numpy()[rows].argmin()]
        assert selected(page) == best
        np.testing.assert_array_equal(matrix_of(page), data.confusion[best])
        recall = np.diag(data.confusion[best]) / data.confusion[best].sum(axis=1)
        texts = page.locator("#recall .number").all_inner_texts()
        assert texts == [f"{100 * value:.1f}%" for value in recall]
        assert f"softness={value:.12g}" in page.locator("#lines").inner_text()


def test_a_setting_of_the_learner_is_kept_along_the_slider(open_page):
    data = made_up()
    page = open_page(data)
    page.locator("#combo").select_option(label="C = 4")
    for position in range(5):
        set_slider(page, position)
        row = data.table.iloc[selected(page)]
        assert row["C"] == 4
        assert row["softness"] == position / 4


def test_dragging_the_budget_picks_the_cheapest_below_it(open_page):
    data = made_up("abcdefgh", 8, 11, rng=4)
    page = open_page(data)
    box = page.locator("#budget-line .pill").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 8)
    page.mouse.down()
    chart = page.locator("#chart svg").bounding_box()
    picked = set()
    for share in np.linspace(0.95, 0.15, 9):
        page.mouse.move(chart["x"] + share * chart["width"], chart["y"] + 100)
        check_budget(page, data)
        picked.add(selected(page))
    page.mouse.up()
    assert len(picked) > 2
    kept = page.locator("#budget").input_value()
    for step in (4, 8):  # let go, but still over the line
        page.mouse.move(chart["x"] + 0.15 * chart["width"] + step, chart["y"] + 100)
    assert page.locator("#budget").input_value() == kept


def check_budget(page, data):
    budget = float(page.locator("#budget").input_value()) / 100
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = choose_row(data.table, "constrained", max_error=budget)
    assert selected(page) == expected
    feasible = (data.table["error"] <= budget).any()
    assert (
        page.locator("#verdict-how")
        .inner_text()
        .startswith("Cheapest with at most" if feasible else "No model has at most")
    )


def test_the_budget_by_finger(open_page):
    from playwright.sync_api import expect

    data = made_up("abcdefgh", 8, 11, rng=4)
    page = open_page(data, width=400, has_touch=True)
    page.locator("#chart").scroll_into_view_if_needed()
    box = page.locator("#budget-line .pill").bounding_box()
    session = page.context.new_cdp_session(page)

    def touch(kind, *points):
        points = [{"x": x, "y": y} for x, y in points]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    start = (box["x"] + box["width"] / 2, box["y"] + 10)
    touch("touchStart", start)
    for step in (30, 60, 120):
        touch("touchMove", (start[0] - step, start[1]))
    touch("touchEnd")
    expect(page.locator("#budget")).not_to_have_value("")
    check_budget(page, data)


def test_the_budget_and_the_points_by_keyboard(open_page):
    data = made_up("abcdefgh", 8, 11, rng=4)
    page = open_page(data)
    page.locator("#budget-line").focus()
    for key in ("ArrowLeft", "PageDown", "PageDown", "ArrowDown", "ArrowRight", "Home"):
        page.keyboard.press(key)
        check_budget(page, data)
    page.keyboard.press("End")
    assert page.locator("#budget").input_value() == ""
    assert selected(page) == data.chosen
    every = np.lexsort((data.table["cost"], data.table["error"]))
    drawn = {*np.flatnonzero(data.table["on_front"]), data.hard, data.regular}
    for order in ([row for row in every if row in drawn], list(every)):
        place = order.index(selected(page))
        page.locator('[role="radio"][aria-checked="true"]').focus()
        page.keyboard.press("ArrowRight")
        after = order[(place + 1) % len(order)]
        assert selected(page) == after
        assert page.evaluate("document.activeElement.dataset.row") == str(after)
        page.locator("#every").check()


def drawn_rows(page):
    points = page.locator('[role="radio"]')
    return {int(point.get_attribute("data-row")) for point in points.all()
            if point.locator(".shape").is_visible()}  # fmt: skip


def test_only_the_front_is_drawn_until_all_models_are_wanted(open_page):
    data = made_up("abcd", 4, 6)
    page = open_page(data)
    front = {*np.flatnonzero(data.table["on_front"])}
    few = front | {data.chosen, data.hard, data.regular}
    assert drawn_rows(page) == few < set(range(24))
    page.locator("#all").evaluate("all => { all.open = true; }")
    assert page.locator("#table tbody tr").count() == len(few)
    hidden = min(set(range(24)) - few)
    page.locator("#every").check()
    assert drawn_rows(page) == set(range(24))
    assert page.locator("#table tbody tr").count() == 24
    page.locator(f'[role="radio"][data-row="{hidden}"]').dispatch_event("click")
    page.locator("#every-row").click()  # the same switch, below the chart
    assert drawn_rows(page) == few | {hidden}  # what is selected stays in sight
    assert not page.locator("#every").is_checked()
    assert page.heard == []


def test_headings_sort_the_tables(open_page):
    test = pd.DataFrame({"cost": [3.0, 1.0, 20.0], "error": [0.2, 0.3, 0.1]},
                        ["regular", "soft", "hard"])  # fmt: skip
    data = made_up(test=test)
    page = open_page(data)
    page.locator("#all").evaluate("all => { all.open = true; }")
    page.locator("#every").check()

    def rows(table="table"):
        return page.locator(f"#{table} tbody tr").evaluate_all(
            "rows => rows.map(row => Number(row.dataset.row))"
        )

    assert rows() == list(range(15))
    cost = page.locator("#table th", has_text="Cost")
    cost.locator("button").click()
    assert rows() == data.table["cost"].sort_values(kind="stable").index.tolist()
    assert cost.get_attribute("aria-sort") == "ascending"
    cost.locator("button").click()
    assert rows()[0] == data.table["cost"].idxmax()
    assert cost.get_attribute("aria-sort") == "descending"
    marked = page.locator("#table tr[aria-current]")
    assert int(marked.get_attribute("data-row")) == selected(page)
    page.locator('#table tr[data-row="3"] button').click()
    assert selected(page) == 3
    set_price(page, 1, 55)  # costs change, and stay in order
    shown = shown_costs(page)
    ordered = [shown[row] for row in rows()]
    assert ordered == sorted(ordered, reverse=True)
    page.locator("#test th", has_text="Error").locator("button").click()
    assert rows("test") == [2, 0, 1]
    assert page.heard == []


def test_the_page_opens_with_a_verdict_and_the_cost_to_expect(open_page):
    data = made_up(expected=(7.25, 6.1, 8.2), currency="EUR")
    verdicts = {}
    for verdict in ("better", "not better", "not shown to be better"):
        advice = {"verdict": verdict, "sentences": ["A sentence."]}
        page = open_page(replace(data, advice=advice))
        verdicts[verdict] = page.locator("#badge").inner_text()
        assert "7.25" in page.locator("#sentence").inner_text()
        assert "6.10 to 8.20" in page.locator("#expected").inner_text()
        other = 0 if data.chosen != 0 else 1
        page.locator(f'[role="radio"][data-row="{other}"]').dispatch_event("click")
        assert page.locator("#badge").is_hidden()  # of the choice of the search only
        assert "7.25" not in page.locator("#sentence").inner_text()
    assert len(set(verdicts.values())) == 3
    missed = told_budget(data.table, data.table["error"].min() / 2)
    page = open_page(replace(data, advice=advice, budget=missed))
    assert "budget" in page.locator("#badge").inner_text()


def test_no_less_than_the_measured_cost_is_expected(open_page):
    data = made_up()
    cost = data.table["cost"][data.chosen]
    page = open_page(replace(data, expected=(cost / 2, cost / 4, cost)))
    assert f"Expect {cost:.3g}" in page.locator("#sentence").inner_text()
    assert "did not bias" in page.locator("#expected").inner_text()


def test_axes_have_no_negative_costs_below_large_error_bars(open_page):
    data = made_up()
    data.table["cost_se"] = 2 * data.table["cost"]
    page = open_page(data)
    assert "-" not in page.locator(".axes").text_content()


def test_the_chosen_model_has_one_row_of_test_results(open_page):
    test = pd.DataFrame({"cost": [3.0, 1.0, 1.0]}, ["regular", "hard", "chosen"])
    data = made_up(test=test)
    for hard, names in (
        (data.chosen, ["regular", "chosen = hard"]),
        ((data.chosen + 1) % 15, ["regular", "hard", "chosen"]),
    ):
        page = open_page(replace(data, hard=hard))
        assert page.locator("#test tbody th").all_inner_texts() == names
        page.locator("#test .sort").last.click()
        marked = page.locator("#test tr[aria-current] th").all_inner_texts()
        assert marked == names[-1:]


def test_a_price_of_a_mistake_that_is_not_made_has_no_effect(open_page):
    data = made_up()
    confusion = data.confusion.copy()
    confusion[:, 0, 1] = 0
    cost = (confusion * data.cost_matrix).sum(axis=(1, 2)) / confusion.sum(axis=(1, 2))
    table = data.table.assign(cost=cost)
    chosen = choose_row(table)
    page = open_page(replace(data, table=table, confusion=confusion, chosen=chosen))
    set_price(page, 1, 99)
    effect = page.locator("#prices-effect").inner_text()
    assert effect.startswith("Your prices do not change the cost")
    assert effect.endswith("it is still the choice.")


def test_the_effect_of_edited_prices_is_one_sentence_beside_the_chart(open_page):
    data = made_up(n_settings=4, n_softness=6)
    page = open_page(data)
    effect = page.locator("#prices-effect")
    assert effect.is_hidden()
    chart, prices = (page.locator(name).bounding_box()
                     for name in ("#chart", "#prices"))  # fmt: skip
    assert prices["x"] > chart["x"] + chart["width"]
    assert prices["y"] < chart["y"] + chart["height"]
    matrix = data.cost_matrix.copy()
    matrix[0, 1] = 55.5
    set_price(page, 1, 55.5)
    total = data.confusion.sum(axis=(1, 2))
    cost = (data.confusion * matrix).sum(axis=(1, 2)) / total
    numbers = [float(text) for text in re.findall(r"\d+\.\d+", effect.inner_text())]
    before = [cost[data.chosen], data.table["cost"][data.chosen]]
    np.testing.assert_allclose(numbers[:2], before, rtol=6e-3)
    if cost.argmin() != data.chosen:
        assert numbers[-1] == pytest.approx(cost.min(), rel=6e-3)
    assert effect.inner_text().count(".\n") == 0
    page.locator("#reset-prices").click()
    assert effect.is_hidden()


def test_many_classes_are_one_picture(open_page):
    data = made_up([f"c{k}" for k in range(80)], 1, 3)
    page = open_page(data)
    assert page.locator("*").count() < 5000  # cells of a table would be more
    picture = page.locator("#heat-map")
    picture.scroll_into_view_if_needed()
    frame = picture.bounding_box()
    text = page.locator("#heat-map-cell")
    for true, predicted in ((3, 3), (70, 12)):
        page.mouse.move(frame["x"] + (predicted + 0.5) * frame["width"] / 80,
                        frame["y"] + (true + 0.5) * frame["height"] / 80)  # fmt: skip
        count = data.confusion[data.chosen][true, predicted]
        assert text.inner_text() == f"True c{true}, predicted c{predicted}: {count:g}"
    picture.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowLeft")
    assert text.inner_text().startswith("True c71, predicted c11:")
    assert page.heard == []


def test_everything_is_reached_by_tab(open_page):
    page = open_page(made_up())
    seen = []
    for _ in range(45):
        page.keyboard.press("Tab")
        seen.append(
            page.evaluate(
                "(() => { const here = document.activeElement; return here.id ||"
                " here.getAttribute('role') || here.dataset.cell || here.className;"
                " })()"
            )
        )
    wanted = {"radio", "budget-line", "softness", "combo", "budget", "in-money", "1",
              "7", "save-prices", "bars"}  # fmt: skip
    assert wanted <= set(seen)
    page.locator("#softness").focus()
    before = selected(page)
    page.keyboard.press("ArrowRight")
    assert selected(page) != before
    page.locator("#live:not(:empty)").wait_for(state="attached")


def test_a_typed_budget(open_page):
    data = made_up("abcdefgh", 8, 11, rng=4)
    page = open_page(data)
    for budget in ("7.5", "6,1", "5 %", "0", "99"):
        page.locator("#budget").fill(budget)
        value = float(budget.replace(",", ".").replace("%", "")) / 100
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = choose_row(data.table, "constrained", max_error=value)
        assert selected(page) == expected
    before = selected(page)
    for budget in ("many", "200", "-1"):
        page.locator("#budget").fill(budget)
        assert page.locator("#budget").get_attribute("aria-invalid") == "true"
        assert "0 to 100" in page.locator("#budget-message").inner_text()
        assert selected(page) == before
        page.locator("#softness").focus()  # it stays until it is corrected
        assert "0 to 100" in page.locator("#budget-message").inner_text()
    page.locator("#no-budget").click()
    assert selected(page) == data.chosen
    assert page.locator("#budget-message").inner_text() == ""


def test_edited_prices_give_new_costs_front_and_choice(open_page):
    data = made_up(n_settings=4, n_softness=6)
    page = open_page(data)
    prices = data.cost_matrix.copy()
    for true, predicted, price in ((0, 1, 55.5), (2, 0, 0.25), (1, 2, 0.5)):
        prices[true, predicted] = price
        set_price(page, true * 3 + predicted, price)
    total = data.confusion.sum(axis=(1, 2))
    cost = (data.confusion * prices).sum(axis=(1, 2)) / total
    shown = shown_costs(page)
    np.testing.assert_allclose(
        [shown[row] for row in range(len(cost))], cost, rtol=6e-3
    )
    front = np.zeros(len(cost), bool)
    for name in page.locator(".point.on-front[data-row]").all():
        front[int(name.get_attribute("data-row"))] = True
    error = data.table["error"].to_numpy()
    np.testing.assert_array_equal(front, pareto_mask(np.column_stack([error, cost])))
    assert selected(page) == choose_row(data.table.assign(cost=cost))
    page.locator("#in-money").click()
    money = data.confusion[selected(page)] * prices
    np.testing.assert_allclose(matrix_of(page), money, rtol=6e-3)
    assert "3 prices changed" in page.locator("#prices-hint").inner_text()
    assert "trained with the original" in page.locator("#what-if-note").inner_text()
    table = downloaded(page, "#save-table")
    np.testing.assert_allclose(table["what_if_cost"], cost, rtol=1e-5)
    np.testing.assert_array_equal(table["what_if_on_front"], front)
    page.locator("#reset-prices").click()
    assert selected(page) == data.chosen
    assert page.locator("#what-if-note").is_hidden()
    assert page.locator('#prices [data-cell="1"]').input_value() == str(
        data.cost_matrix[0, 1]
    )


def test_means_of_prices_by_example_change_costs_by_the_difference(open_page):
    data = made_up(by_example=True)
    table = data.table.assign(cost=data.table["cost"] * 1.1)
    page = open_page(replace(data, table=table))
    set_price(page, 1, data.cost_matrix[0, 1] + 10)
    more = 10 * data.confusion[:, 0, 1] / data.confusion.sum(axis=(1, 2))
    table = downloaded(page, "#save-table")
    np.testing.assert_allclose(table["what_if_cost"], table["cost"] + more, rtol=1e-5)


def test_an_invalid_price_is_explained_and_changes_nothing(open_page):
    page = open_page(made_up())
    before = page.locator("#sentence").inner_text()
    message = page.locator("#price-message")
    for text in ("", "abc", "1e999", "--1", "-2"):
        set_price(page, 1, text)
        box = page.locator('#prices [data-cell="1"]')
        assert box.get_attribute("aria-invalid") == "true"
        assert message.inner_text() != ""
        assert text in message.inner_text() or text == "-2"
        assert page.locator("#sentence").inner_text() == before
    set_price(page, 1, "2")
    assert message.inner_text() == ""
    assert page.locator('#prices [data-cell="1"]').get_attribute("aria-invalid") != (
        "true"
    )


def test_correct_answers_have_a_price_but_no_box(open_page):
    data = made_up()
    page = open_page(data)
    boxes = page.locator("#prices input").evaluate_all(
        "boxes => boxes.map(box => Number(box.dataset.cell))"
    )
    assert boxes == [cell for cell in range(9) if cell % 4]
    assert page.locator("#prices tbody td").count() == 9
    many = open_page(made_up([f"c{k}" for k in range(25)], 1, 2))
    many.locator("#price-truth").select_option(label="c3")
    many.locator("#price-guess").select_option(label="c3")
    assert many.locator("#price-box").is_disabled()
    many.locator("#price-guess").select_option(label="c4")
    assert many.locator("#price-box").is_enabled()


def test_the_budget_of_the_search_is_in_its_field(open_page):
    data = made_up()
    limit = round(float(data.table["error"].quantile(0.4)), 3)
    guarantee = told_budget(data.table, limit)
    within = data.table[data.table["error"] <= limit]
    data = replace(data, budget=guarantee, chosen=int(within["cost"].idxmin()))
    page = open_page(data)
    assert float(page.locator("#budget").input_value()) == pytest.approx(100 * limit)
    assert selected(page) == data.chosen
    assert page.locator("#verdict-how").inner_text().startswith("Recommended")
    set_price(page, 1, 99)  # the budget still holds
    prices = data.cost_matrix.copy()
    prices[0, 1] = 99
    total = data.confusion.sum(axis=(1, 2))
    cost = (data.confusion * prices).sum(axis=(1, 2)) / total
    expected = choose_row(data.table.assign(cost=cost), "constrained", max_error=limit)
    assert selected(page) == expected
    page.locator("#reset-prices").click()
    assert selected(page) == data.chosen
    page.locator("#no-budget").click()
    assert selected(page) == choose_row(data.table)
    page.locator('button.key:has-text("Recommended")').click()
    assert selected(page) == data.chosen
    assert page.locator("#budget").input_value() != ""


def downloaded(page, button):
    page.locator("#all").evaluate("all => { all.open = true; }")
    with page.expect_download() as waiting:
        page.locator(button).click()
    text = waiting.value.path().read_text(encoding="utf-8")
    head, *rows = csv.reader(io.StringIO(text))
    return pd.DataFrame(
        {name: [read(row[k]) for row in rows] for k, name in enumerate(head)}
    )


def read(cell):
    if cell in ("True", "False"):
        return cell == "True"
    try:
        return float(cell) if cell else np.nan
    except ValueError:
        return cell


def test_the_downloaded_table_is_the_table(open_page):
    data = made_up()
    data.table.loc[3, "cost_se"] = np.nan
    page = open_page(data)
    found = downloaded(page, "#save-table")
    pd.testing.assert_frame_equal(found, data.table, rtol=5e-6, check_dtype=False)
    digits = found["cost"].astype(str).str.replace(".", "").str.lstrip("0").str.len()
    assert digits.max() <= 6
    prices = downloaded(page, "#save-prices")
    np.testing.assert_array_equal(prices.iloc[:, 1:], data.cost_matrix)
    assert list(prices.columns[1:]) == list(data.classes)


def test_mistakes_in_words_by_what_they_cost(open_page):
    data = made_up()
    page = open_page(data)
    counts = data.confusion[data.chosen]
    money = counts * data.cost_matrix
    order = np.argsort(-money, axis=None, kind="stable")
    texts = page.locator("#mistakes .words").all_inner_texts()
    for text, cell in zip(texts, order, strict=False):
        true, predicted = divmod(cell, 3)
        n = counts[true, predicted]
        assert text.startswith(
            f"{n:.0f} time{'' if n == 1 else 's'} {data.classes[true]} predicted as "
            f"{data.classes[predicted]}: "
        )
        assert float(text.split(": ")[1]) == pytest.approx(money.flat[cell], rel=1e-2)
    assert len(texts) == (money > 0).sum()


def test_a_copied_line(open_page):
    page = open_page(made_up(), permissions=["clipboard-read", "clipboard-write"])
    set_slider(page, 1)
    page.get_by_role("button", name="Copy: Command line").click()
    # The button says so for a moment only; what is announced stays.
    page.locator("#live", has_text="Copied").wait_for(state="attached")
    text = page.evaluate("navigator.clipboard.readText()")
    assert text == "softcost fit claims.csv --softness 0.25"


def test_no_injection_runs(open_page):
    assert len(INJECTIONS) >= 50
    data = made_up(INJECTIONS, n_settings=1, n_softness=3)
    table = data.table.copy()
    for number, text in enumerate(INJECTIONS):
        table[text] = INJECTIONS[number - 1]
    data = replace(
        data,
        table=table,
        title=" ".join(INJECTIONS),
        params=("C", *INJECTIONS),
        reduction=INJECTIONS[0],
        learner=INJECTIONS[10],
        test=pd.DataFrame({"cost": np.arange(float(len(INJECTIONS)))}, INJECTIONS),
        test_note=INJECTIONS[1],
        currency=INJECTIONS[2],
        constant={"label": INJECTIONS[3], "cost": 2.0, "error": 0.5},
        advice={"verdict": INJECTIONS[37], "sentences": INJECTIONS},
        command=" ".join(INJECTIONS),
        python=" ".join(f"{{{text}}}" for text in INJECTIONS),
    )
    page = open_page(data)
    elements = page.evaluate("document.querySelectorAll('*').length")
    set_slider(page, 0)
    page.locator("#in-money").click()
    page.locator("#price-box").fill("7")  # more classes than boxes would help
    assert page.locator("#changed-prices li").count() == 1
    for text in page.locator("#mistakes .label").all()[:2]:
        text.hover()
    page.locator('[role="radio"]').first.hover()
    with page.expect_download() as waiting:
        page.locator("#all").evaluate("all => { all.open = true; }")
        page.locator("#save-table").click()
    assert page.evaluate("window.ran") is None
    assert page.heard == []
    assert all(url.startswith(("file:", "data:,", "blob:")) for url in page.requested)
    assert page.locator("script").count() == 2
    assert page.locator("iframe, img, object, embed, form, base, marquee").count() == 0
    assert elements > 1000
    assert page.locator("#confusion tbody th").all_text_contents() == INJECTIONS
    written = waiting.value.path().read_text(encoding="utf-8")
    for row in csv.reader(io.StringIO(written)):
        for cell in row:
            assert not re.match(r"[=@\t\r]|[+-](?![\d.e-]+$)", cell), cell


def test_the_policy_stops_scripts_that_are_not_ours(open_page):
    page = open_page(made_up())
    ran = page.evaluate(
        "() => { const script = document.createElement('script');"
        " script.textContent = 'window.ran = 1'; document.head.append(script);"
        " return window.ran; }"
    )
    assert ran is None
    assert "Content Security Policy" in page.heard[0]


def test_no_request_leaves_the_page(open_page):
    page = open_page(made_up(LONG))
    set_slider(page, 0)
    page.locator("#in-money").click()
    downloaded(page, "#save-table")
    outside = [
        u for u in page.requested if not u.startswith(("file:", "data:", "blob:"))
    ]
    assert outside == []
    assert len([url for url in page.requested if url.startswith("file:")]) == 1


@pytest.mark.parametrize("classes", [("a", "b", "c"), LONG], ids=["few", "many"])
def test_a_narrow_screen_does_not_scroll_sideways(open_page, classes):
    page = open_page(made_up(classes, title="word" * 40), width=360, height=700)
    page.locator("#all").evaluate("all => { all.open = true; }")
    set_price(page, 1, 7)
    widths = "[document.documentElement.scrollWidth, window.innerWidth]"
    wide, screen = page.evaluate(widths)
    assert wide <= screen == 360


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_stand_out(open_page, scheme):
    page = open_page(made_up(), color_scheme=scheme)
    colours = page.evaluate(
        "(() => { const style = getComputedStyle(document.documentElement);"
        " const names = ['ink', 'dim', 'card', 'page', 'hard', 'regular', 'budget'];"
        " return Object.fromEntries(names.map(name =>"
        " [name, style.getPropertyValue('--' + name).trim()])); })()"
    )
    light = {name: luminance(colour) for name, colour in colours.items()}
    assert (light["card"] < 0.1) == (scheme == "dark")
    for front, back in (
        ("ink", "card"), ("dim", "card"), ("dim", "page"), ("hard", "card"),
        ("regular", "card"), ("card", "budget"),
    ):  # fmt: skip
        low, high = sorted((light[front], light[back]))
        assert (high + 0.05) / (low + 0.05) >= 4.5, (front, back)
    drawn = page.evaluate("getComputedStyle(document.body).backgroundColor")
    wanted = [int(colours["page"][k : k + 2], 16) for k in (1, 3, 5)]
    assert [int(part) for part in re.findall(r"\d+", drawn)] == wanted


def luminance(colour):
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    parts = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def test_prints_and_pictures(open_page, tmp_path):
    """Pictures to look at: kept where SOFTCOST_SCREENSHOTS says."""
    folder = Path(os.environ.get("SOFTCOST_SCREENSHOTS") or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    data = made_up(LONG, n_settings=5, n_softness=11, rng=1)
    for name, width, scheme in (
        ("desktop", 1280, "light"), ("dark", 1280, "dark"), ("phone", 360, "light"),
    ):  # fmt: skip
        page = open_page(data, width=width, color_scheme=scheme)
        page.screenshot(path=folder / f"explorer-{name}.png", full_page=True)
    page.pdf(path=folder / "explorer.pdf", format="A4")
    assert len(list(folder.glob("explorer*"))) >= 4
    page.emulate_media(media="print")
    assert page.locator(".controls").is_hidden()
    assert page.locator("#mistakes").is_visible()
    assert page.locator("#story").is_visible()
    assert page.heard == []


PAGE = re.compile(rb"/Type\s*/Page\b(?!s)")


@pytest.mark.parametrize("classes", ["ab", "abcdefghij", LONG], ids=len)
def test_a_print_is_one_page(open_page, classes):
    words = "Cheaper than always answering a: it saves 1.2 per row, 40 %. " * 2
    n = len(classes)
    test = pd.DataFrame({"cost": [1.0, 2.0], "error": [0.1, 0.2]}, ["regular", "soft"])
    data = made_up(
        classes, advice={"verdict": "better", "sentences": [words, words]}, test=test,
        test_confusion=np.ones((2, n, n)), expected=(1.0, 0.5, 2.0),
    )  # fmt: skip
    page = open_page(data)
    assert len(PAGE.findall(page.pdf(format="A4"))) == 1


@pytest.mark.parametrize("n", [1, 2])
def test_few_candidates(open_page, n):
    data = made_up(n_settings=1, n_softness=2)
    few = replace(
        data, table=data.table[:n], confusion=data.confusion[:n], chosen=0, hard=None,
        regular=None, params=(), command=None, python=None,
    )  # fmt: skip
    page = open_page(few)
    page.locator("#budget-line").focus()
    page.keyboard.press("ArrowLeft")
    set_price(page, 1, 3)
    assert page.heard == []


def nearest_turns(data, prices, error_budget=None):
    """Prices of mistakes that change the choice, by softcost.search."""
    confusion = np.asarray(data.confusion, float)
    total = confusion.sum(axis=(1, 2))
    cost = (confusion * prices).sum(axis=(1, 2)) / total
    rule = LeastCost() if error_budget is None else Budget(error=error_budget)
    if data.penalty is not None:
        rule = PreferBlend(rule, data.penalty)
    priced = PricedChoice(
        table=data.table.assign(cost=cost, normalized_cost=cost),
        confusion=confusion[:, None],
        fold_costs=cost[:, None],
        prices=prices,
        answers=list(data.classes),
        rule=rule,
        evidence=Evidence(
            np.array(list(data.classes)),
            confusion,
            int(total[0]),
            np.ones(len(data.classes)),
        ),
    )
    found = price_intervals(priced)
    found = found[(found["true"] != found["predicted"]) & np.isfinite(found["change"])]
    turns = []
    for cell, one in found.sort_values("change", kind="stable").iterrows():
        ends = [(abs(one[end] - one["price"]), one[end], row)
                for end, row in (("low", one["below"]), ("high", one["above"]))
                if not pd.isna(row)]  # fmt: skip
        turns.append((cell, *min(ends)[1:]))
    return priced.chosen, turns


def shown_turns(page):
    return page.locator("#turns li").evaluate_all(
        "items => items.map(one => [Number(one.dataset.cell), Number(one.dataset.at),"
        " Number(one.dataset.model)])"
    )


def assert_turns(page, data, prices, error_budget=None):
    chosen, turns = nearest_turns(data, prices, error_budget)
    assert selected(page) == chosen
    shown = shown_turns(page)
    assert len(shown) == min(4, len(turns))
    for (cell, at, row), (cell_, at_, row_) in zip(shown, turns, strict=False):
        assert (cell, row) == (cell_, row_)
        assert at == pytest.approx(at_)


def test_the_panel_of_changes_agrees_with_the_package(open_page):
    for rng in (3, 56):
        data = made_up("abcd", 3, 6, rng=rng)
        page = open_page(data)
        assert_turns(page, data, data.cost_matrix)
        prices = data.cost_matrix.copy()
        prices[0, 2] = 3 * prices[0, 2] + 1
        set_price(page, 2, prices[0, 2])
        assert_turns(page, data, prices)
        budget = round(float(data.table["error"].quantile(0.3)), 3)
        page.locator("#budget").fill(f"{100 * budget:g}")
        assert_turns(page, data, prices, budget)
        page.locator("#budget").fill("0")
        assert shown_turns(page) == []
        assert "within the budget" in page.locator("#turns-hint").text_content()
        assert page.heard == []


@pytest.mark.parametrize("rng", range(4))
def test_the_panel_follows_the_preference_for_the_blend(open_page, rng):
    data = made_up("abcd", 3, 6, rng=rng)
    family = np.repeat(["trees", "blend", "linear"], 6)
    penalty = np.random.default_rng(rng).gamma(1.0, 0.3, 18) * data.table["cost"].std()
    penalty[6] = 0.0
    rule = PreferBlend(LeastCost(), penalty)
    table = data.table.assign(family=family)
    data = replace(data, table=table, penalty=penalty, chosen=rule.choose(table))
    page = open_page(data)
    assert_turns(page, data, data.cost_matrix)
    prices = data.cost_matrix.copy()
    prices[1, 3] = 2 * prices[1, 3] + 1
    set_price(page, 7, prices[1, 3])
    assert_turns(page, data, prices)
    budget = round(float(data.table["error"].quantile(0.5)), 3)
    page.locator("#budget").fill(f"{100 * budget:g}")
    assert_turns(page, data, prices, budget)
    assert page.heard == []


def test_beyond_a_shown_price_the_page_chooses_the_shown_model(open_page):
    data = made_up("abc", 3, 6)
    page = open_page(data)
    for cell, at, model in shown_turns(page):
        before = data.cost_matrix.flat[cell]
        set_price(page, cell, at + 1e-6 * np.sign(at - before))
        assert selected(page) == model
        page.locator("#reset-prices").click()


def test_a_model_picked_by_hand_may_not_be_the_cheapest(open_page):
    data = made_up("abc", 3, 6)
    page = open_page(data)
    dearest = int(data.table["cost"].argmax())
    page.locator(f'[role="radio"][data-row="{dearest}"]').dispatch_event("click")
    assert selected(page) == dearest
    assert shown_turns(page) == []
    best = data.table.loc[data.chosen]
    hint = page.locator("#turns-hint").text_content()
    assert f"would choose C = {best['C']:g}, softness {best['softness']:g} " in hint


def test_actions_are_columns_beside_the_classes(open_page):
    rng = np.random.default_rng(0)
    y = np.repeat(["ham", "spam", "toast"], 40)
    X = rng.normal(size=(120, 2)) + 1.2 * np.repeat(np.eye(3)[:, :2], 40, axis=0)
    names = ["ham", "spam", "toast"]
    prices = pd.DataFrame(10 * (1 - np.eye(3)), index=names, columns=names)
    search = softcost.SoftCostClassifierCV(
        softcost.MinimumExpectedCost(),
        cost_matrix=prices.assign(**{"ask a person": 3.0}),
        softness=[0, 0.3, 1],
        cv=3,
    ).fit(X, y)
    data = softcost.report.ExplorerData.from_search(search)
    page = open_page(data)
    heads = page.locator("#confusion thead th .label").all_inner_texts()
    assert heads == [*names, "ask a person"]
    cells = page.locator("#confusion tbody td").all_inner_texts()
    shown = [0 if text == "·" else int(text) for text in cells]
    assert shown == data.confusion[data.chosen].ravel().astype(int).tolist()
    tiles = page.locator("#measures").inner_text()
    assert f"{100 * search.tradeoff_['coverage'][data.chosen]:.2f}%" in tiles
    assert "ask a person" in page.locator("#mistakes").inner_text()
    changed = data.cost_matrix.copy()
    changed[1, 3] = 30.0
    page.locator('#prices [data-cell="7"]').fill("30")
    costs = (data.confusion * changed).sum(axis=(1, 2)) / 120
    told = page.locator("#measures .value").first.inner_text()
    np.testing.assert_allclose(float(told), costs.min(), rtol=0.01)
    assert page.heard == []


def test_the_advice_is_told_of_the_choice_at_its_prices_only(open_page):
    sentences = ["Not shown to be better than always answering a.", "And so on."]
    advice = {"verdict": "not shown to be better", "sentences": sentences}
    constant = {"label": "b", "cost": 7.5, "error": 0.5}
    data = made_up(advice=advice, constant=constant, currency="EUR")
    page = open_page(data)
    told = page.locator("#advice")
    assert told.locator("li").all_inner_texts() == sentences
    assert "not-shown-to-be-better" in told.get_attribute("class")
    assert "EUR" in page.locator("#sentence").inner_text()
    other = 0 if data.chosen != 0 else 1
    page.locator(f'[role="radio"][data-row="{other}"]').dispatch_event("click")
    text = told.inner_text()
    assert sentences[0] not in text
    assert "regular model" in text
    headline = page.locator("#sentence")
    assert "Always answering b costs 7.50" in headline.inner_text()
    page.locator('button.key:has-text("Chosen")').click()
    assert told.locator("li").all_inner_texts() == sentences
    set_price(page, 1, 0.5)
    assert sentences[0] not in told.inner_text()
    prices = data.cost_matrix.copy()
    prices[0, 1] = 0.5
    sizes = data.confusion[0].sum(axis=1)
    always = (sizes @ prices / sizes.sum()).min()
    shown = re.search(r"Always answering \w+ costs ([\d.]+)", headline.inner_text())[1]
    assert float(shown) == pytest.approx(always, rel=5e-3)
    assert page.heard == []


def test_a_missed_budget_is_told_first_and_recommends_nothing(open_page):
    data = made_up()
    missed, met = (
        told_budget(data.table, data.table["error"].min() * share) for share in (0.5, 2)
    )
    page = open_page(replace(data, budget=missed))
    first = page.locator("#advice li").first
    assert first.get_attribute("class") == "budget-missed"
    assert first.inner_text().startswith("No candidate has an error of at most")
    assert "ecommended" not in page.locator("main").inner_text()
    assert page.locator("#verdict-how").inner_text().startswith("Chosen")
    other = 0 if data.chosen != 0 else 1
    page.locator(f'[role="radio"][data-row="{other}"]').dispatch_event("click")
    assert "No candidate" not in page.locator("#advice").inner_text()
    page = open_page(replace(data, budget=met))
    assert page.locator("#advice li").first.inner_text().startswith("Budget met")
    assert page.locator("#verdict-how").inner_text().startswith("Recommended")
    assert page.heard == []


def told_budget(table, limit):
    """What is known of an error budget."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Budget(error=float(limit)).decide(table, None, error="error").guarantee


def test_what_is_no_better_than_one_answer_is_not_recommended(open_page):
    for verdict in ("not better", "not shown to be better"):
        advice = {"verdict": verdict, "sentences": ["Do not use it."]}
        page = open_page(made_up(advice=advice))
        assert "ecommended" not in page.locator("main").inner_text()
        assert page.locator('button.key:has-text("Chosen")').count() == 1


def test_test_results_follow_the_prices_or_say_that_they_do_not(open_page):
    rng = np.random.default_rng(3)
    counts = rng.integers(0, 9, (2, 3, 3))
    data = made_up()
    total = counts.sum(axis=(1, 2))
    cost = (counts * data.cost_matrix).sum(axis=(1, 2)) / total
    test = pd.DataFrame({"cost": cost, "error": [0.1, 0.2]}, ["regular", "chosen"])
    prices = data.cost_matrix.copy()
    prices[2, 0] += 50
    for known in (counts, None):
        page = open_page(replace(data, test=test, test_confusion=known))
        set_price(page, 6, prices[2, 0])
        shown = [float(row.split("\t")[1]) for row in
                 page.locator("#test tbody tr").all_inner_texts()]  # fmt: skip
        hint = page.locator("#test-hint").inner_text()
        if known is None:
            np.testing.assert_allclose(shown, cost, rtol=1e-2)
            assert "original prices" in hint
        else:
            after = (counts * prices).sum(axis=(1, 2)) / total
            np.testing.assert_allclose(shown, after, rtol=1e-2)
            assert "what-if prices" in hint


def test_with_prices_by_example_the_totals_agree(open_page):
    data = made_up(by_example=True)
    rng = np.random.default_rng(0)
    noise = rng.uniform(0.5, 2, data.confusion.shape)
    paid = data.confusion * data.cost_matrix * noise
    cost = paid.sum(axis=(1, 2)) / data.confusion.sum(axis=(1, 2))
    data = replace(data, table=data.table.assign(cost=cost), realised_cost=paid)
    page = open_page(replace(data, chosen=int(cost.argmin())))
    total = paid[cost.argmin()].sum()
    tile = page.locator("#measures .value").last.inner_text()
    rest = page.locator("#mistakes-rest").inner_text()
    assert f"Total: {tile}." in rest
    assert float(tile.replace(",", "")) == pytest.approx(total, rel=1e-3)
    page.locator("#in-money").click()
    np.testing.assert_allclose(matrix_of(page), paid[cost.argmin()], rtol=1e-2)


def test_many_classes_are_counted_as_people_do(open_page):
    names = sorted(f"c{k}" for k in range(1, 26))
    data = made_up(names, n_settings=1, n_softness=3)
    page = open_page(data)
    shown = page.locator("#confusion tbody th").all_text_contents()
    assert shown == [f"c{k}" for k in range(1, 26)]
    place = [names.index(name) for name in shown]
    np.testing.assert_array_equal(
        matrix_of(page), data.confusion[data.chosen][np.ix_(place, place)]
    )
    assert page.locator("#prices input").count() == 0
    money = data.confusion[data.chosen] * data.cost_matrix
    worst = money[int(page.locator("#price-truth").input_value()),
                  int(page.locator("#price-guess").input_value())]  # fmt: skip
    assert worst == money.max()
    page.locator("#price-truth").select_option(label="c2")
    page.locator("#price-guess").select_option(label="c10")
    true, guess = names.index("c2"), names.index("c10")
    box = page.locator("#price-box")
    assert float(box.input_value()) == data.cost_matrix[true, guess]
    box.fill("99")
    prices = data.cost_matrix.copy()
    prices[true, guess] = 99
    total = data.confusion.sum(axis=(1, 2))
    cost = (data.confusion * prices).sum(axis=(1, 2)) / total
    shown = shown_costs(page)
    np.testing.assert_allclose([shown[row] for row in range(3)], cost, rtol=6e-3)
    table = downloaded(page, "#save-prices").iloc[:, 1:]
    np.testing.assert_array_equal(table, prices)
    page.locator("#changed-prices button").click()
    assert float(box.input_value()) == data.cost_matrix[true, guess]
    assert page.locator("#recall li").count() == 15
    page.locator("#all-recalls").click()
    assert page.locator("#recall .label").all_text_contents() == [
        f"c{k}" for k in range(1, 26)
    ]
    assert page.heard == []


def worth(n_columns=3):
    """What columns save, the last one nothing."""
    return [
        {"column": f"<b>column {k}</b>", "saving": 1.0 - k / (n_columns - 1),
         "low": 0.4 - k, "high": 2.0, "shown": k == 0}
        for k in range(n_columns)
    ]  # fmt: skip


def test_columns_are_shown_with_what_they_save(open_page):
    data = made_up(currency="EUR", importance=worth(), importance_rows=900)
    page = open_page(data)
    rows = page.locator("#importance li")
    assert rows.count() == 2  # the last column saves nothing
    page.locator("#all-columns").click()
    assert rows.locator("bdi").all_text_contents() == [
        f"<b>column {k}</b>" for k in range(3)
    ]
    assert page.locator("#importance .fill").count() == 2
    assert page.locator("#importance .fill.pale").count() == 1
    assert "0.400 to 2.00" in rows.nth(0).inner_text()
    hint = page.locator("#importance-hint").inner_text()
    assert "in EUR" in hint
    assert "900 test rows" in hint
    assert page.heard == []
    many = open_page(made_up(importance=worth(40)))
    assert many.locator("#importance li").count() == 15
    many.locator("#all-columns").click()
    assert many.locator("#importance li").count() == 40
    without = open_page(made_up())
    assert without.locator("#importance-card").is_hidden()


def test_a_front_of_one_model_is_seen_among_others(open_page):
    data = made_up()
    table = data.table.copy()
    table.loc[0, ["cost", "error"]] = (
        table["cost"].min() / 50,
        table["error"].min() / 50,
    )
    page = open_page(replace(data, table=table, chosen=0, regular=None, hard=None))
    assert page.locator("#zoom").is_hidden()
    page.locator("#every").check()
    assert page.locator(".outsider").count() == 0
    assert page.locator("#zoom").inner_text() == "Zoom to the front"


def test_models_out_of_sight_are_marked_on_the_border(open_page):
    data = made_up()
    table = data.table.copy()
    far = data.hard
    table.loc[far, ["cost", "error"]] = 20 * table["cost"].max(), 0.9
    page = open_page(replace(data, table=table, chosen=int(table["cost"].argmin())))
    assert "more)" in page.locator("#zoom").inner_text()
    assert page.locator(".names").text_content().count("↗") == 1
    page.locator(f'.outsider[data-model="{far}"]').dispatch_event("click")
    assert selected(page) == far
    assert page.locator(".outsider").count() == 0
    assert page.heard == []

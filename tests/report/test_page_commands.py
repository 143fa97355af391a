"""Commands on the page: each, executed, gives the model that the page shows."""

import copy
import json
import shlex
from dataclasses import fields, replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.pipeline import Pipeline

from softcost import OneSidedRegression, SoftCostClassifierCV, load
from softcost.cli.fit import fit
from softcost.report import ExplorerData
from softcost.svm import OneSidedSVR
from softcost.workflow import FitOptions, prepare_training
from softcost.workflow.training import _candidate_command, _refit_command

EDITED = "edited-prices.csv"


class Trained:
    """A table, its training in this process, its model file and its page."""

    def __init__(self, folder, menu, **options):
        self.folder = folder
        self.rows, self.page = folder / "rows.csv", folder / "page.html"
        self.file = folder / "the model.softcost"
        self.new = menu.rows(60, seed=5).drop(columns="class")
        menu.rows(110).to_csv(self.rows, index=False)
        (folder / "prices.json").write_text(json.dumps(menu.prices), encoding="utf-8")
        self.training = prepare_training(
            FitOptions(
                str(self.rows),
                "class",
                costs=str(folder / "prices.json"),
                action={"ask": 0.8},
                test_size=0.3,
                cv=2,
                softness=[0.0, 0.5, 1.0],
                model=str(self.file),
                report=str(self.page),
                **options,
            )
        )
        self.training.write(self.training.run())
        self.search = self.training.model["search"]

    def answers(self, candidate, prices=None):
        """Answers of a candidate to new rows, with other prices if it can use them."""
        model = self.search.candidate(candidate)
        if prices is not None and model.softness_at_predict:
            model = copy.copy(model).set_params(cost_matrix=prices)
        steps = [("columns", self.training.model["columns"]), ("model", model)]
        return Pipeline(steps).predict(self.new).astype(str)


@pytest.fixture(scope="module")
def trained(menu, tmp_path_factory):
    return Trained(tmp_path_factory.mktemp("trained"), menu)


@pytest.fixture
def opened(trained, browser, patience):
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(patience)
    page.goto(trained.page.as_uri())
    yield page
    context.close()


def selected(page):
    here = page.locator('[role="radio"][aria-checked="true"]')
    return int(here.get_attribute("data-row"))


def move_slider(page, rng):
    page.locator("#softness").evaluate(
        "(slider, value) => { slider.value = value;"
        " slider.dispatchEvent(new Event('input')); }",
        int(rng.integers(3)),
    )


def toggle_family(page, rng):
    buttons = page.locator("#families button")
    buttons.nth(int(rng.integers(buttons.count()))).click()


def set_budget(page, rng):
    page.locator("#budget").fill(f"{rng.uniform(5, 60):.1f}")


def edit_price(page, rng):
    boxes = page.locator("#prices input:not([readonly]):not(:disabled)")
    boxes.nth(int(rng.integers(boxes.count()))).fill(f"{rng.uniform(0.1, 20):.2f}")


def pick_a_dot(page, rng):
    dots = page.locator('[role="radio"]')
    dots.nth(int(rng.integers(dots.count()))).dispatch_event("click")


ACTS = (move_slider, toggle_family, set_budget, edit_price, pick_a_dot)


def random_state(page, rng):
    """Change the page as a user might, from one to four times."""
    for act in rng.choice(len(ACTS), size=rng.integers(1, 5)):
        ACTS[act](page, rng)


def execute(page, folder, softcost, monkeypatch):
    """Run the first command that the page shows; the prices that it needs, if any."""
    monkeypatch.chdir(folder)
    for name in ("OTHER.softcost", "OUT.softcost"):
        (folder / name).unlink(missing_ok=True)
    prices = None
    save = page.get_by_role("button", name=f"Download {EDITED}")
    if save.count():
        with page.expect_download() as waiting:
            save.click()
        assert waiting.value.suggested_filename == EDITED
        waiting.value.save_as(folder / EDITED)
        prices = pd.read_csv(folder / EDITED, index_col=0)
    lines = page.locator("#lines code").first.inner_text().splitlines()
    for line in lines:
        program, *words = shlex.split(line)
        assert program == "softcost"
        if words[0] == "predict":
            return words[1], prices
        result = softcost(*words, *(["--quiet"] if words[0] == "fit" else []))
        assert result.exit_code in (0, 3), (line, result.output)
    return words[words.index("-o" if "-o" in words else "--model") + 1], prices


def check_states(n_states, trained, page, softcost, monkeypatch, seed):
    rng = np.random.default_rng(seed)
    kinds = set()
    for number in range(n_states):
        page.goto(trained.page.as_uri())
        if number:
            random_state(page, rng)
        row = selected(page)
        path, prices = execute(page, trained.folder, softcost, monkeypatch)
        found = load(path).predict(trained.new).astype(str)
        np.testing.assert_array_equal(found, trained.answers(row, prices))
        search = trained.search
        in_file = getattr(search, "candidates_", [search.best_index_])
        kinds.add((row in in_file, prices is not None))
    return kinds


def test_a_command_gives_the_model_that_the_page_shows(
    trained, opened, softcost, monkeypatch
):
    check_states(6, trained, opened, softcost, monkeypatch, seed=0)


@pytest.mark.slow
def test_many_commands_give_the_models_that_the_page_shows(
    trained, opened, softcost, monkeypatch
):
    kinds = check_states(30, trained, opened, softcost, monkeypatch, seed=1)
    assert len(kinds) == 4  # in the file or not, with and without edited prices


@pytest.mark.slow
def test_commands_with_a_budget_and_one_model_in_the_file(
    menu, tmp_path, browser, patience, softcost, monkeypatch
):
    trained = Trained(tmp_path, menu, max_error=0.3, keep="chosen")
    page = browser.new_page()
    page.set_default_timeout(patience)
    kinds = check_states(6, trained, page, softcost, monkeypatch, seed=2)
    assert page.locator("#budget").input_value() != ""
    assert {in_file for in_file, _ in kinds} == {True, False}
    page.close()


def test_python_lines_with_edited_prices_run(open_page, tmp_path, monkeypatch):
    X, y = load_iris(return_X_y=True)
    prices = np.array([[0, 1.5, 5], [1, 0, 5], [9, 9, 0]])
    reduction = OneSidedRegression()
    search = SoftCostClassifierCV(
        reduction, cost_matrix=prices, softness=[0, 0.5, 1], param_grid={"C": [1.0]},
        cv=2,
    ).fit(X, y)  # fmt: skip
    page = open_page(ExplorerData.from_search(search))
    pick_a_dot(page, np.random.default_rng(0))
    page.locator('#prices [data-cell="1"]').fill("12.5")
    with page.expect_download() as waiting:
        page.locator("#save-prices").click()
    assert waiting.value.suggested_filename == EDITED
    waiting.value.save_as(tmp_path / EDITED)
    monkeypatch.chdir(tmp_path)
    names = {"X": X, "y": y}
    exec(page.locator("#lines code").last.inner_text(), names)
    prices[0, 1] = 12.5
    softness = search.tradeoff_["softness"][selected(page)]
    own = clone(reduction).set_params(
        cost_matrix=prices, softness=softness, learner=OneSidedSVR(C=1.0)
    )
    np.testing.assert_array_equal(names["model"].predict(X), own.fit(X, y).predict(X))


def test_the_recommended_model_is_there_already(trained, opened):
    text = opened.locator("#lines").inner_text()
    assert "already have this model" in text
    assert str(trained.file) in text


EVERY_OPTION = {
    "costs": "my prices.csv", "action": {"ask": 0.3, "wait a day": 1.25},
    "drop": ("a,b", "c"), "nominal": ("kind",), "number": ("size",),
    "date": ("day=dmy",), "decimal": ",", "missing": ("-9", "none"),
    "reduction": ("osr", "mec"), "learner": ("svm", "boosting"),
    "param": {"C": [1, 0.5], "max_iter": [3]}, "max_error": 0.05,
    "min_recall": {"a=b": 0.9}, "confidence": 0.9, "holdout": 0.25,
    "error_weight": "balanced", "softness": [0.0, 0.3, 1.0], "cv": 4,
    "test_size": 0.2, "seed": 7, "jobs": 2, "currency": "EUR",
    "cost": ("fn = 0.75 * balance", "fp = 5"), "positive": "yes",
    "cost_columns": "cost_", "tolerance": "1se", "test": "test rows.csv",
    "rows_at_once": 100, "sheet": "Sheet 2", "header_row": (3, 4),
    "skip_unlabelled": True,
    "merge": {"Adelei": "Adelie", "a b": "c"},
}  # fmt: skip


@pytest.mark.parametrize("name", EVERY_OPTION)
def test_an_option_of_fit_is_repeated_in_the_command_of_the_page(name):
    value = EVERY_OPTION[name]
    options = FitOptions("rows 1.csv", "the class", **{name: value})
    for line, kept in (
        (_refit_command(replace(options, criterion="cost")), name != "costs"),
        (_candidate_command(replace(options, confidence=0.9)), True),
    ):
        words = shlex.split(line.replace("{index}", "17"))
        assert words[:2] == ["softcost", "fit"]
        parsed = fit.make_context("fit", words[2:]).params
        assert (parsed["data"], parsed["target"]) == ("rows 1.csv", "the class")
        assert parsed["model"] == "OUT.softcost"
        if kept:
            assert parsed[name] == (0.9 if name == "confidence" else value)
    assert parsed["candidate"] == 17


def test_no_option_of_fit_is_missing_from_the_test():
    outputs = {"data", "target", "model", "report", "keep", "candidate"}
    other = {"criterion", "minutes", "dask"}  # implied, not repeatable, elsewhere
    assert {one.name for one in fields(FitOptions)} == {*EVERY_OPTION, *outputs, *other}
    limited = FitOptions("rows.csv", "t", minutes=3)
    assert _candidate_command(limited) is None  # its table cannot be repeated

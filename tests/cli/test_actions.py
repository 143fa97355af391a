"""Answers beyond the classes on the command line, from the template to the report."""

import io

import numpy as np
import pandas as pd
import pytest

from softcost.costs import read_costs
from softcost.metrics import measure

ASK = "ask a person"


class Asking:
    """A price list with an action, a model and a page of it, and what was said."""

    def __init__(self, menu, softcost, folder):
        self.prices, self.model = folder / "prices.csv", folder / "m.softcost"
        self.page = folder / "page.html"
        template = ("costs", "template", menu.data, "--target", "class")
        softcost(*template, "--action", ASK, "-o", self.prices)
        fit = ("fit", menu.data, "--target", "class", "--costs", self.prices)
        self.fitted = softcost(
            *fit, *menu.quick, "--reduction", "mec", "--model", self.model,
            "--report", self.page, "--test-size", "0.3", "--json",
        )  # fmt: skip


@pytest.fixture(scope="module")
def asking(menu, softcost, tmp_path_factory):
    made = Asking(menu, softcost, tmp_path_factory.mktemp("asking"))
    assert made.fitted.exit_code == 0, made.fitted.output
    return made


def test_a_template_has_a_column_for_the_action(asking, menu):
    prices = read_costs(str(asking.prices))
    assert list(prices.index) == sorted(menu.classes)
    assert list(prices.columns) == [*sorted(menu.classes), ASK]
    assert (prices[ASK] == 0.25).all()
    assert f"# Column {ASK}:" in asking.prices.read_text(encoding="utf-8")


def test_template_as_json(menu, softcost, strict):
    words = ("costs", "template", menu.data, "--target", "class", "--json")
    found = strict(softcost(*words, "--action", ASK, "--action", "test again").stdout)
    assert found["actions"] == [ASK, "test again"]
    for row in found["costs"].values():
        assert list(row) == [*sorted(menu.classes), ASK, "test again"]


@pytest.mark.parametrize(
    ("names", "why"),
    [
        (["ham & eggs"], "is a class"),
        ([" "], "write a name"),
        ([ASK, ASK], "twice"),
    ],
)
def test_actions_that_a_template_refuses(menu, softcost, names, why):
    words = ("costs", "template", menu.data, "--target", "class")
    actions = [word for name in names for word in ("--action", name)]
    result = softcost(*words, *actions)
    assert result.exit_code == 2
    assert why in result.stderr


def test_check_speaks_of_the_action(asking, menu, softcost, strict):
    words = ("costs", "check", asking.prices, "--data", menu.data, "--target", "class")
    said = softcost(*words)
    assert said.exit_code == 0
    assert f"The action '{ASK}' costs 0.25" in said.stdout
    facts = strict(softcost(*words, "--json").stdout)
    assert facts["actions"] == {ASK: [0.25, 0.25]}
    assert facts["never_worthwhile"] == []


def test_an_action_that_never_pays_is_told_of(softcost, tmp_path):
    path = tmp_path / "prices.csv"
    path.write_text("true,a,b,ask\na,0,1,0.6\nb,1,0,0.6\n")
    assert (
        "'ask' is never the single best choice"
        in softcost("costs", "check", path).stdout
    )


def test_fit_tells_coverage(asking, strict):
    found = strict(asking.fitted.stdout)
    assert found["actions"] == [ASK]
    for part in ("cross_validated", "held_out"):
        chosen = found[part]["chosen"]
        assert 0 <= chosen["coverage"] <= 1
        assert chosen["error_answered"] is None or chosen["error_answered"] <= 1
    assert ASK in asking.page.read_text(encoding="utf-8")


def test_predict_and_evaluate_agree(asking, menu, softcost, strict):
    shown = softcost("predict", asking.model, menu.data)
    table = pd.read_csv(io.StringIO(shown.stdout))
    assert f"expected_cost_{ASK}" in table.columns
    answers = table["prediction"].to_numpy()
    assert ASK in answers
    columns = [f"expected_cost_{name}" for name in [*sorted(menu.classes), ASK]]
    least = table[columns].min(axis=1)
    assert (table["expected_cost"] >= least - 1e-12).all()
    words = ("evaluate", asking.model, menu.data, "--target", "class")
    found = strict(softcost(*words, "--json").stdout)
    labels = menu.rows()["class"].to_numpy()
    expected = measure(labels, answers, cost_matrix=read_costs(str(asking.prices)))
    for name in ("cost", "error", "coverage", "error_answered"):
        np.testing.assert_allclose(found[name], expected[name])
    assert found["actions"] == [ASK]
    assert np.shape(found["confusion"]) == (3, 4)
    assert np.sum(found["confusion"], axis=0)[3] == np.sum(answers == ASK)
    assert "coverage" in softcost(*words).stdout


def test_a_reduction_without_actions_is_refused_before_training(asking, menu, softcost):
    fit = ("fit", menu.data, "--target", "class", "--costs", asking.prices)
    result = softcost(*fit, "--reduction", "metacost")
    assert result.exit_code == 2
    assert f"the answer '{ASK}'" in result.stderr
    assert "choose mec" in result.stderr

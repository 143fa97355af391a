"""Names of reductions and learners, and what they stand for."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from softcost import load
from softcost.cli.fit import LEARNERS, _why_not_chosen
from softcost.reductions import CATALOGUE
from softcost.search.auto import FAMILIES
from softcost.workflow import FitOptions
from softcost.workflow.fit_options import (
    make_families,
    make_family,
    n_folds,
    with_reduction,
)


def make(reduction, learner, n_rows=100, cost_columns=None):
    costs = "prices.csv" if cost_columns is None else None
    job = SimpleNamespace(cost_columns=cost_columns, costs=costs)
    family = make_family(job, reduction, learner, n_rows)
    return family.model, family.learner


def test_the_help_has_a_line_for_every_reduction(softcost):
    lines = softcost("fit", "--help").stdout.splitlines()
    for name, entry in CATALOGUE.items():
        (line,) = [line for line in lines if line.split()[:1] == [name]]
        assert line.split(maxsplit=1)[1].startswith(entry.summary)
        assert ("prices by class only" in line) == entry.by_class_only
        assert len(line) <= 80


@pytest.mark.parametrize("reduction", list(CATALOGUE))
def test_every_reduction_with_every_learner_can_be_named(reduction):
    for learner in LEARNERS:
        if reduction == "mec" and learner in ("svm", "nystroem"):
            with pytest.raises(ValueError, match="needs probabilities"):
                make(reduction, learner)
            continue
        model, name = make(reduction, learner)
        assert name in LEARNERS[1:]
        assert type(model) is CATALOGUE[reduction].load()
        assert model.learner is not None
    many = make(reduction, "auto", 10**6)[1]
    assert many == ("boosting" if reduction == "mec" else "nystroem")


@pytest.mark.parametrize("reduction", ["cszl", "metacost"])
def test_some_reductions_need_prices_by_class(reduction):
    with pytest.raises(ValueError, match="needs costs by class"):
        make(reduction, "auto", cost_columns="cost_")


def several(reductions, learners, **others):
    given = {"cost_columns": None, "param": None} | others
    given["costs"] = "prices.csv" if given["cost_columns"] is None else None
    job = SimpleNamespace(reduction=reductions, learner=learners, **given)
    return [one.name for one in make_families(job, 100)]


def test_several_reductions_and_learners_that_go_together():
    names = several(("osr", "mec"), ("svm", "boosting"))
    assert names == ["osr-svm", "osr-boosting", "mec-boosting"]
    assert several(("osr", "mec"), ("auto",)) == ["osr-svm", "mec-linear"]
    assert several(("auto",), ("auto",)) == []
    assert several(("cszl", "osr"), ("svm",), cost_columns="cost_") == ["osr-svm"]
    with pytest.raises(ValueError, match="needs costs by class"):
        several(("cszl", "metacost"), ("svm",), cost_columns="cost_")
    with pytest.raises(ValueError, match="parameter of none"):
        several(("osr", "mec"), ("svm", "linear"), param={"depth": [1]})


def test_parameters_go_to_families_that_have_them(menu, softcost, strict, tmp_path):
    words = [word for word in menu.fit if word not in ("--param", "C=1,16")]
    page, model = tmp_path / "page.html", tmp_path / "model"
    told = softcost(
        *words, "--reduction", "osr,mec", "--learner", "svm,boosting",
        "--param", "C=1,16", "--param", "max_iter=3", "--json", "--report", page,
        "--model", model,
    )  # fmt: skip
    assert told.exit_code == 0, told.output
    found = strict(told.stdout)
    assert (found["reduction"], found["learner"]) == ("osr,mec", "svm,boosting")
    chosen = found["cross_validated"]["chosen"]
    assert chosen["family"] in ("osr-svm", "osr-boosting", "mec-boosting")
    assert found["expected"]["low"] <= found["expected"]["cost"]
    text = page.read_text(encoding="utf-8")
    assert "--reduction osr,mec --learner svm,boosting" in text
    out = tmp_path / "out.csv"
    assert softcost("predict", model, menu.data, "-o", out).exit_code == 0


def test_auto_tries_several_families(menu, softcost, strict, tmp_path):
    words = [word for word in menu.fit if word not in ("--param", "C=1,16")]
    page, model = tmp_path / "page.html", tmp_path / "model"
    auto = [*words, "--cv", "2", "--softness", "2"]  # no reduction is named
    told = softcost(*auto, "--json", "--report", page, "--model", model)
    assert told.exit_code == 0, told.output
    found = strict(told.stdout)
    assert found["reduction"] == "auto"
    assert found["cross_validated"]["chosen"]["family"] in FAMILIES
    out = tmp_path / "out.csv"
    assert softcost("predict", model, menu.data, "-o", out).exit_code == 0
    for number in load(model)["search"].candidates_:  # models of the front
        other = tmp_path / f"other{number}"
        choice = softcost("choose", model, "--candidate", number, "-o", other)
        assert choice.exit_code == 0, choice.output
        assert load(other)["search"].best_index_ == number


def test_why_a_better_looking_family_was_not_chosen():
    listed = [
        {"family": "linear", "cost": 1.0, "difference": 0.5, "difference_se": 0.25,
         "required_lead": 0.875},
        {"family": "trees", "cost": 1.2},
    ]  # fmt: skip
    (sentence,) = _why_not_chosen(listed)
    for part in ("linear", "0.5", "0.25", "0.875", "trees"):
        assert part in sentence
    assert _why_not_chosen([]) == []


@pytest.mark.parametrize(
    ("options", "reduction"),
    [
        ({}, "auto"),
        ({"learner": ("svm",)}, "osr"),
        ({"learner": ("boosting",)}, "mec"),
        ({"param": {"C": [1]}}, "osr"),
        ({"rows_at_once": 100}, "osr"),
        ({"rows_at_once": 100, "learner": ("boosting",)}, "osr"),
        ({"reduction": ("wap",), "learner": ("boosting",)}, "wap"),
    ],
)
def test_what_is_said_of_learners_implies_a_reduction(options, reduction):
    plain = FitOptions("rows.csv", "class")
    assert with_reduction(replace(plain, **options)).reduction == (reduction,)


def test_many_rows_have_fewer_folds():
    plain = FitOptions("rows.csv", "class")
    assert n_folds(plain, 50_000) == 5
    assert n_folds(plain, 50_001) == 3
    assert n_folds(replace(plain, cv=7), 10**6) == 7


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--reduction osr,best", "'best' is not one of"),
        ("--reduction osr,,mec", "'' is not one of"),
        ("--reduction auto,osr", "without other names"),
        ("--learner svm,forest", "'forest' is not one of"),
        ("--reduction auto --learner svm", "leave out --learner"),
        ("--reduction auto --param C=1", "leave out --learner and --param"),
        ("--reduction osr,mec --param depth=1", "parameter of none"),
    ],
)
def test_names_that_do_not_go_together_are_refused(menu, softcost, words, message):
    plain = [word for word in menu.fit if word not in ("--param", "C=1,16")]
    told = softcost(*plain, *words.split())
    assert told.exit_code == 2
    assert message in " ".join(told.stderr.split())


def test_a_model_that_is_hard_and_chosen_is_told_once(menu, softcost):
    words = [word for word in menu.fit if word not in ("--param", "C=1,16")]
    alone = [*words, "--cv", "2", "--reduction", "mec", "--learner", "linear"]
    shown = softcost(*alone, "--softness", "0").stdout.splitlines()
    named = [line for line in shown if line.startswith(("hard", "cho"))]
    assert len(named) == 1
    assert named[0].startswith("chosen")
    assert "hard" in named[0]

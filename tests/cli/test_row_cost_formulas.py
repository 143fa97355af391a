"""Costs by row on the command line: formulas and matrices in columns."""

import io
import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import softcost as package
from softcost.costs import row_cost_matrices
from softcost.persistence import describe
from softcost.workflow.stored_model import open_model

FIT = "--target status --reduction mec --learner linear --param C=1 --cv 3 --softness 0"
FORMULAS = ["bad>'paid > all' = 0.75 * `the balance`", "fp = 20 + fee / 2"]
CLASSES = ["bad", "paid > all"]


def loans(n_rows=200, seed=0):
    """Defaults are rare; a missed one costs a share of the balance."""
    rng = np.random.default_rng(seed)
    bad = rng.random(n_rows) < 0.3
    return pd.DataFrame(
        {
            "score": rng.normal(size=n_rows).round(3) - 1.5 * bad,
            "the balance": rng.lognormal(4, 1, n_rows).round(2),
            "fee": rng.integers(0, 9, n_rows),
            "name": [f"n{number % 5}" for number in range(n_rows)],
            "status": np.where(bad, *CLASSES),
        }
    )


@pytest.fixture(scope="module")
def folder(softcost, tmp_path_factory):
    folder = tmp_path_factory.mktemp("loans")
    loans().to_csv(folder / "train.csv", index=False)
    loans(80, 1).to_csv(folder / "new.csv", index=False)
    costs = [word for text in FORMULAS for word in ("--cost", text)]
    result = softcost(
        "fit", folder / "train.csv", *costs, *FIT.split(), "--test", folder / "new.csv",
        "--model", folder / "model", "--report", folder / "page.html", "--json",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    (folder / "fit.json").write_text(result.stdout)
    return folder


def expected_answers(folder, table, formulas=FORMULAS):
    """Answers from the probabilities of the loaded pipeline, computed apart."""
    model = package.load(folder / "model")
    costs = row_cost_matrices(table, formulas, CLASSES, positive="bad")
    p = model.predict_proba(table)
    expected = np.array(
        [share @ matrix for share, matrix in zip(p, costs, strict=True)]
    )
    return expected, np.array(CLASSES)[expected.argmin(axis=1)], costs


def test_predictions_in_another_process_follow_the_formulas(folder):
    table = pd.read_csv(folder / "new.csv")
    line = [sys.executable, "-m", "softcost", "predict", "model", "new.csv"]
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=True)
    predicted = pd.read_csv(io.StringIO(done.stdout))
    expected, answers, _ = expected_answers(folder, table)
    assert predicted["prediction"].tolist() == answers.tolist()
    assert len(set(answers)) == 2
    for k, label in enumerate(CLASSES):
        np.testing.assert_allclose(predicted[f"expected_cost_{label}"], expected[:, k])


def test_evaluation_prices_answers_by_the_formulas(softcost, folder, strict):
    table = pd.read_csv(folder / "new.csv")
    _, answers, costs = expected_answers(folder, table)
    true = np.searchsorted(CLASSES, table["status"])
    paid = costs[np.arange(len(table)), true, np.searchsorted(CLASSES, answers)]
    words = ("evaluate", folder / "model", folder / "new.csv", "--target", "status")
    result = strict(softcost(*words, "--json").stdout)
    assert result["cost"] == pytest.approx(paid.mean())
    assert result["prices"] == "by row"
    at_fit = json.loads((folder / "fit.json").read_text())
    assert at_fit["held_out"]["chosen"]["cost"] == pytest.approx(paid.mean())


def test_explain_and_compare_decide_by_the_formulas(softcost, folder, strict):
    words = (folder / "new.csv", "--target", "status", "--json")
    explained = strict(softcost("explain", folder / "model", *words).stdout)
    assert explained["columns"][0]["column"] == "score"
    both = strict(
        softcost("compare", folder / "model", folder / "model", *words).stdout
    )
    assert both["different_answers"] == 0


@pytest.mark.parametrize("command", ["predict", "evaluate"])
def test_other_formulas(softcost, folder, command):
    formulas = ["fn = `the balance` * 100", "fp = 1"]
    table = pd.read_csv(folder / "new.csv")
    costs = [word for text in formulas for word in ("--cost", text)]
    words = [command, folder / "model", folder / "new.csv", *costs]
    if command == "evaluate":
        words += ["--target", "status", "--json"]
    result = softcost(*words)
    assert result.exit_code == 0, result.output
    _, answers, costs = expected_answers(folder, table, formulas)
    if command == "predict":
        predicted = pd.read_csv(io.StringIO(result.stdout))
        assert predicted["prediction"].tolist() == answers.tolist()
    else:
        true = np.searchsorted(CLASSES, table["status"])
        paid = costs[np.arange(len(table)), true, np.searchsorted(CLASSES, answers)]
        assert json.loads(result.stdout)["cost"] == pytest.approx(paid.mean())


@pytest.mark.parametrize("form", ["pairs", "outcomes"])
def test_matrices_in_columns(softcost, folder, tmp_path, form):
    """They give what formulas give, and are not features."""
    names = {
        "pairs": ["cost_bad>'paid > all'", "cost_'paid > all'>bad"],
        "outcomes": ["cost_fn", "cost_FP"],
    }[form]
    for file in ("train.csv", "new.csv"):
        table = pd.read_csv(folder / file)
        costs = row_cost_matrices(table, FORMULAS, CLASSES, positive="bad")
        table[names[0]], table[names[1]] = costs[:, 0, 1], costs[:, 1, 0]
        table.to_csv(tmp_path / file, index=False)
    model = tmp_path / "model"
    result = softcost(
        "fit", tmp_path / "train.csv", *FIT.split(), "--cost-columns", "cost_",
        "--model", model,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert set(open_model(str(model)).kinds) == {"score", "the balance", "fee", "name"}
    own = softcost("predict", model, tmp_path / "new.csv").stdout
    assert own == softcost("predict", folder / "model", folder / "new.csv").stdout
    words = ("predict", folder / "model", tmp_path / "new.csv")
    assert own == softcost(*words, "--cost-columns", "cost_").stdout


def test_actions(softcost, folder, tmp_path):
    costs = ("--cost", "*>* = `the balance`", "--cost", "*>ask = fee + 1")
    model = tmp_path / "model"
    result = softcost(
        "fit", folder / "train.csv", *costs, "--action", "wait:3", *FIT.split(),
        "--model", model,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    stored = open_model(str(model))
    assert stored.actions.tolist() == ["ask", "wait"]
    assert stored.row_costs.formulas.actions == ("ask", "wait")
    result = softcost("predict", model, folder / "new.csv")
    predicted = pd.read_csv(io.StringIO(result.stdout))
    assert set(predicted["prediction"]) >= {"wait", "ask"}
    np.testing.assert_allclose(predicted["expected_cost_wait"], 3.0)
    fee = pd.read_csv(folder / "new.csv")["fee"]
    np.testing.assert_allclose(predicted["expected_cost_ask"], fee + 1)


@pytest.mark.parametrize(
    ("costs", "words"),
    [
        (["fn = 1"], "has no cost; add"),
        (["fn = balance", "fp = 1"], "did you mean 'the balance'"),
        (["fn = 1 / fee", "fp = 1"], "divides by zero in row"),
        (["fn = fee - 9", "fp = 1"], "the cost is negative"),
        (["fn = status", "fp = 1"], "not known when a row is decided"),
        (["fn = name", "fp = 1"], "needs a finite number"),
        (["fn = __import__('os')", "fp = 1"], "not allowed in a cost"),
        (["fn = 1", "fp = 1", "fn = 2"], "give that cost once"),
        (["good>bad = 1"], "'good' is not a class"),
    ],
)
def test_bad_formulas_are_one_sentence(softcost, folder, monkeypatch, costs, words):
    def fail(*args, **options):
        raise AssertionError("trained")

    monkeypatch.setattr("softcost.workflow.training.fit_model", fail)
    options = [word for text in costs for word in ("--cost", text)]
    result = softcost("fit", folder / "train.csv", *FIT.split(), *options)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert words in result.stderr


def test_positive_class_by_name(softcost, folder, tmp_path):
    options = ["--cost", "fn = 1", "--cost", "fp = fee", "--positive", CLASSES[1]]
    model = tmp_path / "model"
    words = ("fit", folder / "train.csv", *FIT.split(), *options)
    assert softcost(*words, "--model", model).exit_code == 0
    formulas = open_model(str(model)).row_costs.formulas.formulas
    assert {one.predicted for one in formulas if one.columns} == {CLASSES[1]}
    wrong = softcost(*words[:-1], "nobody")
    assert wrong.exit_code == 2
    assert "'nobody' is not a class" in wrong.stderr


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda table: table.drop(columns="fee"), "'fee' is not a column"),
        (lambda table: table.assign(fee=np.where(table.index == 4, np.nan, 1)),
         "column 'fee' is empty in row 5 of"),
    ],
)  # fmt: skip
def test_rows_to_predict_need_the_columns(softcost, folder, tmp_path, change, words):
    change(loans(20, 2)).to_csv(tmp_path / "rows.csv", index=False)
    result = softcost("predict", folder / "model", tmp_path / "rows.csv")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert words in result.stderr


def test_a_model_from_python_needs_costs(softcost, folder, tmp_path):
    table = pd.read_csv(folder / "train.csv")
    X = table[["score", "fee"]]
    costs = row_cost_matrices(table, ["*>* = `the balance`"], CLASSES)
    model = package.MinimumExpectedCost().fit(X, table["status"], costs=costs)
    package.save(model, tmp_path / "model")
    words = ("predict", tmp_path / "model", folder / "new.csv")
    result = softcost(*words)
    assert result.exit_code == 2
    assert "give --cost FORMULA" in result.stderr
    assert softcost(*words, "--cost", "*>* = `the balance`").exit_code == 0


def test_crafted_formulas_of_a_model_are_refused(folder, tmp_path):
    model, notes = package.load(folder / "model"), describe(folder / "model")
    for bad in (
        {}, [], {"formulas": [], "columns": []},
        {"formulas": [["bad", CLASSES[1], "fee"]], "columns": {"fee": "nominal"}},
        {"formulas": [["bad", CLASSES[1], "().__class__"]], "columns": {}},
        {"formulas": [["bad", "other", "1"]], "columns": {}},
        {"formulas": [["bad", CLASSES[1], "fee"]], "columns": {}},
    ):  # fmt: skip
        path = tmp_path / "model"
        package.save(model, path, notes=notes["notes"] | {"cost_formulas": bad})
        with pytest.raises(ValueError, match="is not a softcost model"):
            open_model(str(path))


def test_the_service_applies_the_formulas(folder):
    from softcost.service.answers import RowModel

    rows = json.loads(pd.read_csv(folder / "new.csv").to_json(orient="records"))
    model = RowModel(open_model(str(folder / "model")))
    prepared = model.prepare(rows)
    answers = model.answer(prepared.X, prepared.unlike, prepared.costs)
    expected, labels, _ = expected_answers(folder, pd.DataFrame(rows))
    assert [answer["prediction"] for answer in answers] == labels.tolist()
    np.testing.assert_allclose(
        [list(answer["expected_costs"].values()) for answer in answers], expected
    )
    with pytest.raises(ValueError, match="row 1 has no cell 'fee'"):
        model.prepare([{name: rows[0][name] for name in ("score", "the balance")}])
    with pytest.raises(ValueError, match="is empty in row 2"):
        model.prepare([rows[0], rows[1] | {"fee": None}])

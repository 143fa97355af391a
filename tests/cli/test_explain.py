"""``softcost explain``: columns in money, from rows that were not learnt from."""

import io

import numpy as np
import pandas as pd
import pytest


@pytest.fixture(scope="module")
def parcels(softcost, strict, tmp_path_factory):
    """A model of rows with a column that tells, and two that say nothing."""
    folder = tmp_path_factory.mktemp("parcels")
    rng = np.random.default_rng(0)
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 600, 300), "D")
    table = pd.DataFrame(
        {
            "weight": rng.normal(10, 3, 300).round(2),
            "sent": days.strftime("%Y-%m-%d"),
            "colour": rng.choice(["red", "blue"], 300),
        }
    )
    table["late"] = np.where(table["weight"] > 10, "yes", "no")
    table.to_csv(folder / "rows.csv", index=False)
    table.iloc[200:].to_csv(folder / "later.csv", index=False)
    (folder / "prices.csv").write_text(",no,yes\nno,0,1\nyes,6,0\n")
    words = ["--target", "late", "--costs", folder / "prices.csv", "--reduction", "mec",
             "--softness", "0", "--cv", "3", "--quiet", "--test-size", "0.3",
             "--currency", "EUR", "--report", folder / "page.html"]  # fmt: skip
    fitted = softcost(
        "fit", folder / "rows.csv", *words, "--model", folder / "m", "--json"
    )
    shown = softcost("fit", folder / "rows.csv", *words)
    return folder, strict(fitted.stdout), shown.stdout


def test_columns_are_told_in_money(parcels, softcost, strict):
    folder, _, _ = parcels
    words = ["explain", folder / "m", folder / "later.csv", "--target", "late"]
    told = strict(softcost(*words, "--json").stdout)
    assert (told["rows"], told["repeats"], told["prices"]) == (100, 5, "by class")
    names = [one["column"] for one in told["columns"]]
    assert names[0] == "weight"
    assert sorted(names) == ["colour", "sent", "weight"]  # a date is one column
    first = told["columns"][0]
    assert first["shown"]
    assert first["low"] < first["saving"] < first["high"]
    shown = softcost(*words).stdout
    assert "importance, EUR" in shown
    assert "weight" in shown
    doubled = folder / "doubled.csv"
    doubled.write_text(",no,yes\nno,0,2\nyes,12,0\n")
    more = strict(softcost(*words, "--costs", doubled, "--json").stdout)
    assert more["columns"][0]["saving"] == pytest.approx(2 * first["saving"])


def test_fit_tells_it_of_test_rows(parcels, menu, softcost, strict):
    folder, fitted, shown = parcels
    assert fitted["importance"]["rows"] == 90
    assert fitted["importance"]["columns"][0]["column"] == "weight"
    assert "when the column is shuffled" in shown
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert '"importanceRows": 90' in page or '"importanceRows":90' in page
    again = folder / "again.html"
    assert softcost("page", folder / "m", "-o", again).exit_code == 0
    assert "importanceRows" in again.read_text(encoding="utf-8")
    without = strict(softcost(*menu.fit, "--json").stdout)
    assert without["importance"] is None  # no rows were held out


def test_a_constant_answer_needs_no_column(softcost, parcels):
    folder, _, _ = parcels
    (folder / "one.csv").write_text(",no,yes\nno,0,1\nyes,1000000,0\n")
    words = ["--target", "late", "--costs", folder / "one.csv", "--reduction", "mec",
             "--softness", "0", "--cv", "3", "--quiet", "--test-size", "0.3",
             "--param", "C=1e-9"]  # fmt: skip
    result = softcost("fit", folder / "rows.csv", *words)
    assert result.exit_code == 0
    assert "No column changes the cost" in result.stdout


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--target", "missing"], "missing"),
        (["--target", "late", "--rows", "1"], "--rows"),
        (["--target", "late", "--repeats", "0"], "--repeats"),
        (["--target", "colour"], "classes that the model does not have"),
    ],
)
def test_bad_input_is_told(parcels, softcost, words, reason):
    folder, _, _ = parcels
    result = softcost("explain", folder / "m", folder / "later.csv", *words)
    assert result.exit_code == 2
    assert reason in " ".join(result.stderr.split())


def test_a_row_is_explained_by_the_values_of_others(models, softcost, strict, tmp_path):
    """The same as predicting copies of the row with one other value each."""
    rows = pd.read_csv(models / "new.csv").head(30)
    rows.to_csv(tmp_path / "rows.csv", index=False)
    model = tmp_path / "m"
    result = softcost(
        "fit", models / "train.csv", "--target", "t", "--costs", models / "prices.csv",
        "--reduction", "mec", "--learner", "linear", "--softness", "0", "--cv", "2",
        "--quiet", "--model", model,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    line = ("explain", model, tmp_path / "rows.csv", "--row", 7)
    facts = strict(softcost(*line, "--json").stdout)
    others = rows.drop(index=6)
    for column in facts["columns"]:
        copies = pd.concat([rows.iloc[[6]]] * 29, ignore_index=True)
        copies[column["column"]] = others[column["column"]].to_numpy()
        copies.to_csv(tmp_path / "copies.csv", index=False)
        text = softcost("predict", model, tmp_path / "copies.csv").stdout
        predicted = pd.read_csv(io.StringIO(text))
        changed = predicted["prediction"] != facts["prediction"]
        assert column["changes"] == pytest.approx(changed.mean())
        lead = predicted["next_best_costs_more"].where(~changed, -predicted[
            "next_best_costs_more"])  # fmt: skip
        assert column["support"] == pytest.approx(facts["lead"] - lead.mean())
    shown = softcost(*line)
    assert shown.stdout.startswith("Row 7 of ")
    assert facts["prediction"] in shown.stdout


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--row", "151"], "rows 1 to 150"),
        (["--row", "0"], "0 is not in the range"),
        ([], "--row N"),
        (["--row", "1", "--target", "t"], "--row N"),
    ],
)
def test_rows_that_cannot_be_explained(models, softcost, words, expected):
    result = softcost("explain", models / "good", models / "new.csv", *words)
    assert result.exit_code == 2
    assert expected in result.stderr


def test_a_single_row_has_nothing_to_be_compared_with(models, softcost, tmp_path):
    pd.read_csv(models / "new.csv").head(1).to_csv(tmp_path / "r.csv", index=False)
    result = softcost("explain", models / "good", tmp_path / "r.csv", "--row", 1)
    assert result.exit_code == 2
    assert "single row" in result.stderr

"""``softcost explain``: columns in money, from rows that were not learnt from."""

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
        (["--target", "colour"], "classes that the model does not know"),
    ],
)
def test_bad_input_is_told(parcels, softcost, words, reason):
    folder, _, _ = parcels
    result = softcost("explain", folder / "m", folder / "later.csv", *words)
    assert result.exit_code == 2
    assert reason in " ".join(result.stderr.split())

"""``softcost costs template`` and ``softcost costs check``."""

import itertools
import json

import numpy as np
import pytest

from softcost.costs import read_costs
from softcost.costs.price_list import _never_worthwhile

FREE = {"a": {"b": 0}, "b": {"a": 0}}


def test_a_template_can_be_used_as_it_is(menu, softcost, tmp_path):
    path = tmp_path / "costs.csv"
    result = softcost("costs", "template", menu.data, "--target", "class", "-o", path)
    assert result.exit_code == 0
    prices = read_costs(str(path))
    assert list(prices.index) == list(prices.columns) == sorted(menu.classes)
    assert np.array_equal(prices, 1 - np.eye(3))
    text = path.read_text(encoding="utf-8")
    for name, count in menu.rows()["class"].value_counts().items():
        assert f"#   {name}: {count}\n" in text
    assert softcost("costs", "check", path).exit_code == 0


def test_template_on_standard_output_and_as_json(menu, softcost, strict, tmp_path):
    words = ("costs", "template", menu.data, "--target", "class")
    path = tmp_path / "costs.csv"
    softcost(*words, "-o", path)
    assert softcost(*words).stdout == path.read_text(encoding="utf-8")
    found = strict(softcost(*words, "--json").stdout)
    assert found["class_counts"] == menu.rows()["class"].value_counts().to_dict()
    assert found["costs"]["ham & eggs"]["spam, fried"] == 1
    as_json = tmp_path / "costs.json"
    as_json.write_text(json.dumps(found["costs"]))
    assert np.array_equal(read_costs(str(as_json)), read_costs(str(path)))


@pytest.fixture
def check(softcost, tmp_path):
    """What is said of a matrix."""

    def run(prices, *options, code=0):
        path = tmp_path / "prices.json"
        path.write_text(json.dumps(prices))
        result = softcost("costs", "check", path, *options)
        assert result.exit_code == code, result.output
        return result.stdout

    return run


def test_orientation_is_said_in_words(check):
    words = check({"a": {"b": 3}, "b": {"a": 7}})
    assert "predicting 'b' for a true 'a' costs 3" in words
    assert "predicting 'a' for a true 'b' costs 7" in words
    assert "Not symmetric" in words
    assert "Consistent" in words


def test_plain_symmetric_and_inconsistent(check):
    assert "plain classification" in check({"a": {"b": 2}, "b": {"a": 2}})
    symmetric = {"a": {"b": 1, "c": 2}, "b": {"a": 1, "c": 3}, "c": {"a": 2, "b": 3}}
    assert "Symmetric" in check(symmetric)
    odd = {"a": {"b": 1, "c": 2}, "b": {"a": 5, "c": 3}, "c": {"a": 1, "b": 9}}
    assert "Not consistent" in check(odd)


def test_oddities_are_named(check):
    words = check({"a": {"b": 0}, "b": {"a": 9}})
    assert "Predicting 'a' is never cheaper than predicting 'b'" in words
    assert "1 mistakes are free" in words
    assert "a wide range" in check({"a": {"b": 0.001}, "b": {"a": 900}})
    assert "Correct predictions of 'a' cost something" in check(
        {"a": {"a": 1, "b": 2}, "b": {"a": 2}}
    )
    assert "No mistake costs anything" in check(FREE, code=2)


def test_a_class_that_is_never_worthwhile():
    """A hedge beats the middle class for any probabilities: half of p @ C is less."""
    prices = np.array([[0, 1, 4.0], [1, 0, 1], [4, 1, 0]])
    assert _never_worthwhile(prices, ["a", "b", "c"]) == []
    prices = np.array([[0, 3, 4.0], [0, 0, 0], [4, 3, 0]])
    assert _never_worthwhile(prices, ["a", "b", "c"]) == ["b"]
    rng = np.random.default_rng(0)
    chances = rng.dirichlet(np.ones(3), 5000)
    assert not (np.argmin(chances @ (prices + 1e-9 * np.eye(3)[1]), axis=1) == 1).any()


def test_classes_are_compared_with_data(check, menu):
    prices = {"ham & eggs": {"eel": 1}, "eel": {"ham & eggs": 2}}
    words = check(prices, "--data", str(menu.data), "--target", "class", code=2)
    assert "classes without prices, 'Brötchen ✓', 'spam, fried'" in words
    assert "no rows of 'eel'" in words
    words = check(menu.prices, "--data", str(menu.data), "--target", "class")
    assert "The classes are those of the data" in words


def test_check_as_json(check, strict):
    odd = {"a": {"b": 1, "c": 2}, "b": {"a": 5, "c": 0}, "c": {"a": 1, "b": 9}}
    found = strict(check(odd, "--json"))
    assert found["classes"] == ["a", "b", "c"]
    assert found["largest"] == 9
    assert found["smallest"] == 1
    assert found["free_mistakes"] == 1
    assert found["consistent"] is False
    assert found["weights"] is None
    assert strict(check(FREE, "--json", code=2))["smallest"] == 0


def test_a_template_that_went_through_a_spreadsheet(softcost, tmp_path, monkeypatch):
    """TRUE for True, quoted comments, semicolons and decimal commas."""
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{i % 5},{i % 3 == 0}\n" for i in range(30))
    (tmp_path / "data.csv").write_text("x,left\n" + rows)
    made = softcost("costs", "template", "data.csv", "--target", "left").stdout
    comments = [line for line in made.splitlines() if line.startswith("#")]
    lines = [f'"{line}";;' for line in comments]
    lines += ["true \\ predicted;FALSE;TRUE", "FALSE;0;1,5", "TRUE;20,5;0"]
    (tmp_path / "prices.csv").write_text("\n".join(lines))
    line = "costs check prices.csv --data data.csv --target left --json"
    found = json.loads(softcost(*line.split()).stdout)
    assert found["classes"] == ["False", "True"]
    assert (found["smallest"], found["largest"], found["refused"]) == (1.5, 20.5, None)
    assert len(found["notes"]) == 2
    line = "fit data.csv --target left --costs prices.csv --softness 2 --cv 2"
    result = softcost(*line.split(), "--param", "C=1")
    assert result.exit_code == 0
    assert "'TRUE' of prices.csv is taken for 'True' of data.csv" in result.stderr


@pytest.mark.parametrize(
    ("prices", "words"),
    [
        ('{"a": {"b": 0}, "b": {"a": 0}}', "no mistake costs anything"),
        ('{"a": {"c": 1}, "c": {"a": 1}}', "classes without a price, 'b'"),
    ],
)
def test_check_fails_where_fit_would(softcost, tmp_path, monkeypatch, prices, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_text("x,t\n" + "1,a\n2,b\n" * 9)
    (tmp_path / "prices.json").write_text(prices)
    line = "--target t --data data.csv --json"
    result = softcost("costs", "check", "prices.json", *line.split())
    assert result.exit_code == 2
    assert words in result.stderr
    assert words in json.loads(result.stdout)["refused"]
    line = "fit data.csv --target t --costs prices.json"
    refused = softcost(*line.split())
    assert refused.exit_code == 2
    assert words in refused.stderr


@pytest.mark.parametrize("size", [2, 3, 4, 7])
def test_every_price_of_a_short_list_is_read_aloud(check, size):
    names = [f"c{k}" for k in range(size)]
    pairs = list(itertools.permutations(names, 2))
    prices = {true: {} for true in names}
    for price, (true, predicted) in enumerate(pairs, start=1):
        prices[true][predicted] = price
    lines = check(prices).splitlines()
    read = [line for line in lines if line.startswith("  predicting")]
    if size > 3:
        assert f"  and {len(pairs) - len(read)} more" in lines
        return
    assert read == [
        f"  predicting '{predicted}' for a true '{true}' costs {price}"
        for price, (true, predicted) in enumerate(pairs, start=1)
    ]


def test_an_excel_template_is_protected_explained_and_read_back(softcost, tmp_path):
    """Only prices can be edited; names that look like formulas stay names."""
    openpyxl = pytest.importorskip("openpyxl")
    names = ["ham", "spam, fried", "=1+1"]
    rows = "".join(f'{i},"{names[i % 3]}"\n' for i in range(30))
    (tmp_path / "data.csv").write_text("x,t\n" + rows)
    path = tmp_path / "prices.xlsx"
    line = ("costs", "template", tmp_path / "data.csv", "--target", "t")
    result = softcost(*line, "-o", path, "--action", "ask")
    assert result.exit_code == 0, result.output
    book = openpyxl.load_workbook(path)
    sheet = book.active
    assert sheet.protection.sheet
    header = next(r for r in sheet.iter_rows() if r[0].value == "true \\ predicted")
    first = header[0].row
    prompts = {str(v.sqref): v.prompt for v in sheet.data_validations.dataValidation}
    classes = [cell.value for cell in header[1:4]]
    for row in range(first + 1, first + 4):
        true = sheet.cell(row, 1).value
        assert sheet.cell(row, 1).comment.text.startswith("10 rows")
        for column in range(1, 6):
            cell, answer = sheet.cell(row, column), header[column - 1].value
            assert cell.protection.locked == (answer == true or column == 1)
            if not cell.protection.locked:
                assert repr(true) in prompts[cell.coordinate]
                assert repr(answer) in prompts[cell.coordinate]
    sheet.cell(first + 1, 3).value = "5 to 20"
    sheet.cell(first + 2, 2).value = 7
    book.save(path)
    told = []
    costs = read_costs(str(path), told.append)
    assert sorted(costs.index) == sorted(names)
    assert costs.loc[classes[0], classes[1]] == 12.5
    assert costs.loc[classes[1], classes[0]] == 7
    assert (costs["ask"] == 0.25).all()
    assert "1 price is a range" in " ".join(told)


def test_a_template_has_a_known_ending(softcost, tmp_path):
    (tmp_path / "data.csv").write_text("x,t\n1,a\n2,b\n3,a\n4,b\n")
    line = ("costs", "template", tmp_path / "data.csv", "--target", "t", "-o")
    result = softcost(*line, tmp_path / "prices.ods")
    assert result.exit_code == 2
    assert ".csv or .xlsx" in result.stderr


def test_ranges_of_prices_become_a_regret(softcost, tmp_path, monkeypatch):
    """The regret at the ends of the ranges is never above the reported one."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 80)
    size = rng.normal(size=80) + truth
    rows = zip(size, np.array(["ham", "spam"])[truth], strict=True)
    (tmp_path / "rows.csv").write_text(
        "size,kind\n" + "".join(f"{number:.3f},{label}\n" for number, label in rows)
    )
    (tmp_path / "prices.csv").write_text(
        "true \\ predicted,ham,spam\nham,0,1 to 9\nspam,2,0\n"
    )
    line = (
        "fit rows.csv --target kind --costs prices.csv --param C=1 --softness 3 --cv 2"
    )
    printed = softcost(*line.split())
    assert "within their ranges" in printed.stdout
    found = json.loads(softcost(*line.split(), "--json").stdout)
    regret = found["sensitivity"]["regret"]
    assert 0 <= regret["least"] <= regret["chosen"]
    worst = [one["worst"] for one in regret["candidates"]]
    assert worst == sorted(worst)
    assert worst[0] == regret["least"]
    (tmp_path / "prices.csv").write_text(
        "true \\ predicted,ham,spam\nham,0,5\nspam,2,0\n"
    )
    without = json.loads(softcost(*line.split(), "--json").stdout)
    assert without["sensitivity"]["regret"] is None
    chosen = without["cross_validated"]["chosen"]["cost"]
    assert chosen == found["cross_validated"]["chosen"]["cost"]  # of the middle

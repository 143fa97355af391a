"""Price lists in every format."""

import sys

import pandas as pd
import pytest

from softcost.costs import read_costs
from softcost.costs.price_list import read_cost_range


def price_files(menu, folder):
    """The same prices in every format."""
    names = sorted(menu.classes)
    matrix = menu.matrix()
    matrix.to_csv(folder / "prices.csv")
    text = (folder / "prices.csv").read_text(encoding="utf-8")
    (folder / "notes.csv").write_text("# a comment, with a comma\n" + text)
    (folder / "bom.csv").write_text(text, encoding="utf-8-sig")
    matrix.to_csv(folder / "semi.csv", sep=";")
    matrix.map(lambda price: f"{price:.2f}".replace(".", ",")).to_csv(
        folder / "comma.csv", sep=";"
    )
    comments = '"# said ""a"", and more";;;\n# the number in row a;column b;;\n'
    semi = (folder / "semi.csv").read_text(encoding="utf-8")
    lines = [f"{line};;" for line in semi.splitlines()]
    (folder / "excel.csv").write_text(comments + "\n".join(lines), encoding="utf-8")
    (folder / "utf16.csv").write_text(text, encoding="utf-16")
    long = matrix.stack().rename_axis(["true", "predicted"]).rename("price")
    long[long > 0].to_csv(folder / "long.csv")
    matrix.sample(frac=1, random_state=1).to_csv(folder / "mixed.csv")
    rows = matrix.to_numpy().tolist()
    (folder / "rows.json").write_text(
        '{"classes": ' + str(names).replace("'", '"') + f', "matrix": {rows}}}'
    )
    lines = []
    for true, row in menu.prices.items():
        lines.append(f'["{true}"]')
        lines += [f'"{name}" = {price}' for name, price in row.items()]
    (folder / "prices.toml").write_text("\n".join(lines))
    lines = []
    for true, row in menu.prices.items():
        lines.append(f'"{true}":')
        lines += [f'  "{name}": {price}' for name, price in row.items()]
    (folder / "prices.yaml").write_text("\n".join(lines))
    return sorted(path for path in folder.iterdir())


def test_prices_are_the_same_in_every_format(menu, tmp_path):
    for path in price_files(menu, tmp_path):
        if path.suffix == ".yaml":
            pytest.importorskip("yaml")
        pd.testing.assert_frame_equal(read_costs(str(path)), menu.matrix())


def test_yaml_keeps_class_names_as_they_are(tmp_path):
    pytest.importorskip("yaml")
    path = tmp_path / "prices.yml"
    path.write_text(
        "no:\n  yes: 1\n  1.0: 2\nyes:\n  no: 3\n  1.0: 1\n1.0:\n  no: 1\n  yes: 1\n"
    )
    assert sorted(read_costs(str(path)).index) == ["1.0", "no", "yes"]


def test_yaml_without_pyyaml_is_one_sentence(tmp_path, softcost, monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    path = tmp_path / "prices.yaml"
    path.write_text("a: {b: 1}\nb: {a: 1}\n")
    result = softcost("costs", "check", path)
    assert result.exit_code == 2
    assert "pip install 'pyyaml" in result.stderr


def test_prices_from_a_workbook(menu, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    matrix, book = menu.matrix(), openpyxl.Workbook()
    book.active.append(["# a comment"])
    book.active.append(["true \\ predicted", *matrix.columns])
    for name, row in matrix.iterrows():
        book.active.append([name, *row])
    book.save(tmp_path / "prices.xlsx")
    found = read_costs(str(tmp_path / "prices.xlsx"))
    pd.testing.assert_frame_equal(found, matrix)


READ = {
    # German thousands, where semicolons part the cells and nothing else tells
    ",a;b": (";a;b\na;0;1.500\nb;2.000;0\n", [[0, 1500], [2000, 0]]),
    "point": (",a,b\na,0,1.500\nb,2.000,0\n", [[0, 1.5], [2, 0]]),
    "money": (',a,b\na,0,"€ 1,500.50"\nb,2 %,0\n', [[0, 1500.5], [2, 0]]),
    "benefit": (",a,b\na,-100,20\nb,5,0\n", [[0, 120], [5, 0]]),
    "long": ("true,predicted,price\na,b,3\nb,a,4\n", [[0, 3], [4, 0]]),
    "numbers": ("true,predicted,price\n0,1,3\n1,0,4\n", [[0, 3], [4, 0]]),
}


@pytest.mark.parametrize("name", list(READ))
def test_prices_as_people_write_them(tmp_path, name):
    text, wanted = READ[name]
    path = tmp_path / "prices.csv"
    path.write_text(text, encoding="utf-8")
    told = []
    assert read_costs(str(path), told.append).to_numpy().tolist() == wanted
    assert ("benefits" in "".join(told)) == (name == "benefit")


def test_prices_without_names_are_told_from_others(tmp_path):
    path = tmp_path / "prices.csv"
    path.write_text("0,1\n5,0\n")
    with pytest.raises(ValueError, match="no names of classes"):
        read_costs(str(path))


def test_a_list_that_is_refused_is_called_a_price_list(tmp_path):
    path = tmp_path / "prices.csv"
    path.write_text("true,predicted,price\na,b,3\nb,a,-4\n")
    with pytest.raises(ValueError, match="the price list makes predicting 'a'") as told:
        read_costs(str(path))
    assert "cost_matrix" not in str(told.value)


CORNERS = {
    "rows are predictions": [
        "predicted \\ true", "predicted", "Prediction / Actual", "predicted class",
        "vorhergesagt \\ wahr", "Vorhersage", "prédit \\ réel", "predicho / real",
        "rows: predicted, columns: true", "columns are true classes, rows predicted",
        "true → / predicted ↓", "predicted ↓", "PREDICTED vs TRUE", "previsto/vero",
    ],
    "rows are true classes": [
        "true \\ predicted", "true", "actual", "wahr \\ vorhergesagt", "tatsächlich",
        "vrai / prédit", "predicted →", "predicted → / true ↓",
        "rows: true, columns: predicted", "verdadero \\ predicho",
    ],
    "unclear": ["", "EUR", "costs", "predicted -> true", "class"],
}  # fmt: skip


@pytest.mark.parametrize("ending", [".csv", ".xlsx"])
@pytest.mark.parametrize("meaning", list(CORNERS))
def test_the_corner_says_what_the_rows_are(tmp_path, meaning, ending):
    for corner in CORNERS[meaning]:
        path = tmp_path / f"prices{ending}"
        frame = pd.DataFrame([[0, 50], [1, 0]], index=["a", "b"], columns=["a", "b"])
        frame = frame.rename_axis(corner)
        if ending == ".csv":
            frame.to_csv(path)
        else:
            frame.to_excel(path)
        told = []
        costs = read_costs(str(path), told.append)
        turned = meaning == "rows are predictions"
        assert costs.loc["a", "b"] == (1 if turned else 50), corner
        sentences = " ".join(told)
        assert ("transposed" in sentences) == turned, corner
        if meaning == "rows are true classes":
            assert sentences == ""
            continue
        predicted, true = "ab" if turned else "ba"
        mistake = f"predicting {predicted!r} when the truth is {true!r} costs 50"
        assert mistake in sentences
        assert ("into its first cell" in sentences) == (meaning == "unclear"), corner


def test_actions_in_rows_need_a_corner_that_says_so(tmp_path):
    path = tmp_path / "prices.csv"
    text = "{},a,b\na,0,9\nb,5,0\nask,1,2\n"
    path.write_text(text.format(""))
    with pytest.raises(ValueError, match=r"predicted \\ true"):
        read_costs(str(path))
    path.write_text(text.format("predicted \\ true"))
    costs = read_costs(str(path))
    assert costs.columns.tolist() == ["a", "b", "ask"]
    assert costs.to_numpy().tolist() == [[0, 5, 1], [9, 0, 2]]


def test_a_list_of_prices_may_begin_with_the_prediction(tmp_path):
    path = tmp_path / "prices.csv"
    path.write_text("predicted,true,price\na,b,3\nb,a,4\n")
    told = []
    costs = read_costs(str(path), told.append)
    assert costs.loc["b", "a"] == 3
    assert "transposed" in " ".join(told)


def test_titles_over_and_beside_a_matrix_say_what_is_where(tmp_path):
    path = tmp_path / "prices.csv"
    for top, side, cost in (("true", "predicted", 1), ("predicted", "true", 50)):
        path.write_text(f",,{top},\n,,a,b\n{side},a,0,50\n,b,1,0\n")
        assert read_costs(str(path)).loc["a", "b"] == cost
    path.write_text("Prices of 2024,,\n,true,\n,a,b\na,0,50\nb,1,0\n")
    assert read_costs(str(path)).loc["a", "b"] == 1


def test_symmetric_prices_need_no_confirmation(tmp_path):
    path = tmp_path / "prices.csv"
    path.write_text(",a,b\na,0,5\nb,5,0\n")
    told = []
    read_costs(str(path), told.append)
    assert told == []


RANGES = {
    "english": ("prices.csv", ",a,b\na,0,5 to 20\nb,2,0\n"),
    "dash": ("prices.csv", ",a,b\na,0,5-20\nb,2,0\n"),
    "en dash": ("prices.csv", ",a,b\na,0,5 \u2013 20 EUR\nb,2,0\n"),
    "german": ("prices.csv", ';a;b\na;0;"5,0 bis 20,0"\nb;2;0\n'),
    "list": ("prices.csv", "true,predicted,price\na,b,5 to 20\nb,a,2\n"),
    "json": ("prices.json", '{"a": {"b": "5 to 20"}, "b": {"a": 2}}'),
}


@pytest.mark.parametrize("name", list(RANGES))
def test_a_price_may_be_a_range(tmp_path, name):
    path = tmp_path / RANGES[name][0]
    path.write_text(RANGES[name][1], encoding="utf-8")
    told = []
    assert read_costs(str(path), told.append).loc["a", "b"] == 12.5
    assert "range" in " ".join(told)
    low, high = read_cost_range(str(path))
    assert (low.loc["a", "b"], high.loc["a", "b"]) == (5, 20)
    assert low.loc["b", "a"] == high.loc["b", "a"] == 2


def test_what_is_not_a_range(tmp_path):
    path = tmp_path / "prices.csv"
    for cell in ("20 to 5", "a to b", "5 to", "to 5", "1-2-3"):
        path.write_text(f",a,b\na,0,{cell}\nb,2,0\n")
        with pytest.raises(ValueError, match="write a number"):
            read_costs(str(path))
    path.write_text(",a,b\na,0,5 to 20\nb,-2,0\n")
    with pytest.raises(ValueError, match="negative"):
        read_costs(str(path))
    path.write_text(",a,b\na,0,1e-3\nb,5-,0\n")  # numbers with a minus sign
    assert read_cost_range(str(path)) is None

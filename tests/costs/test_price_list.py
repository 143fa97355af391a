"""Price lists in every format."""

import sys

import pandas as pd
import pytest

from softcost.costs import read_costs


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
    assert "pip install 'softcost[yaml]'" in result.stderr


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

"""Price lists in every format."""

import sys

import pandas as pd
import pytest

from softcost.cli.inputs import read_cost_file


def price_files(menu, folder):
    """The same prices in every format."""
    names = sorted(menu.classes)
    matrix = menu.matrix()
    matrix.to_csv(folder / "prices.csv")
    text = (folder / "prices.csv").read_text(encoding="utf-8")
    (folder / "notes.csv").write_text("# a comment, with a comma\n" + text)
    (folder / "bom.csv").write_text(text, encoding="utf-8-sig")
    matrix.to_csv(folder / "semi.csv", sep=";")
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
        pd.testing.assert_frame_equal(read_cost_file(str(path)), menu.matrix())


def test_yaml_keeps_class_names_as_they_are(tmp_path):
    pytest.importorskip("yaml")
    path = tmp_path / "prices.yml"
    path.write_text(
        "no:\n  yes: 1\n  1.0: 2\nyes:\n  no: 3\n  1.0: 1\n1.0:\n  no: 1\n  yes: 1\n"
    )
    assert sorted(read_cost_file(str(path)).index) == ["1.0", "no", "yes"]


def test_yaml_without_pyyaml_is_one_sentence(tmp_path, softcost, monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    path = tmp_path / "prices.yaml"
    path.write_text("a: {b: 1}\nb: {a: 1}\n")
    result = softcost("costs", "check", path)
    assert result.exit_code == 2
    assert "pip install 'softcost[yaml]'" in result.stderr

"""Tables in every format."""

import sys

import pandas as pd

from softcost.cli.inputs import find_kinds, read_table, typed_columns


def test_parquet_without_pyarrow_is_one_sentence(tmp_path, softcost, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    path = tmp_path / "data.parquet"
    path.write_bytes(b"PAR1")
    result = softcost("costs", "template", path, "--target", "a")
    assert result.exit_code == 2
    assert "pip install 'softcost[parquet]'" in result.stderr


def test_every_format_of_a_table_gives_the_same_model(menu, softcost, strict, tmp_path):
    frame = menu.rows()
    frame.to_parquet(tmp_path / "menu.parquet")
    frame.to_csv(tmp_path / "menu.csv.gz", index=False)
    frame.to_csv(tmp_path / "menu.tsv", index=False, sep="\t")
    frame.fillna({"kind": "?"}).to_csv(
        tmp_path / "semi.csv", index=False, sep=";", na_rep="NA", encoding="utf-8-sig"
    )
    kinds = find_kinds(read_table(str(menu.data)).drop(columns="class"))
    wanted = typed_columns(read_table(str(menu.data)), kinds, "menu.csv")
    for path in tmp_path.iterdir():
        raw = read_table(str(path))
        assert find_kinds(raw.drop(columns="class")) == kinds
        pd.testing.assert_frame_equal(typed_columns(raw, kinds, path.name), wanted)

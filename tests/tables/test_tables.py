"""Tables in every format."""

import sys

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softcost.tables import infer_columns, read_table
from softcost.tables.cells import header_names
from softcost.tables.columns import typed_columns
from softcost.tables.infer import infer_kinds


def test_parquet_without_pyarrow_is_one_sentence(tmp_path, softcost, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    path = tmp_path / "data.parquet"
    path.write_bytes(b"PAR1")
    result = softcost("costs", "template", path, "--target", "a")
    assert result.exit_code == 2
    assert "pip install 'pyarrow" in result.stderr


def test_every_format_of_a_table_gives_the_same_model(menu, softcost, strict, tmp_path):
    frame = menu.rows()
    frame.to_parquet(tmp_path / "menu.parquet")
    frame.to_csv(tmp_path / "menu.csv.gz", index=False)
    frame.to_csv(tmp_path / "menu.tsv", index=False, sep="\t")
    frame.fillna({"kind": "?"}).to_csv(
        tmp_path / "semi.csv", index=False, sep=";", na_rep="NA", encoding="utf-8-sig"
    )
    kinds = infer_kinds(read_table(str(menu.data)).drop(columns="class"))
    wanted = typed_columns(read_table(str(menu.data)), kinds, "menu.csv")
    for path in tmp_path.iterdir():
        raw = read_table(str(path))
        assert infer_kinds(raw.drop(columns="class")) == kinds
        pd.testing.assert_frame_equal(typed_columns(raw, kinds, path.name), wanted)


@given(st.lists(st.sampled_from(["", "a", " a", "a (2)", "a (3)", "unnamed column 2"])))
def test_every_column_has_a_name_of_its_own(cells):
    names = header_names(cells, "rows.csv")
    assert len({*names}) == len(names) == len(cells)
    plain = [cell.strip() for cell in cells]
    for number, name in enumerate(plain):
        if name and name not in plain[:number]:  # the first one keeps it
            assert name in names
        assert names[number].startswith(name or "unnamed column")


@pytest.mark.parametrize("different", [True, False])
def test_headers_take_work_in_proportion_to_their_length(different, compared):
    """A table of genes has 20,000 columns: not every name with every other."""
    cells = [compared(f"gene {number * different}") for number in range(2000)]
    assert len({*header_names(cells, "rows.csv")}) == 2000
    assert compared.count < 20_000


CELLS = st.sampled_from(
    ["1", "2", "-3", "0.5", "1.234", "+7.125", " 2.5", "1e3", ".5", "4.", "007", "010",
     "123", "20240131", "20231205", "inf", "nan", "", "?", "1,5", "1.234,5", "x", "5 %"]
)  # fmt: skip
COLUMN = st.lists(CELLS, min_size=6, max_size=6)
ALIKE = st.sampled_from(
    ["1.234 2.345", "0.5 1.234", "007 012", "20240131 20240201 20240229", "1 2 3",
     "1e3 2.5", "1,5 2,75"]
).flatmap(
    lambda some: st.lists(st.sampled_from(some.split()), min_size=6, max_size=6)
)  # fmt: skip


@pytest.mark.parametrize("dtype", [object, str])
@given(st.lists(COLUMN | ALIKE, min_size=1, max_size=4))
def test_columns_at_once_are_those_one_by_one(dtype, columns):
    """What plain numbers are read as does not depend on how many there are."""
    frame = pd.DataFrame(dict(zip("abcd", columns, strict=False)), dtype=dtype)
    labels = pd.Series(list("uvuvuu")).to_numpy()

    def found():
        kinds = infer_kinds(frame)
        try:
            typed = typed_columns(frame, kinds, "rows.csv")
        except ValueError as error:
            return infer_columns(frame, labels), kinds, str(error)
        return infer_columns(frame, labels), kinds, typed.to_dict("list")

    at_once = found()
    with pytest.MonkeyPatch.context() as patch:
        for module in ("infer", "columns"):
            place = f"softcost.tables.{module}.plain_columns"
            patch.setattr(place, lambda frame, tokens=frozenset(): {})
        one_by_one = found()
    assert repr(at_once) == repr(one_by_one)

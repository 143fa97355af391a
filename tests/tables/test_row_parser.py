"""Rows as mappings are read as the same rows of a table."""

import numpy as np
import odd_tables
import pandas as pd
import pytest

from softcost.tables import RowParser, read_table
from softcost.tables.columns import typed_columns
from softcost.tables.infer import infer_kinds


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("odd")
    odd_tables.write_all(made)
    return made


def as_json(cell):
    """What a client would send for a cell."""
    if pd.isna(cell):
        return None
    if isinstance(cell, str):
        return cell
    if hasattr(cell, "isoformat"):
        return cell.isoformat(sep=" ") if hasattr(cell, "hour") else cell.isoformat()
    return cell.item() if hasattr(cell, "item") else cell


def rows_of(raw):
    return [
        {str(name): as_json(cell) for name, cell in zip(raw, row, strict=True)}
        for row in raw.itertuples(index=False, name=None)
    ]


def test_every_odd_table_is_read_alike(folder):
    files = sorted(path for path in folder.iterdir() if path.suffix != ".txt")
    assert len(files) >= len(odd_tables.TABLES)
    for path in files:
        raw = read_table(str(path))
        kinds = infer_kinds(raw)
        reader = RowParser(kinds)
        found = reader.frame(*reader.read(rows_of(raw)))
        wanted = typed_columns(raw, kinds, str(path))
        pd.testing.assert_frame_equal(found, wanted)


def test_tokens_are_empty_as_text_and_as_numbers():
    kinds = {"a": "number", "b": "nominal", "c": "number, decimal comma"}
    reader = RowParser(kinds, frozenset(["-9"]))
    for token in (-9, -9.0, "-9"):
        numbers, words = reader.read([{"a": token, "b": token, "c": token}])
        assert np.isnan(numbers).all()
        assert words[0, 0] != words[0, 0]


@pytest.mark.parametrize(
    "cell", [True, "apples", 10**400, 1e200, -1e151, "1e200", "inf"]
)
def test_what_is_no_finite_number_is_refused(cell):
    reader = RowParser({"a": "number", "b": "number"})
    with pytest.raises(ValueError, match=r"column 'b' holds .* in row 2, .* number"):
        reader.read([{"a": 1, "b": 2}, {"a": 1, "b": cell}])


def test_what_is_no_date_is_refused():
    with pytest.raises(ValueError, match=r"column 'd' holds '31\.2\.24' in row 1"):
        RowParser({"d": "date, day first"}).read([{"d": "31.2.24"}])


def test_a_missing_column_is_named_and_perhaps_what_was_meant():
    reader = RowParser({"income": "number"})
    with pytest.raises(ValueError, match=r"'income'.* did you mean it by 'incom'\?"):
        reader.read([{"incom": 1}])
    with pytest.raises(ValueError, match=r"row 2 has no cell 'income'.* null"):
        reader.read([{"income": None}, {}])

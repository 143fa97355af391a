"""Results are kept once, exactly, and survive readers and wrong files."""

import sqlite3
from dataclasses import replace

import pandas as pd
import pytest

from softcost.paper import Store


@pytest.fixture
def path(tmp_path, units, results):
    """A store with two units and a failure."""
    path = tmp_path / "results.sqlite"
    with Store(path) as store:
        for unit in units[:2]:
            store.add(unit, results[unit], 0.5)
        store.add_failure(units[2], "ValueError: no", 0.1)
    return path


def test_rows_come_back_exactly(path, units, results):
    with Store(path, write=False) as store:
        rows = store.rows()
    for unit in units[:2]:
        for cell in results[unit]:
            (row,) = rows[rows["key"] == f"{unit.key}/{cell['algorithm']}"].to_dict(
                "records"
            )
            assert {name: row[name] for name in cell} == cell
            assert (row["dataset"], row["costs"], row["run"]) == ("iris", "plain", 0)


def test_units_are_missing_until_all_their_cells_are_there(path, units):
    with Store(path) as store:
        assert store.missing(units[:3]) == [units[2]]
        assert store.missing([replace(units[0], version=0)]) != []


def test_a_unit_is_added_once_or_not_at_all(path, units, results):
    with Store(path) as store:
        before = store.rows()
        with pytest.raises(sqlite3.IntegrityError):
            store.add(units[0], results[units[0]])
        doubled = [*results[units[3]], results[units[3]][0]]
        with pytest.raises(sqlite3.IntegrityError):
            store.add(units[3], doubled)
        pd.testing.assert_frame_equal(store.rows(), before)
        assert len(store.attempts()) == 3


def test_failures_are_told_until_they_are_mended(path, units, results):
    with Store(path) as store:
        assert store.failures()["message"].tolist() == ["ValueError: no"]
        store.add_failure(units[2], "ValueError: still no")
        (row,) = store.failures().to_dict("records")
        assert (row["message"], row["attempts"]) == ("ValueError: still no", 2)
        store.add(units[2], results[units[2]])
        assert store.failures().empty


def test_one_process_writes_and_others_read(path, units, results):
    with Store(path) as writer:
        with pytest.raises(BlockingIOError, match="in use"):
            Store(path)
        with Store(path, write=False) as reader:
            before = len(reader.rows())
            # A reader in the middle of its work holds nobody up.
            cursor = reader._db.execute("SELECT * FROM results")
            cursor.fetchone()
            writer.add(units[2], results[units[2]])
            writer.add(units[3], results[units[3]])
            cursor.close()
            assert len(reader.rows()) == before + 3 + 2
    with Store(path) as again:
        assert again.missing(units[:4]) == []


@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
def test_export_and_import_lose_nothing(path, tmp_path, ending):
    table = tmp_path / f"rows{ending}"
    with Store(path, write=False) as store:
        rows, count = store.rows(), store.export(table)
    assert count == len(rows)
    with Store(tmp_path / "other.sqlite") as other:
        assert other.import_rows(table) == (count, 0)
        assert other.import_rows(table) == (0, count)
        pd.testing.assert_frame_equal(other.rows(), rows)
        again = tmp_path / f"again{ending}"
        other.export(again)
    assert again.read_bytes() == table.read_bytes()


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda text: text.replace(",iris,", ",wine,", 1), "key does not belong"),
        (lambda text: text.replace("key,", "kee,", 1), "columns differ"),
        (lambda text: text.replace("{", "[", 1), "line 2"),
        (lambda text: text + text.splitlines()[1] + "\n", "UNIQUE"),
    ],
)
def test_spoilt_exports_are_refused_whole(path, tmp_path, change, complaint):
    table = tmp_path / "rows.csv"
    with Store(path, write=False) as store:
        store.export(table)
    table.write_text(change(table.read_text()))
    with Store(tmp_path / "other.sqlite") as other:
        with pytest.raises(ValueError, match=complaint):
            other.import_rows(table)
        assert other.rows().empty


def test_a_cut_export_is_refused(path, tmp_path):
    table = tmp_path / "rows.csv.gz"
    with Store(path, write=False) as store:
        store.export(table)
    assert table.read_bytes()[:2] == b"\x1f\x8b"
    table.write_bytes(table.read_bytes()[:-20])
    with Store(tmp_path / "other.sqlite") as other:
        with pytest.raises(ValueError, match="not an export"):
            other.import_rows(table)
        assert other.rows().empty


def test_different_results_for_a_cell_are_refused(path, tmp_path, units, results):
    table = tmp_path / "rows.csv"
    with Store(path, write=False) as store:
        store.export(table)
    wrong = [dict(cell, cost=2.0) for cell in results[units[0]]]
    with Store(tmp_path / "other.sqlite") as other:
        other.add(units[0], wrong)
        with pytest.raises(ValueError, match="different results"):
            other.import_rows(table)
        assert len(other.rows()) == len(wrong)


def test_files_that_are_no_stores(tmp_path):
    text = tmp_path / "text"
    text.write_text("not a database, and long enough to be read as a page" * 9)
    with pytest.raises(ValueError, match="not a store"):
        Store(text)
    assert text.read_text().startswith("not a database")
    other = tmp_path / "other.sqlite"
    with sqlite3.connect(other) as db:
        db.execute("CREATE TABLE results (key TEXT)")
    db.close()
    with pytest.raises(ValueError, match="other columns"):
        Store(other)
    with pytest.raises(FileNotFoundError, match="does not exist"):
        Store(tmp_path / "none", write=False)
    with pytest.raises(OSError, match="cannot be written"):
        Store(tmp_path / "no" / "folder")

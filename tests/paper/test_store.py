"""Results are kept once, exactly, and survive readers and wrong files."""

import shutil
import sqlite3
from dataclasses import replace

import numpy as np
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


def test_a_stray_database_gains_no_tables(tmp_path):
    other = tmp_path / "photos.sqlite"
    with sqlite3.connect(other) as db:
        db.execute("CREATE TABLE photos (name TEXT)")
    db.close()
    before = other.read_bytes()
    for write in (True, False):
        with pytest.raises(ValueError, match="something else"):
            Store(other, write=write)
    assert other.read_bytes() == before


@pytest.mark.parametrize("seed", range(12))
def test_a_damaged_store_is_refused_or_the_same(path, seed):
    """Never a traceback of SQLite's, never other numbers."""
    with Store(path, write=False) as store:
        wanted = store.rows()
    rng = np.random.default_rng(seed)
    content = bytearray(path.read_bytes())
    if seed % 3 == 0:
        del content[rng.integers(100, len(content)) :]
    else:
        for place in rng.integers(16, len(content), 4 ** (seed % 3 + 1)):
            content[place] = rng.integers(256)
    path.write_bytes(content)
    found, said = all_of(path)
    if said is None:
        pd.testing.assert_frame_equal(found, wanted)
    else:
        assert str(path) in said
        assert "\n" not in said


def all_of(path):
    """The rows, or what is said instead."""
    try:
        with Store(path, write=False) as store:
            store.failures(), store.attempts(), store.keys()
            return store.rows(), None
    except (ValueError, OSError) as error:
        return None, str(error)


def test_rows_that_were_changed_or_removed_are_noticed(path, tmp_path):
    for number, change in enumerate(
        ("UPDATE results SET cost = cost + 1e-9", "DELETE FROM results WHERE run = 0")
    ):
        spoilt = tmp_path / f"{number}.sqlite"
        shutil.copy(path, spoilt)
        with sqlite3.connect(spoilt) as db:
            db.execute(change)
        db.close()
        with pytest.raises(ValueError, match="damaged"):
            Store(spoilt, write=False)


def test_a_store_without_digests_is_read_and_written(path, units, results):
    with sqlite3.connect(path) as db:
        db.execute("DROP TABLE sums")
    db.close()
    with Store(path, write=False) as store:
        count = len(store.rows())
    with Store(path) as store:
        store.add(units[2], results[units[2]])
    with Store(path, write=False) as store:
        assert len(store.rows()) == count + len(results[units[2]])


def test_a_reader_changes_nothing_and_needs_no_room(path, monkeypatch):
    before = sorted(file.name for file in path.parent.iterdir())
    with Store(path, write=False) as store:
        wanted = store.rows()
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            store._db.execute("DELETE FROM results")
    assert sorted(file.name for file in path.parent.iterdir()) == before
    monkeypatch.setattr("softcost.paper.store.os.access", lambda *args: False)
    with Store(path, write=False) as store:
        pd.testing.assert_frame_equal(store.rows(), wanted)
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            store._db.execute("DELETE FROM results")


def test_a_full_disk_is_one_sentence_and_loses_nothing(path, units, results):
    with Store(path) as store:
        before = store.rows()
        pages = store._db.execute("PRAGMA page_count").fetchone()[0]
        store._db.execute(f"PRAGMA max_page_count = {pages}")
        large = [dict(cell, recalls="x" * 10**5) for cell in results[units[2]]]
        with pytest.raises(OSError, match="disk is full; make room"):
            store.add(units[2], large)
        pd.testing.assert_frame_equal(store.rows(), before)
    with Store(path) as store:
        pd.testing.assert_frame_equal(store.rows(), before)
        store.add(units[2], results[units[2]])


@pytest.mark.parametrize(
    ("name", "value"),
    [("cost", "-1"), ("cost", "inf"), ("error", "1.5"), ("softness", "5"),
     ("g_mean", "nan"), ("run", "-3")],
)  # fmt: skip
def test_numbers_that_no_run_can_have_are_not_imported(path, tmp_path, name, value):
    with Store(path, write=False) as store:
        store.export(tmp_path / "rows.csv")
    table = pd.read_csv(tmp_path / "rows.csv", dtype=str, keep_default_na=False)
    table.loc[0, name] = value
    table.to_csv(tmp_path / "rows.csv", index=False)
    with (
        Store(tmp_path / "new.sqlite") as store,
        pytest.raises(ValueError, match=rf"line 2: .*{name}|key does not belong"),
    ):
        store.import_rows(tmp_path / "rows.csv")


def test_an_export_does_not_go_onto_its_store(path):
    before = path.read_bytes()
    with Store(path, write=False) as store, pytest.raises(ValueError, match="is read"):
        store.export(path)
    assert path.read_bytes() == before

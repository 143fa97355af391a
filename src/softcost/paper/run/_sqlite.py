"""SQLite files that may be damaged, read-only, full or somebody else's."""

import hashlib
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

WAIT = 60.0  # seconds to wait for another process to leave the file
_CHEAP = 200 * 2**20  # a file of this size is checked as a whole in about a second
# A digest of every row, apart from the rows: older stores have none.
SUMS = "CREATE TABLE IF NOT EXISTS sums (key TEXT PRIMARY KEY, sum TEXT NOT NULL)"


@contextmanager
def said_of(path: Path) -> Iterator[None]:
    """SQLite's complaints in one sentence that names the file and the remedy."""
    try:
        yield
    except sqlite3.IntegrityError:
        raise
    except sqlite3.OperationalError as error:
        if "full" in str(error):
            raise OSError(
                f"store {path} cannot be written: the disk is full; make room and give "
                "the same command again, nothing is lost."
            ) from error
        raise OSError(f"store {path} cannot be used: {error}.") from error
    except (sqlite3.DatabaseError, UnicodeDecodeError, OverflowError) as error:
        raise damaged(path, error) from error


def damaged(path: Path, why: object) -> ValueError:
    """What is said of a store that cannot be trusted."""
    return ValueError(
        f"store {path} is not a store of results, or it is damaged ({why}); name "
        "another file, or import an export of it into a new one."
    )


def connect(path: Path, *, write: bool) -> sqlite3.Connection:
    """A connection; one that only reads changes nothing, and needs no room to."""
    if write:
        return sqlite3.connect(path, timeout=WAIT, isolation_level=None)
    address = f"file:{quote(str(path.absolute()))}"
    if os.access(path.parent, os.W_OK) and os.access(path, os.W_OK):
        db = _reader(f"{address}?mode=rw")  # so that SQLite's own files go again
        db.execute("PRAGMA query_only = ON")
        return db
    db = _reader(f"{address}?mode=ro")
    try:
        db.execute("SELECT 1 FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        db.close()
        log = Path(f"{path}-wal")
        if log.exists() and log.stat().st_size > 0:
            raise
        # A read-only folder has no room for SQLite's own files: nobody writes there.
        return _reader(f"{address}?mode=ro&immutable=1")
    return db


def _reader(address: str) -> sqlite3.Connection:
    return sqlite3.connect(address, timeout=WAIT, isolation_level=None, uri=True)


def check_own(db: sqlite3.Connection, path: Path, tables: Sequence[str]) -> None:
    """Refuse a file with somebody else's tables, before any of ours is made."""
    found = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
    others = {name for name in found if not name.startswith("sqlite_")}
    if others and not set(tables[:1]) <= others:
        raise ValueError(
            f"store {path} is a database of something else; name another file."
        )


def check_intact(db: sqlite3.Connection, path: Path) -> None:
    """Refuse a file whose pages do not agree, where looking is cheap."""
    if os.path.getsize(path) > _CHEAP:
        return
    (found,) = db.execute("PRAGMA integrity_check(1)").fetchone()
    if found != "ok":
        raise damaged(path, str(found).splitlines()[-1][:100])


def row_sum(row: Sequence[Any]) -> str:
    """The digest of a row as SQLite gives it back."""
    return hashlib.sha256(repr(tuple(row)).encode()).hexdigest()[:32]


def check_sums(
    db: sqlite3.Connection, path: Path, rows: Iterable[Sequence[Any]]
) -> None:
    """Refuse rows that are not as they were written, and rows that have gone."""
    if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'sums'").fetchone():
        return
    known = dict(db.execute("SELECT key, sum FROM sums"))
    for row in rows:
        if known.pop(row[0], None) not in (None, row_sum(row)):
            raise damaged(path, f"row {row[0]} has changed")
    if known:
        raise damaged(path, f"row {min(known)} is gone")

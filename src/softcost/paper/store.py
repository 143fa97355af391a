"""Results in SQLite: append-only, one writing process, any number of readers."""

import csv
import gzip
import hashlib
import io
import json
import math
import os
import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, TextIO
from urllib.parse import quote

import pandas as pd

from softcost.files import atomic_write
from softcost.paper.cell import METRICS
from softcost.paper.planning import Unit, cell_key

# The SQLite file may be damaged, read-only, on a full disk, or written by another
# program.


WAIT = 60.0  # seconds to wait for another process to leave the file
_CHEAP = 200 * 2**20  # a file of this size is checked as a whole in about a second
# A digest of every row, in a table of its own; older stores have none.
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
    """A connection; for reading only, it changes nothing and needs no disk space."""
    if write:
        return sqlite3.connect(path, timeout=WAIT, isolation_level=None)
    address = f"file:{quote(str(path.absolute()))}"
    if os.access(path.parent, os.W_OK) and os.access(path, os.W_OK):
        db = _reader(f"{address}?mode=rw")  # SQLite then removes its own files
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
        # SQLite cannot create its files in a read-only folder, where nothing writes.
        return _reader(f"{address}?mode=ro&immutable=1")
    return db


def _reader(address: str) -> sqlite3.Connection:
    return sqlite3.connect(address, timeout=WAIT, isolation_level=None, uri=True)


def check_own(db: sqlite3.Connection, path: Path, tables: Sequence[str]) -> None:
    """Refuse a file with somebody else's tables, before any of ours is made."""
    names = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
    others = {name for name in names if not name.startswith("sqlite_")}
    if others and not set(tables[:1]) <= others:
        raise ValueError(
            f"store {path} is a database of something else; name another file."
        )


def check_intact(db: sqlite3.Connection, path: Path) -> None:
    """Refuse a file whose pages do not agree, where looking is cheap."""
    if os.path.getsize(path) > _CHEAP:
        return
    (result,) = db.execute("PRAGMA integrity_check(1)").fetchone()
    if result != "ok":
        raise damaged(path, str(result).splitlines()[-1][:100])


def row_sum(row: Sequence[Any]) -> str:
    """The digest of a row as SQLite gives it back."""
    return hashlib.sha256(repr(tuple(row)).encode()).hexdigest()[:32]


def check_sums(
    db: sqlite3.Connection, path: Path, rows: Iterable[Sequence[Any]]
) -> None:
    """Refuse rows that are not as they were written, and rows that have gone."""
    if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'sums'").fetchone():
        return
    sums = dict(db.execute("SELECT key, sum FROM sums"))
    for row in rows:
        if sums.pop(row[0], None) not in (None, row_sum(row)):
            raise damaged(path, f"row {row[0]} has changed")
    if sums:
        raise damaged(path, f"row {min(sums)} is gone")


# Valid ranges of a cell's numbers.


_UNIT = (0.0, 1.0)
_PRICE = (0.0, math.inf)
_RANGES: dict[str, tuple[float, float]] = {
    "cost": _PRICE,
    "error": _UNIT,
    "weighted_error": _PRICE,
    "recall_product": _UNIT,
    "g_mean": _UNIT,
    "normalized_cost": _PRICE,
    "softness": _UNIT,
    "cv_cost": _PRICE,
    "cv_error": _PRICE,
    "run": (0, 2**31),
    "rows": (1, 2**53),
    "version": (0, 2**31),
}
_ROUNDING = 1e-9


def check_ranges(row: dict[str, Any]) -> None:
    """Refuse a cell with a number that no run can have.

    Examples
    --------
    >>> check_ranges({"cost": 0.5, "softness": 5.0})
    Traceback (most recent call last):
    ValueError: softness is 5.0, which is not from 0 to 1
    """
    for name, (least, most) in _RANGES.items():
        value = row.get(name)
        if value is None:
            continue
        inside = least - _ROUNDING <= value <= most + _ROUNDING
        if not math.isfinite(value) or not inside:
            raise ValueError(
                f"{name} is {value}, which is not from {least:g} to {most:g}"
            )


# Import and export of cells as CSV, plain or gzipped.


FIELDS = {
    "dataset": "TEXT NOT NULL",
    "costs": "TEXT NOT NULL",
    "family": "TEXT NOT NULL",
    "run": "INTEGER NOT NULL",
    "rows": "INTEGER",
    "data": "TEXT NOT NULL",
    "made_of": "TEXT NOT NULL",
    "version": "INTEGER NOT NULL",
    "algorithm": "TEXT NOT NULL",
    **dict.fromkeys(METRICS, "REAL NOT NULL"),
    "recalls": "TEXT NOT NULL",
    "softness": "REAL",
    "params": "TEXT NOT NULL",
    "cv_cost": "REAL",
    "cv_error": "REAL",
}
COLUMNS = ("key", *FIELDS)
_GZIP_MAGIC = b"\x1f\x8b"  # of gzip


def write_export(
    path: Any, rows: Iterable[tuple[Any, ...]], *, reads: Sequence[Any] = ()
) -> int:
    """Write rows in the order of `COLUMNS`; how many there are.

    ``reads`` are files that are being read, which are not to be written over.
    """
    count = 0
    with atomic_write(path, reads=reads) as place, _new_text(place) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for row in rows:
            writer.writerow(
                [repr(value) if isinstance(value, float) else value for value in row]
            )
            count += 1
    return count


@contextmanager
def _new_text(path: Any) -> Iterator[TextIO]:
    """A file to write; compressed without a name and a time in it."""
    if not str(path).endswith(".gz"):
        with open(path, "w", newline="", encoding="utf-8") as file:
            yield file
        return
    with (
        open(path, "wb") as raw,
        gzip.GzipFile("", "wb", compresslevel=9, fileobj=raw, mtime=0) as packed,
        io.TextIOWrapper(packed, "utf-8", newline="") as text,
    ):
        yield text


@contextmanager
def _open_text(path: Any) -> Iterator[TextIO]:
    with open(path, "rb") as file:
        packed = file.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
    opener: Any = gzip.open if packed else open
    with opener(path, "rt", newline="", encoding="utf-8") as text:
        yield text


def read_export(path: Any) -> list[dict[str, Any]]:
    """All rows of an export."""
    try:
        with _open_text(path) as file:
            reader = csv.DictReader(file)
            if tuple(reader.fieldnames or ()) == COLUMNS:
                return [
                    _read_row(row, path, line) for line, row in enumerate(reader, 2)
                ]
            problem = "its columns differ"
    except (UnicodeDecodeError, csv.Error, EOFError, zlib.error) as error:
        problem = str(error)
    raise ValueError(
        f"{path} is not an export of results ({problem}); write one with 'softcost "
        "reproduce export'."
    )


def _read_row(row: dict[str, Any], path: Any, line: int) -> dict[str, Any]:
    """One line of an export, with numbers as numbers; its key is checked."""
    out: dict[str, Any] = {"key": row["key"]}
    try:
        for name, kind in FIELDS.items():
            text = row[name]
            if text == "" and "NOT NULL" not in kind:
                out[name] = None
            elif kind.startswith("REAL"):
                out[name] = float(text)
            elif kind.startswith("INTEGER"):
                out[name] = int(text)
            else:
                out[name] = str(text)
        json.loads(out["params"])
        check_ranges(out)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}, line {line}: {error}; export it again.") from error
    unit = Unit(
        out["dataset"], out["costs"], out["family"], out["run"], out["rows"],
        out["data"], out["made_of"], out["version"],
    )  # fmt: skip
    if cell_key(unit, out["algorithm"]) != out["key"]:
        raise ValueError(
            f"{path}, line {line}: the key does not belong to the row; export it again."
        )
    return out


def differ(a: Any, b: Any) -> bool:
    """Whether two values of a cell are not the same; missing ones are."""
    return a != b and not (pd.isna(a) and pd.isna(b))


_MAGIC = b"SQLite format 3\0"

_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS results (
    key TEXT PRIMARY KEY,
    {", ".join(f"{name} {kind}" for name, kind in FIELDS.items())}
);
CREATE TABLE IF NOT EXISTS attempts (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    unit TEXT NOT NULL,
    name TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('done', 'failed')),
    message TEXT NOT NULL,
    seconds REAL,
    finished TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS attempts_by_unit ON attempts (unit);
{SUMS};
"""
_ORDER = "dataset, costs, family, algorithm, run, key"


class Store:
    """A file of results.

    Rows are added and never changed: one per cell, all cells of a unit in one
    transaction. ``attempts`` is the log: what was done, how long it took, and what
    failed and why; a failure leaves no row in ``results``, so the next run tries again.

    Parameters
    ----------
    path : path-like
        Made where it does not exist.
    write : bool, default=True
        Only one process at a time may write. The lock is let go by the operating
        system if that process is killed.

    See Also
    --------
    reproduce : Rerun a table or figure of the paper, from where the store has got to.
    read_rows : All cells of a store, or of a file that was exported from one.

    Examples
    --------
    >>> import tempfile
    >>> from softcost.paper import Store, make_request, plan
    >>> request = make_request("inconsistent", ["iris"], ["OVA"], runs=2)
    >>> units = plan(request, {"iris": (150, "checksum")})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with Store(f"{folder}/results.sqlite") as store:
    ...         store.add_failure(units[0], "out of memory")
    ...         missing, failures = store.missing(units), store.failures()
    >>> len(missing), failures["message"].tolist()
    (2, ['out of memory'])
    """

    path: Path

    def __init__(self, path: Any, *, write: bool = True) -> None:
        self.path = Path(path)
        self._lock: sqlite3.Connection | None = None
        if not write and not self.path.is_file():
            raise FileNotFoundError(
                f"store {self.path} does not exist; name the file with --store."
            )
        if write:
            self._lock = _lock(self.path)
        try:
            self._db = self._open(write)
        except BaseException:
            self._unlock()
            raise

    def _open(self, write: bool) -> sqlite3.Connection:
        with said_of(self.path):
            db = connect(self.path, write=write)
            check_own(db, self.path, ("results",))
            if write:
                db.execute("PRAGMA journal_mode = WAL")
                db.executescript(_SCHEMA)
            columns = [row[1] for row in db.execute("PRAGMA table_info(results)")]
            check_intact(db, self.path)
        if columns != list(COLUMNS):
            raise ValueError(
                f"store {self.path} has other columns than this version of softcost "
                "writes; name another file."
            )
        with said_of(self.path):
            check_sums(db, self.path, db.execute("SELECT * FROM results"))
        return db

    def __enter__(self) -> "Store":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Leave the file, and let others write."""
        self._db.close()
        self._unlock()

    def _unlock(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def add(
        self, unit: Unit, cells: Sequence[dict[str, Any]], seconds: float | None = None
    ) -> None:
        """Keep the cells of a unit.

        Parameters
        ----------
        unit : Unit
            What was computed.
        cells : sequence of dict
            From `run_unit`.
        seconds : float, default=None
            How long it took.
        """
        fields = asdict(unit)
        fields["made_of"] = fields.pop("algorithm")
        rows = [
            {"key": cell_key(unit, cell["algorithm"]), **fields, **cell}
            for cell in cells
        ]
        with self._transaction():
            self._insert(rows)
            self._log(unit, "done", "", seconds)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """All of a block's changes, or none of them."""
        with said_of(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    def add_failure(
        self, unit: Unit, message: str, seconds: float | None = None
    ) -> None:
        """Note that a unit failed.

        Parameters
        ----------
        unit : Unit
            What failed.
        message : str
            Why.
        seconds : float, default=None
            How long it took.
        """
        with said_of(self.path):
            self._log(unit, "failed", message, seconds)

    def _insert(self, rows: Sequence[dict[str, Any]]) -> None:
        names = ", ".join(COLUMNS)
        values = ", ".join(f":{name}" for name in COLUMNS)
        self._db.executemany(f"INSERT INTO results ({names}) VALUES ({values})", rows)
        for row in rows:
            written = self._db.execute(
                "SELECT * FROM results WHERE key = ?", (row["key"],)
            ).fetchone()
            self._db.execute(
                "INSERT INTO sums VALUES (?, ?)", (row["key"], row_sum(written))
            )

    def _log(self, unit: Unit, status: str, message: str, seconds: float | None):
        self._db.execute(
            "INSERT INTO attempts (unit, name, status, message, seconds, finished) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (
                unit.key,
                str(unit),
                status,
                message,
                seconds,
                time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            ),
        )

    def keys(self) -> set[str]:
        """Keys of all cells that are here.

        Returns
        -------
        set of str
            One for each cell.
        """
        with said_of(self.path):
            return {key for (key,) in self._db.execute("SELECT key FROM results")}

    def missing(self, units: Iterable[Unit]) -> list[Unit]:
        """The units of which some cell is not here.

        Parameters
        ----------
        units : iterable of Unit
            What is wanted.

        Returns
        -------
        list of Unit
            In the same order.
        """
        keys = self.keys()
        return [
            unit
            for unit in units
            if any(cell_key(unit, name) not in keys for name in unit.algorithms)
        ]

    def failures(self) -> pd.DataFrame:
        """Units whose last attempt failed: unit, name, message, how often, when.

        Returns
        -------
        DataFrame
            One row per unit.
        """
        return self._table(
            "SELECT unit, name, message, COUNT(*) AS attempts, finished FROM attempts "
            "GROUP BY unit HAVING number = MAX(number) AND status = 'failed' "
            "ORDER BY MAX(number)"
        )

    def attempts(self) -> pd.DataFrame:
        """The log, in order.

        Returns
        -------
        DataFrame
            One row per attempt.
        """
        return self._table("SELECT * FROM attempts ORDER BY number")

    def rows(self) -> pd.DataFrame:
        """All cells, in an order that does not depend on when they were computed.

        Returns
        -------
        DataFrame
            One row per cell.
        """
        return self._table(f"SELECT * FROM results ORDER BY {_ORDER}")

    def _table(self, query: str) -> pd.DataFrame:
        with said_of(self.path):
            cursor = self._db.execute(query)
            names = [column[0] for column in cursor.description]
            return pd.DataFrame.from_records(cursor.fetchall(), columns=names)

    def export(self, path: Any) -> int:
        """Write all cells as CSV, compressed where the name ends with ``.gz``.

        Numbers are written so that they are read back exactly, and equal cells give
        equal bytes.

        Parameters
        ----------
        path : path-like
            The file.

        Returns
        -------
        int
            How many cells were written.
        """
        files = [f"{self.path}{ending}" for ending in ("", ".lock", "-wal", "-shm")]
        with said_of(self.path):
            cursor = self._db.execute(f"SELECT * FROM results ORDER BY {_ORDER}")
            return write_export(path, cursor, reads=files)

    def import_rows(self, path: Any) -> tuple[int, int]:
        """Add cells from such a file; those that are here already must be equal.

        Parameters
        ----------
        path : path-like
            A file that `export` wrote.

        Returns
        -------
        added, known : int
            How many cells were new, and how many were here already.
        """
        rows = read_export(path)
        here = {row["key"]: row for row in self.rows().to_dict("records")}
        new = []
        for row in rows:
            if row["key"] not in here:
                new.append(row)
            elif any(differ(row[name], here[row["key"]][name]) for name in COLUMNS):
                raise ValueError(
                    f"{path} and {self.path} have different results for {row['key']}; "
                    "import into a new store. Nothing was imported."
                )
        try:
            with self._transaction():
                self._insert(new)
        except sqlite3.IntegrityError as error:
            raise ValueError(
                f"{path} has a cell twice, or one without its numbers ({error}); "
                "export it again. Nothing was imported."
            ) from error
        return len(new), len(rows) - len(new)


def read_rows(path: Any) -> pd.DataFrame:
    """All cells of a store, or of a file that was exported from one.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    DataFrame
        One row per cell.

    See Also
    --------
    Store : A file of results.
    select : The cells of a target in a store, without a look at the data.

    Examples
    --------
    >>> import tempfile
    >>> from softcost.paper import read_rows, reproduce
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = f"{folder}/results.sqlite"
    ...     _ = reproduce(
    ...         "inconsistent", store, datasets=["iris"], algorithms=["OVA"], runs=1
    ...     )
    ...     rows = read_rows(store)
    >>> rows["algorithm"].tolist()  # siblings share a search
    ['OSR', 'OVA', 'soft-OSR', 'soft-OSR-max']
    """
    with open(path, "rb") as file:
        is_store = file.read(len(_MAGIC)) == _MAGIC
    if is_store:
        with Store(path, write=False) as store:
            return store.rows()
    with TemporaryDirectory() as folder, Store(Path(folder) / "rows") as store:
        store.import_rows(path)
        return store.rows()


def _lock_path(path: Path) -> Path:
    return path.with_name(path.name + ".lock")


def _lock(path: Path) -> sqlite3.Connection:
    """Hold a file beside the store: portable, and free again after a kill."""
    beside = _lock_path(path)
    try:
        lock = sqlite3.connect(beside, timeout=0, isolation_level=None)
    except sqlite3.OperationalError as error:
        raise OSError(
            f"store {path} cannot be written: {error}; name another file."
        ) from error
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        lock.close()
        if "locked" not in str(error):
            raise OSError(f"store {path} cannot be written: {error}") from error
        raise BlockingIOError(
            f"store {path} is in use by another process that writes to it; wait, or "
            "name another file."
        ) from error
    return lock

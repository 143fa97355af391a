"""`load`: find, check, encode."""

import gzip
import re
import warnings
import zlib
from collections.abc import Callable, Iterable
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import unquote

import numpy as np
import pandas as pd
from sklearn import datasets
from sklearn.utils import Bunch

from softcost.costs import KDD99_COSTS, SERS_COSTS
from softcost.datasets.generated import (
    ARTIFICIAL_COSTS,
    make_artificial,
    make_sers,
    wavenumbers,
)
from softcost.datasets.registry import (
    MISSING,
    DatasetInfo,
    Directory,
    NominalColumn,
    NumberColumn,
    Source,
    info,
    locate,
    unreachable,
)

# Compare a table with its registry entry and name the first difference.


LABEL = "label"
SHOWN = 3
# Copies of a data set agree to six digits in every value, and to more in the means.
TOLERANCE = 2e-6


def check_table(table: pd.DataFrame, entry: DatasetInfo, where: str) -> None:
    """Raise ValueError where a raw table differs from the registry.

    Column names and their order, rows, labels, class distribution, the values of
    nominal columns and a summary of every column are compared, in this order; the
    first kind of difference that is found is named.

    Parameters
    ----------
    table : DataFrame
        Raw columns in order, then ``label``; nominal columns and the label hold
        words, the others floats with NaN for an empty cell.
    entry : DatasetInfo
        What it has to be.
    where : str
        Where the table came from, for the message.
    """
    check_header(list(table.columns), entry, where)
    for differences in (_rows(table, entry), _labels(table, entry)):
        _refuse(differences, entry, where)
    _refuse(_columns(table, entry), entry, where)


def check_header(names: list[str], entry: DatasetInfo, where: str) -> None:
    """Raise ValueError where the columns are other ones or in another order."""
    _refuse(_header(names, [*entry.columns, LABEL]), entry, where)


def refusal(entry: DatasetInfo, where: str, difference: str) -> ValueError:
    """The error that says why a table is not taken for the data set."""
    return ValueError(
        f"{where} is not the registered data set {entry.name!r}: {difference}; "
        "replace it with a complete copy or take it away."
    )


def _refuse(differences: Iterable[str], entry: DatasetInfo, where: str) -> None:
    listed = list(differences)
    if listed:
        more = f" and {len(listed) - SHOWN} more differences" * (len(listed) > SHOWN)
        raise refusal(entry, where, ", ".join(listed[:SHOWN]) + more)


def _header(names: list[str], expected: list[str]) -> Iterable[str]:
    if names == expected:
        return
    missing = [name for name in expected if name not in names]
    extra = [name for name in names if name not in expected]
    yield from (f"column {name!r} is missing" for name in missing)
    yield from (f"column {name!r} is not expected" for name in extra)
    if not missing and not extra:
        if len(names) != len(expected):
            yield f"it has {len(names)} columns instead of {len(expected)}"
        for place, (name, right) in enumerate(zip(names, expected, strict=False), 1):
            if name != right:
                yield f"column {place} is {name!r} instead of {right!r}"


def _rows(table: pd.DataFrame, entry: DatasetInfo) -> Iterable[str]:
    if len(table) != entry.rows:
        yield f"it has {len(table)} rows instead of {entry.rows}"
        for label, count, right in _class_differences(table, entry):
            yield f"class {label!r} has {count} instead of {right}"


def _labels(table: pd.DataFrame, entry: DatasetInfo) -> Iterable[str]:
    counts = _counts(table[LABEL])
    unknown = [label for label in counts if label not in entry.class_counts]
    if unknown:
        for label in unknown:
            yield (
                f"the label {label or MISSING!r} ({_times(counts[label])}) is not one "
                f"of its {len(entry.class_counts)} classes"
            )
        return
    for label, count, right in _class_differences(table, entry):
        yield f"class {label!r} has {count} rows instead of {right}"


def _class_differences(
    table: pd.DataFrame, entry: DatasetInfo
) -> Iterable[tuple[str, int, int]]:
    counts = _counts(table[LABEL])
    for label, right in entry.class_counts.items():
        if counts.get(label, 0) != right:
            yield label, counts.get(label, 0), right


def _columns(table: pd.DataFrame, entry: DatasetInfo) -> Iterable[str]:
    rank = class_rank(table[LABEL], entry)
    for name, column in entry.columns.items():
        if isinstance(column, NominalColumn):
            yield from _nominal_differences(name, _counts(table[name]), column)
        else:
            yield from _number_differences(name, table[name], rank, column)


def _nominal_differences(
    name: str, counts: dict[str, int], column: NominalColumn
) -> Iterable[str]:
    for value in sorted(counts.keys() | column.counts.keys()):
        count = counts.get(value, 0)
        if value not in column.counts:
            yield (
                f"column {name!r} has the value {value or MISSING!r} "
                f"({_times(count)}), which is not one of its values"
            )
        elif count != column.counts[value]:
            yield (
                f"column {name!r} has the value {value or MISSING!r} {_times(count)} "
                f"instead of {column.counts[value]}"
            )


def _number_differences(
    name: str, values: pd.Series, rank: np.ndarray, column: NumberColumn
) -> Iterable[str]:
    found, scale = summarise(values, rank)
    if found.missing != column.missing:
        yield (
            f"column {name!r} has {found.missing} empty cells "
            f"instead of {column.missing}"
        )
    elif not abs(found.mean - column.mean) <= TOLERANCE * scale:
        yield (
            f"column {name!r} has other values (mean {found.mean:.7g} "
            f"instead of {column.mean:.7g})"
        )
    elif not abs(found.class_moment - column.class_moment) <= TOLERANCE * scale:
        yield f"the values of column {name!r} stand in rows of other classes"


def class_rank(labels: pd.Series, entry: DatasetInfo) -> np.ndarray:
    """r / K of every row, r = 1, ..., K the place of its label."""
    rank = {
        label: (i + 1) / len(entry.classes) for i, label in enumerate(entry.classes)
    }
    return labels.astype(object).map(rank).to_numpy(dtype=np.float64)


def summarise(values: Any, rank: np.ndarray) -> tuple[NumberColumn, float]:
    """Summary of a column of numbers, and the mean of its absolute values."""
    numbers = np.asarray(values, dtype=np.float64)
    empty = np.isnan(numbers)
    numbers = np.where(empty, 0.0, numbers)
    summary = NumberColumn(
        mean=float(numbers.mean()),
        class_moment=float(numbers @ rank / len(numbers)),
        missing=int(empty.sum()),
    )
    return summary, float(np.abs(numbers).mean()) + np.finfo(float).tiny


def _counts(values: pd.Series) -> dict[str, int]:
    words = values.astype(object)
    counts = words.where(words.notna(), "").value_counts()
    return {str(value): int(count) for value, count in counts.items()}


def _times(count: int) -> str:
    return f"{count} time" + "s" * (count != 1)


# Read a file into a raw table, and encode the table as numbers.


def read_csv(path: Path, entry: DatasetInfo) -> pd.DataFrame:
    """Read ``NAME.csv`` or ``NAME.csv.gz`` as a raw table.

    Nominal columns and the label become categorical, with an empty cell as the
    category ``""``; the others become numbers of the type the registry names, with
    NaN for an empty cell. The header is checked before anything is parsed.

    Parameters
    ----------
    path : Path
        The file; compression is told by its name.
    entry : DatasetInfo
        What it has to be.

    Returns
    -------
    DataFrame
        The raw columns in order, then ``label``.
    """
    try:
        header = pd.read_csv(path, nrows=0, dtype=str)
        check_header(list(header.columns), entry, str(path))
        words = [*entry.nominal, LABEL]
        numbers = [name for name in entry.columns if name not in set(words)]
        table = pd.read_csv(
            path,
            dtype=dict.fromkeys(words, "str") | dict.fromkeys(numbers, entry.dtype),
            index_col=False,
            keep_default_na=False,
            na_values={name: [""] for name in numbers},
        )
        return table.astype(dict.fromkeys(words, "category"))
    except (gzip.BadGzipFile, zlib.error, EOFError):
        raise refusal(
            entry, str(path), "its compressed data are cut off or damaged"
        ) from None
    except (UnicodeDecodeError, pd.errors.ParserError, pd.errors.EmptyDataError) as bad:
        difference = f"it is not a CSV table ({_one_line(bad)})"
        raise refusal(entry, str(path), difference) from None
    except ValueError as bad:
        if "could not convert" not in str(bad):
            raise
        difference = f"a column of numbers holds text ({_one_line(bad)})"
        raise refusal(entry, str(path), difference) from None


def encode(table: pd.DataFrame, entry: DatasetInfo) -> tuple[np.ndarray, np.ndarray]:
    """One-hot encode the words and fill the empty cells of a checked raw table.

    A nominal column becomes one 0/1 feature per registered value (an empty cell
    is a value), true/false becomes one 0/1 feature, and an empty cell of a column
    of numbers becomes the median of its column. The features are the registry's,
    whatever rows are asked for later.

    Parameters
    ----------
    table : DataFrame
        A table that `check_table` has passed.
    entry : DatasetInfo
        Its registered facts.

    Returns
    -------
    data : ndarray of shape (n_rows, n_features)
    target : ndarray of str, of shape (n_rows,)
    """
    data = np.zeros((len(table), entry.features), dtype=entry.dtype)
    rows = np.arange(len(table))
    start = 0
    for name, column in entry.columns.items():
        if isinstance(column, NominalColumn):
            codes = _codes(table[name], list(column.counts))
            if column.is_boolean:
                data[:, start] = np.array(list(column.counts))[codes] == "true"
            else:
                data[rows, start + codes] = 1.0
        else:
            values = table[name].to_numpy(dtype=entry.dtype)
            if column.missing:
                values = np.where(np.isnan(values), np.nanmedian(values), values)
            data[:, start] = values
        start += len(column.feature_names(name))
    target = np.array(entry.classes)[_codes(table[LABEL], list(entry.classes))]
    return data, target


def feature_names(entry: DatasetInfo) -> list[str]:
    """Names of the encoded features: ``column`` or ``column=value``."""
    return [
        feature
        for name, column in entry.columns.items()
        for feature in column.feature_names(name)
    ]


def _codes(values: pd.Series, categories: list[str]) -> np.ndarray:
    words = values.astype("category")
    place = pd.Index(categories).get_indexer(words.cat.categories.astype(str))
    return place[words.cat.codes.to_numpy()]


def _one_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0].rstrip(".")


# OpenML has the same data in another form: extra columns that are not features, escaped
# or different column names, other class codes. `openml_table` converts them, and
# `check_table` decides whether the result is the registered data set.


# Columns that are not features, by name (letters and digits only).
_NO_FEATURES = {
    "vowel": {"trainortest", "speakernumber", "sex"},
    "zoo": {"animal"},
    "splice": {"instancename"},
    "glass": {"id"},
    "yeast": {"sequencename"},
    "ecoli": {"sequencename"},
}

_ATTACKS = {
    "dos": "back land neptune pod smurf teardrop",
    "probe": "ipsweep nmap portsweep satan",
    "r2l": "ftp_write guess_passwd imap multihop phf spy warezclient warezmaster",
    "u2r": "buffer_overflow loadmodule perl rootkit",
    "normal": "normal",
}

_OTHER_LABELS = {
    "iris": {f"Iris-{name}": name for name in ("setosa", "versicolor", "virginica")},
    "wine": {str(k + 1): f"class_{k}" for k in range(3)},
    "dna": {"1": "ei", "2": "ie", "3": "n"},
    "usps": {str(k + 1): str(k) for k in range(10)},
    "mfeat": {str(k + 1): str(k) for k in range(10)},
    "kdd99": {
        f"{attack}.": group
        for group, attacks in _ATTACKS.items()
        for attack in attacks.split()
    },
}


def openml_table(entry: DatasetInfo, data_home: Directory = None) -> pd.DataFrame:
    """Download a data set (or take it from the cache) as a raw table.

    Parameters
    ----------
    entry : DatasetInfo
        A set with an OpenML identifier, or kdd99.
    data_home : path-like, default=None
        Where scikit-learn keeps downloads; None for its own directory.

    Returns
    -------
    DataFrame
        Raw columns, then ``label``, not yet checked.

    Raises
    ------
    FileNotFoundError
        Where there is no network; one sentence that says what to do.
    """
    home = None if data_home is None else str(data_home)
    if entry.name == "kdd99":
        fetch: list[Callable[[], Any]] = [
            lambda: datasets.fetch_kddcup99(
                percent10=True, as_frame=True, data_home=home, n_retries=1, delay=0.1
            )
        ]
    else:
        fetch = [_openml_fetcher(number, home) for number in entry.openml]
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="A network error occurred")
            warnings.filterwarnings("ignore", message="Retry downloading")
            views = [download() for download in fetch]
    except (URLError, HTTPException, ConnectionError, TimeoutError):
        place = locate(entry.name).text
        raise unreachable(entry, data_home, place) from None
    frame = pd.concat([view.data for view in views], axis=1)
    return _tidy(frame, views[0].target, entry)


def _openml_fetcher(number: int, home: str | None) -> Callable[[], Any]:
    return lambda: datasets.fetch_openml(
        data_id=number,
        as_frame=True,
        parser="auto",
        data_home=home,
        n_retries=1,
        delay=0.1,
    )


def _tidy(frame: pd.DataFrame, target: Any, entry: DatasetInfo) -> pd.DataFrame:
    """Drop what is no feature; name, order and retype the rest."""
    drop = _NO_FEATURES.get(entry.name, set())
    keep = [place for place, name in enumerate(frame) if _plain(name) not in drop]
    frame = frame.iloc[:, keep]
    places = _places([str(name) for name in frame], list(entry.columns))
    table: dict[str, Any] = {}
    for place, name in enumerate(frame):
        registered = places.get(place, str(name))
        column = entry.columns.get(registered)
        values = frame.iloc[:, place]
        if isinstance(column, NominalColumn):
            words = _words(values)
            table[registered] = _lower(words) if column.is_boolean else words
        else:
            table[registered] = _numbers(values)
    if set(table) == set(entry.columns):
        table = {name: table[name] for name in entry.columns}
    tidy = pd.DataFrame(table)
    tidy[LABEL] = _openml_labels(target, entry).to_numpy()
    return tidy


def _plain(name: Any) -> str:
    return re.sub(r"[^a-z0-9]", "", unquote(str(name)).lower())


def _places(names: list[str], registered: list[str]) -> dict[int, str]:
    """Registered name of each column: by name where all match, else by position."""
    if len(names) != len(registered):
        return {}
    by_name = {_plain(name): name for name in registered}
    if len(by_name) == len(registered) and {*map(_plain, names)} == {*by_name}:
        return {place: by_name[_plain(name)] for place, name in enumerate(names)}
    return dict(enumerate(registered))


def _words(values: pd.Series) -> pd.Series:
    """A column of words as a categorical, with an empty cell as ``""``."""
    words = values.astype("category")
    empty = words.isna()
    names = [_word(value) for value in words.cat.categories]
    codes = words.cat.codes.to_numpy()
    text = np.array([*names, ""], dtype=object)[codes]
    return pd.Series(text, index=values.index).where(~empty, "").astype("category")


def _word(value: Any) -> str:
    text = value.decode("ascii") if isinstance(value, bytes) else str(value)
    return text.strip().strip("'\"")


def _lower(words: pd.Series) -> pd.Series:
    return words.astype(str).str.lower().astype("category")


def _numbers(values: pd.Series) -> pd.Series:
    if isinstance(values.dtype, pd.CategoricalDtype):
        values = values.astype(object)
    return pd.to_numeric(values, errors="coerce").astype(np.float64)


def _openml_labels(target: Any, entry: DatasetInfo) -> pd.Series:
    words = _words(pd.Series(target)).astype(str)
    words = words.str.replace(r"^(\d+)\.0*$", r"\1", regex=True)
    other = _OTHER_LABELS.get(entry.name, {})
    if set(words.unique()) <= set(other):
        words = words.map(other)
    return words


_COSTS = {"artificial": ARTIFICIAL_COSTS, "kdd99": KDD99_COSTS, "sers": SERS_COSTS}


def load(name: str, data_home: Directory = None, return_X_y: bool = False) -> Any:
    """Load a data set, checked against the registry.

    Looked for in this order: ``NAME.csv.gz`` or ``NAME.csv`` in `data_home`, the
    same in the directory named by the environment variable ``SOFTCOST_DATA``,
    scikit-learn's bundled sets (iris, wine), OpenML (downloaded once, kept in
    `data_home` or scikit-learn's data directory). A copy that differs from the
    registry in its columns, rows, labels, class distribution or values is refused
    and the difference named.

    Nominal columns become one 0/1 feature per value, named ``column=value``; an
    empty cell counts as a value. Empty cells of numeric columns (arrhythmia only)
    become the median of the column over the whole set.

    Parameters
    ----------
    name : str
        One of `list_datasets`.
    data_home : path-like, default=None
        Directory to look into first, and to keep downloads in.
    return_X_y : bool, default=False
        Whether to return ``(data, target)`` only.

    Returns
    -------
    data : Bunch
        With these attributes:

        - ``data``, array of shape (n_samples, n_features): float64; float32 for kdd99,
          which halves its 466 MB;
        - ``target``, array of str of shape (n_samples,): the labels as they are in the
          files;
        - ``feature_names``, list of str;
        - ``target_names``, array of str: the classes, sorted;
        - ``cost_matrix``, DataFrame or None: price of each mistake, row = true class,
          column = predicted class, where the set comes with a price list;
        - ``DESCR``, str: size, provenance and licence;
        - ``source``, str: where this copy was found.
    (data, target) : tuple if ``return_X_y`` is True

    See Also
    --------
    locate : Say where `load` would take a data set from. Cheap: nothing is read.
    info : Facts about a data set, without reading it.

    Examples
    --------
    >>> from softcost.datasets import load
    >>> flat = load("artificial")
    >>> flat.data.shape, int(flat.cost_matrix.loc["2", "1"])
    ((400, 2), 30)
    """
    entry = info(name)
    source = locate(name, data_home)
    if source.kind == "missing":
        raise FileNotFoundError(source.text)
    if entry.generated:
        data, target = _generate(name)
        names = _generated_names(name)
    else:
        table = _raw_table(entry, source, data_home)
        check_table(table, entry, source.text)
        data, target = encode(table, entry)
        names = feature_names(entry)
    if return_X_y:
        return data, target
    costs = _COSTS.get(name)
    return Bunch(
        data=data,
        target=target,
        feature_names=names,
        target_names=np.array(entry.classes),
        cost_matrix=None if costs is None else costs.copy(),
        DESCR=entry.description(source.text),
        source=source.text,
    )


def _raw_table(
    entry: DatasetInfo, source: Source, data_home: Directory
) -> pd.DataFrame:
    if source.path is not None:
        return read_csv(source.path, entry)
    if source.kind == "scikit-learn":
        return _bundled_table(entry)
    return openml_table(entry, data_home)


def _bundled_table(entry: DatasetInfo) -> pd.DataFrame:
    bunch = {"iris": datasets.load_iris, "wine": datasets.load_wine}[entry.name]()
    table = pd.DataFrame(bunch.data, columns=list(entry.columns))
    table[LABEL] = np.asarray(bunch.target_names, dtype=str)[bunch.target]
    return table


def _generate(name: str) -> tuple[np.ndarray, np.ndarray]:
    if name == "artificial":
        return make_artificial(n_samples=info(name).rows, random_state=0)
    return make_sers(n_samples=info(name).rows, random_state=0)


def _generated_names(name: str) -> list[str]:
    if name == "artificial":
        return ["x1", "x2"]
    return [f"{wavenumber:.0f} cm^-1" for wavenumber in wavenumbers()]

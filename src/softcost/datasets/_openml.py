"""Copies on OpenML, brought to the form of the registered tables.

What OpenML holds is the same data under other names: columns that are no
features, escaped or other column names, other class codes. `openml_table` mends
these; whether the result is the registered set is for `check_table` to say.
"""

import re
import warnings
from collections.abc import Callable
from http.client import HTTPException
from typing import Any
from urllib.error import URLError
from urllib.parse import unquote

import numpy as np
import pandas as pd
from sklearn import datasets

from softcost.datasets._check import LABEL
from softcost.datasets._registry import DatasetInfo, NominalColumn
from softcost.datasets._sources import Directory, locate, unreachable

# Columns that are no features, by their names in letters and digits only.
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
            views = [one() for one in fetch]
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
    tidy[LABEL] = _labels(target, entry).to_numpy()
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


def _labels(target: Any, entry: DatasetInfo) -> pd.Series:
    words = _words(pd.Series(target)).astype(str)
    words = words.str.replace(r"^(\d+)\.0*$", r"\1", regex=True)
    other = _OTHER_LABELS.get(entry.name, {})
    if set(words.unique()) <= set(other):
        words = words.map(other)
    return words

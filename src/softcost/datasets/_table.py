"""From a file to a raw table, and from a raw table to numbers."""

import gzip
import zlib
from pathlib import Path

import numpy as np
import pandas as pd

from softcost.datasets._check import LABEL, check_header, refusal
from softcost.datasets._registry import DatasetInfo, NominalColumn


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

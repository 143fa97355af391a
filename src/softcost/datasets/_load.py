"""`load`: find, check, encode."""

from typing import Any

import numpy as np
import pandas as pd
from sklearn import datasets
from sklearn.utils import Bunch

from softcost.costs import KDD99_COSTS, SERS_COSTS
from softcost.datasets._artificial import ARTIFICIAL_COSTS, make_artificial
from softcost.datasets._check import LABEL, check_table
from softcost.datasets._openml import openml_table
from softcost.datasets._registry import DatasetInfo, info
from softcost.datasets._sers import make_sers, wavenumbers
from softcost.datasets._sources import Directory, Source, locate
from softcost.datasets._table import encode, feature_names, read_csv

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

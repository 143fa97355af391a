"""What is known of every data set, before any of its files is opened.

The facts are in two files beside this module: ``registry.json`` (size, classes,
provenance) and ``columns.json`` (names and summaries of the raw columns).
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

MISSING = "(missing)"


@dataclass(frozen=True, slots=True)
class NumberColumn:
    """What a column of numbers must look like.

    Attributes
    ----------
    mean : float
        Sum of the values divided by the number of rows; an empty cell adds 0.
    class_moment : float
        The same for value * r / K, where r = 1, ..., K is the place of the row's
        label among the sorted labels. It tells columns of equal mean apart, and
        notices labels that went to other rows.
    missing : int
        Number of empty cells.
    """

    mean: float
    class_moment: float
    missing: int = 0

    def feature_names(self, column: str) -> list[str]:
        """Names of the features this column becomes."""
        return [column]


@dataclass(frozen=True, slots=True)
class NominalColumn:
    """What a column of words must look like.

    Attributes
    ----------
    counts : mapping of str to int
        How often each value occurs, in the order of the one-hot features. An
        empty cell is a value of its own. A value that is declared but never
        occurs has count 0 and a feature.
    """

    counts: Mapping[str, int]

    @property
    def is_boolean(self) -> bool:
        """Whether the column holds the words true and false: one 0/1 feature."""
        return set(self.counts) == {"false", "true"}

    def feature_names(self, column: str) -> list[str]:
        """Names of the features this column becomes."""
        if self.is_boolean:
            return [column]
        return [f"{column}={value or MISSING}" for value in self.counts]


Column = NumberColumn | NominalColumn


@dataclass(frozen=True, slots=True)
class DatasetInfo:
    """Facts about one data set.

    Attributes
    ----------
    name, title : str
        How it is called in `load`, and in words.
    rows, features : int
        Shape of the data that `load` returns, after one-hot encoding.
    class_counts : mapping of str to int
        Rows of each class, by label in sorted order.
    openml : tuple of int
        Identifiers on OpenML; several where the views are sets of their own.
    openml_note : str
        What is wrong with the copy there.
    provenance, licence, notes : str
        Where the table came from, on what terms, and what to know of it.
    dtype : str
        Type of the numbers that `load` returns.
    generated : bool
        Whether the data are drawn by a formula rather than measured.

    See Also
    --------
    info : Facts about a data set, without reading it.
    load : Load a data set, checked against the registry.

    Examples
    --------
    >>> from softcost.datasets import info
    >>> glass = info("glass")
    >>> glass.rows, glass.features, glass.class_counts["containers"]
    (214, 9, 13)
    >>> glass.nominal  # no columns of words
    ()
    """

    name: str
    title: str
    rows: int
    features: int
    class_counts: Mapping[str, int]
    provenance: str
    licence: str
    openml: tuple[int, ...] = ()
    openml_note: str = ""
    notes: str = ""
    dtype: str = "float64"
    generated: bool = False
    _columns: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def classes(self) -> tuple[str, ...]:
        """The labels, sorted."""
        return tuple(self.class_counts)

    @property
    def columns(self) -> dict[str, Column]:
        """The raw columns by name, in order, without the label."""
        return {
            name: NominalColumn(entry)
            if isinstance(entry, dict)
            else NumberColumn(*entry)
            for name, entry in self._columns.items()
        }

    @property
    def nominal(self) -> tuple[str, ...]:
        """Names of the raw columns that hold words."""
        return tuple(
            name for name, entry in self._columns.items() if isinstance(entry, dict)
        )

    def description(self, source: str) -> str:
        """A text for ``DESCR``: facts, provenance and licence.

        Parameters
        ----------
        source : str
            Where this copy was found, to be said at the end.

        Returns
        -------
        str
            Several paragraphs.
        """
        counts = ", ".join(f"{label} {n}" for label, n in self.class_counts.items())
        parts = [
            f"{self.title} ({self.name})",
            f"{self.rows} examples, {self.features} features, "
            f"{len(self.class_counts)} classes: {counts}.",
            self.notes,
            f"Provenance: {self.provenance}.",
            f"Licence: {self.licence}.",
            f"This copy: {source}.",
        ]
        return "\n\n".join(part for part in parts if part)


_GENERATED = (
    DatasetInfo(
        name="artificial",
        title="Two Gaussian classes in the plane, one mistake 30 times as expensive",
        rows=400,
        features=2,
        class_counts={"1": 200, "2": 200},
        provenance="SYNTHETIC, drawn by softcost.datasets.make_artificial with seed 0",
        licence="BSD-3-Clause, with softcost",
        generated=True,
    ),
    DatasetInfo(
        name="sers",
        title="SERS-like spectra of ten species of bacteria",
        rows=96,
        features=351,
        class_counts={
            name: 9 if name in ("Ab", "Ecoli", "HI", "KP") else 10
            for name in sorted(
                ("Ab", "Ecoli", "HI", "KP", "LM", "Nm", "Psa", "Spn", "Sa", "GBS")
            )
        },
        provenance="SYNTHETIC, drawn by softcost.datasets.make_sers with seed 0; the "
        "measured spectra are not public, only the price list is real",
        licence="BSD-3-Clause, with softcost",
        generated=True,
    ),
)


@cache
def registry() -> dict[str, DatasetInfo]:
    """All data sets by name; the measured ones first."""
    folder = files("softcost.datasets")
    facts = json.loads(folder.joinpath("registry.json").read_text("utf-8"))
    columns = json.loads(folder.joinpath("columns.json").read_text("utf-8"))
    measured = {}
    for name, entry in facts.items():
        counts = entry.pop("classes")
        openml = tuple(entry.pop("openml"))
        measured[name] = DatasetInfo(
            name=name,
            class_counts=counts,
            openml=openml,
            _columns=columns[name],
            **entry,
        )
    return measured | {entry.name: entry for entry in _GENERATED}


def list_datasets() -> list[str]:
    """Names of all data sets that `load` knows.

    Returns
    -------
    list of str
        In the order of the paper's tables.

    See Also
    --------
    info : Facts about a data set, without reading it.
    load : Load a data set, checked against the registry.

    Examples
    --------
    >>> from softcost.datasets import list_datasets
    >>> list_datasets()[:3]
    ['iris', 'wine', 'glass']
    """
    return list(registry())


def info(name: str) -> DatasetInfo:
    """Facts about a data set, without reading it.

    Parameters
    ----------
    name : str
        One of `list_datasets`.

    Returns
    -------
    DatasetInfo
        Its size, classes, provenance and licence.

    See Also
    --------
    list_datasets : Names of all data sets that `load` knows.
    load : Load a data set, checked against the registry.

    Examples
    --------
    >>> from softcost.datasets import info
    >>> anneal = info("anneal")
    >>> anneal.rows, anneal.features, anneal.classes
    (898, 84, ('1', '2', '3', '5', 'U'))
    """
    datasets = registry()
    if name not in datasets:
        near = get_close_matches(str(name), datasets, n=1)
        hint = f"did you mean {near[0]!r}?" if near else "choose one of these:"
        choices = "" if near else " " + ", ".join(datasets)
        raise ValueError(f"name={name!r} is not a data set; {hint}{choices}")
    return datasets[name]


# Where a data set comes from, decided without opening a file.


ENVIRONMENT = "SOFTCOST_DATA"
BUNDLED = ("iris", "wine")
SUFFIXES = (".csv.gz", ".csv")

Kind = Literal["generated", "file", "scikit-learn", "OpenML", "missing"]
Directory = str | os.PathLike[str] | None


@dataclass(frozen=True, slots=True)
class Source:
    """Where a data set would come from.

    Attributes
    ----------
    kind : {"generated", "file", "scikit-learn", "OpenML", "missing"}
        What kind of place it is. "OpenML" means a download at first use, cached
        afterwards; kdd99 is downloaded through scikit-learn's own loader.
    text : str
        The place in words; where it is "missing", what to do.
    path : Path or None
        The file, for kind "file".

    See Also
    --------
    locate : Say where `load` would take a data set from. Cheap: nothing is read.

    Examples
    --------
    >>> from softcost.datasets import locate
    >>> source = locate("artificial")
    >>> source.kind, source.path
    ('generated', None)
    """

    kind: Kind
    text: str
    path: Path | None = None


def locate(name: str, data_home: Directory = None) -> Source:
    """Say where `load` would take a data set from. Cheap: nothing is read.

    Parameters
    ----------
    name : str
        One of `list_datasets`.
    data_home : path-like, default=None
        Directory looked into before the one named by ``SOFTCOST_DATA``.

    Returns
    -------
    Source
        The first place of: a file in `data_home`, a file in ``SOFTCOST_DATA``,
        scikit-learn's bundled sets, OpenML; or what to do where there is none.

    See Also
    --------
    load : Load a data set, checked against the registry.

    Examples
    --------
    >>> from softcost.datasets import locate
    >>> locate("artificial").kind
    'generated'
    """
    entry = info(name)
    if entry.generated:
        return Source("generated", "generated by a formula")
    for folder in _folders(data_home):
        for suffix in SUFFIXES:
            path = folder / f"{name}{suffix}"
            if path.is_file():
                return Source("file", str(path), path)
    if name in BUNDLED:
        return Source("scikit-learn", "scikit-learn's bundled copy")
    if name == "kdd99":
        return Source("OpenML", "scikit-learn's fetch_kddcup99")
    if entry.openml:
        ids = ", ".join(map(str, entry.openml))
        note = f" ({entry.openml_note})" if entry.openml_note else ""
        return Source("OpenML", f"OpenML {ids}{note}")
    return Source(
        "missing", _advice(entry, data_home, "has no complete copy on OpenML")
    )


def unreachable(entry: DatasetInfo, data_home: Directory, place: str) -> OSError:
    """The error for a data set that is in no directory and not to be downloaded."""
    return FileNotFoundError(
        _advice(entry, data_home, f"could not be downloaded ({place} did not answer)")
    )


def _folders(data_home: Directory) -> list[Path]:
    named = [data_home, os.environ.get(ENVIRONMENT)]
    return [Path(folder).expanduser() for folder in named if folder]


def _advice(entry: DatasetInfo, data_home: Directory, why: str) -> str:
    searched = [
        f"{folder}{'' if folder.is_dir() else ' (no such directory)'}"
        for folder in _folders(data_home)
    ]
    looked = f" and is not in {' or '.join(searched)}" if searched else ""
    return (
        f"{entry.name} {why}{looked}: put {entry.name}.csv.gz or {entry.name}.csv into "
        f"a directory and name it by {ENVIRONMENT}, data_home or --data-dir."
    )

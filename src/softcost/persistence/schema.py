"""Schemas: which fields a type has, and what each of them may hold.

A `Kind` writes a value of a model as plain JSON (arrays go to members of the file) and
reads it back as plain data: JSON's own types, arrays, and `Record` for parts with a
schema of their own. Reading never runs code that a file could choose. A `Type` lists
the kinds of a class's parameters and fitted attributes, and checks what must agree.

Lengths of arrays have names. Within a record a name stands for one number: a field of
``Array("f8", ("n", "d"))`` beside ``Array("f8", ("d",))`` must have as many columns.
"""

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
import pandas as pd

from softcost.persistence.archive import NotCovered, Refused

Dims = dict[str, int]
# JSON readers in other languages hold numbers as float64, exact up to here.
LARGEST = 2**53


@dataclass
class Record:
    """A part of a model as plain data, checked against its schema.

    Attributes
    ----------
    type : str
        Name of the schema.
    params, fitted : dict
        Values by field; ``fitted`` is None for what is not fitted.
    dims : dict of str and int
        The lengths by name.
    is_estimator : bool
        Whether it may stand where an estimator belongs.
    """

    type: str
    params: dict[str, Any]
    fitted: dict[str, Any] | None
    dims: Dims = field(default_factory=dict)
    is_estimator: bool = True

    def get(self, name: str) -> Any:
        """A fitted value, None where there is none."""
        return None if self.fitted is None else self.fitted.get(name)


class Out(Protocol):
    """Where arrays and parts go when a model is written."""

    def array(self, values: Any) -> dict[str, Any]: ...
    def part(self, value: Any) -> dict[str, Any]: ...
    def mark(self) -> int: ...
    def rollback(self, mark: int) -> None: ...


class Source(Protocol):
    """Where arrays and parts come from when a model is read."""

    def array(self, node: Any) -> np.ndarray: ...
    def part(self, node: Any) -> Record: ...


class Kind:
    """What a value must be."""

    def write(self, value: Any, out: Out) -> Any:
        """The value as JSON, or `NotCovered`."""
        raise NotImplementedError

    def read(self, node: Any, source: Source, dims: Dims) -> Any:
        """The value as plain data, or `Refused`."""
        raise NotImplementedError


def bind(dims: Dims, name: str | int, length: int) -> None:
    """Give a length its name, or compare it with what the name means already.

    The name "*" means nothing.
    """
    if name == "*":
        return
    expected = name if isinstance(name, int) else dims.setdefault(name, length)
    if expected != length:
        raise Refused(f"expected length {expected}, got {length}")


@dataclass(frozen=True)
class Flag(Kind):
    """True or false."""

    def write(self, value: Any, out: Out) -> Any:
        if not isinstance(value, bool | np.bool_):
            raise NotCovered(f"expected true or false, got {value!r:.60}")
        return bool(value)

    def read(self, node: Any, source: Source, dims: Dims) -> Any:
        if not isinstance(node, bool):
            raise Refused("not true or false")
        return node


@dataclass(frozen=True)
class Whole(Kind):
    """A whole number within bounds; with a name, a length."""

    least: int = -LARGEST
    most: int = LARGEST
    name: str | None = None

    def write(self, value: Any, out: Out) -> Any:
        if isinstance(value, bool) or not isinstance(value, int | np.integer):
            raise NotCovered(f"expected an integer, got {value!r:.60}")
        return int(value)

    def read(self, node: Any, source: Source, dims: Dims) -> Any:
        if isinstance(node, bool) or not isinstance(node, int):
            raise Refused("not an integer")
        if not self.least <= node <= self.most:
            raise Refused(f"not from {self.least} to {self.most}")
        if self.name is not None:
            bind(dims, self.name, node)
        return node


def length(name: str) -> Whole:
    """A whole number that is the length of something."""
    return Whole(0, 2**31, name)


@dataclass(frozen=True)
class Real(Kind):
    """A number within bounds; NaN and infinity as text, where they may be."""

    least: float = -np.inf
    most: float = np.inf
    finite: bool = True

    def write(self, value: Any, out: Out) -> Any:
        if isinstance(value, bool | np.bool_) or not isinstance(
            value, int | float | np.integer | np.floating
        ):
            raise NotCovered(f"expected a number, got {value!r:.60}")
        whole = isinstance(value, int | np.integer)
        number = int(value) if whole else float(value)
        return number if np.isfinite(number) else str(number)

    def read(self, node: Any, source: Source, dims: Dims) -> Any:
        if node in ("nan", "inf", "-inf"):
            if self.finite:
                raise Refused("not a finite number")
            return float(node)
        if isinstance(node, bool) or not isinstance(node, int | float):
            raise Refused("not a number")
        if (isinstance(node, int) and abs(node) > LARGEST) or not np.isfinite(node):
            raise Refused("the number is too large")
        if not self.least <= node <= self.most:
            raise Refused(f"not from {self.least:g} to {self.most:g}")
        return node


@dataclass(frozen=True)
class Text(Kind):
    """Text, perhaps one of few words."""

    words: tuple[str, ...] = ()

    def write(self, value: Any, out: Out) -> Any:
        if not isinstance(value, str) or (self.words and value not in self.words):
            raise NotCovered(f"expected text, got {value!r:.60}")
        return str(value)

    def read(self, node: Any, source: Source, dims: Dims) -> Any:
        if not isinstance(node, str):
            raise Refused("not text")
        if self.words and node not in self.words:
            raise Refused(f"not one of {', '.join(self.words)}")
        return node


def one_of(*words: str) -> Text:
    """One of these words."""
    return Text(words)


@dataclass(frozen=True)
class Nothing(Kind):
    """None."""

    def write(self, value: Any, out: Out) -> None:
        if value is not None:
            raise NotCovered(f"expected None, got {value!r:.60}")

    def read(self, node: Any, source: Source, dims: Dims) -> None:
        if node is not None:
            raise Refused("not null")


@dataclass(frozen=True)
class Either(Kind):
    """The first of several kinds that fits."""

    kinds: tuple[Kind, ...]

    def write(self, value: Any, out: Out) -> Any:
        mark = out.mark()
        for kind in self.kinds[:-1]:
            try:
                return kind.write(value, out)
            except NotCovered:
                out.rollback(mark)
        return self.kinds[-1].write(value, out)

    def read(self, node: Any, source: Source, dims: Dims) -> Any:
        for kind in self.kinds[:-1]:
            trial = dict(dims)
            try:
                value = kind.read(node, source, trial)
            except Refused:
                continue
            dims.update(trial)
            return value
        return self.kinds[-1].read(node, source, dims)


def either(*kinds: Kind) -> Kind:
    """One of several kinds; put those without arrays first."""
    return Either(kinds)


def maybe(kind: Kind) -> Kind:
    """A kind, or None."""
    return Either((Nothing(), kind))


@dataclass(frozen=True)
class ListOf(Kind):
    """A list of one kind, with a named length."""

    kind: Kind
    name: str | None = None
    as_tuple: bool = False

    def write(self, value: Any, out: Out) -> Any:
        if not isinstance(value, list | tuple):
            raise NotCovered(f"expected a list, got {value!r:.60}")
        return [self.kind.write(item, out) for item in value]

    def read(self, node: Any, source: Source, dims: Dims) -> Any:
        if not isinstance(node, list):
            raise Refused("not a list")
        if self.name is not None:
            bind(dims, self.name, len(node))
        items = [self.kind.read(item, source, dims) for item in node]
        return tuple(items) if self.as_tuple else items


@dataclass(frozen=True)
class Tuple(Kind):
    """A tuple with one kind for each place."""

    kinds: tuple[Kind, ...]

    def write(self, value: Any, out: Out) -> Any:
        if not isinstance(value, list | tuple) or len(value) != len(self.kinds):
            raise NotCovered(f"expected {len(self.kinds)} values, got {value!r:.60}")
        return [
            kind.write(item, out) for kind, item in zip(self.kinds, value, strict=True)
        ]

    def read(self, node: Any, source: Source, dims: Dims) -> Any:
        if not isinstance(node, list) or len(node) != len(self.kinds):
            raise Refused(f"not a list of {len(self.kinds)}")
        pairs = zip(self.kinds, node, strict=True)
        return tuple(kind.read(item, source, dims) for kind, item in pairs)


@dataclass(frozen=True)
class Part(Kind):
    """A part with a schema of its own: of certain types, or any estimator."""

    types: Sequence[str] = ()

    def write(self, value: Any, out: Out) -> Any:
        node = out.part(value)
        if self.types and node.get("type") not in self.types:
            raise NotCovered(f"{type(value).__name__} is not allowed here")
        return node

    def read(self, node: Any, source: Source, dims: Dims) -> Any:
        record = source.part(node)
        fits = record.type in self.types if self.types else record.is_estimator
        if not fits:
            raise Refused(f"{record.type} is not allowed here")
        return record


# `Plain`: any value that users pass as a parameter, such as labels or tables.
#
# ==================  ================================================================
# in Python           in ``structure.json``
# ==================  ================================================================
# None, bool, str     as in JSON
# int, float          as in JSON; ``{"float": "nan"}``, "inf" and "-inf"
# list                a list
# tuple               ``{"tuple": [...]}``
# dict                ``{"dict": [[key, value], ...]}``, keys being plain scalars
# array               ``{"array": number of the member}``
# array of objects    ``{"objects": [...], "shape": [...]}``, of plain scalars
# masked array        ``{"masked": array, "mask": array}``
# DataFrame           ``{"frame": [columns], "names": [...], "index": [...] or n}``
# Series              ``{"series": values, "name": ..., "index": [...] or n}``
# RandomState         ``{"random_state": keys, "place": n, "spare": number or null}``
# part with a schema  ``{"type": ..., "params": {...}, "fitted": {...}}``
# ==================  ================================================================


_SCALARS = (str, int, float, bool, type(None))
_WORDS = ("nan", "inf", "-inf")


class Frame:
    """A pandas table or column as plain data, to be made of it."""

    def __init__(
        self, columns: list[Any], names: list[Any] | None, name: Any, index: Any
    ) -> None:
        self.columns = columns
        self.names = names
        self.name = name
        self.index = index

    def made(self) -> Any:
        """The DataFrame, or the Series where there are no names of columns."""
        size = self.index if isinstance(self.index, int) else None
        index = pd.Index(self.index) if size is None else pd.RangeIndex(size)
        if self.names is None:
            return pd.Series(self.columns[0], index=index, name=self.name)
        frame = pd.DataFrame(dict(enumerate(self.columns)), index=index)
        frame.columns = pd.Index(self.names)
        return frame


class Plain(Kind):
    """Any value of the table above."""

    def write(self, value: Any, out: Out) -> Any:
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, bool | str):
            return value
        if isinstance(value, int | float):
            return _written_number(value)
        if type(value) is list:
            return [self.write(item, out) for item in value]
        if type(value) is tuple:
            return {"tuple": [self.write(item, out) for item in value]}
        if type(value) is dict:
            return {"dict": self._pairs(value, out)}
        if isinstance(value, np.ndarray):
            return self._array(value, out)
        if isinstance(value, pd.DataFrame | pd.Series):
            return self._table(value, out)
        if isinstance(value, np.random.RandomState):
            return _written_state(value, out)
        return out.part(value)

    def _pairs(self, value, out):
        if not all(isinstance(key, _SCALARS) for key in value):
            raise NotCovered("a dict with keys other than text and numbers")
        return [
            [self.write(key, out), self.write(item, out)] for key, item in value.items()
        ]

    def _array(self, values, out):
        if isinstance(values, np.ma.MaskedArray):
            mask = np.ma.getmaskarray(values)
            return {"masked": self._array(values.data, out), "mask": out.array(mask)}
        if values.dtype.kind != "O":
            return out.array(values)
        cells = values.ravel().tolist()
        return {"objects": [_cell(cell) for cell in cells], "shape": list(values.shape)}

    def _table(self, value, out):
        index = value.index
        plain = isinstance(index, pd.RangeIndex) and (index.start, index.step) == (0, 1)
        if index.nlevels > 1 or (
            isinstance(value, pd.DataFrame) and value.columns.nlevels > 1
        ):
            raise NotCovered("a table with more than one level of names")
        rows = len(index) if plain else [_cell(label) for label in index.tolist()]
        if isinstance(value, pd.Series):
            column = self._array(_column(value), out)
            return {"series": column, "name": _cell(value.name), "index": rows}
        parts = [value.iloc[:, j] for j in range(value.shape[1])]
        return {
            "frame": [self._array(_column(part), out) for part in parts],
            "names": [_cell(name) for name in value.columns.tolist()],
            "index": rows,
        }

    def read(self, node: Any, source: Source, dims: Dims) -> Any:
        if node is None or isinstance(node, bool | str):
            return node
        if isinstance(node, int | float):
            return read_number(node)
        if isinstance(node, list):
            return [self.read(item, source, dims) for item in node]
        if "type" in node or "skops" in node:
            return source.part(node)
        readers = {
            ("float",): self._read_float,
            ("tuple",): self._read_tuple,
            ("dict",): self._read_dict,
            ("array",): lambda node, source: source.array(node),
            ("objects", "shape"): self._read_objects,
            ("mask", "masked"): self._read_masked,
            ("frame", "index", "names"): self._read_frame,
            ("index", "name", "series"): self._read_series,
            ("place", "random_state", "spare"): self._read_state,
        }
        reader = readers.get(tuple(sorted(node)))
        if reader is None:
            raise Refused("a value of unknown type")
        return reader(node, source)

    def _read_float(self, node, source):
        if node["float"] not in _WORDS:
            raise Refused("not a number")
        return float(node["float"])

    def _read_tuple(self, node, source):
        if not isinstance(node["tuple"], list):
            raise Refused("not a tuple")
        return tuple(self.read(node["tuple"], source, {}))

    def _read_dict(self, node, source):
        pairs = node["dict"]
        if not isinstance(pairs, list) or any(
            not isinstance(pair, list) or len(pair) != 2 for pair in pairs
        ):
            raise Refused("not a dict")
        return {read_cell(key): self.read(value, source, {}) for key, value in pairs}

    def _read_objects(self, node, source):
        cells, shape = node["objects"], node["shape"]
        if (
            not isinstance(cells, list)
            or not isinstance(shape, list)
            or not all(type(n) is int and 0 <= n <= len(cells) for n in shape)
            or math.prod(shape) != len(cells)
        ):
            raise Refused("a text array of the wrong shape")
        out = np.empty(len(cells), dtype=object)
        out[:] = [read_cell(cell) for cell in cells]
        return out.reshape(shape)

    def _read_array(self, node, source):
        values = self.read(node, source, {}) if isinstance(node, dict) else None
        if not isinstance(values, np.ndarray):
            raise Refused("not an array")
        return values

    def _read_masked(self, node, source):
        data = self._read_array(node["masked"], source)
        mask = self._read_array(node["mask"], source)
        if mask.dtype != bool or mask.shape != data.shape:
            raise Refused("a mask of the wrong shape")
        return np.ma.MaskedArray(data, mask)

    def _read_index(self, node, size):
        rows = node["index"]
        count = (
            rows if type(rows) is int else len(rows) if isinstance(rows, list) else -1
        )
        if count != size:
            raise Refused("a table whose index does not match its rows")
        return rows if type(rows) is int else [read_cell(label) for label in rows]

    def _read_frame(self, node, source):
        columns, names = node["frame"], node["names"]
        if not isinstance(columns, list) or not isinstance(names, list):
            raise Refused("not a table")
        bind({}, len(columns), len(names))
        arrays = [self._read_array(column, source) for column in columns]
        sizes = {array.shape for array in arrays}
        if len(sizes) > 1 or any(array.ndim != 1 for array in arrays):
            raise Refused("a table with columns of different lengths")
        index = self._read_index(node, len(arrays[0]) if arrays else 0)
        return Frame(arrays, [read_cell(name) for name in names], None, index)

    def _read_series(self, node, source):
        values = self._read_array(node["series"], source)
        if values.ndim != 1:
            raise Refused("not a column")
        index = self._read_index(node, len(values))
        return Frame([values], None, read_cell(node["name"]), index)

    def _read_state(self, node, source):
        keys, place = source.array(node["random_state"]), node["place"]
        if keys.dtype != np.uint32 or keys.shape != (624,):
            raise Refused("not the state of a random generator")
        if type(place) is not int or not 0 <= place <= 624:
            raise Refused("not the state of a random generator")
        spare = node["spare"]
        state = np.random.RandomState(0)
        spare_number = 0.0 if spare is None else float(read_number(spare))
        state.set_state(("MT19937", keys, place, int(spare is not None), spare_number))
        return state


def _written_number(value: Any) -> Any:
    if isinstance(value, int):
        if abs(value) > LARGEST:
            raise NotCovered("an integer that is too large")
        return value
    return value if math.isfinite(value) else {"float": str(value)}


def read_number(node: Any) -> Any:
    """A number of JSON that is finite and not too large."""
    if isinstance(node, bool) or not isinstance(node, int | float):
        raise Refused("not a number")
    if not math.isfinite(node) if isinstance(node, float) else abs(node) > LARGEST:
        raise Refused("the number is too large")
    return node


def _written_state(value: Any, out: Any) -> dict[str, Any]:
    state = value.get_state(legacy=False)
    if state["bit_generator"] != "MT19937":
        raise NotCovered("an unsupported random generator")
    keys, place = state["state"]["key"], int(state["state"]["pos"])
    spare = float(state["gauss"]) if state["has_gauss"] else None
    return {"random_state": out.array(keys), "place": place, "spare": spare}


def _column(column: Any) -> np.ndarray:
    values = column.to_numpy()
    return values if values.dtype.kind in "biuf" else values.astype(object)


def _cell(value: Any) -> Any:
    """A plain scalar; the only NaN is a float."""
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, _SCALARS):
        raise NotCovered(f"{type(value).__name__} among words")
    if value is None or isinstance(value, bool | str):
        return value
    return _written_number(value)


def read_cell(node: Any) -> Any:
    """A plain scalar."""
    if node is None or isinstance(node, bool | str):
        return node
    if isinstance(node, dict):
        if set(node) != {"float"} or node["float"] not in _WORDS:
            raise Refused("not a word or a number")
        return float(node["float"])
    return read_number(node)


class Labels(Kind):
    """Different labels in rising order: of text, numbers or truth values."""

    def __init__(self, name: str) -> None:
        self.name = name

    def write(self, value: Any, out: Out) -> Any:
        return Plain().write(np.asarray(value), out)

    def read(self, node: Any, source: Source, dims: Dims) -> Any:
        labels = Plain().read(node, source, dims)
        if not isinstance(labels, np.ndarray) or labels.ndim != 1 or len(labels) == 0:
            raise Refused("not a list of labels")
        try:
            rising = all(a < b for a, b in pairwise(labels))
        except TypeError:
            rising = False
        if not rising or (labels.dtype.kind == "f" and not np.isfinite(labels).all()):
            raise Refused("labels that are not sorted or not distinct")
        bind(dims, self.name, len(labels))
        return labels


class Answers(Kind):
    """Different answers in any order, of text and numbers; perhaps none."""

    def __init__(self, name: str) -> None:
        self.name = name

    def write(self, value: Any, out: Out) -> Any:
        return Plain().write(np.asarray(value), out)

    def read(self, node: Any, source: Source, dims: Dims) -> Any:
        answers = Plain().read(node, source, dims)
        if not isinstance(answers, np.ndarray) or answers.ndim != 1:
            raise Refused("not a list of answers")
        if len(set(answers.tolist())) < len(answers):
            raise Refused("answers that are not distinct")
        bind(dims, self.name, len(answers))
        return answers


class Names(Kind):
    """Names of features, as scikit-learn keeps them: an array of words."""

    def __init__(self, name: str) -> None:
        self.name = name

    def write(self, value: Any, out: Out) -> Any:
        names = np.asarray(value).tolist()
        if not all(isinstance(name, str) for name in names):
            raise NotCovered("feature names that are not text")
        return names

    def read(self, node: Any, source: Source, dims: Dims) -> Any:
        if not isinstance(node, list) or not all(
            isinstance(name, str) for name in node
        ):
            raise Refused("not a list of names")
        bind(dims, self.name, len(node))
        return np.array(node, dtype=object)


FEATURES: dict[str, Kind] = {
    "n_features_in_": length("d"),
    "feature_names_in_": Names("d"),
}
# Attributes that scikit-learn adds and only fitting uses.
_UNKEPT = {"_metadata_request", "_skl_callbacks", "_parent_callback_ctx"}


def _nothing(record: Record) -> None:
    """Nothing beyond the fields must agree."""


@dataclass(frozen=True)
class Type:
    """What is written of objects of one class.

    Parameters
    ----------
    cls : type or str
        The class. For a class of another library ``"module:Class"``, so that the
        library is imported only for a file that needs it. Never taken from a file.
    params : mapping of str and Kind
        Of the constructor. One that a file does not have gets its default, one that
        the class does not have here (another version) is left out.
    fitted : mapping of str and Kind
        Attributes that fitting sets.
    optional : set of str
        Attributes that need not be there.
    unkept : set of str
        Attributes that are not written, since prediction does not need them or
        ``make`` finds them again.
    check : callable
        Refuses a `Record` whose parts do not agree.
    take : callable, default=None
        The values of an object by field, where they are not simply its attributes;
        None for one that is not fitted.
    make : callable, default=None
        An object of its class, values of parameters and fitted values.
    renamed : mapping of str and str
        Field names of earlier versions and their names today. It is applied to
        parameters and fitted values alike before anything is checked, so every other
        part of a schema speaks of today's names only.
    former_names : tuple of str
        Names of the class in files of earlier versions.
    is_estimator : bool
        Whether its objects may stand where an estimator belongs. Others would not
        check the rows that they predict.
    any_params : bool
        Whether the constructor has ``**kwargs``, so that its signature does not tell
        which parameters this version has.
    """

    cls: type | str
    params: Mapping[str, Kind] = field(default_factory=dict)
    fitted: Mapping[str, Kind] = field(default_factory=dict)
    optional: frozenset[str] = frozenset()
    unkept: frozenset[str] = frozenset()
    check: Callable[[Record], None] = _nothing
    take: Callable[[Any], dict[str, Any] | None] | None = None
    make: Callable[[Any, dict, dict | None], Any] | None = None
    renamed: Mapping[str, str] = field(default_factory=dict)
    former_names: tuple[str, ...] = ()
    is_estimator: bool = True
    any_params: bool = False

    @property
    def name(self) -> str:
        """The name of the class, by which a file names the schema."""
        if isinstance(self.cls, str):
            return self.cls.partition(":")[2]
        return self.cls.__name__

    @property
    def module(self) -> str:
        """The module of the class."""
        if isinstance(self.cls, str):
            return self.cls.partition(":")[0]
        return self.cls.__module__

    def load(self) -> Any:
        """The class, imported if it is of another library."""
        if isinstance(self.cls, str):
            return getattr(import_module(self.module), self.name)
        return self.cls

    def write(self, value: Any, out: Out) -> dict[str, Any]:
        """An object as JSON."""
        attributes = vars(value) if hasattr(value, "__dict__") else {}
        params = {
            name: self._field(kind, attributes[name], out, name)
            for name, kind in self.params.items()
            if name in attributes
        }
        values = self.take(value) if self.take is not None else self._learnt(attributes)
        fitted = None
        if values is not None:
            fitted = {
                name: self._field(self.fitted[name], field_value, out, name)
                for name, field_value in values.items()
            }
        return {"type": self.name, "params": params, "fitted": fitted}

    def _learnt(self, attributes: dict[str, Any]) -> dict[str, Any] | None:
        left = {
            name: value
            for name, value in attributes.items()
            if name not in self.params and name not in self.unkept | _UNKEPT
        }
        unknown = set(left) - set(self.fitted)
        if unknown:
            raise NotCovered(f"{self.name} has {min(unknown)!r}, which has no schema")
        return left or None

    def _field(self, kind: Kind, value: Any, out: Out, name: str) -> Any:
        try:
            return kind.write(value, out)
        except NotCovered as error:
            raise NotCovered(f"{self.name}.{name}: {error}") from None

    def read(self, node: dict[str, Any], source: Source) -> Record:
        """JSON as plain data, every field of which was checked."""
        params, fitted = node.get("params"), node.get("fitted")
        if set(node) != {"type", "params", "fitted"} or not isinstance(params, dict):
            raise Refused(f"{self.name} is not written in the expected form")
        dims: Dims = {}
        params = self._with_todays_names(params)
        record = Record(
            self.name,
            self._read(params, self.params, source, dims),
            None,
            dims,
            self.is_estimator,
        )
        if fitted is not None:
            if not isinstance(fitted, dict):
                raise Refused(f"{self.name} is not written in the expected form")
            fitted = self._with_todays_names(fitted)
            missing = set(self.fitted) - self.optional - set(fitted)
            if missing:
                raise Refused(f"{self.name} lacks {min(missing)}")
            record.fitted = self._read(fitted, self.fitted, source, dims)
        try:
            self.check(record)
        except Refused as error:
            raise error.inside(self.name) from None
        return record

    def _with_todays_names(self, nodes: dict[str, Any]) -> dict[str, Any]:
        """Fields by the names that they have now, whichever version wrote them."""
        today = {self.renamed.get(name, name): node for name, node in nodes.items()}
        if len(today) < len(nodes):
            name = next(
                new for old, new in self.renamed.items() if {old, new} <= set(nodes)
            )
            raise Refused(f"{self.name} has {name!r} under an earlier name as well")
        return today

    def _read(
        self, nodes: dict, kinds: Mapping[str, Kind], source: Source, dims: Dims
    ) -> dict[str, Any]:
        values = {}
        for name, node in nodes.items():
            if name not in kinds:
                raise Refused(f"{self.name} has no {name[:40]!r}")
            try:
                values[name] = kinds[name].read(node, source, dims)
            except Refused as error:
                raise error.inside(name) from None
        return values

    def build(self, params: dict[str, Any], fitted: dict[str, Any] | None) -> Any:
        """The object."""
        cls = self.load()
        accepted = {
            name: value
            for name, value in params.items()
            if self.any_params or name in parameters(cls)
        }
        if self.make is not None:
            return self.make(cls, accepted, fitted)
        return made(cls, accepted, fitted)


def parameters(cls: Any) -> Mapping[str, Any]:
    """The parameters of a class's constructor."""
    return inspect.signature(cls).parameters


def made(cls: Any, params: dict[str, Any], fitted: dict[str, Any] | None) -> Any:
    """An object with its fitted attributes; constructors only store."""
    value = cls(**params)
    value.__dict__.update(fitted or {})
    return value


@dataclass(frozen=True)
class Array(Kind):
    """An array with named lengths, all of it within bounds.

    ``dtype`` names what it may be, ``"f8|f4"``; others are written as the first.
    """

    dtype: str
    shape: tuple[str | int, ...]
    least: float | None = None
    most: float | None = None
    finite: bool = True

    def write(self, value: Any, out: Out) -> Any:
        values = np.asarray(value)
        if values.dtype not in self.dtypes:
            if not np.can_cast(values.dtype, self.dtypes[0], "same_kind"):
                raise NotCovered(f"an array of {values.dtype}")
            values = values.astype(self.dtypes[0])
        if values.ndim != len(self.shape):
            raise NotCovered(f"an array with shape {values.shape}")
        return out.array(values)

    @property
    def dtypes(self) -> Any:
        return [np.dtype(name) for name in self.dtype.split("|")]

    def read(self, node: Any, source: Source, dims: Dims) -> Any:
        return self.checked(source.array(node), dims)

    def checked(self, values: Any, dims: Dims) -> Any:
        """The array, if it is what it should be."""
        if values.dtype not in self.dtypes:
            raise Refused(f"numbers of type {values.dtype}, not {self.dtype}")
        if values.ndim != len(self.shape):
            raise Refused(f"{values.ndim} axes, not {len(self.shape)}")
        for name, size in zip(self.shape, values.shape, strict=True):
            bind(dims, name, size)
        check_numbers(values, self.least, self.most, self.finite)
        return values


@dataclass(frozen=True)
class Shapes(Kind):
    """An array with one of several numbers of axes."""

    arrays: tuple[Array, ...]

    def _like(self, axes):
        return next((array for array in self.arrays if len(array.shape) == axes), None)

    def write(self, value: Any, out: Out) -> Any:
        kind = self._like(np.ndim(value)) or self.arrays[0]
        return kind.write(value, out)

    def read(self, node: Any, source: Source, dims: Dims) -> Any:
        values = source.array(node)
        kind = self._like(values.ndim) or self.arrays[0]
        return kind.checked(values, dims)


def check_numbers(
    values: np.ndarray, least: float | None, most: float | None, finite: bool
) -> None:
    """Refuse numbers out of bounds."""
    if values.size == 0:
        return
    if finite and values.dtype.kind == "f" and not np.isfinite(values).all():
        raise Refused("numbers are not finite")
    if least is not None and values.min() < least:
        raise Refused(f"a number below {least:g}")
    if most is not None and values.max() > most:
        raise Refused(f"a number above {most:g}")


def numbers(
    *shape: str | int, finite: bool = True, least: float | None = None
) -> Array:
    """An array of float64 or float32."""
    return Array("f8|f4", shape, finite=finite, least=least)


def whole_numbers(*shape: str | int, least: int | None = 0) -> Array:
    """An array of int64, not negative unless said otherwise."""
    return Array("i8", shape, least=least)


FLAG: Kind = Flag()
COUNT: Kind = Whole(0)
POSITIVE: Kind = Real(0)
NUMBER: Kind = Real()
PLAIN: Kind = Plain()
ESTIMATOR: Kind = Part()
NAMED = frozenset({"feature_names_in_"})
# Prediction may start this many threads.
JOBS: Kind = maybe(Whole(-256, 256))
SEED: Kind = PLAIN
VERBOSE: Kind = either(Flag(), Whole(0, 1000))
CLASS_WEIGHT: Kind = PLAIN
NOTHING: Kind = Nothing()


def word_or(kind: Kind, *words: str) -> Kind:
    """One of some words, or a value of a kind."""
    return either(one_of(*words), kind)


def n_features(record: Record | None) -> int | None:
    """How many features a part takes; None where it does not say."""
    if record is None or record.fitted is None:
        return None
    if record.type == "Pipeline":
        steps = [step for _, step in record.params["steps"] if isinstance(step, Record)]
        return n_features(steps[0]) if steps else None
    if record.type in WRAPPERS and "d" not in record.dims:
        return n_features(record.params.get("estimator"))
    return record.dims.get("d")


WRAPPERS = ("FrozenEstimator", "CalibratedClassifierCV")


def is_fitted(record: Record) -> bool:
    """Whether a part can predict, as far as its schema tells."""
    if record.type == "Pipeline":
        steps = [step for _, step in record.params["steps"] if isinstance(step, Record)]
        return bool(steps) and all(map(is_fitted, steps))
    if record.type == "FrozenEstimator":
        inner = record.params.get("estimator")
        return isinstance(inner, Record) and is_fitted(inner)
    return record.fitted is not None or record.type == "skops"


def require_fitted(record: object, features: int | None, what: str) -> None:
    """Refuse a part that cannot predict, or not from so many features."""
    if not isinstance(record, Record) or not is_fitted(record):
        raise Refused(f"{what}: not fitted")
    expected = n_features(record)
    if expected is not None and features is not None and expected != features:
        raise Refused(f"{what}: expected {expected} features, got {features}")

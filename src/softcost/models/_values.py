"""Values of any plain kind: what users give as parameters, labels, tables.

==================  ================================================================
in Python           in ``structure.json``
==================  ================================================================
None, bool, str     as in JSON
int, float          as in JSON; ``{"float": "nan"}``, "inf" and "-inf"
list                a list
tuple               ``{"tuple": [...]}``
dict                ``{"dict": [[key, value], ...]}``, keys being plain scalars
array               ``{"array": number of the member}``
array of objects    ``{"objects": [...], "shape": [...]}``, of plain scalars
masked array        ``{"masked": array, "mask": array}``
DataFrame           ``{"frame": [columns], "names": [...], "index": [...] or n}``
Series              ``{"series": values, "name": ..., "index": [...] or n}``
RandomState         ``{"random_state": keys, "place": n, "spare": number or null}``
any type of ours    ``{"type": ..., "params": {...}, "fitted": {...}}``
==================  ================================================================
"""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from softcost.models._errors import NotCovered, Refused
from softcost.models._kinds import LARGEST, Dims, Kind, Source, bind

_SCALARS = (str, int, float, bool, type(None))
_WORDS = ("nan", "inf", "-inf")


class Frame:
    """A pandas table or column as plain data, to be made of it."""

    def __init__(self, columns: list, names: list | None, name: Any, index: Any):
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

    def write(self, value, out):
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, bool | str):
            return value
        if isinstance(value, int | float):
            return _written_number(value)
        if type(value) is list:
            return [self.write(one, out) for one in value]
        if type(value) is tuple:
            return {"tuple": [self.write(one, out) for one in value]}
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
            [self.write(key, out), self.write(one, out)] for key, one in value.items()
        ]

    def _array(self, values, out):
        if isinstance(values, np.ma.MaskedArray):
            mask = np.ma.getmaskarray(values)
            return {"masked": self._array(values.data, out), "mask": out.array(mask)}
        if values.dtype.kind != "O":
            return out.array(values)
        cells = values.ravel().tolist()
        return {"objects": [_cell(one) for one in cells], "shape": list(values.shape)}

    def _table(self, value, out):
        index = value.index
        plain = isinstance(index, pd.RangeIndex) and (index.start, index.step) == (0, 1)
        if index.nlevels > 1 or (
            isinstance(value, pd.DataFrame) and value.columns.nlevels > 1
        ):
            raise NotCovered("a table with more than one level of names")
        rows = len(index) if plain else [_cell(one) for one in index.tolist()]
        if isinstance(value, pd.Series):
            column = self._array(_column(value), out)
            return {"series": column, "name": _cell(value.name), "index": rows}
        parts = [value.iloc[:, j] for j in range(value.shape[1])]
        return {
            "frame": [self._array(_column(one), out) for one in parts],
            "names": [_cell(one) for one in value.columns.tolist()],
            "index": rows,
        }

    def read(self, node, source, dims):
        if node is None or isinstance(node, bool | str):
            return node
        if isinstance(node, int | float):
            return read_number(node)
        if isinstance(node, list):
            return [self.read(one, source, dims) for one in node]
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
            raise Refused("a value of no known kind")
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
            raise Refused("an array of words of another shape")
        out = np.empty(len(cells), dtype=object)
        out[:] = [read_cell(one) for one in cells]
        return out.reshape(shape)

    def _read_array(self, node, source):
        found = self.read(node, source, {}) if isinstance(node, dict) else None
        if not isinstance(found, np.ndarray):
            raise Refused("not an array")
        return found

    def _read_masked(self, node, source):
        data = self._read_array(node["masked"], source)
        mask = self._read_array(node["mask"], source)
        if mask.dtype != bool or mask.shape != data.shape:
            raise Refused("a mask of another shape")
        return np.ma.MaskedArray(data, mask)

    def _read_index(self, node, size):
        rows = node["index"]
        count = (
            rows if type(rows) is int else len(rows) if isinstance(rows, list) else -1
        )
        if count != size:
            raise Refused("a table with other names than rows")
        return rows if type(rows) is int else [read_cell(one) for one in rows]

    def _read_frame(self, node, source):
        columns, names = node["frame"], node["names"]
        if not isinstance(columns, list) or not isinstance(names, list):
            raise Refused("not a table")
        bind({}, len(columns), len(names))
        arrays = [self._read_array(one, source) for one in columns]
        sizes = {one.shape for one in arrays}
        if len(sizes) > 1 or any(one.ndim != 1 for one in arrays):
            raise Refused("a table with columns of different length")
        index = self._read_index(node, len(arrays[0]) if arrays else 0)
        return Frame(arrays, [read_cell(one) for one in names], None, index)

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
        found = np.random.RandomState(0)
        spare_number = 0.0 if spare is None else float(read_number(spare))
        found.set_state(("MT19937", keys, place, int(spare is not None), spare_number))
        return found


def _written_number(value: Any) -> Any:
    if isinstance(value, int):
        if abs(value) > LARGEST:
            raise NotCovered("a whole number that is too large")
        return value
    return value if math.isfinite(value) else {"float": str(value)}


def read_number(node: Any) -> Any:
    """A number of JSON that is finite and not too large."""
    if isinstance(node, bool) or not isinstance(node, int | float):
        raise Refused("not a number")
    if not math.isfinite(node) if isinstance(node, float) else abs(node) > LARGEST:
        raise Refused("too large a number")
    return node


def _written_state(value: Any, out: Any) -> dict[str, Any]:
    state = value.get_state(legacy=False)
    if state["bit_generator"] != "MT19937":
        raise NotCovered("a random generator of another kind")
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

    def __init__(self, name: str):
        self.name = name

    def write(self, value, out):
        return Plain().write(np.asarray(value), out)

    def read(self, node, source: Source, dims: Dims):
        found = Plain().read(node, source, dims)
        if not isinstance(found, np.ndarray) or found.ndim != 1 or len(found) == 0:
            raise Refused("not a list of labels")
        try:
            rising = all(a < b for a, b in pairwise(found))
        except TypeError:
            rising = False
        if not rising or (found.dtype.kind == "f" and not np.isfinite(found).all()):
            raise Refused("labels that are not in order, or not different")
        bind(dims, self.name, len(found))
        return found


class Answers(Kind):
    """Different answers in any order, of text and numbers; perhaps none."""

    def __init__(self, name: str):
        self.name = name

    def write(self, value, out):
        return Plain().write(np.asarray(value), out)

    def read(self, node, source: Source, dims: Dims):
        found = Plain().read(node, source, dims)
        if not isinstance(found, np.ndarray) or found.ndim != 1:
            raise Refused("not a list of answers")
        if len(set(found.tolist())) < len(found):
            raise Refused("answers that are not different")
        bind(dims, self.name, len(found))
        return found


class Names(Kind):
    """Names of features, as scikit-learn keeps them: an array of words."""

    def __init__(self, name: str):
        self.name = name

    def write(self, value, out):
        names = np.asarray(value).tolist()
        if not all(isinstance(one, str) for one in names):
            raise NotCovered("names of features that are no text")
        return names

    def read(self, node, source: Source, dims: Dims):
        if not isinstance(node, list) or not all(isinstance(one, str) for one in node):
            raise Refused("not a list of names")
        bind(dims, self.name, len(node))
        return np.array(node, dtype=object)

"""Translate a model into the members of a file, and back.

A model may hold an object in several places, such as trees that several candidates
share. It is written once, with a ``name``; the other places refer to this name with
``same``. A named part contains no reference itself, so references cannot nest and a
small file cannot expand exponentially. All references together stand for a bounded
multiple of the file.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from softcost.persistence.archive import (
    STRUCTURE,
    Members,
    NotCovered,
    Refused,
    json_bytes,
    parse_json,
    read_array,
    stored_array,
)
from softcost.persistence.schema import Frame, Record, Type
from softcost.persistence.skops_types import (
    SKOPS,
    check_skops,
    restored_skops,
    stored_skops,
)


@cache
def registry() -> dict[str, Type]:
    """All schemas by the name of their type: what a model file may hold.

    Schemas name softcost's classes, so importing them imports every estimator. Only
    what reads or writes a model needs that: not ``describe``, and not a command's help.
    """
    from softcost.persistence.types_boosting import BOOSTING_TYPES
    from softcost.persistence.types_search import SEARCH_TYPES
    from softcost.persistence.types_sklearn import SKLEARN_TYPES
    from softcost.persistence.types_softcost import SOFTCOST_TYPES
    from softcost.persistence.types_trees import TREE_TYPES

    schemas = (
        *SOFTCOST_TYPES,
        *SEARCH_TYPES,
        *SKLEARN_TYPES,
        *TREE_TYPES,
        *BOOSTING_TYPES,
    )
    return {schema.name: schema for schema in schemas}


def find_type(name: Any) -> Type | None:
    """The schema of a type that a file names, perhaps as an earlier version did."""
    if not isinstance(name, str):
        return None
    types = registry()
    if name in types:
        return types[name]
    return next(
        (schema for schema in types.values() if name in schema.former_names), None
    )


def encode(model: Any, trusted: Sequence[str] = ()) -> dict[str, bytes]:
    """Translate a model into members of a file; `NotCovered` without a schema."""
    writer = Writer(trusted)
    structure = writer.part(model)
    return {STRUCTURE: json_bytes(structure), **writer.members}


def decode(members: Members, trusted: Sequence[str] = ()) -> Any:
    """Build the model of a file.

    The whole file is read and checked as plain data before any object is made.
    `Refused` names the field that does not agree with its schema.
    """
    structure = parse_json(members.take(STRUCTURE), members.size)
    reader = Reader(members, trusted)
    try:
        record = reader.part(structure)
        if members.names:
            raise Refused("it has members without a reference")
        return Builder(trusted).build(record)
    except RecursionError:
        raise Refused("its JSON is nested too deeply") from None


# References may stand for this many times the size of the file: 1000 candidates may
# share a part that is nearly all of it.
_MOST_TIMES = 1000


class _Written(NamedTuple):
    """An object that was written, so that its id stays taken, and its node."""

    value: Any
    node: dict[str, Any]


class Writer:
    def __init__(self, trusted: Sequence[str]):
        self.members: dict[str, bytes] = {}
        self._trusted = trusted
        self._parts: dict[int, _Written] = {}  # by id; what holds no "same"
        self._n_names = 0
        self._n_same = 0
        self._done: list[tuple[dict[Any, Any], Any]] = []  # to be taken back

    def mark(self) -> int:
        return len(self._done)

    def rollback(self, mark: int) -> None:
        for place, key in self._done[mark:]:
            del place[key]
        del self._done[mark:]

    def _add(self, folder: str, ending: str, content: bytes) -> int:
        number = len(self.members)
        name = f"{folder}/{number}.{ending}"
        self.members[name] = content
        self._done.append((self.members, name))
        return number

    def array(self, values: Any) -> dict[str, Any]:
        return {"array": self._add("arrays", "npy", stored_array(values))}

    def part(self, value: Any) -> dict[str, Any]:
        if id(value) in self._parts:
            return self._same(self._parts[id(value)].node)
        kind: Any = type(value)
        schema = registry().get(kind.__name__)
        ours = kind.__module__.partition(".")[0] == "softcost"
        if schema is not None and schema.load() is kind:
            mark, same_before = self.mark(), self._n_same
            try:
                node = schema.write(value, self)
            except NotCovered:
                self.rollback(mark)
                if ours:
                    raise
            else:
                if self._n_same == same_before:
                    self._parts[id(value)] = _Written(value, node)
                    self._done.append((self._parts, id(value)))
                return node
        if ours:
            raise NotCovered(f"{kind.__name__} has no schema")
        content = stored_skops(value, self._trusted)
        return {"skops": self._add("parts", "skops", content)}

    def _same(self, first: dict[str, Any]) -> dict[str, Any]:
        """A place that stands for a part written before."""
        if "name" not in first:
            first["name"] = self._n_names
            self._n_names += 1
        self._n_same += 1
        return {"type": first["type"], "same": first["name"]}


class Reader:
    def __init__(self, members: Members, trusted: Sequence[str]) -> None:
        self._members = members
        self._trusted = trusted
        self._named: dict[int, tuple[Record, int]] = {}  # with the size of its arrays
        self._n_same = 0
        self._taken = 0  # bytes of arrays and parts
        self._again = 0  # of those that places stand for

    def array(self, node: Any) -> np.ndarray:
        number = reference_number(node, "array")
        return read_array(self._take(f"arrays/{number}.npy"))

    def _take(self, name: str) -> bytes:
        content = self._members.take(name)
        self._taken += len(content)
        return content

    def part(self, node: Any) -> Record:
        if not isinstance(node, dict):
            raise Refused("not a saved object")
        if "skops" in node:
            number = reference_number(node, "skops")
            content = self._take(f"parts/{number}.skops")
            check_skops(content, self._trusted)
            return Record(SKOPS, {"content": content}, None)
        if "same" in node:
            return self._same(node)
        name = node.get("type")
        schema = find_type(name)
        if schema is None:
            raise Refused(f"the type {str(name)[:60]} is not allowed")
        same_before, taken_before = self._n_same, self._taken
        unnamed = {key: value for key, value in node.items() if key != "name"}
        record = schema.read(unnamed, self)
        if "name" in node:
            name = node["name"]
            if type(name) is not int or name in self._named:
                raise Refused("an object has an invalid name")
            if self._n_same > same_before:
                raise Refused("a named object contains a reference")
            size = self._taken - taken_before + len(json_bytes(unnamed))
            self._named[name] = record, size
        return record

    def _same(self, node: dict[str, Any]) -> Record:
        """The part that stands elsewhere, before this place."""
        name = node["same"]
        named = self._named.get(name) if type(name) is int else None
        if set(node) != {"type", "same"} or named is None:
            raise Refused("not a reference to an earlier object")
        record, size = named
        schema = find_type(node["type"])
        if schema is None or schema.name != record.type:
            raise Refused("not a reference to an earlier object")
        self._n_same += 1
        self._again += size
        if self._again > _MOST_TIMES * self._members.size:
            raise Refused("its references expand to too many objects")
        return record


def reference_number(node: Any, key: str) -> int:
    number = node.get(key) if isinstance(node, dict) and set(node) == {key} else None
    if type(number) is not int or not 0 <= number < 2**31:
        raise Refused(f"not a reference to an {key}")
    return number


class Builder:
    """Objects instead of records, from the inside out; one for each record."""

    def __init__(self, trusted: Sequence[str]):
        self._trusted = trusted
        self._built: dict[int, Any] = {}

    def build(self, value: Any) -> Any:
        if isinstance(value, Record):
            if id(value) not in self._built:
                self._built[id(value)] = self._object(value)
            return self._built[id(value)]
        if isinstance(value, Frame):
            return value.made()
        if type(value) is dict:
            return {key: self.build(item) for key, item in value.items()}
        if type(value) is list:
            return [self.build(item) for item in value]
        if type(value) is tuple:
            return tuple(self.build(item) for item in value)
        return value

    def _object(self, record: Record) -> Any:
        if record.type == SKOPS:
            return restored_skops(record.params["content"], self._trusted)
        params = self.build(record.params)
        return registry()[record.type].build(params, self.build(record.fitted))

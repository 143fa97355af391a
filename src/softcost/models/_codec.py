"""From a model to the parts of a file, and back."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from softcost.models._archive import STRUCTURE, Members
from softcost.models._arrays import read_array, stored_array
from softcost.models._errors import NotCovered, Refused
from softcost.models._json import json_bytes, parse_json
from softcost.models._kinds import Record
from softcost.models._skops import SKOPS, check_skops, restored_skops, stored_skops
from softcost.models._types import TYPES
from softcost.models._values import Frame


def encode(model: Any, trusted: Sequence[str] = ()) -> dict[str, bytes]:
    """A model as members of a file; `NotCovered` where there is no schema for it."""
    writer = _Writer(trusted)
    structure = writer.part(model)
    return {STRUCTURE: json_bytes(structure), **writer.members}


def decode(members: Members, trusted: Sequence[str] = ()) -> Any:
    """The model of a file.

    First all of it is read and checked as plain data; objects are made after that.
    `Refused` says what does not agree with the schema.
    """
    structure = parse_json(members.take(STRUCTURE), members.size)
    reader = _Reader(members, trusted)
    try:
        record = reader.part(structure)
        if members.names:
            raise Refused("it has parts that nothing refers to")
        return _build(record, trusted)
    except RecursionError:
        raise Refused("its description is nested too deeply") from None


class _Writer:
    def __init__(self, trusted: Sequence[str]):
        self.members: dict[str, bytes] = {}
        self._trusted = trusted

    def mark(self) -> int:
        return len(self.members)

    def rollback(self, mark: int) -> None:
        for name in list(self.members)[mark:]:
            del self.members[name]

    def _add(self, folder: str, ending: str, content: bytes) -> int:
        number = len(self.members)
        self.members[f"{folder}/{number}.{ending}"] = content
        return number

    def array(self, values: Any) -> dict[str, Any]:
        return {"array": self._add("arrays", "npy", stored_array(values))}

    def part(self, value: Any) -> dict[str, Any]:
        kind: Any = type(value)
        schema = TYPES.get(kind.__name__)
        ours = kind.__module__.partition(".")[0] == "softcost"
        if schema is not None and schema.load() is kind:
            mark = self.mark()
            try:
                return schema.write(value, self)
            except NotCovered:
                self.rollback(mark)
                if ours:
                    raise
        if ours:
            raise NotCovered(f"{kind.__name__} has no schema")
        content = stored_skops(value, self._trusted)
        return {"skops": self._add("parts", "skops", content)}


class _Reader:
    def __init__(self, members: Members, trusted: Sequence[str]):
        self._members = members
        self._trusted = trusted

    def array(self, node: Any) -> np.ndarray:
        number = _number(node, "array")
        return read_array(self._members.take(f"arrays/{number}.npy"))

    def part(self, node: Any) -> Record:
        if not isinstance(node, dict):
            raise Refused("not a part")
        if "skops" in node:
            number = _number(node, "skops")
            content = self._members.take(f"parts/{number}.skops")
            check_skops(content, self._trusted)
            return Record(SKOPS, {"content": content}, None)
        name = node.get("type")
        schema = TYPES.get(name) if isinstance(name, str) else None
        if schema is None:
            raise Refused(f"{str(name)[:60]} is of a type that is not allowed")
        return schema.read(node, self)


def _number(node: Any, key: str) -> int:
    number = node.get(key) if isinstance(node, dict) and set(node) == {key} else None
    if type(number) is not int or not 0 <= number < 2**31:
        raise Refused(f"not a reference to an {key}")
    return number


def _build(value: Any, trusted: Sequence[str]) -> Any:
    """Objects instead of records, from the inside out."""
    if isinstance(value, Record):
        if value.type == SKOPS:
            return restored_skops(value.params["content"], trusted)
        params = _build(value.params, trusted)
        return TYPES[value.type].build(params, _build(value.fitted, trusted))
    if isinstance(value, Frame):
        return value.made()
    if type(value) is dict:
        return {key: _build(one, trusted) for key, one in value.items()}
    if type(value) is list:
        return [_build(one, trusted) for one in value]
    if type(value) is tuple:
        return tuple(_build(one, trusted) for one in value)
    return value

"""Kinds of fields: what a value must be, and how it is written and read.

A kind writes a value of a model as plain JSON (numbers of arrays go to members of the
file) and reads it back as plain data: JSON's own types, arrays, and `Record` for parts
with a schema of their own. Nothing that a kind reads runs code.

Lengths of arrays have names. Within one record a name means one number, so that
``Array("f8", "n", "d")`` beside ``Array("f8", "d")`` says that both have d columns.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from softcost.models._errors import NotCovered, Refused

Dims = dict[str, int]
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
    """

    type: str
    params: dict[str, Any]
    fitted: dict[str, Any] | None
    dims: Dims = field(default_factory=dict)

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
    known = name if isinstance(name, int) else dims.setdefault(name, length)
    if known != length:
        raise Refused(f"there are {length} where {known} belong")


@dataclass(frozen=True)
class Flag(Kind):
    """True or false."""

    def write(self, value, out):
        if not isinstance(value, bool | np.bool_):
            raise NotCovered(f"{value!r:.60}, where true or false belongs")
        return bool(value)

    def read(self, node, source, dims):
        if not isinstance(node, bool):
            raise Refused("not true or false")
        return node


@dataclass(frozen=True)
class Whole(Kind):
    """A whole number within bounds; with a name, a length."""

    least: int = -LARGEST
    most: int = LARGEST
    name: str | None = None

    def write(self, value, out):
        if isinstance(value, bool) or not isinstance(value, int | np.integer):
            raise NotCovered(f"{value!r:.60}, where a whole number belongs")
        return int(value)

    def read(self, node, source, dims):
        if isinstance(node, bool) or not isinstance(node, int):
            raise Refused("not a whole number")
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

    def write(self, value, out):
        if isinstance(value, bool | np.bool_) or not isinstance(
            value, int | float | np.integer | np.floating
        ):
            raise NotCovered(f"{value!r:.60}, where a number belongs")
        whole = isinstance(value, int | np.integer)
        number = int(value) if whole else float(value)
        return number if np.isfinite(number) else str(number)

    def read(self, node, source, dims):
        if node in ("nan", "inf", "-inf"):
            if self.finite:
                raise Refused("not a finite number")
            return float(node)
        if isinstance(node, bool) or not isinstance(node, int | float):
            raise Refused("not a number")
        if (isinstance(node, int) and abs(node) > LARGEST) or not np.isfinite(node):
            raise Refused("too large a number")
        if not self.least <= node <= self.most:
            raise Refused(f"not from {self.least:g} to {self.most:g}")
        return node


@dataclass(frozen=True)
class Text(Kind):
    """Text, perhaps one of few words."""

    words: tuple[str, ...] = ()

    def write(self, value, out):
        if not isinstance(value, str) or (self.words and value not in self.words):
            raise NotCovered(f"{value!r:.60}, where text belongs")
        return str(value)

    def read(self, node, source, dims):
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

    def write(self, value, out):
        if value is not None:
            raise NotCovered(f"{value!r:.60}, where nothing belongs")

    def read(self, node, source, dims):
        if node is not None:
            raise Refused("not null")


@dataclass(frozen=True)
class Any_(Kind):
    """The first of several kinds that fits."""

    kinds: tuple[Kind, ...]

    def write(self, value, out):
        mark = out.mark()
        for kind in self.kinds[:-1]:
            try:
                return kind.write(value, out)
            except NotCovered:
                out.rollback(mark)
        return self.kinds[-1].write(value, out)

    def read(self, node, source, dims):
        for kind in self.kinds[:-1]:
            trial = dict(dims)
            try:
                found = kind.read(node, source, trial)
            except Refused:
                continue
            dims.update(trial)
            return found
        return self.kinds[-1].read(node, source, dims)


def either(*kinds: Kind) -> Kind:
    """One of several kinds; put those without arrays first."""
    return Any_(kinds)


def maybe(kind: Kind) -> Kind:
    """A kind, or None."""
    return Any_((Nothing(), kind))


@dataclass(frozen=True)
class ListOf(Kind):
    """A list of one kind, with a named length."""

    kind: Kind
    name: str | None = None
    as_tuple: bool = False

    def write(self, value, out):
        if not isinstance(value, list | tuple):
            raise NotCovered(f"{value!r:.60}, where a list belongs")
        return [self.kind.write(one, out) for one in value]

    def read(self, node, source, dims):
        if not isinstance(node, list):
            raise Refused("not a list")
        if self.name is not None:
            bind(dims, self.name, len(node))
        found = [self.kind.read(one, source, dims) for one in node]
        return tuple(found) if self.as_tuple else found


@dataclass(frozen=True)
class Tuple(Kind):
    """A tuple with one kind for each place."""

    kinds: tuple[Kind, ...]

    def write(self, value, out):
        if not isinstance(value, list | tuple) or len(value) != len(self.kinds):
            raise NotCovered(f"{value!r:.60}, where {len(self.kinds)} values belong")
        return [
            kind.write(one, out) for kind, one in zip(self.kinds, value, strict=True)
        ]

    def read(self, node, source, dims):
        if not isinstance(node, list) or len(node) != len(self.kinds):
            raise Refused(f"not a list of {len(self.kinds)}")
        pairs = zip(self.kinds, node, strict=True)
        return tuple(kind.read(one, source, dims) for kind, one in pairs)


@dataclass(frozen=True)
class Part(Kind):
    """A part with a schema of its own: of certain types, or of any but some."""

    types: Sequence[str] = ()
    but: Sequence[str] = ()

    def write(self, value, out):
        node = out.part(value)
        if self.types and node.get("type") not in self.types:
            raise NotCovered(f"{type(value).__name__} has no place here")
        return node

    def read(self, node, source, dims):
        record = source.part(node)
        if (self.types and record.type not in self.types) or record.type in self.but:
            raise Refused(f"{record.type} has no place here")
        return record

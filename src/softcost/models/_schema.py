"""The schema of a type: its parameters, what fitting learns, and what must agree."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from softcost.models._errors import NotCovered, Refused
from softcost.models._kinds import Dims, Kind, Out, Record, Source, length
from softcost.models._values import Names

FEATURES: dict[str, Kind] = {
    "n_features_in_": length("d"),
    "feature_names_in_": Names("d"),
}
# What scikit-learn attaches to objects and only fitting looks at.
_UNKEPT = {"_metadata_request", "_skl_callbacks", "_parent_callback_ctx"}


def _nothing(record: Record) -> None:
    """Nothing beyond the fields must agree."""


@dataclass(frozen=True)
class Type:
    """What is written of objects of one class.

    Parameters
    ----------
    place : str
        ``"module:Class"``, never taken from a file.
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
    """

    place: str
    params: Mapping[str, Kind] = field(default_factory=dict)
    fitted: Mapping[str, Kind] = field(default_factory=dict)
    optional: frozenset[str] = frozenset()
    unkept: frozenset[str] = frozenset()
    check: Callable[[Record], None] = _nothing
    take: Callable[[Any], dict[str, Any] | None] | None = None
    make: Callable[[Any, dict, dict | None], Any] | None = None

    @property
    def name(self) -> str:
        """The name of the class, by which a file names the schema."""
        return self.place.partition(":")[2]

    def load(self) -> Any:
        """The class."""
        module, _, name = self.place.partition(":")
        return getattr(import_module(module), name)

    def write(self, value: Any, out: Out) -> dict[str, Any]:
        """An object as JSON."""
        own = vars(value) if hasattr(value, "__dict__") else {}
        params = {
            name: self._field(kind, own[name], out, name)
            for name, kind in self.params.items()
            if name in own
        }
        values = self.take(value) if self.take is not None else self._learnt(own)
        fitted = None
        if values is not None:
            fitted = {
                name: self._field(self.fitted[name], one, out, name)
                for name, one in values.items()
            }
        return {"type": self.name, "params": params, "fitted": fitted}

    def _learnt(self, own: dict[str, Any]) -> dict[str, Any] | None:
        left = {
            name: value
            for name, value in own.items()
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
            raise Refused(f"{self.name} is not written as it should be")
        dims: Dims = {}
        record = Record(self.name, self._read(params, self.params, source, dims), None)
        record.dims = dims
        if fitted is not None:
            if not isinstance(fitted, dict):
                raise Refused(f"{self.name} is not written as it should be")
            missing = set(self.fitted) - self.optional - set(fitted)
            if missing:
                raise Refused(f"{self.name} lacks {min(missing)}")
            record.fitted = self._read(fitted, self.fitted, source, dims)
        try:
            self.check(record)
        except Refused as error:
            raise error.inside(self.name) from None
        return record

    def _read(
        self, nodes: dict, kinds: Mapping[str, Kind], source: Source, dims: Dims
    ) -> dict[str, Any]:
        found = {}
        for name, node in nodes.items():
            if name not in kinds:
                raise Refused(f"{self.name} has no {name[:40]!r}")
            try:
                found[name] = kinds[name].read(node, source, dims)
            except Refused as error:
                raise error.inside(name) from None
        return found

    def build(self, params: dict[str, Any], fitted: dict[str, Any] | None) -> Any:
        """The object."""
        kind = self.load()
        known = {
            name: value for name, value in params.items() if name in parameters(kind)
        }
        if self.make is not None:
            return self.make(kind, known, fitted)
        return made(kind, known, fitted)


def parameters(kind: Any) -> Mapping[str, Any]:
    """The parameters of a class's constructor."""
    return inspect.signature(kind).parameters


def made(kind: Any, params: dict[str, Any], fitted: dict[str, Any] | None) -> Any:
    """An object with its fitted attributes; constructors only store."""
    value = kind(**params)
    value.__dict__.update(fitted or {})
    return value

"""The format, written down: every type, its fields, and what each may hold.

Files travel between versions: what a schema begins to refuse, an older file may have,
and what it begins to take, older versions refuse. So ``format.txt`` is not to change by
accident. After an intended change, ``python tests/persistence/test_format.py`` rewrites
it; review the difference.
"""

from pathlib import Path

import numpy as np
import pytest

from softcost.persistence.archive import Refused
from softcost.persistence.codec import registry
from softcost.persistence.schema import (
    LARGEST,
    Array,
    Either,
    ListOf,
    Part,
    Real,
    Shapes,
    Text,
    Tuple,
    Whole,
)

PAGE = Path(__file__).with_name("format.txt")
NUMBERS = {-LARGEST: "", LARGEST: "", -np.inf: "", np.inf: "", None: ""}


def bounds(kind):
    """In words: "0..1"; nothing where there are none."""
    ends = [NUMBERS.get(one, f"{one}") for one in (kind.least, kind.most)]
    return f" {'..'.join(ends)}" if any(ends) else ""


def told(kind):
    """A kind in words."""
    if isinstance(kind, Either):
        return " or ".join(told(one) for one in kind.kinds)
    if isinstance(kind, ListOf):
        name = "" if kind.name is None else f"[{kind.name}]"
        return f"{'tuple' if kind.as_tuple else 'list'}{name} of ({told(kind.kind)})"
    if isinstance(kind, Tuple):
        return f"({', '.join(told(one) for one in kind.kinds)})"
    if isinstance(kind, Part):
        return f"part {' '.join(kind.types)}" if kind.types else "estimator"
    if isinstance(kind, Text):
        return f"text {' '.join(kind.words)}".strip()
    if isinstance(kind, Whole):
        return f"whole{bounds(kind)}" + (f" = {kind.name}" if kind.name else "")
    if isinstance(kind, Real):
        return f"number{bounds(kind)}" + ("" if kind.finite else " or not finite")
    if isinstance(kind, Array):
        shape = ", ".join(map(str, kind.shape))
        free = "" if kind.finite else " or not finite"
        return f"array {kind.dtype} ({shape}){bounds(kind)}{free}"
    if isinstance(kind, Shapes):
        return " or ".join(told(one) for one in kind.arrays)
    name = getattr(kind, "name", None)  # of labels, answers and names
    return type(kind).__name__.lower() + (f"[{name}]" if name else "")


def package(schema):
    """Where its class is public; modules inside of softcost's packages may change."""
    if schema.module.startswith("softcost."):
        return ".".join(schema.module.split(".")[:2])
    return schema.module


def page():
    """All schemas as text."""
    lines = []
    for name, schema in sorted(registry().items()):
        lines.append(f"{name}, of {package(schema)}")
        for field, kind in sorted(schema.params.items()):
            lines.append(f"  {field}: {told(kind)}")
        for field, kind in sorted(schema.fitted.items()):
            need = ", perhaps" if field in schema.optional else ""
            lines.append(f"  learnt {field}{need}: {told(kind)}")
        for field in sorted(schema.unkept):
            lines.append(f"  not kept {field}")
        if not schema.is_estimator:
            lines.append("  no estimator")
        for old, new in sorted(schema.renamed.items()):
            lines.append(f"  formerly {old}: {new}")
        for old in sorted(schema.former_names):
            lines.append(f"  formerly of type {old}")
    return "\n".join(lines) + "\n"


def test_the_format_is_as_it_was_written_down():
    """See above for what to do where it is not."""
    assert page().splitlines() == PAGE.read_text().splitlines()


class Given:
    """One array, in place of a file."""

    def __init__(self, values):
        self.values = values

    def array(self, node):
        return self.values


def bounded(kind):
    """The kinds with bounds of their own inside of a kind."""
    if isinstance(kind, Whole | Real | Array):
        yield kind
    inner = [getattr(kind, "kind", None), *getattr(kind, "kinds", ())]
    for one in [*inner, *getattr(kind, "arrays", ())]:
        if one is not None:
            yield from bounded(one)


KINDS = {
    told(kind): kind
    for schema in registry().values()
    for every in (*schema.params.values(), *schema.fitted.values())
    for kind in bounded(every)
}


def tried(kind, number):
    """Whether a kind takes a number, or an array of it and of good ones."""
    if not isinstance(kind, Array):
        return kind.read(number, None, {}) == number
    shape = tuple(one if isinstance(one, int) else 2 for one in kind.shape)
    good = max(kind.least or 0, 0)
    values = np.full(shape, good, kind.dtypes[0])
    values.flat[-1] = number
    return kind.read({}, Given(values), {}) is values


@pytest.mark.parametrize("name", list(KINDS))
def test_bounds_themselves_are_inside_and_the_next_number_is_not(name):
    kind = KINDS[name]
    if isinstance(kind, Array) and np.dtype(kind.dtypes[0]).kind in "ub":
        lowest, step = 0, 1
    else:
        lowest, step = None, 1 if isinstance(kind, Whole) else 0.5
    if isinstance(kind, Array) and kind.dtypes[0].kind == "i":
        step = 1
    for end, beyond, words in (
        (kind.least, -step, r"not from|below"),
        (kind.most, step, r"not from|above"),
    ):
        if end is None or not np.isfinite(end):
            continue
        assert tried(kind, end)
        if lowest is None or end + beyond >= lowest:
            with pytest.raises(Refused, match=words):
                tried(kind, end + beyond)


ODD = {"a word": "x", "truth": True, "a list": [1], "nothing": None, "infinity": 1e999}


@pytest.mark.parametrize("name", [one for one in KINDS if "array" not in one])
def test_numbers_are_nothing_else(name):
    kind = KINDS[name]
    for odd in (*ODD.values(), *(["nan"] if getattr(kind, "finite", True) else [])):
        with pytest.raises(Refused):
            kind.read(odd, None, {})
    if isinstance(kind, Whole):
        with pytest.raises(Refused, match="integer"):
            kind.read(1.0, None, {})


@pytest.mark.parametrize("name", [one for one in KINDS if "array" in one])
def test_arrays_have_their_type_and_their_shape(name):
    kind = KINDS[name]
    shape = tuple(one if isinstance(one, int) else 2 for one in kind.shape)
    good = np.full(shape, max(kind.least or 0, 0), kind.dtypes[0])
    for allowed in kind.dtypes:
        assert kind.read({}, Given(good.astype(allowed)), {}).dtype == allowed
    for other in ("f8", "f4", "i8", "i4", "u1", "b1"):
        if np.dtype(other) not in kind.dtypes:
            with pytest.raises(Refused, match="numbers of type"):
                kind.read({}, Given(good.astype(other)), {})
    with pytest.raises(Refused, match="axes, not"):
        kind.read({}, Given(good[None]), {})
    for axis, length in enumerate(kind.shape):
        if length == "*":
            continue
        longer = np.concatenate([good, good], axis)
        wanted = length if isinstance(length, int) else 2
        known = {} if isinstance(length, int) else {length: 2}
        words = f"expected length {wanted}, got {2 * wanted}"
        with pytest.raises(Refused, match=words):
            kind.read({}, Given(longer), known)
    if good.dtype.kind == "f":
        for odd in (np.nan, np.inf):
            spoilt = good.copy()
            spoilt.flat[-1] = odd
            if not kind.finite:
                kind.read({}, Given(spoilt), {})
                continue
            with pytest.raises(Refused, match="not finite"):
                kind.read({}, Given(spoilt), {})


if __name__ == "__main__":
    PAGE.write_text(page())

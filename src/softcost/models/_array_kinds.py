"""Kinds of arrays: types of numbers, named lengths, bounds."""

from dataclasses import dataclass

import numpy as np

from softcost.models._errors import NotCovered, Refused
from softcost.models._kinds import Kind, bind


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

    def write(self, value, out):
        values = np.asarray(value)
        if values.dtype not in self.dtypes:
            if not np.can_cast(values.dtype, self.dtypes[0], "same_kind"):
                raise NotCovered(f"an array of {values.dtype}")
            values = values.astype(self.dtypes[0])
        if values.ndim != len(self.shape):
            raise NotCovered(f"an array with shape {values.shape}")
        return out.array(values)

    @property
    def dtypes(self):
        return [np.dtype(name) for name in self.dtype.split("|")]

    def read(self, node, source, dims):
        return self.checked(source.array(node), dims)

    def checked(self, values, dims):
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
        return next((one for one in self.arrays if len(one.shape) == axes), None)

    def write(self, value, out):
        kind = self._like(np.ndim(value)) or self.arrays[0]
        return kind.write(value, out)

    def read(self, node, source, dims):
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
        raise Refused("numbers that are not finite")
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

"""Arrays as ``.npy`` files without pickle: a header that is checked, then the numbers.

Little-endian, in the order of C, of these types only: bool, integers, float32, float64
and text of fixed width.
"""

import io
import math
from typing import Any, Literal

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from softcost.models._errors import NotCovered, Refused

_KINDS = {"b": (1,), "i": (1, 2, 4, 8), "u": (1, 2, 4, 8), "f": (4, 8)}
_MOST_AXES = 8


def stored_array(values: NDArray[Any]) -> bytes:
    """An array as the bytes of a ``.npy`` file."""
    values = np.asarray(values)
    if not _allowed(values.dtype):
        raise NotCovered(f"an array of type {values.dtype}")
    buffer = io.BytesIO()
    plain = np.ascontiguousarray(values, values.dtype.newbyteorder("<"))
    npy.write_array(buffer, plain.reshape(values.shape), (1, 0), allow_pickle=False)
    return buffer.getvalue()


def read_array(content: bytes, *, by_columns: bool = False) -> NDArray[Any]:
    """The array of such a file, if its header says exactly what follows it.

    ``by_columns`` allows the order of Fortran as well, which softcost never writes.
    """
    file = io.BytesIO(content)
    try:
        version = npy.read_magic(file)
        if version != (1, 0):
            raise ValueError
        shape, columns_first, dtype = npy.read_array_header_1_0(file)
    except Exception:
        raise Refused("an array has no readable header") from None
    if (
        (columns_first and not by_columns)
        or not _allowed(dtype)
        or dtype.byteorder == ">"
    ):
        raise Refused(f"an array of type {str(dtype)[:40]} is not allowed")
    if len(shape) > _MOST_AXES or any(
        type(n) is not int or not 0 <= n < 2**40 for n in shape
    ):
        raise Refused("an array has an impossible shape")
    if math.prod(shape) * dtype.itemsize != len(content) - file.tell():
        raise Refused("an array is not as long as its header says")
    flat = np.frombuffer(content, dtype, offset=file.tell())
    _check_bits(flat)
    order: Literal["F", "C"] = "F" if columns_first else "C"
    return flat.reshape(shape, order=order).astype(dtype.newbyteorder("="), copy=True)


def _check_bits(flat: NDArray[Any]) -> None:
    """Truth values are 0 or 1, characters are Unicode: numpy trusts the bytes."""
    if flat.dtype.kind == "b" and len(flat) and flat.view(np.uint8).max() > 1:
        raise Refused("an array of truth values has others than 0 and 1")
    if flat.dtype.kind == "U" and len(flat):
        letters = flat.view("<u4")
        halves = (letters >= 0xD800) & (letters < 0xE000)
        if letters.max() > 0x10FFFF or halves.any():
            raise Refused("an array of text has what is no character")


def _allowed(dtype: np.dtype[Any]) -> bool:
    if dtype.kind == "U":
        return 0 < dtype.itemsize < 2**20
    return dtype.itemsize in _KINDS.get(dtype.kind, ())

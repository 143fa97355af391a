"""The file itself: an uncompressed zip archive, closed by the digest of all before.

So every byte counts, and the digest is checked before anything is parsed. Nothing in
the file can be larger than the file: members are stored as they are, all of them
together are no larger, and their number is bounded before the directory is read.
"""

import hashlib
import io
import json
import math
import os
import re
import stat
import struct
from collections.abc import Mapping
from typing import Any, Literal
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray


class ModelFileError(ValueError):
    """A file that is not a softcost model, or is damaged, or cannot be used here.

    See Also
    --------
    load : Read a model that `save` wrote.
    describe : Read the manifest of a model file, without the model.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import softcost
    >>> from softcost.persistence import ModelFileError
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "notes.softcost"
    ...     _ = path.write_text("no model at all")
    ...     try:
    ...         softcost.load(path)
    ...     except ModelFileError as error:
    ...         print("refused:", str(error).startswith(str(path)))
    refused: True
    """


class Refused(Exception):
    """Something in a file that the schema does not allow; says where and what."""

    def inside(self, place: str) -> "Refused":
        """The same, one level up."""
        text = str(self)
        nested = text.partition(":")[0].replace(".", "").replace("_", "").isalnum()
        return Refused(
            f"{place}.{text}" if nested and ":" in text else f"{place}: {text}"
        )


class NotCovered(Exception):
    """Something in a model that the format has no schema for."""


# Parsed data may take this many times the size of the file, and this much more. The
# file itself, and a copy of the member that is being read, come on top.
_MOST_TIMES = 3
_MOST_BYTES = 120 * 2**20
# An unpaired surrogate, which cannot be written to a file or terminal.
_SURROGATE = re.compile(r"(?<!\\)(?:\\\\)*\\u[dD][89a-fA-F]")


def json_bytes(value: Any) -> bytes:
    """A value as strict JSON text."""
    return json.dumps(value, allow_nan=False, ensure_ascii=False, indent=1).encode()


def most_memory(size: int) -> int:
    """What may be made of a file of ``size`` bytes, in bytes."""
    return _MOST_TIMES * size + _MOST_BYTES


def parse_json(text: bytes, size: int) -> Any:
    """The value of strict JSON text from a file of ``size`` bytes.

    UTF-8, no NaN, no key twice in one object, no half characters, and not more memory
    than a small multiple of the file's size: ``[],[],[]`` takes twenty times its
    length, and one wide character makes all of a text four times as long.
    """
    if json_memory(text) > most_memory(size):
        raise Refused("its JSON would need too much memory")
    try:
        decoded = text.decode("utf-8")
        if _SURROGATE.search(decoded):
            raise ValueError("unpaired surrogate")
        return json.loads(decoded, object_pairs_hook=_pairs, parse_constant=_constant)
    except RecursionError:
        raise Refused("its JSON is nested too deeply") from None
    except ValueError as error:
        raise Refused(f"its JSON is invalid ({error})") from None


def json_memory(text: bytes) -> int:
    """An upper estimate of what the text and the parsed value take, in bytes."""
    each = {b"[": 64, b"{": 240, b'"': 32, b",": 40, b":": 40}
    values = sum(cost * text.count(sign) for sign, cost in each.items())
    width = character_width(text)
    inside = max(width, 4 if b"\\u" in text else 1)
    return (width + inside) * len(text) + values


def character_width(text: bytes) -> int:
    """Bytes for each character of a decoded text, all of which take as many."""
    highest = int(np.frombuffer(text, np.uint8).max(initial=0))
    return 1 if highest < 0xC4 else 2 if highest < 0xF0 else 4


def _pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
    pairs = dict(items)
    if len(pairs) < len(items):
        raise ValueError("duplicate key")
    return pairs


def _constant(word: str) -> None:
    raise ValueError(f"{word} is not valid JSON")


MANIFEST = "manifest.json"
STRUCTURE = "structure.json"
MARK = b"softcost model, sha256 "
_WITHOUT_WAITING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
LENGTH = 2 * hashlib.sha256().digest_size
_ENTRY, _ENTRY_BYTES = b"PK\x01\x02", 1000  # in the directory, and in memory
# What zipfile raises if a directory or a header is wrong.
UNREADABLE = (
    BadZipFile, KeyError, ValueError, NotImplementedError, OSError, EOFError,
    RuntimeError, OverflowError, struct.error,
)  # fmt: skip


def archive(manifest: dict[str, Any], members: Mapping[str, bytes]) -> bytes:
    """The contents of a model file."""
    buffer = io.BytesIO()
    with ZipFile(buffer, "w", ZIP_STORED) as file:
        for name, content in ((MANIFEST, json_bytes(manifest)), *members.items()):
            file.writestr(ZipInfo(name), content)  # dated 1980: equal models are equal
        file.comment = MARK + b"0" * LENGTH
    return closed(buffer.getvalue()[:-LENGTH])


def closed(body: bytes) -> bytes:
    """What comes before the digest, and the digest."""
    return body + hashlib.sha256(body).hexdigest().encode()


class Members:
    """The parts of a model file, each of which may be taken once.

    Attributes
    ----------
    manifest : dict
    size : int
        Of the whole file, in bytes: what memory is measured by.
    digests : dict of str and str
        Of every other member.
    """

    manifest: Any
    digests: dict[str, str]

    def __init__(self, file: ZipFile, size: int) -> None:
        self.size = size
        self._file = file
        self._infos = {info.filename: info for info in file.infolist()}
        check_members(file.infolist(), size)
        self.manifest = parse_json(self.take(MANIFEST), size)
        self.digests = {
            name: hashlib.sha256(file.read(info)).hexdigest()
            for name, info in self._infos.items()
        }

    @property
    def names(self) -> list[str]:
        """What has not been taken yet."""
        return list(self._infos)

    def take(self, name: str) -> bytes:
        """The content of a member."""
        info = self._infos.pop(name, None)
        if info is None:
            raise Refused(f"it has no member {name[:80]!r}, or refers to it twice")
        return self._file.read(info)


def opened_zip(content: bytes) -> ZipFile:
    """A zip archive whose directory does not take more memory than a file may."""
    if content.count(_ENTRY) * _ENTRY_BYTES > most_memory(len(content)):
        raise Refused("it has too many members")
    return ZipFile(io.BytesIO(content))


def check_members(infos: list[ZipInfo], size: int) -> None:
    if len({info.filename for info in infos}) < len(infos):
        raise Refused("it has two members with the same name")
    for info in infos:
        if info.compress_type != ZIP_STORED or info.file_size != info.compress_size:
            raise Refused("its members are compressed, but softcost does not compress")
        if info.flag_bits & 1:
            raise Refused("its members are encrypted, but softcost does not encrypt")
    if sum(info.file_size for info in infos) > size:
        raise Refused("its members are larger than the file")


def unarchive(content: bytes, path: str | os.PathLike[str]) -> Members:
    """The parts of a model file, after the digest was checked."""
    body, digest = content[:-LENGTH], content[-LENGTH:]
    if not content.startswith(b"PK") or not body.endswith(MARK):
        raise ModelFileError(
            f"{path} is not a softcost model, or it is cut off: give a file written by "
            "softcost fit --model or softcost.save."
        )
    if hashlib.sha256(body).hexdigest().encode() != digest:
        raise ModelFileError(
            f"{path} is damaged: its contents do not match their checksum; get an "
            "intact copy."
        )
    try:
        members = Members(opened_zip(content), len(content))
    except Refused as error:
        raise ModelFileError(f"{path} is not a softcost model: {error}.") from None
    except UNREADABLE:
        raise ModelFileError(
            f"{path} is not a softcost model: its members cannot be read."
        ) from None
    if not isinstance(members.manifest, dict):
        raise ModelFileError(f"{path} is not a softcost model: it has no manifest.")
    return members


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """All of a file that may be a model; pipes and devices are refused."""
    try:
        descriptor = os.open(path, os.O_RDONLY | _WITHOUT_WAITING)
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file {os.fspath(path)}.") from None
    except OSError:
        if os.path.isdir(path):  # where a directory cannot be opened
            raise ModelFileError(f"{path} is a directory, not a model file.") from None
        raise
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        what = "directory" if stat.S_ISDIR(mode) else "pipe or a device"
        raise ModelFileError(f"{path} is a {what}, not a model file.")
    with open(descriptor, "rb") as file:
        return file.read()


# Types of arrays that a file may hold, besides text of fixed width: bool, integers,
# float32 and float64, all little-endian and in C order.
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
        raise Refused("an array has an unreadable header") from None
    if (
        (columns_first and not by_columns)
        or not _allowed(dtype)
        or dtype.byteorder == ">"
    ):
        raise Refused(f"an array of type {str(dtype)[:40]} is not allowed")
    if len(shape) > _MOST_AXES or any(
        type(n) is not int or not 0 <= n < 2**40 for n in shape
    ):
        raise Refused("an array has an invalid shape")
    if math.prod(shape) * dtype.itemsize != len(content) - file.tell():
        raise Refused("the length of an array does not match its header")
    flat = np.frombuffer(content, dtype, offset=file.tell())
    _check_bits(flat)
    order: Literal["F", "C"] = "F" if columns_first else "C"
    return flat.reshape(shape, order=order).astype(dtype.newbyteorder("="), copy=True)


def _check_bits(flat: NDArray[Any]) -> None:
    """Truth values are 0 or 1, characters are Unicode: numpy trusts the bytes."""
    if flat.dtype.kind == "b" and len(flat) and flat.view(np.uint8).max() > 1:
        raise Refused("a boolean array has values other than 0 and 1")
    if flat.dtype.kind == "U" and len(flat):
        letters = flat.view("<u4")
        halves = (letters >= 0xD800) & (letters < 0xE000)
        if letters.max() > 0x10FFFF or halves.any():
            raise Refused("a text array has invalid code points")


def _allowed(dtype: np.dtype[Any]) -> bool:
    if dtype.kind == "U":
        return 0 < dtype.itemsize < 2**20
    return dtype.itemsize in _KINDS.get(dtype.kind, ())

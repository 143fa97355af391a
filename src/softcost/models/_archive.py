"""The file itself: an uncompressed zip archive, closed by the digest of all before.

So every byte counts, and the digest is checked before anything is parsed. Nothing in
the file can be larger than the file: members are stored as they are, all of them
together are no larger, and their number is bounded before the directory is read.
"""

import hashlib
import io
import os
import stat
import struct
from collections.abc import Mapping
from typing import Any
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from softcost.models._errors import ModelFileError, Refused
from softcost.models._json import json_bytes, most_memory, parse_json

MANIFEST = "manifest.json"
STRUCTURE = "structure.json"
_MARK = b"softcost model, sha256 "
_WITHOUT_WAITING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_LENGTH = 2 * hashlib.sha256().digest_size
_ENTRY, _ENTRY_BYTES = b"PK\x01\x02", 1000  # in the directory, and in memory
# What zipfile raises where a directory or a header says what is not so.
UNREADABLE = (
    BadZipFile, KeyError, ValueError, NotImplementedError, OSError, EOFError,
    RuntimeError, struct.error,
)  # fmt: skip


def archive(manifest: dict[str, Any], members: Mapping[str, bytes]) -> bytes:
    """The contents of a model file."""
    buffer = io.BytesIO()
    with ZipFile(buffer, "w", ZIP_STORED) as file:
        for name, content in ((MANIFEST, json_bytes(manifest)), *members.items()):
            file.writestr(ZipInfo(name), content)  # dated 1980: equal models are equal
        file.comment = _MARK + b"0" * _LENGTH
    return closed(buffer.getvalue()[:-_LENGTH])


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

    def __init__(self, file: ZipFile, size: int):
        self.size = size
        self._file = file
        self._infos = {info.filename: info for info in file.infolist()}
        _check_members(file.infolist(), size)
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
            raise Refused(f"it has no part {name[:80]!r}, or names it twice")
        return self._file.read(info)


def opened_zip(content: bytes) -> ZipFile:
    """A zip archive whose directory does not take more memory than a file may."""
    if content.count(_ENTRY) * _ENTRY_BYTES > most_memory(len(content)):
        raise Refused("it has too many parts")
    return ZipFile(io.BytesIO(content))


def _check_members(infos: list[ZipInfo], size: int) -> None:
    if len({info.filename for info in infos}) < len(infos):
        raise Refused("it has two parts of one name")
    for info in infos:
        if info.compress_type != ZIP_STORED or info.file_size != info.compress_size:
            raise Refused("its parts are compressed, which softcost never does")
        if info.flag_bits & 1:
            raise Refused("its parts are encrypted, which softcost never does")
    if sum(info.file_size for info in infos) > size:
        raise Refused("its parts are larger than the file")


def unarchive(content: bytes, path: str | os.PathLike[str]) -> Members:
    """The parts of a model file, after the digest was checked."""
    body, digest = content[:-_LENGTH], content[-_LENGTH:]
    if not content.startswith(b"PK") or not body.endswith(_MARK):
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
            f"{path} is not a softcost model: its parts cannot be read."
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

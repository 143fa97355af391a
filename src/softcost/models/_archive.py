"""The file itself: a zip archive whose comment is the digest of all that is before.

So every byte counts, and the digest is checked before anything is parsed.
"""

import hashlib
import io
import json
import os
from typing import Any
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo

MANIFEST = "manifest.json"
ESTIMATOR = "estimator.skops"
_MARK = b"softcost model, sha256 "
_LENGTH = 2 * hashlib.sha256().digest_size


class ModelFileError(ValueError):
    """A file that is not a softcost model, or is damaged, or cannot be used here."""


def archive(manifest: dict[str, Any], estimator: bytes) -> bytes:
    """The contents of a model file."""
    text = json.dumps(manifest, indent=1, allow_nan=False, ensure_ascii=False)
    buffer = io.BytesIO()
    with ZipFile(buffer, "w", ZIP_STORED) as file:
        for name, content in ((MANIFEST, text.encode()), (ESTIMATOR, estimator)):
            file.writestr(ZipInfo(name), content)  # dated 1980: equal models are equal
        file.comment = _MARK + b"0" * _LENGTH
    body = buffer.getvalue()[:-_LENGTH]
    return body + hashlib.sha256(body).hexdigest().encode()


def unarchive(content: bytes, path: str | os.PathLike[str]) -> tuple[dict, bytes]:
    """The manifest and the stored estimator, after the digest was checked."""
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
        with ZipFile(io.BytesIO(content)) as file:
            manifest = json.loads(file.read(MANIFEST))
            estimator = file.read(ESTIMATOR)
    except (BadZipFile, KeyError, ValueError, NotImplementedError, OSError):
        raise ModelFileError(
            f"{path} is not a softcost model: its parts cannot be read."
        ) from None
    if not isinstance(manifest, dict):
        raise ModelFileError(f"{path} is not a softcost model: it has no manifest.")
    return manifest, estimator


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """All of a file that may be a model."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file {os.fspath(path)}.") from None
    except IsADirectoryError:
        raise ModelFileError(f"{path} is a directory, not a model file.") from None

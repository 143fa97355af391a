"""Which characters the bytes of a text file stand for."""

import codecs
import gzip
import os
from typing import Any

from softcost.cli.inputs._headers import Tell, silent

_BOMS = ((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_AT_ONCE = 2**20


def open_bytes(path: str) -> Any:
    """A file's bytes, unpacked where it is packed."""
    return gzip.open(path, "rb") if path.lower().endswith(".gz") else open(path, "rb")


def find_encoding(path: str, tell: Tell = silent) -> str:
    """UTF-8, UTF-16 by its mark, or else the one of Windows in western Europe.

    Reads the file once; a pipe cannot be read twice and is taken for UTF-8.
    """
    if not os.path.isfile(path):
        return "utf-8-sig"
    with open_bytes(path) as file:
        piece = file.read(_AT_ONCE)
        for mark, name in _BOMS:
            if piece.startswith(mark):
                tell(f"{path} is read as UTF-16, as the mark at its beginning says.")
                return name
        decoder = codecs.getincrementaldecoder("utf-8")()
        binary = False
        try:
            while piece:
                binary |= b"\0" in piece
                decoder.decode(piece)
                piece = file.read(_AT_ONCE)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            if binary:
                raise
        else:
            return "utf-8-sig"
    tell(f"{path} is not text in UTF-8 and is read as Windows-1252 (western Europe).")
    return "cp1252"

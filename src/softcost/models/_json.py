"""Strict JSON of bounded size."""

import json
import re
from typing import Any

import numpy as np

from softcost.models._errors import Refused

# What is made of a file may take this many times its size, and this much more. The
# file itself, and a copy of the part that is being read, come on top.
_MOST_TIMES = 3
_MOST_BYTES = 120 * 2**20
# Half of a character that needs two: not to be written to any file or terminal.
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
    if _memory(text) > most_memory(size):
        raise Refused("its description would take too much memory")
    try:
        decoded = text.decode("utf-8")
        if _SURROGATE.search(decoded):
            raise ValueError("half a character")
        return json.loads(decoded, object_pairs_hook=_pairs, parse_constant=_constant)
    except RecursionError:
        raise Refused("its description is nested too deeply") from None
    except ValueError as error:
        raise Refused(f"its description is not strict JSON ({error})") from None


def _memory(text: bytes) -> int:
    """An upper estimate of what the text and the parsed value take, in bytes."""
    each = {b"[": 64, b"{": 240, b'"': 32, b",": 40, b":": 40}
    values = sum(cost * text.count(sign) for sign, cost in each.items())
    width = _width(text)
    inside = max(width, 4 if b"\\u" in text else 1)
    return (width + inside) * len(text) + values


def _width(text: bytes) -> int:
    """Bytes for each character of a decoded text, all of which take as many."""
    highest = int(np.frombuffer(text, np.uint8).max(initial=0))
    return 1 if highest < 0xC4 else 2 if highest < 0xF0 else 4


def _pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(items)
    if len(found) < len(items):
        raise ValueError("a key occurs twice")
    return found


def _constant(word: str) -> None:
    raise ValueError(f"{word} is no JSON")

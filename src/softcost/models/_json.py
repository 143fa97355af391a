"""Strict JSON of bounded size."""

import json
from typing import Any

from softcost.models._errors import Refused

# What a file may take in memory: this many times its size, and this much more.
MOST_TIMES = 4
MOST_BYTES = 120 * 2**20


def json_bytes(value: Any) -> bytes:
    """A value as strict JSON text."""
    return json.dumps(value, allow_nan=False, ensure_ascii=False, indent=1).encode()


def parse_json(text: bytes, size: int) -> Any:
    """The value of strict JSON text from a file of ``size`` bytes.

    No NaN, no key twice in one object, and not more memory than a small multiple of
    the file's size: ``[],[],[]`` takes twenty times its length.
    """
    if _memory(text) > MOST_TIMES * size + MOST_BYTES:
        raise Refused("its description would take too much memory")
    try:
        return json.loads(text, object_pairs_hook=_pairs, parse_constant=_constant)
    except RecursionError:
        raise Refused("its description is nested too deeply") from None
    except ValueError as error:
        raise Refused(f"its description is not strict JSON ({error})") from None


def _memory(text: bytes) -> int:
    """An upper estimate of what the parsed value takes, in bytes."""
    each = {b"[": 64, b"{": 240, b'"': 32, b",": 40, b":": 40}
    return len(text) + sum(cost * text.count(sign) for sign, cost in each.items())


def _pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(items)
    if len(found) < len(items):
        raise ValueError("a key occurs twice")
    return found


def _constant(word: str) -> None:
    raise ValueError(f"{word} is no JSON")

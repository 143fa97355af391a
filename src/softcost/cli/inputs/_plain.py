"""Columns of plain numbers, read all at once: a table of genes has thousands."""

from collections.abc import Mapping
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd

from softcost.cli.inputs._numbers import decimal_evidence

_EVIDENCE = 300  # different cells that tell a decimal comma from a point
_MOST_ROWS = 5000  # of more, columns take their time one by one as well
_CELLS = 2**20  # in memory at a time


class PlainColumn:
    """A column of which every cell is a text such as 12, -0.5 or 1e3.

    Parameters
    ----------
    texts : object array of shape (n,)
    numbers : array of shape (n,)
        As they are meant with a decimal point.
    """

    def __init__(self, texts: np.ndarray, numbers: np.ndarray) -> None:
        self.numbers = numbers
        self._texts = texts

    @cached_property
    def cells(self) -> list[str]:
        """The different ones, in the order of the rows."""
        return list(dict.fromkeys(self._texts.tolist()))

    @cached_property
    def decimal_counts(self) -> Mapping[Any, int]:
        """Evidence for a decimal point and a comma, as far as it decides.

        All can be meant with a point, so one is enough that cannot be meant otherwise.
        """
        marked = [text for text in self.cells if "." in text][:_EVIDENCE]
        if any(decimal_evidence([text])["."] for text in marked):
            return {".": 1, ",": 0, "either": 0}
        return {".": 0, ",": 0, "either": len(marked)}


def decimal_counts(cells: list[Any]) -> Mapping[Any, int]:
    """Evidence for a decimal point and a comma in different cells."""
    texts = (one for one in cells if isinstance(one, str))
    marked = (text for text in texts if "." in text or "," in text)
    return decimal_evidence(islice(marked, _EVIDENCE))


def plain_columns(
    frame: pd.DataFrame, tokens: frozenset[str] = frozenset()
) -> dict[str, PlainColumn]:
    """The columns of a raw table that are plain numbers throughout, by name.

    None of them where the user has said which cells say nothing, or of tables with
    many rows: reading columns one by one gives the same.
    """
    found: dict[str, PlainColumn] = {}
    if tokens or not 0 < len(frame) <= _MOST_ROWS:
        return found
    names = [
        name for name, dtype in frame.dtypes.items()
        if isinstance(dtype, pd.StringDtype) or pd.api.types.is_object_dtype(dtype)
    ]  # fmt: skip
    width = max(1, _CELLS // len(frame))
    for start in range(0, len(names), width):
        part = names[start : start + width]
        texts = frame[part].to_numpy(dtype=object).T
        flat = pd.to_numeric(pd.Series(texts.ravel(), dtype=object), errors="coerce")
        numbers = flat.to_numpy(float, na_value=np.nan).reshape(texts.shape)
        for number in np.flatnonzero(~np.isnan(numbers).any(axis=1)):
            if {*map(type, texts[number])} == {str}:
                own = PlainColumn(texts[number], numbers[number].copy())
                found[str(part[number])] = own
    return found

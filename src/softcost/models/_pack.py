"""What skops cannot store, in a form that it can: tables and boosters.

Packing copies an estimator as far as it holds such things and leaves the rest, so the
estimator itself is not changed. Training data stay behind wherever ``__getstate__``
leaves them out, and so do requests for metadata, which only fitting looks at.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator


class PackedFrame:
    """A pandas frame as arrays.

    Parameters
    ----------
    columns : list of arrays
    names, index : lists
        Names of the columns, and of the rows.
    """

    def __init__(self, columns: list, names: list, index: list):
        self.columns = columns
        self.names = names
        self.index = index

    def unpacked(self) -> pd.DataFrame:
        numbered = dict(enumerate(self.columns))
        frame = pd.DataFrame(numbered, index=_index(self.index))
        frame.columns = pd.Index(self.names)
        return frame


class PackedSeries:
    """A pandas series as an array."""

    def __init__(self, values: Any, name: Any, index: list):
        self.values = values
        self.name = name
        self.index = index

    def unpacked(self) -> pd.Series:
        return pd.Series(self.values, index=_index(self.index), name=self.name)


class PackedBooster:
    """A LightGBM booster as its model text, which has all digits."""

    def __init__(self, text: str):
        self.text = text

    def unpacked(self) -> Any:
        try:
            from lightgbm import Booster
        except ImportError:
            raise ImportError(
                "the model holds LightGBM trees: pip install 'softcost[boosting]'."
            ) from None
        return Booster(model_str=self.text)


PACKED = (PackedFrame, PackedSeries, PackedBooster)


def pack(value: Any) -> Any:
    """Replace tables and boosters, anywhere inside an estimator."""
    return _rebuilt(value, _packed, {})


def unpack(value: Any) -> Any:
    """Put tables and boosters back."""
    return _rebuilt(value, _unpacked, {})


def _packed(value: Any) -> Any:
    if isinstance(value, pd.DataFrame):
        columns = [_array(value.iloc[:, j]) for j in range(value.shape[1])]
        return PackedFrame(columns, list(value.columns), _names(value.index))
    if isinstance(value, pd.Series):
        return PackedSeries(_array(value), value.name, _names(value.index))
    if type(value).__name__ == "Booster" and hasattr(value, "model_to_string"):
        return PackedBooster(value.model_to_string(num_iteration=-1))
    return value


def _unpacked(value: Any) -> Any:
    return value.unpacked() if isinstance(value, PACKED) else value


def _array(column: pd.Series) -> np.ndarray:
    values = column.to_numpy()
    return values if values.dtype.kind in "biuf" else values.astype(object)


def _names(index: pd.Index) -> list:
    numbered = isinstance(index, pd.RangeIndex) and (index.start, index.step) == (0, 1)
    return [len(index)] if numbered else [None, *index.tolist()]


def _index(names: list) -> pd.Index:
    return pd.RangeIndex(names[0]) if names[0] is not None else pd.Index(names[1:])


def _rebuilt(value: Any, change: Callable[[Any], Any], memo: dict[int, Any]) -> Any:
    """A copy with parts changed; what is shared stays shared.

    Looks into lists, tuples, dicts, estimators and softcost's own objects.
    """
    if id(value) in memo:
        return memo[id(value)][1]
    changed = change(value)
    if changed is value:
        changed = _copied(value, change, memo)
    memo[id(value)] = value, changed  # with the value, so that its id stays taken
    return changed


def _copied(value: Any, change: Callable[[Any], Any], memo: dict[int, Any]) -> Any:
    kind: Any = type(value)
    if kind is list:
        return [_rebuilt(part, change, memo) for part in value]
    if kind is dict:
        return {key: _rebuilt(part, change, memo) for key, part in value.items()}
    if isinstance(value, tuple):
        parts = [_rebuilt(part, change, memo) for part in value]
        return kind(*parts) if hasattr(value, "_fields") else tuple(parts)
    ours = kind.__module__.partition(".")[0] == "softcost" and hasattr(
        value, "__dict__"
    )
    if not (ours or isinstance(value, BaseEstimator)) or isinstance(value, type):
        return value
    state = value.__getstate__() if hasattr(value, "__getstate__") else None
    copy = kind.__new__(kind)
    for name, part in vars(value).items():
        kept = not isinstance(state, dict) or name in state
        if kept and name != "_metadata_request":
            copy.__dict__[name] = _rebuilt(part, change, memo)
    return copy

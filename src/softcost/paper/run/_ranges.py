"""What the numbers of a cell can be."""

import math
from typing import Any

_UNIT = (0.0, 1.0)
_PRICE = (0.0, math.inf)
_RANGES: dict[str, tuple[float, float]] = {
    "cost": _PRICE,
    "error": _UNIT,
    "weighted_error": _PRICE,
    "recall_product": _UNIT,
    "g_mean": _UNIT,
    "normalized_cost": _PRICE,
    "softness": _UNIT,
    "cv_cost": _PRICE,
    "cv_error": _PRICE,
    "run": (0, 2**31),
    "rows": (1, 2**53),
    "version": (0, 2**31),
}
_ROUNDING = 1e-9


def check_ranges(row: dict[str, Any]) -> None:
    """Refuse a cell with a number that no run can have.

    Examples
    --------
    >>> check_ranges({"cost": 0.5, "softness": 5.0})
    Traceback (most recent call last):
    ValueError: softness is 5.0, which is not from 0 to 1
    """
    for name, (least, most) in _RANGES.items():
        value = row.get(name)
        if value is None:
            continue
        inside = least - _ROUNDING <= value <= most + _ROUNDING
        if not math.isfinite(value) or not inside:
            raise ValueError(
                f"{name} is {value}, which is not from {least:g} to {most:g}"
            )

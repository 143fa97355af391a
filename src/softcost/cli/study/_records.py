"""Frames for strict JSON."""

import math
from typing import Any


def records(table: Any) -> list[dict[str, Any]]:
    """Rows of a frame; what is missing as null."""
    return [
        {
            name: None if isinstance(value, float) and math.isnan(value) else value
            for name, value in row.items()
        }
        for row in table.to_dict("records")
    ]

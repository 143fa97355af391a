"""Cost matrices from files, by class name."""

from typing import Any

import numpy as np
import pandas as pd

from softcost.cli.console import existing_file
from softcost.cli.inputs._cost_formats import FORMATS, CostsByName
from softcost.costs import check_cost_matrix


def read_cost_file(path: str) -> pd.DataFrame:
    """A checked matrix, rows true and columns predicted classes, both by name.

    A cost may be left out on the diagonal only, where it is 0. Lines of a CSV file
    that begin with # before its header are comments.
    """
    place = existing_file(path)
    read = FORMATS.get(place.suffix.lower())
    if read is None:
        raise ValueError(
            f"{path} has no ending that names a format; call it .csv, .json, .toml or "
            ".yaml."
        )
    try:
        text = place.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not text in UTF-8; convert it first.") from None
    frame = _matrix(read(text, path), path)
    names = sorted(frame.index)
    try:
        check_cost_matrix(frame, np.array(names, dtype=str))
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path}: {error}") from None
    return frame.loc[names, names]


def check_not_free(matrix: pd.DataFrame, path: str) -> None:
    """Refuse costs from which nothing can be learnt."""
    costs = matrix.to_numpy()
    if len(costs) < 2:
        raise ValueError(f"{path} names one class only; name at least two.")
    if not (costs > np.diagonal(costs)[:, None]).any():
        raise ValueError(
            f"{path} says that no mistake costs anything; give mistakes a price."
        )


def _matrix(costs: CostsByName, path: str) -> pd.DataFrame:
    names = list(costs)
    predicted = dict.fromkeys(name for row in costs.values() for name in row)
    unpaired = [name for name in predicted if name not in costs]
    if len(names) > 1:
        unpaired += [name for name in names if name not in predicted]
    if unpaired:
        raise ValueError(
            f"{path} names {unpaired[0]!r} as a true or as a predicted class only; "
            "give every class a row and a column."
        )
    values = [
        [_cost(costs[true].get(name), true, name, path) for name in names]
        for true in names
    ]
    return pd.DataFrame(values, index=names, columns=names, dtype=float)


def _cost(value: Any, true: str, predicted: str, path: str) -> float:
    if value is None or value == "":
        if true == predicted:
            return 0.0
        raise ValueError(
            f"{path} has no price for predicting {predicted!r} for a true {true!r}; "
            "fill it in."
        )
    try:
        if isinstance(value, bool | list | dict):
            raise TypeError
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            f"{path} has {str(value)[:40]!r} where the price of predicting "
            f"{predicted!r} for a true {true!r} should be; write a number."
        ) from None

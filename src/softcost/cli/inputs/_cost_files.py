"""Cost matrices from files, by class name."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from softcost.cli.console import existing_file
from softcost.cli.inputs._cost_formats import FORMATS, CostsByName, from_cells
from softcost.cli.inputs._encoding import find_encoding
from softcost.cli.inputs._excel import sheet_rows
from softcost.cli.inputs._headers import Tell, silent
from softcost.cli.inputs._numbers import read_number
from softcost.costs import check_cost_matrix


def read_cost_file(path: str, tell: Tell = silent) -> pd.DataFrame:
    """A checked matrix, rows true classes and columns answers, both by name.

    The columns are the classes, and then those without a row: actions. A cost may be
    left out on the diagonal only, where it is 0. Lines of a table that begin with #
    before its header are comments. Negative prices are benefits: all prices of that
    true class are then counted from its best answer.
    """
    place = existing_file(path)
    frame = _matrix(_costs_by_name(place, path, tell), path)
    frame = from_best_answer(frame, tell, path)
    names = sorted(frame.index)
    actions = actions_of(frame)
    for name in actions:
        tell(f"{name!r} has no row in {path}: it is an answer that is no class.")
    try:
        known = np.array(names, dtype=str)
        check_cost_matrix(frame, known, actions=actions or None)
    except (ValueError, TypeError) as error:
        words = str(error).replace("cost_matrix", "the price list")
        raise ValueError(f"{path}: {words}") from None
    return frame.loc[names, [*names, *actions]]


def actions_of(matrix: pd.DataFrame) -> list[str]:
    """Answers beyond the classes: columns of a price list that are no rows."""
    return [name for name in matrix.columns if name not in matrix.index]


def _costs_by_name(place: Path, path: str, tell: Tell) -> CostsByName:
    ending = place.suffix.lower()
    if ending in (".xlsx", ".xlsm"):
        with sheet_rows(path, tell) as rows:
            table = list(rows)
        while table and str(table[0][0] or "").startswith("#"):
            table.pop(0)
        width = max(map(len, table), default=0)
        return from_cells([[*row, *[None] * (width - len(row))] for row in table], path)
    read = FORMATS.get(ending)
    if read is None:
        raise ValueError(
            f"{path} has no ending that names a format; call it .csv, .xlsx, .json, "
            ".toml or .yaml."
        )
    try:
        text = place.read_text(encoding=find_encoding(path, tell))
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not text in UTF-8; convert it first.") from None
    return read(text, path)


def from_best_answer(costs: pd.DataFrame, tell: Tell, path: str) -> pd.DataFrame:
    """Costs whose rows with a negative price begin at zero.

    Adding the same to all prices of a true class (or of an example) changes no
    decision: what is best stays best, by as much.
    """
    least = costs.min(axis=1).clip(upper=0.0)
    if not (least < 0).any():
        return costs
    tell(
        f"{path} has negative prices, which are benefits: where there are some, prices "
        "are counted from the best answer, as what is lost by another one."
    )
    return costs.sub(least, axis=0)


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
    unpaired = [name for name in names if name not in predicted]
    if len(names) > 1 and unpaired:
        raise ValueError(
            f"{path} names {unpaired[0]!r} as a true class only; give every class a "
            "row and a column."
        )
    answers = [*names, *(name for name in predicted if name not in costs)]
    values = [
        [_cost(costs[true].get(name), true, name, path) for name in answers]
        for true in names
    ]
    return pd.DataFrame(values, index=names, columns=answers, dtype=float)


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
        number = read_number(value) if isinstance(value, str) else None
        return float(value) if number is None else number
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            f"{path} has {str(value)[:40]!r} where the price of predicting "
            f"{predicted!r} for a true {true!r} should be; write a number."
        ) from None

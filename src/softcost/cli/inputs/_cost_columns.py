"""Prices by row, from columns of the table."""

import pandas as pd

from softcost.cli.inputs._columns import typed_columns
from softcost.cli.inputs._cost_files import from_best_answer
from softcost.cli.inputs._find_kinds import Asked, find_kinds
from softcost.cli.inputs._headers import Tell, silent


def read_cost_columns(
    raw: pd.DataFrame,
    prefix: str,
    path: str,
    asked: Asked | None = None,
    tell: Tell = silent,
) -> pd.DataFrame:
    """Prices by row, in columns that begin with a prefix."""
    found = [name for name in raw.columns if str(name).startswith(prefix)]
    if len(found) < 2:
        raise ValueError(
            f"--cost-columns {prefix!r} begins the name of {len(found)} columns of "
            f"{path}; give one such column per class."
        )
    decimal = None if asked is None else asked.decimal
    numbers = Asked(number=frozenset(map(str, found)), decimal=decimal)
    costs = typed_columns(raw, find_kinds(raw[found], numbers), path)
    costs.columns = [name[len(prefix) :].strip() for name in map(str, found)]
    return from_best_answer(costs, tell, path)

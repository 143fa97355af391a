"""Prices by row, from columns of the table."""

import pandas as pd

from softcost.cli.inputs._columns import Kind, typed_columns


def read_cost_columns(raw: pd.DataFrame, prefix: str, path: str) -> pd.DataFrame:
    """Prices by row, in columns that begin with a prefix."""
    found = [name for name in raw.columns if str(name).startswith(prefix)]
    if len(found) < 2:
        raise ValueError(
            f"--cost-columns {prefix!r} begins the name of {len(found)} columns of "
            f"{path}; give one such column per class."
        )
    kinds: dict[str, Kind] = dict.fromkeys(map(str, found), "number")
    costs = typed_columns(raw, kinds, path)
    costs.columns = [name[len(prefix) :].strip() for name in map(str, found)]
    return costs

"""What the user gives in files: tables, their columns, and price lists.

Everything here speaks of the user's input: a ValueError or an OSError is one sentence
that names the file or the option, and the remedy.
"""

from softcost.cli.inputs._columns import (
    Kind,
    column,
    find_kinds,
    like_identifiers,
    read_labels,
    typed,
)
from softcost.cli.inputs._cost_columns import read_cost_columns
from softcost.cli.inputs._cost_files import check_worth, read_prices
from softcost.cli.inputs._parquet import load_parquet
from softcost.cli.inputs._tables import format_of, read_table, table_pieces

__all__ = [
    "Kind",
    "check_worth",
    "column",
    "find_kinds",
    "format_of",
    "like_identifiers",
    "load_parquet",
    "read_cost_columns",
    "read_labels",
    "read_prices",
    "read_table",
    "table_pieces",
    "typed",
]

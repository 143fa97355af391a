"""What the user gives in files: tables, their columns, and price lists.

Everything here speaks of the user's input: a ValueError or an OSError is one sentence
that names the file or the option, and the remedy.
"""

from softcost.cli.inputs._columns import (
    Kind,
    almost_numbers,
    column,
    find_kinds,
    identifier_columns,
    read_labels,
    typed_columns,
)
from softcost.cli.inputs._cost_columns import read_cost_columns
from softcost.cli.inputs._cost_files import check_not_free, read_cost_file
from softcost.cli.inputs._parquet import load_parquet
from softcost.cli.inputs._tables import format_of, read_table, table_pieces

__all__ = [
    "Kind",
    "almost_numbers",
    "check_not_free",
    "column",
    "find_kinds",
    "format_of",
    "identifier_columns",
    "load_parquet",
    "read_cost_columns",
    "read_cost_file",
    "read_labels",
    "read_table",
    "table_pieces",
    "typed_columns",
]

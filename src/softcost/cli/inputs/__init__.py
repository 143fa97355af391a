"""What the user gives in files: tables, their columns, and price lists.

Everything here speaks of the user's input: a ValueError or an OSError is one sentence
that names the file or the option, and the remedy. What was assumed goes, as a sentence,
to ``tell``.
"""

from softcost.cli.inputs._class_names import check_priced, match_classes
from softcost.cli.inputs._columns import (
    column,
    far_numbers,
    feature_kinds,
    named_columns,
    read_labels,
    typed_columns,
)
from softcost.cli.inputs._cost_columns import read_cost_columns
from softcost.cli.inputs._cost_files import (
    actions_of,
    check_not_free,
    read_cost_file,
)
from softcost.cli.inputs._dates import date_of_days
from softcost.cli.inputs._find_kinds import Asked, find_kinds
from softcost.cli.inputs._given_rows import Row, RowReader
from softcost.cli.inputs._headers import Tell, silent
from softcost.cli.inputs._kinds import KINDS, Kind, Order
from softcost.cli.inputs._parquet import load_parquet
from softcost.cli.inputs._survey import MOST_WORDS, Surveyed, survey
from softcost.cli.inputs._tables import format_of, read_table, table_pieces

__all__ = [
    "KINDS",
    "MOST_WORDS",
    "Asked",
    "Kind",
    "Order",
    "Row",
    "RowReader",
    "Surveyed",
    "Tell",
    "actions_of",
    "check_not_free",
    "check_priced",
    "column",
    "date_of_days",
    "far_numbers",
    "feature_kinds",
    "find_kinds",
    "format_of",
    "load_parquet",
    "match_classes",
    "named_columns",
    "read_cost_columns",
    "read_cost_file",
    "read_labels",
    "read_table",
    "silent",
    "survey",
    "table_pieces",
    "typed_columns",
]

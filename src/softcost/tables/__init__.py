"""Tables as people bring them: read, typed column by column, and encoded.

Everything here speaks of the user's input: a ValueError or an OSError is one sentence
that names the file or the option, and the remedy. What was assumed goes, as a sentence,
to ``tell``.
"""

from softcost.tables.cells import (
    KINDS,
    Decimal,
    Kind,
    Order,
    Tell,
    date_of_days,
    decimal_evidence,
    read_number,
    silent,
)
from softcost.tables.columns import (
    as_boolean,
    column,
    far_numbers,
    feature_kinds,
    named_columns,
    read_labels,
    typed_columns,
)
from softcost.tables.encode import make_encoder
from softcost.tables.infer import MOST_WORDS, Asked, Surveyed, find_kinds, survey
from softcost.tables.read import (
    find_encoding,
    format_of,
    load_parquet,
    read_table,
    separator_of,
    sheet_rows,
    table_pieces,
)
from softcost.tables.row_parser import Row, RowReader

__all__ = [
    "KINDS",
    "MOST_WORDS",
    "Asked",
    "Decimal",
    "Kind",
    "Order",
    "Row",
    "RowReader",
    "Surveyed",
    "Tell",
    "as_boolean",
    "column",
    "date_of_days",
    "decimal_evidence",
    "far_numbers",
    "feature_kinds",
    "find_encoding",
    "find_kinds",
    "format_of",
    "load_parquet",
    "make_encoder",
    "named_columns",
    "read_labels",
    "read_number",
    "read_table",
    "separator_of",
    "sheet_rows",
    "silent",
    "survey",
    "table_pieces",
    "typed_columns",
]

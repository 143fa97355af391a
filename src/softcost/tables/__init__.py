"""Raw tables: read them, infer what their columns hold, encode them as features.

`read_table` reads CSV, Excel, Parquet and LIBSVM files, `infer_columns` says what each
column holds and what looks suspicious, and `TableEncoder` turns a raw table into
features inside a scikit-learn pipeline. This is what ``softcost fit`` and ``softcost
predict`` do with a file. A ValueError or an OSError is one sentence about the input,
with a remedy. Assumptions go, as sentences, to ``tell``.
"""

from softcost.tables.dense_features import DenseFeatures
from softcost.tables.drift import DriftMonitor, TableProfile
from softcost.tables.encode import TableEncoder
from softcost.tables.infer import ColumnOverrides, ColumnSummary, infer_columns
from softcost.tables.kinds import KINDS
from softcost.tables.read import read_table, table_pieces
from softcost.tables.row_parser import RowParser
from softcost.tables.text_components import TextComponents

__all__ = [
    "KINDS",
    "ColumnOverrides",
    "ColumnSummary",
    "DenseFeatures",
    "DriftMonitor",
    "RowParser",
    "TableEncoder",
    "TableProfile",
    "TextComponents",
    "infer_columns",
    "read_table",
    "table_pieces",
]

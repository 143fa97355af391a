"""Parquet files, with pyarrow where it is installed."""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from softcost.cli.inputs._headers import Tell, header_names, silent


def parquet_pieces(
    path: str, rows: int | None, tell: Tell = silent
) -> Iterator[pd.DataFrame]:
    """The rows of a Parquet file, some at a time; all at once for None."""
    parquet = load_parquet(path)
    try:
        file = parquet.ParquetFile(path)
    except (ValueError, OSError) as error:  # pyarrow's own are among these
        reason = str(error).splitlines()[0].rstrip(".")[:100]
        raise ValueError(f"{path} is not a Parquet file ({reason}).") from None
    with file:
        names = header_names(file.schema_arrow.names, path, tell)
        whole = rows is None or file.metadata.num_rows == 0
        for part in [file.read()] if whole else file.iter_batches(rows):
            # What pandas wrote as an index is a column like the others.
            frame = part.to_pandas(ignore_metadata=True)
            yield frame.set_axis(names, axis="columns")


def load_parquet(path: str) -> Any:
    """pyarrow's Parquet module, or one sentence on how to get it."""
    try:
        from pyarrow import parquet
    except ImportError:
        raise ValueError(
            f"{path} needs pyarrow: pip install 'softcost[parquet]', or use CSV."
        ) from None
    return parquet

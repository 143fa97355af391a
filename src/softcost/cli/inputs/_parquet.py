"""Parquet files, with pyarrow where it is installed."""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from softcost.cli.inputs._csv import check_header


def parquet_pieces(path: str, rows: int | None) -> Iterator[pd.DataFrame]:
    """The rows of a Parquet file, some at a time; all at once for None."""
    parquet = load_parquet(path)
    try:
        file = parquet.ParquetFile(path)
    except (ValueError, OSError) as error:  # pyarrow's own are among these
        reason = str(error).splitlines()[0].rstrip(".")[:100]
        raise ValueError(f"{path} is not a Parquet file ({reason}).") from None
    with file:
        check_header(file.schema_arrow.names, path)
        if rows is None or file.metadata.num_rows == 0:
            yield file.read().to_pandas()
            return
        for batch in file.iter_batches(rows):
            yield batch.to_pandas()


def load_parquet(path: str) -> Any:
    """pyarrow's Parquet module, or one sentence on how to get it."""
    try:
        from pyarrow import parquet
    except ImportError:
        raise ValueError(
            f"{path} needs pyarrow: pip install 'softcost[parquet]', or use CSV."
        ) from None
    return parquet

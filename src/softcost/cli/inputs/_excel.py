"""Workbooks of Excel: the first sheet, from its first row that holds anything."""

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

import pandas as pd

from softcost.cli.inputs._headers import Tell, header_names, silent


def excel_pieces(
    path: str, rows: int | None, tell: Tell = silent
) -> Iterator[pd.DataFrame]:
    """The rows of a workbook, some at a time; all at once for None."""
    with sheet_rows(path, tell) as cells:
        header = next(cells, None)
        if header is None:
            raise ValueError(f"{path} is empty; give a table with a header and rows.")
        width = max(place + 1 for place, cell in enumerate(header) if cell is not None)
        names = header_names(header[:width], path, tell)
        while True:
            piece = list(islice(cells, rows))
            for number, row in enumerate(piece):
                if any(cell is not None for cell in row[width:]):
                    raise ValueError(
                        f"{path} has a row with more cells than the header, the "
                        f"{number + 2}th; give every column a name."
                    )
            full = [(*row[:width], *[None] * (width - len(row))) for row in piece]
            frame = pd.DataFrame(full, columns=names, dtype=object)
            yield frame
            if rows is None or len(piece) < rows:
                return


@contextmanager
def sheet_rows(path: str, tell: Tell = silent) -> Iterator[Iterator[tuple[Any, ...]]]:
    """Rows of the first sheet that are not empty, as values."""
    import openpyxl
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except (zipfile.BadZipFile, InvalidFileException, KeyError, ValueError) as error:
        reason = str(error).splitlines()[0].rstrip(".")[:100] if str(error) else "?"
        raise ValueError(f"{path} is not an Excel workbook ({reason}).") from None
    try:
        sheet = book.worksheets[0]
        if len(book.worksheets) > 1:
            tell(
                f"{path} has {len(book.worksheets)} sheets; the first, "
                f"{sheet.title!r}, is read."
            )
        sheet.reset_dimensions()
        yield (
            row
            for row in sheet.iter_rows(values_only=True)
            if any(cell is not None and str(cell).strip() for cell in row)
        )
    finally:
        book.close()

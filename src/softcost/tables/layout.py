"""Where a table is in a file: its sheet, its header and its first column.

Exports have titles above the header, two header rows, empty columns on the left, and
sheets with notes before the sheet with the data. The first rows show where the table
begins; what was assumed is reported, and the user can say otherwise.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from softcost.errors import argument
from softcost.tables.cells import read_date, read_number, says_nothing

HeaderRow = int | tuple[int, int]  # the first and the last of several
NumberedRow = tuple[int, Sequence[Any]]  # its number in the file, and its cells

LOOKAHEAD = 60  # rows in which the header is looked for
_MOST_BELOW = 20  # rows below a header that show what its columns hold


@dataclass(frozen=True)
class TablePlace:
    """What the caller knows about the place of a table.

    Attributes
    ----------
    sheet : str or None
        Name of a sheet, or its number, beginning with 1.
    header_row : int, pair of int or None
        Row of the header, beginning with 1, or its first and last row.
    columns : collection of str
        Names that the header should have: the target, or the columns of a model.
    """

    sheet: str | None = None
    header_row: HeaderRow | None = None
    columns: Collection[str] = ()


ANYWHERE = TablePlace()


@dataclass(frozen=True)
class Layout:
    """Where the table is in the first rows of a file.

    Attributes
    ----------
    first, last : int
        Places of the header's rows in the list of rows that are not empty.
    left : int
        Number of empty columns on the left.
    names : list of str
        Cells of the header, from its first column on, "" if there is none.
    """

    first: int
    last: int
    left: int
    names: list[str]


def cell_text(cell: Any) -> str:
    """A cell as text without blanks around it."""
    return "" if cell is None else str(cell).strip()


def n_used(texts: Sequence[str]) -> int:
    """Number of cells up to the last that is not empty."""
    return max((place + 1 for place, text in enumerate(texts) if text), default=0)


def n_filled(texts: Sequence[str]) -> int:
    """Number of cells that are not empty."""
    return sum(map(bool, texts))


def find_layout(rows: Sequence[NumberedRow], place: TablePlace, path: str) -> Layout:
    """Find the header in the first rows of a file that are not empty.

    Parameters
    ----------
    rows : sequence of (number, cells)
    place : TablePlace
    path : str
        For messages.
    """
    texts = [[cell_text(cell) for cell in cells] for _, cells in rows]
    if place.header_row is not None:
        first, last = _given_header([number for number, _ in rows], place, path)
    else:
        first, last = _header_rows(texts, place.columns)
    left = min(
        next(number for number, text in enumerate(row) if text) for row in texts[first:]
    )
    names = texts[last]
    for upper in reversed(texts[first:last]):
        names = _joined(upper, names, place.columns)
    return Layout(first, last, left, names[left : max(n_used(names), left + 1)])


def _given_header(
    numbers: Sequence[int], place: TablePlace, path: str
) -> tuple[int, int]:
    row = place.header_row
    first, last = (row, row) if isinstance(row, int) else row or (1, 1)
    for number in (first, last):
        if number not in numbers:
            raise ValueError(
                f"{argument('header_row')} {number} is an empty row of {path}, or not "
                f"among its first {LOOKAHEAD} rows; pass the row with the column names."
            )
    return numbers.index(first), numbers.index(last)


def describe_layout(rows: Sequence[NumberedRow], layout: Layout) -> str:
    """A sentence part on what was assumed; "" if the table begins the file."""
    first, last = rows[layout.first][0], rows[layout.last][0]
    words = []
    if last > first:
        words.append(f"rows {first} to {last} are its header")
    elif layout.first:
        words.append(f"row {first} is its header")
    if layout.first:
        above = [number for number, _ in rows[: layout.first]]
        several = f"rows {above[0]} to {above[-1]}" if len(above) > 1 else "row 1"
        if len(above) == 1:
            several = f"row {above[0]}"
        words.append(f"{several} above it {'are' if len(above) > 1 else 'is'} skipped")
    if layout.left:
        words.append(f"its first {layout.left} columns are empty and skipped")
    return "; ".join(words)


def _header_rows(texts: list[list[str]], columns: Collection[str]) -> tuple[int, int]:
    header = _with_names(texts, columns)
    if header is None:
        header = _first_full_row(texts)
    if header > 0 and _is_group_row(texts[header - 1], texts[header]):
        return header - 1, header
    if not _has_second(texts, header):
        return header, header
    top, second = texts[header], texts[header + 1]
    names = n_filled(top) >= n_filled(second) and not top[0].startswith("#")
    # Otherwise it is a title or a comment with separators in it.
    return (header if names or _is_group_row(top, second) else header + 1), header + 1


def n_expected(texts: Sequence[str], columns: Collection[str]) -> int:
    """How many of some names are among the cells of a row."""
    return len({*texts} & {*columns})


def _with_names(texts: list[list[str]], columns: Collection[str]) -> int | None:
    """The row with the most of the expected names, the first of several."""
    hits = [n_expected(row, columns) for row in texts]
    most = max(hits, default=0)
    if not most:
        return None
    header = hits.index(most)
    width = max(map(n_used, texts))
    if header and (_is_mostly_numbers(texts[header]) or n_filled(texts[header]) < 2):
        return None if width > 1 else header
    return header


def usual_width(texts: Sequence[Sequence[str]]) -> int:
    """How many columns most rows have, not counting titles."""
    widths = Counter(n_used(row) for row in texts if n_filled(row) > 1)
    return max(widths, key=lambda width: (widths[width], width), default=1)


def _first_full_row(texts: list[list[str]]) -> int:
    """The first row that has a name for most columns."""
    width = usual_width(texts)
    if width < 2:
        return 0
    for number, row in enumerate(texts):
        if n_filled(row) >= max(2, width // 2 + 1):
            # A row of numbers is data: the header is what comes before it.
            return 0 if number and _is_mostly_numbers(row) else number
        if not _is_title(row, width):
            return 0
    return 0


def _is_title(row: Sequence[str], width: int) -> bool:
    """Whether a row is a title, a comment, or a name with its value."""
    return n_filled(row) <= (2 if width >= 4 else 1) or row[0].startswith("#")


def _is_mostly_numbers(row: Sequence[str]) -> bool:
    cells = [text for text in row if text]
    return 2 * sum(map(_is_value, cells)) > len(cells)


def _is_value(text: str) -> bool:
    """Whether a text is a number or a date, which names of columns hardly are."""
    return read_number(text) is not None or any(
        read_date(text, order) is not None for order in ("dmy", "mdy")
    )


def _is_group_row(upper: Sequence[str], lower: Sequence[str]) -> bool:
    """Whether a row has names of groups of columns, each over the first of its group.

    They have gaps between them, unlike a name with its value.
    """
    places = [place for place, text in enumerate(upper) if text]
    if len(places) < 2 or any(_is_value(upper[place]) for place in places):
        return False
    return any(
        not upper[place] and lower[place]
        for place in range(places[0], min(places[-1], len(lower)))
    )


def _has_second(texts: list[list[str]], header: int) -> bool:
    """Whether the row below the header belongs to it: subtitles or units.

    Its cells are words, where the cells below it are numbers.
    """
    below = texts[header + 2 : header + 2 + _MOST_BELOW]
    if len(below) < 2:
        return False
    width = max(map(len, texts[header:]))
    top, second, *below = (
        [*row, *[""] * (width - len(row))]
        for row in (texts[header], texts[header + 1], *below)
    )
    if any(map(_is_value, second)):
        return False
    groups = any(not name and text for name, text in zip(top, second, strict=True))
    n_numbers = n_words = 0
    for place, text in enumerate(second):
        cells = [row[place] for row in below if not says_nothing(row[place])]
        if len(cells) >= 2 and all(map(_is_value, cells)):
            n_numbers += 1
            n_words += not says_nothing(text)
        elif text and text in cells:
            return False
    enough = 1 if groups else 2
    return n_words >= enough and (groups or 2 * n_words >= n_numbers)


def _joined(
    upper: Sequence[str], lower: Sequence[str], columns: Collection[str]
) -> list[str]:
    """Names from two rows; a name of a group holds until the next."""
    names, group = [], ""
    width = max(len(upper), len(lower))
    top = [*upper, *[""] * (width - len(upper))]
    for name, text in zip(top, [*lower, *[""] * (width - len(lower))], strict=True):
        group = name or group
        both = f"{group} {text}".strip() if text else name
        names.append(text if text in columns and both not in columns else both)
    return names

"""Names of columns, as a file gives them and as they are used."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

Tell = Callable[[str], None]

UNNAMED = "unnamed column"


def silent(sentence: str) -> None:
    """Nobody is told."""


def header_names(cells: Sequence[Any], path: str, tell: Tell = silent) -> list[str]:
    """A name of its own for every column.

    Examples
    --------
    >>> header_names(["", "a", " b ", "a"], "data.csv")
    ['unnamed column 1', 'a', 'b', 'a (2)']
    """
    plain = ["" if cell is None else str(cell).strip() for cell in cells]
    names: list[str] = []
    for number, name in enumerate(plain, start=1):
        name = name or f"{UNNAMED} {number}"
        own, copies = name, 1
        while own in names or (copies > 1 and own in plain):
            copies += 1
            own = f"{name} ({copies})"
        names.append(own)
    twice = [name for name, count in Counter(plain).items() if count > 1 and name]
    for name in twice[:5]:
        tell(
            f"{path} has more than one column {name!r}; the next one is called "
            f"'{name} (2)'."
        )
    return names


def is_unnamed(name: str) -> bool:
    """Whether a file gives a column no name; pandas has a word for these."""
    return name.startswith((UNNAMED, "Unnamed: ", "__index_level_"))

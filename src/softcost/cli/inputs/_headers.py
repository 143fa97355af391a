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
    given, names = set(plain), dict[str, None]()  # which keeps the order
    copies: Counter[str] = Counter()
    for number, name in enumerate(plain, start=1):
        name = name or f"{UNNAMED} {number}"
        own, copies[name] = name, max(copies[name], 1)
        while own in names or (copies[name] > 1 and own in given):
            copies[name] += 1
            own = f"{name} ({copies[name]})"
        names[own] = None
    twice = [name for name, count in Counter(plain).items() if count > 1 and name]
    for name in twice[:5]:
        tell(
            f"{path} has more than one column {name!r}; the next one is called "
            f"'{name} (2)'."
        )
    return list(names)


def is_unnamed(name: str) -> bool:
    """Whether a file gives a column no name; pandas has a word for these."""
    return name.startswith((UNNAMED, "Unnamed: ", "__index_level_"))

"""What a column can hold, and how its cells are read.

A kind is one of a few words, which travel with a model in its notes: rows to predict
are read exactly as those that the model was fitted to.
"""

from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "number",
    "number, decimal comma",
    "nominal",
    "boolean",
    "date",
    "date, day first",
    "date, month first",
    "date and time",
    "date and time, day first",
    "date and time, month first",
]
Order = Literal["ymd", "dmy", "mdy"]


@dataclass(frozen=True)
class Reading:
    """How cells of a kind are read.

    Attributes
    ----------
    what : {"number", "date", "words"}
    decimal : {".", ","}
        What 1.234 and 1,234 mean; all other numbers can be meant in one way only.
    order : {"ymd", "dmy", "mdy"}
        Which comes first where the year does not.
    hours : bool
        Whether the time of day is a feature.
    boolean : bool
        Whether true, TRUE and WAHR are one word.
    """

    what: Literal["number", "date", "words"]
    decimal: Literal[".", ","] = "."
    order: Order = "ymd"
    hours: bool = False
    boolean: bool = False


KINDS: dict[Kind, Reading] = {
    "number": Reading("number"),
    "number, decimal comma": Reading("number", decimal=","),
    "nominal": Reading("words"),
    "boolean": Reading("words", boolean=True),
    "date": Reading("date"),
    "date, day first": Reading("date", order="dmy"),
    "date, month first": Reading("date", order="mdy"),
    "date and time": Reading("date", hours=True),
    "date and time, day first": Reading("date", order="dmy", hours=True),
    "date and time, month first": Reading("date", order="mdy", hours=True),
}
KIND_OF: dict[Reading, Kind] = {reading: kind for kind, reading in KINDS.items()}

# Cells that say nothing. Among words, and above all among classes, a dash or "none" is
# a word like another; among numbers and dates it can only mean that there is none.
MISSING = frozenset(["", "?", "NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL"])
_NONE_AMONG_NUMBERS = frozenset(
    ["-", "--", "---", "\N{EN DASH}", "\N{EM DASH}", ".", "..", "n/a", "na", "n.a.",
     "none", "nat", "<na>", "null", "nil", "nan", "missing", "k.a.", "k. a.", "#n/a",
     "#na", "#div/0!", "#value!", "#wert!", "#ref!", "#bezug!", "#num!", "#zahl!",
     "#name?", "#null!"]
)  # fmt: skip


def says_nothing(text: str, tokens: frozenset[str] = frozenset()) -> bool:
    """Whether a cell among numbers or dates means that there is none.

    Parameters
    ----------
    tokens : frozenset of str
        Of the user's own.
    """
    return text in MISSING or text.lower() in _NONE_AMONG_NUMBERS or text in tokens

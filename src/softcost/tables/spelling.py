"""Names that may mean the same: other spellings, typing errors, lost accents."""

import re
import shlex
import unicodedata
from collections.abc import Iterable, Mapping

from softcost.errors import on_command_line
from softcost.tables.cells import as_boolean, read_number

_MOST_NAMES = 300  # of which every pair is compared
_LEAST_LENGTH = 4  # of names in which one letter may be wrong
_TWO_ERRORS = 10  # length of names in which two may
_RARE = 0.1  # a typing error is rarer than this share of the right spelling
_DIGITS = re.compile(r"\d+")


def plain_form(name: str) -> str:
    """A name without what is lost or added in spreadsheets and by typing.

    Case, blanks of all kinds, composed or decomposed accents, 1 and 1.0, TRUE and
    WAHR.

    Examples
    --------
    >>> plain_form(" Adélie\\u00a0x ") == plain_form("ade\\u0301lie X")
    True
    >>> plain_form("1.0") == plain_form("1"), plain_form("a1") == plain_form("a2")
    (True, False)
    """
    text = " ".join(unicodedata.normalize("NFKC", name).split())
    number = read_number(text)
    if number is not None:
        return str(number)
    return as_boolean(text).casefold()


def similar_names(name: str, others: Iterable[str]) -> list[str]:
    """Names that another name may be a spelling of, the surest first.

    Examples
    --------
    >>> similar_names("Adelei", ["Gentoo", "Adelie"]), similar_names("x1", ["x2"])
    (['Adelie'], [])
    """
    candidates = [other for other in others if other != name]
    form = plain_form(name)
    same = [other for other in candidates if plain_form(other) == form]
    near = [other for other in candidates if _is_misspelt(form, plain_form(other))]
    return [*same, *near]


def likely_merges(counts: Mapping[str, int]) -> dict[str, str]:
    """Names that are probably another name, misspelt: ``{rarer: more frequent}``.

    Parameters
    ----------
    counts : mapping of str to int
        How often each name occurs.

    Examples
    --------
    >>> likely_merges({"Adelie": 150, "adelie": 3, "Adelei": 1, "Gentoo": 120})
    {'Adelei': 'Adelie', 'adelie': 'Adelie'}
    """
    ordered = sorted(counts, key=lambda name: (-counts[name], name))
    merges: dict[str, str] = {}
    by_form: dict[str, str] = {}
    for name in ordered:
        first = by_form.setdefault(plain_form(name), name)
        if first != name:
            merges[name] = first
    if len(by_form) <= _MOST_NAMES:
        for form, name in by_form.items():
            for other_form, other in by_form.items():
                if other == name:
                    break  # only more frequent names, which come first
                rare = counts[name] <= max(1, _RARE * counts[other])
                if rare and other not in merges and _is_misspelt(form, other_form):
                    merges[name] = other
                    break
    return dict(sorted(merges.items()))


def merge_option(old: str, new: str) -> str:
    """How to merge two labels.

    Examples
    --------
    >>> merge_option("Adelei", "Adelie")
    "merge={'Adelei': 'Adelie'}"
    """
    if on_command_line():
        return f"--merge {shlex.quote(f'{old}={new}')}"
    return f"merge={ {old: new} }"


def _is_misspelt(name: str, other: str) -> bool:
    """Whether two forms differ by a typing error or two.

    Numbers and single letters tell names apart: "type a" is not "type b".
    """
    size = min(len(name), len(other))
    if size < _LEAST_LENGTH or name == other:
        return False
    if _DIGITS.findall(name) != _DIGITS.findall(other):
        return False
    words, others = name.split(), other.split()
    if len(words) == len(others) and any(
        first != second and min(len(first), len(second)) < 2
        for first, second in zip(words, others, strict=True)
    ):
        return False
    most = 2 if size >= _TWO_ERRORS else 1
    return _n_errors(name, other, most) <= most


def _n_errors(name: str, other: str, most: int) -> int:
    """Letters to insert, remove, replace or swap (Damerau, 1964)."""
    if abs(len(name) - len(other)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(name, start=1):
        two_before, before, row = before, row, [i]
        for j, wanted in enumerate(other, start=1):
            cost = min(
                before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != wanted)
            )
            swapped = i > 1 and j > 1 and letter == other[j - 2]
            if swapped and name[i - 2] == wanted:
                cost = min(cost, two_before[j - 2] + 1)
            row.append(cost)
    return row[-1]

"""Classes of a table and of a price list, which may have been through a spreadsheet."""

from collections.abc import Iterable

import pandas as pd

from softcost.cli.console import quoted_names
from softcost.cli.inputs._columns import as_boolean
from softcost.cli.inputs._headers import Tell, silent
from softcost.cli.inputs._numbers import read_number


def match_classes(
    matrix: pd.DataFrame,
    labels: Iterable[str],
    *,
    data: str,
    target: str,
    path: str,
    tell: Tell = silent,
) -> pd.DataFrame:
    """A price list with the classes called as the table calls them.

    Spreadsheets write True as TRUE (or WAHR) and 1 as 1.0: names that differ in this
    way only are the same.

    Parameters
    ----------
    matrix : DataFrame
        Prices by name, rows true classes and columns answers.
    labels : iterable of str
        Of the table.
    data, target, path : str
        The table, its column and the price list, for messages.
    """
    classes = sorted({str(label) for label in labels})
    names = [str(name) for name in matrix.index]
    spare = [name for name in names if name not in classes]
    renamed = {}
    for label in classes:
        if label in names:
            continue
        near = [name for name in spare if _form(name) == _form(label)]
        if len(near) == 1 and near[0] not in renamed:
            renamed[near[0]] = label
            tell(f"the class {near[0]!r} of {path} is taken for {label!r} of {data}.")
    matrix = matrix.rename(index=renamed, columns=renamed)
    check_priced(classes, matrix.index, data=data, target=target, path=path)
    order = sorted(matrix.index)
    others = [name for name in matrix.columns if name not in matrix.index]
    return matrix.loc[order, [*order, *others]]


def check_priced(
    labels: Iterable[str], names: Iterable[str], *, data: str, target: str, path: str
) -> None:
    """Refuse classes of a table that have no price."""
    known = [str(name) for name in names]
    unknown = sorted({str(label) for label in labels} - set(known))
    if unknown:
        raise ValueError(
            f"--target {target!r} of {data} has classes without a price, "
            f"{quoted_names(unknown)}; {path} has prices for {quoted_names(known)}: "
            "add what is missing, or correct the table."
        )


def _form(name: str) -> str:
    """What is left of a name that went through a spreadsheet."""
    number = read_number(name)
    if number is not None:
        return str(number)
    return as_boolean(" ".join(name.split())).casefold()

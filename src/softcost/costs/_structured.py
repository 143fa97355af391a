"""Cost matrices that follow from what is known of the classes or of the profits.

Classes are named, and the matrix is a labelled table, or only counted, and it is an
array.
"""

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softcost.costs._labels import check_classes
from softcost.costs._tables import NamedColumns, numbers, read_table


def absolute(classes: Any) -> Any:
    """Return costs of ordered classes that grow with the distance.

    Parameters
    ----------
    classes : int, array-like of shape (n_classes,) or dict of label and place
        The classes from low to high, or how many there are; neighbours are 1 apart.
        A dict gives every class a place on the scale.

    Returns
    -------
    ndarray or DataFrame of shape (n_classes, n_classes)
        ``|x_i - x_j|`` for places x; a DataFrame where classes are named.

    See Also
    --------
    squared : Return costs of ordered classes that grow with the squared distance.
    by_group : Return costs that are low inside a group of classes and high across
        groups.

    Examples
    --------
    >>> from softcost.costs import absolute
    >>> absolute(3)
    array([[0., 1., 2.],
           [1., 0., 1.],
           [2., 1., 0.]])
    >>> absolute({"none": 0, "mild": 1, "severe": 5})
            none  mild  severe
    none     0.0   1.0     5.0
    mild     1.0   0.0     4.0
    severe   5.0   4.0     0.0
    """
    places, labels = _places_on_scale(classes)
    return _table(np.abs(places[:, np.newaxis] - places), labels)


def squared(classes: Any) -> Any:
    """Return costs of ordered classes that grow with the squared distance.

    Parameters
    ----------
    classes : int, array-like of shape (n_classes,) or dict of label and place
        As in :func:`absolute`.

    Returns
    -------
    ndarray or DataFrame of shape (n_classes, n_classes)
        ``(x_i - x_j)^2`` for places x; a DataFrame where classes are named.

    See Also
    --------
    absolute : Return costs of ordered classes that grow with the distance.
    by_group : Return costs that are low inside a group of classes and high across
        groups.

    Examples
    --------
    >>> from softcost.costs import squared
    >>> squared(["low", "middle", "high"])
            low  middle  high
    low     0.0     1.0   4.0
    middle  1.0     0.0   1.0
    high    4.0     1.0   0.0
    """
    places, labels = _places_on_scale(classes)
    return _table(np.square(places[:, np.newaxis] - places), labels)


def by_group(groups: Any, *, inside: float = 1.0, across: float = 10.0) -> Any:
    """Return costs that are low inside a group of classes and high across groups.

    Parameters
    ----------
    groups : dict of label and group, or array-like of shape (n_classes,)
        The group of every class; a list has them in the order of the classes.
    inside : float, default=1.0
        What it costs to mistake a class for another one of its group.
    across : float, default=10.0
        What it costs to mistake a class for one of another group.

    Returns
    -------
    ndarray or DataFrame of shape (n_classes, n_classes)
        A DataFrame where classes are named.

    See Also
    --------
    absolute : Return costs of ordered classes that grow with the distance.
    from_benefits : Turn profits into costs: what an answer earns less than the best
        one.

    Examples
    --------
    >>> from softcost.costs import by_group
    >>> by_group({"E. coli": "gram -", "Klebsiella": "gram -", "S. aureus": "gram +"})
                E. coli  Klebsiella  S. aureus
    E. coli         0.0         1.0       10.0
    Klebsiella      1.0         0.0       10.0
    S. aureus      10.0        10.0        0.0
    """
    prices = {"inside": inside, "across": across}
    for name, price in prices.items():
        if isinstance(price, bool) or not isinstance(price, Real):
            raise TypeError(f"{name} must be a number, not {price!r}; pass a float.")
        if not 0.0 <= price < float("inf"):
            raise ValueError(
                f"{name} must be finite and not negative, not {price!r}; pass a price."
            )
    if not isinstance(groups, Mapping | list | tuple | np.ndarray):
        raise TypeError(
            "groups must be a dict of label and group, or a list of groups in the order"
            f" of the classes, not {type(groups).__name__}; name every class's group."
        )
    labels = None
    of_class = list(groups)
    if isinstance(groups, Mapping) and groups:
        labels, of_class = check_classes(of_class), list(groups.values())
    if len(of_class) < 2:
        raise ValueError(
            f"groups has {len(of_class)} classes; name the group of at least two."
        )
    same = np.array([[one == other for other in of_class] for one in of_class])
    matrix = np.where(same, float(inside), float(across))
    np.fill_diagonal(matrix, 0.0)
    return _table(matrix, labels)


def from_benefits(benefits: Any) -> Any:
    """Turn profits into costs: what an answer earns less than the best one.

    Parameters
    ----------
    benefits : array-like, table or dict of shape (n_rows, n_classes)
        What every answer earns, negative for a loss: one row for each class, to give
        ``cost_matrix``, or for each example, to give ``costs``. A dict
        ``{true: {predicted: benefit}}`` has the right answers, too.

    Returns
    -------
    ndarray or DataFrame of the same shape
        ``max_l b[l] - b[k]`` in each row, so that costs are not negative and differ
        as the benefits do. The right answer has to be among the best of its row.

    See Also
    --------
    check_cost_matrix : Check a cost matrix and put it into the order of the classes.
    by_group : Return costs that are low inside a group of classes and high across
        groups.

    Examples
    --------
    >>> from softcost.costs import from_benefits
    >>> from_benefits({"good": {"good": 20, "bad": 0},
    ...                "bad": {"good": -100, "bad": 0}})
           good   bad
    good    0.0  20.0
    bad   100.0   0.0
    """
    if isinstance(benefits, Mapping):
        benefits = _frame_of_rows(benefits)
    table = read_table(benefits)
    if table is None:
        return _shortfall(numbers(benefits, "benefits"))
    import pandas as pd

    names, columns, rows = _with_row_names(table)
    values = [numbers(column, "benefits") for column in columns]
    given = np.column_stack(values) if values else np.empty((0, 0))
    return pd.DataFrame(_shortfall(given), index=rows, columns=names)


def _shortfall(benefits: NDArray[np.float64]) -> NDArray[np.float64]:
    if benefits.ndim != 2 or benefits.size == 0:
        raise ValueError(
            f"benefits must be a table with one column per answer, not of shape"
            f" {benefits.shape}; give one row per true class, or per example."
        )
    if not np.isfinite(benefits).all():
        raise ValueError("benefits has a missing or infinite entry; fill it.")
    return benefits.max(axis=1, keepdims=True) - benefits


def _frame_of_rows(benefits: Mapping[Any, Any]) -> Any:
    """``{true: {predicted: benefit}}`` as a table; nothing may be missing."""
    import pandas as pd

    if not benefits or not all(isinstance(row, Mapping) for row in benefits.values()):
        raise TypeError(
            "benefits must be a dict of dicts, {true: {predicted: benefit}}, an array"
            " or a table; write it so."
        )
    names = list(next(iter(benefits.values())))
    for label, row in benefits.items():
        if set(row) != set(names):
            raise ValueError(
                f"benefits[{label!r}] names other answers than the rows before it;"
                " give every answer a benefit in every row."
            )
    rows = [[row[name] for name in names] for row in benefits.values()]
    return pd.DataFrame(rows, index=list(benefits), columns=names)


def _with_row_names(table: NamedColumns) -> NamedColumns:
    """A first column of words names the rows, as in a CSV file."""
    names, columns, rows = table
    first = np.asarray(columns[0]).tolist() if rows is None and columns else []
    if first and all(isinstance(name, str) for name in first):
        return NamedColumns(names[1:], columns[1:], first)
    return table


def _places_on_scale(classes: Any) -> tuple[NDArray[np.float64], NDArray[Any] | None]:
    """Places of ordered classes, and their labels if they have names."""
    if isinstance(classes, Integral) and not isinstance(classes, bool):
        if classes < 2:
            raise ValueError(f"classes must be at least 2, not {classes}; pass K >= 2.")
        return np.arange(float(classes)), None
    if isinstance(classes, Mapping):
        labels = check_classes(list(classes))
        places = numbers(list(classes.values()), "classes")
        if not np.isfinite(places).all():
            raise ValueError("classes has a place that is not finite; correct it.")
    else:
        labels = check_classes(classes)
        places = np.arange(float(len(labels)))
    if len(labels) < 2:
        raise ValueError("classes has only one class; list at least two, low to high.")
    return places, labels


def _table(matrix: NDArray[np.float64], labels: NDArray[Any] | None) -> Any:
    """The matrix, labelled if its classes are."""
    if labels is None:
        return matrix
    import pandas as pd

    return pd.DataFrame(matrix, index=labels, columns=labels)

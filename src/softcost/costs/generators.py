"""Generators of cost matrices: random, derived from another matrix, or published.

Random matrices (`plain`, `inconsistent`, `consistent`) are those of experiments in the
literature. Structured ones (`absolute`, `squared`, `by_group`, `from_benefits`) follow
from an order of the classes, from groups, or from profits.

All matrices ``C[true, predicted]`` have a zero diagonal. N_k is the number of training
examples of class k (at least 1), and `rng` any argument of
:func:`numpy.random.default_rng`.
"""

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcost.costs.labels import (
    NamedColumns,
    check_classes,
    label_array,
    matrix_labels,
    names_like,
    numbers,
    positions,
    read_table,
    shown,
)
from softcost.costs.matrix import check_cost_matrix


def plain(n_classes: int, rng: Any = None) -> NDArray[np.float64]:
    """Draw a random matrix that does not depend on class sizes.

    Parameters
    ----------
    n_classes : int
        K, at least 2.
    rng : None, int or numpy.random.Generator, optional
        Source of randomness.

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        ``C[y, k] ~ U(0, 1]`` for k != y, divided by the largest entry.

    See Also
    --------
    inconsistent : Draw a random matrix in which missing a rare class is expensive.
    emphasized : Make some rows or columns of a matrix u times as expensive.

    Examples
    --------
    >>> from softcost.costs import plain
    >>> float(plain(3, 0).max())
    1.0
    """
    if not isinstance(n_classes, Integral) or isinstance(n_classes, bool):
        raise TypeError(f"n_classes must be an int, not {n_classes!r}; pass an int.")
    if n_classes < 2:
        raise ValueError(f"n_classes must be at least 2, not {n_classes}; pass K >= 2.")
    return inconsistent(np.ones(int(n_classes)), rng)


def inconsistent(class_counts: ArrayLike, rng: Any = None) -> NDArray[np.float64]:
    """Draw a random matrix in which missing a rare class is expensive.

    Parameters
    ----------
    class_counts : array-like of shape (n_classes,)
        Examples of each class, in the order of the classes.
    rng : None, int or numpy.random.Generator, optional
        Source of randomness.

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        ``C[y, k] ~ U(0, N_k / N_y]`` for k != y, divided by the largest entry. For
        K = 2 it is consistent, for K >= 3 almost surely not.

    See Also
    --------
    consistent : Draw a random consistent matrix with larger weights for rarer classes.
    plain : Draw a random matrix that does not depend on class sizes.

    Examples
    --------
    >>> from softcost.costs import inconsistent, is_consistent
    >>> is_consistent(inconsistent([50, 30, 20], 0))
    False
    """
    counts = _check_counts(class_counts)
    matrix = _uniform(rng, (len(counts), len(counts)))
    matrix *= counts[np.newaxis, :] / counts[:, np.newaxis]
    np.fill_diagonal(matrix, 0.0)
    return matrix / matrix.max()


def consistent(
    class_counts: ArrayLike, rng: Any = None, ratio: str = "inverse"
) -> NDArray[np.float64]:
    """Draw a random consistent matrix with larger weights for rarer classes.

    Parameters
    ----------
    class_counts : array-like of shape (n_classes,)
        Examples of each class, in the order of the classes.
    rng : None, int or numpy.random.Generator, optional
        Source of randomness.
    ratio : {"inverse", "printed"}, default="inverse"
        Upper bound of the cost of predicting the more frequent class k for a true y:
        "inverse" is ``N_k / N_y`` as in :func:`inconsistent`. "printed" is
        ``N_y / N_k``, which the paper prints but did not use.

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        Classes are ranked from frequent to rare (ties by index) and get increasing
        weights w from U(0, 1]. For y of higher rank than k, ``C[y, k]`` is drawn from
        the interval and ``C[k, y] = C[y, k] w_k / w_y``. Divided by the largest
        entry.

    See Also
    --------
    inconsistent : Draw a random matrix in which missing a rare class is expensive.
    is_consistent : Whether class weights can express a cost matrix.

    Examples
    --------
    >>> from softcost.costs import consistent, is_consistent
    >>> is_consistent(consistent([50, 30, 20], 0))
    True
    """
    counts = _check_counts(class_counts)
    if ratio not in ("inverse", "printed"):
        raise ValueError(
            f"ratio must be 'inverse' or 'printed', not {ratio!r}; choose one."
        )
    generator = _generator(rng)
    n_classes = len(counts)
    by_frequency = np.argsort(-counts, kind="stable")
    weights = np.sort(_uniform(generator, (n_classes,)))
    sizes = counts[by_frequency]
    limits = sizes[np.newaxis, :] / sizes[:, np.newaxis]
    if ratio == "printed":
        limits = limits.T
    drawn = np.tril(_uniform(generator, (n_classes, n_classes)) * limits, k=-1)
    ranked = drawn + drawn.T * (weights[:, np.newaxis] / weights[np.newaxis, :])
    matrix = np.empty_like(ranked)
    matrix[np.ix_(by_frequency, by_frequency)] = ranked
    return matrix / matrix.max()


def emphasized(
    cost_matrix: Any, u: float, *, rows: Any = None, columns: Any = None
) -> Any:
    """Make some rows or columns of a matrix u times as expensive.

    Parameters
    ----------
    cost_matrix : array-like, table or dict of shape (n_classes, n_classes)
        The base matrix.
    u : float
        The factor, positive.
    rows, columns : label or list of labels, optional
        True classes and predicted classes to emphasise: labels of a labelled matrix,
        positions in an array.

    Returns
    -------
    ndarray or DataFrame of shape (n_classes, n_classes)
        The entries of these rows or columns stay as they are, and all others are
        divided by u. A DataFrame if the matrix is labelled.

    See Also
    --------
    balanced : Divide each row by its class size, so that all classes count the same.
    inconsistent : Draw a random matrix in which missing a rare class is expensive.

    Examples
    --------
    >>> from softcost.costs import emphasized
    >>> emphasized([[0, 1], [1, 0]], 100, columns=0)
    array([[0.  , 0.01],
           [1.  , 0.  ]])
    """
    if isinstance(u, bool) or not isinstance(u, Real):
        raise TypeError(f"u must be a number, not {u!r}; pass a float.")
    if not 0.0 < u < float("inf"):
        raise ValueError(f"u must be positive and finite, not {u!r}; pass u > 0.")
    if rows is None and columns is None:
        raise ValueError("rows and columns are both missing; name what to emphasise.")
    matrix, labels = _in_row_order(cost_matrix)
    chosen = np.zeros(matrix.shape, dtype=bool)
    chosen[_places(rows, labels, "rows"), :] = True
    chosen[:, _places(columns, labels, "columns")] = True
    return _labelled(np.where(chosen, matrix, matrix / u), cost_matrix, labels)


def balanced(cost_matrix: Any, class_counts: Any) -> Any:
    """Divide each row by its class size, so that all classes count the same.

    Parameters
    ----------
    cost_matrix : array-like, table or dict of shape (n_classes, n_classes)
        The base matrix.
    class_counts : array-like of shape (n_classes,) or dict of label and count
        Examples of each class; an array is in the order of the matrix's rows.

    Returns
    -------
    ndarray or DataFrame of shape (n_classes, n_classes)
        ``C[y, k] / N_y``, not divided by the largest entry. A DataFrame if the matrix
        is labelled.

    See Also
    --------
    inconsistent : Draw a random matrix in which missing a rare class is expensive.
    error_weights : Return the weight of an error by true class.

    Examples
    --------
    >>> from softcost.costs import balanced
    >>> balanced([[0, 1], [3, 0]], [2, 4])
    array([[0.  , 0.5 ],
           [0.75, 0.  ]])
    """
    matrix, labels = _in_row_order(cost_matrix)
    if isinstance(class_counts, Mapping):
        order = positions(list(class_counts), labels, "class_counts", "count")
        class_counts = np.array(list(class_counts.values()), dtype=object)[order]
    counts = _check_counts(class_counts)
    if len(counts) != len(matrix):
        raise ValueError(
            f"class_counts has {len(counts)} entries for {len(matrix)} classes;"
            " give one per row of cost_matrix."
        )
    return _labelled(matrix / counts[:, np.newaxis], cost_matrix, labels)


def _generator(rng: Any) -> np.random.Generator:
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise TypeError(
            f"rng must be None, an int or a numpy Generator, not {rng!r}; pass a seed."
        ) from None


def _uniform(rng: Any, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Draw from (0, 1]: a zero would make a matrix inconsistent."""
    return 1.0 - _generator(rng).random(shape)


def _check_counts(class_counts: Any) -> NDArray[np.float64]:
    counts = numbers(class_counts, "class_counts")
    if counts.ndim != 1 or len(counts) < 2:
        raise ValueError(
            f"class_counts must list at least two classes, not {counts.shape};"
            " give one count per class."
        )
    if not np.isfinite(counts).all() or (counts < 0).any():
        raise ValueError(
            "class_counts must be finite and not negative; count the training examples."
        )
    return np.maximum(counts, 1.0)


def _in_row_order(cost_matrix: Any) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return a checked matrix in the order of its rows, and its labels or positions."""
    names = matrix_labels(cost_matrix)
    if names is None:
        matrix = check_cost_matrix(cost_matrix)
        return matrix, np.arange(len(matrix))
    labels = label_array(names, "cost_matrix")
    return check_cost_matrix(cost_matrix, labels), labels


def _places(chosen: Any, labels: NDArray[Any], argument: str) -> list[int]:
    """Find one label or a list of labels."""
    if chosen is None:
        return []
    several = isinstance(chosen, list | tuple | np.ndarray)
    index = {label: number for number, label in enumerate(labels.tolist())}
    names = names_like(list(chosen) if several else [chosen], labels)
    unknown = [name for name in names if name not in index]
    if unknown:
        raise ValueError(
            f"{argument} has {shown(unknown)}, which is not a class; use labels of"
            f" cost_matrix, {shown(labels.tolist())}."
        )
    return [index[name] for name in names]


def _labelled(matrix: NDArray[np.float64], original: Any, labels: NDArray[Any]) -> Any:
    """Give a result the labels of the matrix it was made from, if there are any."""
    return _table(matrix, None if matrix_labels(original) is None else labels)


def absolute(classes: Any) -> Any:
    """Return costs of ordered classes that grow with their distance.

    Parameters
    ----------
    classes : int, array-like of shape (n_classes,) or dict of label and position
        The classes from low to high, or their number; neighbours are 1 apart. A dict
        gives the position of every class on the scale.

    Returns
    -------
    ndarray or DataFrame of shape (n_classes, n_classes)
        ``|x_i - x_j|`` for positions x; a DataFrame if the classes have names.

    See Also
    --------
    squared : Return costs of ordered classes that grow with their squared distance.
    by_group : Return costs that are low within a group of classes and high between
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
    scale, labels = _scale_positions(classes)
    return _table(np.abs(scale[:, np.newaxis] - scale), labels)


def squared(classes: Any) -> Any:
    """Return costs of ordered classes that grow with their squared distance.

    Parameters
    ----------
    classes : int, array-like of shape (n_classes,) or dict of label and position
        As in :func:`absolute`.

    Returns
    -------
    ndarray or DataFrame of shape (n_classes, n_classes)
        ``(x_i - x_j)^2`` for positions x; a DataFrame if the classes have names.

    See Also
    --------
    absolute : Return costs of ordered classes that grow with their distance.
    by_group : Return costs that are low within a group of classes and high between
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
    scale, labels = _scale_positions(classes)
    return _table(np.square(scale[:, np.newaxis] - scale), labels)


def by_group(groups: Any, *, inside: float = 1.0, across: float = 10.0) -> Any:
    """Return costs that are low within a group of classes and high between groups.

    Parameters
    ----------
    groups : dict of label and group, or array-like of shape (n_classes,)
        The group of every class; a list has them in the order of the classes.
    inside : float, default=1.0
        Cost of predicting another class of the same group.
    across : float, default=10.0
        Cost of predicting a class of another group.

    Returns
    -------
    ndarray or DataFrame of shape (n_classes, n_classes)
        A DataFrame if the classes have names.

    See Also
    --------
    absolute : Return costs of ordered classes that grow with their distance.
    from_benefits : Turn profits into costs: the shortfall compared with the best
        answer.

    Examples
    --------
    >>> from softcost.costs import by_group
    >>> by_group({"E. coli": "gram -", "Klebsiella": "gram -", "S. aureus": "gram +"})
                E. coli  Klebsiella  S. aureus
    E. coli         0.0         1.0       10.0
    Klebsiella      1.0         0.0       10.0
    S. aureus      10.0        10.0        0.0
    """
    for name, cost in {"inside": inside, "across": across}.items():
        if isinstance(cost, bool) or not isinstance(cost, Real):
            raise TypeError(f"{name} must be a number, not {cost!r}; pass a float.")
        if not 0.0 <= cost < float("inf"):
            raise ValueError(
                f"{name} must be finite and not negative, not {cost!r}; pass a cost."
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
    same = np.array([[true == other for other in of_class] for true in of_class])
    matrix = np.where(same, float(inside), float(across))
    np.fill_diagonal(matrix, 0.0)
    return _table(matrix, labels)


def from_benefits(benefits: Any) -> Any:
    """Turn profits into costs: the shortfall compared with the best answer.

    Parameters
    ----------
    benefits : array-like, table or dict of shape (n_rows, n_classes)
        Profit of every answer, negative for a loss: one row per class for a
        ``cost_matrix``, or one row per example for ``costs``. A dict
        ``{true: {predicted: benefit}}`` must include the correct answers.

    Returns
    -------
    ndarray or DataFrame of the same shape
        ``max_l b[l] - b[k]`` in each row: not negative, with the same differences as
        the benefits. The correct answer must be among the best of its row.

    See Also
    --------
    check_cost_matrix : Check a cost matrix and put it into the order of the classes.
    by_group : Return costs that are low within a group of classes and high between
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
    matrix = np.column_stack(values) if values else np.empty((0, 0))
    return pd.DataFrame(_shortfall(matrix), index=rows, columns=names)


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
    """``{true: {predicted: benefit}}`` as a table; all entries are required."""
    import pandas as pd

    if not benefits or not all(isinstance(row, Mapping) for row in benefits.values()):
        raise TypeError(
            "benefits must be a dict of dicts, {true: {predicted: benefit}}, an array"
            " or a table."
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
    """Use a first column of strings as row names, as in a CSV file."""
    names, columns, rows = table
    first = np.asarray(columns[0]).tolist() if rows is None and columns else []
    if first and all(isinstance(name, str) for name in first):
        return NamedColumns(names[1:], columns[1:], first)
    return table


def _scale_positions(classes: Any) -> tuple[NDArray[np.float64], NDArray[Any] | None]:
    """Positions of ordered classes, and their labels if they have names."""
    if isinstance(classes, Integral) and not isinstance(classes, bool):
        if classes < 2:
            raise ValueError(f"classes must be at least 2, not {classes}; pass K >= 2.")
        return np.arange(float(classes)), None
    if isinstance(classes, Mapping):
        labels = check_classes(list(classes))
        scale = numbers(list(classes.values()), "classes")
        if not np.isfinite(scale).all():
            raise ValueError("classes has a position that is not finite; correct it.")
    else:
        labels = check_classes(classes)
        scale = np.arange(float(len(labels)))
    if len(labels) < 2:
        raise ValueError("classes has only one class; list at least two, low to high.")
    return scale, labels


def _table(matrix: NDArray[np.float64], labels: NDArray[Any] | None) -> Any:
    """The matrix, as a DataFrame if the classes have labels.

    pandas is imported only here: it takes longer to import than the whole package.
    """
    if labels is None:
        return matrix
    import pandas as pd

    return pd.DataFrame(matrix, index=labels, columns=labels)


# Published cost matrices.

_SERS_CLASSES = ("Ab", "Ecoli", "HI", "KP", "LM", "Nm", "Psa", "Spn", "Sa", "GBS")
_SERS = (
    (0, 1, 10, 7, 9, 9, 5, 8, 9, 1),
    (3, 0, 10, 8, 10, 10, 5, 10, 10, 2),
    (10, 10, 0, 3, 2, 2, 10, 1, 2, 10),
    (7, 7, 3, 0, 4, 4, 6, 3, 3, 8),
    (8, 8, 2, 4, 0, 5, 8, 2, 1, 8),
    (3, 10, 9, 8, 6, 0, 8, 3, 6, 7),
    (7, 8, 10, 9, 9, 7, 0, 8, 9, 5),
    (6, 10, 7, 7, 4, 4, 9, 0, 4, 7),
    (7, 10, 6, 5, 1, 3, 9, 2, 0, 7),
    (2, 5, 10, 9, 8, 6, 5, 6, 8, 0),
)

_KDD99_CLASSES = ("normal", "probe", "dos", "u2r", "r2l")
_KDD99 = (
    (0, 1, 2, 2, 2),
    (1, 0, 2, 2, 2),
    (2, 1, 0, 2, 2),
    (3, 2, 2, 0, 2),
    (4, 2, 2, 2, 0),
)

_MATRICES = {
    "SERS_COSTS": (_SERS_CLASSES, _SERS),
    "KDD99_COSTS": (_KDD99_CLASSES, _KDD99),
}


def published_matrix(name: str) -> Any:
    """Return a published matrix, with true classes in rows, as a new DataFrame.

    Parameters
    ----------
    name : {"SERS_COSTS", "KDD99_COSTS"}
        Ten bacteria in surface-enhanced Raman spectra, with costs from 0 to 10; or the
        five categories of connections of the KDD Cup 1999.

    Returns
    -------
    pandas.DataFrame of shape (n_classes, n_classes)
        A new object on each call.
    """
    import pandas as pd

    classes, rows = _MATRICES[name]
    return pd.DataFrame(rows, index=list(classes), columns=list(classes), dtype=float)

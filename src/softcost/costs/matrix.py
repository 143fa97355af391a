"""Validation of cost matrices and of costs by example; consistency of a matrix.

A matrix C is *consistent* (Zhou and Liu 2010) if class weights can express it:
rescaling classes by weights w is right for the pair (i, j) iff
``w_i / w_j = C[i, j] / C[j, i]``. So C is consistent iff one w satisfies this for all
pairs, that is iff ``C[i, j] = w_i S[i, j]`` with a symmetric S.

References
----------
Zhou and Liu (2010), "On multi-class cost-sensitive learning", Computational
Intelligence 26; first in AAAI 2006.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcost.costs.actions import all_answers, check_actions
from softcost.costs.labels import (
    check_classes,
    cost_names,
    label_array,
    matrix_labels,
    names_like,
    numbers,
    positions,
    read_matrix,
    read_table,
    shown,
    sorted_like,
)

LARGEST = 1e150  # larger costs could overflow when they are added or squared


def only_one(cost_matrix: Any, costs: Any) -> None:
    """Raise an error if both cost arguments are given."""
    if cost_matrix is not None and costs is not None:
        raise ValueError(
            "cost_matrix and costs are both given; pass cost_matrix (K x K, by class)"
            " or costs (n x K, by example), not both."
        )


def resolve_classes(
    y: ArrayLike,
    *,
    classes: ArrayLike | None = None,
    cost_matrix: Any = None,
    costs: Any = None,
    actions: ArrayLike | None = None,
    argument: str = "y",
) -> NDArray[Any]:
    """Determine the classes and their order.

    Explicit `classes` have priority and keep their order. Otherwise the classes are the
    sorted labels of labelled costs, or else the sorted labels of `y`.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels, all of them among the classes.
    classes : array-like of shape (n_classes,), optional
        Every class once, in the order of unlabelled costs. Required if `y` lacks a
        class and the costs are an unlabelled array.
    cost_matrix, costs : optional
        As in :func:`as_cost_vectors`; only their labels are used.
    actions : array-like of shape (n_extra,), optional
        Columns of `costs` that are not classes.
    argument : str, default="y"
        The name of `y` in messages.

    Returns
    -------
    ndarray of shape (n_classes,)
        The classes.

    See Also
    --------
    class_indices : Return the class index of each label.
    extra_actions : Return the names of the actions other than predicting a class.

    Examples
    --------
    >>> from softcost.costs import resolve_classes
    >>> costs = {"ham": {"spam": 5}, "spam": {"ham": 1}}
    >>> resolve_classes(["spam", "spam"], cost_matrix=costs).tolist()
    ['ham', 'spam']
    """
    only_one(cost_matrix, costs)
    labels = label_array(y, argument)
    if len(labels) == 0:
        raise ValueError(f"{argument} is empty; pass at least one example.")
    names, owner = None, "classes"
    if classes is not None:
        resolved = check_classes(classes)
    else:
        resolved = np.unique(labels)
        if cost_matrix is not None:
            names, owner = matrix_labels(cost_matrix), "cost_matrix"
        elif costs is not None:
            names, owner = _class_columns(costs, labels, actions), "costs"
        if names is not None:
            resolved = sorted_like(names, labels, owner)
    unknown = sorted(set(np.unique(labels).tolist()) - set(resolved.tolist()))
    if unknown:
        raise ValueError(
            f"{argument} has labels that {owner} does not name, {shown(unknown)}; it"
            f" names {shown(resolved.tolist())}: add them there or correct {argument}."
            + _remedy_for_codes(labels, resolved)
        )
    return resolved


def _remedy_for_codes(labels: NDArray[Any], classes: NDArray[Any]) -> str:
    """A hint if labels seem to be class numbers that another estimator has made."""
    words = classes.dtype.kind in "UO"
    if not words or labels.dtype.kind not in "iu" or labels.max() >= len(classes):
        return ""
    return (
        " If another estimator encoded y, as VotingClassifier, StackingClassifier and"
        " BaggingClassifier do, pass the costs as an array in the order of the sorted"
        f" labels, {shown(np.sort(classes).tolist())}, and no classes."
    )


def _class_columns(
    costs: Any, labels: NDArray[Any], actions: ArrayLike | None
) -> list[Any] | None:
    """Names of the columns of costs without the actions; None if it has no names."""
    names = cost_names(costs)
    if names is None:
        return None
    if actions is not None:
        extra = {str(name) for name in label_array(actions, "actions").tolist()}
        names = [name for name in names if str(name) not in extra]
    words = [name for name in names_like(names, labels) if isinstance(name, str)]
    if words and labels.dtype.kind in "iuf":
        raise ValueError(
            f"costs has a column for {shown(words)}, which is not a label of y; drop"
            " it, or name it by actions= if it is an action."
        )
    return names


def is_labelled(*, cost_matrix: Any = None, costs: Any = None) -> bool:
    """Whether costs are labelled (tables and dicts) or only in order (arrays).

    Parameters
    ----------
    cost_matrix, costs : optional
        As in :func:`as_cost_vectors`.

    Returns
    -------
    bool
        False without costs.

    See Also
    --------
    check_cost_matrix : Check a cost matrix and put it into the order of the classes.
    check_costs : Check costs by example and put their columns into the order of the
        classes.

    Examples
    --------
    >>> from softcost.costs import is_labelled
    >>> is_labelled(cost_matrix={"a": {"b": 1}, "b": {"a": 2}})
    True
    >>> is_labelled(cost_matrix=[[0, 1], [2, 0]])
    False
    """
    only_one(cost_matrix, costs)
    if cost_matrix is not None:
        return matrix_labels(cost_matrix) is not None
    return cost_names(costs) is not None


def check_cost_matrix(
    cost_matrix: Any,
    classes: ArrayLike | None = None,
    *,
    actions: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Check a cost matrix and put it into the order of the classes.

    Parameters
    ----------
    cost_matrix : array-like, table or dict of shape (n_classes, n_classes)
        ``cost_matrix[true, predicted]``: rows are true classes, columns predicted
        classes, as in a confusion matrix. An array or list of rows is in the order of
        `classes`. A table (pandas with labels as index and columns; or pandas, polars,
        pyarrow with the true classes in the first column) or a dict
        ``{true: {predicted: cost}}`` is matched by label. A dict may leave out the
        diagonal, which is then 0.
    classes : array-like of shape (n_classes,), optional
        The classes. By default the sorted labels of the matrix, or its positions.
    actions : array-like of shape (n_extra,), optional
        Extra actions, one column each; in an array they come after the classes.

    Returns
    -------
    ndarray of shape (n_classes, n_classes + n_extra)
        A new float64 array in the user's units, ordered as `classes`. Entries are
        finite and not negative, and no entry of a row is below the diagonal one.

    See Also
    --------
    check_costs : Check costs by example and put their columns into the order of the
        classes.
    as_cost_vectors : Return canonical cost vectors: the extra cost of each answer.

    Examples
    --------
    >>> from softcost.costs import check_cost_matrix
    >>> costs = {"ham": {"spam": 5}, "spam": {"ham": 1}}
    >>> check_cost_matrix(costs, ["spam", "ham"])
    array([[0., 1.],
           [5., 0.]])
    """
    values, rows, columns = read_matrix(cost_matrix)
    if values.ndim != 2:
        raise ValueError(
            f"cost_matrix must be K x K, not of shape {values.shape}; give one row per"
            " true class and one column per predicted class."
        )
    if classes is not None:
        labels = check_classes(classes)
    elif rows is not None:
        labels = sorted_like(rows, np.array(rows), "cost_matrix")
    else:
        labels = np.arange(len(values))
    extra = check_actions(actions, labels)
    if rows is not None and columns is not None:
        by_row = positions(rows, labels, "cost_matrix", "row")
        by_column = positions(
            columns, labels, "cost_matrix", "column", actions=extra.tolist()
        )
        values = values[np.ix_(by_row, by_column)]
    _check_shape(values, labels, extra)
    check_cost_values(values, labels, extra, "cost_matrix")
    _check_diagonal(values, labels, extra)
    return values


def _check_shape(
    values: NDArray[np.float64], classes: NDArray[Any], extra: NDArray[Any]
) -> None:
    n_classes = len(classes)
    if n_classes == 0:
        raise ValueError("cost_matrix is empty; give one row and column per class.")
    if values.shape == (n_classes, n_classes + len(extra)):
        return
    if len(extra):
        raise ValueError(
            f"cost_matrix has shape {values.shape} for {n_classes} classes,"
            f" {shown(classes.tolist())}, and {len(extra)} actions,"
            f" {shown(extra.tolist())}; give one row per class, and one column per"
            " class and then one per action."
        )
    if len(values) == n_classes and values.shape[1] > n_classes:
        raise ValueError(
            f"cost_matrix has {values.shape[1]} columns for {n_classes} classes,"
            f" {shown(classes.tolist())}; give one column per class, or name the others"
            " by actions=."
        )
    raise ValueError(
        f"cost_matrix has shape {values.shape} for {n_classes} classes,"
        f" {shown(classes.tolist())}; give one row and one column per class"
        " (pass classes= if y lacks one), or pass costs by example as costs."
    )


def check_cost_values(
    values: NDArray[np.float64],
    classes: NDArray[Any],
    extra: NDArray[Any],
    argument: str,
) -> None:
    """Raise an error for costs that are missing, infinite, negative or too large."""
    for bad, fault, remedy in (
        (np.isnan(values), "a missing cost (NaN)", "fill it"),
        (np.isinf(values), "an infinite cost", "use a large finite one"),
        (
            values < 0,
            "a negative cost",
            "convert profits with softcost.costs.from_benefits, or add a constant to"
            " the row",
        ),
        (
            values > LARGEST,
            "a cost above 1e150 (sums could overflow)",
            "use a larger unit",
        ),
    ):
        if bad.any():
            row, column = (int(place[0]) for place in np.nonzero(bad))
            name = row if argument == "costs" else classes[row : row + 1].tolist()[0]
            label = all_answers(classes, extra).tolist()[column]
            raise ValueError(
                f"{argument} has {fault} in row {name!r}, column {label!r}; {remedy}."
            )


def _check_diagonal(
    values: NDArray[np.float64], classes: NDArray[Any], extra: NDArray[Any]
) -> None:
    cheaper = values < np.diagonal(values)[:, np.newaxis]
    if cheaper.any():
        row, column = (int(place[0]) for place in np.nonzero(cheaper))
        answers = all_answers(classes, extra).tolist()
        true, predicted = answers[row], answers[column]
        raise ValueError(
            f"cost_matrix makes predicting {predicted!r} for a true {true!r} cheaper"
            " than being right; put true classes in rows, predicted classes in columns,"
            " and the lowest cost of each row on the diagonal."
        )


def check_costs(
    costs: Any,
    classes: ArrayLike,
    n_samples: int,
    *,
    actions: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Check costs by example and put their columns into the order of the classes.

    Parameters
    ----------
    costs : array-like or table of shape (n_samples, n_classes)
        ``costs[n, k]`` is the cost of predicting class k for example n. An array or
        list of rows is in the order of `classes`; the columns of a table (pandas,
        polars, pyarrow) are matched by name.
    classes : array-like of shape (n_classes,)
        The classes.
    n_samples : int
        Number of examples.
    actions : array-like of shape (n_extra,), optional
        Extra actions, one column each.

    Returns
    -------
    ndarray of shape (n_samples, n_classes + n_extra)
        A new float64 array in the user's units, finite and not negative.

    See Also
    --------
    check_cost_matrix : Check a cost matrix and put it into the order of the classes.
    as_cost_vectors : Return canonical cost vectors: the extra cost of each answer.

    Examples
    --------
    >>> import pandas as pd
    >>> from softcost.costs import check_costs
    >>> check_costs(pd.DataFrame({"b": [1, 2], "a": [0, 3]}), ["a", "b"], 2)
    array([[0., 1.],
           [3., 2.]])
    """
    labels = check_classes(classes)
    extra = check_actions(actions, labels)
    if costs is None:
        raise TypeError("costs is None; pass an n x K array or table.")
    table = read_table(costs)
    if table is None:
        values = numbers(costs, "costs")
    else:
        _check_not_a_matrix(table.row_names, labels)
        names = extra.tolist()
        order = positions(table.names, labels, "costs", "column", actions=names)
        columns = [numbers(table.columns[j], "costs") for j in order]
        values = np.column_stack(columns)
    if values.ndim != 2:
        raise ValueError(
            f"costs must be n x K, not of shape {values.shape}; give one row per"
            " example and one column per class."
        )
    if len(values) != n_samples:
        raise ValueError(
            f"costs has {len(values)} rows for {n_samples} examples; give one row per"
            " example, or pass costs by class as cost_matrix."
        )
    if values.shape[1] != len(labels) + len(extra):
        kinds = f"{len(labels)} classes, {shown(labels.tolist())}"
        if len(extra):
            kinds += f", and {len(extra)} actions, {shown(extra.tolist())}"
        raise ValueError(
            f"costs has {values.shape[1]} columns for {kinds}; give one column per"
            " class (pass classes= if y lacks one, actions= for columns that are not"
            " classes)."
        )
    check_cost_values(values, labels, extra, "costs")
    return values


def _check_not_a_matrix(row_names: list[Any] | None, classes: NDArray[Any]) -> None:
    """Raise an error for rows named after the classes: that is a matrix."""
    if not row_names or not all(isinstance(name, str) for name in row_names):
        return
    if sorted(row_names) == sorted(map(str, classes.tolist())):
        raise ValueError(
            "costs has rows named after the classes, so it is a matrix by class;"
            " pass it as cost_matrix."
        )


def is_consistent(cost_matrix: Any, tol: float = 1e-8, *, method: str = "log") -> bool:
    """Whether class weights can express a cost matrix.

    Parameters
    ----------
    cost_matrix : array-like, table or dict of shape (n_classes, n_classes)
        See :func:`check_cost_matrix`. The diagonal is subtracted from each row first.
    tol : float, default=1e-8
        Largest deviation that is attributed to rounding.
    method : {"log", "rank"}, default="log"
        "log": with ``L[i, j] = log C[i, j] - log C[j, i]`` and ``l_i`` the mean of
        row i, ``max |L[i, j] - (l_i - l_j)| <= tol``; independent of the unit.
        "rank": the system ``w_i C[j, i] - w_j C[i, j] = 0``, with rows scaled to norm
        1, has a smallest singular value of at most `tol` times the largest.

    Returns
    -------
    bool
        False if any mistake is free: positive weights cannot express that.

    See Also
    --------
    consistency_weights : Return the class weights of a consistent cost matrix.
    consistent : Draw a random consistent matrix with larger weights for rarer classes.

    Examples
    --------
    >>> from softcost.costs import is_consistent
    >>> is_consistent([[0, 1, 2], [3, 0, 9], [4, 6, 0]])
    True
    >>> is_consistent([[0, 1, 2], [3, 0, 9], [4, 7, 0]])
    False
    """
    matrix = _canonical(cost_matrix)
    if method not in ("log", "rank"):
        raise ValueError(f"method must be 'log' or 'rank', not {method!r}; choose one.")
    if not _all_mistakes_cost(matrix):
        return False
    if method == "rank":
        return _rank_deviation(matrix) <= tol
    return _log_deviation(matrix)[1] <= tol


def consistency_weights(cost_matrix: Any, tol: float = 1e-8) -> NDArray[np.float64]:
    """Return the class weights of a consistent cost matrix.

    Parameters
    ----------
    cost_matrix : array-like, table or dict of shape (n_classes, n_classes)
        See :func:`check_cost_matrix`; labelled ones give weights in sorted order.
    tol : float, default=1e-8
        As in :func:`is_consistent`.

    Returns
    -------
    ndarray of shape (n_classes,)
        ``w = exp(l - max l)``, the only solution of
        ``w_i / w_j = C[i, j] / C[j, i]`` with largest entry 1.

    See Also
    --------
    is_consistent : Whether class weights can express a cost matrix.
    softcost.reductions.ZhouLiuRescaling : Trains with such weights.

    Examples
    --------
    >>> from softcost.costs import consistency_weights
    >>> consistency_weights([[0, 1, 2], [2, 0, 6], [8, 12, 0]])
    array([0.25, 0.5 , 1.  ])
    """
    matrix = _canonical(cost_matrix)
    if not _all_mistakes_cost(matrix):
        raise ValueError(
            "cost_matrix has a free mistake, so class weights cannot express it; check"
            " it with is_consistent first."
        )
    logs, deviation = _log_deviation(matrix)
    if deviation > tol:
        raise ValueError(
            "cost_matrix is not consistent, so class weights cannot express it; check"
            " it with is_consistent first."
        )
    return np.exp(logs - logs.max())


def _canonical(cost_matrix: Any) -> NDArray[np.float64]:
    matrix = check_cost_matrix(cost_matrix)
    return matrix - np.diagonal(matrix)[:, np.newaxis]


def _all_mistakes_cost(matrix: NDArray[np.float64]) -> bool:
    return bool((matrix[~np.eye(len(matrix), dtype=bool)] > 0).all())


def _log_deviation(matrix: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Return l and ``max |L - (l_i - l_j)|``."""
    logs = np.log(matrix + np.eye(len(matrix)))
    ratios = logs - logs.T
    level = ratios.mean(axis=1)
    fitted = level[:, np.newaxis] - level[np.newaxis, :]
    return level, float(np.abs(ratios - fitted).max())


def _rank_deviation(matrix: NDArray[np.float64]) -> float:
    """Return the smallest singular value of the system over the largest."""
    n_classes = len(matrix)
    first, second = np.triu_indices(n_classes, k=1)
    if len(first) < n_classes:
        return 0.0
    equations = np.arange(len(first))
    system = np.zeros((len(first), n_classes))
    system[equations, first] = matrix[second, first]
    system[equations, second] = -matrix[first, second]
    system /= np.linalg.norm(system, axis=1, keepdims=True)
    values = np.linalg.svd(system, compute_uv=False)
    return float(values[-1] / values[0])

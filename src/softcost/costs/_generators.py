"""Cost matrices for experiments, drawn at random or derived from another one.

Everywhere ``C[true, predicted]`` has a zero diagonal, N_k is the number of training
examples of class k (at least 1), and `rng` is whatever
:func:`numpy.random.default_rng` takes.
"""

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcost.costs._check import check_cost_matrix
from softcost.costs._labels import label_array, names_like, positions, shown
from softcost.costs._tables import matrix_labels, numbers


def plain(n_classes: int, rng: Any = None) -> NDArray[np.float64]:
    """Draw a matrix that does not look at the class sizes.

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
    inconsistent : Draw a matrix where it is expensive to take a rare class for a
        frequent one.
    emphasized : Make some rows or columns of a matrix u times as expensive as the
        others.

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
    """Draw a matrix where it is expensive to take a rare class for a frequent one.

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
    consistent : Draw a consistent matrix with larger weights for rarer classes.
    plain : Draw a matrix that does not look at the class sizes.

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
    """Draw a consistent matrix with larger weights for rarer classes.

    Parameters
    ----------
    class_counts : array-like of shape (n_classes,)
        Examples of each class, in the order of the classes.
    rng : None, int or numpy.random.Generator, optional
        Source of randomness.
    ratio : {"inverse", "printed"}, default="inverse"
        Upper end of the interval for taking the rarer class y for the more frequent
        k: "inverse" is ``N_k / N_y`` as in :func:`inconsistent`, "printed" is
        ``N_y / N_k``, as the paper states it but does not use it.

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        Classes are ranked from frequent to rare (ties by index) and get increasing
        weights w from U(0, 1]. For y of higher rank than k, ``C[y, k]`` is drawn from
        the interval and ``C[k, y] = C[y, k] w_k / w_y``. Divided by the largest
        entry.

    See Also
    --------
    inconsistent : Draw a matrix where it is expensive to take a rare class for a
        frequent one.
    is_consistent : Whether weights by class can stand for a cost matrix.

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
    """Make some rows or columns of a matrix u times as expensive as the others.

    Parameters
    ----------
    cost_matrix : array-like, table or dict of shape (n_classes, n_classes)
        The base matrix.
    u : float
        The emphasis, positive.
    rows, columns : label or list of labels, optional
        True classes and predicted classes to emphasise: labels of a labelled matrix,
        positions in an array.

    Returns
    -------
    ndarray or DataFrame of shape (n_classes, n_classes)
        The entries in those rows or columns, and all others divided by u: the matrix
        with these entries multiplied by u, in units of u. A DataFrame if the matrix
        is labelled.

    See Also
    --------
    balanced : Divide each row by the size of its class, so that all classes count the
        same.
    inconsistent : Draw a matrix where it is expensive to take a rare class for a
        frequent one.

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
    matrix, labels = _own_order(cost_matrix)
    chosen = np.zeros(matrix.shape, dtype=bool)
    chosen[_places(rows, labels, "rows"), :] = True
    chosen[:, _places(columns, labels, "columns")] = True
    return _labelled(np.where(chosen, matrix, matrix / u), cost_matrix, labels)


def balanced(cost_matrix: Any, class_counts: Any) -> Any:
    """Divide each row by the size of its class, so that all classes count the same.

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
    inconsistent : Draw a matrix where it is expensive to take a rare class for a
        frequent one.
    error_weights : Return how much an error counts, by true class.

    Examples
    --------
    >>> from softcost.costs import balanced
    >>> balanced([[0, 1], [3, 0]], [2, 4])
    array([[0.  , 0.5 ],
           [0.75, 0.  ]])
    """
    matrix, labels = _own_order(cost_matrix)
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
    """Draw from (0, 1]: a zero would break consistency."""
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


def _own_order(cost_matrix: Any) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return a checked matrix in its own row order, and its labels or positions."""
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
    place = {label: index for index, label in enumerate(labels.tolist())}
    names = names_like(list(chosen) if several else [chosen], labels)
    unknown = [name for name in names if name not in place]
    if unknown:
        raise ValueError(
            f"{argument} has {shown(unknown)}, which is no class; use labels of"
            f" cost_matrix, {shown(labels.tolist())}."
        )
    return [place[name] for name in names]


def _labelled(matrix: NDArray[np.float64], original: Any, labels: NDArray[Any]) -> Any:
    """Give a result the labels of the matrix it was made from."""
    if matrix_labels(original) is None:
        return matrix
    import pandas as pd

    return pd.DataFrame(matrix, index=labels, columns=labels)

"""Can weights by class stand for a cost matrix? (Zhou and Liu's condition.)

Rescaling classes by weights w treats the pair (i, j) rightly iff
``w_i / w_j = C[i, j] / C[j, i]``. A matrix is consistent iff one w does so for all
pairs, that is iff ``C[i, j] = w_i S[i, j]`` with a symmetric S.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from softcost.costs._check import check_cost_matrix


def is_consistent(cost_matrix: Any, tol: float = 1e-8, *, method: str = "log") -> bool:
    """Whether weights by class can stand for a cost matrix.

    Parameters
    ----------
    cost_matrix : array-like, table or dict of shape (n_classes, n_classes)
        See :func:`check_cost_matrix`. Each row's diagonal entry is subtracted first.
    tol : float, default=1e-8
        Largest deviation that counts as none.
    method : {"log", "rank"}, default="log"
        "log": with ``L[i, j] = log C[i, j] - log C[j, i]`` and ``l_i`` the mean of
        row i, ``max |L[i, j] - (l_i - l_j)| <= tol``; scale free. "rank": the system
        ``w_i C[j, i] - w_j C[i, j] = 0``, its rows scaled to norm 1, has a smallest
        singular value of at most `tol` times the largest.

    Returns
    -------
    bool
        False whenever a mistake is free, since no positive weights allow that.

    See Also
    --------
    consistency_weights : Return the class weights of a consistent cost matrix.
    consistent : Draw a consistent matrix with larger weights for rarer classes.

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
    is_consistent : Whether weights by class can stand for a cost matrix.
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
            "cost_matrix has a free mistake, so no weights stand for it; test it with"
            " is_consistent first."
        )
    logs, deviation = _log_deviation(matrix)
    if deviation > tol:
        raise ValueError(
            "cost_matrix is not consistent, so no weights stand for it; test it with"
            " is_consistent first."
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

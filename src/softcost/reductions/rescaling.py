"""Rescaling of classes by weights (Zhou and Liu 2006, 2010)."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from softcost.costs import CostProblem, consistency_weights, is_consistent
from softcost.learners import Labels, Subproblem
from softcost.reductions.base import documented
from softcost.reductions.pairwise import PairwiseReduction


@documented
class ZhouLiuRescaling(PairwiseReduction):
    """Rescaling by Zhou and Liu (CSZL); one-versus-one (OVO) at softness 1.

    A matrix C is consistent if class weights w exist with
    ``w_i / w_j = C[i, j] / C[j, i]`` for all pairs. All pairs are then trained with
    these weights, scaled to a maximum of 1. Otherwise pair (i, j) is trained on the
    rows of its two classes with the weights ``C[i, j]`` and ``C[j, i]`` [1]_. Each
    pair votes.

    Costs must depend on the class only. Softened costs of three or more classes are
    usually inconsistent, even if the costs themselves are consistent.

    Parameters
    ----------
    learner : classifier, default=None
        As for `CostSensitiveOneVsOne`.
    tie_break : {"margin", "first"}, default="margin"
        As for `CostSensitiveOneVsOne`.
    {common}

    See Also
    --------
    CostSensitiveOneVsOne : Weights by row, for all costs.
    softcost.costs.is_consistent : Whether class weights can express a cost matrix.

    References
    ----------
    .. [1] Zhou and Liu (2010), "On multi-class cost-sensitive learning", Computational
       Intelligence 26; first in AAAI 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softcost import ZhouLiuRescaling
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ZhouLiuRescaling(cost_matrix=[[0, 1, 5], [1, 0, 5], [9, 9, 0]])
    >>> model.fit(X, y).predict(X[:3])
    array([0, 0, 0])
    """

    row_by_row = False
    takes_actions = False

    def subproblems(self, problem: CostProblem) -> Iterator[Subproblem]:
        if problem.matrix is None:
            raise ValueError(
                "costs by example cannot be rescaled by class: pass cost_matrix "
                "instead of costs, or use CostSensitiveOneVsOne."
            )
        if is_consistent(problem.matrix):
            weights = consistency_weights(problem.matrix)
            by_class = np.repeat(weights[:, None], problem.n_actions, axis=1)
        else:
            by_class = problem.matrix
        for i, j in combinations(range(problem.n_actions), 2):
            yield _pair_of_classes(problem, i, j, by_class)


def _pair_of_classes(
    problem: CostProblem, i: int, j: int, by_class: NDArray[np.float64]
) -> Labels:
    """Pair (i, j) on rows of classes i and j, weighted by ``by_class[true, other]``."""
    first, second = problem.y == i, problem.y == j
    weight = first * by_class[i, j] + second * by_class[j, i]
    return Labels(np.where(first, 1.0, -1.0), weight * problem.weight)

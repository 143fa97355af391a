"""Reductions to one weighted classifier for each pair of classes, and votes."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softcost.costs import CostProblem
from softcost.learners import Labels, Subproblem
from softcost.reductions._base import FlatReduction
from softcost.reductions._docs import documented
from softcost.svm import KernelSVC, pair_votes


def signed_pair(
    signed_weight: NDArray[np.float64], sample_weight: NDArray[np.float64]
) -> Labels:
    """A pair's subproblem: the sign says who should win, the size how much."""
    return Labels(
        np.where(signed_weight > 0, 1.0, -1.0), np.abs(signed_weight) * sample_weight
    )


class PairwiseReduction(FlatReduction):
    """Pairs (0, 1), (0, 2), ..., (1, 2), ...: a positive output is for the first."""

    def default_learner(self) -> Any:
        return KernelSVC()

    def n_subproblems(self, n_classes: int) -> int:
        return n_classes * (n_classes - 1) // 2

    def combine(
        self, outputs: NDArray[np.float64], n_classes: int
    ) -> NDArray[np.float64]:
        return pair_votes(outputs, n_classes)


@documented
class CostSensitiveOneVsOne(PairwiseReduction):
    """Cost-sensitive one-versus-one (CSOVO); one-versus-one (OVO) at softness 1.

    For each pair of classes (i, j) a classifier learns from all examples which of the
    two is cheaper, with weight ``|c_n[i] - c_n[j]|``. Each pair votes; the class with
    the most votes is predicted, the first of them where votes tie. Whatever the
    classifiers, the excess cost of a prediction is at most the summed weight of the
    pairs that chose the more expensive class.

    Parameters
    ----------
    learner : classifier, default=None
        One that takes sample weights; by default `softcost.svm.KernelSVC` with the
        perceptron kernel. Wrap others in `Costing`.
    {common}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from softcost import CostSensitiveOneVsOne
    >>> X, y = load_iris(return_X_y=True)
    >>> prices = [[0, 1, 5], [1, 0, 5], [9, 9, 0]]
    >>> model = CostSensitiveOneVsOne(
    ...     LogisticRegression(max_iter=1000), cost_matrix=prices, softness=0.5
    ... )
    >>> model.fit(X, y).predict(X[:3])
    array([0, 0, 0])
    """

    def subproblems(self, problem: CostProblem) -> Iterator[Subproblem]:
        for i, j in combinations(range(problem.n_classes), 2):
            yield signed_pair(problem.costs[:, j] - problem.costs[:, i], problem.weight)


@documented
class WeightedAllPairs(PairwiseReduction):
    """Weighted all-pairs (WAP); one-versus-one (OVO) at softness 1.

    As `CostSensitiveOneVsOne`, on transformed costs: with ``c_(1) <= c_(2) <= ...``

        v_(1) = 0,   v_(m+1) = v_(m) + (c_(m+1) - c_(m)) / m

    Parameters
    ----------
    learner : classifier, default=None
        As for `CostSensitiveOneVsOne`.
    {common}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softcost import WeightedAllPairs
    >>> X, y = load_iris(return_X_y=True)
    >>> model = WeightedAllPairs(cost_matrix=[[0, 1, 5], [1, 0, 5], [9, 9, 0]])
    >>> model.fit(X, y).predict(X[:3])
    array([0, 0, 0])
    """

    def subproblems(self, problem: CostProblem) -> Iterator[Subproblem]:
        values = all_pairs_values(problem.costs)
        for i, j in combinations(range(problem.n_classes), 2):
            yield signed_pair(values[:, j] - values[:, i], problem.weight)


def all_pairs_values(costs: NDArray[np.float64]) -> NDArray[np.float64]:
    """The costs that weighted all-pairs compares.

    ``v(k)`` is the integral of ``1 / #{l : c[l] <= t}`` over t from the least cost to
    ``c[k]``.

    Parameters
    ----------
    costs : array of shape (n, K)

    Returns
    -------
    array of shape (n, K)

    Examples
    --------
    >>> all_pairs_values(np.array([[0.0, 0.5, 0.5, 2.0]]))
    array([[0. , 0.5, 0.5, 1. ]])
    """
    order = np.argsort(costs, axis=1, kind="stable")
    rising = np.take_along_axis(costs, order, axis=1)
    steps = np.diff(rising, axis=1) / np.arange(1, costs.shape[1])
    values = np.zeros_like(costs)
    np.put_along_axis(values, order[:, 1:], np.cumsum(steps, axis=1), axis=1)
    return values

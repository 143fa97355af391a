"""Pairwise reductions: one weighted classifier per pair of classes, which votes.

The algorithms differ in the weights only: cost-sensitive one-versus-one (Lin 2014),
weighted all pairs (Beygelzimer, Dani, Hayes, Langford and Zadrozny 2005) and, in
`softcost.reductions.rescaling`, rescaling.

References
----------
Beygelzimer, Dani, Hayes, Langford and Zadrozny (2005), "Error limiting reductions
between classification tasks", ICML.

Lin (2014), "Reduction from cost-sensitive multiclass classification to one-versus-one
binary classification", ACML.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils._param_validation import StrOptions

from softcost.costs import CostProblem
from softcost.learners import Labels, Subproblem
from softcost.reductions.base import FlatReduction, documented
from softcost.svm import KernelSVC, pair_votes, vote_margins


def signed_pair(
    signed_weight: NDArray[np.float64], sample_weight: NDArray[np.float64]
) -> Labels:
    """The subproblem of a pair: signs are labels, absolute values are weights."""
    return Labels(
        np.where(signed_weight > 0, 1.0, -1.0), np.abs(signed_weight) * sample_weight
    )


class PairwiseReduction(FlatReduction):
    """Votes of the pairs (0, 1), (0, 2), ..., (1, 2), ...

    A positive output is a vote for the first class of the pair.
    """

    _parameter_constraints: ClassVar = {
        **FlatReduction._parameter_constraints,
        "tie_break": [StrOptions({"margin", "first"})],
    }

    def __init__(
        self,
        learner: Any = None,
        *,
        tie_break: str = "margin",
        cost_matrix: Any = None,
        classes: ArrayLike | None = None,
        actions: ArrayLike | None = None,
        softness: float = 0.0,
        error_weight: Any = None,
        action_error: Any = 1.0,
        n_jobs: int | None = None,
        random_state: Any = None,
    ):
        super().__init__(
            learner,
            cost_matrix=cost_matrix,
            classes=classes,
            actions=actions,
            softness=softness,
            error_weight=error_weight,
            action_error=action_error,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.tie_break = tie_break

    def default_learner(self) -> Any:
        return KernelSVC()

    def n_subproblems(self, n_actions: int) -> int:
        return n_actions * (n_actions - 1) // 2

    def combine(
        self, outputs: NDArray[np.float64], n_actions: int
    ) -> NDArray[np.float64]:
        if n_actions == 2:
            return two_scores(outputs[:, 0])
        votes = pair_votes(outputs, n_actions)
        if self.tie_break == "first":
            return votes
        return votes + vote_margins(outputs, n_actions)


def two_scores(margin: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores of two classes, whose difference is the margin of the first.

    As with votes, a margin of zero counts for the second class, and NaN (no rows to
    learn from) for neither.
    """
    margin = np.where(margin == 0, -np.finfo(np.float32).tiny, margin)
    half = np.where(np.isnan(margin), 0.0, margin) / 2
    return np.column_stack([half, -half])


@documented
class CostSensitiveOneVsOne(PairwiseReduction):
    """Cost-sensitive one-versus-one (CSOVO); one-versus-one (OVO) at softness 1.

    For each pair of classes (i, j) a classifier learns from all examples which of the
    two is cheaper, with weight ``|c_n[i] - c_n[j]|``. Each pair votes, and the class
    with the most votes is predicted; margins break ties. For any classifiers, the
    excess cost of a prediction is at most the summed weight of the pairs that chose the
    more expensive class [1]_.

    Parameters
    ----------
    learner : classifier, default=None
        A classifier with sample weights; by default `softcost.svm.KernelSVC` with the
        perceptron kernel. Wrap others in `Costing`.
    tie_break : {"margin", "first"}, default="margin"
        How to break ties between classes with the most votes: the largest sum of
        margins wins or, as in LIBSVM, the first class.
    {common}

    See Also
    --------
    WeightedAllPairs : The same votes with other weights.
    ZhouLiuRescaling : Weights by class.

    References
    ----------
    .. [1] Lin (2014), "Reduction from cost-sensitive multiclass classification to
       one-versus-one binary classification", ACML.

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
        for i, j in combinations(range(problem.n_actions), 2):
            yield signed_pair(problem.costs[:, j] - problem.costs[:, i], problem.weight)


@documented
class WeightedAllPairs(PairwiseReduction):
    """Weighted all-pairs (WAP); one-versus-one (OVO) at softness 1.

    Like `CostSensitiveOneVsOne`, with transformed costs [1]_: with
    ``c_(1) <= c_(2) <= ...``,

        v_(1) = 0,   v_(m+1) = v_(m) + (c_(m+1) - c_(m)) / m

    Parameters
    ----------
    learner : classifier, default=None
        As for `CostSensitiveOneVsOne`.
    tie_break : {"margin", "first"}, default="margin"
        As for `CostSensitiveOneVsOne`.
    {common}

    See Also
    --------
    CostSensitiveOneVsOne : The same votes with other weights.

    References
    ----------
    .. [1] Beygelzimer, Dani, Hayes, Langford and Zadrozny (2005), "Error limiting
       reductions between classification tasks", ICML.

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
        for i, j in combinations(range(problem.n_actions), 2):
            yield signed_pair(values[:, j] - values[:, i], problem.weight)


def all_pairs_values(costs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Transformed costs of weighted all pairs.

    ``v(k)`` is the integral of ``1 / #{l : c[l] <= t}`` over t from the lowest cost to
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
    increasing = np.take_along_axis(costs, order, axis=1)
    steps = np.diff(increasing, axis=1) / np.arange(1, costs.shape[1])
    values = np.zeros_like(costs)
    np.put_along_axis(values, order[:, 1:], np.cumsum(steps, axis=1), axis=1)
    return values

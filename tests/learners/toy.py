"""A learner with a path, as a user might write one: weighted means of groups."""

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from softcost.learners import OneSidedValues, PathOutputs


class PlainMeans(RegressorMixin, BaseEstimator):
    """Shrunken weighted means of the targets, by the rounded first feature.

    ``sum of weight * target / (sum of weight + shrinkage)`` in every group. One-sided
    targets are met by their own mean.
    """

    def __init__(self, shrinkage=1.0):
        self.shrinkage = shrinkage

    def fit(self, X, y, *, side=None, sample_weight=None):
        X, y = validate_data(self, X, y, y_numeric=True)
        weight = np.ones(len(y)) if sample_weight is None else sample_weight
        self.means_ = group_means(groups_of(X), y, weight, self.shrinkage)
        return self

    def predict(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, reset=False)
        return self.means_[groups_of(X)]


class GroupMeans(PlainMeans):
    """The same, which declares what it shares."""

    path_parameter = "shrinkage"

    def input_checks(self):
        return {"dtype": np.float64}

    def fit_many(self, X, subproblems, *, threads=1):
        groups = groups_of(X)
        return FittedMeans(
            [
                learnt(groups, one, one.target, one.weight, self.shrinkage)
                for one in subproblems
            ]
        )

    def open_path(self, X, tests, values, softness, *, threads=1):
        return MeansPath(groups_of(X), values)


GROUPS = 12


def groups_of(X):
    return np.clip(np.round(X[:, 0]), 0, GROUPS - 1).astype(int)


def group_means(groups, target, weight, shrinkage):
    total = np.bincount(groups, weight, GROUPS) + shrinkage
    return np.bincount(groups, weight * target, GROUPS) / total


def learnt(groups, subproblem, target, weight, shrinkage):
    """Means, or the constants that any learner gives where there is no choice."""
    kept = weight > 0
    if not kept.any():
        return np.full(GROUPS, np.nan)
    if isinstance(subproblem, OneSidedValues):
        side = subproblem.side.reshape(-1, len(kept))[0][kept]
        if np.all(side == side[0]):
            extreme = target[kept].min() if side[0] > 0 else target[kept].max()
            return np.full(GROUPS, extreme)
    return group_means(groups[kept], target[kept], weight[kept], shrinkage)


class FittedMeans:
    def __init__(self, means):
        self.means = means

    def outputs(self, X):
        return np.column_stack([means[groups_of(X)] for means in self.means])


class MeansPath:
    def __init__(self, groups, values):
        self.groups, self._values = groups, values
        self.n_bytes = groups.nbytes

    def fold(self, train, rows, out):
        return MeansFold(self.groups[rows], self.groups[out], self._values)


class MeansFold:
    def __init__(self, rows, out, values):
        self._rows, self._out, self._values = rows, out, values

    def solve(self, subproblem, *, fitted=False, proceed=lambda: None):
        n_softness = subproblem.target.shape[-2]
        shape = (len(self._values), n_softness)
        targets, weights = (
            np.broadcast_to(part, (*shape, len(self._rows)))
            for part in (subproblem.target, subproblem.weight)
        )
        means = np.empty((*shape, GROUPS))
        for place in np.ndindex(shape):
            one = subproblem
            if isinstance(one, OneSidedValues):
                sides = np.broadcast_to(one.side, targets.shape)[place]
                one = OneSidedValues(targets[place], weights[place], sides)
            means[place] = learnt(
                self._rows, one, targets[place], weights[place], self._values[place[0]]
            )
        inside = means[..., self._rows] if fitted else None
        return PathOutputs(means[..., self._out], inside)

    def release(self):
        pass

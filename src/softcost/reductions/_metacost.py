"""MetaCost: relabel by bagged probabilities, then learn the new labels."""

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from joblib import Parallel, delayed
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from softcost.reductions._docs import documented
from softcost.reductions._multiclass import (
    ProbabilityReduction,
    class_probabilities,
    fit_classes,
)
from softcost.reductions.learners import draw_seeds


@documented
class MetaCost(ProbabilityReduction):
    """MetaCost: any classifier, trained on the labels that are cheapest to predict.

    The learner is fitted to bootstrap resamples of the rows, and the mean of what those
    models say is taken for ``P(y | x_n)``. Every row is relabelled

        y'_n = argmin_k sum_y P(y | x_n) C[y, k]

    and the learner is fitted once more, to the new labels: one model, which predicts
    cheap classes by itself. Costs must depend on the class only. At softness 1 rows
    get their most probable label.

    Parameters
    ----------
    learner : classifier, default=None
        By default logistic regression on standardised features. Learners without
        probabilities vote. One that learns its rows by heart, such as a tree of any
        depth, is relabelled little unless ``use="out"``.
    n_resamples : int, default=50
    use : {"all", "out", "in"}, default="all"
        Which resamples speak for a row: all of them, those without the row, or those
        with it. A row for which there are none uses all.
    {common}

    Attributes
    ----------
    estimator_ : the final classifier, fitted to numbers of classes
    relabelled_ : array of shape (n,)
        The labels it was fitted to.
    {attributes}

    Notes
    -----
    With sample weights, rows are drawn in proportion to them, and the final fit is
    weighted.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softcost import MetaCost
    >>> X, y = load_iris(return_X_y=True)
    >>> prices = [[0, 1, 5], [1, 0, 5], [9, 9, 0]]
    >>> model = MetaCost(cost_matrix=prices, n_resamples=10, random_state=0)
    >>> model.fit(X, y).predict(X[:3])
    array([0, 0, 0])
    """

    _parameter_constraints: ClassVar = {
        **ProbabilityReduction._parameter_constraints,
        "n_resamples": [Interval(Integral, 1, None, closed="left")],
        "use": [StrOptions({"all", "out", "in"})],
    }

    def __init__(
        self,
        learner=None,
        *,
        n_resamples=50,
        use="all",
        cost_matrix=None,
        classes=None,
        softness=0.0,
        error_weight=None,
        n_jobs=None,
        random_state=None,
    ):
        super().__init__(
            learner,
            cost_matrix=cost_matrix,
            classes=classes,
            softness=softness,
            error_weight=error_weight,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.n_resamples = n_resamples
        self.use = use

    def _fit(self, X, task):
        if task.matrix is None:
            raise ValueError(
                "costs by example cannot relabel rows by class: pass cost_matrix "
                "instead of costs, or use StochasticEnsembleBoosting."
            )
        learner, rng = self._learner(), check_random_state(self.random_state)
        *seeds, last = draw_seeds(rng if self._rng() else None, self.n_resamples + 1)
        resamples = draw_resamples(task.weight, self.n_resamples, rng)
        members = Parallel(n_jobs=self.n_jobs, return_as="generator")(
            delayed(member_probabilities)(
                learner, X, rows, task.y[rows], task.n_classes, seed
            )
            for rows, seed in zip(resamples, seeds, strict=True)
        )
        probabilities = mean_probabilities(members, resamples, self.use)
        labels = (probabilities @ task.matrix).argmin(axis=1)
        self.relabelled_ = self.classes_[labels]
        every = np.arange(len(labels))
        self.estimator_ = fit_classes(learner, X, every, labels, task.weight, last)

    def _decide(self, X):
        return class_probabilities(self.estimator_, X, len(self.classes_))


def draw_resamples(weight, n_resamples: int, rng) -> list:
    """Rows of resamples with replacement, in proportion to their weights.

    Each has as many rows as have a positive weight.
    """
    kept = np.flatnonzero(weight > 0)
    share = weight[kept] / weight.sum()
    return [rng.choice(kept, len(kept), p=share) for _ in range(n_resamples)]


def member_probabilities(learner, X, rows, y, n_classes, seed):
    """What a model of some rows says of all rows: the unit of parallel work."""
    model = fit_classes(learner, X, rows, y, seed=seed)
    return class_probabilities(model, X, n_classes)


def mean_probabilities(members, resamples, use):
    """Mean over the members that speak for each row.

    Parameters
    ----------
    members : iterable of arrays of shape (n, K)
    resamples : sequence of arrays
        The rows that each member has seen.
    use : {"all", "out", "in"}

    Returns
    -------
    array of shape (n, K)
    """
    total: Any = 0.0
    chosen: Any = 0.0
    count: Any = 0
    for probabilities, rows in zip(members, resamples, strict=True):
        inside = np.bincount(rows, minlength=len(probabilities)) > 0
        speaks = {"all": inside | True, "out": ~inside, "in": inside}[use]
        total = total + probabilities
        chosen = chosen + speaks[:, None] * probabilities
        count = count + speaks[:, None]
    return np.where(count > 0, chosen / np.maximum(count, 1), total / len(resamples))

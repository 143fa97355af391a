"""MetaCost (Domingos 1999): relabel rows by bagged probabilities, then fit again."""

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from softcost.costs import CostProblem
from softcost.learners import draw_seeds
from softcost.parallel import stream_jobs
from softcost.reductions.base import (
    ProbabilityReduction,
    class_probabilities,
    documented,
    fit_classes,
)


@documented
class MetaCost(ProbabilityReduction):
    """MetaCost: any classifier, trained on labels of lowest expected cost.

    The learner is fitted to bootstrap samples of the rows. The mean probabilities of
    these models estimate ``P(y | x_n)``. Every row gets a new label,

        y'_n = argmin_k sum_y P(y | x_n) C[y, k]

    and the learner is fitted to the new labels: a single model, which predicts classes
    of low cost directly [1]_. Costs must depend on the class only. At softness 1 rows
    get their most probable label.

    Parameters
    ----------
    learner : classifier, default=None
        By default logistic regression on standardised features. Learners without
        probabilities vote. With a learner that memorises its rows, such as an unpruned
        tree, few labels change unless ``use="out"``.
    n_resamples : int, default=50
        Number of bootstrap samples.
    use : {"all", "out", "in"}, default="all"
        The models that estimate the probabilities of a row: all models, those fitted
        without the row, or those fitted with it. If there are none, all are used.
    {common}

    Attributes
    ----------
    estimator_ : classifier
        The final classifier, fitted to class indices.
    relabelled_ : array of shape (n_positive,)
        The new labels of the rows with a positive weight.
    {attributes}

    See Also
    --------
    MinimumExpectedCost : The Bayes decision itself, without relabelling.

    Notes
    -----
    With sample weights, rows are drawn in proportion to them, and the final fit is
    weighted.

    References
    ----------
    .. [1] Domingos (1999), "MetaCost: a general method for making classifiers
       cost-sensitive", KDD.

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

    takes_actions: ClassVar[bool] = False
    _parameter_constraints: ClassVar = {
        **ProbabilityReduction._parameter_constraints,
        "n_resamples": [Interval(Integral, 1, None, closed="left")],
        "use": [StrOptions({"all", "out", "in"})],
    }
    relabelled_: NDArray[Any]
    estimator_: Any

    def __init__(
        self,
        learner: Any = None,
        *,
        n_resamples: int = 50,
        use: str = "all",
        cost_matrix: Any = None,
        classes: ArrayLike | None = None,
        actions: ArrayLike | None = None,
        softness: float = 0.0,
        error_weight: Any = None,
        action_error: Any = 1.0,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
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
        self.n_resamples = n_resamples
        self.use = use

    def _fit(self, X: Any, problem: CostProblem) -> None:
        if problem.matrix is None:
            raise ValueError(
                "costs by example cannot relabel rows by class: pass cost_matrix "
                "instead of costs, or use StochasticEnsembleBoosting."
            )
        learner, rng = self.working_learner(), check_random_state(self.random_state)
        *seeds, last = draw_seeds(rng if self._rng() else None, self.n_resamples + 1)
        resamples = draw_resamples(problem.weight, self.n_resamples, rng)
        jobs = [
            (learner, X, rows, problem.y[rows], problem.n_actions, seed)
            for rows, seed in zip(resamples, seeds, strict=True)
        ]
        members = stream_jobs(member_probabilities, jobs, n_jobs=self.n_jobs)
        probabilities = mean_probabilities(members, resamples, self.use)
        labels = (probabilities @ problem.matrix).argmin(axis=1)
        self.relabelled_ = self.classes_[labels]
        every = np.arange(len(labels))
        self.estimator_ = fit_classes(learner, X, every, labels, problem.weight, last)

    def _decide(self, X: Any) -> NDArray[np.float64]:
        return class_probabilities(self.estimator_, X, len(self.classes_))


def draw_resamples(weight: Any, n_resamples: int, rng: Any) -> list[Any]:
    """Rows of bootstrap samples, drawn in proportion to their weights.

    Each sample has as many rows as there are rows of positive weight.
    """
    rows = np.flatnonzero(weight > 0)
    share = weight[rows] / weight.sum()
    return [rng.choice(rows, len(rows), p=share) for _ in range(n_resamples)]


def member_probabilities(
    learner: Any, X: Any, rows: Any, y: Any, n_classes: Any, seed: Any
) -> Any:
    """Probabilities of all rows from a model of some: the unit of parallel work."""
    model = fit_classes(learner, X, rows, y, seed=seed)
    return class_probabilities(model, X, n_classes)


def mean_probabilities(members: Any, resamples: Any, use: Any) -> Any:
    """Mean over the models that are used for each row.

    Parameters
    ----------
    members : iterable of arrays of shape (n, K)
        Probabilities from each model.
    resamples : sequence of arrays
        The training rows of each model.
    use : {"all", "out", "in"}
        See `MetaCost`.

    Returns
    -------
    array of shape (n, K)
    """
    total: Any = 0.0
    chosen: Any = 0.0
    count: Any = 0
    for probabilities, rows in zip(members, resamples, strict=True):
        inside = np.bincount(rows, minlength=len(probabilities)) > 0
        used = {"all": inside | True, "out": ~inside, "in": inside}[use]
        total = total + probabilities
        chosen = chosen + used[:, None] * probabilities
        count = count + used[:, None]
    return np.where(count > 0, chosen / np.maximum(count, 1), total / len(resamples))

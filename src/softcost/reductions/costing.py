"""Costing: cost-proportionate rejection sampling (Zadrozny, Langford and Abe 2003)."""

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _num_samples

from softcost.costs import CostProblem
from softcost.learners import draw_seeds, takes_weights
from softcost.parallel import run_jobs
from softcost.reductions.base import (
    Reduction,
    class_learner,
    class_probabilities,
    documented,
    fit_classes,
)
from softcost.svm import KernelSVC


@documented
class Costing(Reduction):
    """Cost-proportionate rejection sampling, for learners without sample weights.

    Each row becomes K copies (x_n, l) with label l and weight

        q_n[l] = s_n (max_k c_n[k] - c_n[l])

    so the weight of a row's misclassified copies is the cost of the prediction, up to a
    constant. Every draw accepts each copy independently with probability ``q / max q``,
    and the learner is fitted to the accepted copies [1]_. The models' mean probability,
    or their votes, decide.

    Without costs only the copies (x_n, y_n) have a weight, the sample weight. So
    ``Costing(learner)`` adds sample weights to any learner. With costs, the copies of a
    row contradict each other. For a local learner such as nearest neighbours this is
    noise; use it inside ``CostSensitiveOneVsOne`` instead.

    Parameters
    ----------
    learner : classifier, default=None
        By default `softcost.svm.KernelSVC` with the perceptron kernel.
    n_draws : int, default=10
        Number of models; a single one if all copies have the same weight.
    sampling : {"auto", "always"}, default="auto"
        "auto" does not sample if the learner supports sample weights, as the default
        one does. It is then fitted once, to all weighted copies, which is known as data
        space expansion [2]_.
    {common}

    See Also
    --------
    CostSensitiveOneVsOne : For learners with sample weights.

    References
    ----------
    .. [1] Zadrozny, Langford and Abe (2003), "Cost-sensitive learning by
       cost-proportionate example weighting", ICDM.
    .. [2] Abe, Zadrozny and Langford (2004), "An iterative method for multi-class
       cost-sensitive learning", KDD.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from softcost import Costing, CostSensitiveOneVsOne
    >>> X, y = load_iris(return_X_y=True)
    >>> model = CostSensitiveOneVsOne(
    ...     Costing(KNeighborsClassifier()),
    ...     cost_matrix=[[0, 1, 5], [1, 0, 5], [9, 9, 0]],
    ...     random_state=0,
    ... )
    >>> model.fit(X, y).predict(X[:3])
    array([0, 0, 0])
    """

    learner_kind: ClassVar[str] = "classifier"
    takes_actions: ClassVar[bool] = False
    _parameter_constraints: ClassVar = {
        **Reduction._parameter_constraints,
        "n_draws": [Interval(Integral, 1, None, closed="left")],
        "sampling": [StrOptions({"auto", "always"})],
    }

    def __init__(
        self,
        learner: Any = None,
        *,
        n_draws: int = 10,
        sampling: str = "auto",
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
        self.n_draws = n_draws
        self.sampling = sampling

    def default_learner(self) -> Any:
        return KernelSVC()

    def _fit(self, X: Any, problem: CostProblem) -> None:
        learner, rng = self.working_learner(), check_random_state(self.random_state)
        rows, labels, weight = expand(problem.costs, problem.weight)
        self._members = []
        if len(rows) == 0:
            return
        draws, sample_weight = [np.arange(len(rows))], None
        if self.sampling == "auto" and takes_weights(learner):
            sample_weight = weight
        elif np.any(weight != weight[0]):
            draws = draw_copies(weight, self.n_draws, rng)
        seeds = draw_seeds(rng if self._rng() else None, len(draws))
        jobs = [
            (learner, X, rows[draw], labels[draw], sample_weight, seed)
            for draw, seed in zip(draws, seeds, strict=True)
        ]
        self._members = run_jobs(fit_classes, jobs, n_jobs=self.n_jobs)

    def _estimators(self) -> list[Any]:
        """Learners by draw."""
        return [class_learner(model) for model in self._members]

    def _decide(self, X: Any) -> NDArray[np.float64]:
        """Mean probabilities or votes; zeros if all classes cost the same."""
        scores = np.zeros((_num_samples(X), len(self.classes_)))
        for model in self._members:
            scores += class_probabilities(model, X, len(self.classes_))
        return scores / max(len(self._members), 1)


def expand(costs: Any, weight: Any) -> Any:
    """Copies (x_n, l) of positive weight.

    Parameters
    ----------
    costs : array of shape (n, K)
    weight : array of shape (n,)

    Returns
    -------
    rows, labels, weight : arrays of shape (n_copies,)
    """
    weights = (costs.max(axis=1, keepdims=True) - costs) * weight[:, None]
    rows, labels = np.nonzero(weights)
    return rows, labels, weights[rows, labels]


def draw_copies(weight: Any, n_draws: int, rng: Any) -> list[Any]:
    """Indices of the accepted copies of each draw.

    Each copy is accepted independently with probability ``weight / max``. There is no
    sampling with replacement: repeated rows would make learners overfit.
    """
    accept = weight / weight.max()
    return [
        np.flatnonzero(rng.uniform(size=len(weight)) < accept) for _ in range(n_draws)
    ]

"""Subproblems whose rows come in blocks, for learners that can go on learning."""

from collections.abc import Sequence
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from softcost.learners._fitting import Constant, FittedModels
from softcost.learners._kinds import kind_of
from softcost.learners._seeds import draw_seeds, seeded_clone
from softcost.learners._subproblems import Labels, OneSidedValues, Subproblem
from softcost.learners._weights import routing_for
from softcost.parallel import one_thread, run_jobs


def feed_subproblems(
    learner: Any,
    known: FittedModels | None,
    X: Any,
    subproblems: Sequence[Subproblem],
    *,
    n_jobs: int | None = None,
    rng: np.random.RandomState | None = None,
) -> FittedModels:
    """Let one model for each subproblem go on learning from a block of rows.

    Parameters
    ----------
    learner : estimator
        One with ``partial_fit``.
    known : FittedModels or None
        Models of the rows before.
    X : rows
        Anything that the learner takes.
    subproblems : sequence of Subproblem
        All over the rows of X, in the same order for every block.
    n_jobs : int, default=None
        Workers of joblib.
    rng : numpy.random.RandomState, default=None
        Seeds learners that take a random state, the same whatever n_jobs is.

    Returns
    -------
    FittedModels
        One model for each subproblem, a constant NaN where no row has come yet.

    See Also
    --------
    fit_subproblems : Fit a learner to every subproblem.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import SGDClassifier
    >>> from softcost.learners import Labels, feed_subproblems
    >>> X = np.array([[-1.0], [1.0]])
    >>> models = None
    >>> for _ in range(9):
    ...     block = [Labels(np.array([-1.0, 1.0]), np.ones(2))]
    ...     models = feed_subproblems(SGDClassifier(random_state=0), models, X, block)
    >>> np.sign(models.outputs(X)).ravel()
    array([-1.,  1.])
    """
    none = [Constant(np.nan)] * len(subproblems)
    members = none if known is None else known.members
    seeds = draw_seeds(rng, len(subproblems))
    jobs = [
        (learner, member, X, subproblem, seed)
        for member, subproblem, seed in zip(members, subproblems, seeds, strict=True)
    ]
    return FittedModels(run_jobs(feed_one, jobs, n_jobs=n_jobs))


def feed_one(
    learner: Any, member: Any, X: Any, subproblem: Subproblem, seed: int | None = None
) -> Any:
    """Let a model go on learning, or begin; without any row it stays as it is."""
    kept = np.flatnonzero(subproblem.weight > 0)
    if len(kept) == 0:
        return member
    target, classifies = subproblem.target[kept], kind_of(learner) == "classifier"
    if classifies and not isinstance(subproblem, Labels):
        raise TypeError(
            f"learner {type(learner).__name__} is a classifier, but values are to be "
            "learnt: choose a regressor, such as SGDRegressor()."
        )
    model = seeded_clone(learner, seed) if isinstance(member, Constant) else member
    params = _block_weights(model, subproblem.weight[kept])
    if isinstance(subproblem, OneSidedValues):
        params["side"] = subproblem.side[kept]
    if classifies:
        target = (target > 0).astype(int)
        params["classes"] = np.array([0, 1])
    rows = X if len(kept) == len(subproblem.weight) else _safe_indexing(X, kept)
    with one_thread(), routing_for(model):
        return model.partial_fit(rows, target, **params)


def _block_weights(model: Any, weight: NDArray[np.float64]) -> dict[str, Any]:
    """Weights for ``partial_fit``; none where all are 1, in this block."""
    if np.all(weight == 1.0):
        return {}
    if not takes_block_weights(model):
        raise ValueError(
            f"learner {type(model).__name__} takes no sample weights in partial_fit, "
            "which this reduction needs: choose another, such as SGDClassifier()."
        )
    return {"sample_weight": weight}


def takes_block_weights(learner: Any) -> bool:
    """Whether ``learner.partial_fit`` takes weights.

    Parameters
    ----------
    learner : estimator
        One with ``partial_fit``.

    Returns
    -------
    bool
        Where it is False, only rows of weight 1 can be learnt.

    See Also
    --------
    takes_weights : Whether ``learner.fit`` does.

    Examples
    --------
    >>> from sklearn.linear_model import Perceptron, SGDClassifier
    >>> from softcost.learners import takes_block_weights
    >>> takes_block_weights(SGDClassifier()), takes_block_weights(Perceptron())
    (True, True)
    """
    return "sample_weight" in signature(learner.partial_fit).parameters

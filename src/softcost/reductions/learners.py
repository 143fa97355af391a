"""Subproblems, and learners that solve them: together, or one by one."""

import sys
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import clone, is_classifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples, has_fit_parameter
from threadpoolctl import ThreadpoolController

from softcost.svm import KernelSVC, OneSidedSVR, pose


class Subproblem(NamedTuple):
    """One learning problem over all rows.

    Attributes
    ----------
    target : array of shape (n,)
        Labels +1 and -1 for a classifier, values for a regressor.
    weight : array of shape (n,)
        Rows of weight zero do not take part.
    side : array of shape (n,) or None
        For one-sided regression: +1 asks for at most the target, -1 for at least.
    """

    target: NDArray[np.float64]
    weight: NDArray[np.float64]
    side: NDArray[np.float64] | None = None


class Constant:
    """What is learnt where there is nothing to choose: always the same output.

    NaN stands for a subproblem without any row.
    """

    def __init__(self, value: float):
        self.value = value


class Bank:
    """Fitted solvers of subproblems, one by one."""

    def __init__(self, members: list):
        self.members = members

    def outputs(self, X) -> NDArray[np.float64]:
        """Outputs of all members, shape (n, n_members)."""
        out = np.empty((_num_samples(X), len(self.members)))
        for number in range(len(self.members)):
            out[:, number] = self.output(number, X)
        return out

    def output(self, number: int, X) -> Any:
        """Output of one member, shape (n,) or a constant."""
        member = self.members[number]
        return member.value if isinstance(member, Constant) else signed(member, X)


def signed(learner, X) -> NDArray[np.float64]:
    """A regressor's prediction; a binary classifier's output, positive for label 1."""
    if not is_classifier(learner):
        return learner.predict(X)
    if hasattr(learner, "decision_function"):
        return learner.decision_function(X)
    return np.where(learner.predict(X) == 1, 1.0, -1.0)


def shares_work(learner) -> bool:
    """Whether a learner fits many subproblems better together than one by one."""
    return isinstance(learner, KernelSVC | OneSidedSVR)


def pose_machines(subproblems: Sequence[Subproblem]) -> list:
    """Subproblems in the form of the kernel machines: a label is a one-sided wish."""
    return [
        pose(sub.target, sub.weight, -sub.target if sub.side is None else sub.side)
        for sub in subproblems
    ]


def fit_many(learner, X, subproblems: Sequence[Subproblem], n_jobs=None, rng=None):
    """Fit a learner to every subproblem; something with ``outputs(X)`` comes back.

    Parameters
    ----------
    learner : estimator
    X : rows
    subproblems : sequence of Subproblem
    n_jobs : int or None
        Threads for the kernel machines, joblib workers for others.
    rng : numpy.random.RandomState or None
        Seeds learners that take a random state, the same whatever n_jobs is.
    """
    if shares_work(learner):
        problems = pose_machines(subproblems)
        return learner.fit_machines(X, problems, threads=effective_n_jobs(n_jobs))
    tasks = (
        delayed(fit_one)(learner, X, sub, seed)
        for sub, seed in zip(
            subproblems, draw_seeds(rng, len(subproblems)), strict=True
        )
    )
    return Bank(Parallel(n_jobs=n_jobs)(tasks))


def fit_one(learner, X, sub: Subproblem, seed: int | None = None):
    """Fit a clone to one subproblem: the unit of parallel work.

    Rows of weight zero are left out. Without any row left the result is a constant
    NaN; with one label only, that label; with one side only, the extreme target.
    """
    kept = np.flatnonzero(sub.weight > 0)
    target, weight = sub.target[kept], sub.weight[kept]
    if len(kept) == 0:
        return Constant(np.nan)
    if is_classifier(learner):
        if np.all(target == target[0]):
            return Constant(target[0])
        target = (target > 0).astype(int)
    elif sub.side is not None and np.all(sub.side[kept] == sub.side[kept][0]):
        least = sub.side[kept][0] > 0
        return Constant(target.min() if least else target.max())
    model = seeded_clone(learner, seed)
    params = weight_params(model, weight)
    if sub.side is not None:
        params["side"] = sub.side[kept]
    rows = X if len(kept) == len(sub.weight) else _safe_indexing(X, kept)
    with one_thread():
        return model.fit(rows, target, **params)


def one_thread():
    """A context where BLAS and OpenMP have one thread.

    Sums then do not depend on the number of jobs.
    """
    return _libraries(len(sys.modules)).limit(limits=1)


@lru_cache(maxsize=1)
def _libraries(_n_modules: int) -> ThreadpoolController:
    """The loaded libraries, looked up again only when modules were imported."""
    return ThreadpoolController()


def draw_seeds(rng, n_seeds: int) -> list[int | None]:
    """One seed for each of several learners; None for all without a generator."""
    if rng is None:
        return [None] * n_seeds
    return rng.randint(np.iinfo(np.int32).max, size=n_seeds).tolist()


def seeded_clone(learner, seed: int | None = None):
    """An unfitted copy; a seed replaces all its random states, also inner ones."""
    model = clone(learner)
    if seed is None:
        return model
    states = [
        name
        for name in model.get_params(deep=True)
        if name == "random_state" or name.endswith("__random_state")
    ]
    return model.set_params(**dict.fromkeys(states, seed))


def takes_weights(learner) -> bool:
    """Whether ``learner.fit``, or that of a pipeline's last step, takes weights."""
    last = learner.steps[-1][1] if isinstance(learner, Pipeline) else learner
    return has_fit_parameter(last, "sample_weight")


def weight_params(learner, weight: NDArray[np.float64]) -> dict[str, Any]:
    """Sample weights under the names by which ``learner.fit`` takes them."""
    if takes_weights(learner):
        if isinstance(learner, Pipeline):
            return _pipeline_weights(learner, weight)
        return {"sample_weight": weight}
    if np.all(weight == weight[0]):
        return {}
    raise ValueError(
        f"learner {type(learner).__name__} does not take sample weights, which this "
        "reduction needs: wrap it, Costing(learner), or choose another learner."
    )


def _pipeline_weights(pipeline, weight) -> dict[str, Any]:
    """Weights for the last step, and for standard scalers.

    So a weighted row counts as often as a repeated one. Other steps get none, since
    some of them refuse weights that they seem to take.
    """
    routing = get_config()["enable_metadata_routing"]
    params = {}
    for name, step in pipeline.steps:
        weighted = step is pipeline.steps[-1][1] or isinstance(step, StandardScaler)
        if routing and has_fit_parameter(step, "sample_weight"):
            step.set_fit_request(sample_weight=weighted)
        elif weighted:
            params[f"{name}__sample_weight"] = weight
    return {"sample_weight": weight} if routing else params
